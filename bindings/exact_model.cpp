#include "exact_model.hpp"

#include <vector>

#include "duality.hpp"
#include "state.hpp"

namespace hinge::python {

namespace {

using B = ExactModel;

// Whatever is asked for must be there before anything changes.
void require_held(Shared<B>& self, const Vector<std::int64_t>& ids) {
  self.look([&](B& model) {
    for (const std::int64_t id : view(ids))
      if (!model.points().find(id)) throw std::invalid_argument("An example that is not held cannot be changed.");
    return 0;
  });
}

std::size_t forget(Shared<B>& self, Vector<std::int64_t> ids, const nb::object& monitor) {
  require_held(self, ids);
  return watched(self, monitor, [&](B& model, Monitor& watch) { return model.forget(view(ids), watch); });
}

std::size_t relabel(Shared<B>& self, Vector<std::int64_t> ids, Vector<std::int32_t> labels, Vector<double> costs,
                    const nb::object& monitor) {
  if (labels.shape(0) != ids.shape(0) || costs.shape(0) != ids.shape(0))
    throw std::invalid_argument("Labels and costs must have one entry for each id.");
  require_held(self, ids);
  return watched(self, monitor, [&](B& model, Monitor& watch) { return model.relabel(view(ids), view(labels), view(costs), watch); });
}

void adopt(Shared<B>& self, const HeldBatch<double>& held, Vector<std::int32_t> labels, Vector<double> costs, std::int64_t first_id,
           Vector<std::int64_t> order, Matrix<double> alpha) {
  require_fitting(self, held);
  require_rows(held, labels, costs, order);
  const TrainingBatch<double> training{held.batch, view(labels), view(costs), first_id, view(order), 0};
  self.run([&](B& model) {
    if (model.points().size() != 0) throw Refused("Only an empty model can take examples over.");
    if (alpha.shape(0) != model.binaries().size() || alpha.shape(1) != order.shape(0))
      throw Refused("Coefficients must have a row for each binary and a column for each place in the order.");
    model.adopt(training, {alpha.data(), alpha.size()});
    return 0;
  });
}

nb::object leave_one_out(Shared<B>& self, const nb::object& monitor) {
  std::vector<double> decisions;
  const std::size_t binaries = watched(self, monitor, [&](B& model, Monitor& watch) {
    decisions = model.leave_one_out(watch);
    return model.binaries().size();
  });
  const std::size_t rows = decisions.size() / binaries;
  return to_numpy(std::move(decisions), {rows, binaries});
}

nb::object extremes(Shared<B>& self) {
  std::vector<double> values;
  self.run([&](B& model) {
    for (const auto& binary : model.binaries()) {
      const Extremes ends = binary.extremes();
      values.insert(values.end(), {ends.bottom, ends.top});
    }
    return 0;
  });
  const std::size_t binaries = values.size() / 2;
  return to_numpy(std::move(values), {binaries, 2});
}

}  // namespace

void bind_exact_model(nb::module_& module) {
  nb::class_<Shared<B>> bound(module, "ExactModel", nb::type_slots(shared_slots<B>));
  bind_common<B, double>(bound);
  bound.def("adopt", &adopt, nb::arg("batch"), nb::arg("labels"), nb::arg("costs"), nb::arg("first_id"), nb::arg("order"), nb::arg("alpha"))
      .def("finish", [](Shared<B>&, const nb::object&) { return Outcome{}; }, nb::arg("monitor") = nb::none())  // exact already
      .def("polish", [](Shared<B>&) {})
      .def("forget", &forget, nb::arg("ids"), nb::arg("monitor") = nb::none())
      .def("relabel", &relabel, nb::arg("ids"), nb::arg("labels"), nb::arg("costs"), nb::arg("monitor") = nb::none())
      .def("leave_one_out", &leave_one_out, nb::arg("monitor") = nb::none())
      .def("drop_class", [](Shared<B>& self, std::int32_t number) { self.run([&](B& model) { model.drop_class(number); return 0; }); })
      .def("certify", [](Shared<B>& self) { self.look([](B& model) { model.certify(); return 0; }); })
      .def("held", [](Shared<B>& self) { return to_numpy(self.look([](B& model) { return model.held(); })); })
      .def("labels", [](Shared<B>& self) { return to_numpy(self.look([](B& model) { return model.labels(); })); })
      .def("costs", [](Shared<B>& self) { return to_numpy(self.look([](B& model) { return model.costs(); })); })
      .def("class_counts", [](Shared<B>& self) { return to_numpy(self.look([](B& model) { return model.class_counts(); })); })
      .def_prop_ro("total", of_each_binary<B>([](const ExactBinaryModel& binary) { return binary.wanted_total(); }))
      .def_prop_ro("n_refreshed", of_model<B>([](B& model) { return model.refreshed(); }))
      .def_prop_ro("bias", of_each_binary<B>([](const ExactBinaryModel& binary) { return binary.answer_bias(); }))
      .def_prop_ro("gap", of_each_binary<B>([](const ExactBinaryModel& binary) { return binary.gap(); }))
      .def_prop_ro("extremes", &extremes)
      .def_prop_ro("duality_gap", of_each_binary<B>([](const ExactBinaryModel& binary) { return duality_gap(binary.expansion, true); }))
      .def_prop_ro("residual", of_each_binary<B>([](const ExactBinaryModel& binary) { return binary.free_residual(); }))
      .def_prop_ro("n_margin", of_each_binary<B, std::int64_t>([](const ExactBinaryModel& binary) { return binary.free_count(); }))
      .def_prop_ro("n_bounded", of_each_binary<B, std::int64_t>([](const ExactBinaryModel& binary) { return binary.bounded(); }));
}

}  // namespace hinge::python
