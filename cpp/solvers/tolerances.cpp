#include "solvers/tolerances.hpp"

#include <cmath>

#include "solvers/exact_measures.hpp"

namespace hinge {

namespace {

// Examples whose K_ii is this part of the largest one are zero vectors in comparison: no two of them can be told apart.
constexpr double vanishing = 1e-28;

bool is_vanishing(const ExactBinaryModel& model, std::size_t slot) {
  return std::abs(model.diagonal[slot]) <= vanishing * model.largest_diagonal();
}

}  // namespace

double gradient_scale(const ExactBinaryModel& model) {
  return model.problem() == Problem::classifier ? 1.0 : model.total * model.largest_diagonal();
}

// |K_ij| is at most sqrt(K_ii K_jj). Where the K_ii differ by much, the large coefficients belong to the small ones.
double gradient_tolerance(const ExactBinaryModel& model) {
  const Expansion& expansion = model.expansion;
  double sum = 0.0;
  for (std::size_t i = 0; i < expansion.size(); ++i)
    if (expansion.alpha[i] != 0.0) sum += std::abs(expansion.alpha[i]) * std::sqrt(std::abs(model.diagonal[i]));
  return 1e-12 * gradient_scale(model) + 1e-14 * sum * std::sqrt(model.largest_diagonal());
}

double sum_tolerance(const ExactBinaryModel& model) { return 1e-13 * sum_of_magnitudes(model); }

double min_independent_kappa(const ExactBinaryModel& model, std::size_t slot) {
  const double own = std::abs(model.diagonal[slot]);
  if (is_vanishing(model, slot)) return 1e-12 * model.largest_diagonal();
  return 1e-10 * own + 1e-12 * std::sqrt(own) * std::sqrt(model.largest_diagonal());
}

double min_well_conditioned_kappa(const ExactBinaryModel& model, std::size_t slot) {
  return 1e-5 * (is_vanishing(model, slot) ? model.largest_diagonal() : std::abs(model.diagonal[slot]));
}

}  // namespace hinge
