// Coordinate ascent, for binary models without a bias: steps of one coefficient, or of two at once.
#pragma once

#include "binary_model.hpp"
#include "parallel.hpp"

namespace hinge {

// Moves the coefficients that violate most: argmax g among those that may rise, argmin g among those that may fall. Where both violate, both move,
// in one pass, or only the one that violates more. Returns false when none violates by more than the tolerance.
template <class T>
bool reprocess_coordinates(BinaryModel<T>& binary, double tolerance, bool both = true);

// Repeats that until no coefficient violates. Returns false when progress stalled.
template <class T>
bool finish_coordinates(BinaryModel<T>& binary, double tolerance, Monitor& monitor);

}  // namespace hinge
