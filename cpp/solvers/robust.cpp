#include "solvers/robust.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/budget.hpp"

namespace hinge {

namespace {

constexpr std::size_t most_repeats = 10'000;  // keeps one example from costing for ever

template <class T>
double gap_target(const Machine<T>& machine) {
  const Expansion& e = machine.expansion;
  const Slack slack = loops<T>().slack(e.gradient.data(), e.low.data(), e.high.data(), e.label.data(), e.size());
  const double support = std::max(1.0, static_cast<double>(machine.expansion.support()));
  return std::sqrt(std::max(0.0, slack.squares - slack.sum * slack.sum / support));
}

}  // namespace

template <class T>
Visit Robust<T>::visit(Machine<T>& machine, std::size_t position, double label, double cost) const {
  const double sum = machine.sum(position), gradient = label - sum;
  const Side side = side_of(label * sum);
  if (passes_over(machine, side)) return {sum, false};
  const bool flat = options_.loss == Loss::ramp && side == left && machine.expansion.support() > options_.warmup;
  const double threshold = std::max(cost, gap_target(machine));
  const Box box = Box::of(label, cost);
  const std::size_t k = machine.insert(position, label, flat ? box.beyond_zero() : box, gradient);
  machine.tally.admitted[side] += 1;
  if (const double length = machine.best_length(k); length != 0.0) machine.climb(k, length);
  reduce_gap(machine, threshold);
  if (++machine.visits % options_.clean_every == 0 && options_.loss != Loss::full) clean(machine);
  if (options_.max_support != 0) keep_within(machine, options_.max_support);
  return {sum, true};
}

template <class T>
Visit Robust<T>::revisit(Machine<T>& machine, std::size_t position, std::size_t slot) const {
  const double sum = machine.sum(position);
  reduce_gap(machine, std::max(machine.points().cost(slot), gap_target(machine)));
  return {sum, false};
}

// The right part of the ramp has nothing to teach at any time, the left part only once there is a boundary to trust.
template <class T>
bool Robust<T>::passes_over(const Machine<T>& machine, Side side) const {
  if (options_.loss != Loss::ignore) return false;
  return side == right || (side == left && machine.expansion.support() > options_.warmup);
}

template <class T>
void Robust<T>::reduce_gap(Machine<T>& machine, double threshold) const {
  for (std::size_t repeat = 0; repeat < most_repeats && machine.slack_gap() > threshold; ++repeat) {
    if (!reprocess(machine)) return;
    machine.cut_short |= repeat + 1 == most_repeats;
  }
}

template <class T>
bool Robust<T>::reprocess(Machine<T>& machine) const {
  const double up = machine.top(), down = -machine.bottom();  // -infinity where nobody may move
  if (std::max(up, down) <= options_.tolerance) return false;
  std::size_t first = machine.extremes_.top_at, second = machine.extremes_.bottom_at;
  if (down > up) std::swap(first, second);
  if (first != second && std::min(up, down) > options_.tolerance)
    machine.climb_both(first, second);
  else
    machine.climb(first, machine.best_length(first));
  return true;
}

template <class T>
void Robust<T>::clean(Machine<T>& machine) const {
  Expansion& expansion = machine.expansion;
  std::erase_if(machine.idle, [&](std::size_t s) { return !expansion.alive(s) || expansion.alpha[s] != 0.0; });
  std::sort(machine.idle.begin(), machine.idle.end());
  machine.idle.erase(std::unique(machine.idle.begin(), machine.idle.end()), machine.idle.end());
  if (machine.idle.size() <= options_.max_idle) return;
  std::stable_sort(machine.idle.begin(), machine.idle.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(expansion.gradient[a]) < std::abs(expansion.gradient[b]);
  });
  for (std::size_t n = options_.max_idle; n < machine.idle.size(); ++n) {
    const std::size_t s = machine.idle[n];
    machine.tally.cleaned[side_of(expansion.label[s] * (expansion.label[s] - expansion.gradient[s]))] += 1;
    machine.remove(s);
  }
  machine.idle.resize(options_.max_idle);
  machine.refresh_extremes();
}

template class Robust<float>;
template class Robust<double>;

}  // namespace hinge
