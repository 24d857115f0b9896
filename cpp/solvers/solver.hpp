// What a solver does with one binary model. A KernelModel gives each of its binary models a solver, shows them the examples and knows nothing
// else of the algorithms.
//
// A solver remembers what it needs from one example to the next in a small struct of counts, which names its fields as options do. They become
// arrays of the saved state under these names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "binary_model.hpp"
#include "options.hpp"
#include "parallel.hpp"
#include "select.hpp"
#include "solvers/at_end.hpp"

namespace hinge {

struct Visit {
  double decision;  // before learning, bias included
  bool inserted;
  bool stalled = false;  // the example was not given as many steps as it needed
};

// One array of the saved state: `width` counts of each binary model, one model after the other.
struct MemoryArray {
  std::string name;
  std::size_t width = 1;
  std::vector<std::int64_t> values;
};
using SolverMemory = std::vector<MemoryArray>;

template <class T>
class Solver {
 public:
  virtual ~Solver() = default;

  // The binary model has a bias, and its coefficients move in pairs.
  virtual bool biased() const = 0;
  // One online iteration with the block's example at `position`.
  virtual Visit visit(BinaryModel<T>& binary, std::size_t position, double label, double cost) = 0;
  // The same for an example that is in the binary model's slot already.
  virtual Visit revisit(BinaryModel<T>& binary, std::size_t position, std::size_t slot) = 0;
  // Decides about an example of a class that the binary model does not see, and learns nothing.
  virtual Visit pass_over(BinaryModel<T>& binary, std::size_t position) { return {binary.sum(position) + binary.bias(), false}; }
  // Lets the members grow older by one row, before the next is learned.
  virtual void age(BinaryModel<T>&) {}
  // Optimises the coefficients of the members. Returns false when progress stalled before the tolerance was met. Solvers may keep members
  // without a coefficient that they are told to dismiss.
  virtual bool finish(BinaryModel<T>&, AtEnd, std::size_t /*threads*/, Monitor&) { return true; }
  // Solves small problems to the last digit.
  virtual void polish(BinaryModel<T>&, Monitor&) {}
  virtual ExampleSelection selection() const { return {}; }
  virtual void check_invariants(const BinaryModel<T>&) const {}

  // Adapts the memory to the mirrored binary model, in which both classes change sides.
  virtual void mirror() = 0;
  // Appends the memory of this solver to arrays that the solvers before have made.
  virtual void save(SolverMemory& memory) const = 0;
  // Takes the memory of binary model m out of `models`. Throws std::invalid_argument when it is not there.
  virtual void restore(const SolverMemory& memory, std::size_t m, std::size_t models) = 0;
};

// Counts in the field of a memory struct.
inline std::span<std::size_t> counts_of(std::size_t& count) { return {&count, 1}; }
inline std::span<const std::size_t> counts_of(const std::size_t& count) { return {&count, 1}; }
template <std::size_t width>
std::span<std::size_t> counts_of(std::array<std::size_t, width>& counts) { return counts; }
template <std::size_t width>
std::span<const std::size_t> counts_of(const std::array<std::size_t, width>& counts) { return counts; }

struct NoMemory {
  static constexpr auto fields = std::tuple{};
};

// The base of solvers: options, memory, and what follows from them.
template <class T, class Options, class Memory = NoMemory>
class SolverWith : public Solver<T> {
 public:
  explicit SolverWith(const Options& options) : options_(options) {}

  bool biased() const final { return Options::biased; }

  void mirror() final {
    if constexpr (requires(Memory& memory) { memory.mirror(); }) memory_.mirror();
  }

  void save(SolverMemory& memory) const final {
    std::apply([&](const auto&... fields) { (append(memory, fields.name, counts_of(memory_.*fields.member)), ...); }, Memory::fields);
  }

  void restore(const SolverMemory& memory, std::size_t m, std::size_t models) final {
    std::apply([&](const auto&... fields) { (take(memory, fields.name, m, models, counts_of(memory_.*fields.member)), ...); }, Memory::fields);
  }

 protected:
  Options options_;
  Memory memory_;

 private:
  static void append(SolverMemory& memory, const char* name, std::span<const std::size_t> counts) {
    auto array = memory.begin();
    while (array != memory.end() && array->name != name) ++array;
    if (array == memory.end()) array = memory.insert(array, {name, counts.size(), {}});
    for (const std::size_t count : counts) array->values.push_back(static_cast<std::int64_t>(count));
  }

  static void take(const SolverMemory& memory, const char* name, std::size_t m, std::size_t models, std::span<std::size_t> counts) {
    for (const MemoryArray& array : memory) {
      if (array.name != name) continue;
      if (array.values.size() != models * counts.size()) break;
      for (std::size_t k = 0; k < counts.size(); ++k) {
        const std::int64_t count = array.values[m * counts.size() + k];
        if (count < 0) throw std::invalid_argument(std::string("The array ") + name + " of the saved state holds a negative count.");
        counts[k] = static_cast<std::size_t>(count);
      }
      return;
    }
    throw std::invalid_argument(std::string("The saved state has no array ") + name + ", or it does not fit the binary models.");
  }
};

// Makes the solvers of a model: those that options ask for, or any other.
template <class T>
class SolverFactory {
 public:
  using Make = std::function<std::unique_ptr<Solver<T>>()>;

  SolverFactory(const SolverOptions& options);
  SolverFactory(const KernelOptions& run, Make make) : run_(run), make_(std::move(make)) {}

  std::unique_ptr<Solver<T>> make() const { return make_(); }
  const KernelOptions& run() const { return run_; }
  // The arrays that its solvers remember, without values.
  SolverMemory empty_memory() const;

 private:
  KernelOptions run_;
  Make make_;
};

}  // namespace hinge
