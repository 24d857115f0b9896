// A model as flat arrays: what pickles, copies and model files hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "class_scheme.hpp"
#include "kernels.hpp"
#include "points.hpp"
#include "solvers/solver.hpp"

namespace hinge {

// Everything needed to continue learning, as flat arrays. Points are in slot order; the members of all binary models follow each other.
template <class T>
struct ModelState {
  std::vector<std::int64_t> ids;
  std::vector<std::int32_t> labels;
  std::vector<double> costs;
  std::vector<T> values;               // dense: rows; sparse: non-zeros
  std::vector<std::int32_t> indices;   // sparse only
  std::vector<std::int64_t> starts;    // sparse only
  std::vector<T> shift;
  std::vector<std::int64_t> members;
  std::vector<std::int64_t> member_counts;
  std::vector<double> member_lows;  // the lower ends of their boxes, and how wide these are
  std::vector<double> member_costs;
  std::vector<double> alpha;
  std::vector<double> gradient;
  std::vector<double> lag;
  std::vector<std::int64_t> member_mistakes;  // 1 if the binary model misclassified the example when it came
  std::vector<double> terms;  // of each binary model
  std::vector<std::int64_t> bracket_ends;  // of each binary model: the members with the largest gradient that may rise and the smallest that may fall
  std::vector<std::int64_t> late_models;   // have not yet seen what was kept before their class came
  SolverMemory memory;
  std::int64_t kernel_evals = 0;
  std::int64_t steps = 0;
  bool shift_chosen = false;

  // Throws std::invalid_argument when the arrays do not fit each other: they may come from a file.
  void check(std::size_t features, bool sparse, const ClassScheme& scheme) const;
};

// Copies points into a state, and back; restored points have no users yet.
template <class T>
void add_points(const Points<T>& points, ModelState<T>& state);
template <class T>
void restore_points(const Kernel<T>& kernel, const ModelState<T>& state, Points<T>& points);

// k(x, x) of stored examples.
template <class T>
std::vector<T> diagonal_of(const Kernel<T>& kernel, const Examples<T>& all);

}  // namespace hinge
