#include "solvers/finishing.hpp"

#include <algorithm>
#include <cmath>

#include "decision.hpp"
#include "duality.hpp"
#include "solvers/robust.hpp"

namespace hinge {

namespace {

constexpr std::size_t steps_between_looks = 1000;
constexpr std::size_t most_rounds = 50;
// Steps that together raise the dual by less than this part of it are rounding: it will not become better than that.
constexpr double negligible_gain = 1e-18;

}  // namespace

template <class T>
bool Finishing<T>::run(Machine<T>& machine) {
  steps_left_ = options_.max_steps != 0 ? options_.max_steps : std::max<std::size_t>(10'000'000, 200 * machine.expansion.size());
  machine.refresh_extremes();
  Ending ending = Ending::crowded;
  for (std::size_t round = 0; ending == Ending::crowded; ++round) {
    ending = descend(machine, round < most_rounds);
    if (ending == Ending::crowded) {
      const Ending inner = run_shrunken(machine);
      if (inner != Ending::converged) ending = inner;
    }
  }
  if (ending == Ending::converged) dismiss(machine);
  return ending != Ending::stalled;
}

template <class T>
typename Finishing<T>::Ending Finishing<T>::descend(Machine<T>& machine, bool may_shrink) {
  const PairChoice choice = options_.second_order ? PairChoice::second_order : PairChoice::maximal_gradient;
  double window_gain = 0.0;
  const std::size_t window = std::max(steps_between_looks, machine.expansion.size());
  for (std::size_t count = 1;; ++count) {
    const auto gain = lasvm_.reprocess(machine, choice);
    if (!gain) return Ending::converged;
    window_gain += *gain;
    if (steps_left_-- == 0) return Ending::stalled;
    if (count % steps_between_looks != 0) continue;
    if (monitor_.stopped()) return Ending::stopped;
    if (may_shrink && active_members(machine).size() < machine.expansion.alive_count() / 4 * 3) return Ending::crowded;
    if (count % (10 * window) < steps_between_looks) {
      if (window_gain <= negligible_gain * dual_objective(machine.expansion)) return Ending::stalled;
      window_gain = 0.0;
    }
  }
}

template <class T>
std::vector<std::size_t> Finishing<T>::active_members(const Machine<T>& machine) const {
  const Expansion& expansion = machine.expansion;
  std::vector<std::size_t> active;
  for (std::size_t i = 0; i < expansion.size(); ++i) {
    const double g = expansion.gradient[i];
    const bool out = !expansion.alive(i) || (expansion.room[i] == may_rise && g < machine.bottom()) ||
                     (expansion.room[i] == may_fall && g > machine.top());
    if (!out) active.push_back(i);
  }
  return active;
}

template <class T>
typename Finishing<T>::Ending Finishing<T>::run_shrunken(Machine<T>& machine) {
  const auto active = active_members(machine);
  const std::vector<double> before = machine.expansion.alpha;
  std::vector<std::size_t> slots;
  for (const std::size_t i : active) slots.push_back(machine.slots[i]);
  const Points<T> points = machine.points().pick(slots);
  Machine<T> smaller = machine.restricted(active, points);
  smaller.prefetch_rows(options_.threads);
  Ending ending = descend(smaller, true);
  while (ending == Ending::crowded) {
    ending = run_shrunken(smaller);
    if (ending == Ending::converged) ending = descend(smaller, true);
  }
  for (std::size_t k = 0; k < active.size(); ++k) {
    machine.set_alpha(active[k], smaller.expansion.alpha[k]);
    machine.expansion.gradient[active[k]] = smaller.expansion.gradient[k];
  }
  machine.steps += smaller.steps;
  machine.kernel_evals += smaller.kernel_evals;
  restore_rest(machine, active, before);
  machine.refresh_extremes();
  return ending;
}

// g_i -= sum over what moved of (alpha_j - before_j) K_ij, for the members set aside.
template <class T>
void Finishing<T>::restore_rest(Machine<T>& machine, std::span<const std::size_t> active,
                                const std::vector<double>& before) {
  Expansion& expansion = machine.expansion;
  std::vector<std::size_t> moved_slots, rest, rest_slots;
  std::vector<double> change;
  for (const std::size_t i : active) {
    if (expansion.alpha[i] == before[i]) continue;
    moved_slots.push_back(machine.slots[i]);
    change.push_back(expansion.alpha[i] - before[i]);
  }
  for (std::size_t i = 0, k = 0; i < expansion.size(); ++i) {
    if (k < active.size() && active[k] == i) {
      ++k;
    } else if (expansion.alive(i)) {
      rest.push_back(i);
      rest_slots.push_back(machine.slots[i]);
    }
  }
  std::vector<double> sums(rest.size(), 0.0);
  const Points<T> moved = machine.points().pick(moved_slots), aside = machine.points().pick(rest_slots);
  add_decisions(machine.kernel(), aside.examples(), moved.examples(), change, 1, options_.threads, sums);
  machine.kernel_evals += rest.size() * change.size();
  for (std::size_t k = 0; k < rest.size(); ++k) expansion.gradient[rest[k]] -= sums[k];
}

// At the end all members with alpha = 0 leave, but for the two that may end the bracket.
template <class T>
void Finishing<T>::dismiss(Machine<T>& machine) const {
  if (!machine.has_pair()) return;
  const Extremes ends = machine.extremes_;
  for (std::size_t i = 0; i < machine.expansion.size(); ++i)
    if (i != ends.top_at && i != ends.bottom_at && machine.expansion.alive(i) && machine.expansion.alpha[i] == 0.0)
      machine.remove(i);
}

template <class T>
bool finish_machine(Machine<T>& machine, const Options& options, Monitor& monitor) {
  if (is_biased(options.algorithm)) return Finishing<T>(options, monitor).run(machine);
  if (options.algorithm == Algorithm::perceptron) return true;  // it has no objective
  const Robust<T> solver(options);
  machine.refresh_extremes();
  const std::size_t most = std::max<std::size_t>(10'000'000, 200 * machine.expansion.size());
  const std::size_t window = 10 * std::max(steps_between_looks, machine.expansion.size());
  double before = dual_objective(machine.expansion);
  for (std::size_t count = 1; count < most; ++count) {
    if (!solver.reprocess(machine)) return true;
    if (count % steps_between_looks == 0 && monitor.stopped()) return true;
    if (count % window != 0) continue;
    const double now = dual_objective(machine.expansion);
    if (now <= before) return false;
    before = now;
  }
  return false;
}

template bool finish_machine(Machine<float>&, const Options&, Monitor&);
template bool finish_machine(Machine<double>&, const Options&, Monitor&);
template class Finishing<float>;
template class Finishing<double>;

}  // namespace hinge
