#pragma once

#include "arrays.hpp"
#include "examples.hpp"

namespace hinge::python {

// A batch and the arrays that must outlive it.
template <class T>
struct HeldBatch {
  Batch<T> batch;
  Matrix<T> dense{};
  Vector<T> data{};
  Vector<std::int32_t> indices{};
  Vector<std::int64_t> starts{};
  Vector<std::int64_t> picked{};
};

}  // namespace hinge::python
