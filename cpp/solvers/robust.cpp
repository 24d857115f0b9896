#include "solvers/robust.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/budget.hpp"

namespace hinge {

namespace {

constexpr std::size_t most_repeats = 10'000;  // keeps one example from costing for ever

template <class T>
double gap_target(const BinaryModel<T>& binary) {
  const Expansion& e = binary.expansion;
  const Slack slack = loops<T>().slack(e.gradient.data(), e.low.data(), e.high.data(), e.label.data(), e.size());
  const double support = std::max(1.0, static_cast<double>(binary.expansion.support()));
  return std::sqrt(std::max(0.0, slack.squares - slack.sum * slack.sum / support));
}

}  // namespace

template <class T>
Visit Robust<T>::visit(BinaryModel<T>& binary, std::size_t position, double label, double cost) const {
  const double sum = binary.sum(position), gradient = label - sum;
  const Side side = side_of(label * sum);
  if (passes_over(binary, side)) return {sum, false};
  const bool flat = options_.loss == Loss::ramp && side == left && binary.expansion.support() > options_.warmup;
  const double threshold = std::max(cost, gap_target(binary));
  const Box box = Box::of(label, cost);
  const std::size_t k = binary.insert(position, label, flat ? box.beyond_zero() : box, gradient);
  binary.tally.admitted[side] += 1;
  if (const double length = binary.best_length(k); length != 0.0) binary.climb(k, length);
  reduce_gap(binary, threshold);
  if (++binary.visits % options_.clean_every == 0 && options_.loss != Loss::full) clean(binary);
  if (options_.max_support != 0) keep_within(binary, options_.max_support);
  return {sum, true};
}

template <class T>
Visit Robust<T>::revisit(BinaryModel<T>& binary, std::size_t position, std::size_t slot) const {
  const double sum = binary.sum(position);
  reduce_gap(binary, std::max(binary.points().cost(slot), gap_target(binary)));
  return {sum, false};
}

// The right part of the ramp has nothing to teach at any time, the left part only once there is a boundary to trust.
template <class T>
bool Robust<T>::passes_over(const BinaryModel<T>& binary, Side side) const {
  if (options_.loss != Loss::ignore) return false;
  return side == right || (side == left && binary.expansion.support() > options_.warmup);
}

template <class T>
void Robust<T>::reduce_gap(BinaryModel<T>& binary, double threshold) const {
  for (std::size_t repeat = 0; repeat < most_repeats && binary.slack_gap() > threshold; ++repeat) {
    if (!reprocess(binary)) return;
    binary.cut_short |= repeat + 1 == most_repeats;
  }
}

template <class T>
bool Robust<T>::reprocess(BinaryModel<T>& binary) const {
  const double up = binary.top(), down = -binary.bottom();  // -infinity where nobody may move
  if (std::max(up, down) <= options_.tolerance) return false;
  std::size_t first = binary.extremes_.top_at, second = binary.extremes_.bottom_at;
  if (down > up) std::swap(first, second);
  if (first != second && std::min(up, down) > options_.tolerance)
    binary.climb_both(first, second);
  else
    binary.climb(first, binary.best_length(first));
  return true;
}

template <class T>
void Robust<T>::clean(BinaryModel<T>& binary) const {
  Expansion& expansion = binary.expansion;
  std::erase_if(binary.idle, [&](std::size_t s) { return !expansion.alive(s) || expansion.alpha[s] != 0.0; });
  std::sort(binary.idle.begin(), binary.idle.end());
  binary.idle.erase(std::unique(binary.idle.begin(), binary.idle.end()), binary.idle.end());
  if (binary.idle.size() <= options_.max_idle) return;
  std::stable_sort(binary.idle.begin(), binary.idle.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(expansion.gradient[a]) < std::abs(expansion.gradient[b]);
  });
  for (std::size_t n = options_.max_idle; n < binary.idle.size(); ++n) {
    const std::size_t s = binary.idle[n];
    binary.tally.cleaned[side_of(expansion.label[s] * (expansion.label[s] - expansion.gradient[s]))] += 1;
    binary.remove(s);
  }
  binary.idle.resize(options_.max_idle);
  binary.refresh_extremes();
}

template class Robust<float>;
template class Robust<double>;

}  // namespace hinge
