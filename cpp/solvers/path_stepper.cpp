#include "solvers/path_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/tolerances.hpp"

namespace hinge {

namespace {

// A path may take this many steps, and this many more per example.
constexpr std::size_t step_limit = 5'000;
constexpr std::size_t step_limit_per_example = 20;
constexpr double max_relaxation = 1e3;
// A perturbation that changes a gradient by more than this part of the gradient scale is long.
constexpr double long_change = 0.3;

}  // namespace

PathStepper::PathStepper(ExactBinaryModel& model, KernelColumns& columns, GradientTracker& tracker, MarginSystem& system,
                         Monitor* monitor)
    : model_(model), columns_(columns), tracker_(tracker), system_(system), monitor_(monitor), cycle_breaker_(model), tolerance_(gradient_tolerance(model)) {}

void PathStepper::relax_tolerance() { tolerance_ = std::min(2.0 * tolerance_, max_relaxation * gradient_tolerance(model_)); }

bool PathStepper::must_end() {
  if (stopped()) return true;
  const bool exceeded = steps_ > step_limit + step_limit_per_example * model_.held();
  model_.stalled = model_.stalled || exceeded;
  return exceeded;
}

void PathStepper::change_total(double value) {
  const double change = value - model_.total;
  if (change != 0.0) run({std::nullopt, change > 0.0 ? 1.0 : -1.0, std::abs(change), false});
  tracker_.update_others();
  model_.set_total(value);
  tracker_.redefine_total(value);  // the path may have missed it by rounding
}

void PathStepper::remove_member(std::size_t slot, Status to) {
  direction_.clear();
  leave(slot, to);
}

void PathStepper::run(Perturbation perturbation) {
  begin(perturbation);
  while (perturbation.remaining > 0.0 && !must_end()) {
    ++steps_;
    if (model_.margin.empty()) {
      if (!move_bias(perturbation)) break;
      find_direction(perturbation);
    } else if (all_finite(direction_)) {
      take_step(perturbation);
    } else if (!recover_direction(perturbation)) {
      break;
    }
  }
  end(perturbation);
}

void PathStepper::begin(const Perturbation& perturbation) {
  if (perturbation.candidate) {
    const std::size_t slot = *perturbation.candidate;
    columns_.compute_missing({&slot, 1});
    tracker_.record(slot);
  }
  for (const std::size_t slot : model_.margin.members()) tracker_.record(slot);
  find_direction(perturbation);
  if (is_long(perturbation)) watch_ahead(perturbation);
}

// The candidate stays at a bound, is absent, or has become a member of S.
void PathStepper::end(const Perturbation& perturbation) {
  if (!perturbation.candidate) return;
  const std::size_t slot = *perturbation.candidate;
  if (model_.status[slot] == Status::absent) model_.expansion.set_alpha(slot, 0.0);
  if (!model_.at_bound(slot)) return;
  model_.status[slot] = model_.nearest_bound(slot);
  if (model_.expansion.is_free(slot)) enter(slot);  // its gradient became zero while S was empty
}

void PathStepper::take_step(Perturbation& perturbation) {
  if (system_.has_failed()) {
    rebuild_inverse();
    system_.reset_failure();
    find_direction(perturbation);
    if (model_.margin.empty()) return;
  }
  find_rates(perturbation, tracker_.watched(), rates_);
  const Event event = next_event(model_, perturbation, {direction_, tracker_.watched(), rates_}, tolerance_);
  if (cycle_breaker_.suspects_cycle(event.distance, perturbation.remaining)) cycle_breaker_.spread_gradients(tracker_.watched());
  advance(perturbation, event.distance);
  handle(event, perturbation);
  if (system_.is_ill_conditioned() && perturbation.remaining > 0.0) find_direction(perturbation);
}

void PathStepper::handle(const Event& event, Perturbation& perturbation) {
  switch (event.kind) {
    case EventKind::completed:
      perturbation.remaining = 0.0;
      if (perturbation.until_optimal)
        model_.move_to_bound(*perturbation.candidate, perturbation.sign > 0.0 ? Status::at_upper : Status::at_lower);
      break;
    case EventKind::candidate_optimal:
      enter(*perturbation.candidate);
      perturbation.remaining = 0.0;
      break;
    case EventKind::member_leaves:
      leave(event.slot, bound_ahead(event.slot));
      // It joined in vain: keep it from joining again at once.
      if (event.slot == last_joined_ && cycle_breaker_.is_idle()) cycle_breaker_.nudge(event.slot);
      break;
    case EventKind::example_joins:
      join(perturbation, event.slot);
      last_joined_ = event.slot;
      break;
  }
}

void PathStepper::find_direction(const Perturbation& perturbation) {
  const std::size_t size = model_.margin.inverse.size();
  direction_.resize(size);
  if (size == 0) return;
  std::vector<double> side(size);
  side[0] = perturbation.candidate ? -perturbation.sign : perturbation.sign;
  for (std::size_t p = 0; p + 1 < size; ++p) {
    const std::size_t slot = model_.margin[p];
    side[1 + p] = side[0] * (perturbation.candidate ? columns_.value(*perturbation.candidate, slot) : model_.target_rate(slot));
  }
  system_.solve(side, direction_);
}

// With a kernel that is not positive semi-definite, even a new inverse may yield no direction; the model has stalled then.
bool PathStepper::recover_direction(const Perturbation& perturbation) {
  rebuild_inverse();
  find_direction(perturbation);
  const bool recovered = all_finite(direction_);
  model_.stalled = model_.stalled || !recovered;
  return recovered;
}

void PathStepper::find_rates(const Perturbation& perturbation, std::span<const std::size_t> slots, std::vector<double>& rates) {
  weights_.assign(columns_.width(), 0.0);
  for (std::size_t p = 0; p < model_.margin.size(); ++p) weights_[columns_.position(model_.margin[p])] = direction_[1 + p];
  if (perturbation.candidate) weights_[columns_.position(*perturbation.candidate)] += perturbation.sign;
  rates.assign(slots.size(), direction_[0]);
  columns_.add_products(weights_, slots, rates.data());
  for (std::size_t i = 0; i < slots.size(); ++i)
    rates[i] = (perturbation.candidate ? 0.0 : perturbation.sign * model_.target_rate(slots[i])) - rates[i];
}

void PathStepper::advance(Perturbation& perturbation, double distance) {
  const Expansion& expansion = model_.expansion;
  for (std::size_t p = 0; p < model_.margin.size(); ++p) {
    const std::size_t slot = model_.margin[p];
    model_.expansion.set_alpha_in_box(slot, expansion.alpha[slot] + distance * direction_[1 + p]);
  }
  if (perturbation.candidate) {
    model_.expansion.set_alpha_in_box(*perturbation.candidate, expansion.alpha[*perturbation.candidate] + distance * perturbation.sign);
  } else {
    model_.total += distance * perturbation.sign;
  }
  tracker_.advance(distance, rates_, direction_[0]);
  model_.bias += distance * direction_[0];
  perturbation.remaining -= distance;
}

// Adds a multiple of the joining direction to the present one, such that the gradient of the new member stays zero.
void PathStepper::join(const Perturbation& perturbation, std::size_t slot) {
  const auto watched = tracker_.watched();
  const double rate = rates_[static_cast<std::size_t>(std::find(watched.begin(), watched.end(), slot) - watched.begin())];
  tracker_.fetch_column(slot);
  tracker_.record(slot);
  MarginSystem::Joining joining = system_.joining(slot);
  if (system_.is_independent(slot, joining)) {
    system_.add(slot, joining);
    joining.direction.push_back(1.0);
    direction_.push_back(0.0);
    for (std::size_t i = 0; i < direction_.size(); ++i) direction_[i] += rate / joining.kappa * joining.direction[i];
  } else {
    exchange(slot, joining);
    find_direction(perturbation);
  }
}

void PathStepper::enter(std::size_t slot) {
  if (model_.margin.empty()) return system_.add_first(slot);
  const MarginSystem::Joining joining = system_.joining(slot);
  if (!system_.is_independent(slot, joining)) return exchange(slot, joining);
  system_.add(slot, joining);
}

// Moves an example that depends linearly on S until it can replace a member, or until it reaches its other bound.
void PathStepper::exchange(std::size_t slot, const MarginSystem::Joining& joining) {
  if (!all_finite(joining.direction)) {
    model_.stalled = true;
    return;
  }
  const double sign = model_.status[slot] == Status::at_upper ? -1.0 : 1.0;
  const Expansion& expansion = model_.expansion;
  Perturbation perturbation{slot, sign, sign > 0.0 ? expansion.up[slot] : -expansion.down[slot], false};
  direction_ = joining.direction;
  for (double& rate : direction_) rate *= sign;
  find_rates(perturbation, tracker_.watched(), rates_);
  const Event event = first_to_leave(model_, direction_, {EventKind::completed, perturbation.remaining, slot});
  advance(perturbation, std::max(event.distance, 0.0));
  model_.status[slot] = model_.nearest_bound(slot);
  if (event.kind == EventKind::completed) return;
  leave(event.slot, bound_ahead(event.slot));
  enter(slot);
}

void PathStepper::leave(std::size_t slot, Status to) {
  const std::size_t index = 1 + model_.margin.position(slot);
  std::vector<double> column(model_.margin.inverse.size());
  model_.margin.inverse.column(index, column);
  if (column.size() == 2) direction_.clear();  // S becomes empty
  if (!direction_.empty()) {
    const double share = direction_[index] / column[index];
    for (std::size_t i = 0; i < direction_.size(); ++i) direction_[i] -= share * column[i];
    direction_[index] = direction_.back();
    direction_.pop_back();
  }
  tracker_.record(slot);
  tracker_.watch(slot);
  system_.remove(slot, to, column);
  if (to != Status::absent) model_.move_to_bound(slot, to);
}

Status PathStepper::bound_ahead(std::size_t slot) const {
  return direction_[1 + model_.margin.position(slot)] > 0.0 ? Status::at_upper : Status::at_lower;
}

// Returns false if nothing more can move: no example can compensate, or the gradient of the candidate is zero.
bool PathStepper::move_bias(const Perturbation& perturbation) {
  tracker_.update_others();
  const auto [distance, nearest] = nearest_compensating(perturbation);
  if (perturbation.until_optimal) {
    const double slack = perturbation.sign * model_.gradient(*perturbation.candidate);
    if (slack <= distance) {
      model_.bias += perturbation.sign * std::max(slack, 0.0);
      return false;
    }
  }
  if (!nearest) return false;
  model_.bias -= (perturbation.candidate ? -perturbation.sign : perturbation.sign) * distance;
  tracker_.fetch_column(*nearest);
  tracker_.record(*nearest);
  enter(*nearest);
  return true;
}

// The sum of all coefficients is A: if alpha_c rises, another one has to fall; if A rises, one has to rise.
std::pair<double, std::optional<std::size_t>> PathStepper::nearest_compensating(const Perturbation& perturbation) const {
  const double sign = perturbation.candidate ? -perturbation.sign : perturbation.sign;
  const Status from = sign > 0.0 ? Status::at_lower : Status::at_upper;
  std::pair<double, std::optional<std::size_t>> nearest{std::numeric_limits<double>::infinity(), std::nullopt};
  for (std::size_t slot = 0; slot < model_.status.size(); ++slot) {
    if (model_.status[slot] != from || slot == perturbation.candidate) continue;
    const double distance = std::max(-sign * model_.gradient(slot), 0.0);
    if (distance < nearest.first) nearest = {distance, slot};
  }
  return nearest;
}

bool PathStepper::is_long(const Perturbation& perturbation) const {
  if (!perturbation.candidate || model_.margin.empty() || model_.held() <= GradientTracker::min_watched) return false;
  const std::size_t slot = *perturbation.candidate;
  const double change = std::abs(perturbation.until_optimal ? model_.gradient(slot) : perturbation.remaining * model_.diagonal[slot]);
  return tracker_.all_current() && change > long_change * gradient_scale(model_);
}

void PathStepper::watch_ahead(const Perturbation& perturbation) {
  std::vector<std::size_t> slots;
  for (std::size_t slot = 0; slot < model_.status.size(); ++slot)
    if (model_.at_bound(slot)) slots.push_back(slot);
  find_rates(perturbation, slots, rates_);
  tracker_.watch_soonest(slots, rates_);
}

void PathStepper::rebuild_inverse() {
  ++rebuilds_;
  if (model_.margin.empty() || system_.invert()) return;
  const std::vector<std::size_t> members = model_.margin.members();
  for (const std::size_t slot : members) tracker_.record(slot);
  system_.clear();
  for (const std::size_t slot : members) enter(slot);
}

}  // namespace hinge
