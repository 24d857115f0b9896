#include "class_scheme.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hinge {

ClassScheme::ClassScheme(MultiClass kind, std::size_t classes) : kind_(kind), classes_(classes) {
  if (classes <= 2) {
    sides_.emplace_back(1, rest);
    return;
  }
  for (std::int32_t c = 0; c < static_cast<std::int32_t>(classes); ++c) {
    if (kind == MultiClass::ovr) sides_.emplace_back(c, rest);
    if (kind == MultiClass::ovo)
      for (std::int32_t other = 0; other < c; ++other) sides_.emplace_back(c, other);
  }
}

std::int32_t ClassScheme::choose(std::span<const double> decisions) const {
  if (binaries() == 1) return decisions[0] > 0 ? 1 : 0;
  if (kind_ == MultiClass::ovr) return static_cast<std::int32_t>(std::max_element(decisions.begin(), decisions.end()) - decisions.begin());
  std::vector<std::size_t> votes(classes_, 0);
  for (std::size_t m = 0; m < sides_.size(); ++m) ++votes[static_cast<std::size_t>(decisions[m] > 0 ? sides_[m].first : sides_[m].second)];
  return static_cast<std::int32_t>(std::max_element(votes.begin(), votes.end()) - votes.begin());
}

double ClassScheme::margin(std::span<const double> decisions) const {
  if (binaries() == 1) return std::abs(decisions[0]);
  if (kind_ == MultiClass::ovr) {
    double best = -std::numeric_limits<double>::infinity(), second = best;
    for (const double decision : decisions) {
      if (decision > best)
        second = std::exchange(best, decision);
      else
        second = std::max(second, decision);
    }
    return 0.5 * (best - second);
  }
  const std::int32_t chosen = choose(decisions);
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t m = 0; m < sides_.size(); ++m)
    if (target(m, chosen) != 0.0) smallest = std::min(smallest, std::abs(decisions[m]));
  return smallest;
}

bool ClassScheme::wins_all(std::span<const double> decisions, std::int32_t label) const {
  for (std::size_t m = 0; m < sides_.size(); ++m) {
    const double wanted = target(m, label);
    if (wanted != 0.0 && (decisions[m] > 0) != (wanted > 0)) return false;
  }
  return true;
}

}  // namespace hinge
