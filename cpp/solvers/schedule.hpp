// How long the steps of the linear binaries are, and how their iterates are averaged (the mathematics: averaged_sgd.hpp). One schedule serves all binaries of a model.
#pragma once

#include <cstddef>

#include "solvers/averaged_sgd.hpp"

namespace hinge {

struct LinearOptions {
  PointLoss loss;
  bool intercept = true;
  bool adaptive = true;       // else the steps of ASSET, or of ASSET* without an intercept
  double cost = 1.0;          // C
  double total = 0.0;         // examples in the training set, which fixes lambda; 0: a stream, those that have come so far
  double average_share = 0.5;  // of the steps, the last ones, in the average; 0: the number below
  std::size_t average_steps = 0;
  std::size_t planned = 0;    // steps that will be made in all; 0: a stream
  std::size_t threads = 1;
  std::size_t cache_bytes = 200'000'000;  // for features that are kept from pass to pass
};

// What is remembered between two calls.
struct Clock {
  double steps = 0.0;
  double examples = 0.0;  // seen, each counted once
  double owed = 0.0;     // penalty that is not brought in yet
  double averaged = 0.0;  // ASSET: sum of eta_t over the iterates in the average
  double mean = 0.0;      // regression: of the targets so far,
  double squares = 0.0;   // and the sum of their squared deviations from it
  double weight = 0.0;    // mean of the weights so far: weights are looked at relative to it, and C times it
  double unevenness = 0.0;  // mean square of these relative weights
};

class Schedule {
 public:
  // `typical` is the mean squared norm of features; the penalties are the smallest and the largest of any of them.
  Schedule(const LinearOptions& options, double typical, double smallest_penalty, double largest_penalty);

  // Advances the clock by a row of such weight.
  Step next(Clock& clock, double weight, double target) const;

 private:
  double cost(const Clock& clock) const;
  double lambda(const Clock& clock) const;
  // The size of what there is to be learned: 1 for classes, else the spread of the targets.
  double scale(const Clock& clock) const;
  Step adaptive(Clock& clock, double weight) const;
  Step asset(Clock& clock, double weight) const;
  // The share of the newest iterate in an average that is to cover the last steps.
  double recent_share(const Clock& clock) const;

  LinearOptions options_;
  double typical_;
  double smallest_penalty_;
  double largest_penalty_;
};

}  // namespace hinge
