#include "solvers/window.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/eviction.hpp"
#include "solvers/exact_measures.hpp"

namespace hinge {

namespace {

// So many examples with alpha = 0 stay for each misclassified one. Chosen among 0, 0.25, 0.5, 1 and 2 by the errors on small artificial sets
// and digits: without any, mislabelled examples far from the boundary stand alone and win there.
constexpr double idle_per_wrong = 0.5;
constexpr double must_stay = -std::numeric_limits<double>::infinity();

bool is_idle(const ExactBinaryModel& binary, std::size_t slot) { return binary.expansion.alpha[slot] == 0.0; }

// 1 - y f(x)
double slack(const ExactBinaryModel& binary, std::size_t slot) { return binary.expansion.label[slot] * binary.gradient(slot); }

bool is_wrong(const ExactBinaryModel& binary, std::size_t slot) { return slack(binary, slot) > 1.0 + score_tolerance; }

template <class Property>
std::size_t count_held(const ExactBinaryModel& binary, Property property) {
  std::size_t count = 0;
  for (std::size_t slot = 0; slot < binary.expansion.size(); ++slot) count += binary.holds(slot) && property(binary, slot);
  return count;
}

bool has_too_many_wrong(const ExactBinaryModel& binary) {
  const auto wrong = static_cast<double>(count_held(binary, is_wrong)), held = static_cast<double>(binary.held());
  return wrong * static_cast<double>(binary.seen) > held * static_cast<double>(binary.mistakes);
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

std::size_t choose_balanced(const ExactBinaryModel& binary, const Points<double>& points) {
  if (has_too_many_wrong(binary))
    return highest(binary, points, [&](std::size_t slot) { return is_wrong(binary, slot) ? slack(binary, slot) : must_stay; });
  const std::size_t wrong = count_held(binary, is_wrong), idle = count_held(binary, is_idle), others = binary.held() - wrong - idle;
  if (idle != 0 && (static_cast<double>(idle) > idle_per_wrong * static_cast<double>(wrong) || others == 0)) return farthest_idle(binary, points);
  if (others == 0) return oldest(binary, points);
  return highest(binary, points, [&](std::size_t slot) { return is_wrong(binary, slot) || is_idle(binary, slot) ? must_stay : 0.0; });
}

}  // namespace

std::size_t choose_leaving(const ExactBinaryModel& binary, const Points<double>& points, Eviction rule) {
  const bool has_labels = binary.problem() == Problem::classifier;
  if (rule == Eviction::age || (rule == Eviction::balanced && !has_labels)) return oldest(binary, points);
  if (rule == Eviction::balanced) return choose_balanced(binary, points);
  if (count_held(binary, is_idle) != 0) return farthest_idle(binary, points);
  return highest(binary, points, [&](std::size_t slot) {
    return smallness(rule == Eviction::weight ? std::abs(binary.expansion.alpha[slot]) : relevance(binary, slot));
  });
}

}  // namespace hinge
