// One window model: support vector machines over the examples of a window, the last ones or the last informative ones of a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "example_pool.hpp"
#include "window_problem.hpp"

namespace hinge {

// What one window model holds.
struct WindowChoice {
  std::size_t kernel = 0;    // which of the kernels
  std::size_t capacity = 0;  // how many examples; the oldest leaves
  double cost = 1.0;
  bool selective = false;  // take only examples whose margin was small before they were learned
};

// Coefficients, gradients and biases of a window model as flat arrays: the problems follow each other.
struct SavedWindow {
  std::span<const std::int64_t> places;  // of the pool, by slot; -1 where it is empty
  std::span<const double> coefficients, gradients, biases;
};

// One binary problem per class against the rest; a single one for two classes, none for one.
constexpr std::size_t problems_for(std::size_t classes) { return classes < 2 ? 0 : classes == 2 ? 1 : classes; }

class WindowModel {
 public:
  explicit WindowModel(const WindowChoice& choice);

  // Decision values of all classes from kernel values between a row and all places of the pool; `scratch` saves an allocation.
  void decide(const std::vector<float>& kernel_row, std::size_t classes, std::vector<float>& scratch, double* values) const;
  // Makes room for a class that was never seen before.
  void add_class(std::size_t classes);
  void insert(ExamplePool& pool, std::size_t place, const std::vector<float>& kernel_row);
  // Returns the number of steps.
  std::size_t solve(double tolerance, std::size_t max_updates);
  void forget_before(ExamplePool& pool, std::int64_t arrival);
  // Computes gradients again, after kernel values have changed; `row_of` returns those between a place and all others.
  using RowOf = std::function<const std::vector<float>&(std::size_t place)>;
  void refresh(const RowOf& row_of);
  // A copy that decides, but has no kernel values to learn with.
  WindowModel frozen() const;

  const WindowChoice& choice() const { return choice_; }
  const std::vector<std::int64_t>& places() const { return places_; }
  const std::vector<WindowProblem>& problems() const { return problems_; }
  double duality_gap() const;
  // Restores a saved window, in two steps: who is held, then, when the kernel values are known, the numbers of the problems.
  void restore_places(ExamplePool& pool, std::span<const std::int64_t> places, std::size_t classes);
  void restore_numbers(const SavedWindow& saved);

 private:
  const float* gather(const std::vector<float>& kernel_row, std::vector<float>& scratch) const;
  std::size_t oldest_slot() const;
  void remove(ExamplePool& pool, std::size_t slot);
  double label_of(std::size_t problem, std::size_t slot) const;
  void hold(const ExamplePool& pool, std::size_t slot, std::int64_t place);

  WindowChoice choice_;
  SlotGram gram_;
  std::vector<std::int64_t> places_, arrivals_;  // by slot; -1 where it is empty
  std::vector<std::int32_t> classes_;
  std::vector<double> costs_;
  std::vector<WindowProblem> problems_;
  std::vector<float> scratch_;
};

}  // namespace hinge
