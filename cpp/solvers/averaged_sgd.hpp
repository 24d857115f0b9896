// A linear binary model f(x) = <w, x> + b, learned by averaged stochastic gradient steps.
//
// Objective: lambda / 2 sum_j penalty_j w_j^2 + mean of weight * loss, where lambda = 1 / (C * number of examples): that of a support vector machine divided
// by C times the number.
//
// ASSET (Lee and Wright, Algorithm 1), steps t = 1, 2, ...: subgradient steps of strength eta_t = D_X / (D_G sqrt t), w shrunk by 1 - eta_t lambda, then projected:
// |w| <= 1 / sqrt(lambda), |b| <= B. D_X = sqrt(1 / lambda + B^2), or 1 / sqrt(lambda) without an intercept; D_G^2 is the mean squared length of a subgradient at
// zero. The answer is the mean of the iterates from some step on, weighted by eta_t; where the end is not known, iterate t weighs about t^p.
// ASSET*: no intercept, eta_t = 1 / (lambda t).
//
// lambda of ASSET is a constant: if it were 1 / (C t) in a stream, D_X would grow as fast as sqrt t, and steps would never become shorter. It is given as
// the number of examples that are to come, and a stream of unknown length is taken for one of 10 000.
//
// These lengths are those of the worst case, and 1 / lambda is large where C is: the early iterates are far off, and it takes many passes to come back. Adaptive steps
// are proximal (see losses.hpp) of strength eta_t = eta_0 / (1 + t / t_0)^p, p = 3/4 over a training set and 1/2 in a stream, with eta_0 near the inverse of a typical |x|^2; the penalty is
// brought in every few steps, implicitly: w_j /= 1 + (sum of eta_t) lambda penalty_j. Iterate t weighs about t^p in the mean.
//
// The lengths of ASSET suit losses of bounded slope. That of a squared loss grows with the distance, and a step with eta_t > 1 / |x|^2 ends farther away
// than it began, the more so as C is large. Steps on squared losses are therefore proximal, with the eta_t of ASSET: the same where these are short.
//
// Streams that forget: with a half-life of h rows, the row of age a weighs q^a, q = 2^(-1/h), and the objective is lambda_t / 2 sum_j penalty_j w_j^2 +
// (1 / n_t) sum_a q^a weight * loss, where n_t = q n_(t-1) + 1 and lambda_t = 1 / (C n_t). n_t tends to N = 1 / (1 - q), about h / ln 2: lambda stops
// falling (that of ASSET is 1 / (C N) from the start). Step t asks for the loss of one new row, whose share of the objective is 1 / n_t, so n = min(t, N) takes the place of t wherever it
// stands for how much is known: eta_t = eta_0 / (1 + n / t_0 + k n / N)^(1/2), which stops declining; the average, in which an iterate of age a weighs about
// (1 - 3 / N)^a; and the means of weights and targets. Where h is infinite, n = t and nothing else changes.
//
// Neither shrinking nor averaging touches all of w at each step: w = scale * direction, average = fade * trail + mix * direction, and a step
// on x changes direction and trail along x alone.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "solvers/losses.hpp"

namespace hinge {

// The step on one row, the same for all binary models.
struct Step {
  double strength = 0.0;  // eta_t times the row's weight
  double lift = 1.0;      // what the intercept is multiplied by in its place among the features, squared: it has no penalty, so steps that are
                          // short for the sake of the penalty need not be short for it
  double shrink = 1.0;    // ASSET: 1 - eta_t lambda
  double largest = 0.0;   // ASSET: 1 / sqrt(lambda), which |w| must not pass; 0: no bound
  double largest_bias = 0.0;  // ASSET: B, which the distance of the intercept from `centre` must not pass
  double centre = 0.0;        // ASSET: 0, or the mean of the targets
  double penalty = 0.0;   // adaptive: the penalty that is due after this step, sum of eta_t lambda; 0: none
  double share = 1.0;     // of the new iterate in the average
};

class LinearBinaryModel {
 public:
  explicit LinearBinaryModel(std::size_t dimension) : direction_(dimension, 0.0), trail_(dimension, 0.0) {}
  LinearBinaryModel(std::span<const double> weights, std::span<const double> average, double bias, double average_bias);

  // Makes one step on a row of features; returns the decision value from before.
  template <class T>
  double learn(const T* row, double target, const Step& step, const PointLoss& loss, std::span<const double> penalty, bool intercept);
  // The same for a row that is skipped.
  void pass(const Step& step, std::span<const double> penalty);
  // Brings scale to 1 and the average into one piece, so that `direction` is w and `trail` the average.
  void fold_scale();
  // The model with opposite decisions.
  LinearBinaryModel mirrored() const;
  // Starts from a constant.
  void set_bias(double bias) { bias_ = average_bias_ = bias; }

  std::span<const double> weights() const { return direction_; }  // after `fold_scale`
  std::span<const double> average() const { return trail_; }      // after `fold_scale`
  double bias() const { return bias_; }
  double average_bias() const { return average_bias_; }
  void check_invariants() const;

 private:
  template <class T>
  void move(const T* row, double answer, double size);
  void shrink(const Step& step);
  void finish(const Step& step, std::span<const double> penalty);
  void project(const Step& step);
  void apply(std::span<const double> penalty, double factor);

  std::vector<double> direction_;
  std::vector<double> trail_;
  double scale_ = 1.0;
  double fade_ = 1.0;
  double mix_ = 0.0;
  double squared_norm_ = 0.0;  // of the direction
  double bias_ = 0.0;
  double average_bias_ = 0.0;
};

}  // namespace hinge
