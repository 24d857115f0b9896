#include "window_model.hpp"

#include <algorithm>
#include <utility>

#include "loops.hpp"

namespace hinge {

WindowModel::WindowModel(const WindowChoice& choice)
    : choice_(choice),
      gram_(choice.capacity),
      places_(choice.capacity, -1),
      arrivals_(choice.capacity, -1),
      classes_(choice.capacity, 0),
      costs_(choice.capacity, 0.0) {}

double WindowModel::label_of(std::size_t problem, std::size_t slot) const {
  if (places_[slot] < 0) return 0.0;
  // Two classes: the one problem is that of class 1.
  const std::size_t target = problems_.size() == 1 ? 1 : problem;
  return static_cast<std::size_t>(classes_[slot]) == target ? 1.0 : -1.0;
}

const float* WindowModel::gather(const std::vector<float>& kernel_row, std::vector<float>& scratch) const {
  scratch.resize(padded(choice_.capacity), 0.0F);
  for (std::size_t slot = 0; slot < places_.size(); ++slot)
    scratch[slot] = places_[slot] < 0 ? 0.0F : kernel_row[static_cast<std::size_t>(places_[slot])];
  std::fill(scratch.begin() + static_cast<std::ptrdiff_t>(places_.size()), scratch.end(), 0.0F);
  return scratch.data();
}

void WindowModel::decide(const std::vector<float>& kernel_row, std::size_t classes, std::vector<float>& scratch, double* values) const {
  std::fill_n(values, classes, 0.0);
  if (problems_.empty()) return;
  const float* row = gather(kernel_row, scratch);
  for (std::size_t problem = 0; problem < problems_.size(); ++problem) values[problem] = problems_[problem].decide(row);
  if (problems_.size() > 1) return;
  values[1] = values[0];
  values[0] = -values[1];
}

void WindowModel::add_class(std::size_t classes) {
  if (classes < 2) return;
  if (classes == 3) problems_.insert(problems_.begin(), problems_.front().mirrored());
  WindowProblem added(choice_.capacity);
  for (std::size_t slot = 0; slot < places_.size(); ++slot)
    if (places_[slot] >= 0) added.insert(gram_, slot, -1.0, costs_[slot]);
  problems_.push_back(std::move(added));
}

std::size_t WindowModel::oldest_slot() const {
  return static_cast<std::size_t>(std::min_element(arrivals_.begin(), arrivals_.end()) - arrivals_.begin());
}

void WindowModel::remove(ExamplePool& pool, std::size_t slot) {
  for (WindowProblem& problem : problems_) problem.remove(gram_, slot);
  pool.release(static_cast<std::size_t>(places_[slot]));
  places_[slot] = arrivals_[slot] = -1;
}

void WindowModel::hold(const ExamplePool& pool, std::size_t slot, std::int64_t place) {
  const auto held = static_cast<std::size_t>(place);
  places_[slot] = place;
  arrivals_[slot] = pool.arrival(held);
  classes_[slot] = pool.class_of(held);
  costs_[slot] = choice_.cost * pool.weight(held);
}

void WindowModel::insert(ExamplePool& pool, std::size_t place, const std::vector<float>& kernel_row) {
  const std::size_t slot = oldest_slot();
  if (places_[slot] >= 0) remove(pool, slot);
  pool.retain(place);
  hold(pool, slot, static_cast<std::int64_t>(place));
  gram_.set(slot, gather(kernel_row, scratch_));
  for (std::size_t problem = 0; problem < problems_.size(); ++problem)
    problems_[problem].insert(gram_, slot, label_of(problem, slot), costs_[slot]);
}

std::size_t WindowModel::solve(double tolerance, std::size_t max_updates) {
  const std::size_t max_steps = std::max<std::size_t>(1, max_updates / choice_.capacity);
  std::size_t steps = 0;
  for (WindowProblem& problem : problems_) steps += problem.solve(gram_, tolerance, max_steps);
  return steps;
}

void WindowModel::forget_before(ExamplePool& pool, std::int64_t arrival) {
  for (std::size_t slot = 0; slot < places_.size(); ++slot)
    if (places_[slot] >= 0 && arrivals_[slot] < arrival) remove(pool, slot);
}

void WindowModel::refresh(const RowOf& row_of) {
  for (std::size_t slot = 0; slot < places_.size(); ++slot)
    if (places_[slot] >= 0) gram_.set(slot, gather(row_of(static_cast<std::size_t>(places_[slot])), scratch_));
  for (WindowProblem& problem : problems_) problem.refresh(gram_);
}

WindowModel WindowModel::frozen() const {
  WindowChoice empty = choice_;
  empty.capacity = 0;
  WindowModel copy(empty);
  copy.choice_ = choice_;
  copy.places_ = places_;
  copy.problems_ = problems_;
  return copy;
}

double WindowModel::duality_gap() const {
  double total = 0.0;
  for (const WindowProblem& problem : problems_) total += problem.duality_gap();
  return total;
}

void WindowModel::restore_places(ExamplePool& pool, std::span<const std::int64_t> places, std::size_t classes) {
  problems_.assign(problems_for(classes), WindowProblem(choice_.capacity));
  for (std::size_t slot = 0; slot < places.size(); ++slot) {
    if (places[slot] < 0) continue;
    pool.retain(static_cast<std::size_t>(places[slot]));
    hold(pool, slot, places[slot]);
  }
}

void WindowModel::restore_numbers(const SavedWindow& saved) {
  for (std::size_t problem = 0; problem < problems_.size(); ++problem) {
    std::vector<double> labels;
    for (std::size_t slot = 0; slot < places_.size(); ++slot) labels.push_back(label_of(problem, slot));
    const std::size_t first = problem * choice_.capacity;
    problems_[problem].restore(saved.coefficients.subspan(first, choice_.capacity), saved.gradients.subspan(first, choice_.capacity), labels,
                               costs_, saved.biases[problem]);
  }
}

}  // namespace hinge
