// Linear binaries over the features of one map: one against the rest for each class, or one for a regression.
//
// Rows are turned into features a panel at a time, in tiles over threads; then the binaries go over the panel, each on its own. What was made may be kept from pass
// to pass where there is room for it. The result does not depend on the number of threads.
//
// Most rows of a training set cost nothing after a while, and nothing is learned from them. Where a map has two stages, the first is enough to tell: at the
// start of a panel all its rows are answered, and a binary passes over those that are without a loss for it by a margin that the panel's own steps seldom use up. In a stream, and with the steps of the paper, every row has its turn.
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

// The examples of one call. Targets are class numbers, or values in a regression; rows of weight 0 are passed over.
template <class T>
struct LinearTrainingBatch {
  Batch<T> batch;
  std::span<const double> targets;
  std::span<const double> weights;
  std::int64_t first_id = 0;
  std::span<const std::int64_t> order;
};

// All that the binaries know, as flat arrays: weights[m * dimension + j].
struct LinearState {
  std::vector<double> weights, average, bias, average_bias;
  Clock clock;
  double evaluations = 0.0;
};

template <class T>
class LinearModel {
 public:
  LinearModel(std::unique_ptr<FeatureMap<T>> map, std::vector<double> penalty, double typical, const LinearOptions& options, std::size_t classes);
  LinearModel(std::unique_ptr<FeatureMap<T>> map, std::vector<double> penalty, double typical, const LinearOptions& options, std::size_t classes,
             const LinearState& state);

  void set_options(const LinearOptions& options);
  // Class numbers n.. exist from now on.
  void grow(std::size_t classes);
  Outcome learn(const LinearTrainingBatch<T>& training, Monitor& monitor);
  // What the averaged weights are now, to be asked.
  std::shared_ptr<const Predictor<T>> predictor();
  LinearState state();
  void recall(const LinearState& state);
  // Keeps the features of the rows of one batch from now on, if they fit into the cache; its rows must stay what they are until `release`.
  bool keep(std::size_t rows);
  void release();

  const std::vector<LinearBinaryModel>& binaries() const { return binaries_; }
  const FeatureMap<T>& map() const { return *map_; }
  std::size_t evaluations() const { return evaluations_; }
  // Seen so far, each counted once.
  std::size_t examples() const { return static_cast<std::size_t>(std::max(clock_.examples, options_.total)); }
  std::size_t steps() const { return static_cast<std::size_t>(clock_.steps); }
  void check_invariants() const;

 private:
  // Some rows on their way through the model.
  struct Panel {
    std::span<const std::int64_t> rows;  // of the batch
    std::vector<Block<T>> blocks;        // a tile each
    std::vector<T> made;                 // what is not kept
    std::vector<const T*> features;      // of each row, or their first stage; nothing where there is nothing to be learned
    std::vector<T> gathered, projected;  // both stages of rows that are chosen
    std::vector<std::uint8_t> open;      // row by row, for each binary: there may be something to be learned; empty: there always may
    std::vector<Step> steps;
    std::vector<double> answers;         // row by row, a binary each
    std::vector<double> losses;
  };

  bool selective() const {
    return options_.adaptive && options_.total > 0.0 && options_.loss.kind != LossKind::logistic && map_->raw_dimension() > 0;
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
  LinearOptions options_;
  std::size_t classes_;
  std::vector<LinearBinaryModel> binaries_;
  Clock clock_;
  std::size_t evaluations_ = 0;
  std::unique_ptr<T[]> kept_;       // what was made of kept rows: features, or the first stage of them
  std::vector<std::uint8_t> made_;  // which of them are there
  Panel panel_;                     // here so that a stream of calls uses its memory again
};

}  // namespace hinge
