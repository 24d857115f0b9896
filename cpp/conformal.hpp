// Full conformal prediction with exact models: a candidate is learned with each label in turn, and its leave-one-out margin is ranked among
// those of all examples (the margin is the decision value of the own class minus the largest other one). The p-value of a label is the share
// of margins, the candidate's included, that are not larger than the candidate's.
//
// A candidate's own margin comes from the model without it. It changes a binary model only if it is not beyond the margin there, and
// margins of the others need not be known, only whether they are larger (solvers/candidate.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "class_scheme.hpp"
#include "kernels.hpp"
#include "options.hpp"
#include "parallel.hpp"
#include "points.hpp"
#include "solvers/candidate.hpp"
#include "solvers/exact_binary_model.hpp"

namespace hinge {

struct ConformalOptions {
  std::vector<double> costs;     // of the candidate, by class; a class whose cost is 0 is left out
  bool within_class = false;     // rank a candidate among the examples of its label only
  bool strictly = false;         // count only margins that are smaller, not the candidate's own and those as large
  std::optional<double> alpha;   // compute p-values only until it is known whether they exceed it
};

class ConformalRanks {
 public:
  ConformalRanks(const Kernel<double>& kernel, const ExactOptions& options, const Points<double>& points, const ClassScheme& scheme,
                 const std::vector<ExactBinaryModel>& binaries);
  ConformalRanks(const ConformalRanks&) = delete;
  ConformalRanks& operator=(const ConformalRanks&) = delete;

  // One value per row and class; incomplete if the monitor stops the call.
  std::vector<double> p_values(const Batch<double>& rows, const ConformalOptions& options, Monitor& monitor);
  std::size_t kernel_evals() const { return kernel_evals_; }

 private:
  using Sides = std::vector<CandidateBinary::Side*>;
  struct Interval {
    double low, high;
  };

  double own_margin(std::int32_t label) const;
  double p_value(std::int32_t label, const ConformalOptions& options, Monitor& monitor);
  Interval margin(const Sides& sides, std::size_t slot) const;
  // Which binary model leaves a margin most uncertain.
  std::size_t least_certain(const Sides& sides, std::size_t slot) const;
  bool is_at_most(const Sides& sides, std::size_t slot, double limit, Monitor& monitor);

  Kernel<double> kernel_;
  Points<double> points_;
  ClassScheme scheme_;
  std::size_t examples_;
  std::vector<CandidateBinary> binaries_;
  std::size_t kernel_evals_ = 0;
};

}  // namespace hinge
