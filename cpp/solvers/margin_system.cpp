#include "solvers/margin_system.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/tolerances.hpp"

namespace hinge {

namespace {

constexpr std::size_t max_refinements = 3;
// A correction below this part of the solution changes rounding errors only.
constexpr double refined = 1e-10;
// If the last correction is above this part of the solution, refinement does not converge.
constexpr double diverged = 1e-6;
// A kappa below this part of the terms that cancelled in it is a rounding error.
constexpr double min_kappa_share = 1e-11;

}  // namespace

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

// 1 / Q_pp is the kappa of member p with respect to the others.
void MarginSystem::find_condition() {
  const MarginSet& margin = model_.margin;
  for (std::size_t p = 0; p < margin.size() && margin.size() > 1; ++p)
    ill_conditioned_ = ill_conditioned_ || 1.0 < margin.inverse.diagonal(1 + p) * min_well_conditioned_kappa(model_, margin[p]);
}

void MarginSystem::solve(std::span<const double> side, std::span<double> result) {
  model_.margin.inverse.multiply(side, result);
  if (!ill_conditioned_) return;
  std::vector<double> error(side.size()), correction(side.size());
  for (std::size_t round = 0; round < max_refinements; ++round) {
    find_error(side, result, error);
    model_.margin.inverse.multiply(error, correction);
    double size = 0.0, change = 0.0;
    for (std::size_t p = 0; p < side.size(); ++p) {
      result[p] += correction[p];
      size = std::max(size, std::abs(result[p]));
      change = std::max(change, std::abs(correction[p]));
    }
    if (change <= refined * size) return;
    has_failed_ = round + 1 == max_refinements && change > diverged * size;
  }
}

void MarginSystem::find_error(std::span<const double> side, std::span<const double> result, std::span<double> error) {
  weights_.assign(columns_.width(), 0.0);
  error[0] = side[0];
  for (std::size_t p = 1; p < side.size(); ++p) {
    weights_[columns_.position(model_.margin[p - 1])] = result[p];
    error[0] -= result[p];
    error[p] = result[0];
  }
  columns_.add_products(weights_, model_.margin.members(), error.data() + 1);
  for (std::size_t p = 1; p < side.size(); ++p) error[p] = side[p] - error[p];
}

MarginSystem::Joining MarginSystem::joining(std::size_t slot) {
  Joining found = solve_joining(slot);
  if (ill_conditioned_ || found.kappa >= min_well_conditioned_kappa(model_, slot)) return found;
  ill_conditioned_ = true;
  return solve_joining(slot);  // with refinement
}

MarginSystem::Joining MarginSystem::solve_joining(std::size_t slot) {
  const std::size_t size = model_.margin.inverse.size();
  std::vector<double> side(size);
  side[0] = -1.0;
  for (std::size_t p = 0; p + 1 < size; ++p) side[1 + p] = -columns_.value(slot, model_.margin[p]);
  Joining found{std::vector<double>(size), model_.diagonal[slot]};
  solve(side, found.direction);
  double magnitudes = 0.0;
  for (std::size_t p = 0; p < size; ++p) {
    found.kappa -= side[p] * found.direction[p];
    magnitudes += std::abs(side[p] * found.direction[p]);
  }
  if (!(found.kappa > min_kappa_share * magnitudes)) found.kappa = 0.0;
  return found;
}

bool MarginSystem::is_independent(std::size_t slot, const Joining& joining) const {
  return joining.kappa > min_independent_kappa(model_, slot);
}

void MarginSystem::add_first(std::size_t slot) {
  model_.margin.inverse.start(model_.diagonal[slot]);
  model_.enter_margin(slot);
  columns_.pin(slot);
}

void MarginSystem::add(std::size_t slot, const Joining& joining) {
  model_.margin.inverse.add(joining.direction, joining.kappa);
  model_.enter_margin(slot);
  columns_.pin(slot);
}

void MarginSystem::remove(std::size_t slot, Status to, std::span<const double> column) {
  model_.margin.inverse.remove(1 + model_.margin.position(slot), column);
  model_.leave_margin(slot, to);
  columns_.unpin(slot);
}

void MarginSystem::assign(std::span<const std::size_t> slots) {
  for (const std::size_t slot : slots) {
    model_.enter_margin(slot);
    columns_.pin(slot);
  }
}

void MarginSystem::clear() {
  const std::vector<std::size_t> members = model_.margin.members();
  for (const std::size_t slot : members) {
    columns_.unpin(slot);
    model_.leave_margin(slot, model_.nearest_bound(slot));
  }
  model_.margin.inverse.clear();
}

bool MarginSystem::invert() {
  MarginSet& margin = model_.margin;
  const std::size_t size = margin.size() + 1;
  std::vector<double> matrix(size * size, 1.0);
  matrix[0] = 0.0;
  for (std::size_t p = 1; p < size; ++p)
    for (std::size_t q = 1; q <= p; ++q) matrix[p * size + q] = matrix[q * size + p] = columns_.value(margin[p - 1], margin[q - 1]);
  if (!margin.inverse.rebuild(std::move(matrix), size)) return false;
  for (std::size_t p = 1; p < size; ++p) {
    const double kappa = 1.0 / margin.inverse.diagonal(p);
    if (size > 2 && !(kappa > min_independent_kappa(model_, margin[p - 1]))) return false;
  }
  return true;
}

}  // namespace hinge
