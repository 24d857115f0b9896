// Stepping: moves one coefficient alpha_c, or the total A, while the margin set S follows so that its gradients stay zero (Cauwenberghs and
// Poggio 2001, section 2; Laskov et al. 2006, algorithm 1). With s = +1 or -1 the sign of the move and Q the inverse of margin_inverse.hpp,
//
//   alpha_c moves:  [b'; alpha_s'] = -s Q [1; K_sc],    h_r' = -(K_rs alpha_s' + s K_rc)
//   A moves:        [b'; alpha_s'] =  s Q [1; t_s'],    h_r' = s t_r' - K_rs alpha_s'      (t' = dt/dA, nonzero for spheres only)
//
// until the next event (path_events.hpp). Then S changes, and a new direction follows by a rank-one update. Two special cases:
//
//   S empty:    only b can move, until the gradient of an example that can compensate the move is zero. It becomes the first member.
//   kappa = 0:  an example that depends linearly on S (duplicates, low rank) cannot join. Moving it along with S changes no gradient, so it
//               moves until a member reaches a bound, and replaces that member.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kernel_columns.hpp"
#include "parallel.hpp"
#include "solvers/cycle_breaker.hpp"
#include "solvers/exact_binary_model.hpp"
#include "solvers/gradient_tracker.hpp"
#include "solvers/margin_system.hpp"
#include "solvers/path_events.hpp"

namespace hinge {

class PathStepper {
 public:
  PathStepper(ExactBinaryModel& model, KernelColumns& columns, GradientTracker& tracker, MarginSystem& system, Monitor* monitor);

  void run(Perturbation perturbation);
  // Runs the perturbation of the total; all gradients are current afterwards.
  void change_total(double value);
  // Takes a member out of S between perturbations. It moves to the bound `to`, unless it becomes absent.
  void remove_member(std::size_t slot, Status to);
  // Computes the inverse again. If members depend linearly on each other, some of them leave S.
  void rebuild_inverse();

  // Gradients up to this size count as zero.
  double tolerance() const { return tolerance_; }
  void relax_tolerance();
  void count_step() { ++steps_; }
  std::size_t steps() const { return steps_; }
  std::size_t rebuilds() const { return rebuilds_; }
  void reset_rebuilds() { rebuilds_ = 0; }
  bool stopped() const { return monitor_ && monitor_->stopped(); }
  // True if the monitor stopped the path, or, and the model has stalled, after more steps than a positive semi-definite kernel can need.
  bool must_end();

 private:
  void begin(const Perturbation& perturbation);
  void take_step(Perturbation& perturbation);
  void handle(const Event& event, Perturbation& perturbation);
  void end(const Perturbation& perturbation);
  void find_direction(const Perturbation& perturbation);
  bool recover_direction(const Perturbation& perturbation);
  // g_r' of some slots r, for the present direction.
  void find_rates(const Perturbation& perturbation, std::span<const std::size_t> slots, std::vector<double>& rates);
  void advance(Perturbation& perturbation, double distance);

  // S gains and loses members; `join` and `leave` update the direction, `enter` and `exchange` do not.
  void join(const Perturbation& perturbation, std::size_t slot);
  void enter(std::size_t slot);
  void exchange(std::size_t slot, const MarginSystem::Joining& joining);
  void leave(std::size_t slot, Status to);
  Status bound_ahead(std::size_t slot) const;

  bool move_bias(const Perturbation& perturbation);
  std::pair<double, std::optional<std::size_t>> nearest_compensating(const Perturbation& perturbation) const;
  // A long perturbation is worth computing everyone's rates once, to watch the examples that it reaches first.
  bool is_long(const Perturbation& perturbation) const;
  void watch_ahead(const Perturbation& perturbation);

  ExactBinaryModel& model_;
  KernelColumns& columns_;
  GradientTracker& tracker_;
  MarginSystem& system_;
  Monitor* monitor_;
  CycleBreaker cycle_breaker_;
  double tolerance_;
  std::size_t steps_ = 0;
  std::size_t rebuilds_ = 0;
  std::vector<double> direction_;          // b' and alpha_s'; empty while nothing moves
  std::vector<double> rates_;              // g_r' of those watched
  std::vector<double> weights_;            // by column, scratch
  std::optional<std::size_t> last_joined_;
};

}  // namespace hinge
