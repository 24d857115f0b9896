// What a machine does with the next example. The bank shows examples to machines and knows nothing else of the algorithms.
#pragma once

#include <cstddef>
#include <memory>

#include "machine.hpp"
#include "options.hpp"

namespace hinge {

struct Visit {
  double decision;  // before learning, bias included
  bool inserted;
};

template <class T>
class Solver {
 public:
  virtual ~Solver() = default;
  // One online iteration with the block's example at `position`.
  virtual Visit visit(Machine<T>& machine, std::size_t position, double label, double cost) const = 0;
  // The same for an example that is in the machine's slot already.
  virtual Visit revisit(Machine<T>& machine, std::size_t position, std::size_t slot) const = 0;
};

template <class T>
std::unique_ptr<Solver<T>> make_solver(const Options& options);

// Machines of these have a bias, and move coefficients in pairs.
constexpr bool is_biased(Algorithm algorithm) { return algorithm == Algorithm::lasvm; }

}  // namespace hinge
