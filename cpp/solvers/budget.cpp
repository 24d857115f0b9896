#include "solvers/budget.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/oldest.hpp"

namespace hinge {

namespace {

template <class T>
std::size_t least_useful(const BinaryModel<T>& binary) {
  const Expansion& expansion = binary.expansion;
  const auto positive = static_cast<std::size_t>(std::count(expansion.label.begin(), expansion.label.end(), 1.0));
  const auto negative = expansion.alive_count() - positive;
  const double bias = binary.bias();
  return oldest_of_the_best(binary, [&](std::size_t i) {
    if ((expansion.label[i] > 0 ? positive : negative) == 1) return -std::numeric_limits<double>::infinity();
    const double slack = expansion.label[i] * (expansion.gradient[i] - bias);  // 1 - y f(x)
    const double own_help = std::abs(expansion.alpha[i]) * static_cast<double>(binary.diagonal[i]);
    return slack > 1.0 + as_good ? slack : -(slack + own_help);
  });
}

}  // namespace

template <class T>
void keep_within(BinaryModel<T>& binary, std::size_t most) {
  while (binary.expansion.alive_count() > std::max<std::size_t>(most, 2)) {
    const std::size_t leaving = least_useful(binary);
    binary.hand_over(leaving);
    binary.remove(leaving);
    binary.refresh_extremes();
  }
}

template void keep_within(BinaryModel<float>&, std::size_t);
template void keep_within(BinaryModel<double>&, std::size_t);

}  // namespace hinge
