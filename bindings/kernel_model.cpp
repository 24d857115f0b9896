#include <algorithm>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>

#include "duality.hpp"
#include "state.hpp"

namespace hinge::python {

namespace {

template <class T>
NumpyArray<double> coefficients(ModelHandle<KernelModel<T>>& self) {
  std::vector<double> values;
  std::size_t retained = 0, count = 0;
  self.look([&](const KernelModel<T>& model) {
    retained = model.points().size();
    count = model.binaries().size();
    values.assign(count * retained, 0.0);
    for (std::size_t m = 0; m < count; ++m) {
      const auto& binary = model.binaries()[m];
      const auto& slots = binary.members().slots();
      for (std::size_t i = 0; i < slots.size(); ++i)
        values[m * retained + slots[i]] = binary.expansion().alpha[i];
    }
  });
  return to_numpy(std::move(values), {count, retained});
}

constexpr const char* hold_doc = R"(Take in rows of the order without learning them; `finish` then solves for them.

`sums` has one value per row of the order and binary model: the sum of kernel values, decision value minus bias. NaN keeps the row out of
that binary model. Coefficients are zero, or those of `alpha`, which has the same shape.)";

template <class T>
void hold(ModelHandle<KernelModel<T>>& self, const HeldBatch<T>& held, Vector<std::int32_t> labels, Vector<double> costs, std::int64_t first_id,
          Vector<std::int64_t> order, Matrix<double> sums, const std::optional<Matrix<double>>& alpha) {
  require_rows(held, labels, costs, order);
  require_fitting(self.model->points(), held);
  const std::size_t count = sums.shape(0) * sums.shape(1);
  const auto fits = [&](const Matrix<double>& values) { return values.shape(0) == sums.shape(0) && values.shape(1) == sums.shape(1); };
  if ((alpha && !fits(*alpha)) || sums.shape(0) != order.shape(0) || sums.shape(1) != self.model->binaries().size())
    throw std::invalid_argument("Sums and alpha must have one value for each row of the order and binary model.");
  const TrainingBatch<T> training{held.batch, view(labels), view(costs), first_id, view(order)};
  self.run([&](KernelModel<T>& model) {
    model.hold(training, {sums.data(), count}, alpha ? std::span(alpha->data(), count) : std::span<const double>{});
    return 0;
  });
}

template <class T>
void count(ModelHandle<KernelModel<T>>& self, Vector<std::int64_t> steps, std::int64_t kernel_evals) {
  const auto given = view(steps);
  if (given.size() != self.model->binaries().size() || kernel_evals < 0 || std::any_of(given.begin(), given.end(), [](std::int64_t n) { return n < 0; }))
    throw std::invalid_argument("Steps must be one count for each binary model.");
  const std::vector<std::size_t> counts(given.begin(), given.end());
  self.run([&](KernelModel<T>& model) {
    model.count(counts, static_cast<std::size_t>(kernel_evals));
    return 0;
  });
}

// Which of the examples 0 ... rows - 1 each binary model holds.
template <class T>
auto held_rows(ModelHandle<KernelModel<T>>& self, std::size_t rows) {
  std::vector<std::uint8_t> holds;
  std::size_t count = 0;
  self.look([&](const KernelModel<T>& model) {
    count = model.binaries().size();
    holds.assign(rows * count, 0);
    for (std::size_t m = 0; m < count; ++m)
      for (const std::size_t i : model.binaries()[m].expansion().held()) {
        const auto id = static_cast<std::size_t>(model.points().id(model.binaries()[m].members().slots()[i]));
        if (id < rows) holds[id * count + m] = 1;
      }
  });
  return to_numpy(std::move(holds), {rows, count});
}

constexpr const char* answer_doc = R"(Measure the coefficients that predictions use, averaged if the model averages.

Returns, for each binary model, duality gap, dual objective, ||w||^2, lowest gradient that may fall and highest that may rise.)";

template <class T>
auto measure_answers(ModelHandle<KernelModel<T>>& self) {
  std::vector<double> values = self.look([](const KernelModel<T>& model) {
    std::vector<double> found;
    for (std::size_t m = 0; m < model.binaries().size(); ++m) {
      const Expansion answer = model.answer(m);
      const Extremes ends = loops<T>().extremes(answer.gradient.data(), answer.room.data(), answer.size());
      const bool biased = model.binaries()[m].bracket().biased();
      found.insert(found.end(), {duality_gap(answer, biased), dual_objective(answer), squared_norm(answer), ends.bottom, ends.top});
    }
    return found;
  });
  const std::size_t binaries = values.size() / 5;
  return to_numpy(std::move(values), {binaries, 5});
}

constexpr const char* kernel_model_doc = R"(Binary models over one set of retained examples: one for each class against the rest, or one for each pair of classes.

Classes are numbered in the order in which Python names them. Up to two classes have one binary model, whose positive class is
number 1. With more classes, `multi_class` of the options decides: model m tells class m from the rest (ovr), or model j (j - 1) / 2 + i
tells class j, positive, from class i < j (ovo).)";

template <class T>
void bind_kernel_model(nb::module_& module, const char* name) {
  using B = KernelModel<T>;
  nb::class_<ModelHandle<B>> bound(module, name, nb::type_slots(model_slots<B>), kernel_model_doc);
  bind_common<B, T>(bound);
  bound
      .def("hold", &hold<T>, nb::arg("batch"), nb::arg("labels"), nb::arg("costs"), nb::arg("first_id"), nb::arg("order"), nb::arg("sums"),
           nb::arg("alpha") = nb::none(), hold_doc)
      .def("held_rows", &held_rows<T>, nb::arg("n_rows"), "Return 1 for each of the first examples of the stream and binary model that holds it.")
      .def(
          "finish",
          [](ModelHandle<B>& self, const Question& monitor, bool keep_idle) {
            const AtEnd at_end = keep_idle ? AtEnd::keep_idle : AtEnd::dismiss_idle;
            return watched(self, monitor, [&](B& model, Monitor& watch) { return model.finish(watch, at_end); });
          },
          nb::arg("monitor") = nb::none(), nb::arg("keep_idle") = false,
          "Optimise the coefficients of the examples held. LASVM keeps those without a coefficient if `keep_idle`.")
      .def("count", &count<T>, nb::arg("steps"), nb::arg("kernel_evals"),
           "Count what another model did to find coefficients that this one holds: steps of each binary model, and kernel values.")
      .def(
          "polish",
          [](ModelHandle<B>& self) { watched(self, nb::none(), [](B& model, Monitor& watch) { model.polish_all(watch); return 0; }); },
          "Solve the free coefficients of small models to the last digit.")
      .def(
          "wants_shift",
          [](ModelHandle<B>& self, const HeldBatch<T>& held) {
            require_fitting(self.model->points(), held);
            return self.look([&](const B& model) { return model.wants_shift(held.batch); });
          },
          nb::arg("batch"), "Return whether a model that learned these rows from scratch would be more precise.")
      .def("measure_answers", &measure_answers<T>, answer_doc)
      .def("coefficients", &coefficients<T>, "Return signed alpha, shape (binary models, retained), in the order of `state()[\"ids\"]`.")
      .def_prop_ro("bias", of_each_binary<B>([](const BinaryModel<T>& binary) { return binary.bias(); }))
      .def_prop_ro("binary_steps", of_each_binary<B>([](const BinaryModel<T>& binary) { return static_cast<double>(binary.steps()); }),
                   "Steps of each binary model since it was made or restored.")
      .def_prop_ro("violation", of_each_binary<B>([](const BinaryModel<T>& binary) { return std::max(binary.violation(), 0.0); }),
                   "Largest violation among the examples held, of each binary model.")
      .def_prop_ro("extremes", extremes_of<B>([](const BinaryModel<T>& binary) { return std::pair(binary.bracket().bottom(), binary.bracket().top()); }),
                   "Lowest gradient that may fall and highest that may rise, shape (binary models, 2).")
      .def_prop_ro("duality_gap", of_each_binary<B>([](const BinaryModel<T>& binary) {
                     return duality_gap(binary.expansion(), binary.bracket().biased());
                   }));
}

}  // namespace

void bind_kernel_models(nb::module_& module) {
  bind_kernel_model<float>(module, "KernelModel32");
  bind_kernel_model<double>(module, "KernelModel64");
}

}  // namespace hinge::python
