// Which example leaves a full window of an exact binary model. A score is computed for each example, and the rule of eviction.hpp decides
// between equal ones.
//
//   age        the oldest
//   weight     the one with the smallest |alpha| (Laskov et al. 2006, section 6.1)
//   relevance  the one without which the dual loses least
//   balanced   see below
//
// Among examples with alpha = 0, weight and relevance choose the one farthest outside the margin.
//
// A window that keeps what is relevant fills with noise: a mislabelled example has a large coefficient and never leaves, while the
// examples that contradict it are easy and leave first. In the end nearly all labels of the window are wrong. `balanced` therefore lets
// the window hold as large a share of misclassified examples as the stream has: the share of examples that the model misclassified when
// they came. While the window holds more, the one farthest on the wrong side leaves, which is the most likely to be mislabelled. Otherwise
// the example with alpha = 0 that is farthest outside the margin leaves, without any change of the solution, as long as one of them stays
// for every two misclassified ones; then it is the oldest of the others.
// One-class problems have no labels: there `balanced` would be `age`, and the estimator does not offer it.
#pragma once

#include <cstddef>

#include "options.hpp"
#include "points.hpp"
#include "solvers/exact_binary_model.hpp"

namespace hinge {

std::size_t choose_leaving(const ExactBinaryModel& binary, const Points<double>& points, Eviction rule);

}  // namespace hinge
