#include "solvers/gram_problem.hpp"

#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "bind.hpp"
#include <nanobind/stl/tuple.h>

namespace hinge::python {

namespace {

using Solved = std::tuple<NumpyArray<double>, NumpyArray<double>, NumpyArray<double>, std::size_t>;

// One problem per row of `labels`, over the same kernel values.
Solved solve_gram(const Matrix<float>& gram, const Matrix<double>& labels, const Vector<double>& costs, const Matrix<double>& alpha,
                  const Matrix<double>& gradient, double tolerance, std::size_t max_steps) {
  const std::size_t n = gram.shape(0), problems = labels.shape(0);
  const auto fits = [&](const Matrix<double>& array) { return array.shape(0) == problems && array.shape(1) == n; };
  if (gram.shape(1) != padded(n) || !fits(labels) || !fits(alpha) || !fits(gradient) || costs.shape(0) != n)
    throw std::invalid_argument("The arrays must have one row per problem and one column per example.");
  std::vector<double> coefficients(alpha.data(), alpha.data() + problems * n), gradients(gradient.data(), gradient.data() + problems * n);
  std::vector<double> biases;
  std::size_t steps = 0;
  {
    const nb::gil_scoped_release nogil;
    const GramView<float> view(gram.data(), n);
    std::vector<Box> boxes(n);
    for (std::size_t p = 0; p < problems; ++p) {
      const std::span<double> own(coefficients.data() + p * n, n), slopes(gradients.data() + p * n, n);
      for (std::size_t i = 0; i < n; ++i) boxes[i] = Box::of(labels.data()[p * n + i], costs.data()[i]);
      const GramSolution solution = solve<float>(view, boxes, own, slopes, {tolerance, max_steps});
      biases.push_back(solution.bias);
      steps += solution.steps;
    }
  }
  return {to_numpy(std::move(coefficients), {problems, n}), to_numpy(std::move(gradients), {problems, n}), to_numpy(std::move(biases)), steps};
}

}  // namespace

void bind_gram_problem(nb::module_& module) {
  module.def("padded", &padded, nb::arg("count"), "Return the length of a row of so many kernel values.");
  module.def("solve_gram", &solve_gram, nb::arg("gram"), nb::arg("labels"), nb::arg("costs"), nb::arg("alpha"), nb::arg("gradient"),
             nb::arg("tolerance"), nb::arg("max_steps"),
             R"(Solve binary problems that share a matrix of kernel values.

Rows of `gram` are padded to `padded(n)` values. Labels are +1 and -1, one row per problem, and alpha and gradient are where to begin.
Returns new alpha and gradient, one bias per problem, and the number of steps.)");
}

}  // namespace hinge::python
