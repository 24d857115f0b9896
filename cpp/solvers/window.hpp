// Which example leaves a full window of an exact binary model. A score is computed for each example, and the rule of eviction.hpp decides
// between equal ones.
//
//   age        the oldest
//   weight     the one with the smallest |alpha| (Laskov et al. 2006, section 6.1)
//   relevance  the one without which the dual loses least
//   balanced   the rule of balanced.hpp
//
// Among examples with alpha = 0, weight and relevance choose the one farthest outside the margin.
// One-class problems have no labels: there `balanced` would be `age`, and the estimator does not offer it.
#pragma once

#include <cstddef>

#include "options.hpp"
#include "points.hpp"
#include "solvers/exact_binary_model.hpp"

namespace hinge {

std::size_t choose_leaving(const ExactBinaryModel& binary, const Points<double>& points, Eviction rule);

}  // namespace hinge
