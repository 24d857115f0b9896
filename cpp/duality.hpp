// How good a solution is, from its coefficients and gradients alone.
//
//   dual     W(alpha) = sum alpha_i y_i - 1/2 alpha' K alpha = 1/2 sum alpha_i (y_i + g_i)
//   norm     |w|^2 = alpha' K alpha = sum alpha_i (y_i - g_i)
//   gap      P - W = min over b of sum_i [ max(low_i (g_i - b), high_i (g_i - b)) - alpha_i (g_i - b) ], or with b = 0
#pragma once

#include "expansion.hpp"

namespace hinge {

double dual_objective(const Expansion& expansion);
double squared_norm(const Expansion& expansion);
double duality_gap(const Expansion& expansion, bool biased);

}  // namespace hinge
