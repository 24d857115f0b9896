#include "kernel_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "decision.hpp"

namespace hinge {

namespace {

// Removed members slow down every step, and closing gaps touches every row in use: a sixteenth balances the two.
bool too_many_gaps(std::size_t dead, std::size_t size) { return dead > size / 16 + 32; }

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
struct KernelModel<T>::Tally {
  Monitor& monitor;
  Outcome outcome{};
  Progress progress{};
};

template <class T>
KernelModel<T>::KernelModel(Kernel<T> kernel, const SolverFactory<T>& solvers, std::size_t features, bool sparse, std::size_t classes)
    : kernel_(std::move(kernel)), factory_(solvers), points_(features, sparse), classes_(classes) {
  if (classes <= 2)
    add_binary(1);
  else
    for (std::size_t c = 0; c < classes; ++c) add_binary(static_cast<std::int32_t>(c));
  share_cache();
}

template <class T>
void KernelModel<T>::add_binary(std::int32_t positive_class) {
  solvers_.push_back(factory_.make());
  binaries_.emplace_back(positive_class, solvers_.back()->biased(), run().cache_bytes);
  binaries_.back().attach(&kernel_, &points_, nullptr, true);
  binaries_.back().end_building();
}

template <class T>
void KernelModel<T>::share_cache() {
  for (auto& binary : binaries_) binary.set_cache_bytes(run().cache_bytes / binaries_.size());
}

template <class T>
SolverMemory KernelModel<T>::memory() const {
  SolverMemory memory;
  for (const auto& solver : solvers_) solver->save(memory);
  return memory;
}

template <class T>
void KernelModel<T>::set_options(const SolverFactory<T>& solvers) {
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

// The binary model of two classes is also, mirrored, that of the first class against the second.
template <class T>
void KernelModel<T>::grow(std::size_t classes) {
  if (classes <= 2 || classes <= classes_) {
    classes_ = std::max(classes, classes_);
    return;
  }
  std::size_t first_new = classes_;
  if (binaries_.size() == 1 && classes_ <= 2) {
    first_new = 2;
    binaries_.insert(binaries_.begin(), binaries_[0].mirrored(0));
    SolverMemory memory = this->memory();
    solvers_.insert(solvers_.begin(), factory_.make());
    solvers_[0]->restore(memory, 0, 1);
    solvers_[0]->mirror();
    for (std::size_t slot = 0; slot < points_.size(); ++slot) points_.acquire(slot);
  }
  for (std::size_t c = first_new; c < classes; ++c) {
    late_models_.push_back(binaries_.size());
    add_binary(static_cast<std::int32_t>(c));
  }
  share_cache();
  classes_ = classes;
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
  for (auto& binary : binaries_) binary.attach(&kernel_, &points_, nullptr, true);
  stalled_.assign(binaries_.size(), 0);
  if (solvers_[0]->selection().rule == Selection::random)
    learn_in_order(training, order, tally);
  else
    learn_selected(training, order, tally);
  replay_for_late_models(monitor);
  tidy();
  tally.outcome.steps = steps() - steps_before;
  tally.outcome.stopped = monitor.stopped();
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
void KernelModel<T>::fill(Panel<T>& panel) {
  parallel_for(threads_for(panel.count()), panel.tasks(points_),
               [&](std::size_t task) { panel.run_task(task, kernel_, points_); });
  panel.close(points_);
}

template <class T>
void KernelModel<T>::begin_block(Panel<T>& panel) {
  known_.clear();
  for (std::size_t p = 0; p < panel.count(); ++p) known_.push_back(points_.find(panel.block().rows().ids[p]));
  decisions_.assign(panel.count() * binaries_.size(), 0.0);
  reached_.assign(binaries_.size(), 0);
  inserted_.assign(binaries_.size(), 0);
  for (auto& binary : binaries_) binary.attach(&kernel_, &points_, &panel, binaries_.size() == 1);
}

template <class T>
void KernelModel<T>::visit(std::size_t m, std::size_t position, std::int32_t label, double cost) {
  BinaryModel<T>& binary = binaries_[m];
  const bool held = known_[position] && binary.members().holds_slot(*known_[position]);
  const Visit seen = held ? solvers_[m]->revisit(binary, position, *known_[position])
                          : solvers_[m]->visit(binary, position, binary.label_of(label), cost);
  decisions_[position * binaries_.size() + m] = seen.decision;
  inserted_[m] += seen.inserted;
  stalled_[m] |= seen.stalled;
}

template <class T>
std::size_t KernelModel<T>::slot_for(Panel<T>& panel, std::size_t position, const TrainingBatch<T>& training) {
  if (!known_[position]) {
    const auto row = static_cast<std::size_t>(panel.row_of(position));
    known_[position] = points_.append(panel.block().rows(), position, training.labels[row], training.costs[row]);
  }
  return *known_[position];
}

// While the binary models complete their kernel rows, the next block's panel gets the columns of the examples just retained.
template <class T>
void KernelModel<T>::end_block(Panel<T>& panel, Panel<T>* next, const TrainingBatch<T>& training) {
  std::vector<std::vector<std::size_t>> slots(binaries_.size());
  for (std::size_t m = 0; m < binaries_.size(); ++m)
    for (const std::size_t position : binaries_[m].rows().taken_in()) {
      slots[m].push_back(slot_for(panel, position, training));
      points_.acquire(slots[m].back());
    }
  const std::size_t threads = threads_for(panel.count());
  std::vector<std::size_t> first_task(binaries_.size() + 1, 0);
  for (std::size_t m = 0; m < binaries_.size(); ++m) first_task[m + 1] = first_task[m] + binaries_[m].list_incomplete_rows();
  const std::size_t completing = first_task.back();
  parallel_for(threads, completing + (next ? next->tasks(points_) : 0), [&](std::size_t task) {
    if (task >= completing) return next->run_task(task - completing, kernel_, points_);
    const auto owner = std::upper_bound(first_task.begin(), first_task.end(), task) - first_task.begin() - 1;
    binaries_[static_cast<std::size_t>(owner)].complete_rows(task - first_task[static_cast<std::size_t>(owner)]);
  });
  for (std::size_t m = 0; m < binaries_.size(); ++m) binaries_[m].store(slots[m]);
  if (next) next->close(points_);
  panel_evals_ += panel.kernel_values_filled();
  for (auto& binary : binaries_)
    for (const std::size_t slot : binary.take_released()) points_.release(slot);
  for (auto& binary : binaries_)
    if (too_many_gaps(binary.expansion().dead(), binary.expansion().size())) binary.squeeze();
}

template <class T>
void KernelModel<T>::squeeze_points(Panel<T>* next) {
  if (!too_many_gaps(points_.dead(), points_.size())) return;
  const Moves moves = points_.squeeze();
  if (next) next->squeeze(moves);
  for (auto& binary : binaries_) binary.follow(moves);
}

template <class T>
void KernelModel<T>::tidy() {
  for (auto& binary : binaries_) binary.squeeze();
  if (points_.dead() == 0) return;
  const Moves moves = points_.squeeze();
  for (auto& binary : binaries_) binary.follow(moves);
}

template <class T>
void KernelModel<T>::learn_in_order(const TrainingBatch<T>& training, std::span<const std::int64_t> order, Tally& tally) {
  std::size_t taken = 0;
  const auto take = [&](Panel<T>& panel) {
    const auto rows = order.subspan(taken, std::min(block_rows<T>(points_.sparse(), points_.size()), order.size() - taken));
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
      for (std::size_t p = 0; p < current->count() && !tally.monitor.stopped(); ++p) {
        const auto row = static_cast<std::size_t>(current->row_of(p));
        visit(task, p, training.labels[row], training.costs[row]);
        reached_[task] = p + 1;
      }
    }, &tally.monitor);
    next->close(points_);
    const std::size_t reached = *std::min_element(reached_.begin(), reached_.end());
    for (std::size_t p = 0; p < reached; ++p) count_mistake(training, *current, p, tally);
    for (const std::size_t inserted : inserted_) tally.outcome.inserted += inserted;
    end_block(*current, next.get(), training);
    squeeze_points(next.get());
    tally.progress.seen = tally.outcome.visited;
    report(tally);
  }
}

template <class T>
void KernelModel<T>::learn_selected(const TrainingBatch<T>& training, std::span<const std::int64_t> order, Tally& tally) {
  // Until every binary model has members of both classes there is no boundary to be close to: the first examples are learned in order.
  const ExampleSelection selection = solvers_[0]->selection();
  const std::size_t unselected = selection.unselected_per_class * std::max<std::size_t>(classes_, 2);
  std::size_t first = points_.size() == 0 ? std::min(order.size(), unselected) : 0;
  learn_in_order(training, order.first(first), tally);
  const auto lacks_pair = [](const BinaryModel<T>& binary) { return !binary.bracket().has_pair(); };
  while (first < order.size() && !tally.monitor.stopped() && std::any_of(binaries_.begin(), binaries_.end(), lacks_pair)) {
    const auto rows = order.subspan(first, std::min(lane_padding, order.size() - first));
    learn_in_order(training, rows, tally);
    first += rows.size();
  }
  Selector selector(selection.rule, selection.pool_size, order.subspan(first), training.seed);
  Panel<T> panel;
  for (std::size_t idle_draws = 0; idle_draws < Selector::max_idle_draws && !tally.monitor.stopped();) {
    const auto rows = selector.draw(largest_block);
    if (rows.empty()) return;
    panel.take(kernel_, training.batch, rows, training.first_id, shift_);
    panel.reserve(points_, 0);
    fill(panel);
    begin_block(panel);
    for (std::size_t first = 0; first < rows.size(); first += selector.draw_size()) {
      const std::size_t visited = tally.outcome.visited;
      learn_draw(training, panel, first, std::min(first + selector.draw_size(), rows.size()), selector, tally);
      idle_draws = tally.outcome.visited == visited ? idle_draws + 1 : 0;
    }
    for (const std::size_t inserted : inserted_) tally.outcome.inserted += inserted;
    end_block(panel, nullptr, training);
    squeeze_points(nullptr);
    report(tally);
  }
}

// One choice: all binary models learn the best candidate of the draw, unless even it lies outside the margin.
template <class T>
void KernelModel<T>::learn_draw(const TrainingBatch<T>& training, Panel<T>& panel, std::size_t first, std::size_t last,
                         Selector& selector, Tally& tally) {
  const std::size_t count = binaries_.size();
  std::vector<double> labels(count);
  double widest = 0.0;
  for (const auto& binary : binaries_) widest = std::max(widest, binary.gap());
  const double margin = 1.0 + 0.5 * widest;
  std::optional<std::size_t> best;
  double best_score = margin;
  for (std::size_t p = first, inside = 0; p < last && !selector.satisfied(inside); ++p) {
    if (selector.processed(panel.row_of(p))) continue;
    const auto row = static_cast<std::size_t>(panel.row_of(p));
    for (std::size_t m = 0; m < count; ++m) {
      decisions_[p * count + m] = binaries_[m].sum(p) + binaries_[m].bias();
      labels[m] = binaries_[m].label_of(training.labels[row]);
    }
    const double score = selector.score({decisions_.data() + p * count, count}, labels);
    inside += score < margin;
    if (score < best_score) best_score = score, best = p;
  }
  if (!best) return;
  const auto row = static_cast<std::size_t>(panel.row_of(*best));
  for (std::size_t m = 0; m < count; ++m) visit(m, *best, training.labels[row], training.costs[row]);
  selector.mark(panel.row_of(*best));
  count_mistake(training, panel, *best, tally);
  tally.progress.seen = tally.outcome.visited;
}

// Binary models of classes that came late have not seen what the others kept. This shows it to them once, in the order of the stream, since
// slots also move when a decision is asked for. Slots stay where they are until the end; one that only a late model holds may be released on
// the way and is skipped.
template <class T>
void KernelModel<T>::replay_for_late_models(Monitor& monitor) {
  if (late_models_.empty() || monitor.stopped()) return;
  tidy();
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
        if (known_[p]) visit(m, p, held.label(p), held.cost(p));
    end_block(panel, nullptr, {});
  }
  late_models_.clear();
  squeeze_points(nullptr);
}

template <class T>
void KernelModel<T>::count_mistake(const TrainingBatch<T>& training, Panel<T>& panel, std::size_t position, Tally& tally) const {
  const std::int32_t label = training.labels[static_cast<std::size_t>(panel.row_of(position))];
  const double* decisions = decisions_.data() + position * binaries_.size();
  std::int32_t guess = decisions[0] > 0 ? 1 : 0;
  if (binaries_.size() > 1)
    guess = binaries_[static_cast<std::size_t>(std::max_element(decisions, decisions + binaries_.size()) - decisions)].positive_class();
  if (guess != label) tally.outcome.add_mistake(tally.outcome.visited);
  ++tally.outcome.visited;
}

template <class T>
void KernelModel<T>::report(Tally& tally) const {
  tally.progress.mistakes = tally.outcome.mistakes;
  tally.progress.support = points_.size() - points_.dead();
  tally.progress.gap = 0.0;
  for (const auto& binary : binaries_) tally.progress.gap = std::max(tally.progress.gap, binary.gap());
  tally.monitor.set_progress(tally.progress);
}

template <class T>
Outcome KernelModel<T>::finish(Monitor& monitor) {
  Outcome outcome;
  const std::size_t steps_before = steps();
  const std::size_t threads = binaries_.size() > 1 ? 1 : run().threads;  // of one binary model
  std::vector<std::uint8_t> met(binaries_.size(), 1);
  tidy();
  for (auto& binary : binaries_) binary.attach(&kernel_, &points_, nullptr, true);
  Tally tally{monitor};
  tally.progress.phase = "finish";
  report(tally);
  parallel_for(run().threads, binaries_.size(), [&](std::size_t m) { met[m] = solvers_[m]->finish(binaries_[m], threads, monitor); },
               &monitor);
  for (auto& binary : binaries_)
    for (const std::size_t slot : binary.take_released()) points_.release(slot);
  tidy();
  outcome.steps = steps() - steps_before;
  outcome.stopped = monitor.stopped();
  outcome.stalled = std::find(met.begin(), met.end(), 0) != met.end();
  return outcome;
}

template <class T>
void KernelModel<T>::polish_all(Monitor& monitor) {
  for (std::size_t m = 0; m < binaries_.size(); ++m) {
    BinaryModel<T>& binary = binaries_[m];
    binary.attach(&kernel_, &points_, nullptr, true);
    solvers_[m]->polish(binary, monitor);
    for (const std::size_t slot : binary.take_released()) points_.release(slot);
  }
  tidy();
}

template <class T>
std::size_t KernelModel<T>::kernel_evals() const {
  std::size_t total = panel_evals_;
  for (const auto& binary : binaries_) total += binary.kernel_evals();
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
