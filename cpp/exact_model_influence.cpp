// What exact models would answer if single examples had not been learned, or had been learned with another label. A change is made to a
// copy of a binary model along an exact path, as `forget` and `relabel` make it, and looked at; the model stays as it is.
#include <algorithm>
#include <numeric>
#include <utility>

#include "exact_model.hpp"
#include "solvers/exact_measures.hpp"

namespace hinge {

std::vector<double> ExactModel::leave_one_out(Monitor& monitor) {
  const std::vector<std::size_t> order = in_stream_order();
  std::vector<double> decisions(order.size() * binaries_.size());
  if (!prepare(&monitor)) return decisions;
  Tally tally{monitor};
  tally.progress.phase = "leave";
  tally.progress.total = decisions.size();
  // Of examples that not all binary models hold.
  std::optional<std::vector<double>> sums;
  if (std::any_of(binaries_.begin(), binaries_.end(), [&](const auto& binary) { return binary.held() != points_.size(); })) {
    sums = sums_of_all(&monitor);
    if (!sums) return decisions;
  }
  for (std::size_t m = 0; m < binaries_.size(); ++m) {
    // The columns of this binary model alone fit into fewer sheets, which pays over many paths.
    KernelColumns columns = empty_columns();
    columns.compute_missing(binaries_[m].margin.members());
    for (std::size_t i = 0; i < order.size() && !monitor.stopped(); ++i) {
      const double sum = sums ? (*sums)[order[i] * binaries_.size() + m] : 0.0;
      decisions[i * binaries_.size() + m] = decision_without(binaries_[m], order[i], sum, columns);
      ++tally.outcome.visited;
      report(tally);
    }
  }
  return decisions;
}

template <class Change>
void ExactModel::try_change(const ExactBinaryModel& binary, KernelColumns& columns, Change change) {
  ExactBinaryModel changed = binary;
  for (const std::size_t member : changed.margin.members()) columns.pin(member);
  change(changed);
  for (const std::size_t member : changed.margin.members()) columns.unpin(member);
}

// Without an example whose coefficient is 0 the solution is the same, unless it limits the bias, or in one-class problems changes the total.
bool ExactModel::matters(const ExactBinaryModel& binary, std::size_t slot) const {
  const Extremes ends = extremes(binary);
  return options_.problem != Problem::classifier || binary.expansion.alpha[slot] != 0.0 || ends.top_at == slot || ends.bottom_at == slot;
}

// `without` is the sum of an example that the binary model does not hold.
double ExactModel::decision_without(ExactBinaryModel& binary, std::size_t slot, double without, KernelColumns& columns) {
  if (!binary.holds(slot)) return without + answer_bias(binary);
  const auto sum = [slot](const ExactBinaryModel& of) { return of.expansion.label[slot] - of.expansion.gradient[slot]; };
  if (!matters(binary, slot)) return sum(binary) + answer_bias(binary);
  double found = 0.0;
  try_change(binary, columns, [&](ExactBinaryModel& changed) {
    unlearn_slot(changed, slot, columns);
    found = sum(changed);
    changed.remove(slot);
    found += answer_bias(changed);
  });
  return found;
}

std::vector<double> ExactModel::influence(const Batch<double>& rows, std::span<const std::int64_t> ids, std::span<const std::int32_t> labels,
                                          std::span<const double> costs, Monitor& monitor) {
  std::vector<double> changes(ids.size() * binaries_.size() * rows.count);
  if (!prepare(&monitor)) return changes;
  const std::vector<double> values = values_of_all(rows);
  Tally tally{monitor};
  tally.progress.phase = "influence";
  tally.progress.total = ids.size() * binaries_.size();
  for (std::size_t m = 0; m < binaries_.size(); ++m) {
    KernelColumns columns = empty_columns();
    columns.compute_missing(binaries_[m].margin.members());
    for (std::size_t i = 0; i < ids.size() && !monitor.stopped(); ++i) {
      const double target = labels[i] < 0 ? 0.0 : label_of(m, labels[i]);
      const std::span change(changes.data() + (i * binaries_.size() + m) * rows.count, rows.count);
      compute_change(m, *points_.find(ids[i]), target, costs[i], columns, values, change);
      ++tally.outcome.visited;
      report(tally);
    }
  }
  return changes;
}

std::vector<double> ExactModel::p_values(const Batch<double>& rows, const ConformalOptions& wanted, Monitor& monitor) {
  if (!prepare(&monitor)) return std::vector<double>(rows.count * scheme_.classes());
  for (const auto& binary : binaries_)
    if (binary.held() != points_.size()) throw Refused("Prediction sets need all examples in all binary models.");
  ConformalRanks ranks(kernel_, options_, points_, scheme_, binaries_);
  std::vector<double> values = ranks.p_values(rows, wanted, monitor);
  kernel_evals_ += ranks.kernel_evals();
  return values;
}

// One row of kernel values with all examples held per row of the batch.
std::vector<double> ExactModel::values_of_all(const Batch<double>& rows) {
  std::vector<std::int64_t> all(rows.count);
  std::iota(all.begin(), all.end(), std::int64_t{0});
  Block<double> block;
  block.take(kernel_, rows, all, 0, {});
  std::vector<double> values(rows.count * points_.size());
  kernel_.fill(block, points_.examples(), values.data(), points_.size());
  kernel_evals_ += values.size();
  return values;
}

// The coefficients that differ, times kernel values, and the difference of the biases.
void ExactModel::compute_change(std::size_t m, std::size_t slot, double target, double cost, KernelColumns& columns, std::span<const double> values,
                                std::span<double> change) {
  const ExactBinaryModel& binary = binaries_[m];
  const double side = label_of(m, points_.label(slot));
  const bool held = binary.holds(slot), keeps = target != 0.0, is_same = target == side && cost == points_.cost(slot);
  if (is_same || (side != 0.0 && !held) || (!keeps && !matters(binary, slot))) return;  // not held: evicted
  try_change(binary, columns, [&](ExactBinaryModel& changed) {
    if (held) {
      unlearn_slot(changed, slot, columns);
      changed.remove(slot);
    }
    if (keeps) {
      changed.insert(slot, target, cost, held ? changed.sum_when_removed(slot) : sum_at(binary, slot));
      learn_slot(changed, slot, columns);
    }
    std::fill(change.begin(), change.end(), answer_bias(changed) - answer_bias(binary));
    const std::size_t examples = points_.size();
    for (std::size_t j = 0; j < examples; ++j) {
      const double difference = changed.expansion.alpha[j] - binary.expansion.alpha[j];
      for (std::size_t r = 0; difference != 0.0 && r < change.size(); ++r) change[r] += difference * values[r * examples + j];
    }
  });
}

}  // namespace hinge
