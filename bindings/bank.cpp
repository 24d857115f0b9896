#include <algorithm>
#include <vector>

#include "duality.hpp"
#include "state.hpp"

namespace hinge::python {

namespace {

template <class T>
nb::object kernel_values(Shared<Bank<T>>& self, const HeldBatch<T>& held) {
  require_fitting(self, held);
  std::vector<T> values;
  std::size_t retained = 0;
  self.run([&](Bank<T>& bank) {
    bank.tidy();
    retained = bank.points().size();
    values.resize(held.batch.count * retained);
    bank.kernel_values(held.batch, values);
    return 0;
  });
  return to_numpy(std::move(values), {held.batch.count, retained});
}

template <class T>
nb::object coefficients(Shared<Bank<T>>& self) {
  std::vector<double> values;
  std::size_t retained = 0, count = 0;
  self.run([&](Bank<T>& bank) {
    bank.tidy();
    retained = bank.points().size();
    count = bank.machines().size();
    values.assign(count * retained, 0.0);
    for (std::size_t m = 0; m < count; ++m) {
      const auto& machine = bank.machines()[m];
      for (std::size_t i = 0; i < machine.slots.size(); ++i)
        values[m * retained + machine.slots[i]] = machine.expansion.alpha[i];
    }
    return 0;
  });
  return to_numpy(std::move(values), {count, retained});
}

template <class T>
nb::object extremes(Shared<Bank<T>>& self) {
  std::vector<double> values;
  self.run([&](Bank<T>& bank) {
    for (const auto& machine : bank.machines()) values.insert(values.end(), {machine.bottom(), machine.top()});
    return 0;
  });
  const std::size_t machines = values.size() / 2;
  return to_numpy(std::move(values), {machines, 2});
}

template <class T>
void bind_bank(nb::module_& module, const char* name) {
  using B = Bank<T>;
  nb::class_<Shared<B>> bound(module, name, nb::type_slots(shared_slots<B>));
  bind_common<B, T>(bound);
  bound
      .def(
          "finish",
          [](Shared<B>& self, const nb::object& monitor) {
            return watched(self, monitor, [](B& bank, Monitor& watch) { return bank.finish(watch); });
          },
          nb::arg("monitor") = nb::none())
      .def("polish",
           [](Shared<B>& self) {
             watched(self, nb::none(), [](B& bank, Monitor& watch) { bank.polish_all(watch); return 0; });
           })
      .def("kernel_values", &kernel_values<T>, nb::arg("batch"))
      .def("coefficients", &coefficients<T>)
      .def_prop_ro("bias", of_each_machine<B>([](const Machine<T>& machine) { return machine.bias(); }))
      .def_prop_ro("gap", of_each_machine<B>([](const Machine<T>& machine) { return std::max(machine.gap(), 0.0); }))
      .def_prop_ro("extremes", &extremes<T>)
      .def_prop_ro("duality_gap", of_each_machine<B>([](const Machine<T>& machine) {
                     return duality_gap(machine.expansion, machine.biased());
                   }));
}

}  // namespace

void bind_banks(nb::module_& module) {
  bind_bank<float>(module, "Bank32");
  bind_bank<double>(module, "Bank64");
}

}  // namespace hinge::python
