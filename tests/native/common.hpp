// What all parts of the native attack share: dice, examples, and complaints.
#pragma once

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "kernels.hpp"
#include "options.hpp"
#include "parallel.hpp"

namespace attack {

// Naive matrix products and a naive solver, in the place of BLAS and LAPACK: sanitizers see all that they read and write.
void provide_blas();

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : generator_(seed) {}
  std::size_t below(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(generator_); }
  std::size_t between(std::size_t least, std::size_t most) { return least + below(most - least + 1); }
  bool chance(double share) { return real() < share; }
  double real() { return std::uniform_real_distribution<double>(0.0, 1.0)(generator_); }
  double normal() { return std::normal_distribution<double>()(generator_); }
  template <class Value>
  Value one_of(std::initializer_list<Value> values) { return values.begin()[below(values.size())]; }
  std::vector<std::int64_t> shuffled(std::size_t count) {
    std::vector<std::int64_t> order(count);
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::shuffle(order.begin(), order.end(), generator_);
    return order;
  }

 private:
  std::mt19937_64 generator_;
};

// What this thread is at: said with every complaint.
inline thread_local std::string scene;

inline void expect(bool holds, const std::string& what) {
  if (!holds) throw std::logic_error(what);
}

// Two ways to the same numbers.
template <class Values>
void expect_close(const Values& left, const Values& right, double leeway, const std::string& what) {
  expect(left.size() == right.size(), what + ": sizes differ");
  for (std::size_t i = 0; i < left.size(); ++i)
    expect(!(std::abs(left[i] - right[i]) > leeway * (1.0 + std::abs(left[i]))), what);
}

// Random examples of a few classes that overlap, some of them twice; dense or sparse.
template <class T>
struct Examples {
  Examples(Dice& dice, std::size_t rows, std::size_t features, std::size_t classes, bool is_sparse);
  hinge::Batch<T> batch() const;
  // Some rows in a row.
  hinge::Batch<T> batch(std::size_t first, std::size_t count) const;

  std::size_t rows, features, classes;
  bool sparse;
  std::vector<T> values;
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> starts{0};
  std::vector<std::int32_t> labels;
  std::vector<double> costs;  // some are zero
};

template <class T>
hinge::Kernel<T> make_kernel(Dice& dice, bool sparse, double fails = 0.0);

template <class T>
void set_scene(const std::string& part, const Examples<T>& examples, const hinge::Kernel<T>& kernel, const std::string& more = {}) {
  const hinge::KernelParameters& chosen = kernel.parameters();
  scene = part + (sizeof(T) == 4 ? ", float, " : ", double, ") + (examples.sparse ? "sparse " : "dense ") + std::to_string(examples.rows) + " x " +
          std::to_string(examples.features) + ", kernel " + std::to_string(static_cast<int>(chosen.kind)) + " gamma " + std::to_string(chosen.gamma) + more;
}

// A gram matrix in the place of examples, for kernel values that are given.
template <class T>
void turn_into_gram(Examples<T>& examples);

// A watch over a call that will stop it, at some moment, or let it be.
inline std::unique_ptr<hinge::Monitor> watch(Dice& dice, double stops) {
  if (!dice.chance(stops)) return std::make_unique<hinge::Monitor>();
  auto monitor = std::make_unique<hinge::Monitor>([](const hinge::Progress&) { return false; });
  const auto left = std::chrono::microseconds(dice.below(4000));  // the monitor will ask so long after the call begins
  std::this_thread::sleep_for(hinge::Monitor::interval() - left);
  return monitor;
}

// The parts. Each goes through one history, with its invariants checked all along.
template <class T>
void stream(Dice& dice, bool large);
void exact(Dice& dice, bool large);
template <class T>
void linear(Dice& dice, bool large);
template <class T>
void snapshots(Dice& dice);
template <class T>
void toy_solver(Dice& dice);
void cycles(Dice& dice, std::size_t count);
void together(Dice& dice);
void failing(Dice& dice);

}  // namespace attack
