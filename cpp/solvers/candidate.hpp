// One binary model with one more example, the candidate, as positive or negative example, and what either of them would answer for the others
// without themselves (leave-one-out).
//
// Example i of coefficient alpha_i has the decision value f_i by the model, and f_i0 by the model without it. Then
//
//   0 <= t_i (f_i - f_i0) <= |alpha_i| D_i,    D_i = max_j |phi_i - phi_j|^2
//
// where t_i is the sign of alpha_i, and the upper limit holds if the other free coefficients have more room than |alpha_i| in the direction of
// alpha_i. For let d be what changes from the model without i to the model with it. Both are optimal, so d alpha_j d f_j <= 0 for j != i, and
// summed up |dw|^2 <= alpha_i d f_i, hence the lower limit. If d f_j <= 0 for some j, then d f_i <= <dw, phi_i - phi_j>, hence the upper one. If
// there is no such j (t_i = 1), then no d alpha_j is positive, and all free coefficients are at their upper bounds in the model without i:
// they have no more room than the sum of all d alpha_j, which is -alpha_i.
//
// So an example with coefficient 0 is known exactly, most others well enough, some after a second look (leave_out_bound.hpp), and only the rest
// needs a path.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kernel_columns.hpp"
#include "options.hpp"
#include "parallel.hpp"
#include "solvers/exact_binary_model.hpp"

namespace hinge {

// How far apart any two examples can be, by their K_ii.
class Spread {
 public:
  // Kernels that need not be positive semi-definite bound nothing.
  explicit Spread(const KernelParameters& kernel);
  // The largest squared distance between two examples of which one has this K_ii, and no other has a larger one than `largest`.
  double squared_distance(double diagonal, double largest) const;
  bool is_bounded() const { return bounded_; }

 private:
  bool bounded_;
  bool never_negative_;
};

class CandidateBinary {
 public:
  // A binary model with the candidate, which is positive or negative. The leave-one-out value of a positive example i is in
  // [values_i - reach_i, values_i], that of a negative one in [values_i, values_i + reach_i].
  struct Side {
    std::vector<double> values, reach;
    std::vector<std::uint8_t> looked_at;    // a second time
    std::optional<ExactBinaryModel> model;  // nothing: the candidate changes none of the values
    double target = 0.0, cost = 0.0;        // target 0: not computed
  };

  CandidateBinary(const ExactBinaryModel& model, const Kernel<double>* kernel, const Points<double>* points, const ExactOptions& options);

  // The candidate gets the next slot of the points, and gives it back. `values` are its kernel values with all examples; they must stay.
  void admit(std::span<const double> values, double self);
  void dismiss(const Moves& moves);

  // The decision value for the candidate by the model that does not know it.
  double decision() const { return decision_; }
  Side& side(double target, double cost, Monitor& monitor);
  // Narrows the range of a leave-one-out value: by a better bound first, then to the value itself.
  void narrow(Side& side, std::size_t slot, Monitor& monitor);

 private:
  void find_value(Side& side, std::size_t slot, Monitor& monitor);
  // The model without an example, as far as it differs.
  struct Difference {
    double value;  // its decision value for that example
    double bias;
    std::vector<std::pair<std::size_t, double>> alpha;
    bool has_free;
  };

  std::size_t candidate() const { return model_.expansion.size() - 1; }
  bool is_changed_by(const Side& side, double decision) const;
  void learn(Side& side, Monitor& monitor);
  ExactBinaryModel with_candidate(const Side& side) const;
  void measure(const ExactBinaryModel& model, Side& side) const;
  double reach(const ExactBinaryModel& model, std::size_t slot, std::array<double, 2> room, bool has_free) const;
  const Difference& without(std::size_t slot, Monitor& monitor);
  template <class Look>
  void leave_out(const ExactBinaryModel& model, std::size_t slot, Monitor& monitor, Look look);

  ExactBinaryModel model_;
  KernelColumns columns_;
  Spread spread_;
  Side alone_;  // without a candidate
  double tolerance_;
  bool has_free_;
  std::vector<std::optional<Difference>> differences_;
  std::array<Side, 2> sides_;
  std::span<const double> candidate_values_;
  double decision_ = 0.0;
};

}  // namespace hinge
