#include "solvers/exact_binary_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace hinge {

namespace {

// When the largest kernel value shrinks by this factor, earlier rounding errors may no longer be negligible.
constexpr double large_shrinkage = 1e-2;
constexpr double infinity = std::numeric_limits<double>::infinity();

Status opposite(Status status) {
  if (status == Status::at_lower) return Status::at_upper;
  return status == Status::at_upper ? Status::at_lower : status;
}

}  // namespace

ExactBinaryModel::ExactBinaryModel(const ExactOptions& options)
    : problem_(options.problem), nu_(options.nu), most_total_(options.most_total.value_or(infinity)) {}

ExactBinaryModel mirrored(const ExactBinaryModel& model) {
  const Expansion& expansion = model.expansion;
  ExactBinaryModel other = model;
  other.bias = -model.bias;
  for (auto* counts : {&other.seen, &other.mistakes}) std::swap((*counts)[0], (*counts)[1]);
  for (std::size_t i = 0; i < expansion.size(); ++i) {
    if (!model.holds(i)) continue;
    other.expansion.label[i] = -expansion.label[i];
    other.expansion.gradient[i] = -expansion.gradient[i];
    other.expansion.low[i] = -expansion.high[i];
    other.expansion.high[i] = -expansion.low[i];
    other.expansion.set_alpha(i, -expansion.alpha[i]);
    other.status[i] = opposite(model.status[i]);
  }
  return other;
}

void ExactBinaryModel::append_absent(double kernel_value) {
  expansion.remove(expansion.append(0.0, {0.0, 0.0}, 0.0));
  status.push_back(Status::absent);
  diagonal.push_back(kernel_value);
  margin.append_slot();
}

void ExactBinaryModel::insert(std::size_t slot, double label, double cost, double sum) {
  const double target = problem_ == Problem::classifier ? label : target_rate(slot) * total;
  expansion.reinsert(slot, target, Box::of(label, cost), target - sum);
  status[slot] = nearest_bound(slot);
  largest_diagonal_ = std::max(largest_diagonal_, std::abs(diagonal[slot]));
}

void ExactBinaryModel::restore(std::size_t slot, double label, const Box& box, double alpha, double gradient) {
  insert(slot, label, box.high - box.low, 0.0);
  set_initial_alpha(slot, alpha);
  expansion.gradient[slot] = gradient;
}

void ExactBinaryModel::set_initial_alpha(std::size_t slot, double alpha) {
  expansion.set_alpha_in_box(slot, alpha);
  status[slot] = nearest_bound(slot);
}

void ExactBinaryModel::remove(std::size_t slot) {
  const double target = expansion.label[slot], gradient = expansion.gradient[slot];
  expansion.remove(slot);
  expansion.label[slot] = target;  // `sum_when_removed` needs these two
  expansion.gradient[slot] = gradient;
  status[slot] = Status::absent;
  if (std::abs(diagonal[slot]) >= largest_diagonal_) update_largest_diagonal();
}

void ExactBinaryModel::update_largest_diagonal() {
  const double before = std::exchange(largest_diagonal_, 0.0);
  for (std::size_t i = 0; i < expansion.size(); ++i)
    if (holds(i)) largest_diagonal_ = std::max(largest_diagonal_, std::abs(diagonal[i]));
  precision_lost = precision_lost || largest_diagonal_ < large_shrinkage * before;
}

void ExactBinaryModel::follow(const Moves& moves) {
  expansion.follow(moves);
  for (const auto& [from, to] : moves.list) {
    status[to] = status[from];
    diagonal[to] = diagonal[from];
    margin.move_slot({from, to}, status[to] == Status::on_margin);
  }
  status.resize(moves.size);
  diagonal.resize(moves.size);
  margin.truncate_slots(moves.size);
}

double ExactBinaryModel::wanted_total(double without) const {
  if (problem_ == Problem::classifier) return 0.0;
  double costs = -without;
  for (std::size_t i = 0; i < expansion.size(); ++i) costs += expansion.high[i] - expansion.low[i];
  return held() == 0 ? 0.0 : std::min(most_total_, nu_ * std::max(costs, 0.0));
}

void ExactBinaryModel::set_total(double value) {
  total = value;
  if (problem_ != Problem::sphere) return;
  for (std::size_t i = 0; i < expansion.size(); ++i)
    if (holds(i)) expansion.label[i] = target_rate(i) * value;
}

void ExactBinaryModel::move_to_bound(std::size_t slot, Status bound) {
  expansion.set_alpha(slot, bound == Status::at_upper ? expansion.high[slot] : expansion.low[slot]);
}

void ExactBinaryModel::enter_margin(std::size_t slot) {
  status[slot] = Status::on_margin;
  margin.add(slot);
}

void ExactBinaryModel::leave_margin(std::size_t slot, Status to) {
  margin.remove(slot);
  status[slot] = to;
}

Status ExactBinaryModel::nearest_bound(std::size_t slot) const {
  return expansion.alpha[slot] - expansion.low[slot] <= expansion.high[slot] - expansion.alpha[slot] ? Status::at_lower : Status::at_upper;
}

}  // namespace hinge
