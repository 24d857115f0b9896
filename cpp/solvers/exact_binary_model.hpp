// One binary that holds the exact solution for its examples (Cauwenberghs and Poggio 2001; Laskov et al. 2006), in signed coefficients:
//
//   maximise   sum_i t_i alpha_i - 1/2 alpha' K alpha    with   low_i <= alpha_i <= high_i,   sum_i alpha_i = A
//
// and the optimality conditions, with h_i = t_i - sum_j alpha_j K_ij and the multiplier b of the sum, which is the bias:
//
//   alpha_i = low_i:  h_i <= b      low_i < alpha_i < high_i:  h_i = b      alpha_i = high_i:  h_i >= b
//
//   classifier   t_i = y_i,         box between 0 and C_i y_i,  A = 0
//   plane        t_i = 0,           box [0, C_i],               A = min(most_total, nu sum C_i)
//   sphere       t_i = A K_ii / 2,  the same box and A
//
// With C_i the weight of an example, the one-class binaries are scaled as LIBSVM's: nu stays true as examples come and go, because A follows
// them. The margin set S holds the members whose gradient h_i - b is kept at zero while others move; all others rest at an end of their
// box. Everything here is indexed by slots (see points.hpp); examples outside this binary's window are dead in its expansion.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "expansion.hpp"
#include "gaps.hpp"
#include "options.hpp"
#include "solvers/margin.hpp"

namespace hinge {

class Columns;

enum class Place : std::uint8_t { absent, low, high, margin };

class ExactBinaryModel {
 public:
  ExactBinaryModel(std::int32_t positive_class, const ExactOptions& options);

  std::int32_t positive_class() const { return positive_class_; }
  void rename(std::int32_t positive_class) { positive_class_ = positive_class; }
  // The same binary seen from the other class.
  ExactBinaryModel mirrored(std::int32_t positive_class) const;

  // An example comes with coefficient zero in the next slot, or in one that is dead; `sum` is sum_j alpha_j k(x, x_j).
  void append(std::int32_t label, double cost, double self, double sum);
  void revive(std::size_t slot, std::int32_t label, double cost);
  // A coefficient to begin with; the gradients are not right then.
  void start_at(std::size_t slot, double alpha);
  // It must have coefficient zero.
  void remove(std::size_t slot);
  // The slot exists, but not for this binary.
  void skip(double self);
  void restore(std::size_t slot, std::int32_t label, const Box& box, double alpha, double gradient);
  bool holds(std::size_t slot) const { return expansion.alive(slot); }
  std::size_t held() const { return expansion.alive_count(); }
  void follow(const Moves& moves);

  double gradient(std::size_t slot) const { return expansion.gradient[slot] - bias; }
  // How fast the target of an example grows with the total.
  double drift(std::size_t slot) const { return problem_ == Problem::sphere ? 0.5 * self[slot] : 0.0; }
  // The sum that the coefficients must have, for the examples held less a cost; `total`, which paths lead there, may differ by rounding.
  double wanted_total(double without = 0.0) const;
  void set_total(double value);
  // The size that gradients have, and what rounding may leave of one that is zero.
  double unit() const;
  double grain() const;

  void place_alpha(std::size_t slot, double alpha);
  void go_to_end(std::size_t slot, double sign);
  // An example whose squared distance from the span of the margin set is smaller depends on that set.
  double least_kappa(std::size_t slot) const;
  // From here on the inverse is to be trusted.
  double sure_kappa(std::size_t slot) const;
  // What the dual would lose with an example, nobody else reaching an end of its box; of one at the bound, at most.
  double relevance(std::size_t slot) const;

  void join(std::size_t slot);
  void leave(std::size_t slot, Place to);
  Place end_of(std::size_t slot) const;

  // Seen from outside: the bias is the mean over the free members, or the middle of what the conditions allow, or its finite end.
  double answer_bias() const;
  Extremes extremes() const;
  double gap() const;
  double residual() const;
  // Of free coefficients: what is known of these follows from coefficients and gradients alone, as a binary from a file has them.
  bool is_free(std::size_t slot) const { return expansion.room[slot] == (may_rise | may_fall); }
  std::size_t free_count() const;
  double free_residual() const;
  // What is missing from the sum of all coefficients, and what rounding may leave of that.
  double imbalance() const;
  double balance_grain() const;
  std::size_t bounded() const;
  void check_invariants() const;
  void check_inverse(const Columns& columns) const;
  void check_optimality() const;

  Expansion expansion;
  std::vector<Place> place;
  std::vector<double> self;          // K_ii
  std::vector<std::size_t> margin;   // slots, in the order of the inverse
  std::vector<std::size_t> seat;     // by slot: the place in `margin` of those who are there
  MarginInverse inverse;
  double bias = 0.0;
  double total = 0.0;
  bool coarse = false;               // gradients and inverse date from a time of far larger kernel values
  bool stalled = false;              // a path did not end, as kernels that are no kernels may bring about

 private:
  double label_of(std::int32_t label) const;
  double sum_of_sizes() const;
  bool is_nothing(std::size_t slot) const;
  void look_for_largest();
  void come(std::size_t slot, std::int32_t label, double cost, double sum);

  std::int32_t positive_class_;
  Problem problem_;
  double nu_;
  double most_total_;
  double largest_self_ = 0.0;
};

}  // namespace hinge
