#include "solvers/solver.hpp"

#include "solvers/lasvm.hpp"
#include "solvers/perceptron.hpp"
#include "solvers/robust.hpp"
#include "solvers/tracking.hpp"

namespace hinge {

namespace {

// The solver of each kind of options.
template <class T>
struct MakeSolver {
  std::unique_ptr<Solver<T>> operator()(const LasvmOptions& options) const { return std::make_unique<Lasvm<T>>(options); }
  std::unique_ptr<Solver<T>> operator()(const RobustOptions& options) const { return std::make_unique<Robust<T>>(options); }
  std::unique_ptr<Solver<T>> operator()(const TrackingOptions& options) const { return std::make_unique<Tracking<T>>(options); }
  std::unique_ptr<Solver<T>> operator()(const PerceptronOptions& options) const { return std::make_unique<Perceptron<T>>(options); }
};

}  // namespace

template <class T>
SolverFactory<T>::SolverFactory(const SolverOptions& options)
    : run_(std::visit([](const KernelOptions& run) { return run; }, options)),
      make_([options] { return std::visit(MakeSolver<T>{}, options); }) {}

template <class T>
SolverMemory SolverFactory<T>::empty_memory() const {
  SolverMemory memory;
  make()->save(memory);
  for (MemoryArray& array : memory) array.values.clear();
  return memory;
}

template class SolverFactory<float>;
template class SolverFactory<double>;

}  // namespace hinge
