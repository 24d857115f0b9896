// Small problems to the last digit. With the bounded coefficients fixed, the free ones obey a linear system,
//
//   [ K_FF  1 ] [ d ]   [ g_F          ]
//   [ 1'    0 ] [ b ] = [ -sum alpha   ]      alpha_F + d is optimal if it stays in its box;
//
// where it does not, go to the nearest wall, fix that coefficient and solve again.
#pragma once

#include "binary_model.hpp"
#include "options.hpp"
#include "parallel.hpp"

namespace hinge {

template <class T>
void polish(BinaryModel<T>& binary, const LasvmOptions& options, Monitor& monitor);

}  // namespace hinge
