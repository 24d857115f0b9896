#include "kernel_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "binary_model_builder.hpp"
#include "decision.hpp"

namespace hinge {

namespace {

// Where dense rows lie, by the first of them: their mean, and their mean squared distance from it.
template <class T>
struct Centre {
  Centre(const Batch<T>& batch, std::span<const std::int64_t> order) : mean(batch.features, 0.0) {
    const auto rows = order.first(std::min<std::size_t>(order.size(), 1000));
    const auto count = static_cast<double>(rows.size());
    for (const std::int64_t row : rows) {
      const T* values = batch.dense_row(static_cast<std::size_t>(row));
      for (std::size_t f = 0; f < mean.size(); ++f) mean[f] += static_cast<double>(values[f]) / count;
    }
    for (const std::int64_t row : rows) squared_spread += squared_distance({batch.dense_row(static_cast<std::size_t>(row)), mean.size()}) / count;
  }

  // The squared distance of the mean from a point; an empty one stands for zero.
  double squared_distance(std::span<const T> point) const {
    double total = 0.0;
    for (std::size_t f = 0; f < mean.size(); ++f) total += std::pow(mean[f] - (point.empty() ? 0.0 : static_cast<double>(point[f])), 2);
    return total;
  }

  std::vector<double> mean;
  double squared_spread = 0.0;
};

}  // namespace

template <class T>
KernelModel<T>::KernelModel(Kernel<T> kernel, const SolverFactory<T>& solvers, std::size_t features, bool sparse, std::size_t classes)
    : kernel_(std::move(kernel)), factory_(solvers), points_(features, sparse), scheme_(solvers.run().multi_class, classes) {
  for (std::size_t m = 0; m < scheme_.binaries(); ++m) add_binary();
  share_cache();
}

template <class T>
void KernelModel<T>::add_binary() {
  solvers_.push_back(factory_.make());
  binaries_.push_back(BinaryModelBuilder<T>(kernel_, points_, solvers_.back()->biased(), run().cache_bytes).build());
}

template <class T>
void KernelModel<T>::attach(Panel<T>* panel) {
  for (auto& binary : binaries_) binary.rows().attach(binary.members(), &kernel_, &points_, panel, binaries_.size() == 1 || !panel);
}

template <class T>
void KernelModel<T>::share_cache() {
  for (auto& binary : binaries_) binary.rows().cache().set_budget(run().cache_bytes / binaries_.size());
}

template <class T>
SolverMemory KernelModel<T>::memory() const {
  SolverMemory memory;
  for (const auto& solver : solvers_) solver->save(memory);
  return memory;
}

template <class T>
void KernelModel<T>::set_options(const SolverFactory<T>& solvers) {
  if (solvers.run().multi_class != scheme_.kind()) throw std::invalid_argument("The class scheme of a model cannot change.");
  const SolverMemory memory = this->memory();
  std::vector<std::unique_ptr<Solver<T>>> replaced;
  for (std::size_t m = 0; m < binaries_.size(); ++m) {
    replaced.push_back(solvers.make());
    replaced.back()->restore(memory, m, binaries_.size());
  }
  factory_ = solvers;
  solvers_ = std::move(replaced);
  share_cache();
}

// One-vs-rest: the binary model of two classes is also, mirrored, that of the first class against the second.
template <class T>
void KernelModel<T>::grow(std::size_t classes) {
  if (classes <= scheme_.classes()) return;
  ClassScheme grown(scheme_.kind(), classes);
  if (binaries_.size() == 1 && grown.binaries() > 1 && grown.kind() == MultiClass::ovr) {
    binaries_.insert(binaries_.begin(), mirrored(binaries_[0]));
    SolverMemory memory = this->memory();
    solvers_.insert(solvers_.begin(), factory_.make());
    solvers_[0]->restore(memory, 0, 1);
    solvers_[0]->mirror();
    for (std::size_t slot = 0; slot < points_.size(); ++slot) points_.acquire(slot);
  }
  while (binaries_.size() < grown.binaries()) {
    late_models_.push_back(binaries_.size());
    add_binary();
  }
  share_cache();
  scheme_ = std::move(grown);
}

template <class T>
std::size_t KernelModel<T>::threads_for(std::size_t rows) const {
  return hinge::threads_for(rows, points_.size(), points_.row_cost(), run().threads);
}

template <class T>
Outcome KernelModel<T>::learn(const TrainingBatch<T>& training, Monitor& monitor) {
  std::vector<std::int64_t> order;
  for (const std::int64_t row : training.order)
    if (training.costs[static_cast<std::size_t>(row)] > 0.0) order.push_back(row);
  if (!shift_chosen_ && !order.empty()) choose_shift(training, order);
  Tally tally{monitor};
  tally.progress.phase = "learn";
  tally.progress.total = order.size();
  const std::size_t steps_before = steps();
  attach(nullptr);
  stalled_.assign(binaries_.size(), 0);
  if (solvers_[0]->selection().rule == Selection::random)
    learn_in_order(training, order, tally);
  else
    learn_selected(training, order, tally);
  replay_for_late_models(monitor);
  close_all_gaps();
  tally.outcome.steps = steps() - steps_before;
  tally.outcome.log.keep_last(training.recorded);
  tally.outcome.stopped = monitor.stopped();
  tally.outcome.reached = reached(training, tally.outcome.visited);
  tally.outcome.stalled = std::find(stalled_.begin(), stalled_.end(), 1) != stalled_.end();
  return tally.outcome;
}

// A common shift does not change distances, but it avoids products of large numbers that nearly cancel.
template <class T>
void KernelModel<T>::choose_shift(const TrainingBatch<T>& training, std::span<const std::int64_t> order) {
  shift_chosen_ = true;
  if (training.batch.sparse) return;
  const Centre centre(training.batch, order);
  if (!kernel_.wants_shift(centre.squared_distance({}), centre.squared_spread)) return;
  shift_.assign(centre.mean.size(), T(0));
  std::transform(centre.mean.begin(), centre.mean.end(), shift_.begin(), [](double value) { return static_cast<T>(value); });
}

template <class T>
bool KernelModel<T>::wants_shift(const Batch<T>& batch) const {
  if (batch.sparse || batch.count == 0) return false;
  std::vector<std::int64_t> rows(batch.count);
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  const Centre centre(batch, rows);
  return kernel_.wants_shift(centre.squared_distance(shift_), centre.squared_spread);
}

template <class T>
void KernelModel<T>::learn_in_order(const TrainingBatch<T>& training, std::span<const std::int64_t> order, Tally& tally) {
  std::size_t taken = 0;
  const auto take = [&](Panel<T>& panel) {
    const auto rows = order.subspan(taken, std::min(block_rows<T>(points_.size()), order.size() - taken));
    taken += rows.size();
    panel.take(kernel_, training.batch, rows, training.first_id, shift_);
  };
  // One block is learned, the kernel values of the next are computed and the rows of the one after are fetched, all at the same time.
  auto current = std::make_unique<Panel<T>>(), next = std::make_unique<Panel<T>>(), later = std::make_unique<Panel<T>>();
  take(*next);
  next->reserve(points_, 0);
  fill(*next);
  take(*later);
  while (next->count() != 0 && !tally.monitor.stopped()) {
    std::swap(current, next);
    std::swap(next, later);
    next->take_room(*later);
    next->reserve(points_, largest_block);
    begin_block(*current);
    const std::size_t binary_tasks = binaries_.size();
    parallel_for(threads_for(current->count()), binary_tasks + 1 + next->tasks(points_), [&](std::size_t task) {
      if (task == binary_tasks) return take(*later);
      if (task > binary_tasks) return next->run_task(task - binary_tasks - 1, kernel_, points_);
      visit_until(task, current->count(), *current, training, &tally.monitor);
    }, &tally.monitor);
    next->close(points_);
    // After a stop the others catch up with the binary model that got farthest: whoever goes on does so from one row.
    const std::size_t farthest = *std::max_element(reached_.begin(), reached_.end());
    for (std::size_t m = 0; m < binary_tasks; ++m) visit_until(m, farthest, *current, training, nullptr);
    for (std::size_t p = 0; p < farthest; ++p) count_mistake(training, *current, p, tally);
    for (const std::size_t inserted : inserted_) tally.outcome.inserted += inserted;
    end_block(*current, next.get(), training);
    close_point_gaps(next.get());
    tally.progress.seen = tally.outcome.visited;
    report(tally);
  }
}

template <class T>
void KernelModel<T>::visit_until(std::size_t m, std::size_t stop, const Panel<T>& panel, const TrainingBatch<T>& training, Monitor* monitor) {
  for (std::size_t& p = reached_[m]; p < stop && !(monitor && monitor->stopped()); ++p) {
    const auto row = static_cast<std::size_t>(panel.row_of(p));
    solvers_[m]->age(binaries_[m]);
    visit(m, p, training.labels[row], training.costs[row], training.scored);
  }
}

// All rows before the first that was not visited. Active selection learns in another order: all rows given count.
template <class T>
std::size_t KernelModel<T>::reached(const TrainingBatch<T>& training, std::size_t visited) const {
  if (solvers_[0]->selection().rule != Selection::random) return training.order.size();
  return rows_reached(training.order, training.costs, visited);
}

// Binary models of classes that came late have not seen what the others kept. This shows it to them once, in the order of the stream, since
// slots also move when a decision is asked for. Slots stay where they are until the end; one that only a late model holds may be released on
// the way and is skipped.
template <class T>
void KernelModel<T>::replay_for_late_models(Monitor& monitor) {
  if (late_models_.empty() || monitor.stopped()) return;
  close_all_gaps();
  std::vector<std::size_t> order(points_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) { return points_.id(one) < points_.id(other); });
  for (std::size_t first = 0; first < order.size(); first += largest_block) {
    Panel<T> panel;
    const std::size_t count = std::min(largest_block, order.size() - first);
    const Points<T> held = points_.pick(std::span(order).subspan(first, count));
    panel.look_at(held, 0, count);
    panel.reserve(points_, 0);
    fill(panel);
    begin_block(panel);
    for (const std::size_t m : late_models_)
      for (std::size_t p = 0; p < count; ++p)
        if (known_[p] && scheme_.target(m, held.label(p)) != 0.0) visit_held(m, p, held.label(p), held.cost(p));
    end_block(panel, nullptr, {});
  }
  late_models_.clear();
  close_point_gaps(nullptr);
}

template <class T>
void KernelModel<T>::count_mistake(const TrainingBatch<T>& training, Panel<T>& panel, std::size_t position, Tally& tally) const {
  const std::int64_t row = panel.row_of(position);
  const std::int32_t label = training.labels[static_cast<std::size_t>(row)];
  const std::span<const double> decisions(decisions_.data() + position * binaries_.size(), binaries_.size());
  tally.outcome.log.add(row, decisions, training.recorded);
  const bool decides_all = training.scored || scheme_.kind() == MultiClass::ovr;
  const bool right = decides_all ? scheme_.choose(decisions) == label : scheme_.wins_all(decisions, label);
  if (!right) tally.outcome.add_mistake(tally.outcome.visited);
  ++tally.outcome.visited;
}

template <class T>
void KernelModel<T>::report(Tally& tally) const {
  tally.progress.mistakes = tally.outcome.mistakes;
  tally.progress.support = points_.size() - points_.unused_count();
  tally.progress.measure = 0.0;
  for (const auto& binary : binaries_) tally.progress.measure = std::max(tally.progress.measure, binary.violation());
  tally.monitor.set_progress(tally.progress);
}

template <class T>
Outcome KernelModel<T>::finish(Monitor& monitor, AtEnd at_end) {
  Outcome outcome;
  const std::size_t steps_before = steps();
  const std::size_t threads = binaries_.size() > 1 ? 1 : run().threads;  // of one binary model
  std::vector<std::uint8_t> met(binaries_.size(), 1);
  close_all_gaps();
  points_.list_by_feature();
  attach(nullptr);
  Tally tally{monitor};
  tally.progress.phase = "finish";
  report(tally);
  parallel_for(threads_for(points_.size()), binaries_.size(), [&](std::size_t m) { met[m] = solvers_[m]->finish(binaries_[m], at_end, threads, monitor); },
               &monitor);
  for (auto& binary : binaries_)
    for (const std::size_t slot : binary.members().take_released()) points_.release(slot);
  close_all_gaps();
  outcome.steps = steps() - steps_before;
  outcome.stopped = monitor.stopped();
  outcome.stalled = std::find(met.begin(), met.end(), 0) != met.end();
  return outcome;
}

template <class T>
void KernelModel<T>::count(std::span<const std::size_t> steps, std::size_t kernel_evals) {
  for (std::size_t m = 0; m < binaries_.size(); ++m) binaries_[m].count_steps(steps[m]);
  panel_evals_ += kernel_evals;
}

template <class T>
void KernelModel<T>::polish_all(Monitor& monitor) {
  attach(nullptr);
  for (std::size_t m = 0; m < binaries_.size(); ++m) {
    solvers_[m]->polish(binaries_[m], monitor);
    for (const std::size_t slot : binaries_[m].members().take_released()) points_.release(slot);
  }
  close_all_gaps();
}

template <class T>
std::size_t KernelModel<T>::kernel_evals() const {
  std::size_t total = panel_evals_;
  for (const auto& binary : binaries_) total += binary.rows().kernel_evals();
  return total;
}

template <class T>
std::size_t KernelModel<T>::steps() const {
  std::size_t total = past_steps_;
  for (const auto& binary : binaries_) total += binary.steps();
  return total;
}

template class KernelModel<float>;
template class KernelModel<double>;

}  // namespace hinge
