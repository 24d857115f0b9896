// What must hold between any two calls. Every `check_invariants` throws std::logic_error with a sentence that names what is broken; nothing
// calls them but tests and people who look for an error. They stand in files of their own, since they are long and never hot.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

#include "kernels.hpp"
#include "points.hpp"

namespace hinge {

inline void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

template <class Values>
void require_finite(const Values& values, const char* what) {
  for (const auto value : values) require(std::isfinite(value), what);
}

// At most so many numbers below `size`, evenly spread: checks that cost a kernel row per member look at a sample.
inline std::vector<std::size_t> sample(std::size_t size, std::size_t most) {
  std::vector<std::size_t> picked;
  const std::size_t stride = size / most + 1;
  for (std::size_t i = size % stride; i < size; i += stride) picked.push_back(i);
  return picked;
}

// Kernel values may be found in several ways, which differ by rounding only; one in the wrong place differs by more.
template <class T>
constexpr double loose = sizeof(T) == 4 ? 1e-4 : 1e-7;

// The kernel values of a stored example against all slots, computed again.
template <class T>
std::vector<T> fresh_row(const Kernel<T>& kernel, const Examples<T>& all, std::size_t slot) {
  Block<T> one;
  one.look_at(all.range(slot, 1));
  std::vector<T> values(all.count);
  kernel.fill(one, all, values.data(), all.count);
  return values;
}

// Whether a stored kernel value is the one computed again; `scale` is how large it might have been. Distances between examples far from zero have few
// digits, and where values have overflowed there is nothing to compare.
template <class T>
bool is_same(const Kernel<T>& kernel, const Examples<T>& all, std::size_t i, std::size_t j, double stored, double fresh, double scale) {
  const KernelKind kind = kernel.parameters().kind;
  const bool by_distance = kind == KernelKind::rbf || kind == KernelKind::laplacian;
  const double norms = by_distance ? static_cast<double>(all.norms[i]) + static_cast<double>(all.norms[j]) : 0.0;
  const double digits = 16.0 * static_cast<double>(std::numeric_limits<T>::epsilon());
  return !(std::abs(stored - fresh) > loose<T> * std::max(1.0, scale) + digits * kernel.parameters().gamma * norms);
}

}  // namespace hinge
