#include "losses.hpp"

#include <algorithm>
#include <cmath>

namespace hinge {

namespace {

constexpr int newton_steps = 100;  // a few are enough; the bound is for rounding that never converges

double falling_logistic(double z) { return z > 0.0 ? std::exp(-z) / (1.0 + std::exp(-z)) : 1.0 / (1.0 + std::exp(z)); }

// c = strength / (1 + exp(t)) where t = z + c reach is where the step ends. t - z - strength * reach / (1 + exp(t)) rises with t, and bends towards
// its root on both sides of 0, so Newton's method comes there from 0 without overshooting.
double proximal_logistic(double z, double strength, double reach) {
  double end = 0.0;
  for (int step = 0; step < newton_steps; ++step) {
    const double share = falling_logistic(end), pull = strength * reach * share;
    const double change = (end - z - pull) / (1.0 + pull * (1.0 - share));
    end -= change;
    if (std::abs(change) <= 1e-12 * std::max(1.0, std::abs(end))) break;
  }
  return std::min(strength * falling_logistic(end), std::max(end - z, 0.0) / reach);  // the second where it was cut short
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

double PointLoss::steepness(double off) const {
  switch (kind) {
    case LossKind::squared_hinge: return 2.0;
    case LossKind::logistic: return 0.5;
    case LossKind::squared_insensitive: return 2.0 * off;
    default: return 1.0;
  }
}

bool PointLoss::is_safe(double answer, double target) const {
  return kind != LossKind::logistic && distance(answer, target) < (regression() ? -0.2 * epsilon : -0.2);
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
