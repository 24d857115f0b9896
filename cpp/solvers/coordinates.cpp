#include "solvers/coordinates.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "duality.hpp"

namespace hinge {

namespace {

constexpr std::size_t steps_between_looks = 1000;

}  // namespace

template <class T>
bool reprocess_coordinates(BinaryModel<T>& binary, double tolerance, bool both) {
  const double up = binary.bracket().top(), down = -binary.bracket().bottom();  // -infinity where nobody may move
  if (std::max(up, down) <= tolerance) return false;
  std::size_t first = binary.bracket().top_at(), second = binary.bracket().bottom_at();
  if (down > up) std::swap(first, second);
  if (both && first != second && std::min(up, down) > tolerance)
    binary.coordinate_steps(first, second);
  else
    binary.coordinate_step(first, binary.best_length(first));
  return true;
}

template <class T>
bool finish_coordinates(BinaryModel<T>& binary, double tolerance, Monitor& monitor) {
  binary.refresh_bracket();
  const std::size_t most = std::max<std::size_t>(10'000'000, 200 * binary.expansion().size());
  const std::size_t window = 10 * std::max(steps_between_looks, binary.expansion().size());
  double before = dual_objective(binary.expansion());
  for (std::size_t count = 1; count < most; ++count) {
    if (!reprocess_coordinates(binary, tolerance)) return true;
    if (count % steps_between_looks == 0 && monitor.stopped()) return true;
    if (count % window != 0) continue;
    const double now = dual_objective(binary.expansion());
    if (now <= before) return false;
    before = now;
  }
  return false;
}

template bool reprocess_coordinates(BinaryModel<float>&, double, bool);
template bool reprocess_coordinates(BinaryModel<double>&, double, bool);
template bool finish_coordinates(BinaryModel<float>&, double, Monitor&);
template bool finish_coordinates(BinaryModel<double>&, double, Monitor&);

}  // namespace hinge
