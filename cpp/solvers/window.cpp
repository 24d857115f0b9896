#include "solvers/window.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/balanced.hpp"
#include "solvers/eviction.hpp"
#include "solvers/exact_measures.hpp"

namespace hinge {

namespace {

constexpr double must_stay = -std::numeric_limits<double>::infinity();

bool is_idle(const ExactBinaryModel& binary, std::size_t slot) { return binary.expansion.alpha[slot] == 0.0; }

// 1 - y f(x)
double slack(const ExactBinaryModel& binary, std::size_t slot) { return binary.expansion.label[slot] * binary.gradient(slot); }

template <class Property>
std::size_t count_held(const ExactBinaryModel& binary, Property property) {
  std::size_t count = 0;
  for (std::size_t slot = 0; slot < binary.expansion.size(); ++slot) count += binary.holds(slot) && property(binary, slot);
  return count;
}

// Logarithms, since the sizes of coefficients depend on C and on the kernel: examples are equal if their values are, relatively.
double smallness(double value) { return -std::log(std::max(value, std::numeric_limits<double>::min())); }

// Chooses the example with the highest score, of equal ones the oldest.
template <class Score>
std::size_t highest(const ExactBinaryModel& binary, const Points<double>& points, Score score) {
  return choose_eviction(binary.expansion, [&](std::size_t slot) { return points.id(slot); }, score);
}

std::size_t oldest(const ExactBinaryModel& binary, const Points<double>& points) {
  return highest(binary, points, [](std::size_t) { return 0.0; });
}

std::size_t farthest_idle(const ExactBinaryModel& binary, const Points<double>& points) {
  return highest(binary, points, [&](std::size_t slot) { return is_idle(binary, slot) ? std::abs(binary.gradient(slot)) : must_stay; });
}

std::size_t balanced(const ExactBinaryModel& binary, const Points<double>& points) {
  return choose_balanced(
      binary.expansion, {binary.seen, binary.mistakes}, [&](std::size_t slot) { return points.id(slot); },
      [&](std::size_t slot) { return slack(binary, slot); });
}

}  // namespace

std::size_t choose_leaving(const ExactBinaryModel& binary, const Points<double>& points, Eviction rule) {
  const bool has_labels = binary.problem() == Problem::classifier;
  if (rule == Eviction::age || (rule == Eviction::balanced && !has_labels)) return oldest(binary, points);
  if (rule == Eviction::balanced) return balanced(binary, points);
  if (count_held(binary, is_idle) != 0) return farthest_idle(binary, points);
  return highest(binary, points, [&](std::size_t slot) {
    return smallness(rule == Eviction::weight ? std::abs(binary.expansion.alpha[slot]) : relevance(binary, slot));
  });
}

}  // namespace hinge
