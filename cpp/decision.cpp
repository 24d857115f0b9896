#include "decision.hpp"

#include <algorithm>
#include <numeric>

#include "loops.hpp"
#include "parallel.hpp"

namespace hinge {

namespace {

constexpr std::size_t usual_tile = 512;
// The panel of a block should leave room for the points in the outer caches.
constexpr std::size_t largest_panel = 12'000'000;
// Below about this many multiplications a thread costs more than it brings.
constexpr std::size_t min_multiplications_for_threads = 4'000'000;

}  // namespace

template <class T>
void add_block_decisions(const Kernel<T>& kernel, const Block<T>& left, const Examples<T>& right,
                         std::span<const double> weights, std::size_t binaries, double* sums) {
  const std::size_t tile = right.columns ? right.count : usual_tile;
  std::vector<T> values(left.count() * tile);
  for (std::size_t first = 0; first < right.count; first += tile) {
    const std::size_t length = std::min(tile, right.count - first);
    kernel.fill(left, right.columns ? right : right.range(first, length), values.data(), length);
    for (std::size_t r = 0; r < left.count(); ++r)
      for (std::size_t m = 0; m < binaries; ++m)
        sums[r * binaries + m] +=
            loops<T>().dot(values.data() + r * length, weights.data() + m * right.count + first, length);
  }
}

template <class T>
void add_decisions(const Kernel<T>& kernel, const Examples<T>& left, const Examples<T>& right,
                   std::span<const double> weights, std::size_t binaries, std::size_t threads, std::span<double> sums) {
  const std::size_t tasks = (left.count + decision_block - 1) / decision_block;
  parallel_for(threads, tasks, [&](std::size_t task) {
    const std::size_t first = task * decision_block, count = std::min(decision_block, left.count - first);
    Block<T> block;
    block.look_at(left.range(first, count));
    add_block_decisions(kernel, block, right, weights, binaries, sums.data() + first * binaries);
  });
}

template <class T>
std::size_t block_rows(std::size_t stored) {
  const std::size_t panel = largest_panel / (sizeof(T) * (stored + 1));
  return std::clamp(panel / lane_padding * lane_padding, 2 * lane_padding, largest_block);
}

std::size_t threads_for(std::size_t rows, std::size_t stored, std::size_t row_cost, std::size_t most) {
  return rows * stored * (row_cost + 8) < min_multiplications_for_threads ? 1 : most;
}

void for_blocks(std::size_t rows, std::size_t size, std::size_t threads,
                const std::function<void(std::size_t, std::span<const std::int64_t>)>& body) {
  parallel_for(threads, (rows + size - 1) / size, [&](std::size_t block) {
    const std::size_t first = block * size;
    std::vector<std::int64_t> numbers(std::min(size, rows - first));
    std::iota(numbers.begin(), numbers.end(), static_cast<std::int64_t>(first));
    body(first, numbers);
  });
}

#define HINGE_INSTANTIATE(T)                                                                                          \
  template std::size_t block_rows<T>(std::size_t);                                                                    \
  template void add_block_decisions<T>(const Kernel<T>&, const Block<T>&, const Examples<T>&, std::span<const double>, \
                                       std::size_t, double*);                                                         \
  template void add_decisions<T>(const Kernel<T>&, const Examples<T>&, const Examples<T>&, std::span<const double>,    \
                                 std::size_t, std::size_t, std::span<double>);
HINGE_INSTANTIATE(float)
HINGE_INSTANTIATE(double)

}  // namespace hinge
