// Several memories of one stream: support vector machines over the last w examples, for several w and several kernels, and over the last
// informative examples. They share rows and kernel values: a new row is compared once per kernel with all stored rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "example_pool.hpp"
#include "window_problem.hpp"

namespace hinge {

// What one memory holds.
struct MemoryChoice {
  std::size_t kernel = 0;    // which of the kernels
  std::size_t capacity = 0;  // how many examples; the oldest leaves
  double cost = 1.0;
  bool selective = false;  // take only examples whose margin was small before they were learned
};

struct MemoriesOptions {
  KernelParameters kernel;            // gamma is that of the first kernel; <= 0: 1 / spread of the standardised rows
  std::vector<double> gamma_factors;  // one kernel for each
  std::vector<MemoryChoice> choices;
  double limit = 0.0;  // of standard scores; 0: do not standardise
  double tolerance = 0.01;
  std::size_t max_updates = 10000;  // of gradients, per example and binary problem: short windows are solved, long ones approached
};

// One binary problem per class against the rest; a single one for two classes, none for one.
class Memory {
 public:
  explicit Memory(const MemoryChoice& choice);

  // Decision values of all classes from kernel values between a row and all places of the pool.
  void decide(const std::vector<float>& kernel_row, std::size_t classes, double* values);
  // Makes room for a class that was never seen before.
  void add_class(std::size_t classes);
  void insert(ExamplePool& pool, std::size_t place, const std::vector<float>& kernel_row);
  void solve(double tolerance, std::size_t max_updates);
  void forget_before(ExamplePool& pool, std::int64_t arrival);
  // Computes gradients again, after kernel values have changed; `row_of` returns those between a place and all others.
  using RowOf = std::function<const std::vector<float>&(std::size_t place)>;
  void refresh(const RowOf& row_of);

  const MemoryChoice& choice() const { return choice_; }
  const std::vector<std::int64_t>& places() const { return places_; }
  std::vector<WindowProblem>& problems() { return problems_; }
  const std::vector<WindowProblem>& problems() const { return problems_; }
  double duality_gap() const;
  // Restores the places of a saved memory; the pool holds the rows.
  void restore(ExamplePool& pool, std::span<const std::int64_t> places, std::size_t classes);
  std::vector<int> labels_of(std::size_t problem) const;

 private:
  const float* gather(const std::vector<float>& kernel_row);
  std::size_t oldest_slot() const;
  void remove(ExamplePool& pool, std::size_t slot);
  bool is_positive(std::size_t problem, std::int32_t class_number) const;

  MemoryChoice choice_;
  SlotGram gram_;
  std::vector<std::int64_t> places_, arrivals_;  // by slot; -1 where it is empty
  std::vector<std::int32_t> classes_;
  std::vector<WindowProblem> problems_;
  std::vector<float> gathered_;
};

// The state of all memories, for files.
struct MemoriesState {
  std::vector<double> rows, mean, factor, coefficients, gradients, biases;
  std::vector<std::int32_t> classes;
  std::vector<std::int64_t> arrivals, recent, places;  // places: by memory and slot
  std::int64_t seen = 0;
  std::size_t n_classes = 0;
  double gamma = 0.0;
};

class Memories {
 public:
  Memories(std::size_t features, MemoriesOptions options);
  Memories(std::size_t features, MemoriesOptions options, const MemoriesState& state);

  std::size_t features() const { return pool_.features(); }
  std::size_t size() const { return memories_.size(); }
  std::size_t n_classes() const { return n_classes_; }
  std::int64_t seen() const { return seen_; }
  double gamma() const { return gamma_; }

  // Decision values of one row: classes of the first memory, of the second, ...
  void decide(const double* row, double* values);
  // Learns a row and returns the decision values from before. Class numbers count from 0; a new one makes all below it known.
  std::vector<double> learn(const double* row, std::int32_t class_number);
  // Forgets all examples but the last `count`.
  void keep_last(std::int64_t count);
  std::vector<double> duality_gaps() const;
  std::vector<std::int64_t> held() const;
  MemoriesState state() const;

 private:
  void prepare(const double* row);
  std::size_t squarings_to(std::size_t kernel) const;
  void refresh(Memory& memory);
  void add_class();
  bool wants(const Memory& memory, std::span<const double> values, std::int32_t class_number) const;
  void follow_scale();
  // Solves a memory after many kernel values or coefficients have changed.
  void solve_again(Memory& memory);
  void make_kernels();
  std::vector<std::size_t> recent_places() const { return {recent_.begin(), recent_.end()}; }
  bool is_due() const;

  MemoriesOptions options_;
  ExamplePool pool_;
  std::vector<Kernel<float>> kernels_;
  std::vector<Memory> memories_;
  std::deque<std::size_t> recent_;  // the last examples: scale and gamma follow them
  std::size_t max_recent_ = 0, n_classes_ = 0;
  std::int64_t seen_ = 0;
  double gamma_ = 1.0;
  // Kernel values of the row asked last, per kernel, for learning it next; empty if memories changed since.
  std::vector<double> prepared_row_, prepared_values_;  // and its decision values, if they were asked for
  std::vector<std::vector<float>> prepared_;
};

}  // namespace hinge
