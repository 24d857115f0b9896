#include "blas.hpp"

#include "bind.hpp"

namespace hinge::python {

namespace nb = nanobind;

namespace {

// The capsules of scipy.linalg.cython_blas and cython_lapack carry the C signature as their name.
template <class Routine>
Routine* pointer(const nb::dict& routines, const char* name) {
  const auto capsule = nb::cast<nb::object>(routines[name]);
  void* address = PyCapsule_GetPointer(capsule.ptr(), PyCapsule_GetName(capsule.ptr()));
  if (address == nullptr) throw nb::python_error();
  return reinterpret_cast<Routine*>(address);
}

}  // namespace

void bind_blas(nb::module_& module) {
  module.def("set_blas", [](const nb::dict& routines) {
    blas<float>() = {pointer<Blas<float>::Gemm>(routines, "sgemm"), pointer<Blas<float>::Gemv>(routines, "sgemv")};
    blas<double>() = {pointer<Blas<double>::Gemm>(routines, "dgemm"), pointer<Blas<double>::Gemv>(routines, "dgemv")};
    gesv() = pointer<Gesv>(routines, "dgesv");
  }, nb::arg("routines"), nb::sig("def set_blas(routines: dict[str, typing.Any]) -> None"),
      "Take over the BLAS and LAPACK functions of scipy.linalg.cython_blas and cython_lapack.");
}

}  // namespace hinge::python
