#include "solvers/path_repair.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/exact_measures.hpp"
#include "solvers/tolerances.hpp"

namespace hinge {

namespace {

// Residuals above these multiples of the tolerance need a Newton step, and a new inverse as well.
constexpr double worth_correcting = 10.0;
constexpr double worth_rebuilding = 100.0;
constexpr std::size_t max_corrections = 6;
// A coefficient is at a bound if its distance, and that distance times sqrt(K_ii), are below this part of their largest values.
constexpr double rounding = 1e-10;

}  // namespace

void PathRepair::correct_residuals() {
  correct_sum();
  for (std::size_t attempt = 0; attempt < max_corrections; ++attempt) {
    if (model_.margin.empty() || is_accurate(attempt == 0 ? worth_correcting : worth_rebuilding)) return;
    if (attempt > 0) stepper_.rebuild_inverse();
    newton_step();
  }
}

// Without members of S, only a path that was abandoned can leave a wrong sum; another path changes it to A.
void PathRepair::correct_sum() {
  if (!model_.margin.empty() || !(std::abs(sum_error(model_)) > worth_rebuilding * sum_tolerance(model_))) return;
  const double wanted = model_.total;
  tracker_.redefine_total(model_.total - sum_error(model_));
  stepper_.change_total(wanted);
}

bool PathRepair::is_accurate(double multiple) const {
  return residual(model_) <= multiple * stepper_.tolerance() && std::abs(sum_error(model_)) <= multiple * sum_tolerance(model_);
}

void PathRepair::newton_step() {
  tracker_.update_others();
  std::vector<double> residuals{sum_error(model_)}, change;
  for (const std::size_t slot : model_.margin.members()) {
    tracker_.record(slot);
    residuals.push_back(model_.gradient(slot));
  }
  while (!model_.margin.empty() && !stepper_.stopped()) {
    change.resize(residuals.size());
    system_.solve(residuals, change);
    if (!all_finite(change)) {
      model_.stalled = true;
      break;
    }
    if (apply(residuals, change)) break;
  }
  tracker_.update_all();
}

bool PathRepair::apply(std::vector<double>& residuals, std::span<const double> change) {
  const auto [share, position] = first_block(change);
  model_.bias += share * change[0];
  for (std::size_t p = 0; p < model_.margin.size(); ++p)
    model_.expansion.set_alpha_in_box(model_.margin[p], model_.expansion.alpha[model_.margin[p]] + share * change[1 + p]);
  if (!(share < 1.0)) return true;
  for (double& residual : residuals) residual *= 1.0 - share;
  residuals[1 + position] = residuals.back();
  residuals.pop_back();
  stepper_.remove_member(model_.margin[position], change[1 + position] > 0.0 ? Status::at_upper : Status::at_lower);
  return false;
}

PathRepair::Block PathRepair::first_block(std::span<const double> change) const {
  Block block{1.0, 0};
  for (std::size_t p = 0; p < model_.margin.size(); ++p) {
    const std::size_t slot = model_.margin[p];
    const double room = change[1 + p] > 0.0 ? model_.expansion.up[slot] : model_.expansion.down[slot];
    if (std::abs(room) < block.share * std::abs(change[1 + p])) block = {room / change[1 + p], p};
  }
  return block;
}

void PathRepair::drop_members_at_bounds() {
  bool moved = false;
  for (const auto& [slot, bound] : members_at_bounds()) {
    moved = moved || model_.expansion.is_free(slot);
    stepper_.remove_member(slot, bound);
  }
  if (moved) tracker_.update_all();
}

std::vector<std::pair<std::size_t, Status>> PathRepair::members_at_bounds() const {
  const Expansion& expansion = model_.expansion;
  const auto length = [&](std::size_t slot) { return std::sqrt(std::abs(model_.diagonal[slot])); };
  double largest = 0.0, largest_effect = 0.0;
  for (std::size_t slot = 0; slot < expansion.size(); ++slot) {
    if (expansion.alpha[slot] == 0.0) continue;
    largest = std::max(largest, std::abs(expansion.alpha[slot]));
    largest_effect = std::max(largest_effect, std::abs(expansion.alpha[slot]) * length(slot));
  }
  const auto is_rounding = [&](double distance, std::size_t slot) {
    return distance <= rounding * largest && distance * length(slot) <= rounding * largest_effect;
  };
  std::vector<std::pair<std::size_t, Status>> found;
  for (const std::size_t slot : model_.margin.members()) {
    if (is_rounding(expansion.up[slot], slot))
      found.emplace_back(slot, Status::at_upper);
    else if (is_rounding(-expansion.down[slot], slot))
      found.emplace_back(slot, Status::at_lower);
  }
  return found;
}

}  // namespace hinge
