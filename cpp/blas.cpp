#include "blas.hpp"

#include <algorithm>
#include <vector>

namespace hinge {

template <>
Blas<float>& blas<float>() {
  static Blas<float> routines;
  return routines;
}

template <>
Blas<double>& blas<double>() {
  static Blas<double> routines;
  return routines;
}

Gesv*& gesv() {
  static Gesv* routine = nullptr;
  return routine;
}

// BLAS is column-major, so our row-major product is its transposed one: products' = right left'.
template <class T>
void row_products(const T* left, std::size_t left_count, const T* right, std::size_t right_count, std::size_t features,
                  T* products, std::size_t stride) {
  if (left_count == 0 || right_count == 0) return;
  if (features == 0) {
    for (std::size_t r = 0; r < left_count; ++r) std::fill_n(products + r * stride, right_count, T(0));
    return;
  }
  char transposed = 'T', plain = 'N';
  int columns = static_cast<int>(right_count), rows = static_cast<int>(left_count), inner = static_cast<int>(features);
  int leading = static_cast<int>(stride), one_step = 1;
  T one = 1, zero = 0;
  // BLAS takes its inputs as mutable pointers but only reads them.
  T* stored = const_cast<T*>(right);
  T* fresh = const_cast<T*>(left);
  if (left_count == 1)
    blas<T>().gemv(&transposed, &inner, &columns, &one, stored, &inner, fresh, &one_step, &zero, products, &one_step);
  else
    blas<T>().gemm(&transposed, &plain, &columns, &rows, &inner, &one, stored, &inner, fresh, &inner, &zero, products,
                   &leading);
}

bool solve_linear(double* matrix, double* right_sides, std::size_t size, std::size_t count) {
  int order = static_cast<int>(size), columns = static_cast<int>(count), info = 0;
  std::vector<int> pivots(size);
  gesv()(&order, &columns, matrix, &order, pivots.data(), right_sides, &order, &info);
  return info == 0;
}

template void row_products<float>(const float*, std::size_t, const float*, std::size_t, std::size_t, float*, std::size_t);
template void row_products<double>(const double*, std::size_t, const double*, std::size_t, std::size_t, double*, std::size_t);

}  // namespace hinge
