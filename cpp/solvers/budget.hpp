// Bounded memory: while a binary model has too many members, the least useful one is evicted, and its coefficient goes to members of its class.
//
// A misclassified member is most likely noise: the one farthest on the wrong side is evicted. When there is none, it is the member that is farthest
// on the right side without its own contribution, as in the budget perceptron (solvers/perceptron.hpp). The last member of a class stays.
#pragma once

#include <cstddef>

#include "binary_model.hpp"

namespace hinge {

template <class T>
void keep_within(BinaryModel<T>& binary, std::size_t most);

}  // namespace hinge
