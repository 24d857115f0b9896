#include "solvers/solver.hpp"

#include <stdexcept>

#include "solvers/lasvm.hpp"
#include "solvers/perceptron.hpp"
#include "solvers/robust.hpp"
#include "solvers/tracking.hpp"

namespace hinge {

template <class T>
std::unique_ptr<Solver<T>> make_solver(const Options& options) {
  switch (options.algorithm) {
    case Algorithm::lasvm: return std::make_unique<Lasvm<T>>(options);
    case Algorithm::robust: return std::make_unique<Robust<T>>(options);
    case Algorithm::tracking: return std::make_unique<Tracking<T>>(options);
    case Algorithm::perceptron: return std::make_unique<Perceptron<T>>(options);
    case Algorithm::incremental: break;  // has a model of its own
  }
  throw std::invalid_argument("unknown algorithm");
}

template std::unique_ptr<Solver<float>> make_solver<float>(const Options&);
template std::unique_ptr<Solver<double>> make_solver<double>(const Options&);

}  // namespace hinge
