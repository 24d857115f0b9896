#include <algorithm>

#include "loops.hpp"
#include "memories.hpp"

namespace hinge {

Memory::Memory(const MemoryChoice& choice)
    : choice_(choice),
      gram_(choice.capacity),
      places_(choice.capacity, -1),
      arrivals_(choice.capacity, -1),
      classes_(choice.capacity, 0),
      gathered_(padded(choice.capacity), 0.0F) {}

bool Memory::is_positive(std::size_t problem, std::int32_t class_number) const {
  // Two classes: the one problem is that of class 1.
  const std::size_t target = problems_.size() == 1 ? 1 : problem;
  return static_cast<std::size_t>(class_number) == target;
}

const float* Memory::gather(const std::vector<float>& kernel_row) {
  for (std::size_t slot = 0; slot < places_.size(); ++slot)
    gathered_[slot] = places_[slot] < 0 ? 0.0F : kernel_row[static_cast<std::size_t>(places_[slot])];
  return gathered_.data();
}

void Memory::decide(const std::vector<float>& kernel_row, std::size_t classes, double* values) {
  std::fill_n(values, classes, 0.0);
  if (problems_.empty()) return;
  const float* row = gather(kernel_row);
  for (std::size_t problem = 0; problem < problems_.size(); ++problem) values[problem] = problems_[problem].decide(row);
  if (problems_.size() > 1) return;
  values[1] = values[0];
  values[0] = -values[1];
}

void Memory::add_class(std::size_t classes) {
  if (classes < 2) return;
  if (classes == 3) problems_.insert(problems_.begin(), problems_.front().mirrored());
  WindowProblem added(choice_.capacity, choice_.cost);
  for (std::size_t slot = 0; slot < places_.size(); ++slot)
    if (places_[slot] >= 0) added.insert(gram_, slot, false);
  problems_.push_back(std::move(added));
}

std::size_t Memory::oldest_slot() const {
  return static_cast<std::size_t>(std::min_element(arrivals_.begin(), arrivals_.end()) - arrivals_.begin());
}

void Memory::remove(ExamplePool& pool, std::size_t slot) {
  for (WindowProblem& problem : problems_) problem.remove(gram_, slot);
  pool.release(static_cast<std::size_t>(places_[slot]));
  places_[slot] = arrivals_[slot] = -1;
}

void Memory::insert(ExamplePool& pool, std::size_t place, const std::vector<float>& kernel_row) {
  const std::size_t slot = oldest_slot();
  if (places_[slot] >= 0) remove(pool, slot);
  pool.retain(place);
  places_[slot] = static_cast<std::int64_t>(place);
  arrivals_[slot] = pool.arrival(place);
  classes_[slot] = pool.class_of(place);
  gram_.set(slot, gather(kernel_row));
  for (std::size_t problem = 0; problem < problems_.size(); ++problem)
    problems_[problem].insert(gram_, slot, is_positive(problem, classes_[slot]));
}

void Memory::solve(double tolerance, std::size_t max_updates) {
  const std::size_t max_steps = std::max<std::size_t>(1, max_updates / choice_.capacity);
  for (WindowProblem& problem : problems_) problem.solve(gram_, tolerance, max_steps);
}

void Memory::forget_before(ExamplePool& pool, std::int64_t arrival) {
  for (std::size_t slot = 0; slot < places_.size(); ++slot)
    if (places_[slot] >= 0 && arrivals_[slot] < arrival) remove(pool, slot);
}

void Memory::refresh(const RowOf& row_of) {
  for (std::size_t slot = 0; slot < places_.size(); ++slot)
    if (places_[slot] >= 0) gram_.set(slot, gather(row_of(static_cast<std::size_t>(places_[slot]))));
  for (WindowProblem& problem : problems_) problem.refresh(gram_);
}

double Memory::duality_gap() const {
  double total = 0.0;
  for (const WindowProblem& problem : problems_) total += problem.duality_gap();
  return total;
}

void Memory::restore(ExamplePool& pool, std::span<const std::int64_t> places, std::size_t classes) {
  problems_.assign(classes < 2 ? 0 : classes == 2 ? 1 : classes, WindowProblem(choice_.capacity, choice_.cost));
  std::copy(places.begin(), places.end(), places_.begin());
  for (std::size_t slot = 0; slot < places_.size(); ++slot) {
    if (places_[slot] < 0) continue;
    const auto place = static_cast<std::size_t>(places_[slot]);
    pool.retain(place);
    arrivals_[slot] = pool.arrival(place);
    classes_[slot] = pool.class_of(place);
  }
}

std::vector<int> Memory::labels_of(std::size_t problem) const {
  std::vector<int> labels(places_.size(), 0);
  for (std::size_t slot = 0; slot < places_.size(); ++slot)
    if (places_[slot] >= 0) labels[slot] = is_positive(problem, classes_[slot]) ? 1 : -1;
  return labels;
}

}  // namespace hinge
