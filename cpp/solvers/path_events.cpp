#include "solvers/path_events.hpp"

#include <algorithm>
#include <cmath>

namespace hinge {

namespace {

// Rates below this part of the sum they result from are rounding errors.
constexpr double negligible_rate = 1e-13;
// Distances that differ by less are equal: the event found first happens, whatever the rounding.
constexpr double clearly_nearer = 1.0 - 1e-12;

double min_gradient_rate(const ExactBinaryModel& model, std::span<const double> direction) {
  double sum = std::abs(direction[0]);
  for (std::size_t p = 1; p < direction.size(); ++p) sum += std::abs(direction[p] * model.diagonal[model.margin[p - 1]]);
  return negligible_rate * sum;
}

Event candidate_event(const ExactBinaryModel& model, const Perturbation& perturbation, const StepRates& rates, const Event& latest) {
  if (!perturbation.until_optimal) return latest;
  const std::size_t slot = *perturbation.candidate;
  const auto at = std::find(rates.watched.begin(), rates.watched.end(), slot) - rates.watched.begin();
  const double speed = -perturbation.sign * rates.gradients[static_cast<std::size_t>(at)];
  if (speed <= min_gradient_rate(model, rates.direction)) return latest;
  const double distance = perturbation.sign * model.gradient(slot) / speed;
  return distance < latest.distance ? Event{EventKind::candidate_optimal, distance, slot} : latest;
}

Event first_to_join(const ExactBinaryModel& model, const Perturbation& perturbation, const StepRates& rates, double tolerance, Event event) {
  const double min_speed = min_gradient_rate(model, rates.direction);
  for (std::size_t w = 0; w < rates.watched.size(); ++w) {
    const std::size_t slot = rates.watched[w];
    if (slot == perturbation.candidate || !model.at_bound(slot)) continue;
    const double speed = model.status[slot] == Status::at_lower ? rates.gradients[w] : -rates.gradients[w];
    const double slack = -model.violation(slot);
    if (speed <= min_speed || slack < -tolerance) continue;  // it moves away from zero, or is a violator that becomes a candidate later
    if (slack < clearly_nearer * event.distance * speed) event = {EventKind::example_joins, slack / speed, slot};
  }
  return event;
}

}  // namespace

Event first_to_leave(const ExactBinaryModel& model, std::span<const double> direction, const Event& latest) {
  const Expansion& expansion = model.expansion;
  double largest = 0.0;
  for (std::size_t p = 1; p < direction.size(); ++p) largest = std::max(largest, std::abs(direction[p]));
  Event event = latest;
  for (std::size_t p = 0; p < model.margin.size(); ++p) {
    const std::size_t slot = model.margin[p];
    const double rate = direction[1 + p];
    if (std::abs(rate) <= negligible_rate * largest) continue;
    const double distance = (rate > 0.0 ? expansion.up[slot] : expansion.down[slot]) / rate;
    if (distance < clearly_nearer * event.distance) event = {EventKind::member_leaves, distance, slot};
  }
  return event;
}

Event next_event(const ExactBinaryModel& model, const Perturbation& perturbation, const StepRates& rates, double tolerance) {
  Event event{EventKind::completed, perturbation.remaining, 0};
  event = candidate_event(model, perturbation, rates, event);
  event = first_to_leave(model, rates.direction, event);
  event = first_to_join(model, perturbation, rates, tolerance, event);
  event.distance = std::max(event.distance, 0.0);
  return event;
}

}  // namespace hinge
