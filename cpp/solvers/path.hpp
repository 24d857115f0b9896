// A path from one exact solution to another (Cauwenberghs and Poggio 2001; Laskov et al. 2006): an example comes or goes, or the total A of a
// one-class problem changes, and the model stays optimal for the examples it has looked at. The parts:
//
//   stepping          path_stepper.hpp      direction of the margin set, step to the next event, changes of the margin set
//                     path_events.hpp       which event comes next
//   watching          gradient_tracker.hpp  gradients that are updated at every step, and those that are updated in blocks
//   numerical repair  margin_system.hpp     linear systems over the margin set, conditioning, recomputing the inverse
//                     cycle_breaker.hpp     cycles of steps of length zero
//                     path_repair.hpp       residuals that rounding has left
//
// Not watching everyone does not change the solution. At the end of a path all gradients are updated, and each example that violates its
// condition by then becomes the candidate of another perturbation, from a state that is the exact solution for all watched examples.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernel_columns.hpp"
#include "solvers/exact_binary_model.hpp"
#include "solvers/gradient_tracker.hpp"
#include "solvers/margin_system.hpp"
#include "solvers/path_repair.hpp"
#include "solvers/path_stepper.hpp"

namespace hinge {

class Path {
 public:
  // A path that the monitor stops is abandoned halfway, with stale gradients: the caller must restore the model.
  Path(ExactBinaryModel& model, KernelColumns& columns, Monitor* monitor = nullptr);

  // Moves the coefficient of an example until its optimality condition holds.
  void make_optimal(std::size_t slot);
  // Moves the coefficient of an example to zero and takes the example out of the problem.
  void move_to_zero(std::size_t slot);
  void change_total(double value);
  // Fills an empty margin set with the slots of free coefficients, which must have columns.
  void start_margin(std::span<const std::size_t> free);
  // Completes the path: all gradients are current, and all optimality conditions hold.
  void finish();

  std::size_t steps() const { return stepper_.steps(); }
  std::size_t rebuilds() const { return stepper_.rebuilds(); }

 private:
  void start();
  std::vector<std::size_t> violators() const;

  ExactBinaryModel& model_;
  GradientTracker tracker_;
  MarginSystem system_;
  PathStepper stepper_;
  PathRepair repair_;
};

}  // namespace hinge
