// Tracking: Usunier, Bordes, Bottou, "Guarantees for Approximate Incremental SVMs", AISTATS 2010. No bias.
//
// After each new example K steps of dual coordinate ascent on members picked uniformly among the t examples seen: alpha_i moves by
// g_i / K_ii inside its box. Algorithm 2 first makes such a step on the new example itself ("process"). The prediction averages the coefficients
// over the K steps: a step of length d made as step k is missing from the k - 1 before it (see expansion.hpp, lag).
//
// Algorithms 1 and 2 keep all examples, so that member i is the i-th example seen. The variant of section 5.2 keeps those with a coefficient
// only; a pick of any other example is skipped. Members then change places when gaps are closed, and a pick must not depend on when
// that is: each has the same probability 1 / t, and which one it is depends on ids alone.
#pragma once

#include <cstddef>
#include <optional>
#include <tuple>

#include "options.hpp"
#include "solvers/solver.hpp"

namespace hinge {

struct TrackingMemory {
  std::size_t visits = 0, draws = 0;

  static constexpr auto fields = std::tuple{Field{"visits", &TrackingMemory::visits, "Examples seen so far (t)."},
                                            Field{"draws", &TrackingMemory::draws, "Times that K random steps were made."}};
};

template <class T>
class Tracking : public SolverWith<T, TrackingOptions, TrackingMemory> {
 public:
  using SolverWith<T, TrackingOptions, TrackingMemory>::SolverWith;

  Visit visit(BinaryModel<T>& binary, std::size_t position, double label, double cost) override;
  Visit revisit(BinaryModel<T>& binary, std::size_t position, std::size_t slot) override;
  bool finish(BinaryModel<T>& binary, AtEnd at_end, std::size_t threads, Monitor& monitor) override;

 private:
  using SolverWith<T, TrackingOptions, TrackingMemory>::options_;
  using SolverWith<T, TrackingOptions, TrackingMemory>::memory_;

  void track(BinaryModel<T>& binary);
  std::optional<std::size_t> pick(const BinaryModel<T>& binary, std::size_t step) const;
  void reset_average(BinaryModel<T>& binary) const;
  void remove_idle(BinaryModel<T>& binary) const;
};

}  // namespace hinge
