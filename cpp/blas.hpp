// Matrix products come from the BLAS that the caller already has loaded; only its function pointers are known here.
#pragma once

#include <cstddef>

namespace hinge {

template <class T>
struct Blas {
  using Gemm = void(char*, char*, int*, int*, int*, T*, T*, int*, T*, int*, T*, T*, int*);
  using Gemv = void(char*, int*, int*, T*, T*, int*, T*, int*, T*, T*, int*);
  Gemm* gemm = nullptr;
  Gemv* gemv = nullptr;
};

// LAPACK's solver of a general linear system, used on small systems only.
using Gesv = void(int*, int*, double*, int*, int*, double*, int*, int*);

template <class T>
Blas<T>& blas();
Gesv*& gesv();

// products[r * stride + j] = <left row r, right row j>, all row-major with rows of `features` values.
template <class T>
void row_products(const T* left, std::size_t left_count, const T* right, std::size_t right_count, std::size_t features,
                  T* products, std::size_t stride);

// Solves the square system for so many right sides in place (column-major); false when it is singular.
bool solve_linear(double* matrix, double* right_sides, std::size_t size, std::size_t count = 1);

}  // namespace hinge
