// FINISHING: REPROCESS until no pair violates, with shrinking.
//
// Members at a bound whose gradient pushes them further out cannot be part of a violating pair as long as the bracket only narrows:
// one that may only rise with g < bottom, one that may only fall with g > top. When they are many, the others continue as a smaller
// binary model over a packed copy of its points, whose steps are cheaper. When that one has no violating pair left, one product updates the
// gradients of those set aside, and the whole model is checked again.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "binary_model.hpp"
#include "options.hpp"
#include "parallel.hpp"
#include "solvers/at_end.hpp"

namespace hinge {

template <class T>
class Finishing {
 public:
  Finishing(const LasvmOptions& options, std::size_t threads, Monitor& monitor) : options_(options), threads_(threads), monitor_(monitor) {}

  // Returns false when progress stalled before the tolerance was met.
  bool run(BinaryModel<T>& binary, AtEnd at_end = AtEnd::dismiss_idle);

 private:
  enum class Ending { converged, crowded, stalled, stopped };

  Ending begin_cold(BinaryModel<T>& binary);
  Ending descend(BinaryModel<T>& binary, bool may_shrink);
  std::vector<std::size_t> active_members(const BinaryModel<T>& binary) const;
  Ending run_shrunken(BinaryModel<T>& binary);
  void restore_rest(BinaryModel<T>& binary, std::span<const std::size_t> active, const std::vector<double>& before);
  void dismiss(BinaryModel<T>& binary) const;

  LasvmOptions options_;
  std::size_t threads_;
  Monitor& monitor_;
  std::size_t steps_left_ = 0;
};

}  // namespace hinge
