#include "window_vote.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace hinge {

namespace {

// Chosen on the development streams of benchmarks/streams.
constexpr double rate = 0.5, share = 0.01;
constexpr double slope = 2.0;         // of the logistic function that makes probabilities of decision values
constexpr double repeat_rate = 0.01;  // of the running mean of how often a class is that of the example before

}  // namespace

std::size_t largest_of(std::span<const double> numbers) {
  return static_cast<std::size_t>(std::max_element(numbers.begin(), numbers.end()) - numbers.begin());
}

FixedShare::FixedShare(std::size_t count, double mistake_rate, double shared)
    : weights_(count, 1.0 / static_cast<double>(count)), factor_(std::exp(-mistake_rate)), share_(shared) {}

void FixedShare::update(const std::vector<bool>& mistakes) {
  for (std::size_t k = 0; k < weights_.size(); ++k)
    if (mistakes[k]) weights_[k] *= factor_;
  const double scale = (1.0 - share_) / std::accumulate(weights_.begin(), weights_.end(), 0.0);
  const double fund = share_ / static_cast<double>(weights_.size());
  for (double& weight : weights_) weight = weight * scale + fund;
}

WindowVote::WindowVote(std::size_t models) : share_(models + 1, rate, share) {}

void WindowVote::mix(std::span<const double> values, std::size_t classes, double* votes) const {
  if (classes == 0) return;  // all rows so far had weight 0
  std::fill_n(votes, classes, 0.0);
  std::vector<double> raised(classes);
  const std::size_t models = weights().size() - 1;
  for (std::size_t m = 0; m < models; ++m) {
    const std::span<const double> own = values.subspan(m * classes, classes);
    const double top = own[largest_of(own)];
    double total = 0.0;
    for (std::size_t c = 0; c < classes; ++c) total += raised[c] = std::exp(slope * (own[c] - top));
    for (std::size_t c = 0; c < classes; ++c) votes[c] += weights()[m] * raised[c] / total;
  }
  const double others = classes > 1 ? (1.0 - repeats_) / static_cast<double>(classes - 1) : 0.0;
  for (std::size_t c = 0; c < classes; ++c) {
    const bool is_last = classes == 1 || static_cast<std::int32_t>(c) == last_;
    votes[c] += weights()[models] * (classes == 1 ? 1.0 : is_last ? repeats_ : others);
  }
}

void WindowVote::judge(std::span<const double> values, std::size_t classes, std::int32_t class_number) {
  if (classes > 0) {
    std::vector<bool> mistakes;
    for (std::size_t m = 0; m + 1 < weights().size(); ++m)
      mistakes.push_back(static_cast<std::int32_t>(largest_of(values.subspan(m * classes, classes))) != class_number);
    const bool has_changed = last_ != class_number;
    mistakes.push_back(has_changed);
    share_.update(mistakes);
    repeats_ += repeat_rate * ((has_changed ? 0.0 : 1.0) - repeats_);
  }
  last_ = class_number;
}

void WindowVote::restore(std::vector<double> weights, double repeats, std::int32_t last) {
  share_.restore(std::move(weights));
  repeats_ = repeats;
  last_ = last;
}

}  // namespace hinge
