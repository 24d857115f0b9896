#include "schedule.hpp"

#include <algorithm>
#include <cmath>

namespace hinge {

namespace {

// Found by trials on a9a, ijcnn1, mnist and covtype; a factor of three more or less changes little.
constexpr double boldness = 1.5;        // the first steps, in units of 1 / typical squared norm
constexpr double steady_steps = 10000;  // before they become visibly shorter; fewer in a smaller training set
constexpr double penalty_every = 64;    // steps

}  // namespace

Schedule::Schedule(const LinearOptions& options, double typical, double smallest_penalty)
    : options_(options),
      typical_(std::max(typical + (options.intercept ? 1.0 : 0.0), 1e-300)),
      smallest_penalty_(smallest_penalty) {}

Step Schedule::next(Clock& clock, double weight, double target) const {
  clock.steps += 1.0;
  const double deviation = target - clock.mean;
  clock.mean += deviation / clock.steps;
  clock.squares += deviation * (target - clock.mean);
  clock.weight += (weight - clock.weight) / clock.steps;
  if (options_.total == 0.0) clock.examples += 1.0;
  const double relative = weight / clock.weight;
  return options_.adaptive ? adaptive(clock, relative) : asset(clock, relative);
}

double Schedule::lambda(const Clock& clock) const {
  return 1.0 / (options_.cost * clock.weight * (options_.total > 0.0 ? options_.total : clock.examples));
}

double Schedule::scale(const Clock& clock) const {
  if (!options_.loss.regression()) return 1.0;
  const double about_zero = options_.intercept ? 0.0 : clock.mean * clock.mean;
  return std::sqrt(clock.squares / clock.steps + about_zero);
}

// The pull of a linear loss has length 1 whatever the targets are, that of a squared one grows with them.
Step Schedule::adaptive(Clock& clock, double weight) const {
  Step step;
  const double steady = options_.total > 0.0 ? std::min(options_.total, steady_steps) : steady_steps;
  const double first = boldness * (options_.loss.linear() ? scale(clock) : 1.0) / typical_;
  const double largest = options_.cost * clock.weight / smallest_penalty_;  // in a solution no example has a larger coefficient than C
  const double eta = std::min(first, largest) / std::pow(1.0 + clock.steps / steady, 0.75);
  step.strength = eta * weight;
  step.lift = std::sqrt(std::max(first / largest, 1.0));  // more would swing: the loss says little about the intercept then
  clock.owed += eta * lambda(clock);
  if (std::fmod(clock.steps, penalty_every) == 0.0) std::swap(step.penalty, clock.owed);
  step.share = recent_share(clock);
  return step;
}

// lambda |w|^2 is at most the loss of answering zero, or the mean. The bound of the intercept is that of |w|.
Step Schedule::asset(Clock& clock, double weight) const {
  Step step;
  const double lambda = this->lambda(clock), size = scale(clock);
  const double radius = std::sqrt(std::max(options_.loss.linear() ? size : size * size, 1e-300) / lambda);
  const double steepness = std::max(options_.loss.steepness(size), 1e-300);
  const double eta = options_.intercept ? radius * std::sqrt(2.0 / (typical_ * clock.steps)) / steepness : 1.0 / (lambda * clock.steps);
  step.strength = eta * weight;
  step.shrink = std::max(1.0 - eta * lambda, 0.0);
  step.largest = radius;
  step.centre = options_.loss.regression() && options_.intercept ? clock.mean : 0.0;
  if (options_.planned == 0) {
    step.share = recent_share(clock);
    return step;
  }
  const double planned = static_cast<double>(options_.planned);
  const double last = options_.average_share > 0.0 ? options_.average_share * planned : static_cast<double>(options_.average_steps);
  if (clock.steps + last <= planned + 1.0) clock.averaged = 0.0;  // not yet: the newest iterate alone
  clock.averaged += eta;
  step.share = eta / clock.averaged;
  return step;
}

// Weights that grow like t^p have the mean age of equal weights over the last 2 / (p + 2) of the steps.
double Schedule::recent_share(const Clock& clock) const {
  if (options_.average_share == 0.0) return std::max(1.0 / clock.steps, 1.0 / static_cast<double>(options_.average_steps));
  const double power = 2.0 / options_.average_share - 2.0;
  return (power + 1.0) / (clock.steps + power);
}

}  // namespace hinge
