#include "solvers/path.hpp"

#include <algorithm>
#include <cmath>

namespace hinge {

namespace {

// After this many rounds of `finish`, its tolerance grows.
constexpr std::size_t rounds_before_relaxing = 3;

}  // namespace

Path::Path(ExactBinaryModel& model, KernelColumns& columns, Monitor* monitor)
    : model_(model),
      tracker_(model, columns),
      system_(model, columns),
      stepper_(model, columns, tracker_, system_, monitor),
      repair_(model, tracker_, system_, stepper_) {}

void Path::start() {
  if (tracker_.started()) return;
  tracker_.start();
  system_.find_condition();
  tracker_.watch_nearest({});
}

void Path::make_optimal(std::size_t slot) {
  if (model_.violation(slot) <= stepper_.tolerance()) return;
  start();
  tracker_.watch(slot);
  const bool rises = model_.gradient(slot) > 0.0;
  stepper_.run({slot, rises ? 1.0 : -1.0, rises ? model_.expansion.up[slot] : -model_.expansion.down[slot], true});
}

void Path::move_to_zero(std::size_t slot) {
  start();
  const double alpha = model_.expansion.alpha[slot];
  if (model_.status[slot] == Status::on_margin) stepper_.remove_member(slot, Status::absent);
  model_.status[slot] = Status::absent;
  tracker_.watch(slot);
  if (alpha != 0.0) stepper_.run({slot, alpha > 0.0 ? -1.0 : 1.0, std::abs(alpha), false});
}

void Path::change_total(double value) {
  start();
  stepper_.change_total(value);
}

void Path::start_margin(std::span<const std::size_t> free) {
  start();
  system_.assign(free);
  stepper_.rebuild_inverse();
  stepper_.reset_rebuilds();  // this one was not a repair
}

void Path::finish() {
  if (!tracker_.started()) return;
  for (std::size_t round = 0;; ++round) {
    tracker_.update_others();
    repair_.correct_residuals();
    repair_.drop_members_at_bounds();
    // Each repair may cause a violation somewhere else, and so on forever, so the tolerance grows until it covers the rounding errors.
    if (round > rounds_before_relaxing) stepper_.relax_tolerance();
    const std::vector<std::size_t> candidates = violators();
    if (candidates.empty() || stepper_.must_end()) return;
    tracker_.watch_nearest(candidates);
    for (const std::size_t slot : candidates) make_optimal(slot);
    stepper_.count_step();  // so that the step limit ends this loop as well
  }
}

// The largest violation comes first.
std::vector<std::size_t> Path::violators() const {
  std::vector<std::size_t> found;
  for (std::size_t slot = 0; slot < model_.status.size(); ++slot)
    if (model_.violation(slot) > stepper_.tolerance()) found.push_back(slot);
  std::sort(found.begin(), found.end(), [&](std::size_t i, std::size_t j) { return model_.violation(i) > model_.violation(j); });
  return found;
}

}  // namespace hinge
