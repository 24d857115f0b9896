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
Visit Lasvm<T>::revisit(BinaryModel<T>& binary, std::size_t position, std::size_t) const {
  const double decision = binary.sum(position) + binary.bias();
  reprocess_online(binary);
  return {decision, false};
}

template <class T>
Visit Lasvm<T>::visit(BinaryModel<T>& binary, std::size_t position, double label, double cost) const {
  const double sum = binary.sum(position);
  const double gradient = label - sum, bias = binary.bias();
  const double lower = std::min(binary.top(), binary.bottom()), upper = std::max(binary.top(), binary.bottom());
  const bool wanted =
      binary.has_pair() && (label > 0 ? gradient - lower > options_.tolerance : upper - gradient > options_.tolerance);
  std::size_t& seeds = binary.seeds[label > 0];
  const bool admitted = wanted || seeds < seeds_per_class;
  if (admitted) {
    seeds += seeds < seeds_per_class;
    process(binary, binary.insert(position, label, Box::of(label, cost), gradient));
  }
  reprocess_online(binary);
  if (options_.max_support != 0) keep_within(binary, options_.max_support);
  return {sum + bias, admitted};
}

template <class T>
void Lasvm<T>::process(BinaryModel<T>& binary, std::size_t k) const {
  if (!binary.has_pair()) return;
  const bool rising = binary.expansion.label[k] > 0;
  const std::size_t i = rising ? k : binary.extremes_.top_at, j = rising ? binary.extremes_.bottom_at : k;
  if (binary.expansion.gradient[i] - binary.expansion.gradient[j] > options_.tolerance) binary.step(i, j);
}

template <class T>
std::optional<double> Lasvm<T>::reprocess(BinaryModel<T>& binary, PairChoice choice) const {
  if (binary.gap() <= options_.tolerance) return std::nullopt;
  const std::size_t i = binary.extremes_.top_at;
  std::size_t j = binary.extremes_.bottom_at;
  if (choice == PairChoice::second_order) {
    const Expansion& expansion = binary.expansion;
    const auto best = loops<T>().partner(expansion.gradient.data(), binary.row(i, i).segments, binary.diagonal.data(),
                                         expansion.room.data(), expansion.gradient[i],
                                         static_cast<double>(binary.diagonal[i]), expansion.size());
    if (best.found) j = best.at;
  }
  return binary.step(i, j);
}

template <class T>
void Lasvm<T>::reprocess_online(BinaryModel<T>& binary) const {
  if (!reprocess(binary, PairChoice::maximal_gradient)) return;
  dismiss_idle(binary);
  for (std::size_t repeat = 0; repeat < most_repeats && binary.gap() > options_.max_gap; ++repeat) {
    if (!reprocess(binary, PairChoice::maximal_gradient)) return;
    dismiss_idle(binary);
    binary.cut_short |= repeat + 1 == most_repeats;
  }
}

template <class T>
void Lasvm<T>::dismiss_idle(BinaryModel<T>& binary) const {
  if (!binary.has_pair()) return;
  std::erase_if(binary.idle, [&](std::size_t s) {
    const Expansion& expansion = binary.expansion;
    if (!expansion.alive(s) || expansion.alpha[s] != 0.0) return true;
    const double gradient = expansion.gradient[s];
    // The second condition matters only inside out, where an idle member may be what ends the bracket.
    const bool unwanted = expansion.label[s] > 0 ? gradient <= binary.bottom() && gradient < binary.top()
                                                 : gradient >= binary.top() && gradient > binary.bottom();
    if (unwanted) binary.remove(s);
    return unwanted;
  });
}

template class Lasvm<float>;
template class Lasvm<double>;

}  // namespace hinge
