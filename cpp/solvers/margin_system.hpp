// Numerical repair, first part: linear systems with the bordered kernel matrix of the margin set S, whose inverse Q is kept up to date (see
// margin_inverse.hpp), and the examples that join and leave S.
//
// Rounding errors in Q grow with its condition number. As long as S is ill-conditioned, every solution is refined against the matrix itself;
// if refinement does not converge, Q has failed and has to be computed again.
//
// Invariant between calls: Q belongs to the members of S in their order, and their columns are pinned.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernel_columns.hpp"
#include "solvers/exact_binary_model.hpp"

namespace hinge {

class MarginSystem {
 public:
  // How S would follow example k: direction = -Q [1; K_sk], kappa the squared distance of k from the span of S (0 if that is rounding).
  struct Joining {
    std::vector<double> direction;
    double kappa;
  };

  MarginSystem(ExactBinaryModel& model, KernelColumns& columns) : model_(model), columns_(columns) {}

  void find_condition();
  bool is_ill_conditioned() const { return ill_conditioned_; }
  bool has_failed() const { return has_failed_; }
  void reset_failure() { has_failed_ = false; }

  // result = Q side
  void solve(std::span<const double> side, std::span<double> result);
  Joining joining(std::size_t slot);
  bool is_independent(std::size_t slot, const Joining& joining) const;

  // The slot must have a column.
  void add_first(std::size_t slot);
  void add(std::size_t slot, const Joining& joining);
  // `column` is the column of the member in Q.
  void remove(std::size_t slot, Status to, std::span<const double> column);
  // Fills an empty set; Q has to be computed by `invert`.
  void assign(std::span<const std::size_t> slots);
  void clear();
  // Computes Q from the kernel values; returns false if the members depend linearly on each other.
  bool invert();

 private:
  Joining solve_joining(std::size_t slot);
  // side - M result, where M is the bordered matrix of S.
  void find_error(std::span<const double> side, std::span<const double> result, std::span<double> error);

  ExactBinaryModel& model_;
  KernelColumns& columns_;
  bool ill_conditioned_ = false;
  bool has_failed_ = false;
  std::vector<double> weights_;  // by column, scratch
};

bool all_finite(std::span<const double> values);

}  // namespace hinge
