// Sums of kernel values: decision functions and gradients, a tile at a time, so that no large matrix is ever held.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels.hpp"

namespace hinge {

// sums[r * binaries + m] += sum_j weights[m * right.count + j] k(left r, right j), for all rows of one block.
template <class T>
void add_block_decisions(const Kernel<T>& kernel, const Block<T>& left, const Examples<T>& right,
                         std::span<const double> weights, std::size_t binaries, double* sums);

// The same for stored examples on the left, in blocks over threads.
template <class T>
void add_decisions(const Kernel<T>& kernel, const Examples<T>& left, const Examples<T>& right,
                   std::span<const double> weights, std::size_t binaries, std::size_t threads, std::span<double> sums);

inline constexpr std::size_t decision_block = 256;

}  // namespace hinge
