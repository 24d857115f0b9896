#include "solvers/lasvm.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "solvers/balanced.hpp"
#include "solvers/budget.hpp"
#include "solvers/finishing.hpp"
#include "solvers/forgetting.hpp"
#include "solvers/pairs.hpp"
#include "solvers/polish.hpp"

namespace hinge {

namespace {

// With max_gap the paper repeats REPROCESS; the bound keeps the cost of one example finite.
constexpr std::size_t max_repeats = 10'000;

}  // namespace

template <class T>
void Lasvm<T>::age(BinaryModel<T>& binary) {
  if (!options_.half_life) return;
  forget_by_age(binary, *options_.half_life, memory_.seen[0] + memory_.seen[1] + memory_.passed_over);
  const std::vector<double>& label = binary.expansion().label;
  for (const bool positive : {false, true})  // a class that was forgotten begins again
    if (std::find(label.begin(), label.end(), positive ? 1.0 : -1.0) == label.end()) memory_.seeds[positive] = 0;
}

template <class T>
bool Lasvm<T>::make_room(BinaryModel<T>& binary) const {
  const Expansion& expansion = binary.expansion();
  const auto time_of = [&](std::size_t i) { return options_.streaming ? binary.id_of(i) : scrambled(binary.id_of(i)); };
  const std::size_t removed = expansion.removed_count();
  while (expansion.held_count() >= std::max<std::size_t>(*options_.max_support, 2)) {
    const double bias = binary.bias();
    const auto slack = [&](std::size_t i) { return expansion.label[i] * (expansion.gradient[i] - bias); };
    evict(binary, choose_balanced(expansion, {memory_.seen, memory_.mistakes}, time_of, slack));
    binary.refresh_bracket();
  }
  return expansion.removed_count() != removed;
}

template <class T>
Visit Lasvm<T>::revisit(BinaryModel<T>& binary, std::size_t position, std::size_t) {
  double sum = binary.sum(position);
  const double decision = sum + binary.bias();
  const bool converged = reprocess_online(binary);
  return {decision, false, !converged};
}

template <class T>
Visit Lasvm<T>::pass_over(BinaryModel<T>& binary, std::size_t position) {
  ++memory_.passed_over;
  return SolverWith<T, LasvmOptions, LasvmMemory>::pass_over(binary, position);
}

template <class T>
Visit Lasvm<T>::visit(BinaryModel<T>& binary, std::size_t position, double label, double cost) {
  double sum = binary.sum(position);
  const double decision = sum + binary.bias();
  const bool mistaken = label * decision <= 0.0;
  memory_.count(label, mistaken);
  if (waits(label)) return {decision, false, false};
  if (is_window() && make_room(binary)) sum = binary.sum(position);
  const double gradient = label - sum;
  const double distance = beyond_margin(binary.bracket(), label, gradient);
  const bool violates = binary.bracket().has_pair() && distance < -options_.tolerance;
  const bool reserved = has_reserve() && (binary.bracket().has_pair() ? upkeep_.keeps(distance) : upkeep_.samples(binary, position));
  std::size_t& seeds = memory_.seeds[label > 0];
  const bool admitted = violates || reserved || is_window() || seeds < seeds_per_class;
  if (admitted) {
    seeds += seeds < seeds_per_class;
    const std::size_t k = binary.insert(position, label, Box::of(label, cost), gradient);
    binary.expansion().mistaken[k] = mistaken;
    process(binary, k);
  }
  const bool converged = reprocess_online(binary);
  if (options_.max_support) keep_within(binary, *options_.max_support);
  return {decision, admitted, !converged};
}

template <class T>
void Lasvm<T>::process(BinaryModel<T>& binary, std::size_t k) const {
  if (!binary.bracket().has_pair()) return;
  const bool rising = binary.expansion().label[k] > 0;
  const std::size_t i = rising ? k : binary.bracket().top_at(), j = rising ? binary.bracket().bottom_at() : k;
  if (binary.expansion().gradient[i] - binary.expansion().gradient[j] > options_.tolerance) binary.pair_step(i, j);
}

template <class T>
bool Lasvm<T>::reprocess_online(BinaryModel<T>& binary) {
  if (options_.upkeep) {
    upkeep_.move_pairs(binary);
    if (has_reserve()) upkeep_.adjust_reserve_at_times(binary);
    return true;
  }
  const bool moved = reprocess_pair(binary, options_.tolerance, PairChoice::maximal_gradient).has_value();
  if (!moved) return true;
  remove_idle(binary);
  if (!options_.max_gap) return true;
  for (std::size_t repeat = 0; binary.violation() > *options_.max_gap; ++repeat) {
    if (repeat == max_repeats) return false;
    if (!reprocess_pair(binary, options_.tolerance, PairChoice::maximal_gradient)) return true;
    remove_idle(binary);
  }
  return true;
}

template <class T>
bool Lasvm<T>::finish(BinaryModel<T>& binary, AtEnd at_end, std::size_t threads, Monitor& monitor) {
  const bool converged = Finishing<T>(options_, threads, monitor).run(binary, keeps_idle() ? AtEnd::keep_idle : at_end);
  if (has_reserve() && keeps_idle()) upkeep_.adjust_reserve(binary);
  return converged;
}

template <class T>
void Lasvm<T>::polish(BinaryModel<T>& binary, Monitor& monitor) {
  hinge::polish(binary, options_, monitor);
}

template <class T>
void Lasvm<T>::remove_idle(BinaryModel<T>& binary) const {
  if (!binary.bracket().has_pair()) return;
  const Expansion& expansion = binary.expansion();
  const Bracket& bracket = binary.bracket();
  binary.remove_idle([&](std::size_t i) {
    const double gradient = expansion.gradient[i];
    // The second condition matters only inside out, where an idle member may be what ends the bracket.
    return expansion.label[i] > 0 ? gradient <= bracket.bottom() && gradient < bracket.top()
                                  : gradient >= bracket.top() && gradient > bracket.bottom();
  });
}

template class Lasvm<float>;
template class Lasvm<double>;

}  // namespace hinge
