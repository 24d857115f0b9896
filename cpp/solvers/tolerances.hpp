// What counts as zero in an exact binary model: limits on rounding errors, relative to the scale of its kernel values and coefficients.
#pragma once

#include <cstddef>

#include "solvers/exact_binary_model.hpp"

namespace hinge {

// Typical size of a gradient: 1 for classifiers, A max K_ii for one-class problems.
double gradient_scale(const ExactBinaryModel& model);
// Rounding error to expect in a gradient that should be 0.
double gradient_tolerance(const ExactBinaryModel& model);
// Rounding error to expect in the sum of all coefficients.
double sum_tolerance(const ExactBinaryModel& model);

// kappa is the squared distance of an example from the span of the margin set S (see margin_inverse.hpp). At or below the first limit the
// example depends linearly on S; below the second one S is ill-conditioned with it, and products with its inverse need refinement.
double min_independent_kappa(const ExactBinaryModel& model, std::size_t slot);
double min_well_conditioned_kappa(const ExactBinaryModel& model, std::size_t slot);

}  // namespace hinge
