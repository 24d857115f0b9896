#include "duality.hpp"

#include <algorithm>
#include <vector>

namespace hinge {

double dual_objective(const Expansion& expansion) {
  double total = 0.0;
  for (std::size_t i = 0; i < expansion.size(); ++i)
    total += 0.5 * expansion.alpha[i] * (expansion.label[i] + expansion.gradient[i]);
  return total;
}

double squared_norm(const Expansion& expansion) {
  double total = 0.0;
  for (std::size_t i = 0; i < expansion.size(); ++i)
    total += expansion.alpha[i] * (expansion.label[i] - expansion.gradient[i]);
  return total;
}

namespace {

// As a function of b the gap is convex with corners at the gradients: its slope starts at the sum of all alpha - high and rises by a member's
// cost at each corner. The corner where it changes its sign is found as a median is, in linear time: each round halves the members in question.
double best_bias(const Expansion& expansion, std::vector<std::size_t> members) {
  const auto by_gradient = [&](std::size_t i, std::size_t j) { return expansion.gradient[i] < expansion.gradient[j]; };
  double slope = 0.0;
  for (const std::size_t i : members) slope += expansion.alpha[i] - expansion.high[i];
  auto first = members.begin(), last = members.end();
  while (last - first > 1) {
    const auto middle = first + (last - first - 1) / 2;
    std::nth_element(first, middle, last, by_gradient);
    double after = slope;
    for (auto at = first; at <= middle; ++at) after += expansion.high[*at] - expansion.low[*at];
    if (after >= 0.0) {
      last = middle + 1;
    } else {
      slope = after;
      first = middle + 1;
    }
  }
  return expansion.gradient[*first];
}

}  // namespace

double duality_gap(const Expansion& expansion, bool biased) {
  if (expansion.held_count() == 0) return 0.0;
  const double bias = biased ? best_bias(expansion, expansion.held()) : 0.0;
  double total = 0.0;
  for (std::size_t i = 0; i < expansion.size(); ++i) {  // those that left add nothing
    const double g = expansion.gradient[i] - bias;
    total += std::max(expansion.low[i] * g, expansion.high[i] * g) - expansion.alpha[i] * g;
  }
  return total;
}

}  // namespace hinge
