#include "solvers/perceptron.hpp"

#include "solvers/budget.hpp"

namespace hinge {

namespace {

constexpr double boundless = 1e300;  // coefficients grow with every mistake

}  // namespace

template <class T>
Visit Perceptron<T>::visit(BinaryModel<T>& binary, std::size_t position, double label, double cost) {
  const double sum = binary.sum(position);
  count(binary);
  if (label * sum > options_.margin) return {sum, false};
  correct(binary, binary.insert(position, label, Box::of(label, boundless), label - sum), label * cost);
  if (options_.max_support) evict(binary);
  return {sum, true};
}

template <class T>
Visit Perceptron<T>::revisit(BinaryModel<T>& binary, std::size_t position, std::size_t slot) {
  const double sum = binary.sum(position);
  count(binary);
  const std::size_t i = binary.members().in_slot(slot);
  const double label = binary.expansion().label[i];
  if (label * sum > options_.margin) return {sum, false};
  correct(binary, i, label * binary.rows().points().cost(slot));
  return {sum, true};
}

template <class T>
void Perceptron<T>::count(BinaryModel<T>& binary) {
  memory_.visits += 1;
  binary.expansion().terms = options_.average ? static_cast<double>(memory_.visits) : 0.0;
}

template <class T>
void Perceptron<T>::correct(BinaryModel<T>& binary, std::size_t i, double amount) const {
  binary.coordinate_step(i, amount);
  binary.expansion().lag[i] += amount * static_cast<double>(memory_.visits - 1);
}

template <class T>
void Perceptron<T>::evict(BinaryModel<T>& binary) const {
  Expansion& expansion = binary.expansion();
  while (expansion.held_count() > *options_.max_support) {
    const std::size_t leaving = options_.eviction == BudgetRule::margin ? easiest(binary) : least_useful(binary);
    binary.coordinate_step(leaving, -expansion.alpha[leaving]);
    binary.remove(leaving);
    binary.refresh_bracket();
  }
}

template class Perceptron<float>;
template class Perceptron<double>;

}  // namespace hinge
