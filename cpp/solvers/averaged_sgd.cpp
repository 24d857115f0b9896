#include "averaged_sgd.hpp"

#include <algorithm>
#include <cmath>

#include "loops.hpp"

namespace hinge {

namespace {

constexpr double smallest_factor = 1e-8;  // below it, factors are multiplied out: digits would be lost

}  // namespace

LinearBinaryModel::LinearBinaryModel(std::span<const double> weights, std::span<const double> average, double bias, double average_bias)
    : direction_(weights.begin(), weights.end()),
      trail_(average.begin(), average.end()),
      squared_norm_(loops<double>().sum_of_squares(weights.data(), weights.size())),
      bias_(bias),
      average_bias_(average_bias) {}

template <class T>
double LinearBinaryModel::learn(const T* row, double target, const Step& step, const PointLoss& loss, std::span<const double> penalty,
                            bool intercept) {
  const std::size_t length = direction_.size();
  const double answer = scale_ * loops<T>().dot(row, direction_.data(), length) + bias_;
  const bool proximal = step.largest == 0.0 || !loss.linear();
  double size = 0.0;
  bool is_giant = false;
  if (loss.subgradient_step(answer, target, 1.0) != 0.0) {
    const double square = static_cast<double>(loops<T>().sum_of_squares(row, length));
    // Where a kernel value has overflowed, nothing is learned.
    if (std::isfinite(answer) && std::isfinite(square))
      size = proximal ? loss.proximal_step(answer, target, step.strength, square + (intercept ? step.lift : 0.0))
                      : loss.subgradient_step(answer, target, step.strength);
    is_giant = !proximal && size * size * square > 1e6 * step.largest * step.largest;
  }
  shrink(step);
  if (size != 0.0) {
    if (is_giant) fold_scale();  // else the average would be the difference of two numbers as large as this step, before it is projected
    move(row, step.shrink * (answer - bias_), size);
    if (intercept) bias_ += size * step.lift;
  }
  finish(step, penalty);
  return answer;
}

void LinearBinaryModel::pass(const Step& step, std::span<const double> penalty) {
  shrink(step);
  finish(step, penalty);
}

void LinearBinaryModel::shrink(const Step& step) {
  scale_ *= step.shrink;
  if (scale_ < smallest_factor) fold_scale();
}

// Projection, penalty, average.
void LinearBinaryModel::finish(const Step& step, std::span<const double> penalty) {
  if (step.largest > 0.0) project(step);
  if (step.penalty > 0.0) apply(penalty, step.penalty);
  fade_ *= 1.0 - step.share;
  mix_ = (1.0 - step.share) * mix_ + step.share * scale_;
  average_bias_ += step.share * (bias_ - average_bias_);
  if (fade_ < smallest_factor) fold_scale();
}

// w += size * row, the average staying what it is.
template <class T>
void LinearBinaryModel::move(const T* row, double answer, double size) {
  const std::size_t length = direction_.size();
  const double part = size / scale_;
  squared_norm_ += part * (2.0 * answer / scale_ + part * static_cast<double>(loops<T>().sum_of_squares(row, length)));
  loops<T>().add_to_both(direction_.data(), part, trail_.data(), -mix_ * part / fade_, row, length);
}

void LinearBinaryModel::project(const Step& step) {
  const double norm = scale_ * std::sqrt(std::max(squared_norm_, 0.0));
  if (norm > step.largest) scale_ *= step.largest / norm;
  bias_ = std::clamp(bias_, step.centre - step.largest_bias, step.centre + step.largest_bias);
}

void LinearBinaryModel::apply(std::span<const double> penalty, double factor) {
  fold_scale();
  for (std::size_t j = 0; j < direction_.size(); ++j) direction_[j] /= 1.0 + factor * penalty[j];
}

void LinearBinaryModel::fold_scale() {
  for (std::size_t j = 0; j < direction_.size(); ++j) {
    trail_[j] = fade_ * trail_[j] + mix_ * direction_[j];
    direction_[j] *= scale_;
  }
  scale_ = fade_ = 1.0;
  mix_ = 0.0;
  squared_norm_ = loops<double>().sum_of_squares(direction_.data(), direction_.size());
}

LinearBinaryModel LinearBinaryModel::mirrored() const {
  LinearBinaryModel binary = *this;
  for (double& value : binary.direction_) value = -value;
  for (double& value : binary.trail_) value = -value;
  binary.bias_ = -bias_;
  binary.average_bias_ = -average_bias_;
  return binary;
}

template double LinearBinaryModel::learn<float>(const float*, double, const Step&, const PointLoss&, std::span<const double>, bool);
template double LinearBinaryModel::learn<double>(const double*, double, const Step&, const PointLoss&, std::span<const double>, bool);

}  // namespace hinge
