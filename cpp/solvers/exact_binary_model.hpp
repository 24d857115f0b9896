// One binary model that is the exact solution for its examples (Cauwenberghs and Poggio 2001; Laskov et al. 2006). It solves
//
//   maximise   sum_i t_i alpha_i - 1/2 alpha' K alpha    subject to   low_i <= alpha_i <= high_i,   sum_i alpha_i = A
//
// in signed coefficients: alpha_i here is y_i alpha_i of the papers, and K has no labels in it. With h_i = t_i - sum_j alpha_j K_ij and the
// multiplier b of the sum, which is the bias, the gradient is g_i = h_i - b and the optimality (KKT) conditions are
//
//   alpha_i = low_i:  g_i <= 0      low_i < alpha_i < high_i:  g_i = 0      alpha_i = high_i:  g_i >= 0
//
//   problem      target t_i       box                     total A
//   classifier   y_i              between 0 and C_i y_i   0
//   plane        0                [0, C_i]                min(most_total, nu sum C_i)
//   sphere       A K_ii / 2       [0, C_i]                min(most_total, nu sum C_i)
//
// For one-class problems C_i is the weight of the example, as in LIBSVM: A changes with the examples, so nu keeps its meaning.
//
// The papers divide the examples into the margin set S, the error set E (alpha at C) and the others O (alpha at 0). In signed coefficients E
// and O are the two bounds of the box, and which is which depends on the label; the status of an example therefore says on_margin (S),
// at_lower or at_upper (E and O). The gradients of S are kept at zero while other coefficients change.
//
// Everything is indexed by slot (see points.hpp). Slots whose examples this model does not hold are absent here and removed in the expansion.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "expansion.hpp"
#include "gaps.hpp"
#include "options.hpp"
#include "solvers/margin_set.hpp"

namespace hinge {

enum class Status : std::uint8_t { absent, at_lower, at_upper, on_margin };

class ExactBinaryModel {
 public:
  explicit ExactBinaryModel(const ExactOptions& options);

  // --- examples come and go ---
  // Adds a slot, whose example the model does not hold yet; `kernel_value` is K_ii.
  void append_absent(double kernel_value);
  // Adds an example with coefficient 0 in a slot that is absent. `label` is +1 or -1, and 1 in one-class problems; `sum` is
  // sum_j alpha_j K_ij.
  void insert(std::size_t slot, double label, double cost, double sum);
  void restore(std::size_t slot, double label, const Box& box, double alpha, double gradient);
  // Sets a coefficient to start from; the caller has to recompute all gradients.
  void set_initial_alpha(std::size_t slot, double alpha);
  // Removes an example, whose coefficient must be 0.
  void remove(std::size_t slot);
  // sum_j alpha_j K_ij of an example that has just been removed.
  double sum_when_removed(std::size_t slot) const { return expansion.label[slot] - expansion.gradient[slot]; }
  bool holds(std::size_t slot) const { return expansion.holds(slot); }
  std::size_t held() const { return expansion.held_count(); }
  // Moves everything as the examples moved between slots.
  void follow(const Moves& moves);

  // --- status ---
  // g_i
  double gradient(std::size_t slot) const { return expansion.gradient[slot] - bias; }
  // By how much an example violates its condition; at most 0 if it does not.
  double violation(std::size_t slot) const;
  bool at_bound(std::size_t slot) const { return status[slot] == Status::at_lower || status[slot] == Status::at_upper; }
  Status nearest_bound(std::size_t slot) const;
  void move_to_bound(std::size_t slot, Status bound);
  void enter_margin(std::size_t slot);
  void leave_margin(std::size_t slot, Status to);

  // --- targets and total ---
  // dt_i / dA
  double target_rate(std::size_t slot) const { return problem_ == Problem::sphere ? 0.5 * diagonal[slot] : 0.0; }
  // A for the examples held, without the cost of one of them. `total` may differ by rounding.
  double wanted_total(double without = 0.0) const;
  void set_total(double value);
  double largest_diagonal() const { return largest_diagonal_; }
  Problem problem() const { return problem_; }

  void check_invariants() const;

  Expansion expansion;
  std::vector<Status> status;
  std::vector<double> diagonal;  // K_ii
  MarginSet margin;
  double bias = 0.0;
  double total = 0.0;
  std::array<std::size_t, 2> seen{}, mistakes{};  // examples of both classes predicted before they were learned; those on the wrong side
  bool precision_lost = false;   // gradients and inverse were computed beside far larger kernel values, which are gone
  bool stalled = false;          // a path was abandoned, as can happen with kernels that are not positive semi-definite

 private:
  void update_largest_diagonal();

  Problem problem_;
  double nu_;
  double most_total_;
  double largest_diagonal_ = 0.0;
};

// The same solution with positive and negative examples exchanged.
ExactBinaryModel mirrored(const ExactBinaryModel& model);

inline double ExactBinaryModel::violation(std::size_t slot) const {
  switch (status[slot]) {
    case Status::at_lower: return gradient(slot);
    case Status::at_upper: return -gradient(slot);
    default: return 0.0;
  }
}

}  // namespace hinge
