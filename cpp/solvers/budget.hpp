// Bounded memory: while a binary model has too many members, the least useful one is evicted, and its coefficient goes to members of its class.
//
// LASVM with upkeep holds its members near their optimum, idle ones included: it is a window, with the rule of balanced.hpp. The rule of the
// other algorithms: a misclassified member is most likely noise: while they are more than a tenth, the one farthest on the wrong side is evicted. Otherwise it is
// the member farthest on the right side without its own contribution (Crammer, Kandola, Singer 2004). The last member of a class stays.
#pragma once

#include <cstddef>

#include "binary_model.hpp"

namespace hinge {

// The member to evict.
template <class T>
std::size_t least_useful(const BinaryModel<T>& binary);

// The member farthest on the right side without its own contribution, whatever its class: the rule of 2004 as it is written.
template <class T>
std::size_t easiest(const BinaryModel<T>& binary);

// Gives the coefficient of a member to others where the dual loses least, of its own class as long as their boxes have room, and removes it.
// The caller refreshes the bracket.
template <class T>
void evict(BinaryModel<T>& binary, std::size_t leaving);

template <class T>
void keep_within(BinaryModel<T>& binary, std::size_t most);

}  // namespace hinge
