#include "linear_model.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "loops.hpp"

namespace hinge {

namespace {

constexpr std::size_t tile_rows = 512;
constexpr std::size_t panel_bytes = 1 << 24;
constexpr std::size_t min_values_for_threads = 1 << 19;  // values to be changed

}  // namespace

template <class T>
LinearModel<T>::LinearModel(std::unique_ptr<FeatureMap<T>> map, std::vector<double> penalty, double typical, const LinearOptions& options,
                          std::size_t classes)
    : map_(std::move(map)), penalty_(std::move(penalty)), typical_(typical), options_(options), classes_(classes) {
  binaries_.assign(classes > 2 ? classes : 1, LinearBinaryModel(map_->dimension()));
}

template <class T>
LinearModel<T>::LinearModel(std::unique_ptr<FeatureMap<T>> map, std::vector<double> penalty, double typical, const LinearOptions& options,
                          std::size_t classes, const LinearState& state)
    : LinearModel(std::move(map), std::move(penalty), typical, options, classes) {
  recall(state);
}

template <class T>
void LinearModel<T>::recall(const LinearState& state) {
  const std::size_t length = map_->dimension();
  for (std::size_t m = 0; m < binaries_.size(); ++m)
    binaries_[m] = LinearBinaryModel(std::span(state.weights).subspan(m * length, length), std::span(state.average).subspan(m * length, length),
                                 state.bias[m], state.average_bias[m]);
  schedule_ = state.schedule;
  evaluations_ = std::max(evaluations_, static_cast<std::size_t>(state.evaluations));
}

template <class T>
void LinearModel<T>::set_options(const LinearOptions& options) {
  schedule_.examples = std::max(schedule_.examples, options_.total);  // a training set has been seen when a stream follows it
  const std::size_t size = made_size();
  options_ = options;
  if (made_size() != size) release();
}

// All examples so far are negative for a new class: the best binary model for them decides -1.
template <class T>
void LinearModel<T>::grow(std::size_t classes) {
  if (classes > 2 && classes > classes_) {
    if (binaries_.size() == 1) binaries_.insert(binaries_.begin(), binaries_[0].mirrored());
    while (binaries_.size() < classes) {
      binaries_.emplace_back(map_->dimension());
      if (options_.intercept && schedule_.steps > 0.0) binaries_.back().set_bias(-1.0);
    }
  }
  classes_ = std::max(classes, classes_);
}

template <class T>
std::size_t LinearModel<T>::panel_rows() const {
  const std::size_t most = panel_bytes / (sizeof(T) * std::max(map_->dimension(), map_->raw_dimension()));
  const std::size_t rows = std::clamp<std::size_t>(most, 1, 4 * tile_rows);
  return selective() ? std::clamp(static_cast<std::size_t>(options_.total) / 16, std::size_t{1}, rows) : rows;
}

template <class T>
Outcome LinearModel<T>::learn(const LinearTrainingBatch<T>& training, Monitor& monitor) {
  std::vector<std::int64_t> order;
  for (const std::int64_t row : training.order)
    if (training.weights[static_cast<std::size_t>(row)] > 0.0) order.push_back(row);
  if (!made_.empty() && made_.size() != training.batch.count) release();
  Outcome outcome;
  Progress progress{"steps", 0, order.size(), 0, map_->dimension(), 0.0};
  Panel& panel = panel_;
  if (schedule_.steps == 0.0 && loss().regression() && options_.intercept && !order.empty())
    binaries_[0].set_bias(training.targets[static_cast<std::size_t>(order[0])]);
  for (std::size_t first = 0, size = panel_rows(); first < order.size() && !monitor.stopped(); first += size) {
    panel.rows = std::span(order).subspan(first, std::min(size, order.size() - first));
    make(training, panel);
    choose(training, panel);
    plan(training, panel);
    run(training, panel);
    count(training, panel, outcome, progress);
    monitor.set_progress(progress);
  }
  for (LinearBinaryModel& binary : binaries_) binary.fold_scale();  // what follows may look, and changes nothing
  outcome.log.keep_last(training.recorded);
  outcome.stopped = monitor.stopped();
  outcome.reached = rows_reached(training.order, training.weights, outcome.visited);
  return outcome;
}

// Kept features are read where they are. The others are computed, tile by tile, and kept if there is memory.
template <class T>
void LinearModel<T>::make(const LinearTrainingBatch<T>& training, Panel& panel) {
  const std::size_t length = made_size();
  const bool first_stage = selective();
  std::vector<std::int64_t> missing;
  for (const std::int64_t row : panel.rows) {
    if (!made_.empty() && std::exchange(made_[static_cast<std::size_t>(row)], std::uint8_t{1})) continue;  // kept, or in this panel already
    missing.push_back(row);
  }
  panel.made.resize(missing.size() * length);
  evaluations_ += missing.size() * map_->row_evaluations();
  const std::size_t tiles = (missing.size() + tile_rows - 1) / tile_rows;
  if (panel.blocks.size() < tiles) panel.blocks.resize(tiles);
  parallel_for(map_->threads_for(missing.size(), options_.threads), tiles, [&](std::size_t tile) {
    const std::size_t first = tile * tile_rows, count = std::min(tile_rows, missing.size() - first);
    const std::span<const std::int64_t> rows = std::span<const std::int64_t>(missing).subspan(first, count);
    T* target = panel.made.data() + first * length;
    Block<T>& block = panel.blocks[tile];
    map_->take(block, training.batch, rows, training.first_id);
    first_stage ? map_->fill_raw(block, target) : map_->fill(block, target);
    for (std::size_t r = 0; r < count && !made_.empty(); ++r)
      std::copy_n(target + r * length, length, kept_.get() + static_cast<std::size_t>(rows[r]) * length);
  });
  panel.features.clear();
  for (std::size_t r = 0; r < panel.rows.size(); ++r) {
    const auto row = static_cast<std::size_t>(panel.rows[r]);
    panel.features.push_back(made_.empty() ? panel.made.data() + r * length : kept_.get() + row * length);
  }
}

// Decides on all rows by the first stage of their features, and computes the second for those that are not skipped.
template <class T>
void LinearModel<T>::choose(const LinearTrainingBatch<T>& training, Panel& panel) {
  panel.open.clear();
  if (!selective()) return;
  const std::size_t binaries = binaries_.size(), rows = panel.rows.size(), raw = map_->raw_dimension(), length = map_->dimension();
  std::vector<double> weights;
  for (LinearBinaryModel& binary : binaries_) {
    binary.fold_scale();
    weights.insert(weights.end(), binary.weights().begin(), binary.weights().end());
  }
  const std::vector<double> folded = map_->folded(weights, binaries);
  std::vector<std::uint8_t> chosen_rows(rows, 0);
  panel.open.assign(rows * binaries, 0);
  panel.answers.resize(rows * binaries);
  parallel_for(map_->threads_for(rows, options_.threads), (rows + tile_rows - 1) / tile_rows, [&](std::size_t tile) {
    for (std::size_t r = tile * tile_rows; r < std::min(rows, (tile + 1) * tile_rows); ++r)
      for (std::size_t m = 0; m < binaries; ++m) {
        const double answer = loops<T>().dot(panel.features[r], folded.data() + m * raw, raw) + binaries_[m].bias();
        const double target = target_of(training.targets[static_cast<std::size_t>(panel.rows[r])], m);
        panel.answers[r * binaries + m] = answer;
        panel.open[r * binaries + m] = !loss().is_safe(answer, target);
        chosen_rows[r] |= panel.open[r * binaries + m];
      }
  });
  panel.gathered.clear();
  std::size_t chosen = 0;
  for (std::size_t r = 0; r < rows; ++r)
    if (chosen_rows[r]) panel.gathered.insert(panel.gathered.end(), panel.features[r], panel.features[r] + raw), ++chosen;
  panel.projected.resize(chosen * length);
  parallel_for(map_->threads_for(chosen, options_.threads), (chosen + tile_rows - 1) / tile_rows, [&](std::size_t tile) {
    const std::size_t first = tile * tile_rows, count = std::min(tile_rows, chosen - first);
    map_->project(panel.gathered.data() + first * raw, count, panel.projected.data() + first * length);
  });
  const T* next = panel.projected.data();
  for (std::size_t r = 0; r < rows; ++r) {
    panel.features[r] = chosen_rows[r] ? next : nullptr;
    if (chosen_rows[r]) next += length;
  }
}

template <class T>
void LinearModel<T>::plan(const LinearTrainingBatch<T>& training, Panel& panel) {
  const auto [smallest, largest] = std::minmax_element(penalty_.begin(), penalty_.end());
  const Schedule schedule(options_, typical_, *smallest, *largest);
  panel.steps.clear();
  for (const std::int64_t place : panel.rows) {
    const auto row = static_cast<std::size_t>(place);
    panel.steps.push_back(schedule.next(schedule_, training.weights[row], training.targets[row]));
  }
}

template <class T>
double LinearModel<T>::target_of(double target, std::size_t binary) const {
  if (loss().regression()) return target;
  const double own = binaries_.size() == 1 ? 1.0 : static_cast<double>(binary);
  return target == own ? 1.0 : -1.0;
}

// Each binary model goes over the whole panel, independently of the others.
template <class T>
void LinearModel<T>::run(const LinearTrainingBatch<T>& training, Panel& panel) {
  const std::size_t binaries = binaries_.size(), rows = panel.rows.size();
  panel.answers.resize(rows * binaries);
  panel.losses.assign(binaries, 0.0);
  const std::size_t threads = rows * binaries * map_->dimension() < min_values_for_threads ? 1 : options_.threads;
  parallel_for(threads, binaries, [&](std::size_t m) {
    for (std::size_t r = 0; r < rows; ++r) {
      const double target = target_of(training.targets[static_cast<std::size_t>(panel.rows[r])], m);
      double& answer = panel.answers[r * binaries + m];
      if (!panel.open.empty() && !panel.open[r * binaries + m])
        binaries_[m].pass(panel.steps[r], penalty_);
      else
        answer = binaries_[m].learn(panel.features[r], target, panel.steps[r], loss(), penalty_, options_.intercept);
      panel.losses[m] += loss().value(answer, target);
    }
  });
}

// Counts mistakes on rows that had not been learned yet.
template <class T>
void LinearModel<T>::count(const LinearTrainingBatch<T>& training, const Panel& panel, Outcome& outcome, Progress& progress) const {
  const std::size_t binaries = binaries_.size(), rows = panel.rows.size();
  for (std::size_t r = 0; r < rows && !loss().regression(); ++r) {
    const double* answers = panel.answers.data() + r * binaries;
    outcome.log.add(panel.rows[r], {answers, binaries}, training.recorded);
    const std::ptrdiff_t chosen = binaries == 1 ? (answers[0] > 0.0 ? 1 : 0) : std::max_element(answers, answers + binaries) - answers;
    if (static_cast<double>(chosen) != training.targets[static_cast<std::size_t>(panel.rows[r])]) outcome.add_mistake(outcome.visited + r);
  }
  const double before = progress.measure * static_cast<double>(outcome.visited);
  outcome.visited += rows;
  outcome.steps += rows;
  progress.seen = outcome.visited;
  progress.mistakes = outcome.mistakes;
  progress.measure = (before + std::accumulate(panel.losses.begin(), panel.losses.end(), 0.0)) / static_cast<double>(outcome.visited);
}

template <class T>
std::shared_ptr<const Predictor<T>> LinearModel<T>::predictor() const {
  LinearState known = state();
  std::vector<double> folded = map_->folded(known.average, binaries_.size());
  return std::make_shared<const LinearPredictor<T>>(map_, std::move(folded), std::move(known.average_bias), std::min(tile_rows, panel_rows()));
}

template <class T>
LinearState LinearModel<T>::state() const {
  LinearState state;
  for (const LinearBinaryModel& binary : binaries_) {
    state.weights.insert(state.weights.end(), binary.weights().begin(), binary.weights().end());
    state.average.insert(state.average.end(), binary.average().begin(), binary.average().end());
    state.bias.push_back(binary.bias());
    state.average_bias.push_back(binary.average_bias());
  }
  state.schedule = schedule_;
  state.evaluations = static_cast<double>(evaluations_);
  state.schedule.examples = std::max(schedule_.examples, options_.total);
  return state;
}

template <class T>
bool LinearModel<T>::keep(std::size_t rows) {
  release();
  const std::size_t length = made_size();
  if (rows > options_.cache_bytes / (length * sizeof(T))) return false;
  kept_ = std::make_unique_for_overwrite<T[]>(rows * length);
  made_.assign(rows, 0);
  return true;
}

template <class T>
std::vector<T> LinearModel<T>::kept() const {
  const std::size_t length = made_size();
  std::vector<T> values(made_.size() * length, T{0});
  for (std::size_t row = 0; row < made_.size(); ++row)
    if (made_[row]) std::copy_n(kept_.get() + row * length, length, values.begin() + static_cast<std::ptrdiff_t>(row * length));
  return values;
}

template <class T>
void LinearModel<T>::release() {
  kept_ = {};
  made_ = {};
  panel_ = {};
}

template class LinearModel<float>;
template class LinearModel<double>;

}  // namespace hinge
