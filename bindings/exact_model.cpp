#include "exact_model.hpp"

#include <utility>
#include <vector>

#include "duality.hpp"
#include "solvers/exact_measures.hpp"
#include "state.hpp"

namespace hinge::python {

namespace {

using B = ExactModel;

// Whatever is asked for must be there before anything changes.
void require_held(ModelHandle<B>& self, const Vector<std::int64_t>& ids) {
  self.read([&](const B& model) {
    for (const std::int64_t id : view(ids))
      if (!model.points().find(id)) throw std::invalid_argument("An example that is not held cannot be changed.");
  });
}

std::size_t forget(ModelHandle<B>& self, Vector<std::int64_t> ids, const Question& monitor) {
  require_held(self, ids);
  return watched(self, monitor, [&](B& model, Monitor& watch) { return model.forget(view(ids), watch); });
}

std::size_t relabel(ModelHandle<B>& self, Vector<std::int64_t> ids, Vector<std::int32_t> labels, Vector<double> costs,
                    const Question& monitor) {
  if (labels.shape(0) != ids.shape(0) || costs.shape(0) != ids.shape(0))
    throw std::invalid_argument("Labels and costs must have one entry for each id.");
  require_held(self, ids);
  return watched(self, monitor, [&](B& model, Monitor& watch) { return model.relabel(view(ids), view(labels), view(costs), watch); });
}

void adopt(ModelHandle<B>& self, const HeldBatch<double>& held, Vector<std::int32_t> labels, Vector<double> costs, std::int64_t first_id,
           Vector<std::int64_t> order, Matrix<double> alpha, Matrix<double> gradient, const Question& monitor) {
  require_fitting(self.model->points(), held);
  require_rows(held, labels, costs, order);
  const TrainingBatch<double> training{held.batch, view(labels), view(costs), first_id, view(order), 0};
  watched(self, monitor, [&](B& model, Monitor& watch) {
    if (model.points().size() != 0) throw Refused("Only an empty model can take examples over.");
    if (alpha.shape(0) != model.binaries().size() || alpha.shape(1) != order.shape(0))
      throw Refused("Coefficients must have a row for each binary and a column for each place in the order.");
    if (gradient.shape(0) != alpha.shape(0) || gradient.shape(1) != alpha.shape(1)) throw Refused("There must be a gradient for each coefficient.");
    model.adopt(training, {alpha.data(), alpha.size()}, {gradient.data(), gradient.size()}, watch);
    return 0;
  });
}

// A user's kernel function may fail here without harm: gradients are replaced when all of them are known.
void certify(ModelHandle<B>& self) {
  self.revise([](B& model) { model.certify(); });
}

NumpyArray<double> leave_one_out(ModelHandle<B>& self, const Question& monitor) {
  std::vector<double> decisions;
  const std::size_t binaries = watched(self, monitor, [&](B& model, Monitor& watch) {
    decisions = model.leave_one_out(watch);
    return model.binaries().size();
  });
  const std::size_t rows = decisions.size() / binaries;
  return to_numpy(std::move(decisions), {rows, binaries});
}

NumpyArray<double> influence(ModelHandle<B>& self, const HeldBatch<double>& held, Vector<std::int64_t> ids, Vector<std::int32_t> labels,
                             Vector<double> costs, const Question& monitor) {
  require_fitting(self.model->points(), held);
  if (labels.shape(0) != ids.shape(0) || costs.shape(0) != ids.shape(0))
    throw std::invalid_argument("Labels and costs must have one entry for each id.");
  require_held(self, ids);
  std::vector<double> changes;
  const std::size_t binaries = watched(self, monitor, [&](B& model, Monitor& watch) {
    changes = model.influence(held.batch, view(ids), view(labels), view(costs), watch);
    return model.binaries().size();
  });
  return to_numpy(std::move(changes), {ids.shape(0), binaries, held.batch.count});
}

NumpyArray<double> p_values(ModelHandle<B>& self, const HeldBatch<double>& held, Vector<double> costs, bool within_class, bool strictly, std::optional<double> alpha,
                            const Question& monitor) {
  require_fitting(self.model->points(), held);
  ConformalOptions wanted;
  wanted.costs.assign(costs.data(), costs.data() + costs.shape(0));
  wanted.within_class = within_class;
  wanted.strictly = strictly;
  wanted.alpha = alpha;
  if (self.model->class_counts().size() != costs.shape(0)) throw std::invalid_argument("There must be a cost for each class.");
  std::vector<double> values;
  watched(self, monitor, [&](B& model, Monitor& watch) {
    values = model.p_values(held.batch, wanted, watch);
    return 0;
  });
  return to_numpy(std::move(values), {held.batch.count, costs.shape(0)});
}

std::pair<double, double> ends_of(const ExactBinaryModel& binary) {
  const Extremes ends = extremes(binary);
  return {ends.bottom, ends.top};
}

constexpr const char* exact_doc = R"(Exact binary models, which are optimal after every example; in double precision.

Classes and binary models are numbered as in a KernelModel. The problem "plane" or "sphere" has one class, number 0, and one
binary model. A model that has forgotten everything may have no class at all.)";

constexpr const char* adopt_doc = R"(Take in many examples at once.

Coefficients near the solution and gradients, if known, have the shape (binary models, order). If the monitor stops the call, the
model keeps these coefficients until it is next changed, and becomes exact then.)";

// One array of the model.
template <class Measure>
auto array_of(Measure measure) {
  return [measure](ModelHandle<B>& self) { return to_numpy(self.read(measure)); };
}

}  // namespace

void bind_exact_model(nb::module_& module) {
  nb::class_<ModelHandle<B>> bound(module, "ExactModel", nb::type_slots(model_slots<B>), exact_doc);
  bind_common<B, double>(bound);
  bound
      .def("adopt", &adopt, nb::arg("batch"), nb::arg("labels"), nb::arg("costs"), nb::arg("first_id"), nb::arg("order"), nb::arg("alpha"),
           nb::arg("gradient"), nb::arg("monitor") = nb::none(), adopt_doc)
      .def("finish", [](ModelHandle<B>&, const Question&) { return Outcome{}; }, nb::arg("monitor") = nb::none(), "Do nothing: the model is optimal.")
      .def("polish", [](ModelHandle<B>&) {}, "Do nothing: the model is optimal.")
      .def("forget", &forget, nb::arg("ids"), nb::arg("monitor") = nb::none(),
           "Forget examples that are held. Return how many were forgotten: fewer than given only when stopped.")
      .def("relabel", &relabel, nb::arg("ids"), nb::arg("labels"), nb::arg("costs"), nb::arg("monitor") = nb::none(),
           "Give other labels and costs to examples that are held. Return how many got them.")
      .def("leave_one_out", &leave_one_out, nb::arg("monitor") = nb::none(),
           "Compute the decision values of each example held by the models without it, shape (held, binary models).")
      .def("influence", &influence, nb::arg("batch"), nb::arg("ids"), nb::arg("labels"), nb::arg("costs"), nb::arg("monitor") = nb::none(),
           "Compute by how much the decision values of rows would change without single examples (label -1), or with another label and cost of "
           "them, shape (ids, binary models, rows).")
      .def("p_values", &p_values, nb::arg("batch"), nb::arg("costs"), nb::arg("within_class") = false, nb::arg("strictly") = false,
           nb::arg("alpha") = nb::none(), nb::arg("monitor") = nb::none(),
           "Rank rows with each class as their label among the examples held, by leave-one-out margins: p-values, shape (rows, classes). With "
           "alpha they are computed only until it is known whether they exceed it; strictly: only smaller margins count. The costs "
           "are those of a row of each class; classes of cost 0 are left out.")
      .def("drop_class", [](ModelHandle<B>& self, std::int32_t number) { self.run([&](B& model) { model.drop_class(number); return 0; }); },
           nb::arg("number"), "Remove a class that no example has any more; higher numbers fall by one.")
      .def("certify", &certify, "Compute all gradients again, so that `violation` is a certificate.")
      .def("held", array_of([](const B& model) { return model.held(); }), "Return the ids of the examples held, in the order of the stream.")
      .def("labels", array_of([](const B& model) { return model.labels(); }), "Return the class numbers of the examples held, in that order.")
      .def("costs", array_of([](const B& model) { return model.costs(); }), "Return the costs of the examples held, in that order.")
      .def("class_counts", array_of([](const B& model) { return model.class_counts(); }), "Count the examples held of each class.")
      .def_prop_ro("total", of_each_binary<B>([](const ExactBinaryModel& binary) { return binary.wanted_total(); }),
                   "Sum of the coefficients of each binary model.")
      .def_prop_ro("n_refreshed", of_model<B>([](const B& model) { return model.refreshed(); }), "Times that an inverse was computed again.")
      .def_prop_ro("bias", of_each_binary<B>([](const ExactBinaryModel& binary) { return answer_bias(binary); }))
      .def_prop_ro("violation", of_each_binary<B>([](const ExactBinaryModel& binary) { return violation(binary); }),
                   "Largest violation among the examples held, of each binary model.")
      .def_prop_ro("extremes", extremes_of<B>(&ends_of), "Lowest gradient that may fall and highest that may rise, shape (binary models, 2).")
      .def_prop_ro("duality_gap", of_each_binary<B>([](const ExactBinaryModel& binary) { return duality_gap(binary.expansion, true); }))
      .def_prop_ro("residual", of_each_binary<B>([](const ExactBinaryModel& binary) { return free_residual(binary); }),
                   "Largest gradient of free coefficients, as last seen.")
      .def_prop_ro("n_margin", of_each_binary<B, std::int64_t>([](const ExactBinaryModel& binary) { return free_count(binary); }),
                   "Examples of each binary model on the margin.")
      .def_prop_ro("n_bounded", of_each_binary<B, std::int64_t>([](const ExactBinaryModel& binary) { return bounded_count(binary); }),
                   "Examples of each binary model at their bounds.");
}

}  // namespace hinge::python
