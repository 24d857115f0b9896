// How long the steps of the linear models are, and how their iterates are averaged (the mathematics: averaged_sgd.hpp). One schedule serves all binary
// models of a model.
#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "options.hpp"
#include "solvers/averaged_sgd.hpp"

namespace hinge {

// What a schedule remembers from row to row, and in the saved state.
struct ScheduleMemory {
  double steps = 0.0;
  double examples = 0.0;
  double penalty_total = 0.0;
  double penalty_due = 0.0;
  double averaged_length = 0.0;
  double target_mean = 0.0;
  double target_squares = 0.0;
  double weight_mean = 0.0;
  double weight_squares = 0.0;

  static constexpr auto fields =
      std::tuple{Field{"n_steps", &ScheduleMemory::steps, "Steps so far."},
                 Field{"n_examples", &ScheduleMemory::examples, "Examples so far, each counted once, or less if a stream forgets them."},
                 Field{"penalty_total", &ScheduleMemory::penalty_total, "ASSET: examples that lambda refers to; 0: not given yet."},
                 Field{"penalty_due", &ScheduleMemory::penalty_due, "Penalty that the weights have not been given yet."},
                 Field{"averaged_length", &ScheduleMemory::averaged_length, "ASSET: sum of the lengths of the steps in the average."},
                 Field{"target_mean", &ScheduleMemory::target_mean, "Mean of the targets,"},
                 Field{"target_squares", &ScheduleMemory::target_squares, "and the sum of their squared deviations from it."},
                 Field{"weight_mean", &ScheduleMemory::weight_mean, "Mean of the weights: each counts relative to it, and C times it."},
                 Field{"weight_squares", &ScheduleMemory::weight_squares, "Mean square of these relative weights."}};
};

class Schedule {
 public:
  // `typical` is the mean squared norm of features; the penalties are the smallest and the largest of any of them.
  Schedule(const LinearOptions& options, double typical, double smallest_penalty, double largest_penalty);

  // Advances the memory by a row of such weight.
  Step next(ScheduleMemory& memory, double weight, double target) const;

 private:
  double cost(const ScheduleMemory& memory) const;
  double lambda(const ScheduleMemory& memory) const;
  // Steps that still count: all of them, or as many as the memory of a stream is long.
  double recent_steps(const ScheduleMemory& memory) const { return std::min(memory.steps, memory_length_); }
  // The size of what is learned: 1 for classes, else the spread of the targets.
  double scale(const ScheduleMemory& memory) const;
  Step adaptive(ScheduleMemory& memory, double weight) const;
  Step asset(ScheduleMemory& memory, double weight) const;
  // lambda of ASSET, which must not depend on how many examples have come.
  double constant_lambda(ScheduleMemory& memory) const;
  // The share of the newest iterate in an average that is to cover the last steps.
  double recent_share(const ScheduleMemory& memory) const;

  LinearOptions options_;
  PointLoss loss_;
  double typical_;
  double smallest_penalty_;
  double largest_penalty_;
  double retention_;      // what one row leaves of the weight of earlier examples
  double memory_length_;  // 1 + retention + retention^2 + ...
};

}  // namespace hinge
