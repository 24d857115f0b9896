// Views of the exact model: predictors, optimality, and its state as flat arrays.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "decision.hpp"
#include "exact_model.hpp"
#include "solvers/exact_measures.hpp"

namespace hinge {

namespace {

constexpr std::size_t rows_per_question = 512;
constexpr std::size_t columns_per_question = 64;

void require_memory(const SolverMemory& memory, std::size_t binaries) {
  const auto fits = [&](const MemoryArray& array) {
    return array.values.size() == 2 * binaries && std::none_of(array.values.begin(), array.values.end(), [](std::int64_t count) { return count < 0; });
  };
  if (memory.size() != ExactModel::empty_memory().size() || !std::all_of(memory.begin(), memory.end(), fits))
    throw std::invalid_argument("The counts of the saved state do not fit the binary models.");
}

}  // namespace

std::shared_ptr<const Predictor<double>> ExactModel::predictor() const {
  std::vector<std::size_t> slots = support();
  std::vector<double> weights = weights_of(slots), biases;
  for (const auto& binary : binaries_) biases.push_back(answer_bias(binary));
  return std::make_shared<const PickedPredictor>(kernel_, points_, std::move(slots), std::move(weights), std::move(biases));
}

double ExactModel::sum_at(const ExactBinaryModel& binary, std::size_t slot) {
  Block<double> block;
  block.look_at(points_.examples().range(slot, 1));
  const std::vector<std::size_t> slots = support();
  const std::vector<double> values = values_against(block, slots);
  double sum = 0.0;
  for (std::size_t i = 0; i < slots.size(); ++i) sum += values[i] * binary.expansion.alpha[slots[i]];
  return sum;
}

// In blocks of rows, between which the monitor is asked.
std::optional<std::vector<double>> ExactModel::sums_of_all(Monitor* monitor) {
  const std::vector<std::size_t> slots = support();
  const std::size_t binaries = binaries_.size();
  const Points<double> packed = points_.pick(slots);
  const std::vector<double> weights = weights_of(slots);
  std::vector<double> sums(points_.size() * binaries, 0.0);
  const std::size_t block = monitor ? rows_per_question : std::max<std::size_t>(points_.size(), 1);
  for (std::size_t first = 0; first < points_.size(); first += block) {
    if (monitor && monitor->stopped()) return std::nullopt;
    const std::size_t count = std::min(block, points_.size() - first);
    add_decisions(kernel_, points_.examples().range(first, count), packed.examples(), std::span<const double>(weights), binaries,
                  options_.threads, std::span(sums).subspan(first * binaries, count * binaries));
  }
  return sums;
}

// Gradients are replaced when all are known.
bool ExactModel::certify(Monitor* monitor) {
  const auto sums = sums_of_all(monitor);
  for (std::size_t m = 0; sums && m < binaries_.size(); ++m) {
    Expansion& expansion = binaries_[m].expansion;
    for (std::size_t slot = 0; slot < points_.size(); ++slot)
      if (binaries_[m].holds(slot)) expansion.gradient[slot] = expansion.label[slot] - (*sums)[slot * binaries_.size() + m];
  }
  return sums.has_value();
}

std::vector<std::int64_t> ExactModel::held() const {
  std::vector<std::int64_t> ids;
  for (const std::size_t slot : in_stream_order()) ids.push_back(points_.id(slot));
  return ids;
}

std::vector<std::int32_t> ExactModel::labels() const {
  std::vector<std::int32_t> labels;
  for (const std::size_t slot : in_stream_order()) labels.push_back(points_.label(slot));
  return labels;
}

std::vector<double> ExactModel::costs() const {
  std::vector<double> costs;
  for (const std::size_t slot : in_stream_order()) costs.push_back(points_.cost(slot));
  return costs;
}

std::vector<std::int64_t> ExactModel::class_counts() const {
  std::vector<std::int64_t> counts(scheme_.classes(), 0);
  for (std::size_t slot = 0; slot < points_.size(); ++slot) ++counts[static_cast<std::size_t>(points_.label(slot))];
  return counts;
}

ModelState<double> ExactModel::state() const {
  ModelState<double> state;
  add_points(points_, state);
  state.kernel_evals = static_cast<std::int64_t>(kernel_evals());
  state.steps = static_cast<std::int64_t>(steps_);
  state.shift_chosen = true;
  state.memory = empty_memory();
  for (const auto& binary : binaries_) {
    const Expansion& expansion = binary.expansion;
    state.member_counts.push_back(static_cast<std::int64_t>(binary.held()));
    for (const std::size_t slot : expansion.held()) {
      state.members.push_back(static_cast<std::int64_t>(slot));
      state.member_lows.push_back(expansion.low[slot]);
      state.member_costs.push_back(expansion.high[slot] - expansion.low[slot]);
      state.alpha.push_back(expansion.alpha[slot]);
      state.gradient.push_back(expansion.gradient[slot]);
      state.lag.push_back(0.0);
      state.member_mistakes.push_back(expansion.mistaken[slot]);
    }
    state.bracket_ends.insert(state.bracket_ends.end(), 2, 0);
    state.terms.push_back(0.0);
    for (const std::size_t positive : {std::size_t{0}, std::size_t{1}}) {
      state.memory[0].values.push_back(static_cast<std::int64_t>(binary.seen[positive]));
      state.memory[1].values.push_back(static_cast<std::int64_t>(binary.mistakes[positive]));
    }
  }
  return state;
}

ExactModel::ExactModel(Kernel<double> kernel, const ExactOptions& options, std::size_t features, bool sparse, std::size_t classes,
                     const ModelState<double>& state)
    : ExactModel(std::move(kernel), options, features, sparse, classes) {
  require_memory(state.memory, binaries_.size());
  kernel_evals_ = static_cast<std::size_t>(state.kernel_evals);
  steps_ = static_cast<std::size_t>(state.steps);
  restore_points(kernel_, state, points_);
  const std::vector<double> diagonal = diagonal_of(kernel_, points_.examples());
  std::size_t at = 0;
  for (std::size_t m = 0; m < binaries_.size(); ++m) {
    ExactBinaryModel& binary = binaries_[m];
    for (std::size_t slot = 0; slot < points_.size(); ++slot) binary.append_absent(diagonal[slot]);
    for (std::int64_t i = 0; i < state.member_counts[m]; ++i, ++at) {
      const auto slot = static_cast<std::size_t>(state.members[at]);
      binary.restore(slot, label_of(m, points_.label(slot)), {state.member_lows[at], state.member_lows[at] + state.member_costs[at]},
                     state.alpha[at], state.gradient[at]);
      binary.expansion.mistaken[slot] = state.member_mistakes[at] != 0;
      points_.acquire(slot);
    }
    binary.bias = answer_bias(binary);
    binary.set_total(binary.wanted_total());
    for (const std::size_t positive : {std::size_t{0}, std::size_t{1}}) {
      binary.seen[positive] = static_cast<std::size_t>(state.memory[0].values[2 * m + positive]);
      binary.mistakes[positive] = static_cast<std::size_t>(state.memory[1].values[2 * m + positive]);
    }
  }
  prepared_ = false;
}

void ExactModel::adopt(const TrainingBatch<double>& training, std::span<const double> alpha, std::span<const double> gradient,
                       Monitor& monitor) {
  const std::size_t count = training.order.size();
  Block<double> block;
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = static_cast<std::size_t>(training.order[i]);
    block.take(kernel_, training.batch, training.order.subspan(i, 1), training.first_id, {});
    const double self = kernel_.self(block, 0);
    const std::size_t slot = points_.append(block.rows(), 0, training.labels[row], training.costs[row]);
    // Not `Refused`: the rows before this one have been added already.
    if (!std::isfinite(self)) throw std::invalid_argument("Kernel values must be finite, got infinity or NaN; scale the features.");
    for (std::size_t m = 0; m < binaries_.size(); ++m) {
      binaries_[m].append_absent(self);
      admit(m, slot, training.labels[row], training.costs[row], 0.0);
      if (!binaries_[m].holds(slot)) continue;
      binaries_[m].set_initial_alpha(slot, alpha[m * count + i]);
      binaries_[m].expansion.gradient[slot] = gradient[m * count + i];
    }
  }
  for (auto& binary : binaries_) binary.set_total(binary.wanted_total());
  prepared_ = false;
  prepare(&monitor);
}

bool ExactModel::prepare(Monitor* monitor) {
  if (prepared_) return true;
  if (!certify(monitor)) return false;  // gradients from a file or a warm start may be wrong
  for (auto& binary : binaries_) binary.bias = answer_bias(binary);
  const std::vector<ExactBinaryModel> before = monitor ? binaries_ : std::vector<ExactBinaryModel>{};
  columns_ = empty_columns();
  prepared_ = true;
  for (auto& binary : binaries_) prepared_ = prepared_ && prepare(binary, monitor);
  if (!prepared_) {
    binaries_ = before;
    columns_ = empty_columns();
  }
  return prepared_;
}

// Free coefficients belong to the margin set.
bool ExactModel::prepare(ExactBinaryModel& binary, Monitor* monitor) {
  std::vector<std::size_t> free;
  for (std::size_t slot = 0; slot < points_.size(); ++slot)
    if (binary.expansion.is_free(slot)) free.push_back(slot);
  for (std::size_t first = 0; first < free.size(); first += columns_per_question) {
    if (monitor && monitor->stopped()) return false;
    columns_.compute_missing(std::span(free).subspan(first, std::min(columns_per_question, free.size() - first)));
  }
  Path path(binary, columns_, monitor);
  path.start_margin(free);
  path.finish();
  add_counts(path);
  return !(monitor && monitor->stopped());
}

}  // namespace hinge
