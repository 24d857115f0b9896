// Adaptive models as flat arrays, and back.
#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "adaptive_model.hpp"

namespace hinge {

namespace {

template <class T>
bool lie_between(const std::vector<T>& values, std::int64_t low, std::size_t end) {
  return std::all_of(values.begin(), values.end(), [&](T value) { return value >= low && value < static_cast<std::int64_t>(end); });
}

}  // namespace

void AdaptiveState::check(std::size_t features, const AdaptiveOptions& options) const {
  const bool single = repeats.size() == 1 && last_class.size() == 1 && n_learned.size() == 1 && n_classes.size() == 1 && n_steps.size() == 1 &&
                      n_kernel_evals.size() == 1;
  if (!single || n_classes[0] < 0 || n_classes[0] > 65536) throw std::invalid_argument("The counts of the saved state are invalid.");
  const auto classes = static_cast<std::size_t>(n_classes[0]);
  const std::size_t held = ids.size(), problems = problems_for(classes);
  std::size_t slots = 0;
  for (const WindowChoice& choice : options.windows) slots += choice.capacity;
  const bool sizes = values.size() == held * features && weights.size() == held && labels.size() == held && mean.size() == features &&
                     factor.size() == features && places.size() == slots && alpha.size() == slots * problems &&
                     gradient.size() == slots * problems && bias.size() == options.windows.size() * problems &&
                     vote_weights.size() == options.windows.size() + 1;
  const bool indices =
      lie_between(places, -1, held) && lie_between(recent, 0, held) && lie_between(labels, 0, classes) && lie_between(last_class, -1, classes);
  if (!sizes || !indices) throw std::invalid_argument("The arrays of the saved state do not fit together.");
}

AdaptiveModel::AdaptiveModel(std::size_t features, AdaptiveOptions options, const AdaptiveState& state, std::int64_t seen)
    : AdaptiveModel(features, std::move(options)) {
  state.check(features, options_);
  Standardisation standardisation(features, options_.limit);
  standardisation.mean = state.mean;
  standardisation.factor = state.factor;
  now_.pool.standardise(std::move(standardisation));
  for (std::size_t place = 0; place < state.ids.size(); ++place)
    now_.pool.add(state.values.data() + place * features, state.labels[place], state.ids[place], state.weights[place]);
  now_.vote.restore(state.vote_weights, state.repeats[0], static_cast<std::int32_t>(state.last_class[0]));
  now_.n_classes = static_cast<std::size_t>(state.n_classes[0]);
  for (const std::int64_t place : state.recent) {
    recent_.push_back(static_cast<std::size_t>(place));
    now_.pool.retain(static_cast<std::size_t>(place));
  }
  const std::size_t problems = problems_for(now_.n_classes);
  std::size_t slot = 0, bias = 0;
  for (WindowModel& model : now_.models) {
    const std::size_t capacity = model.choice().capacity, numbers = capacity * problems;
    const SavedWindow saved{std::span(state.places).subspan(slot, capacity), std::span(state.alpha).subspan(slot * problems, numbers),
                            std::span(state.gradient).subspan(slot * problems, numbers), std::span(state.bias).subspan(bias, problems)};
    model.restore_places(now_.pool, saved.places, now_.n_classes);
    refresh(model);
    model.restore_numbers(saved);
    slot += capacity;
    bias += problems;
  }
  seen_ = seen;
  learned_ = state.n_learned[0];
  steps_ = state.n_steps[0];
  kernel_evals_ = state.n_kernel_evals[0];  // those of the lines above belong to the restoring
}

AdaptiveState AdaptiveModel::state() const {
  const ExamplePool& pool = now_.pool;
  AdaptiveState state;
  state.mean = pool.standardisation().mean;
  state.factor = pool.standardisation().factor;
  std::vector<std::int64_t> numbers(pool.size(), -1);  // free places are not saved
  std::int64_t next = 0;
  for (std::size_t place = 0; place < pool.size(); ++place) {
    if (!pool.is_used(place)) continue;
    numbers[place] = next++;
    state.values.insert(state.values.end(), pool.row(place), pool.row(place) + features());
    state.labels.push_back(pool.class_of(place));
    state.ids.push_back(pool.arrival(place));
    state.weights.push_back(pool.weight(place));
  }
  for (const std::size_t place : recent_) state.recent.push_back(numbers[place]);
  for (const WindowModel& model : now_.models) {
    for (const std::int64_t place : model.places()) state.places.push_back(place < 0 ? -1 : numbers[static_cast<std::size_t>(place)]);
    for (const WindowProblem& problem : model.problems()) {
      const auto capacity = static_cast<std::ptrdiff_t>(model.choice().capacity);
      state.bias.push_back(problem.bias());
      state.alpha.insert(state.alpha.end(), problem.coefficients().begin(), problem.coefficients().begin() + capacity);
      state.gradient.insert(state.gradient.end(), problem.gradients().begin(), problem.gradients().begin() + capacity);
    }
  }
  state.vote_weights = now_.vote.weights();
  state.repeats = {now_.vote.repeats()};
  state.last_class = {now_.vote.last()};
  state.n_learned = {learned_};
  state.n_classes = {static_cast<std::int64_t>(n_classes())};
  state.n_steps = {steps_};
  state.n_kernel_evals = {kernel_evals_};
  return state;
}

}  // namespace hinge
