#include "solvers/perceptron.hpp"

#include "solvers/oldest.hpp"

namespace hinge {

namespace {

constexpr double boundless = 1e300;  // coefficients grow with every mistake

// The one furthest on the right side without its own help; two members alone are equal in that.
template <class T>
std::size_t least_needed(const Machine<T>& machine) {
  const Expansion& expansion = machine.expansion;
  return oldest_of_the_best(machine, [&](std::size_t i) {
    return 1.0 - expansion.label[i] * (expansion.gradient[i] + expansion.alpha[i] * static_cast<double>(machine.diagonal[i]));
  });
}

}  // namespace

template <class T>
Visit Perceptron<T>::visit(Machine<T>& machine, std::size_t position, double label, double cost) const {
  const double sum = machine.sum(position);
  count(machine);
  if (label * sum > options_.margin) return {sum, false};
  correct(machine, machine.insert(position, label, Box::of(label, boundless), label - sum), label * cost);
  if (options_.max_support != 0) shed(machine);
  return {sum, true};
}

template <class T>
Visit Perceptron<T>::revisit(Machine<T>& machine, std::size_t position, std::size_t slot) const {
  const double sum = machine.sum(position);
  count(machine);
  const std::size_t i = machine.member_in(slot);
  const double label = machine.expansion.label[i];
  if (label * sum > options_.margin) return {sum, false};
  correct(machine, i, label * machine.points().cost(slot));
  return {sum, true};
}

template <class T>
void Perceptron<T>::count(Machine<T>& machine) const {
  machine.visits += 1;
  machine.terms = options_.average ? static_cast<double>(machine.visits) : 0.0;
}

template <class T>
void Perceptron<T>::correct(Machine<T>& machine, std::size_t i, double amount) const {
  machine.climb(i, amount);
  machine.expansion.lag[i] += amount * static_cast<double>(machine.visits - 1);
}

template <class T>
void Perceptron<T>::shed(Machine<T>& machine) const {
  Expansion& expansion = machine.expansion;
  while (expansion.alive_count() > options_.max_support) {
    const std::size_t victim = least_needed(machine);
    machine.climb(victim, -expansion.alpha[victim]);
    machine.remove(victim);
    machine.refresh_extremes();
  }
}

template class Perceptron<float>;
template class Perceptron<double>;

}  // namespace hinge
