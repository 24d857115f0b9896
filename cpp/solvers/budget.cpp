#include "solvers/budget.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/oldest.hpp"

namespace hinge {

namespace {

template <class T>
std::size_t least_useful(const Machine<T>& machine) {
  const Expansion& expansion = machine.expansion;
  const auto positive = static_cast<std::size_t>(std::count(expansion.label.begin(), expansion.label.end(), 1.0));
  const auto negative = expansion.alive_count() - positive;
  const double bias = machine.bias();
  return oldest_of_the_best(machine, [&](std::size_t i) {
    if ((expansion.label[i] > 0 ? positive : negative) == 1) return -std::numeric_limits<double>::infinity();
    const double slack = expansion.label[i] * (expansion.gradient[i] - bias);  // 1 - y f(x)
    const double own_help = std::abs(expansion.alpha[i]) * static_cast<double>(machine.diagonal[i]);
    return slack > 1.0 + as_good ? slack : -(slack + own_help);
  });
}

}  // namespace

template <class T>
void keep_within(Machine<T>& machine, std::size_t most) {
  while (machine.expansion.alive_count() > std::max<std::size_t>(most, 2)) {
    const std::size_t victim = least_useful(machine);
    machine.hand_over(victim);
    machine.remove(victim);
    machine.refresh_extremes();
  }
}

template void keep_within(Machine<float>&, std::size_t);
template void keep_within(Machine<double>&, std::size_t);

}  // namespace hinge
