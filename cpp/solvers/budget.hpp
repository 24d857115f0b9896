// Bounded memory: while a binary has too many members, the least useful one leaves and hands its coefficient to members of its own class.
//
// A member on the wrong side is most likely noise: the one farthest on it. When there is none, the member that is most on the right side
// without its own help, as in the budget perceptron (solvers/perceptron.hpp). The last member of a class stays.
#pragma once

#include <cstddef>

#include "binary_model.hpp"

namespace hinge {

template <class T>
void keep_within(BinaryModel<T>& binary, std::size_t most);

}  // namespace hinge
