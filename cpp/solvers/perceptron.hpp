// Kernel perceptrons: section 2.2 of the LASVM paper. No bias.
//
// An example with y f(x) <= margin is a mistake: its coefficient grows by y (times its weight). The averaged perceptron predicts with the
// mean of its coefficients over all examples seen; a change made at example t is missing from the t - 1 before it (see expansion.hpp, lag).
// With a bound on the number of members, it evicts by the rule of solvers/budget.hpp. The budget perceptron (Crammer, Kandola, Singer 2004)
// never evicts a misclassified member, and fills with noise.
#pragma once

#include <cstddef>
#include <tuple>

#include "options.hpp"
#include "solvers/solver.hpp"

namespace hinge {

struct PerceptronMemory {
  std::size_t visits = 0;

  static constexpr auto fields = std::tuple{Field{"visits", &PerceptronMemory::visits, "Examples seen so far."}};
};

template <class T>
class Perceptron : public SolverWith<T, PerceptronOptions, PerceptronMemory> {
 public:
  using SolverWith<T, PerceptronOptions, PerceptronMemory>::SolverWith;

  Visit visit(BinaryModel<T>& binary, std::size_t position, double label, double cost) override;
  Visit revisit(BinaryModel<T>& binary, std::size_t position, std::size_t slot) override;

 private:
  using SolverWith<T, PerceptronOptions, PerceptronMemory>::options_;
  using SolverWith<T, PerceptronOptions, PerceptronMemory>::memory_;

  void correct(BinaryModel<T>& binary, std::size_t i, double amount) const;
  void evict(BinaryModel<T>& binary) const;
  void count(BinaryModel<T>& binary);
};

}  // namespace hinge
