// Forgetting by age: an example that is t rows old has the bound C 2^(-t / half_life) in place of C.
//
// All bounds shrink by the same factor r from one row to the next. If all coefficients shrink with them, nothing else has to be repaired: the
// boxes still hold them, their sum is still zero, those at a bound stay there, and f - b shrinks by r, so that
//
//   alpha_i <- r alpha_i,   g_i = y_i - sum_j alpha_j K_ij   <-   y_i - r (y_i - g_i).
//
// The gradients of members on the margin move by (1 - r) (f - b), which the usual steps make good. Since they tolerate much larger violations
// than that, members age in leaps of 1/64 half-life: bounds are right up to 1.1 %. A member whose bound has fallen to 1/64 of its cost leaves
// after its coefficient was given to others; so members are at most six half-lives old, and their bounds hold 98 % of the total of all rows.
#pragma once

#include <cstddef>

#include "binary_model.hpp"

namespace hinge {

// Called once per row, with the number of rows so far.
template <class T>
void forget_by_age(BinaryModel<T>& binary, double half_life, std::size_t rows);

}  // namespace hinge
