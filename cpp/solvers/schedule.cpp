#include "schedule.hpp"

#include <algorithm>
#include <cmath>

namespace hinge {

namespace {

// Found by trials on a9a, ijcnn1, mnist and covtype; a factor of three more or less changes little.
constexpr double boldness = 2.5;        // the first steps, in units of 1 / typical squared norm
constexpr double steady_steps = 10000;  // before they become visibly shorter; fewer in a smaller training set, more in a larger one
constexpr double penalty_every = 64;    // steps, or sooner:
constexpr double most_owed = 0.1;       // penalty of a weight, relative to it
constexpr double least_cost = 1e-120;   // whose square is a number

}  // namespace

Schedule::Schedule(const LinearOptions& options, double typical, double smallest_penalty, double largest_penalty)
    : options_(options),
      typical_(std::max(typical + (options.intercept ? 1.0 : 0.0), 1e-300)),
      smallest_penalty_(smallest_penalty),
      largest_penalty_(largest_penalty) {}

Step Schedule::next(Clock& clock, double weight, double target) const {
  clock.steps += 1.0;
  const double deviation = target - clock.mean;
  clock.mean += deviation / clock.steps;
  clock.squares += deviation * (target - clock.mean);
  clock.weight += (weight - clock.weight) / clock.steps;
  if (options_.total == 0.0) clock.examples += 1.0;
  const double relative = weight / clock.weight;
  clock.unevenness += (relative * relative - clock.unevenness) / clock.steps;
  return options_.adaptive ? adaptive(clock, relative) : asset(clock, relative);
}

// Beyond these ends there is nothing but the penalty, or nothing but the loss.
double Schedule::cost(const Clock& clock) const { return std::clamp(options_.cost * clock.weight, least_cost, 1.0 / least_cost); }

double Schedule::lambda(const Clock& clock) const {
  return 1.0 / (cost(clock) * (options_.total > 0.0 ? options_.total : clock.examples));
}

double Schedule::scale(const Clock& clock) const {
  if (!options_.loss.regression()) return 1.0;
  const double about_zero = options_.intercept ? 0.0 : clock.mean * clock.mean;
  return std::sqrt(clock.squares / clock.steps + about_zero);
}

// The pull of a linear loss has length 1 whatever the targets are, that of a squared one grows with them. A step that has reached the end of its loss
// goes no further, however heavy its row: where weights differ, steps must be short enough for heavy rows to have their due.
Step Schedule::adaptive(Clock& clock, double weight) const {
  Step step;
  const bool stream = options_.total == 0.0;
  const double steady = stream ? steady_steps : std::max(std::min(options_.total, steady_steps), options_.total / 4.0);
  const double first = boldness * (options_.loss.linear() ? scale(clock) : 1.0) / (typical_ * std::max(clock.unevenness, 1.0));
  const double largest = cost(clock) / smallest_penalty_;  // in a solution no example has a larger coefficient than C
  const double eta = std::min(first, largest) / std::pow(1.0 + clock.steps / steady, stream ? 0.5 : 0.75);
  step.strength = eta * weight;
  step.lift = std::sqrt(std::max(first / largest, 1.0));  // more would swing: the loss says little about the intercept then
  clock.owed += eta * lambda(clock);
  const bool is_time = std::floor(clock.steps / penalty_every) > std::floor((clock.steps - 1.0) / penalty_every);
  if (is_time || clock.owed * largest_penalty_ > most_owed) std::swap(step.penalty, clock.owed);
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
  step.share = clock.averaged > 0.0 ? eta / clock.averaged : 1.0;
  return step;
}

// A share of 2 / (n + 1) has the mean age of equal weights over the last n steps, and weights that grow like t^p that over the last 2 / (p + 2)
// of all steps.
double Schedule::recent_share(const Clock& clock) const {
  if (options_.average_share == 0.0) return std::max(1.0 / clock.steps, 2.0 / static_cast<double>(options_.average_steps + 1));
  const double power = 2.0 / options_.average_share - 2.0;
  return (power + 1.0) / (clock.steps + power);
}

}  // namespace hinge
