#include <algorithm>
#include <vector>

#include "duality.hpp"
#include "state.hpp"

namespace hinge::python {

namespace {

template <class T>
NumpyArray<T> kernel_values(Shared<KernelModel<T>>& self, const HeldBatch<T>& held) {
  require_fitting(self, held);
  std::vector<T> values;
  std::size_t retained = 0;
  self.run([&](KernelModel<T>& model) {
    model.tidy();
    retained = model.points().size();
    values.resize(held.batch.count * retained);
    model.kernel_values(held.batch, values);
    return 0;
  });
  return to_numpy(std::move(values), {held.batch.count, retained});
}

template <class T>
NumpyArray<double> coefficients(Shared<KernelModel<T>>& self) {
  std::vector<double> values;
  std::size_t retained = 0, count = 0;
  self.run([&](KernelModel<T>& model) {
    model.tidy();
    retained = model.points().size();
    count = model.binaries().size();
    values.assign(count * retained, 0.0);
    for (std::size_t m = 0; m < count; ++m) {
      const auto& binary = model.binaries()[m];
      const auto& slots = binary.members().slots();
      for (std::size_t i = 0; i < slots.size(); ++i)
        values[m * retained + slots[i]] = binary.expansion().alpha[i];
    }
    return 0;
  });
  return to_numpy(std::move(values), {count, retained});
}

template <class T>
NumpyArray<double> extremes(Shared<KernelModel<T>>& self) {
  std::vector<double> values;
  self.run([&](KernelModel<T>& model) {
    for (const auto& binary : model.binaries()) values.insert(values.end(), {binary.bracket().bottom(), binary.bracket().top()});
    return 0;
  });
  const std::size_t binaries = values.size() / 2;
  return to_numpy(std::move(values), {binaries, 2});
}

constexpr const char* kernel_model_doc = R"(Binary models, one against the rest for each class, over one set of retained examples.

Classes are numbered in the order in which Python names them. Up to two classes have one binary model, whose positive class is
number 1; more classes have one binary model each.)";

template <class T>
void bind_kernel_model(nb::module_& module, const char* name) {
  using B = KernelModel<T>;
  nb::class_<Shared<B>> bound(module, name, nb::type_slots(shared_slots<B>), kernel_model_doc);
  bind_common<B, T>(bound);
  bound
      .def(
          "finish",
          [](Shared<B>& self, const Question& monitor) {
            return watched(self, monitor, [](B& model, Monitor& watch) { return model.finish(watch); });
          },
          nb::arg("monitor") = nb::none(), "Optimise the coefficients of the examples held.")
      .def(
          "polish",
          [](Shared<B>& self) { watched(self, nb::none(), [](B& model, Monitor& watch) { model.polish_all(watch); return 0; }); },
          "Solve the free coefficients of small models to the last digit.")
      .def("kernel_values", &kernel_values<T>, nb::arg("batch"),
           "Compute kernel values against the retained examples, in the order of `state()[\"ids\"]`.")
      .def("coefficients", &coefficients<T>, "Return signed alpha, shape (binary models, retained), in the same order.")
      .def_prop_ro("bias", of_each_binary<B>([](const BinaryModel<T>& binary) { return binary.bias(); }))
      .def_prop_ro("gap", of_each_binary<B>([](const BinaryModel<T>& binary) { return std::max(binary.gap(), 0.0); }),
                   "Largest violation among the examples held, of each binary model.")
      .def_prop_ro("extremes", &extremes<T>, "Lowest gradient that may fall and highest that may rise, shape (binary models, 2).")
      .def_prop_ro("duality_gap", of_each_binary<B>([](const BinaryModel<T>& binary) {
                     return duality_gap(binary.expansion(), binary.biased());
                   }));
}

}  // namespace

void bind_kernel_models(nb::module_& module) {
  bind_kernel_model<float>(module, "KernelModel32");
  bind_kernel_model<double>(module, "KernelModel64");
}

}  // namespace hinge::python
