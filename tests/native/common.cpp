#include "common.hpp"

#include <algorithm>

#include "blas.hpp"

namespace attack {

namespace {

// C = alpha op(A) op(B) + beta C, column-major as BLAS has it.
template <class T>
void gemm(char* left_form, char* right_form, int* rows, int* columns, int* inner, T* alpha, T* a, int* a_step, T* b, int* b_step, T* beta,
          T* c, int* c_step) {
  for (int j = 0; j < *columns; ++j)
    for (int i = 0; i < *rows; ++i) {
      T sum = 0;
      for (int k = 0; k < *inner; ++k) {
        const T left = *left_form == 'T' ? a[std::ptrdiff_t{i} * *a_step + k] : a[std::ptrdiff_t{k} * *a_step + i];
        const T right = *right_form == 'T' ? b[std::ptrdiff_t{k} * *b_step + j] : b[std::ptrdiff_t{j} * *b_step + k];
        sum += left * right;
      }
      T& target = c[std::ptrdiff_t{j} * *c_step + i];
      target = *alpha * sum + (*beta == T(0) ? T(0) : *beta * target);
    }
}

template <class T>
void gemv(char* form, int* rows, int* columns, T* alpha, T* a, int* a_step, T* x, int* x_step, T* beta, T* y, int* y_step) {
  char plain = 'N';
  int one = 1;
  int size = *form == 'T' ? *columns : *rows, inner = *form == 'T' ? *rows : *columns;
  expect(*x_step == 1 && *y_step == 1, "a vector with gaps was not expected");
  gemm(form, &plain, &size, &one, &inner, alpha, a, a_step, x, &inner, beta, y, &size);
}

// Gaussian elimination with partial pivoting.
void gesv(int* size, int* columns, double* matrix, int* step, int* pivots, double* sides, int* sides_step, int* info) {
  const std::ptrdiff_t n = *size, row_step = *step, side_step = *sides_step;
  for (std::ptrdiff_t k = 0; k < n; ++k) {
    std::ptrdiff_t pivot = k;
    for (std::ptrdiff_t i = k + 1; i < n; ++i)
      if (std::abs(matrix[k * row_step + i]) > std::abs(matrix[k * row_step + pivot])) pivot = i;
    pivots[k] = static_cast<int>(pivot) + 1;
    if (matrix[k * row_step + pivot] == 0.0) {
      *info = static_cast<int>(k) + 1;
      return;
    }
    for (std::ptrdiff_t j = 0; j < n; ++j) std::swap(matrix[j * row_step + k], matrix[j * row_step + pivot]);
    for (std::ptrdiff_t j = 0; j < *columns; ++j) std::swap(sides[j * side_step + k], sides[j * side_step + pivot]);
    for (std::ptrdiff_t i = k + 1; i < n; ++i) {
      const double factor = matrix[k * row_step + i] / matrix[k * row_step + k];
      for (std::ptrdiff_t j = k; j < n; ++j) matrix[j * row_step + i] -= factor * matrix[j * row_step + k];
      for (std::ptrdiff_t j = 0; j < *columns; ++j) sides[j * side_step + i] -= factor * sides[j * side_step + k];
    }
  }
  for (std::ptrdiff_t j = 0; j < *columns; ++j)
    for (std::ptrdiff_t i = n; i-- > 0;) {
      for (std::ptrdiff_t k = i + 1; k < n; ++k) sides[j * side_step + i] -= matrix[k * row_step + i] * sides[j * side_step + k];
      sides[j * side_step + i] /= matrix[i * row_step + i];
    }
  *info = 0;
}

// exp(-|x - z|_1 / 4), for rows of either kind.
template <class T>
double likeness(const hinge::Examples<T>& left, std::size_t r, const hinge::Examples<T>& right, std::size_t j) {
  std::vector<double> difference(left.features, 0.0);
  const auto add = [&](const hinge::Examples<T>& from, std::size_t row, double sign) {
    for (std::size_t f = 0; !from.sparse && f < from.features; ++f) difference[f] += sign * static_cast<double>(from.values[row * from.features + f]);
    for (std::size_t e = 0; from.sparse && e < from.rows[row].size; ++e)
      difference[static_cast<std::size_t>(from.rows[row].index[e])] += sign * static_cast<double>(from.rows[row].value[e]);
  };
  add(left, r, 1.0);
  add(right, j, -1.0);
  double distance = 0.0;
  for (const double value : difference) distance += std::abs(value);
  return std::exp(-0.25 * distance);
}

}  // namespace

void provide_blas() {
  hinge::blas<float>() = {&gemm<float>, &gemv<float>};
  hinge::blas<double>() = {&gemm<double>, &gemv<double>};
  hinge::gesv() = &gesv;
}

template <class T>
Examples<T>::Examples(Dice& dice, std::size_t rows_, std::size_t features_, std::size_t classes_, bool is_sparse)
    : rows(rows_), features(features_), classes(classes_), sparse(is_sparse) {
  const double offset = dice.chance(0.1) ? 1000.0 : 0.0;  // far from zero: kernels have to shift or to repair
  std::vector<T> row(features);
  for (std::size_t r = 0; r < rows; ++r) {
    const bool twin = r > 0 && dice.chance(0.05);  // of the row before, perhaps with another label
    labels.push_back(static_cast<std::int32_t>(dice.below(classes)));
    costs.push_back(dice.chance(0.03) ? 0.0 : dice.one_of({0.1, 1.0, 1.0, 10.0}));
    for (std::size_t f = 0; f < features && !twin; ++f) {
      const double centre = f % classes == static_cast<std::size_t>(labels.back()) ? 1.0 : 0.0;
      row[f] = sparse && dice.chance(0.8) ? T(0) : static_cast<T>(dice.normal() + centre + offset);
    }
    for (std::size_t f = 0; f < features; ++f)
      if (!sparse || row[f] != T(0)) {
        values.push_back(row[f]);
        indices.push_back(static_cast<std::int32_t>(f));
      }
    starts.push_back(static_cast<std::int64_t>(values.size()));
  }
}

template <class T>
hinge::Batch<T> Examples<T>::batch() const { return batch(0, rows); }

template <class T>
hinge::Batch<T> Examples<T>::batch(std::size_t first, std::size_t count) const {
  if (sparse) return {count, features, true, values.data(), indices.data(), starts.data() + first};
  return {count, features, false, values.data() + first * features, nullptr, nullptr};
}

template <class T>
hinge::Kernel<T> make_kernel(Dice& dice, bool sparse, double fails) {
  using hinge::KernelKind;
  const double gamma = dice.one_of({0.05, 0.3, 2.0});
  const double coef0 = dice.one_of({0.0, 1.0});
  auto kind = dice.one_of({KernelKind::linear, KernelKind::rbf, KernelKind::rbf, KernelKind::poly, KernelKind::sigmoid, KernelKind::laplacian,
                           KernelKind::precomputed, KernelKind::callable});
  if (kind == KernelKind::precomputed && sparse) kind = KernelKind::rbf;
  if (fails > 0.0) kind = KernelKind::callable;
  const auto function = [fails](const hinge::Examples<T>& left, const hinge::Examples<T>& right, T* values, std::size_t stride) {
    thread_local std::minstd_rand chance;
    if (static_cast<double>(chance() % 1000) < 1000.0 * fails) throw std::runtime_error("the kernel function fails");
    for (std::size_t r = 0; r < left.count; ++r)
      for (std::size_t j = 0; j < right.count; ++j) values[r * stride + j] = static_cast<T>(likeness(left, r, right, j));
  };
  return hinge::Kernel<T>({kind, gamma, coef0, 2}, function);
}

template <class T>
void turn_into_gram(Examples<T>& examples) {
  std::vector<T> gram(examples.rows * examples.rows);
  hinge::Examples<T> all{examples.rows, examples.features, false, examples.values.data(), nullptr, nullptr, nullptr, T(0)};
  for (std::size_t r = 0; r < examples.rows; ++r)
    for (std::size_t j = 0; j < examples.rows; ++j) gram[r * examples.rows + j] = static_cast<T>(likeness(all, r, all, j));
  examples.values = std::move(gram);
  examples.features = examples.rows;
}

#define ATTACK_INSTANTIATE(T)                                      \
  template struct Examples<T>;                                     \
  template hinge::Kernel<T> make_kernel<T>(Dice&, bool, double);   \
  template void turn_into_gram<T>(Examples<T>&);
ATTACK_INSTANTIATE(float)
ATTACK_INSTANTIATE(double)

}  // namespace attack
