#include "kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "blas.hpp"
#include "loops.hpp"

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

// The squares, or else the sizes, of all differences of two examples.
template <class T>
double exact_distance(const Examples<T>& left, std::size_t r, const Examples<T>& right, std::size_t j, bool squared) {
  double total = 0.0;
  const auto add = [&](double difference) { total += squared ? difference * difference : std::abs(difference); };
  if (!left.sparse) {
    const T* x = left.values + r * left.features;
    const T* z = right.values + j * right.features;
    for (std::size_t f = 0; f < left.features; ++f) add(static_cast<double>(x[f]) - static_cast<double>(z[f]));
    return total;
  }
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
  const KernelKind kind = parameters_.kind;
  const bool products_do = kind == KernelKind::linear || kind == KernelKind::poly || kind == KernelKind::sigmoid ||
                           (kind == KernelKind::rbf && !may_cancel(left, right));
  const bool by_products = !right.sparse && products_do;
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
  loops<T>().picked_products(left.rows().values, right.values, picked.data(), picked.size(), right.features, values);
  apply(left, gathered, values, picked.size());
}

template <class T>
void Kernel<T>::fill_products(const Block<T>& left, const Examples<T>& right, T* values, std::size_t stride) const {
  if (right.columns) return fill_by_columns(left, right, values, stride);
  if (right.sparse) return fill_sparse(left, right, values, stride);
  const std::size_t features = right.features;
  if (parameters_.kind != KernelKind::laplacian)
    return row_products(left.rows().values, left.count(), right.values, right.count, features, values, stride);
  for (std::size_t r = 0; r < left.count(); ++r)
    for (std::size_t j = 0; j < right.count; ++j)
      values[r * stride + j] =
          loops<T>().absolute_distance(left.rows().values + r * features, right.values + j * features, features);
}

// One pass over each stored row: a non-zero adds its share to all examples of the block at once. L1 distances start from |x|_1.
template <class T>
void Kernel<T>::fill_sparse(const Block<T>& left, const Examples<T>& right, T* values, std::size_t stride) const {
  const bool absolute = parameters_.kind == KernelKind::laplacian;
  const auto add = absolute ? loops<T>().sparse_distances : loops<T>().sparse_products;
  const std::size_t width = left.width();
  std::vector<T> sums(width);
  for (std::size_t j = 0; j < right.count; ++j) {
    if (absolute)
      std::copy_n(left.rows().norms, left.count(), sums.begin());
    else
      std::fill(sums.begin(), sums.end(), T(0));
    const SparseRow<T>& row = right.rows[j];
    add(sums.data(), left.panel(), left.line_of(), width, row.index, row.value, row.size);
    for (std::size_t r = 0; r < left.count(); ++r) values[r * stride + j] = sums[r];
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

// Of two norms that together pass the limit one passes half of it, so most pairs need no look. A value that is too small to matter tells nothing if
// its exponent may be off by as much as it is large.
template <class T>
void Kernel<T>::repair(const Block<T>& left, const Examples<T>& right, T* values, std::size_t stride) const {
  if (!may_cancel(left, right)) return;
  const T limit = largest_norms();
  const bool squared = parameters_.kind == KernelKind::rbf;
  const auto mend = [&](std::size_t r, std::size_t j) {
    T& value = values[r * stride + j];
    const T norms = left.rows().norms[r] + right.norms[j];
    if (!(norms > limit)) return;
    const double off = 8.0 * roundoff<T> * parameters_.gamma * static_cast<double>(norms);
    const double negligible = std::exp(-negligible_exponent - off);
    if (negligible < static_cast<double>(std::numeric_limits<T>::min()) || static_cast<double>(value) > negligible)
      value = static_cast<T>(std::exp(-parameters_.gamma * exact_distance(left.rows(), r, right, j, squared)));
  };
  std::vector<std::size_t> large;
  for (std::size_t j = 0; j < right.count; ++j)
    if (right.norms[j] > limit / 2) large.push_back(j);
  for (std::size_t r = 0; r < left.count(); ++r) {
    if (left.rows().norms[r] > limit / 2)
      for (std::size_t j = 0; j < right.count; ++j) mend(r, j);
    else
      for (const std::size_t j : large) mend(r, j);
  }
}

template <class T>
T Kernel<T>::self(const Block<T>& block, std::size_t row) const {
  if (parameters_.kind == KernelKind::rbf || parameters_.kind == KernelKind::laplacian) return T(1);
  Block<T> one;
  const Examples<T> example = block.rows().range(row, 1);
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
