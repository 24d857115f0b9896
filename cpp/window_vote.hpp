// The answer of several window models: a vote, weighted by how well each model did lately.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hinge {

// The fixed-share forecaster of Herbster and Warmuth: multiplicative weights that can switch to another predictor quickly. Each mistake
// multiplies the weight of a predictor by exp(-rate). Then every predictor gives the part `share` of its weight to a common fund, which all
// receive in equal parts, so that no weight vanishes. The number of mistakes exceeds that of the best sequence of predictors by little if
// that sequence has few switches.
class FixedShare {
 public:
  FixedShare(std::size_t count, double rate, double share);

  // Changes the weights by who was wrong.
  void update(const std::vector<bool>& mistakes);
  const std::vector<double>& weights() const { return weights_; }
  void restore(std::vector<double> weights) { weights_ = std::move(weights); }

 private:
  std::vector<double> weights_;
  double factor_, share_;
};

// Each model votes with probabilities: a softmax of its decision values. One more voter names the class of the example before, with the
// probability that a class, lately, was that of the example before.
class WindowVote {
 public:
  explicit WindowVote(std::size_t models);

  // votes[c]: weighted mean of the probabilities of class c; `values` are decision values by model and class. The votes add up to 1.
  void mix(std::span<const double> values, std::size_t classes, double* votes) const;
  // Changes the weights by the decision values from before an example of a class was learned.
  void judge(std::span<const double> values, std::size_t classes, std::int32_t class_number);

  const std::vector<double>& weights() const { return share_.weights(); }
  double repeats() const { return repeats_; }
  std::int32_t last() const { return last_; }
  void restore(std::vector<double> weights, double repeats, std::int32_t last);

 private:
  FixedShare share_;
  double repeats_ = 0.5;    // how often, lately, a class was that of the example before
  std::int32_t last_ = -1;  // class of the last example; -1 before the first
};

// The first of the largest numbers.
std::size_t largest_of(std::span<const double> numbers);

}  // namespace hinge
