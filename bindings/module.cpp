#include "bind.hpp"
#include "loops.hpp"

NB_MODULE(_core, module) {
  // Models that live until the interpreter ends, in a cache or a traceback, are not leaks: no warning about them.
  nanobind::set_leak_warnings(false);
  module.doc() = "The native core of hinge.";
  hinge::python::bind_blas(module);
  hinge::python::bind_kernel(module);
  hinge::python::bind_options(module);
  hinge::python::bind_batches(module);
  hinge::python::bind_predictors(module);
  hinge::python::bind_kernel_models(module);
  hinge::python::bind_gram_problem(module);
  hinge::python::bind_exact_model(module);
  hinge::python::bind_linear(module);
  hinge::python::bind_adaptive_model(module);
  hinge::python::bind_process(module);
  module.def("instruction_set", &hinge::instruction_set, "Return the instruction set that the loops were compiled for.");
}
