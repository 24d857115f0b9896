#include "solvers/lasvm.hpp"

#include <algorithm>

#include "solvers/budget.hpp"
#include "solvers/finishing.hpp"
#include "solvers/pairs.hpp"
#include "solvers/polish.hpp"

namespace hinge {

namespace {

// With max_gap the paper repeats REPROCESS; the bound keeps the cost of one example finite.
constexpr std::size_t max_repeats = 10'000;

}  // namespace

template <class T>
Visit Lasvm<T>::revisit(BinaryModel<T>& binary, std::size_t position, std::size_t) {
  const double decision = binary.sum(position) + binary.bias();
  const bool converged = reprocess_online(binary);
  return {decision, false, !converged};
}

template <class T>
Visit Lasvm<T>::visit(BinaryModel<T>& binary, std::size_t position, double label, double cost) {
  const double sum = binary.sum(position);
  const double gradient = label - sum, bias = binary.bias();
  const double distance = beyond_margin(binary.bracket(), label, gradient);
  const bool violates = binary.bracket().has_pair() && distance < -options_.tolerance;
  const bool reserved = has_reserve() && Upkeep<T>(options_, memory_).keeps(binary, distance);
  std::size_t& seeds = memory_.seeds[label > 0];
  const bool admitted = violates || reserved || seeds < seeds_per_class;
  if (admitted) {
    seeds += seeds < seeds_per_class;
    process(binary, binary.insert(position, label, Box::of(label, cost), gradient));
  }
  const bool converged = reprocess_online(binary);
  if (options_.max_support) keep_within(binary, *options_.max_support);
  return {sum + bias, admitted, !converged};
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
  const bool moved = reprocess_pair(binary, options_.tolerance, PairChoice::maximal_gradient).has_value();
  if (options_.upkeep) {
    Upkeep<T> upkeep(options_, memory_);
    upkeep.move_pairs(binary);
    if (has_reserve()) upkeep.shrink_reserve(binary); else remove_idle(binary);
    return true;
  }
  if (!moved) return true;
  remove_idle(binary);
  if (!options_.max_gap) return true;
  for (std::size_t repeat = 0; binary.gap() > *options_.max_gap; ++repeat) {
    if (repeat == max_repeats) return false;
    if (!reprocess_pair(binary, options_.tolerance, PairChoice::maximal_gradient)) return true;
    remove_idle(binary);
  }
  return true;
}

template <class T>
bool Lasvm<T>::finish(BinaryModel<T>& binary, std::size_t threads, Monitor& monitor) {
  return Finishing<T>(options_, threads, monitor).run(binary);
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
