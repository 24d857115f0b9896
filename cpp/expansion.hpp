// The coefficients of one binary model, and the constraints on them.
//
//   f(x) = sum_i alpha_i K(x, x_i) + b,   low_i <= alpha_i <= high_i,   sum_i alpha_i = 0
//   gradient of the dual: g_i = y_i - sum_j alpha_j K_ij   (no b in it)
//
// with low = min(0, C y) and high = max(0, C y). Binary models without a bias drop the sum and take b = 0. Removed members keep their place,
// with alpha = 0 and an empty box.
//
// Some algorithms predict with an average of their coefficients over a number of terms (steps, or examples). A change of alpha_i by d that
// came after t of them is missing from t terms, so the average is alpha_i - lag_i / terms with lag_i the sum of all d t.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gaps.hpp"
#include "loops.hpp"

namespace hinge {

// The range of a coefficient.
struct Box {
  double low, high;

  static Box of(double label, double cost) { return {label > 0 ? 0.0 : -cost, label > 0 ? cost : 0.0}; }
  // The box of an example whose loss is flat (ramp loss, see solvers/robust.hpp): pushed through zero to the other side.
  Box beyond_zero() const { return {low - (low + high), high - (low + high)}; }
};

// A coefficient after a step along a pair. Closer to an end than this part of both it is there. Both of a pair often arrive at once, since boxes are
// alike: whether the second does must not depend on rounding. (Not a part of the box: where kernel values are huge, all coefficients are far smaller.)
inline constexpr double end_tolerance = 2e-14;
inline double raised(double alpha, double length, double high) {
  return length >= high - alpha - end_tolerance * std::max(std::abs(alpha), std::abs(high)) ? high : alpha + length;
}
inline double lowered(double alpha, double length, double low) { return -raised(-alpha, length, -low); }

class Expansion {
 public:
  std::size_t size() const { return size_; }
  std::size_t removed_count() const { return removed_; }
  std::size_t held_count() const { return size_ - removed_; }

  std::size_t append(double label, const Box& box, double gradient);
  Box box(std::size_t i) const { return {low[i], high[i]}; }
  // Members with a coefficient other than zero.
  std::size_t support() const { return support_; }
  // Changes one coefficient; the caller updates the gradients.
  void set_alpha(std::size_t i, double value);
  // The same, or the nearest bound if the value is outside the box.
  void set_alpha_in_box(std::size_t i, double value) { set_alpha(i, value > low[i] ? std::min(value, high[i]) : low[i]); }
  // The coefficient is at none of its bounds.
  bool is_free(std::size_t i) const { return room[i] == (may_rise | may_fall); }
  void remove(std::size_t i);
  // Brings back a removed member, with alpha = 0.
  void reinsert(std::size_t i, double label, const Box& box, double gradient);
  bool holds(std::size_t i) const { return high[i] > low[i]; }
  // Closes the gaps of removed members; returns what moved where.
  Moves close_gaps();
  // Makes the same moves as something that is laid out alike.
  void follow(const Moves& moves);
  std::vector<std::size_t> held() const;
  void check_invariants() const;

  // All have padded(size()) entries or more.
  std::vector<double> alpha, gradient, low, high;
  std::vector<double> label;  // +1, -1, or what the solver wants of an example instead; 0 once removed
  std::vector<double> lag;
  std::vector<double> up, down;  // how far the coefficient may still rise, and (below zero) fall
  std::vector<std::uint8_t> room;
  std::vector<std::uint8_t> mistaken;  // the binary model misclassified the example when it came
  std::vector<double> cost;            // how wide the box was when the example came
  double terms = 0.0;  // that the answer averages over; 0: it is not an average

 private:
  void resize(std::size_t count);

  std::size_t size_ = 0;
  std::size_t removed_ = 0;
  std::size_t support_ = 0;
};

}  // namespace hinge
