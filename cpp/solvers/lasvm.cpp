#include "solvers/lasvm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/budget.hpp"

namespace hinge {

namespace {

// With max_gap the paper repeats REPROCESS; a bound keeps one example from costing for ever.
constexpr std::size_t most_repeats = 10'000;

}  // namespace

template <class T>
Visit Lasvm<T>::revisit(Machine<T>& machine, std::size_t position, std::size_t) const {
  const double decision = machine.sum(position) + machine.bias();
  reprocess_online(machine);
  return {decision, false};
}

template <class T>
Visit Lasvm<T>::visit(Machine<T>& machine, std::size_t position, double label, double cost) const {
  const double sum = machine.sum(position);
  const double gradient = label - sum, bias = machine.bias();
  const double lower = std::min(machine.top(), machine.bottom()), upper = std::max(machine.top(), machine.bottom());
  const bool wanted =
      machine.has_pair() && (label > 0 ? gradient - lower > options_.tolerance : upper - gradient > options_.tolerance);
  std::size_t& seeds = machine.seeds[label > 0];
  const bool admitted = wanted || seeds < seeds_per_class;
  if (admitted) {
    seeds += seeds < seeds_per_class;
    process(machine, machine.insert(position, label, Box::of(label, cost), gradient));
  }
  reprocess_online(machine);
  if (options_.max_support != 0) keep_within(machine, options_.max_support);
  return {sum + bias, admitted};
}

template <class T>
void Lasvm<T>::process(Machine<T>& machine, std::size_t k) const {
  if (!machine.has_pair()) return;
  const bool rising = machine.expansion.label[k] > 0;
  const std::size_t i = rising ? k : machine.extremes_.top_at, j = rising ? machine.extremes_.bottom_at : k;
  if (machine.expansion.gradient[i] - machine.expansion.gradient[j] > options_.tolerance) machine.step(i, j);
}

template <class T>
std::optional<double> Lasvm<T>::reprocess(Machine<T>& machine, PairChoice choice) const {
  if (machine.gap() <= options_.tolerance) return std::nullopt;
  const std::size_t i = machine.extremes_.top_at;
  std::size_t j = machine.extremes_.bottom_at;
  if (choice == PairChoice::second_order) {
    const Expansion& expansion = machine.expansion;
    const auto best = loops<T>().partner(expansion.gradient.data(), machine.row(i, i).segments, machine.diagonal.data(),
                                         expansion.room.data(), expansion.gradient[i],
                                         static_cast<double>(machine.diagonal[i]), expansion.size());
    if (best.found) j = best.at;
  }
  return machine.step(i, j);
}

template <class T>
void Lasvm<T>::reprocess_online(Machine<T>& machine) const {
  if (!reprocess(machine, PairChoice::maximal_gradient)) return;
  dismiss_idle(machine);
  for (std::size_t repeat = 0; repeat < most_repeats && machine.gap() > options_.max_gap; ++repeat) {
    if (!reprocess(machine, PairChoice::maximal_gradient)) return;
    dismiss_idle(machine);
    machine.cut_short |= repeat + 1 == most_repeats;
  }
}

template <class T>
void Lasvm<T>::dismiss_idle(Machine<T>& machine) const {
  if (!machine.has_pair()) return;
  std::erase_if(machine.idle, [&](std::size_t s) {
    const Expansion& expansion = machine.expansion;
    if (!expansion.alive(s) || expansion.alpha[s] != 0.0) return true;
    const double gradient = expansion.gradient[s];
    // The second condition matters only inside out, where an idle member may be what ends the bracket.
    const bool unwanted = expansion.label[s] > 0 ? gradient <= machine.bottom() && gradient < machine.top()
                                                 : gradient >= machine.top() && gradient > machine.bottom();
    if (unwanted) machine.remove(s);
    return unwanted;
  });
}

template class Lasvm<float>;
template class Lasvm<double>;

}  // namespace hinge
