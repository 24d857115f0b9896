// One small file a concept; each fills in its part of the module.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "kernels.hpp"

namespace hinge::python {

// A kernel as the user names it; each model makes its own copy in its precision.
struct KernelChoice {
  KernelParameters parameters;
  nanobind::object function;
};

template <class T>
Kernel<T> make_kernel(const KernelChoice& choice);

// For the garbage collector: what has a member `function` holds a reference to a function of the user.
template <class Holder>
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (nanobind::inst_ready(self)) Py_VISIT(nanobind::inst_ptr<Holder>(self)->function.ptr());
  return 0;
}

template <class Holder>
int clear(PyObject* self) {
  nanobind::inst_ptr<Holder>(self)->function.reset();
  return 0;
}

void bind_kernel(nanobind::module_& module);
void bind_options(nanobind::module_& module);
void bind_batches(nanobind::module_& module);
void bind_kernel_models(nanobind::module_& module);
void bind_exact_model(nanobind::module_& module);
void bind_linear(nanobind::module_& module);
void bind_adaptive_model(nanobind::module_& module);
void bind_predictors(nanobind::module_& module);
void bind_gram_problem(nanobind::module_& module);
void bind_blas(nanobind::module_& module);
void bind_process(nanobind::module_& module);

}  // namespace hinge::python
