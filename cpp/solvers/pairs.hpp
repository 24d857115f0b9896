// REPROCESS of LASVM: one step along the best pair among the members (the mathematics: lasvm.hpp).
#pragma once

#include <optional>

#include "binary_model.hpp"

namespace hinge {

enum class PairChoice { maximal_gradient, second_order };

// Returns how much the dual gained, or nothing when no pair violates by more than the tolerance.
template <class T>
std::optional<double> reprocess_pair(BinaryModel<T>& binary, double tolerance, PairChoice choice);

}  // namespace hinge
