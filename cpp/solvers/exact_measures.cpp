#include "solvers/exact_measures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hinge {

namespace {

// A sum of coefficients that differs from A by more than this, relative to their magnitudes, is wrong.
constexpr double max_sum_error = 1e-6;
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

double answer_bias(const ExactBinaryModel& model) {
  const Expansion& expansion = model.expansion;
  double sum = 0.0;
  std::size_t free = 0;
  for (std::size_t i = 0; i < expansion.size(); ++i)
    if (expansion.is_free(i)) {
      sum += expansion.gradient[i];
      ++free;
    }
  if (free != 0) return sum / static_cast<double>(free);
  const auto [top, bottom, top_at, bottom_at] = extremes(model);
  if (top == -infinity) return bottom == infinity ? 0.0 : bottom;
  return bottom == infinity ? top : 0.5 * (top + bottom);
}

Extremes extremes(const ExactBinaryModel& model) {
  return loops<double>().extremes(model.expansion.gradient.data(), model.expansion.room.data(), model.expansion.size());
}

double violation(const ExactBinaryModel& model) {
  const Extremes ends = extremes(model);
  const double magnitudes = sum_of_magnitudes(model);
  // The extremes say nothing about coefficients with the wrong sum.
  if (!std::isfinite(magnitudes) || std::abs(sum_error(model)) > max_sum_error * (1.0 + magnitudes)) return infinity;
  return ends.top == -infinity || ends.bottom == infinity ? 0.0 : std::max(ends.top - ends.bottom, 0.0);
}

double sum_error(const ExactBinaryModel& model) {
  return model.total - std::accumulate(model.expansion.alpha.begin(), model.expansion.alpha.end(), 0.0);
}

double sum_of_magnitudes(const ExactBinaryModel& model) {
  double sum = 0.0;
  for (std::size_t i = 0; i < model.expansion.size(); ++i) sum += std::abs(model.expansion.alpha[i]);
  return sum;
}

double residual(const ExactBinaryModel& model) {
  double largest = 0.0;
  for (const std::size_t slot : model.margin.members()) largest = std::max(largest, std::abs(model.gradient(slot)));
  return largest;
}

std::size_t free_count(const ExactBinaryModel& model) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < model.expansion.size(); ++i) count += model.expansion.is_free(i);
  return count;
}

double free_residual(const ExactBinaryModel& model) {
  const double b = answer_bias(model);  // `bias` may differ by rounding after a path
  double largest = 0.0;
  for (std::size_t i = 0; i < model.expansion.size(); ++i)
    if (model.expansion.is_free(i)) largest = std::max(largest, std::abs(model.expansion.gradient[i] - b));
  return largest;
}

std::size_t bounded_count(const ExactBinaryModel& model) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < model.expansion.size(); ++i) count += model.expansion.alpha[i] != 0.0 && !model.expansion.is_free(i);
  return count;
}

double relevance(const ExactBinaryModel& model, std::size_t slot) {
  const MarginSet& margin = model.margin;
  const double alpha = std::abs(model.expansion.alpha[slot]);
  if (model.status[slot] == Status::on_margin) return 0.5 * alpha * alpha / std::max(margin.inverse.diagonal(1 + margin.position(slot)), 1e-300);
  return alpha * std::abs(model.gradient(slot)) + 0.5 * alpha * alpha * model.diagonal[slot];
}

}  // namespace hinge
