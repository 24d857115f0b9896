#include "solvers/forgetting.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "solvers/budget.hpp"

namespace hinge {

namespace {

constexpr double leaps_per_half_life = 64.0;
constexpr double smallest_share = 1.0 / 64.0;  // of its cost that the bound of a member has
constexpr double longest_leap = 1e9;           // rows; a half-life may be any number

template <class T>
void shrink(BinaryModel<T>& binary, double factor) {
  Expansion& expansion = binary.expansion();
  for (std::size_t i = 0; i < expansion.size(); ++i) {
    if (!expansion.holds(i)) continue;
    expansion.low[i] *= factor;
    expansion.high[i] *= factor;
    expansion.set_alpha(i, factor * expansion.alpha[i]);
    expansion.gradient[i] = expansion.label[i] - factor * (expansion.label[i] - expansion.gradient[i]);
  }
}

// Oldest first, so that positions do not matter.
template <class T>
std::vector<std::size_t> negligible(const BinaryModel<T>& binary) {
  const Expansion& expansion = binary.expansion();
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < expansion.size(); ++i)
    if (expansion.holds(i) && expansion.high[i] - expansion.low[i] < smallest_share * expansion.cost[i]) found.push_back(i);
  std::sort(found.begin(), found.end(), [&](std::size_t one, std::size_t other) { return binary.id_of(one) < binary.id_of(other); });
  return found;
}

}  // namespace

template <class T>
void forget_by_age(BinaryModel<T>& binary, double half_life, std::size_t rows) {
  const double leap = std::floor(std::clamp(half_life / leaps_per_half_life, 1.0, longest_leap));
  if (rows % static_cast<std::size_t>(leap) != 0) return;
  shrink(binary, std::exp2(-leap / half_life));
  for (const std::size_t i : negligible(binary)) evict(binary, i);
  binary.refresh_bracket();
}

template void forget_by_age(BinaryModel<float>&, double, std::size_t);
template void forget_by_age(BinaryModel<double>&, double, std::size_t);

}  // namespace hinge
