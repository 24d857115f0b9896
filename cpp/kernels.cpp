#include "kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "blas.hpp"
#include "loops.hpp"
#include "pages.hpp"

namespace hinge {

namespace {

// The exponent of an rbf value found through |x|^2 + |z|^2 - 2<x,z> is off by about gamma (|x|^2 + |z|^2) times the unit roundoff, and so is, with
// sums of sizes, that of a laplacian value of sparse rows. Pairs where that passes `acceptable` are found again from the differences.
template <class T>
constexpr double acceptable = sizeof(T) == 4 ? 1e-5 : 1e-9;
template <class T>
constexpr double roundoff = static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
// exp(-30) is below the precision of any sum it could enter.
constexpr double negligible_exponent = 30.0;
// From one imprecise pair in so many on, distances of a whole tile are computed in double precision.
constexpr std::size_t pairs_per_distance = 16;
// Values looked at by one vector loop in the search for imprecise pairs.
constexpr std::size_t scanned_together = 64;
// From so many rows on, gathering the others for a matrix product pays.
constexpr std::size_t most_picked_rows = 8;
// Products of one row this long, in bytes, take as long as reading the others: what is zero in the row is not read.
constexpr std::size_t long_row = 2048;

// The squares, or else the sizes, of all differences of two examples.
template <class T>
double exact_distance(const Examples<T>& left, std::size_t r, const Examples<T>& right, std::size_t j, bool squared) {
  if (!left.sparse && squared)
    return loops<T>().squared_distance(left.values + r * left.features, right.values + j * right.features, left.features);
  double total = 0.0;
  const auto add = [&](double difference) { total += squared ? difference * difference : std::abs(difference); };
  const SparseRow<T>&x = left.rows[r], &z = right.rows[j];
  std::size_t a = 0, b = 0;
  while (a < x.size || b < z.size) {
    const bool take_x = b == z.size || (a < x.size && x.index[a] <= z.index[b]);
    const bool take_z = a == x.size || (b < z.size && z.index[b] <= x.index[a]);
    add((take_x ? static_cast<double>(x.value[a]) : 0.0) - (take_z ? static_cast<double>(z.value[b]) : 0.0));
    a += take_x;
    b += take_z;
  }
  return total;
}

template <class T>
T power(T base, int exponent) {
  T result = 1;
  for (; exponent > 0; exponent >>= 1, base *= base)
    if (exponent & 1) result *= base;
  return result;
}

}  // namespace

template <class T>
Kernel<T>::Kernel(KernelParameters parameters, Function function)
    : parameters_(parameters), function_(std::move(function)) {}

template <class T>
void Kernel<T>::fill(const Block<T>& left, const Examples<T>& right, T* values, std::size_t stride) const {
  if (left.count() == 0 || right.count == 0) return;
  if (parameters_.kind == KernelKind::callable) return function_(left.rows(), right, values, stride);
  if (parameters_.kind == KernelKind::precomputed) return fill_precomputed(left, right, values, stride);
  fill_products(left, right, values, stride);
  apply(left, right, values, stride);
}

// The rows do not stand side by side, so matrix products cannot read them; their norms, ids and sparse views are light enough to gather.
template <class T>
void Kernel<T>::fill_picked(const Block<T>& left, const Examples<T>& right, std::span<const std::size_t> picked,
                            T* values) const {
  std::vector<T> norms, dense;
  std::vector<std::int64_t> ids;
  std::vector<SparseRow<T>> rows;
  Examples<T> gathered = right;
  gathered.count = picked.size();
  const bool products_do = is_product() || (parameters_.kind == KernelKind::rbf && !may_cancel(left, right));
  const bool by_products = !right.sparse && products_do && left.count() <= most_picked_rows;
  for (const std::size_t slot : picked) {
    norms.push_back(right.norms[slot]);
    ids.push_back(right.ids[slot]);
    if (right.sparse) rows.push_back(right.rows[slot]);
    const T* row = right.values + slot * right.features;
    if (!right.sparse && !by_products) dense.insert(dense.end(), row, row + right.features);
  }
  gathered.norms = norms.data();
  gathered.ids = ids.data();
  gathered.rows = rows.data();
  gathered.values = dense.data();
  if (!by_products) return fill(left, gathered, values, picked.size());
  loops<T>().picked_products(left.rows().values, left.count(), right.values, picked.data(), picked.size(), right.features, values);
  apply(left, gathered, values, picked.size());
}

template <class T>
void Kernel<T>::fill_products(const Block<T>& left, const Examples<T>& right, T* values, std::size_t stride) const {
  if (right.columns) return fill_by_columns(left, right, values, stride);
  if (right.index) return fill_by_index(left, right, values, stride);
  if (right.sparse) return fill_sparse(left, right, values, stride);
  const std::size_t features = right.features;
  if (parameters_.kind != KernelKind::laplacian && left.count() == 1 && features * sizeof(T) >= long_row)
    return loops<T>().picked_products(left.rows().values, 1, right.values, nullptr, right.count, features, values);
  if (parameters_.kind != KernelKind::laplacian)
    return row_products(left.rows().values, left.count(), right.values, right.count, features, values, stride);
  for (std::size_t r = 0; r < left.count(); ++r)
    for (std::size_t j = 0; j < right.count; ++j)
      values[r * stride + j] =
          loops<T>().absolute_distance(left.rows().values + r * features, right.values + j * features, features);
}

// One pass over each stored row serves all examples of the block. L1 distances start from |x|_1 + |z|_1. The sums of some stored rows
// are collected, so that memory is written a line at a time.
template <class T>
void Kernel<T>::fill_sparse(const Block<T>& left, const Examples<T>& right, T* values, std::size_t stride) const {
  constexpr std::size_t together = 16;
  const bool absolute = parameters_.kind == KernelKind::laplacian;
  const std::size_t width = padded(left.count());
  const Pages<T> room = make_pages<T>(together * width);
  T* const sums = room.get();
  for (std::size_t first = 0; first < right.count; first += together) {
    const std::size_t length = std::min(together, right.count - first);
    std::fill_n(sums, together * width, T(0));
    for (std::size_t j = 0; j < length; ++j) {
      T* of_row = sums + j * width;
      for (std::size_t r = 0; absolute && r < left.count(); ++r) of_row[r] = left.rows().norms[r] + right.norms[first + j];
      if (absolute)
        left.index().add_distances(right.rows[first + j], of_row);
      else
        left.index().add_products(right.rows[first + j], of_row);
    }
    for (std::size_t r = 0; r < left.count(); ++r)
      for (std::size_t j = 0; j < length; ++j) values[r * stride + first + j] = sums[j * width + r];
  }
}

template <class T>
void Kernel<T>::fill_by_index(const Block<T>& left, const Examples<T>& right, T* values, std::size_t stride) const {
  const bool absolute = parameters_.kind == KernelKind::laplacian;
  std::vector<T> sums(padded(right.count));
  for (std::size_t r = 0; r < left.count(); ++r) {
    for (std::size_t j = 0; j < right.count; ++j) sums[j] = absolute ? left.rows().norms[r] + right.norms[j] : T(0);
    if (absolute)
      right.index->add_distances(left.rows().rows[r], sums.data());
    else
      right.index->add_products(left.rows().rows[r], sums.data());
    std::copy_n(sums.data(), right.count, values + r * stride);
  }
}

// Only features that both examples have are ever touched. L1 distances start from |x|_1 + |z|_1.
template <class T>
void Kernel<T>::fill_by_columns(const Block<T>& left, const Examples<T>& right, T* values, std::size_t stride) const {
  const bool absolute = parameters_.kind == KernelKind::laplacian;
  for (std::size_t r = 0; r < left.count(); ++r) {
    T* row = values + r * stride;
    for (std::size_t j = 0; j < right.count; ++j) row[j] = absolute ? left.rows().norms[r] + right.norms[j] : T(0);
    const SparseRow<T>& x = left.rows().rows[r];
    for (const SparseColumns<T>* columns : {right.columns, right.later_columns})
      for (std::size_t e = 0; columns && e < x.size; ++e) {
        const auto feature = static_cast<std::size_t>(x.index[e]);
        const T value = x.value[e];
        for (std::size_t p = columns->starts[feature]; p < columns->starts[feature + 1]; ++p) {
          const T other = columns->values[p];
          row[columns->rows[p]] +=
              absolute ? std::abs(value - other) - std::abs(value) - std::abs(other) : value * other;
        }
      }
  }
}

template <class T>
void Kernel<T>::fill_precomputed(const Block<T>& left, const Examples<T>& right, T* values, std::size_t stride) const {
  for (std::size_t r = 0; r < left.count(); ++r) {
    const T* gram = left.rows().values + r * left.rows().features;
    for (std::size_t j = 0; j < right.count; ++j) values[r * stride + j] = gram[right.ids[j]];
  }
}

template <class T>
void Kernel<T>::apply(const Block<T>& left, const Examples<T>& right, T* values, std::size_t stride) const {
  const T gamma = static_cast<T>(parameters_.gamma), coef0 = static_cast<T>(parameters_.coef0);
  for (std::size_t r = 0; r < left.count(); ++r) {
    T* row = values + r * stride;
    switch (parameters_.kind) {
      case KernelKind::rbf:
        loops<T>().gaussian(row, right.norms, left.rows().norms[r], gamma, right.count);
        break;
      case KernelKind::laplacian:
        loops<T>().exponential(row, gamma, right.count);
        break;
      case KernelKind::poly:
        for (std::size_t j = 0; j < right.count; ++j) row[j] = power(gamma * row[j] + coef0, parameters_.degree);
        break;
      case KernelKind::sigmoid:
        for (std::size_t j = 0; j < right.count; ++j) row[j] = std::tanh(gamma * row[j] + coef0);
        break;
      default:
        break;
    }
  }
  if (parameters_.kind == KernelKind::rbf || (parameters_.kind == KernelKind::laplacian && right.sparse))
    repair(left, right, values, stride);
}

template <class T>
T Kernel<T>::largest_norms() const {
  return static_cast<T>(acceptable<T> / (parameters_.gamma * roundoff<T>));
}

template <class T>
bool Kernel<T>::may_cancel(const Block<T>& left, const Examples<T>& right) const {
  return left.rows().largest_norm + right.largest_norm > largest_norms();
}

// The smallest value that tells how far apart two examples are: below exp(-30) it is too small to matter, unless its exponent may be off
// by as much as it is large.
template <class T>
T Kernel<T>::least_value(T norms) const {
  const double off = 8.0 * roundoff<T> * parameters_.gamma * static_cast<double>(norms);
  const double least = std::exp(-negligible_exponent - off);
  return least < static_cast<double>(std::numeric_limits<T>::min()) ? T(-1) : static_cast<T>(least);
}

// Most stretches of a row hold no imprecise pair, and a vector loop with a bound for the whole row says so. Which pairs are imprecise
// depends on the two examples alone, not on those beside them.
template <class T>
std::vector<ImprecisePair> Kernel<T>::imprecise_pairs(const Block<T>& left, const Examples<T>& right, const T* values, std::size_t stride) const {
  const T limit = largest_norms(), certain = least_value(T(0));
  std::vector<ImprecisePair> pairs;
  for (std::size_t r = 0; r < left.count(); ++r) {
    const T norm = left.rows().norms[r];
    const T bound = least_value(norm + right.largest_norm);
    const T* row = values + r * stride;
    const T* norms = right.norms;
    const auto possible = [=](std::size_t j) { return static_cast<unsigned>((norm + norms[j] > limit) & (row[j] > bound)); };
    for (std::size_t first = 0; first < right.count; first += scanned_together) {
      const std::size_t end = std::min(first + scanned_together, right.count);
      unsigned any = 0;
      for (std::size_t j = first; j < end; ++j) any |= possible(j);
      if (any == 0) continue;
      std::size_t found[scanned_together], count = 0;
      for (std::size_t j = first; j < end; ++j) found[count] = j, count += possible(j);
      for (std::size_t k = 0; k < count; ++k)
        if (row[found[k]] > certain || row[found[k]] > least_value(norm + norms[found[k]])) pairs.push_back({r, found[k]});
    }
  }
  return pairs;
}

template <class T>
void Kernel<T>::repair(const Block<T>& left, const Examples<T>& right, T* values, std::size_t stride) const {
  if (!may_cancel(left, right)) return;
  const std::vector<ImprecisePair> pairs = imprecise_pairs(left, right, values, stride);
  if (pairs.empty()) return;
  const bool squared = parameters_.kind == KernelKind::rbf;
  std::vector<T> distances(pairs.size());
  const bool many = pairs.size() * pairs_per_distance > left.count() * right.count;
  if (!(squared && many && distances_in_double(left, right, pairs, distances.data())))
    for (std::size_t p = 0; p < pairs.size(); ++p)
      distances[p] = static_cast<T>(exact_distance(left.rows(), pairs[p].left, right, pairs[p].right, squared));
  loops<T>().exponential(distances.data(), static_cast<T>(parameters_.gamma), distances.size());
  for (std::size_t p = 0; p < pairs.size(); ++p) values[pairs[p].left * stride + pairs[p].right] = distances[p];
}

// Products in double precision take as long for all pairs of a tile as differences for a few of them.
template <class T>
bool Kernel<T>::distances_in_double(const Block<T>& left, const Examples<T>& right, std::span<const ImprecisePair> pairs, T* distances) const {
  const double norms = static_cast<double>(left.rows().largest_norm) + static_cast<double>(right.largest_norm);
  if (sizeof(T) == sizeof(double) || right.sparse || parameters_.gamma * norms * roundoff<double> > 0.1 * acceptable<T>) return false;
  const std::size_t features = right.features, rows = left.count();
  const std::vector<double> x(left.rows().values, left.rows().values + rows * features);
  const std::vector<double> z(right.values, right.values + right.count * features);
  std::vector<double> products(rows * right.count), x_norms(rows), z_norms(right.count);
  row_products(x.data(), rows, z.data(), right.count, features, products.data(), right.count);
  for (std::size_t r = 0; r < rows; ++r) x_norms[r] = loops<double>().sum_of_squares(x.data() + r * features, features);
  for (std::size_t j = 0; j < right.count; ++j) z_norms[j] = loops<double>().sum_of_squares(z.data() + j * features, features);
  for (std::size_t p = 0; p < pairs.size(); ++p)
    distances[p] = static_cast<T>(x_norms[pairs[p].left] + z_norms[pairs[p].right] - 2.0 * products[pairs[p].left * right.count + pairs[p].right]);
  return true;
}

template <class T>
T Kernel<T>::self(const Block<T>& block, std::size_t row) const {
  if (parameters_.kind == KernelKind::rbf || parameters_.kind == KernelKind::laplacian) return T(1);
  const Examples<T> example = block.rows().range(row, 1);
  if (example.sparse && is_product() && block.index().count() == block.count()) {
    std::vector<T> values(block.count());
    fill(block, example, values.data(), 1);
    return values[row];
  }
  Block<T> one;
  one.look_at(example);
  T value = 0;
  fill(one, example, &value, 1);
  return value;
}

template <class T>
T Kernel<T>::norm(const Examples<T>& examples, std::size_t row) const {
  const bool squared = parameters_.kind == KernelKind::rbf;
  if (!squared && parameters_.kind != KernelKind::laplacian) return T(0);
  const T* value = examples.sparse ? examples.rows[row].value : examples.values + row * examples.features;
  const std::size_t size = examples.sparse ? examples.rows[row].size : examples.features;
  if (squared) return static_cast<T>(loops<T>().sum_of_squares(value, size));
  double total = 0.0;
  for (std::size_t f = 0; f < size; ++f) total += std::abs(static_cast<double>(value[f]));
  return static_cast<T>(total);
}

template <class T>
bool Kernel<T>::wants_shift(double squared_mean, double squared_spread) const {
  return parameters_.kind == KernelKind::rbf && squared_mean > 4.0 * squared_spread &&
         parameters_.gamma * squared_mean * roundoff<T> > 0.1 * acceptable<T>;
}

template class Kernel<float>;
template class Kernel<double>;

}  // namespace hinge
