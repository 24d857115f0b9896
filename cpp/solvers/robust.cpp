#include "solvers/robust.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "duality.hpp"
#include "invariants.hpp"
#include "solvers/budget.hpp"
#include "solvers/coordinates.hpp"

namespace hinge {

namespace {

constexpr std::size_t max_repeats = 10'000;  // keeps the cost of one example finite

template <class T>
double gap_target(const BinaryModel<T>& binary) {
  const Expansion& e = binary.expansion();
  const Slack slack = loops<T>().slack(e.gradient.data(), e.low.data(), e.high.data(), e.label.data(), e.size());
  const double support = std::max(1.0, static_cast<double>(binary.expansion().support()));
  return std::sqrt(std::max(0.0, slack.squares - slack.sum * slack.sum / support));
}

}  // namespace

template <class T>
Visit Robust<T>::visit(BinaryModel<T>& binary, std::size_t position, double label, double cost) {
  const double sum = binary.sum(position), gradient = label - sum;
  const Side side = side_of(label * sum);
  if (ignores(binary, side)) return {sum, false};
  const bool flat = options_.loss == RobustLoss::ramp && side == left && binary.expansion().support() > options_.warmup;
  const double threshold = std::max(cost, gap_target(binary));
  const Box box = Box::of(label, cost);
  const std::size_t k = binary.insert(position, label, flat ? box.beyond_zero() : box, gradient);
  memory_.admitted[side] += 1;
  if (const double length = binary.best_length(k); length != 0.0) binary.coordinate_step(k, length);
  const bool converged = reduce_gap(binary, threshold);
  if (++memory_.visits % options_.clean_every == 0 && options_.loss != RobustLoss::full) clean(binary);
  if (options_.max_support) keep_within(binary, *options_.max_support);
  return {sum, true, !converged};
}

template <class T>
Visit Robust<T>::revisit(BinaryModel<T>& binary, std::size_t position, std::size_t slot) {
  const double sum = binary.sum(position);
  const bool converged = reduce_gap(binary, std::max(binary.rows().points().cost(slot), gap_target(binary)));
  return {sum, false, !converged};
}

template <class T>
bool Robust<T>::finish(BinaryModel<T>& binary, AtEnd, std::size_t, Monitor& monitor) {
  return finish_coordinates(binary, options_.tolerance, monitor);
}

// Nothing can be learned right of the ramp at any time, and left of it only until there is a boundary to trust.
template <class T>
bool Robust<T>::ignores(const BinaryModel<T>& binary, Side side) const {
  if (options_.loss != RobustLoss::ignore) return false;
  return side == right || (side == left && binary.expansion().support() > options_.warmup);
}

template <class T>
bool Robust<T>::reduce_gap(BinaryModel<T>& binary, double threshold) const {
  for (std::size_t repeat = 0; binary.bracket().slack_gap() > threshold; ++repeat) {
    if (repeat == max_repeats) return false;
    if (!reprocess_coordinates(binary, options_.tolerance, options_.move_both)) return true;
  }
  return true;
}

template <class T>
void Robust<T>::clean(BinaryModel<T>& binary) {
  const Expansion& expansion = binary.expansion();
  std::vector<std::size_t> idle = binary.members().idle();
  if (idle.size() <= options_.max_idle) return;
  std::stable_sort(idle.begin(), idle.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(expansion.gradient[a]) < std::abs(expansion.gradient[b]);
  });
  for (std::size_t n = options_.max_idle; n < idle.size(); ++n) {
    const std::size_t i = idle[n];
    memory_.cleaned[side_of(expansion.label[i] * (expansion.label[i] - expansion.gradient[i]))] += 1;
    binary.remove(i);
  }
  binary.refresh_bracket();
}

template <class T>
void Robust<T>::check_invariants(const BinaryModel<T>& binary) const {
  const double gap = duality_gap(binary.expansion(), false);
  require(!(std::abs(binary.bracket().slack_gap() - gap) > 1e-6 * (1.0 + std::abs(gap))), "Robust: the duality gap is not that of the gradients.");
}

template class Robust<float>;
template class Robust<double>;

}  // namespace hinge
