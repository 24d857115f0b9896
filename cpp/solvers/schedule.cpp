#include "schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hinge {

namespace {

// Found by trials on a9a, ijcnn1, mnist and covtype; a factor of three more or less changes little.
constexpr double boldness = 2.5;        // the first steps, in units of 1 / typical squared norm
constexpr double steady_steps = 10000;  // before they become visibly shorter; fewer in a smaller training set, more in a larger one
constexpr double penalty_every = 64;    // steps, or sooner:
constexpr double most_due = 0.1;       // penalty of a weight, relative to it
constexpr double forgetting_decline = 10;  // a stream that forgets ends with steps about a third as long: longer ones are noisy, shorter ones lag
constexpr double usual_total = 10000;   // examples that lambda of ASSET refers to in a stream of unknown length
constexpr double least_cost = 1e-120;   // whose square is a number

}  // namespace

Schedule::Schedule(const LinearOptions& options, double typical, double smallest_penalty, double largest_penalty)
    : options_(options),
      loss_{options.loss, options.epsilon},
      typical_(std::max(typical + (options.intercept ? 1.0 : 0.0), 1e-300)),
      smallest_penalty_(smallest_penalty),
      largest_penalty_(largest_penalty),
      retention_(options.half_life && options.total == 0.0 ? std::exp2(-1.0 / *options.half_life) : 1.0),
      memory_length_(retention_ < 1.0 ? -1.0 / std::expm1(-std::log(2.0) / *options.half_life) : std::numeric_limits<double>::infinity()) {}

Step Schedule::next(ScheduleMemory& memory, double weight, double target) const {
  memory.steps += 1.0;
  const double steps = recent_steps(memory);
  const double deviation = target - memory.target_mean;
  memory.target_mean += deviation / steps;
  if (steps < memory.steps) memory.target_squares *= 1.0 - 1.0 / steps;
  memory.target_squares += deviation * (target - memory.target_mean);
  memory.weight_mean += (weight - memory.weight_mean) / steps;
  if (options_.total == 0.0) memory.examples = retention_ * memory.examples + 1.0;
  const double relative = weight / memory.weight_mean;
  memory.weight_squares += (relative * relative - memory.weight_squares) / steps;
  return options_.steps == StepRule::adaptive ? adaptive(memory, relative) : asset(memory, relative);
}

// Beyond these ends there is nothing but the penalty, or nothing but the loss.
double Schedule::cost(const ScheduleMemory& memory) const { return std::clamp(options_.cost * memory.weight_mean, least_cost, 1.0 / least_cost); }

double Schedule::lambda(const ScheduleMemory& memory) const {
  return 1.0 / (cost(memory) * (options_.total > 0.0 ? options_.total : memory.examples));
}

double Schedule::scale(const ScheduleMemory& memory) const {
  if (!loss_.regression()) return 1.0;
  const double about_zero = options_.intercept ? 0.0 : memory.target_mean * memory.target_mean;
  return std::sqrt(memory.target_squares / recent_steps(memory) + about_zero);
}

// The pull of a linear loss has length 1 whatever the targets are, that of a squared one grows with them. A step that has reached the end of its loss
// goes no further, however heavy its row: where weights differ, steps must be short enough for heavy rows to have their due.
Step Schedule::adaptive(ScheduleMemory& memory, double weight) const {
  Step step;
  const bool stream = options_.total == 0.0;
  const double steady = stream ? steady_steps : std::max(std::min(options_.total, steady_steps), options_.total / 4.0);
  const double first = boldness * (loss_.linear() ? scale(memory) : 1.0) / (typical_ * std::max(memory.weight_squares, 1.0));
  const double largest = cost(memory) / smallest_penalty_;  // in a solution no example has a larger coefficient than C
  const double steps = recent_steps(memory), decline = steps / steady + forgetting_decline * steps / memory_length_;
  const double eta = std::min(first, largest) / std::pow(1.0 + decline, stream ? 0.5 : 0.75);
  step.strength = eta * weight;
  step.lift = std::sqrt(std::max(first / largest, 1.0));  // more would swing: the loss says little about the intercept then
  memory.penalty_due += eta * lambda(memory);
  const bool is_time = std::floor(memory.steps / penalty_every) > std::floor((memory.steps - 1.0) / penalty_every);
  if (is_time || memory.penalty_due * largest_penalty_ > most_due) std::swap(step.penalty, memory.penalty_due);
  step.share = recent_share(memory);
  return step;
}

double Schedule::constant_lambda(ScheduleMemory& memory) const {
  if (std::isfinite(memory_length_)) return 1.0 / (cost(memory) * memory_length_);
  if (options_.penalty_total > 0.0) memory.penalty_total = options_.penalty_total;
  return 1.0 / (cost(memory) * (memory.penalty_total > 0.0 ? memory.penalty_total : usual_total));
}

// lambda |w|^2 is at most the loss of answering zero, or the mean. Unless a bound is given, that of the intercept is that of |w|.
Step Schedule::asset(ScheduleMemory& memory, double weight) const {
  Step step;
  const double lambda = constant_lambda(memory), size = scale(memory);
  const double radius = std::sqrt(std::max(loss_.linear() ? size : size * size, 1e-300) / lambda);
  const double bound = options_.intercept ? options_.max_intercept.value_or(radius) : 0.0;
  const double gradient = options_.gradient_bound.value_or(std::max(loss_.steepness(size), 1e-300) * std::sqrt(typical_));
  const double steps = recent_steps(memory);
  const double eta = options_.steps == StepRule::asset ? std::hypot(radius, bound) / (gradient * std::sqrt(steps)) : 1.0 / (lambda * steps);
  step.strength = eta * weight;
  step.shrink = std::max(1.0 - eta * lambda, 0.0);
  step.largest = radius;
  step.largest_bias = bound;
  step.centre = loss_.regression() && options_.intercept ? memory.target_mean : 0.0;
  if (options_.planned == 0) {
    step.share = recent_share(memory);
    return step;
  }
  const double planned = static_cast<double>(options_.planned);
  const double last = options_.average_share > 0.0 ? options_.average_share * planned : static_cast<double>(options_.average_steps);
  if (memory.steps + last <= planned + 1.0) memory.averaged_length = 0.0;  // not yet: the newest iterate alone
  memory.averaged_length += eta;
  step.share = memory.averaged_length > 0.0 ? eta / memory.averaged_length : 1.0;
  return step;
}

// A share of 2 / (n + 1) has the mean age of equal weights over the last n steps, and weights that grow like t^p that over the last 2 / (p + 2)
// of all steps.
double Schedule::recent_share(const ScheduleMemory& memory) const {
  const double steps = recent_steps(memory);
  if (options_.average_share == 0.0) return std::max(1.0 / steps, 2.0 / static_cast<double>(options_.average_steps + 1));
  const double power = 2.0 / options_.average_share - 2.0;
  return (power + 1.0) / (steps + power);
}

}  // namespace hinge
