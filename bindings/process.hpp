// What a fork and the end of the process mean to threads that are inside a model.
#pragma once

#include <cstddef>

namespace hinge::python {

// How often this process, or one that it comes from, was forked; changes under the interpreter lock only.
std::size_t forks();

// The interpreter is about to end: whoever works must stop, but for the thread that ends it.
bool is_closing();

// Somebody is inside. Comes and goes with the interpreter lock held. When the interpreter ends, Python kills threads that ask for its
// lock, which C++ does not survive; so it waits for those inside (`close`), and a thread that comes after that ends here, as by `sys.exit`.
class Presence {
 public:
  Presence();
  ~Presence();
  Presence(const Presence&) = delete;
  Presence& operator=(const Presence&) = delete;
};

}  // namespace hinge::python
