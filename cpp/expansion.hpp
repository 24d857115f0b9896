// One machine's coefficients and what they must obey.
//
//   f(x) = sum_i alpha_i K(x, x_i) + b,   low_i <= alpha_i <= high_i,   sum_i alpha_i = 0
//   gradient of the dual: g_i = y_i - sum_j alpha_j K_ij   (no b in it)
//
// with low = min(0, C y) and high = max(0, C y). Members that left keep their place, with alpha = 0 and no room to move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gaps.hpp"
#include "loops.hpp"

namespace hinge {

class Expansion {
 public:
  std::size_t size() const { return size_; }
  std::size_t dead() const { return dead_; }
  std::size_t alive_count() const { return size_ - dead_; }

  std::size_t append(double label, double cost, double gradient);
  // Changes one coefficient; the caller keeps the gradient true.
  void set_alpha(std::size_t i, double value);
  void remove(std::size_t i);
  bool alive(std::size_t i) const { return label[i] != 0.0; }
  // Dead members go; tells what moved where.
  Moves squeeze();
  std::vector<std::size_t> alive_members() const;

  // All have padded(size()) entries or more.
  std::vector<double> alpha, gradient, low, high;
  std::vector<double> label;  // +1, -1, or 0 once dead
  std::vector<std::uint8_t> room;

 private:
  void resize(std::size_t count);

  std::size_t size_ = 0;
  std::size_t dead_ = 0;
};

}  // namespace hinge
