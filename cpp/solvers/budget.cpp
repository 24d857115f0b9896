#include "solvers/budget.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hinge {

namespace {

template <class T>
std::size_t least_useful(const Machine<T>& machine) {
  const Expansion& expansion = machine.expansion;
  const auto positive = static_cast<std::size_t>(std::count(expansion.label.begin(), expansion.label.end(), 1.0));
  const auto negative = expansion.alive_count() - positive;
  std::size_t victim = 0;
  double worst = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < expansion.size(); ++i) {
    if (!expansion.alive(i) || (expansion.label[i] > 0 ? positive : negative) == 1) continue;
    const double slack = expansion.label[i] * (expansion.gradient[i] - machine.bias());  // 1 - y f(x)
    const double own_help = std::abs(expansion.alpha[i]) * static_cast<double>(machine.diagonal[i]);
    const double uselessness = slack > 1.0 ? slack : -(slack + own_help);
    if (uselessness > worst) worst = uselessness, victim = i;
  }
  return victim;
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
