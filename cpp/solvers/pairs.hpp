// REPROCESS of LASVM: one step along the best pair among the members (the mathematics: lasvm.hpp).
#pragma once

#include <optional>

#include "binary_model.hpp"

namespace hinge {

// Pairs of maximal gradient; the best partner of the top of the bracket; or that of whichever end is the older example. The last does not depend on
// which class is the positive one: in a stream, that depends on the size of the first chunk.
enum class PairChoice { maximal_gradient, second_order, second_order_of_older };

// Returns how much the dual gained, or nothing when no pair violates by more than the tolerance.
template <class T>
std::optional<double> reprocess_pair(BinaryModel<T>& binary, double tolerance, PairChoice choice);

}  // namespace hinge
