#include "exact_bank.hpp"

#include <vector>

#include "duality.hpp"
#include "state.hpp"

namespace hinge::python {

namespace {

using B = ExactBank;

// Whatever is asked for must be there before anything changes.
void require_held(Shared<B>& self, const Vector<std::int64_t>& ids) {
  self.look([&](B& bank) {
    for (const std::int64_t id : view(ids))
      if (!bank.points().find(id)) throw std::invalid_argument("An example that is not held cannot be changed.");
    return 0;
  });
}

std::size_t forget(Shared<B>& self, Vector<std::int64_t> ids, const nb::object& monitor) {
  require_held(self, ids);
  return watched(self, monitor, [&](B& bank, Monitor& watch) { return bank.forget(view(ids), watch); });
}

std::size_t relabel(Shared<B>& self, Vector<std::int64_t> ids, Vector<std::int32_t> labels, Vector<double> costs,
                    const nb::object& monitor) {
  if (labels.shape(0) != ids.shape(0) || costs.shape(0) != ids.shape(0))
    throw std::invalid_argument("Labels and costs must have one entry for each id.");
  require_held(self, ids);
  return watched(self, monitor, [&](B& bank, Monitor& watch) { return bank.relabel(view(ids), view(labels), view(costs), watch); });
}

void adopt(Shared<B>& self, const HeldBatch<double>& held, Vector<std::int32_t> labels, Vector<double> costs, std::int64_t first_id,
           Vector<std::int64_t> order, Matrix<double> alpha) {
  require_fitting(self, held);
  require_rows(held, labels, costs, order);
  const Lesson<double> lesson{held.batch, view(labels), view(costs), first_id, view(order), 0};
  self.run([&](B& bank) {
    if (bank.points().size() != 0) throw Refused("Only an empty bank can take examples over.");
    if (alpha.shape(0) != bank.machines().size() || alpha.shape(1) != order.shape(0))
      throw Refused("Coefficients must have a row for each machine and a column for each place in the order.");
    bank.adopt(lesson, {alpha.data(), alpha.size()});
    return 0;
  });
}

nb::object leave_one_out(Shared<B>& self, const nb::object& monitor) {
  std::vector<double> decisions;
  const std::size_t machines = watched(self, monitor, [&](B& bank, Monitor& watch) {
    decisions = bank.leave_one_out(watch);
    return bank.machines().size();
  });
  const std::size_t rows = decisions.size() / machines;
  return to_numpy(std::move(decisions), {rows, machines});
}

nb::object extremes(Shared<B>& self) {
  std::vector<double> values;
  self.run([&](B& bank) {
    for (const auto& machine : bank.machines()) {
      const Extremes ends = machine.extremes();
      values.insert(values.end(), {ends.bottom, ends.top});
    }
    return 0;
  });
  const std::size_t machines = values.size() / 2;
  return to_numpy(std::move(values), {machines, 2});
}

}  // namespace

void bind_exact(nb::module_& module) {
  nb::class_<Shared<B>> bound(module, "ExactBank", nb::type_slots(shared_slots<B>));
  bind_common<B, double>(bound);
  bound.def("adopt", &adopt, nb::arg("batch"), nb::arg("labels"), nb::arg("costs"), nb::arg("first_id"), nb::arg("order"), nb::arg("alpha"))
      .def("finish", [](Shared<B>&, const nb::object&) { return Outcome{}; }, nb::arg("monitor") = nb::none())  // exact already
      .def("polish", [](Shared<B>&) {})
      .def("forget", &forget, nb::arg("ids"), nb::arg("monitor") = nb::none())
      .def("relabel", &relabel, nb::arg("ids"), nb::arg("labels"), nb::arg("costs"), nb::arg("monitor") = nb::none())
      .def("leave_one_out", &leave_one_out, nb::arg("monitor") = nb::none())
      .def("drop_class", [](Shared<B>& self, std::int32_t number) { self.run([&](B& bank) { bank.drop_class(number); return 0; }); })
      .def("certify", [](Shared<B>& self) { self.look([](B& bank) { bank.certify(); return 0; }); })
      .def("held", [](Shared<B>& self) { return to_numpy(self.look([](B& bank) { return bank.held(); })); })
      .def("labels", [](Shared<B>& self) { return to_numpy(self.look([](B& bank) { return bank.labels(); })); })
      .def("costs", [](Shared<B>& self) { return to_numpy(self.look([](B& bank) { return bank.costs(); })); })
      .def("class_counts", [](Shared<B>& self) { return to_numpy(self.look([](B& bank) { return bank.class_counts(); })); })
      .def_prop_ro("total", of_each_machine<B>([](const ExactMachine& machine) { return machine.wanted_total(); }))
      .def_prop_ro("n_refreshed", of_bank<B>([](B& bank) { return bank.refreshed(); }))
      .def_prop_ro("bias", of_each_machine<B>([](const ExactMachine& machine) { return machine.answer_bias(); }))
      .def_prop_ro("gap", of_each_machine<B>([](const ExactMachine& machine) { return machine.gap(); }))
      .def_prop_ro("extremes", &extremes)
      .def_prop_ro("duality_gap", of_each_machine<B>([](const ExactMachine& machine) { return duality_gap(machine.expansion, true); }))
      .def_prop_ro("residual", of_each_machine<B>([](const ExactMachine& machine) { return machine.free_residual(); }))
      .def_prop_ro("n_margin", of_each_machine<B, std::int64_t>([](const ExactMachine& machine) { return machine.free_count(); }))
      .def_prop_ro("n_bounded", of_each_machine<B, std::int64_t>([](const ExactMachine& machine) { return machine.bounded(); }));
}

}  // namespace hinge::python
