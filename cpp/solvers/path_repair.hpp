// Numerical repair, third part: removes the rounding errors that the steps of a path have left.
//
// On the margin set S the gradients must be zero, and all coefficients must sum to A. The residuals of these equations are removed by Newton
// steps, which solve the same linear system as the path does; if they stay large, the inverse is computed again.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "solvers/exact_binary_model.hpp"
#include "solvers/gradient_tracker.hpp"
#include "solvers/margin_system.hpp"
#include "solvers/path_stepper.hpp"

namespace hinge {

class PathRepair {
 public:
  PathRepair(ExactBinaryModel& model, GradientTracker& tracker, MarginSystem& system, PathStepper& stepper)
      : model_(model), tracker_(tracker), system_(system), stepper_(stepper) {}

  // All gradients must be current, and are so afterwards.
  void correct_residuals();
  // Removes members of S whose coefficients are at a bound but for rounding: they say nothing about the bias.
  void drop_members_at_bounds();

 private:
  // A member that stops a change at its bound, and the part of the change up to there.
  struct Block {
    double share;
    std::size_t position;
  };

  void correct_sum();
  bool is_accurate(double multiple) const;
  void newton_step();
  // Returns false if a part of the change remains, because a member reached its bound and left S.
  bool apply(std::vector<double>& residuals, std::span<const double> change);
  Block first_block(std::span<const double> change) const;
  std::vector<std::pair<std::size_t, Status>> members_at_bounds() const;

  ExactBinaryModel& model_;
  GradientTracker& tracker_;
  MarginSystem& system_;
  PathStepper& stepper_;
};

}  // namespace hinge
