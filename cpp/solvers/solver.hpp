// What a binary does with the next example. The model shows examples to binaries and knows nothing else of the algorithms.
#pragma once

#include <cstddef>
#include <memory>

#include "binary_model.hpp"
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
  virtual Visit visit(BinaryModel<T>& binary, std::size_t position, double label, double cost) const = 0;
  // The same for an example that is in the binary's slot already.
  virtual Visit revisit(BinaryModel<T>& binary, std::size_t position, std::size_t slot) const = 0;
};

template <class T>
std::unique_ptr<Solver<T>> make_solver(const Options& options);

// Binary models of these have a bias, and move coefficients in pairs.
constexpr bool is_biased(Algorithm algorithm) { return algorithm == Algorithm::lasvm; }

}  // namespace hinge
