// Whom to let go. Scores of several members are often equal: those of a pair that has just been levelled, those at both ends of a bracket, of
// which the bias is the middle. Then the oldest goes: rounding must not choose, nor the places where members happen to sit.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "binary_model.hpp"

namespace hinge {

constexpr double as_good = 1e-9;  // scores that differ by less, in units of theirs, are equal

// Members that must stay have a score of -infinity.
template <class T, class Score>
std::size_t oldest_of_the_best(const BinaryModel<T>& binary, Score score) {
  const std::size_t size = binary.expansion().size();
  double best = -std::numeric_limits<double>::infinity();
  std::vector<double> scores(size, best);
  for (std::size_t i = 0; i < size; ++i)
    if (binary.expansion().alive(i)) best = std::max(best, scores[i] = score(i));
  const double enough = std::isfinite(best) ? best - as_good * (1.0 + std::abs(best)) : best;
  std::size_t found = size;
  for (std::size_t i = 0; i < size; ++i)
    if (binary.expansion().alive(i) && !(scores[i] < enough) && (found == size || binary.id_of(i) < binary.id_of(found))) found = i;
  return found;
}

}  // namespace hinge
