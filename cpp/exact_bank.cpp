#include "exact_bank.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace hinge {

namespace {

constexpr std::size_t most_attempts = 3;

}  // namespace

struct ExactBank::Tally {
  Monitor& monitor;
  Outcome outcome{};
  Progress progress{};
};

ExactBank::ExactBank(Kernel<double> kernel, const Options& options, std::size_t features, bool sparse, std::size_t classes)
    : kernel_(std::move(kernel)), options_(options), points_(features, sparse), columns_(&kernel_, &points_), classes_(classes) {
  if (classes <= 2)
    add_machine(1);
  else
    for (std::size_t c = 0; c < classes; ++c) add_machine(static_cast<std::int32_t>(c));
  set_options(options);
}

void ExactBank::set_options(const Options& options) {
  options_ = options;
  columns_.set_limits(options.cache_bytes, options.threads);
  for (auto& machine : machines_) machine.inverse.set_threads(options.threads);
}

void ExactBank::add_machine(std::int32_t positive_class) {
  machines_.emplace_back(positive_class, options_);
  machines_.back().inverse.set_threads(options_.threads);
}

void ExactBank::grow(std::size_t classes) {
  make_ready();
  const std::size_t known = std::exchange(classes_, std::max(classes, classes_));
  if (classes <= 2 || classes <= known) return;
  if (machines_.size() == 1) {
    machines_.insert(machines_.begin(), machines_[0].mirrored(0));
    for (const std::size_t slot : machines_[0].margin) columns_.need(slot);
    for (std::size_t slot = 0; slot < points_.size(); ++slot) points_.acquire(slot);
  }
  // All examples so far are negative to a new machine: a constant answers them, with no coefficient.
  for (std::size_t c = machines_.size(); c < classes; ++c) {
    add_machine(static_cast<std::int32_t>(c));
    ExactMachine& machine = machines_.back();
    for (std::size_t slot = 0; slot < points_.size(); ++slot) {
      machine.append(points_.label(slot), points_.cost(slot), machines_[0].self[slot], 0.0);
      points_.acquire(slot);
    }
    machine.bias = points_.size() == 0 ? 0.0 : -1.0;
  }
}

void ExactBank::drop_class(std::int32_t number) {
  make_ready();
  const std::size_t left = classes_ - 1;
  for (std::size_t slot = 0; slot < points_.size(); ++slot)
    if (points_.label(slot) > number) points_.set_label(slot, points_.label(slot) - 1, points_.cost(slot));
  const auto drop_machine = [&](std::size_t m) {
    for (const std::size_t slot : machines_[m].margin) columns_.need_no_more(slot);
    for (std::size_t slot = 0; slot < points_.size(); ++slot)
      if (machines_[m].holds(slot)) points_.release(slot);
    machines_.erase(machines_.begin() + static_cast<std::ptrdiff_t>(m));
  };
  if (machines_.size() > 1) {
    drop_machine(static_cast<std::size_t>(number));
    if (left == 2) drop_machine(0);  // the other one says the same with the opposite sign
    for (std::size_t m = 0; m < machines_.size(); ++m)
      machines_[m].rename(left == 2 ? 1 : static_cast<std::int32_t>(m));
  } else if (left == 1 && number == 0) {
    machines_[0] = machines_[0].mirrored(1);
  }
  classes_ = left;
  drop_unused();
}

Outcome ExactBank::learn(const Lesson<double>& lesson, Monitor& monitor) {
  make_ready();
  Tally tally{monitor};
  tally.progress.phase = "exact";
  tally.progress.total = lesson.order.size();
  const std::size_t before = steps_;
  for (const std::int64_t row : lesson.order) {
    if (monitor.stopped()) {
      tally.outcome.stopped = true;
      break;
    }
    learn_row(lesson, static_cast<std::size_t>(row), tally);
    ++tally.outcome.visited;
    report(tally);
  }
  tally.outcome.steps = steps_ - before;
  for (const auto& machine : machines_) tally.outcome.stalled |= machine.stalled;
  return tally.outcome;
}

void ExactBank::learn_row(const Lesson<double>& lesson, std::size_t row, Tally& tally) {
  const double cost = lesson.costs[row];
  const std::int32_t label = lesson.labels[row];
  if (cost <= 0.0) return;
  make_room();
  const std::array<std::int64_t, 1> rows{static_cast<std::int64_t>(row)};
  Block<double> block;
  block.take(kernel_, lesson.batch, rows, lesson.first_id, {});
  const std::vector<std::size_t> owners = columns_.owners();
  std::vector<std::size_t> wanted = owners;
  for (const std::size_t slot : support())
    if (!columns_.has(slot)) wanted.push_back(slot);
  const std::vector<double> values = values_against(block, wanted), weights = weights_of(wanted);
  const double self = kernel_.self(block, 0);
  if (!std::isfinite(std::accumulate(values.begin(), values.end(), self)))
    throw Refused("Kernel values must be finite, got infinity or NaN; scale the features.");
  const std::size_t slot = points_.append(block.rows(), 0, label, cost);
  columns_.append_row(std::span(values).first(owners.size()));
  std::vector<double> decisions;  // of those who have not seen it
  for (std::size_t m = 0; m < machines_.size(); ++m) {
    const double sum = loops<double>().dot(values.data(), weights.data() + m * wanted.size(), wanted.size());
    decisions.push_back(sum + machines_[m].answer_bias());
    machines_[m].append(label, cost, self, sum);
    points_.acquire(slot);
  }
  tally.outcome.mistakes += is_mistake(decisions, label, self);
  for (auto& machine : machines_) {
    if (machine.held() == 1) machine.bias = machine.expansion.gradient[slot];
    take_in(machine, slot);
  }
  mend();
  ++tally.outcome.inserted;
}

// What a classifier gets wrong; to one-class machines, what lies outside.
bool ExactBank::is_mistake(std::span<const double> decisions, std::int32_t label, double self) const {
  if (options_.problem == Problem::plane) return decisions[0] < 0.0;
  if (options_.problem == Problem::sphere) return decisions[0] < 0.5 * machines_[0].total * self;
  const auto best = static_cast<std::size_t>(std::max_element(decisions.begin(), decisions.end()) - decisions.begin());
  return label != (machines_.size() > 1 ? machines_[best].positive_class() : (decisions[0] > 0.0 ? 1 : 0));
}

std::vector<double> ExactBank::values_against(const Block<double>& block, std::span<const std::size_t> slots) {
  std::vector<double> values(slots.size());
  kernel_.fill_picked(block, points_.examples(), slots, values.data());
  kernel_evals_ += slots.size();
  return values;
}

std::vector<std::size_t> ExactBank::support() const {
  std::vector<std::size_t> slots;
  for (std::size_t slot = 0; slot < points_.size(); ++slot)
    if (std::any_of(machines_.begin(), machines_.end(), [&](const auto& machine) { return machine.expansion.alpha[slot] != 0.0; }))
      slots.push_back(slot);
  return slots;
}

std::vector<double> ExactBank::weights_of(std::span<const std::size_t> slots) const {
  std::vector<double> weights;
  weights.reserve(machines_.size() * slots.size());
  for (const auto& machine : machines_)
    for (const std::size_t slot : slots) weights.push_back(machine.expansion.alpha[slot]);
  return weights;
}

// An example of coefficient zero takes its place; in one-class problems the total follows.
void ExactBank::take_in(ExactMachine& machine, std::size_t slot) {
  Path path(machine, columns_);
  path.settle(slot);
  path.finish();
  balance(machine, path, 0.0);
  count(path);
}

// The example is still there, so the total goes down while it can help; then it leaves.
void ExactBank::withdraw(ExactMachine& machine, std::size_t slot, Columns& columns) {
  Path path(machine, columns);
  balance(machine, path, machine.expansion.high[slot] - machine.expansion.low[slot]);
  path.withdraw(slot);
  path.finish();
  count(path);
}

void ExactBank::balance(ExactMachine& machine, Path& path, double without) {
  const double wanted = machine.wanted_total(without);
  if (wanted == machine.total) return;
  path.change_total(wanted);
  path.finish();
}

void ExactBank::count(const Path& path) {
  steps_ += path.steps();
  refreshed_ += path.refreshed();
}

void ExactBank::make_room() {
  if (options_.max_examples == 0) return;
  bool gone = false;
  for (auto& machine : machines_)
    while (machine.held() >= options_.max_examples) {
      const std::size_t slot = victim(machine);
      withdraw(machine, slot, columns_);
      machine.remove(slot);
      points_.release(slot);
      gone = true;
    }
  if (gone) drop_unused();
}

// The oldest, or the one that the dual would miss least; among those without a coefficient, the one furthest from getting some.
std::size_t ExactBank::victim(const ExactMachine& machine) const {
  std::size_t found = points_.size();
  std::pair<double, double> least;
  for (std::size_t slot = 0; slot < points_.size(); ++slot) {
    if (!machine.holds(slot)) continue;
    const std::pair<double, double> rank = options_.oldest_first
                                               ? std::pair{static_cast<double>(points_.id(slot)), 0.0}
                                               : std::pair{machine.relevance(slot), -std::abs(machine.gradient(slot))};
    if (found == points_.size() || rank < least) least = rank, found = slot;  // somebody, whatever the ranks are
  }
  return found;
}

// Examples that no machine holds any more make place for the last ones.
void ExactBank::drop_unused() {
  for (std::size_t slot = 0; slot < points_.size(); ++slot)
    if (!points_.used(slot)) columns_.forget_column(slot);
  const Moves moves = points_.squeeze();
  columns_.follow(moves);
  for (auto& machine : machines_) machine.follow(moves);
  mend();
}

// What far larger kernel values or a path that was given up have left behind is found again; the coefficients stay.
void ExactBank::mend() {
  for (std::size_t attempt = 0; attempt < most_attempts; ++attempt) {
    const auto is_worn = [](const auto& machine) { return machine.coarse || machine.stalled; };
    if (std::none_of(machines_.begin(), machines_.end(), is_worn)) return;
    start_afresh();
  }
}

void ExactBank::start_afresh() {
  for (auto& machine : machines_) {
    const std::vector<std::size_t> members = machine.margin;
    for (const std::size_t slot : members) machine.leave(slot, machine.end_of(slot));
    machine.inverse.clear();
    machine.coarse = machine.stalled = false;
  }
  ready_ = false;
  make_ready();
}

std::size_t ExactBank::forget(std::span<const std::int64_t> ids, Monitor& monitor) {
  make_ready();
  Tally tally{monitor};
  tally.progress.phase = "forget";
  tally.progress.total = ids.size();
  for (const std::int64_t id : ids) {
    if (monitor.stopped()) break;
    if (const auto slot = points_.find(id)) forget_slot(*slot);  // unless another thread was faster
    ++tally.outcome.visited;
    report(tally);
  }
  return tally.outcome.visited;
}

void ExactBank::forget_slot(std::size_t slot) {
  for (auto& machine : machines_) {
    if (!machine.holds(slot)) continue;
    withdraw(machine, slot, columns_);
    machine.remove(slot);
    points_.release(slot);
  }
  drop_unused();
}

std::size_t ExactBank::relabel(std::span<const std::int64_t> ids, std::span<const std::int32_t> labels,
                               std::span<const double> costs, Monitor& monitor) {
  make_ready();
  Tally tally{monitor};
  tally.progress.phase = "relabel";
  tally.progress.total = ids.size();
  for (std::size_t i = 0; i < ids.size() && !monitor.stopped(); ++i) {
    if (const auto slot = points_.find(ids[i])) relabel_slot(*slot, labels[i], costs[i]);
    ++tally.outcome.visited;
    report(tally);
  }
  return tally.outcome.visited;
}

// To most machines it stays one of the rest.
void ExactBank::relabel_slot(std::size_t slot, std::int32_t label, double cost) {
  const std::int32_t before = points_.label(slot);
  const bool same_cost = points_.cost(slot) == cost;
  points_.set_label(slot, label, cost);
  for (auto& machine : machines_) {
    const bool same_side = (before == machine.positive_class()) == (label == machine.positive_class());
    if (!machine.holds(slot) || (same_side && same_cost)) continue;
    withdraw(machine, slot, columns_);
    machine.remove(slot);
    machine.revive(slot, label, cost);
    take_in(machine, slot);
  }
  mend();
}

std::vector<double> ExactBank::leave_one_out(Monitor& monitor) {
  make_ready();
  const std::vector<std::size_t> order = in_stream_order();
  std::vector<double> decisions(order.size() * machines_.size());
  Tally tally{monitor};
  tally.progress.phase = "leave";
  tally.progress.total = decisions.size();
  for (std::size_t m = 0; m < machines_.size(); ++m) {
    // Columns of this machine alone, close together: there are many paths to go.
    Columns columns = empty_columns();
    columns.find_missing(machines_[m].margin);
    for (std::size_t i = 0; i < order.size() && !monitor.stopped(); ++i) {
      decisions[i * machines_.size() + m] = decision_without(machines_[m], order[i], columns);
      ++tally.outcome.visited;
      report(tally);
    }
  }
  return decisions;
}

// An example without a coefficient is not missed, unless it bounds the bias. One-class problems with it have another total, though.
double ExactBank::decision_without(ExactMachine& machine, std::size_t slot, Columns& columns) {
  if (!machine.holds(slot)) return sum_at(machine, slot) + machine.answer_bias();
  const auto sum = [&] { return machine.expansion.label[slot] - machine.expansion.gradient[slot]; };
  const Extremes ends = machine.extremes();
  const bool matters = machine.expansion.alpha[slot] != 0.0 || ends.top_at == slot || ends.bottom_at == slot;
  if (!matters && options_.problem == Problem::classifier) return sum() + machine.answer_bias();
  ExactMachine before = machine;
  for (const std::size_t member : machine.margin) columns.need(member);
  withdraw(machine, slot, columns);
  const double alone = sum();
  machine.remove(slot);
  const double found = alone + machine.answer_bias();
  for (const std::size_t member : machine.margin) columns.need_no_more(member);
  machine = std::move(before);
  return found;
}

Columns ExactBank::empty_columns() const {
  Columns columns(&kernel_, &points_);
  columns.set_limits(options_.cache_bytes, options_.threads);
  for (std::size_t slot = 0; slot < points_.size(); ++slot) columns.append_row({});
  return columns;
}

std::vector<std::size_t> ExactBank::in_stream_order() const {
  std::vector<std::size_t> slots(points_.size());
  std::iota(slots.begin(), slots.end(), std::size_t{0});
  std::sort(slots.begin(), slots.end(), [&](std::size_t i, std::size_t j) { return points_.id(i) < points_.id(j); });
  return slots;
}

void ExactBank::report(Tally& tally) const {
  tally.progress.seen = tally.outcome.visited;
  tally.progress.mistakes = tally.outcome.mistakes;
  tally.progress.support = machines_[0].expansion.support();
  tally.progress.gap = 0.0;
  for (const auto& machine : machines_) tally.progress.gap = std::max(tally.progress.gap, machine.residual());
  tally.monitor.set_progress(tally.progress);
}

}  // namespace hinge
