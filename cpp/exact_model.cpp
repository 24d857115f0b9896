#include "exact_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "solvers/exact_measures.hpp"
#include "solvers/window.hpp"

namespace hinge {

namespace {

constexpr std::size_t max_repairs = 3;

}  // namespace

ExactModel::ExactModel(Kernel<double> kernel, const ExactOptions& options, std::size_t features, bool sparse, std::size_t classes)
    : kernel_(std::move(kernel)), options_(options), points_(features, sparse), columns_(&kernel_, &points_), scheme_(options.multi_class, classes) {
  for (std::size_t m = 0; m < scheme_.binaries(); ++m) add_binary();
  set_options(options);
}

void ExactModel::set_options(const ExactOptions& options) {
  if (options.multi_class != scheme_.kind()) throw std::invalid_argument("The class scheme of a model cannot change.");
  options_ = options;
  columns_.set_limits(options.cache_bytes, options.threads);
  for (auto& binary : binaries_) binary.margin.inverse.set_threads(options.threads);
}

void ExactModel::add_binary() {
  binaries_.emplace_back(options_);
  binaries_.back().margin.inverse.set_threads(options_.threads);
}

double ExactModel::label_of(std::size_t m, std::int32_t label) const {
  return options_.problem != Problem::classifier ? 1.0 : scheme_.target(m, label);
}

void ExactModel::grow(std::size_t classes) {
  prepare();
  if (classes <= scheme_.classes()) return;
  scheme_ = {scheme_.kind(), classes};
  if (binaries_.size() == 1 && scheme_.binaries() > 1 && scheme_.kind() == MultiClass::ovr) {
    binaries_.insert(binaries_.begin(), mirrored(binaries_[0]));
    for (const std::size_t slot : binaries_[0].margin.members()) columns_.pin(slot);
    for (std::size_t slot = 0; slot < points_.size(); ++slot) points_.acquire(slot);
  }
  // To a new binary model all examples so far that it sees are negative, so the solution is a constant: bias -1 and no support vectors.
  while (binaries_.size() < scheme_.binaries()) {
    add_binary();
    ExactBinaryModel& binary = binaries_.back();
    for (std::size_t slot = 0; slot < points_.size(); ++slot) {
      binary.append_absent(binaries_[0].diagonal[slot]);
      admit(binaries_.size() - 1, slot, points_.label(slot), points_.cost(slot), 0.0);
    }
    binary.bias = binary.held() == 0 ? 0.0 : -1.0;
  }
}

// Gives an example to a binary model, if that sees examples of its class. `sum` is that of its coefficients times kernel values.
void ExactModel::admit(std::size_t m, std::size_t slot, std::int32_t label, double cost, double sum) {
  const double target = label_of(m, label);
  if (target == 0.0) return;
  binaries_[m].insert(slot, target, cost, sum);
  points_.acquire(slot);
}

void ExactModel::drop_class(std::int32_t number) {
  const std::size_t left = scheme_.classes() - 1;
  for (std::size_t slot = 0; slot < points_.size(); ++slot)
    if (points_.label(slot) > number) points_.set_label(slot, points_.label(slot) - 1, points_.cost(slot));
  if (binaries_.size() == 1) {
    if (left == 1 && number == 0) binaries_[0] = mirrored(binaries_[0]);
  } else {
    for (std::size_t m = binaries_.size(); m-- > 0;)
      if (scheme_.is_about(m, number)) drop_binary(m);
    if (left == 2 && scheme_.kind() == MultiClass::ovr) drop_binary(0);  // the other one is the same with the opposite sign
  }
  scheme_ = {scheme_.kind(), left};
  remove_unused();
}

void ExactModel::drop_binary(std::size_t m) {
  for (const std::size_t slot : binaries_[m].margin.members()) columns_.unpin(slot);
  for (std::size_t slot = 0; slot < points_.size(); ++slot)
    if (binaries_[m].holds(slot)) points_.release(slot);
  binaries_.erase(binaries_.begin() + static_cast<std::ptrdiff_t>(m));
}

Outcome ExactModel::learn(const TrainingBatch<double>& training, Monitor& monitor) {
  const bool prepared = prepare(&monitor);
  Tally tally{monitor};
  tally.progress.phase = "exact";
  tally.progress.total = training.order.size();
  const std::size_t before = steps_;
  for (const std::int64_t row : training.order) {
    if (!prepared || monitor.stopped()) {
      tally.outcome.stopped = true;
      break;
    }
    learn_row(training, static_cast<std::size_t>(row), tally);
    ++tally.outcome.visited;
    report(tally);
  }
  tally.outcome.steps = steps_ - before;
  tally.outcome.reached = tally.outcome.visited;
  for (const auto& binary : binaries_) tally.outcome.stalled |= binary.stalled;
  return tally.outcome;
}

void ExactModel::learn_row(const TrainingBatch<double>& training, std::size_t row, Tally& tally) {
  if (training.costs[row] <= 0.0) return;
  std::vector<std::size_t> gaining;
  for (std::size_t m = 0; m < binaries_.size(); ++m)
    if (label_of(m, training.labels[row]) != 0.0) gaining.push_back(m);
  make_room(gaining);
  const std::size_t slot = points_.size();
  const std::vector<double> decisions = append_example(training, row);
  if (is_mistake(decisions, training.labels[row], binaries_[0].diagonal[slot])) tally.outcome.add_mistake(tally.outcome.visited);
  for (auto& binary : binaries_) {
    if (!binary.holds(slot)) continue;
    if (binary.held() == 1) binary.bias = binary.expansion.gradient[slot];
    learn_slot(binary, slot, columns_);
  }
  repair();
  ++tally.outcome.inserted;
}

// Gives an example the next slot, with coefficient 0 in all binary models, and returns their decision values for it.
std::vector<double> ExactModel::append_example(const TrainingBatch<double>& training, std::size_t row) {
  const std::array<std::int64_t, 1> rows{static_cast<std::int64_t>(row)};
  Block<double> block;
  block.take(kernel_, training.batch, rows, training.first_id, {});
  const std::vector<std::size_t> with_columns = columns_.slots();
  std::vector<std::size_t> wanted = with_columns;
  for (const std::size_t slot : support())
    if (!columns_.has(slot)) wanted.push_back(slot);
  const std::vector<double> values = values_against(block, wanted), weights = weights_of(wanted);
  const double self = kernel_.self(block, 0);
  if (!std::isfinite(std::accumulate(values.begin(), values.end(), self)))
    throw Refused("Kernel values must be finite, got infinity or NaN; scale the features.");
  const std::size_t slot = points_.append(block.rows(), 0, training.labels[row], training.costs[row]);
  columns_.append_row(std::span(values).first(with_columns.size()));
  std::vector<double> decisions;
  for (std::size_t m = 0; m < binaries_.size(); ++m) {
    const double sum = loops<double>().dot(values.data(), weights.data() + m * wanted.size(), wanted.size());
    decisions.push_back(sum + answer_bias(binaries_[m]));
    binaries_[m].append_absent(self);
    admit(m, slot, training.labels[row], training.costs[row], sum);
    if (!binaries_[m].holds(slot)) continue;
    const bool positive = binaries_[m].expansion.label[slot] > 0, mistaken = binaries_[m].expansion.label[slot] * decisions.back() <= 0.0;
    binaries_[m].expansion.mistaken[slot] = mistaken;
    binaries_[m].seen[positive] += 1;
    binaries_[m].mistakes[positive] += mistaken;
  }
  return decisions;
}

// A wrong class; for one-class problems, an example outside the plane or sphere.
bool ExactModel::is_mistake(std::span<const double> decisions, std::int32_t label, double self) const {
  if (options_.problem == Problem::plane) return decisions[0] < 0.0;
  if (options_.problem == Problem::sphere) return decisions[0] < 0.5 * binaries_[0].total * self;
  return label != scheme_.choose(decisions);
}

std::vector<double> ExactModel::values_against(const Block<double>& block, std::span<const std::size_t> slots) {
  std::vector<double> values(slots.size());
  kernel_.fill_picked(block, points_.examples(), slots, values.data());
  kernel_evals_ += slots.size();
  return values;
}

std::vector<std::size_t> ExactModel::support() const {
  std::vector<std::size_t> slots;
  for (std::size_t slot = 0; slot < points_.size(); ++slot)
    if (std::any_of(binaries_.begin(), binaries_.end(), [&](const auto& binary) { return binary.expansion.alpha[slot] != 0.0; }))
      slots.push_back(slot);
  return slots;
}

std::vector<double> ExactModel::weights_of(std::span<const std::size_t> slots) const {
  std::vector<double> weights;
  weights.reserve(binaries_.size() * slots.size());
  for (const auto& binary : binaries_)
    for (const std::size_t slot : slots) weights.push_back(binary.expansion.alpha[slot]);
  return weights;
}

void ExactModel::learn_slot(ExactBinaryModel& binary, std::size_t slot, KernelColumns& columns) {
  Path path(binary, columns);
  path.make_optimal(slot);
  path.finish();
  adjust_total(binary, path, 0.0);
  add_counts(path);
}

// The total decreases first, while the example can still contribute to it.
void ExactModel::unlearn_slot(ExactBinaryModel& binary, std::size_t slot, KernelColumns& columns) {
  Path path(binary, columns);
  adjust_total(binary, path, binary.expansion.high[slot] - binary.expansion.low[slot]);
  path.move_to_zero(slot);
  path.finish();
  add_counts(path);
}

void ExactModel::adjust_total(ExactBinaryModel& binary, Path& path, double without) {
  const double wanted = binary.wanted_total(without);
  if (wanted == binary.total) return;
  path.change_total(wanted);
  path.finish();
}

void ExactModel::add_counts(const Path& path) {
  steps_ += path.steps();
  refreshed_ += path.rebuilds();
}

void ExactModel::make_room(std::span<const std::size_t> gaining) {
  if (!options_.max_examples) return;
  bool evicted = false;
  for (const std::size_t m : gaining) {
    ExactBinaryModel& binary = binaries_[m];
    while (binary.held() >= *options_.max_examples) {
      const std::size_t slot = choose_leaving(binary, points_, options_.eviction);
      unlearn_slot(binary, slot, columns_);
      binary.remove(slot);
      points_.release(slot);
      evicted = true;
    }
  }
  if (evicted) remove_unused();
}

// Removes the examples that no binary model holds; the last ones move into their slots.
void ExactModel::remove_unused() {
  for (std::size_t slot = 0; slot < points_.size() && prepared_; ++slot)
    if (!points_.used(slot)) columns_.drop_column(slot);
  const Moves moves = points_.close_gaps();
  if (prepared_) columns_.follow(moves);
  for (auto& binary : binaries_) binary.follow(moves);
  repair();
}

// Recomputes everything but the coefficients after far larger kernel values or an abandoned path have left errors.
void ExactModel::repair() {
  for (std::size_t attempt = 0; attempt < max_repairs; ++attempt) {
    const auto needs_repair = [](const auto& binary) { return binary.precision_lost || binary.stalled; };
    if (std::none_of(binaries_.begin(), binaries_.end(), needs_repair)) return;
    recompute();
  }
}

void ExactModel::recompute() {
  for (auto& binary : binaries_) {
    const std::vector<std::size_t> members = binary.margin.members();
    for (const std::size_t slot : members) binary.leave_margin(slot, binary.nearest_bound(slot));
    binary.margin.inverse.clear();
    binary.precision_lost = binary.stalled = false;
  }
  prepared_ = false;
  prepare();
}

std::size_t ExactModel::forget(std::span<const std::int64_t> ids, Monitor& monitor) {
  if (!prepare(&monitor)) return 0;
  Tally tally{monitor};
  tally.progress.phase = "forget";
  tally.progress.total = ids.size();
  for (const std::int64_t id : ids) {
    if (monitor.stopped()) break;
    if (const auto slot = points_.find(id)) forget_slot(*slot);  // it may be gone: other threads forget as well
    ++tally.outcome.visited;
    report(tally);
  }
  return tally.outcome.visited;
}

void ExactModel::forget_slot(std::size_t slot) {
  for (auto& binary : binaries_) {
    if (!binary.holds(slot)) continue;
    unlearn_slot(binary, slot, columns_);
    binary.remove(slot);
    points_.release(slot);
  }
  remove_unused();
}

std::size_t ExactModel::relabel(std::span<const std::int64_t> ids, std::span<const std::int32_t> labels,
                                std::span<const double> costs, Monitor& monitor) {
  if (!prepare(&monitor)) return 0;
  Tally tally{monitor};
  tally.progress.phase = "relabel";
  tally.progress.total = ids.size();
  for (std::size_t i = 0; i < ids.size() && !monitor.stopped(); ++i) {
    if (points_.find(ids[i])) relabel_one(ids[i], labels[i], costs[i]);
    ++tally.outcome.visited;
    report(tally);
  }
  return tally.outcome.visited;
}

// Most binary models do not change: the example is one of the rest before and after, or they see neither class. One that sees both classes
// and does not hold the example has evicted it.
void ExactModel::relabel_one(std::int64_t id, std::int32_t label, double cost) {
  const std::int32_t before = points_.label(*points_.find(id));
  std::vector<std::size_t> gaining;
  for (std::size_t m = 0; m < binaries_.size(); ++m)
    if (label_of(m, before) == 0.0 && label_of(m, label) != 0.0) gaining.push_back(m);
  make_room(gaining);
  const std::size_t slot = *points_.find(id);
  const bool same_cost = points_.cost(slot) == cost;
  points_.set_label(slot, label, cost);
  for (std::size_t m = 0; m < binaries_.size(); ++m) {
    ExactBinaryModel& binary = binaries_[m];
    const double side = label_of(m, before), target = label_of(m, label);
    if ((side == target && same_cost) || (side != 0.0 && !binary.holds(slot))) continue;
    const bool held = binary.holds(slot);
    if (held) {
      unlearn_slot(binary, slot, columns_);
      binary.remove(slot);
      points_.release(slot);
    }
    if (target == 0.0) continue;
    admit(m, slot, label, cost, held ? binary.sum_when_removed(slot) : sum_at(binary, slot));
    learn_slot(binary, slot, columns_);
  }
  repair();
}

KernelColumns ExactModel::empty_columns() const {
  KernelColumns columns(&kernel_, &points_);
  columns.set_limits(options_.cache_bytes, options_.threads);
  for (std::size_t slot = 0; slot < points_.size(); ++slot) columns.append_row({});
  return columns;
}

std::vector<std::size_t> ExactModel::in_stream_order() const {
  std::vector<std::size_t> slots(points_.size());
  std::iota(slots.begin(), slots.end(), std::size_t{0});
  std::sort(slots.begin(), slots.end(), [&](std::size_t i, std::size_t j) { return points_.id(i) < points_.id(j); });
  return slots;
}

void ExactModel::report(Tally& tally) const {
  tally.progress.seen = tally.outcome.visited;
  tally.progress.mistakes = tally.outcome.mistakes;
  tally.progress.support = binaries_[0].expansion.support();
  tally.progress.measure = 0.0;
  for (const auto& binary : binaries_) tally.progress.measure = std::max(tally.progress.measure, residual(binary));
  tally.monitor.set_progress(tally.progress);
}

}  // namespace hinge
