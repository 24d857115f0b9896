// What the caller may choose; plain data.
#pragma once

#include <cstddef>
#include <limits>

namespace hinge {

enum class Selection { random, gradient, active, autoactive };

struct Options {
  double tolerance = 1e-3;    // tau
  bool second_order = true;   // pair choice when finishing: second order, or the maximal gradient of the paper
  double max_gap = std::numeric_limits<double>::infinity();  // delta_max of figure 10
  std::size_t max_support = 0;                               // members a machine may keep; 0: no bound
  std::size_t cache_bytes = 200'000'000;
  Selection selection = Selection::random;
  std::size_t pool_size = 50;
  std::size_t threads = 1;
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
