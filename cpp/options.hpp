// What the caller may choose; plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace hinge {

enum class Algorithm { lasvm, robust, tracking, perceptron, incremental };
enum class Selection { random, gradient, active, autoactive };
enum class Loss { hinge, ramp, ignore, full };  // the variants G, NC, I and FULL of solvers/robust.hpp

enum class Problem { classifier, plane, sphere };    // what solvers/exact_binary_model.hpp solves

struct Options {
  Algorithm algorithm = Algorithm::lasvm;
  double tolerance = 1e-3;    // tau
  bool second_order = true;   // pair choice when finishing: second order, or the maximal gradient of the paper
  double max_gap = std::numeric_limits<double>::infinity();  // delta_max of figure 10
  std::size_t max_support = 0;                               // members a binary may keep; 0: no bound
  std::size_t max_steps = 0;                                 // of one finishing; 0: as many as it takes, within reason
  std::size_t cache_bytes = 200'000'000;
  Selection selection = Selection::random;
  std::size_t pool_size = 50;
  std::size_t threads = 1;
  // robust
  Loss loss = Loss::ramp;
  double ramp = -1.0;             // where the loss becomes flat
  std::size_t warmup = 0;         // support vectors before it does
  std::size_t max_idle = 0;       // members without a coefficient that may stay
  std::size_t clean_every = 1;    // examples between two looks at them
  // tracking
  std::size_t n_steps = 10;       // K
  bool process = true;            // Algorithm 2
  bool keep_all = true;           // examples without a coefficient stay, as in Algorithms 1 and 2; else the variant of section 5.2
  // tracking, perceptron
  bool average = false;           // answer with averaged coefficients
  std::uint64_t seed = 0;         // of random steps
  // perceptron
  double margin = 0.0;            // answers up to this count as mistakes
  // incremental
  Problem problem = Problem::classifier;
  double nu = 1.0;                // one-class: the coefficients add up to this share of their bounds,
  double most_total = std::numeric_limits<double>::infinity();  // or to this, if that is less
  std::size_t max_examples = 0;   // that a binary may hold; 0: no bound
  bool oldest_first = false;      // who leaves then: the oldest, or else the least relevant
};

// How one call went.
struct Outcome {
  std::size_t visited = 0;
  std::size_t inserted = 0;
  std::size_t mistakes = 0;
  std::size_t steps = 0;
  bool stopped = false;
  bool stalled = false;
};

}  // namespace hinge
