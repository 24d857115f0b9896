#include "solvers/budget.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "solvers/eviction.hpp"

namespace hinge {

namespace {

// Misclassified members leave only while there are more than this share: a class that is rare or new begins on the wrong side, and without
// a bias nothing else helps it. Chosen among 0, 0.05, 0.1 and 0.2 by the errors on small artificial sets, digits and banana.
constexpr double max_wrong_share = 0.1;

}  // namespace

template <class T>
std::size_t least_useful(const BinaryModel<T>& binary) {
  const Expansion& expansion = binary.expansion();
  const auto positive = static_cast<std::size_t>(std::count(expansion.label.begin(), expansion.label.end(), 1.0));
  const auto negative = expansion.held_count() - positive;
  const double bias = binary.bias();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < expansion.size(); ++i)
    wrong += expansion.holds(i) && expansion.label[i] * (expansion.gradient[i] - bias) > 1.0 + score_tolerance;
  const bool noisy = static_cast<double>(wrong) > max_wrong_share * static_cast<double>(expansion.held_count());
  return choose_eviction(binary, [&](std::size_t i) {
    if ((expansion.label[i] > 0 ? positive : negative) == 1) return -std::numeric_limits<double>::infinity();
    const double slack = expansion.label[i] * (expansion.gradient[i] - bias);  // 1 - y f(x)
    const double own_share = std::abs(expansion.alpha[i]) * static_cast<double>(binary.members().diagonal()[i]);
    return noisy && slack > 1.0 + score_tolerance ? slack : -(slack + own_share);
  });
}

template <class T>
std::size_t easiest(const BinaryModel<T>& binary) {
  const Expansion& expansion = binary.expansion();
  return choose_eviction(binary, [&](std::size_t i) {
    const double own_share = std::abs(expansion.alpha[i]) * static_cast<double>(binary.members().diagonal()[i]);
    return -expansion.label[i] * (expansion.gradient[i] - binary.bias()) - own_share;  // y f(x) - 1, without its own share
  });
}

template std::size_t easiest(const BinaryModel<float>&);
template std::size_t easiest(const BinaryModel<double>&);
template std::size_t least_useful(const BinaryModel<float>&);
template std::size_t least_useful(const BinaryModel<double>&);

namespace {

struct Receiver {
  std::size_t at;
  double amount;
  double gain;
};

// Moving amount a from v to p changes the dual by a (g_p - g_v) - a^2/2 (K_vv + K_pp - 2 K_vp); the best p takes what its box allows.
template <class T>
std::optional<Receiver> best_receiver(BinaryModel<T>& binary, std::size_t v, bool same_class) {
  const Expansion& expansion = binary.expansion();
  const std::vector<T>& diagonal = binary.members().diagonal();
  const double whole = expansion.alpha[v];
  const RowView<T> row_v = binary.row(v, v);
  std::optional<Receiver> best;
  for (std::size_t p = 0; p < expansion.size(); ++p) {
    const double space = whole > 0 ? expansion.high[p] - expansion.alpha[p] : expansion.alpha[p] - expansion.low[p];
    if (p == v || space <= 0.0 || !expansion.holds(p) || (same_class && expansion.label[p] != expansion.label[v])) continue;
    const double amount = std::copysign(std::min(std::abs(whole), space), whole);
    const double curvature =
        static_cast<double>(diagonal[v]) + static_cast<double>(diagonal[p]) - 2.0 * static_cast<double>(row_v[p]);
    const double gain = amount * (expansion.gradient[p] - expansion.gradient[v]) - 0.5 * amount * amount * curvature;
    if (!best || gain > best->gain) best = Receiver{p, amount, gain};
  }
  return best;
}

template <class T>
void hand_over(BinaryModel<T>& binary, std::size_t v) {
  const Expansion& expansion = binary.expansion();
  while (expansion.alpha[v] != 0.0) {
    auto receiver = best_receiver(binary, v, true);
    if (!receiver) receiver = best_receiver(binary, v, false);
    if (!receiver && !binary.bracket().biased()) return binary.coordinate_step(v, -expansion.alpha[v]);  // there is no sum constraint: it is dropped
    if (!receiver) return;  // what is left is a residue of rounding
    if (receiver->amount > 0)
      binary.move_pair(receiver->at, v, receiver->amount);
    else
      binary.move_pair(v, receiver->at, -receiver->amount);
  }
}

}  // namespace

template <class T>
void evict(BinaryModel<T>& binary, std::size_t leaving) {
  hand_over(binary, leaving);
  binary.remove(leaving);
}

template <class T>
void keep_within(BinaryModel<T>& binary, std::size_t most) {
  while (binary.expansion().held_count() > std::max<std::size_t>(most, 2)) {
    evict(binary, least_useful(binary));
    binary.refresh_bracket();
  }
}

template void evict(BinaryModel<float>&, std::size_t);
template void evict(BinaryModel<double>&, std::size_t);
template void keep_within(BinaryModel<float>&, std::size_t);
template void keep_within(BinaryModel<double>&, std::size_t);

}  // namespace hinge
