// Kernel perceptrons: section 2.2 of the LASVM paper. No bias.
//
// An example with y f(x) <= margin is a mistake: its coefficient grows by y (times its weight). The averaged perceptron answers with the
// mean of its coefficients over all examples seen; a change made at example t is missing from the t - 1 before it (see expansion.hpp, lag).
// The budget perceptron (Crammer, Kandola, Singer 2004) keeps at most N members: when there are more, the one leaves that is furthest on
// the right side without its own help, argmax y_i (f(x_i) - alpha_i K_ii).
#pragma once

#include <cstddef>

#include "solvers/solver.hpp"

namespace hinge {

template <class T>
class Perceptron : public Solver<T> {
 public:
  explicit Perceptron(const Options& options) : options_(options) {}

  Visit visit(BinaryModel<T>& binary, std::size_t position, double label, double cost) const override;
  Visit revisit(BinaryModel<T>& binary, std::size_t position, std::size_t slot) const override;

 private:
  void correct(BinaryModel<T>& binary, std::size_t i, double amount) const;
  void shed(BinaryModel<T>& binary) const;
  void count(BinaryModel<T>& binary) const;

  Options options_;
};

}  // namespace hinge
