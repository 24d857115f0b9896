#include "solvers/polish.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "blas.hpp"
#include "decision.hpp"
#include "solvers/finishing.hpp"

namespace hinge {

namespace {

constexpr std::size_t largest_system = 1000;
constexpr std::size_t max_rounds = 4;
constexpr std::size_t max_walls = 50;
constexpr double max_imbalance = 1e-10;  // of the sum of coefficients, as a part of their sizes

template <class T>
std::vector<std::size_t> free_members(const BinaryModel<T>& binary) {
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < binary.expansion().size(); ++i)
    if (binary.expansion().is_free(i)) free.push_back(i);
  return free;
}

// The free coefficients' way to the optimum; empty when the system is singular.
template <class T>
std::vector<double> newton_direction(BinaryModel<T>& binary, const std::vector<std::size_t>& free) {
  const Expansion& expansion = binary.expansion();
  const std::size_t size = free.size() + 1;
  std::vector<double> matrix(size * size, 0.0), solution(size, 0.0);
  for (std::size_t c = 0; c + 1 < size; ++c) {
    const RowView<T> row = binary.row(free[c], free[c]);
    for (std::size_t r = 0; r + 1 < size; ++r) matrix[c * size + r] = static_cast<double>(row[free[r]]);
    matrix[c * size + size - 1] = matrix[(size - 1) * size + c] = 1.0;
    solution[c] = expansion.gradient[free[c]];
  }
  for (std::size_t i = 0; i < expansion.size(); ++i) solution[size - 1] -= expansion.alpha[i];
  if (!solve_linear(matrix.data(), solution.data(), size)) return {};
  solution.pop_back();
  const bool finite = std::all_of(solution.begin(), solution.end(), [](double d) { return std::isfinite(d); });
  return finite ? solution : std::vector<double>{};
}

// Goes along the direction until the first wall; true when there was none.
template <class T>
bool advance(BinaryModel<T>& binary, const std::vector<std::size_t>& free, const std::vector<double>& direction) {
  const Expansion& expansion = binary.expansion();
  double reach = 1.0;
  std::size_t blocking = free.size();
  for (std::size_t k = 0; k < free.size(); ++k) {
    const double wall = direction[k] > 0 ? expansion.high[free[k]] : expansion.low[free[k]];
    const double distance = (wall - expansion.alpha[free[k]]) / direction[k];
    if (direction[k] != 0.0 && distance < reach) reach = distance, blocking = k;
  }
  for (std::size_t k = 0; k < free.size(); ++k) {
    const std::size_t i = free[k];
    const double wall = direction[k] > 0 ? expansion.high[i] : expansion.low[i];
    binary.members().set_alpha(i, k == blocking ? wall
                                       : std::clamp(expansion.alpha[i] + reach * direction[k], expansion.low[i], expansion.high[i]));
  }
  return blocking == free.size();
}

// gradient = label - K alpha, computed again.
template <class T>
void refresh_gradients(BinaryModel<T>& binary) {
  Expansion& expansion = binary.expansion();
  const Points<T>& points = binary.rows().points();
  const auto members = expansion.held();
  std::vector<double> weights(points.size(), 0.0);
  std::vector<std::size_t> slots;
  for (const std::size_t i : members) {
    slots.push_back(binary.members().slots()[i]);
    weights[slots.back()] = expansion.alpha[i];
  }
  std::vector<double> sums(members.size(), 0.0);
  add_decisions(binary.rows().kernel(), points.pick(slots).examples(), points.examples(), weights, 1, 1, sums);
  binary.rows().count_kernel_evals(members.size() * points.size());
  for (std::size_t k = 0; k < members.size(); ++k) expansion.gradient[members[k]] = expansion.label[members[k]] - sums[k];
  binary.refresh_bracket();
}

// Coefficients that are far smaller than gradients lose all their digits in such a step.
bool is_unbalanced(const Expansion& expansion) {
  double sum = 0.0, sizes = 0.0;
  for (std::size_t i = 0; i < expansion.size(); ++i) {
    sum += expansion.alpha[i];
    sizes += std::abs(expansion.alpha[i]);
  }
  return std::abs(sum) > max_imbalance * sizes;
}

}  // namespace

template <class T>
void polish(BinaryModel<T>& binary, const LasvmOptions& options, Monitor& monitor) {
  for (std::size_t round = 0; round < max_rounds; ++round) {
    if (binary.expansion().size() > largest_system) return;
    const Expansion before = binary.expansion();
    const double violation_before = binary.violation();
    bool arrived = false;
    for (std::size_t walls = 0; !arrived && walls < max_walls; ++walls) {
      const auto free = free_members(binary);
      if (free.empty()) break;
      const auto direction = newton_direction(binary, free);
      if (direction.empty()) break;
      arrived = advance(binary, free, direction);
      refresh_gradients(binary);
    }
    if (binary.violation() > 1e3 * std::max(options.tolerance, violation_before) || is_unbalanced(binary.expansion())) {
      binary.expansion() = before;
      binary.refresh_bracket();
      return;
    }
    if (binary.violation() <= options.tolerance && binary.violation() <= violation_before) return;
    Finishing<T>(options, options.threads, monitor).run(binary);
  }
}

template void polish<float>(BinaryModel<float>&, const LasvmOptions&, Monitor&);
template void polish<double>(BinaryModel<double>&, const LasvmOptions&, Monitor&);

}  // namespace hinge
