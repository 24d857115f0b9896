#include "solvers/candidate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/exact_measures.hpp"
#include "solvers/leave_out_bound.hpp"
#include "solvers/path.hpp"
#include "solvers/tolerances.hpp"

namespace hinge {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

Spread::Spread(const KernelParameters& kernel)
    : bounded_(kernel.kind == KernelKind::linear || kernel.kind == KernelKind::rbf || kernel.kind == KernelKind::laplacian ||
               (kernel.kind == KernelKind::poly && kernel.coef0 >= 0.0)),
      never_negative_(kernel.kind == KernelKind::rbf || kernel.kind == KernelKind::laplacian) {}

double Spread::squared_distance(double diagonal, double largest) const {
  if (!bounded_) return infinity;
  if (never_negative_) return diagonal + largest;
  const double length = std::sqrt(diagonal) + std::sqrt(largest);
  return length * length;
}

CandidateBinary::CandidateBinary(const ExactBinaryModel& model, const Kernel<double>* kernel, const Points<double>* points, const ExactOptions& options)
    : model_(model), columns_(kernel, points), spread_(kernel->parameters()), tolerance_(gradient_tolerance(model)), has_free_(free_count(model) != 0) {
  columns_.set_limits(options.cache_bytes, options.threads);
  for (std::size_t slot = 0; slot < points->size(); ++slot) columns_.append_row({});
  columns_.compute_missing(model_.margin.members());
  for (const std::size_t slot : model_.margin.members()) columns_.pin(slot);
  measure(model_, alone_);
  differences_.resize(model_.expansion.size());
}

void CandidateBinary::admit(std::span<const double> values, double self) {
  candidate_values_ = values;
  std::vector<double> known;
  for (const std::size_t slot : columns_.slots()) known.push_back(values[slot]);
  columns_.append_row(known);
  double sum = 0.0;
  for (std::size_t slot = 0; slot < values.size(); ++slot) sum += values[slot] * model_.expansion.alpha[slot];
  model_.append_absent(self);
  model_.expansion.gradient[candidate()] = -sum;  // `sum_when_removed` computes the sum from it
  decision_ = sum + answer_bias(model_);
}

void CandidateBinary::dismiss(const Moves& moves) {
  for (Side& side : sides_) {
    if (side.model)
      for (const std::size_t slot : side.model->margin.members()) columns_.unpin(slot);
    side.model.reset();
    side.target = 0.0;
  }
  columns_.drop_column(candidate());
  columns_.follow(moves);
  model_.follow(moves);
}

// Its condition holds where it is, and it does not limit the bias.
bool CandidateBinary::is_changed_by(const Side& side, double decision) const { return 1.0 - side.target * decision > tolerance_; }

ExactBinaryModel CandidateBinary::with_candidate(const Side& side) const {
  ExactBinaryModel model = model_;
  model.insert(candidate(), side.target, side.cost, model.sum_when_removed(candidate()));
  return model;
}

CandidateBinary::Side& CandidateBinary::side(double target, double cost, Monitor& monitor) {
  Side& side = sides_[target > 0.0];
  if (side.target == target && side.cost == cost) return side;
  if (side.model)
    for (const std::size_t slot : side.model->margin.members()) columns_.unpin(slot);
  side.model.reset();
  side.target = target;
  side.cost = cost;
  if (has_free_ && !is_changed_by(side, decision_)) {
    side.values = alone_.values;
    side.reach = alone_.reach;
    side.looked_at = alone_.looked_at;
  } else {
    learn(side, monitor);
  }
  // Other kernels know no bounds in either direction.
  for (std::size_t slot = 0; slot < candidate() && !spread_.is_bounded() && !monitor.stopped(); ++slot)
    if (side.reach[slot] != 0.0) find_value(side, slot, monitor);
  return side;
}

void CandidateBinary::learn(Side& side, Monitor& monitor) {
  side.model = with_candidate(side);
  for (const std::size_t slot : side.model->margin.members()) columns_.pin(slot);
  Path path(*side.model, columns_, &monitor);
  path.make_optimal(candidate());
  path.finish();
  measure(*side.model, side);
}

void CandidateBinary::measure(const ExactBinaryModel& model, Side& side) const {
  const Expansion& expansion = model.expansion;
  const double bias = answer_bias(model);
  std::array<double, 2> room{};  // of all free coefficients, downwards and upwards
  bool has_free = false;
  for (std::size_t slot = 0; slot < expansion.size(); ++slot) {
    if (!expansion.is_free(slot)) continue;
    has_free = true;
    room[0] -= expansion.down[slot];
    room[1] += expansion.up[slot];
  }
  side.values.resize(expansion.size());
  side.reach.resize(expansion.size());
  side.looked_at.assign(expansion.size(), 0);
  for (std::size_t slot = 0; slot < expansion.size(); ++slot) {
    side.values[slot] = expansion.label[slot] - expansion.gradient[slot] + bias;
    side.reach[slot] = reach(model, slot, room, has_free);
  }
}

// Without free coefficients, an example may limit the bias without having a coefficient itself.
double CandidateBinary::reach(const ExactBinaryModel& model, std::size_t slot, std::array<double, 2> room, bool has_free) const {
  const Expansion& expansion = model.expansion;
  const double alpha = expansion.alpha[slot];
  if (alpha == 0.0) return has_free ? 0.0 : infinity;
  const double own = expansion.is_free(slot) ? (alpha > 0.0 ? expansion.up[slot] : -expansion.down[slot]) : 0.0;
  if (!(room[alpha > 0.0] - own > std::abs(alpha) * (1.0 + 1e-9))) return infinity;
  return std::abs(alpha) * spread_.squared_distance(model.diagonal[slot], model.largest_diagonal());
}

template <class Look>
void CandidateBinary::leave_out(const ExactBinaryModel& model, std::size_t slot, Monitor& monitor, Look look) {
  ExactBinaryModel changed = model;
  for (const std::size_t member : changed.margin.members()) columns_.pin(member);
  Path path(changed, columns_, &monitor);
  path.move_to_zero(slot);
  path.finish();
  const double sum = changed.expansion.label[slot] - changed.expansion.gradient[slot];
  changed.remove(slot);
  const double bias = answer_bias(changed);
  look(changed, sum + bias, bias);
  for (const std::size_t member : changed.margin.members()) columns_.unpin(member);
}

const CandidateBinary::Difference& CandidateBinary::without(std::size_t slot, Monitor& monitor) {
  std::optional<Difference>& known = differences_[slot];
  if (known) return *known;
  leave_out(model_, slot, monitor, [&](const ExactBinaryModel& changed, double value, double bias) {
    known = Difference{value, bias - answer_bias(model_), {}, free_count(changed) != 0};
    for (std::size_t other = 0; other < differences_.size(); ++other) {
      const double change = changed.expansion.alpha[other] - model_.expansion.alpha[other];
      if (change != 0.0) known->alpha.emplace_back(other, change);
    }
  });
  return *known;
}

void CandidateBinary::narrow(Side& side, std::size_t slot, Monitor& monitor) {
  if (side.looked_at[slot]) return find_value(side, slot, monitor);
  // What is found without the candidate holds for the next candidates as well.
  Side& known = side.model ? side : alone_;
  if (!known.looked_at[slot]) {
    known.looked_at[slot] = 1;
    known.reach[slot] = std::min(known.reach[slot], leave_out_bound(side.model ? *side.model : model_, columns_, slot));
  }
  side.looked_at[slot] = 1;
  side.reach[slot] = known.reach[slot];
}

// A candidate that changes nothing may still do so once the example is gone.
void CandidateBinary::find_value(Side& side, std::size_t slot, Monitor& monitor) {
  const auto take = [&](double value) {
    side.values[slot] = value;
    side.reach[slot] = 0.0;
  };
  if (!side.model) {
    const Difference& difference = without(slot, monitor);
    double decision = decision_ + difference.bias;
    for (const auto& [other, change] : difference.alpha) decision += change * candidate_values_[other];
    if (difference.has_free && !is_changed_by(side, decision)) return take(difference.value);
  }
  const auto look = [&](const ExactBinaryModel&, double value, double) { take(value); };
  if (side.model) return leave_out(*side.model, slot, monitor, look);
  leave_out(with_candidate(side), slot, monitor, look);
}

}  // namespace hinge
