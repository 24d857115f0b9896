// One binary problem whose kernel values are all in memory, as a square matrix that several problems share: those of other classes, and those of
// other costs.
//
//   maximise W = sum_i y_i alpha_i - 1/2 sum_ij alpha_i alpha_j K_ij   over low_i <= alpha_i <= high_i, sum_i alpha_i constant
//
// by pairs of second order (see solvers/pairs.hpp), from any coefficients inside the boxes and their gradients g_i = y_i - sum_j alpha_j K_ij,
// until the bracket is no wider than the tolerance. The bias is its middle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bracket.hpp"
#include "expansion.hpp"
#include "loops.hpp"
#include "solvers/pairs.hpp"

namespace hinge {

// A square matrix of kernel values, rows of padded(count) values.
template <class T>
class GramView {
 public:
  GramView(const T* values, std::size_t count);

  std::size_t count() const { return count_; }
  // Row i in segments, as the loops take it.
  const T* const* row(std::size_t i) const { return segments_.data() + i * per_row_; }
  const T* diagonal() const { return diagonal_.data(); }

 private:
  std::size_t count_, per_row_;
  std::vector<const T*> segments_;
  std::vector<T> diagonal_;
};

struct GramLimits {
  double tolerance;
  std::size_t max_steps;
  PairChoice choice = PairChoice::second_order;  // the older of two examples is the one that comes first
};

struct GramSolution {
  double bias;
  std::size_t steps;
  bool converged;
};

// Solves one problem; alpha and gradient hold the start, and then the solution. Examples whose box is empty take no part.
template <class T>
GramSolution solve(const GramView<T>& gram, std::span<const Box> boxes, std::span<double> alpha, std::span<double> gradient, const GramLimits& limits);

}  // namespace hinge
