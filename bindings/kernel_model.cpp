#include <algorithm>
#include <utility>
#include <vector>

#include "duality.hpp"
#include "state.hpp"

namespace hinge::python {

namespace {

template <class T>
nb::object coefficients(ModelHandle<KernelModel<T>>& self) {
  std::vector<double> values;
  std::size_t retained = 0, count = 0;
  self.look([&](KernelModel<T>& model) {
    model.tidy();
    retained = model.points().size();
    count = model.binaries().size();
    values.assign(count * retained, 0.0);
    for (std::size_t m = 0; m < count; ++m) {
      const auto& binary = model.binaries()[m];
      for (std::size_t i = 0; i < binary.slots.size(); ++i)
        values[m * retained + binary.slots[i]] = binary.expansion.alpha[i];
    }
  });
  return to_numpy(std::move(values), {count, retained});
}

template <class T>
void bind_kernel_model(nb::module_& module, const char* name) {
  using B = KernelModel<T>;
  nb::class_<ModelHandle<B>> bound(module, name, nb::type_slots(model_slots<B>));
  bind_common<B, T>(bound);
  bound
      .def(
          "finish",
          [](ModelHandle<B>& self, const nb::object& monitor) {
            return watched(self, monitor, [](B& model, Monitor& watch) { return model.finish(watch); });
          },
          nb::arg("monitor") = nb::none())
      .def("polish",
           [](ModelHandle<B>& self) {
             watched(self, nb::none(), [](B& model, Monitor& watch) { model.polish_all(watch); return 0; });
           })
      .def("coefficients", &coefficients<T>)
      .def_prop_ro("bias", of_each_binary<B>([](const BinaryModel<T>& binary) { return binary.bias(); }))
      .def_prop_ro("gap", of_each_binary<B>([](const BinaryModel<T>& binary) { return std::max(binary.gap(), 0.0); }))
      .def_prop_ro("extremes", extremes_of<B>([](const BinaryModel<T>& binary) { return std::pair(binary.bottom(), binary.top()); }))
      .def_prop_ro("duality_gap", of_each_binary<B>([](const BinaryModel<T>& binary) {
                     return duality_gap(binary.expansion, binary.biased());
                   }));
}

}  // namespace

void bind_kernel_models(nb::module_& module) {
  bind_kernel_model<float>(module, "KernelModel32");
  bind_kernel_model<double>(module, "KernelModel64");
}

}  // namespace hinge::python
