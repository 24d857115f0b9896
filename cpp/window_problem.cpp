#include "window_problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "loops.hpp"

namespace hinge {

namespace {

// The loops read long rows segment by segment.
constexpr std::size_t max_segments = 64;
using Segments = std::array<const float*, max_segments>;

Segments segments_of(const float* row, std::size_t count, bool repeated) {
  Segments parts{};
  for (std::size_t start = 0, part = 0; start < count; start += segment_length, ++part) parts[part] = repeated ? row : row + start;
  return parts;
}

}  // namespace

SlotGram::SlotGram(std::size_t capacity)
    : capacity_(capacity),
      stride_(padded(capacity)),
      values_(capacity * stride_, 0.0F),
      ones_(std::min(stride_, segment_length) + lane_padding, 1.0F) {}

void SlotGram::set(std::size_t slot, const float* values) {
  std::copy_n(values, capacity_, values_.data() + slot * stride_);
  for (std::size_t other = 0; other < capacity_; ++other) values_[other * stride_ + slot] = values[other];
}

WindowProblem::WindowProblem(std::size_t capacity)
    : alpha_(padded(capacity), 0.0),
      gradient_(padded(capacity), 0.0),
      up_(padded(capacity), 0.0),
      down_(padded(capacity), 0.0),
      label_(padded(capacity), 0.0),
      bound_(padded(capacity), 0.0) {}

double WindowProblem::decide(const float* kernel_row) const {
  return loops<float>().dot(kernel_row, alpha_.data(), alpha_.size()) + bias_;
}

void WindowProblem::set_coefficient(std::size_t slot, double value) {
  bias_ += value - alpha_[slot];
  alpha_[slot] = value;
  up_[slot] = std::max(0.0, bound_[slot]) - value;
  down_[slot] = std::min(0.0, bound_[slot]) - value;
}

void WindowProblem::set_label(std::size_t slot, double label, double cost) {
  label_[slot] = label;
  bound_[slot] = cost * label;
  set_coefficient(slot, 0.0);
}

void WindowProblem::remove(const SlotGram& gram, std::size_t slot) {
  const double alpha = alpha_[slot];
  if (alpha != 0.0) {
    const float* row = gram.row(slot);
    for (std::size_t j = 0; j < gram.capacity(); ++j) gradient_[j] += alpha * (static_cast<double>(row[j]) + 1.0);
  }
  set_label(slot, 0.0, 0.0);
  gradient_[slot] = 0.0;
}

void WindowProblem::insert(const SlotGram& gram, std::size_t slot, double label, double cost) {
  set_label(slot, label, cost);
  gradient_[slot] = label_[slot] - decide(gram.row(slot));
}

std::size_t WindowProblem::solve(const SlotGram& gram, double tolerance, std::size_t max_steps) {
  const std::size_t count = alpha_.size();
  const Segments ones = segments_of(gram.ones(), count, true);
  const auto step = [&](std::size_t slot, double length) {
    const Segments row = segments_of(gram.row(slot), count, false);
    return loops<float>().coordinate_step(gradient_.data(), row.data(), length, ones.data(), length, up_.data(), down_.data(), count).extremes;
  };
  Extremes now = step(0, 0.0);
  std::size_t steps = 0;
  for (; steps < max_steps && std::max(now.top, -now.bottom) > tolerance; ++steps) {
    const std::size_t slot = now.top >= -now.bottom ? now.top_at : now.bottom_at;
    const double curvature = static_cast<double>(gram.row(slot)[slot]) + 1.0;
    const double wanted = curvature > 0.0 ? gradient_[slot] / curvature : std::copysign(2.0 * std::abs(bound_[slot]), gradient_[slot]);
    const double length = std::clamp(wanted, down_[slot], up_[slot]);
    // At a bound to the last bit: rounding must not leave room that no step can use.
    const double bound = length > 0.0 ? std::max(0.0, bound_[slot]) : std::min(0.0, bound_[slot]);
    set_coefficient(slot, length == wanted ? alpha_[slot] + length : bound);
    now = step(slot, length);
  }
  return steps;
}

WindowProblem WindowProblem::mirrored() const {
  WindowProblem other = *this;
  other.bias_ = -bias_;
  for (std::size_t j = 0; j < alpha_.size(); ++j) {
    other.alpha_[j] = -alpha_[j];
    other.gradient_[j] = -gradient_[j];
    other.label_[j] = -label_[j];
    other.bound_[j] = -bound_[j];
    other.up_[j] = -down_[j];
    other.down_[j] = -up_[j];
  }
  return other;
}

void WindowProblem::refresh(const SlotGram& gram) {
  bias_ = std::accumulate(alpha_.begin(), alpha_.end(), 0.0);
  for (std::size_t slot = 0; slot < gram.capacity(); ++slot)
    gradient_[slot] = label_[slot] == 0.0 ? 0.0 : label_[slot] - decide(gram.row(slot));
}

double WindowProblem::duality_gap() const {
  double gap = 0.0;
  for (std::size_t j = 0; j < alpha_.size(); ++j) gap += std::max(up_[j] * gradient_[j], down_[j] * gradient_[j]);
  return gap;
}

void WindowProblem::restore(std::span<const double> coefficients, std::span<const double> gradients, std::span<const double> labels,
                            std::span<const double> costs, double bias) {
  for (std::size_t slot = 0; slot < labels.size(); ++slot) {
    set_label(slot, labels[slot], costs[slot]);
    set_coefficient(slot, coefficients[slot]);
    gradient_[slot] = gradients[slot];
  }
  bias_ = bias;  // a sum in another order differs in its last bits
}

}  // namespace hinge
