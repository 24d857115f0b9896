// Tracking: Usunier, Bordes, Bottou, "Guarantees for Approximate Incremental SVMs", AISTATS 2010. No bias.
//
// After each new example K steps of dual coordinate ascent on members picked uniformly among the t examples seen: alpha_i moves by
// g_i / K_ii inside its box. Algorithm 2 first makes such a step on the new example itself ("process"). The answer averages the coefficients
// over the K steps: a step of length d made as step k is missing from the k - 1 before it (see expansion.hpp, lag).
//
// Algorithms 1 and 2 keep all examples, so that member i is the i-th example seen. The variant of section 5.2 keeps those with a coefficient
// only; a pick of any other example is passed over. Members then change places when gaps are closed, and a pick must not depend on when
// that is: each has the same chance 1 / t, and who it is depends on ids alone.
#pragma once

#include <cstddef>
#include <optional>

#include "solvers/solver.hpp"

namespace hinge {

template <class T>
class Tracking : public Solver<T> {
 public:
  explicit Tracking(const Options& options) : options_(options) {}

  Visit visit(BinaryModel<T>& binary, std::size_t position, double label, double cost) const override;
  Visit revisit(BinaryModel<T>& binary, std::size_t position, std::size_t slot) const override;

 private:
  void track(BinaryModel<T>& binary) const;
  std::optional<std::size_t> picked(const BinaryModel<T>& binary, std::size_t step) const;
  void forget_average(BinaryModel<T>& binary) const;
  void dismiss_idle(BinaryModel<T>& binary) const;

  Options options_;
};

}  // namespace hinge
