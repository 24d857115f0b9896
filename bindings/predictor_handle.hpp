// A predictor behind Python.
#pragma once

#include <memory>

#include "bind.hpp"
#include "predictor.hpp"

namespace hinge::python {

namespace nb = nanobind;

template <class T>
struct PredictorHandle {
  nb::object function;  // keeps the user's kernel function alive, where the garbage collector sees it
  std::shared_ptr<const Predictor<T>> predictor;
};

template <class T>
PredictorHandle(nb::object, std::shared_ptr<const Predictor<T>>) -> PredictorHandle<T>;

}  // namespace hinge::python
