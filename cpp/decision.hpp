// Sums of kernel values: decision functions and gradients, a tile at a time, so that no large matrix is ever held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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
inline constexpr std::size_t largest_block = 256;

// How many rows to multiply with so many stored examples at a time.
template <class T>
std::size_t block_rows(std::size_t stored);

// The number of threads that pays off to multiply rows with stored examples, each of which takes `row_cost` multiplications.
std::size_t threads_for(std::size_t rows, std::size_t stored, std::size_t row_cost, std::size_t most);

// Calls body(number of the first row, numbers of all rows) for each block of `size` rows, over threads.
void for_blocks(std::size_t rows, std::size_t size, std::size_t threads,
                const std::function<void(std::size_t, std::span<const std::int64_t>)>& body);

}  // namespace hinge
