#include "losses.hpp"

#include <algorithm>
#include <cmath>

namespace hinge {

namespace {

constexpr int newton_steps = 50;  // a few are enough; the bound is for rounding that never settles

double falling_logistic(double z) { return z > 0.0 ? std::exp(-z) / (1.0 + std::exp(-z)) : 1.0 / (1.0 + std::exp(z)); }

// The root of c = strength / (1 + exp(z + c reach)), by Newton's method kept between what is known to be too small and too large.
double proximal_logistic(double z, double strength, double reach) {
  double low = 0.0, high = strength * falling_logistic(z), c = high;
  for (int step = 0; step < newton_steps; ++step) {
    const double share = falling_logistic(z + c * reach), excess = c - strength * share;
    (excess > 0.0 ? high : low) = c;
    double next = c - excess / (1.0 + strength * reach * share * (1.0 - share));
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - c) <= 1e-12 * high) return next;
    c = next;
  }
  return c;
}

}  // namespace

double PointLoss::distance(double answer, double target) const {
  return regression() ? std::abs(target - answer) - epsilon : 1.0 - target * answer;
}

double PointLoss::sense(double answer, double target) const {
  if (!regression()) return target;
  return target > answer ? 1.0 : -1.0;
}

double PointLoss::value(double answer, double target) const {
  if (kind == LossKind::logistic) {
    const double z = target * answer;
    return std::log1p(std::exp(-std::abs(z))) + std::max(-z, 0.0);
  }
  const double past = std::max(distance(answer, target), 0.0);
  return linear() ? past : past * past;
}

double PointLoss::subgradient_step(double answer, double target, double strength) const {
  if (kind == LossKind::logistic) return target * strength * falling_logistic(target * answer);
  const double past = distance(answer, target);
  if (past <= 0.0) return 0.0;
  return sense(answer, target) * strength * (linear() ? 1.0 : 2.0 * past);
}

double PointLoss::proximal_step(double answer, double target, double strength, double reach) const {
  if (kind == LossKind::logistic) return target * proximal_logistic(target * answer, strength, reach);
  const double past = distance(answer, target);
  if (past <= 0.0) return 0.0;
  const double size = linear() ? std::min(strength, past / reach) : 2.0 * strength * past / (1.0 + 2.0 * strength * reach);
  return sense(answer, target) * size;
}

}  // namespace hinge
