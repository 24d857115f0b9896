#include <utility>
#include <vector>

#include "arrays.hpp"
#include "batch.hpp"
#include "predictor_handle.hpp"
#include "process.hpp"

namespace hinge::python {

namespace {

// Nothing changes, so that there is nothing to lock: any number of threads may be inside.
template <class T>
NumpyArray<double> decide(const PredictorHandle<T>& self, const HeldBatch<T>& held, std::size_t threads) {
  const Predictor<T>& predictor = *self.predictor;
  require_fitting(predictor, held);
  const std::size_t rows = held.batch.count, binaries = predictor.binaries();
  std::vector<double> decisions(rows * binaries);
  {
    const Presence present;
    const nb::gil_scoped_release release;
    predictor.decide(held.batch, decisions, threads);
  }
  return to_numpy(std::move(decisions), {rows, binaries});
}

constexpr const char* predictor_class_doc = R"(What a model knew at one moment.

A predictor never changes, so that any number of threads may use it at the same time, also while its model continues to learn.)";

template <class T>
void bind_predictor(nb::module_& module, const char* name) {
  using Handle = PredictorHandle<T>;
  static PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(&traverse<Handle>)},
                                {Py_tp_clear, reinterpret_cast<void*>(&clear<Handle>)},
                                {0, nullptr}};
  nb::class_<Handle>(module, name, nb::type_slots(slots), predictor_class_doc)
      .def("decide", &decide<T>, nb::arg("batch"), nb::arg("threads") = 1,
           "Compute decision values, shape (rows, binary models), bias included, of averaged coefficients where there are some.");
}

}  // namespace

void bind_predictors(nb::module_& module) {
  bind_predictor<float>(module, "Predictor32");
  bind_predictor<double>(module, "Predictor64");
}

}  // namespace hinge::python
