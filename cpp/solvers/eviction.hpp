// Which member to evict: the one with the highest score. Scores are often equal: those of a pair whose step made both gradients equal, those at
// both ends of a bracket, of which the bias is the middle. Of equal members the oldest is evicted, so that neither rounding nor positions decide.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "binary_model.hpp"

namespace hinge {

constexpr double score_tolerance = 1e-9;  // scores whose relative difference is smaller are equal

// Members that must stay have a score of -infinity.
template <class IdOf, class Score>
std::size_t choose_eviction(const Expansion& expansion, IdOf id_of, Score score) {
  const std::size_t size = expansion.size();
  double best = -std::numeric_limits<double>::infinity();
  std::vector<double> scores(size, best);
  for (std::size_t i = 0; i < size; ++i)
    if (expansion.holds(i)) best = std::max(best, scores[i] = score(i));
  const double enough = std::isfinite(best) ? best - score_tolerance * (1.0 + std::abs(best)) : best;
  std::size_t found = size;
  for (std::size_t i = 0; i < size; ++i)
    if (expansion.holds(i) && !(scores[i] < enough) && (found == size || id_of(i) < id_of(found))) found = i;
  return found;
}

template <class T, class Score>
std::size_t choose_eviction(const BinaryModel<T>& binary, Score score) {
  return choose_eviction(binary.expansion(), [&](std::size_t i) { return binary.id_of(i); }, score);
}

}  // namespace hinge
