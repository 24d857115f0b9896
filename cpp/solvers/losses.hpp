// Losses of one example, and how far a step goes that takes them into account.
//
// With the answer f = <w, x> + b a step is w += c x, b += c, so f rises by c q with q = |x|^2 (+ 1). A subgradient step has c = strength * pull(f), where pull is minus the
// derivative of the loss. A proximal step minimises strength * loss(f + c q) + c^2 q / 2: the same with the pull taken where the step ends. It cannot
// overshoot, however large the strength.
#pragma once

#include "options.hpp"

namespace hinge {

// With z = y f: max(0, 1 - z), its square, log(1 + exp(-z)); with r = y - f: max(0, |r| - epsilon), its square.
struct PointLoss {
  LossKind kind = LossKind::hinge;
  double epsilon = 0.0;

  // Its slope is at most 1.
  bool linear() const { return kind == LossKind::hinge || kind == LossKind::insensitive || kind == LossKind::logistic; }
  bool regression() const { return kind == LossKind::insensitive || kind == LossKind::squared_insensitive; }
  double value(double answer, double target) const;
  // How fast the loss changes at the start, where answers are zero, or off by so much.
  double steepness(double off) const;
  // There is no loss, and there would be none if the decision were a little worse.
  bool is_safe(double answer, double target) const;
  // c of a subgradient step.
  double subgradient_step(double answer, double target, double strength) const;
  // c of a proximal step; `reach` is q.
  double proximal_step(double answer, double target, double strength, double reach) const;

 private:
  // Losses that rise with a distance from where they vanish; zero or less there.
  double distance(double answer, double target) const;
  // The direction in which the loss decreases.
  double sense(double answer, double target) const;
};

}  // namespace hinge
