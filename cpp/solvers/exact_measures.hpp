// What an exact binary model has reached: how optimal it is, its bias, and what its examples are worth.
//
// They depend on coefficients and gradients alone (but for `residual` and `relevance`), so a model restored from a file has the same.
#pragma once

#include <cstddef>

#include "solvers/exact_binary_model.hpp"

namespace hinge {

// The bias to decide with: the mean over free coefficients, else the middle of the interval that the conditions allow or its finite end.
double answer_bias(const ExactBinaryModel& model);
Extremes extremes(const ExactBinaryModel& model);
// How much the most violating pair violates; infinite if the coefficients do not sum to A.
double violation(const ExactBinaryModel& model);

// A - sum_i alpha_i
double sum_error(const ExactBinaryModel& model);
double sum_of_magnitudes(const ExactBinaryModel& model);
// Largest |g_i| over the margin set.
double residual(const ExactBinaryModel& model);

// Free coefficients, the largest |g_i| over them, and coefficients at C.
std::size_t free_count(const ExactBinaryModel& model);
double free_residual(const ExactBinaryModel& model);
std::size_t bounded_count(const ExactBinaryModel& model);

// How much the dual loses without an example if no other coefficient reaches a bound; an upper limit if the example is at a bound.
double relevance(const ExactBinaryModel& model, std::size_t slot);

}  // namespace hinge
