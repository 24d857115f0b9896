// How much a decision value can change when its example, of coefficient a > 0 (say), is left out. Let V(c) be the largest value of the dual
// with that coefficient fixed at c. V is concave, V'(c) = 1 - f_c with f_c the decision value then, and so for every e > 0
//
//   f_a - f_0  =  V'(0) - V'(a)  <=  (V(0) - V(-e)) / e - (1 - f_a)
//
// V(0) is at most the value of the primal at the present solution without the loss of the example. V(-e) is at least the value of the dual
// after a step from a to -e in which the free coefficients take what leaves the example, in shares v_j with sum 1:
//
//   f_a - f_0  <=  (a + e)^2 / (2 e) kappa,    kappa = |phi_i - sum_j v_j phi_j|^2
//
// for all shares that keep the coefficients in their boxes. With e = a this is 2 a kappa. The best shares are a column of the inverse Q of the
// margin set; those that violate a box are fixed at its bound, and the others follow by the same inverse. Nobody but the margin set is looked at.
#pragma once

#include <cstddef>

#include "kernel_columns.hpp"
#include "solvers/exact_binary_model.hpp"

namespace hinge {

// Infinite where no such shares are found, or rounding could spoil them. The margin set must have columns.
double leave_out_bound(ExactBinaryModel& model, KernelColumns& columns, std::size_t slot);

}  // namespace hinge
