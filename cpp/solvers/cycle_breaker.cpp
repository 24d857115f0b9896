#include "solvers/cycle_breaker.hpp"

#include <cmath>

#include "solvers/tolerances.hpp"

namespace hinge {

namespace {

constexpr std::size_t max_idle_steps = 20;
// Steps below this part of the remaining distance have length zero.
constexpr double zero_length = 1e-13;
// Gradients are moved by one to two times this part of the gradient scale.
constexpr double nudge_size = 2e-11;

}  // namespace

bool CycleBreaker::suspects_cycle(double distance, double remaining) {
  idle_steps_ = distance > zero_length * remaining ? 0 : idle_steps_ + 1;
  if (idle_steps_ <= max_idle_steps) return false;
  idle_steps_ = 0;
  return true;
}

void CycleBreaker::spread_gradients(std::span<const std::size_t> slots) {
  const double limit = nudge_size * gradient_scale(model_);
  for (const std::size_t slot : slots)
    if (model_.at_bound(slot) && std::abs(model_.gradient(slot)) <= limit) nudge(slot);
}

// Moves in the direction that the optimality condition allows.
void CycleBreaker::nudge(std::size_t slot) {
  random_state_ = random_state_ * 6364136223846793005u + 1442695040888963407u;
  const double amount = nudge_size * gradient_scale(model_) * (1.0 + static_cast<double>(random_state_ >> 32) / 4294967296.0);
  model_.expansion.gradient[slot] += model_.status[slot] == Status::at_lower ? -amount : amount;
}

}  // namespace hinge
