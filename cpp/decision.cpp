#include "decision.hpp"

#include <algorithm>

#include "loops.hpp"
#include "parallel.hpp"

namespace hinge {

namespace {

constexpr std::size_t usual_tile = 512;

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

#define HINGE_INSTANTIATE(T)                                                                                          \
  template void add_block_decisions<T>(const Kernel<T>&, const Block<T>&, const Examples<T>&, std::span<const double>, \
                                       std::size_t, double*);                                                         \
  template void add_decisions<T>(const Kernel<T>&, const Examples<T>&, const Examples<T>&, std::span<const double>,    \
                                 std::size_t, std::size_t, std::span<double>);
HINGE_INSTANTIATE(float)
HINGE_INSTANTIATE(double)

}  // namespace hinge
