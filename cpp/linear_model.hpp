// Linear binary models over the features of one map: one against the rest for each class, or one for a regression.
//
// Rows are turned into features one panel at a time, in tiles over threads; then each binary model goes over the panel. Features may be kept from
// pass to pass where there is memory for them. The result does not depend on the number of threads.
//
// Most rows of a training set have no loss after a while, and nothing is learned from them. Where a map has two stages, the first is enough to tell: at
// the start of a panel the first stage decides on all its rows, and a binary model skips those without a loss by a margin that the steps of one panel
// seldom use up. In a stream, and with the steps of the paper, no row is skipped.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "examples.hpp"
#include "features.hpp"
#include "options.hpp"
#include "parallel.hpp"
#include "predictor.hpp"
#include "solvers/averaged_sgd.hpp"
#include "solvers/schedule.hpp"

namespace hinge {

// The examples of one call. Targets are class numbers, or values in a regression; rows of weight 0 are skipped.
template <class T>
struct LinearTrainingBatch {
  Batch<T> batch;
  std::span<const double> targets;
  std::span<const double> weights;
  std::int64_t first_id = 0;
  std::span<const std::int64_t> order;
  std::size_t recorded = 0;  // of so many of the last examples, decision values are recorded
};

// All that the binary models know, as flat arrays: weights[m * dimension + j].
struct LinearState {
  std::vector<double> weights, average, bias, average_bias;
  ScheduleMemory schedule;
  double evaluations = 0.0;
};

template <class T>
class LinearModel {
 public:
  LinearModel(std::unique_ptr<FeatureMap<T>> map, std::vector<double> penalty, double typical, const LinearOptions& options, std::size_t classes);
  LinearModel(std::unique_ptr<FeatureMap<T>> map, std::vector<double> penalty, double typical, const LinearOptions& options, std::size_t classes,
             const LinearState& state);

  void set_options(const LinearOptions& options);
  // Adds classes, up to this number.
  void grow(std::size_t classes);
  Outcome learn(const LinearTrainingBatch<T>& training, Monitor& monitor);
  // What the averaged weights are now, to be asked.
  std::shared_ptr<const Predictor<T>> predictor() const;
  LinearState state() const;
  void recall(const LinearState& state);
  // Keeps the features of the rows of one batch from now on, if they fit into the cache; its rows must stay what they are until `release`.
  bool keep(std::size_t rows);
  void release();
  // What is kept of each row of that batch: features or, in `fit`, their first stage if there is one; zeros for rows that were not learned.
  std::vector<T> kept() const;

  const std::vector<LinearBinaryModel>& binaries() const { return binaries_; }
  const FeatureMap<T>& map() const { return *map_; }
  std::size_t evaluations() const { return evaluations_; }
  // Examples seen so far, each counted once.
  std::size_t examples() const { return static_cast<std::size_t>(std::max(schedule_.examples, options_.total)); }
  std::size_t steps() const { return static_cast<std::size_t>(schedule_.steps); }
  void check_invariants() const;

 private:
  // Rows that are learned together.
  struct Panel {
    std::span<const std::int64_t> rows;  // of the batch
    std::vector<Block<T>> blocks;        // one per tile
    std::vector<T> made;                 // what is not kept
    std::vector<const T*> features;      // of each row, or their first stage; null where the row is skipped
    std::vector<T> gathered, projected;  // both stages of rows that are chosen
    std::vector<std::uint8_t> open;      // for each row and binary model: it is not skipped; empty: none is
    std::vector<Step> steps;
    std::vector<double> answers;         // for each row and binary model
    std::vector<double> losses;
  };

  bool selective() const {
    return options_.steps == StepRule::adaptive && options_.total > 0.0 && options_.loss != LossKind::logistic && map_->raw_dimension() > 0;
  }
  std::size_t made_size() const { return selective() ? map_->raw_dimension() : map_->dimension(); }
  std::size_t panel_rows() const;
  void make(const LinearTrainingBatch<T>& training, Panel& panel);
  void choose(const LinearTrainingBatch<T>& training, Panel& panel);
  void plan(const LinearTrainingBatch<T>& training, Panel& panel);
  void run(const LinearTrainingBatch<T>& training, Panel& panel);
  void count(const LinearTrainingBatch<T>& training, const Panel& panel, Outcome& outcome, Progress& progress) const;
  double target_of(double target, std::size_t binary) const;

  std::shared_ptr<const FeatureMap<T>> map_;
  std::vector<double> penalty_;
  double typical_;
  PointLoss loss() const { return {options_.loss, options_.epsilon}; }

  LinearOptions options_;
  std::size_t classes_;
  std::vector<LinearBinaryModel> binaries_;
  ScheduleMemory schedule_;
  std::size_t evaluations_ = 0;
  std::unique_ptr<T[]> kept_;       // features of kept rows, or their first stage
  std::vector<std::uint8_t> made_;  // which of them have been computed
  Panel panel_;                     // a member, so that a stream of calls uses its memory again
};

}  // namespace hinge
