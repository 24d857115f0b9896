// One binary problem whose kernel values are all in memory, as a square matrix that several problems share: those of other classes, and those of
// other costs.
//
//   maximise W = sum_i y_i alpha_i - 1/2 sum_ij alpha_i alpha_j K_ij   over low_i <= alpha_i <= high_i, sum_i alpha_i = 0
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

namespace hinge {

// A square matrix of kernel values, rows of padded(count) values.
class GramView {
 public:
  GramView(const float* values, std::size_t count);

  std::size_t count() const { return count_; }
  // Row i in segments, as the loops take it.
  const float* const* row(std::size_t i) const { return segments_.data() + i * per_row_; }
  const float* diagonal() const { return diagonal_.data(); }

 private:
  std::size_t count_, per_row_;
  std::vector<const float*> segments_;
  std::vector<float> diagonal_;
};

struct GramSolution {
  double bias;
  std::size_t steps;
  bool converged;
};

// Solves one problem; alpha and gradient hold the start, and then the solution. Examples of cost 0 take no part.
GramSolution solve(const GramView& gram, std::span<const double> labels, std::span<const double> costs, std::span<double> alpha,
                   std::span<double> gradient, double tolerance, std::size_t max_steps);

}  // namespace hinge
