#pragma once

#include <stdexcept>

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

// A model, a predictor or a feature map never changes its features or its storage.
template <class Fitting, class T>
void require_fitting(const Fitting& fitting, const HeldBatch<T>& held) {
  if (held.batch.features != fitting.features() || held.batch.sparse != fitting.sparse())
    throw std::invalid_argument("The batch does not have the features or the storage of this model.");
}

}  // namespace hinge::python
