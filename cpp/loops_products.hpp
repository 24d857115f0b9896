// Products of dense rows that need not stand side by side. A part of loops.cpp, compiled with it once for each instruction set; nobody else
// includes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hinge::HINGE_ISA {

namespace {

// As many rows at once as registers hold sums for. A value that was read stays in its register: compilers would rather read it again.
#ifdef __AVX512F__
constexpr std::size_t product_bytes = 64, most_product_rows = 8;
#define HINGE_KEEP(value) asm("" : "+v"(value))
#else
constexpr std::size_t product_bytes = 32, most_product_rows = 4;
#define HINGE_KEEP(value) static_cast<void>(0)
#endif

// Stretches of features, a register long, in which one of a few rows has a value other than zero: the others add nothing to any product, and
// need not be read from the stored rows. Longer rows than this have all their stretches read.
constexpr std::size_t most_stretches = 256;

struct Stretches {
  std::uint16_t starts[most_stretches];  // in registers
  std::size_t count = 0;
};

template <class T>
Stretches stretches_of(const T* x, std::size_t rows, std::size_t features) {
  constexpr std::size_t width = product_bytes / sizeof(T);
  Stretches stretches;
  const std::size_t whole = features / width;
  for (std::size_t s = 0; s < whole && whole <= most_stretches; ++s) {
    bool any = false;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t l = 0; l < width; ++l) any |= x[r * features + s * width + l] != T(0);
    stretches.starts[stretches.count] = static_cast<std::uint16_t>(s);
    stretches.count += any;
  }
  return stretches;
}

// A few rows against a few others: each value read serves several products. A product is summed in the same order whatever stands beside it.
template <class T, std::size_t rows, std::size_t columns>
inline void tile_products(const T* x, const Stretches& stretches, const T* const* z, const T* const* later, std::size_t features, T* products,
                          std::size_t stride) {
  typedef T Vector __attribute__((vector_size(product_bytes)));
  constexpr std::size_t width = product_bytes / sizeof(T);
  Vector sums[rows][columns] = {};
  const std::size_t whole = features / width * width;
  const bool skips = whole <= most_stretches * width;
  const std::size_t count = skips ? stretches.count : whole / width;
  for (std::size_t s = 0; s < count; ++s) {
    const std::size_t f = (skips ? stretches.starts[s] : s) * width;
    Vector right[columns];
    for (std::size_t c = 0; c < columns; ++c) {
      std::memcpy(&right[c], z[c] + f, sizeof(Vector));
      HINGE_KEEP(right[c]);
      __builtin_prefetch(later[c] + f);
    }
    for (std::size_t r = 0; r < rows; ++r) {
      Vector left;
      std::memcpy(&left, x + r * features + f, sizeof(Vector));
      HINGE_KEEP(left);
      for (std::size_t c = 0; c < columns; ++c) sums[r][c] += left * right[c];
    }
  }
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      T parts[width], rest = 0;
      std::memcpy(parts, &sums[r][c], sizeof parts);
      for (std::size_t f = whole; f < features; ++f) rest += x[r * features + f] * z[c][f];
      for (std::size_t half = width / 2; half > 0; half /= 2)
        for (std::size_t l = 0; l < half; ++l) parts[l] += parts[l + half];
      products[r * stride + c] = rest + parts[0];
    }
}

#undef HINGE_KEEP

// The processor cannot guess where the stored rows that come `ahead` columns later begin, so they are announced.
template <class T, std::size_t rows>
void strip_products(const T* x, const T* values, const std::size_t* picked, std::size_t count, std::size_t features, T* products) {
  constexpr std::size_t columns = rows == 1 ? 4 : 2, ahead = 8;
  const Stretches stretches = stretches_of(x, rows, features);
  const auto row = [&](std::size_t j) {
    const std::size_t last = j < count ? j : count - 1;
    return values + (picked ? picked[last] : last) * features;
  };
  std::size_t j = 0;
  for (; j + columns <= count; j += columns) {
    const T *z[columns], *later[columns];
    for (std::size_t c = 0; c < columns; ++c) z[c] = row(j + c), later[c] = row(j + c + ahead);
    tile_products<T, rows, columns>(x, stretches, z, later, features, products + j, count);
  }
  for (; j < count; ++j) {
    const T* z = row(j);
    tile_products<T, rows, 1>(x, stretches, &z, &z, features, products + j, count);
  }
}

template <class T, std::size_t rows>
void picked_products_by(const T* x, std::size_t left, const T* values, const std::size_t* picked, std::size_t count, std::size_t features,
                        T* products) {
  for (; left >= rows; left -= rows, x += rows * features, products += rows * count)
    strip_products<T, rows>(x, values, picked, count, features, products);
  if constexpr (rows > 1) picked_products_by<T, rows / 2>(x, left, values, picked, count, features, products);
}

template <class T>
void picked_products(const T* x, std::size_t rows, const T* values, const std::size_t* picked, std::size_t count, std::size_t features,
                     T* products) {
  picked_products_by<T, most_product_rows>(x, rows, values, picked, count, features, products);
}

}  // namespace

}  // namespace hinge::HINGE_ISA
