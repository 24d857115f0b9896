#pragma once

#include <stdexcept>

namespace hinge {

// An invalid request, found before anything has changed.
struct Refused : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

}  // namespace hinge
