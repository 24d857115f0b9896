// Numerical repair, second part: where many gradients are zero at once, examples may join and leave the margin set in a cycle of steps of
// length zero. The gradients of those at a bound are then moved away from zero, each by a different amount far below any visible error, so
// that the examples join one after the other. A solution that is found this way is optimal within the same amount.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "solvers/exact_binary_model.hpp"

namespace hinge {

class CycleBreaker {
 public:
  explicit CycleBreaker(ExactBinaryModel& model) : model_(model) {}

  // Counts a step; returns true after many steps of length zero in a row, and starts counting again.
  bool suspects_cycle(double distance, double remaining);
  // Whether the last step had length zero.
  bool is_idle() const { return idle_steps_ != 0; }
  void spread_gradients(std::span<const std::size_t> slots);
  void nudge(std::size_t slot);

 private:
  ExactBinaryModel& model_;
  std::size_t idle_steps_ = 0;
  std::uint64_t random_state_ = 1;
};

}  // namespace hinge
