// The state of a model as a dictionary of arrays.
#pragma once

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>

#include "arrays.hpp"
#include "model_state.hpp"
#include "bind.hpp"
#include "duality.hpp"
#include "model_handle.hpp"

namespace hinge::python {

template <class T>
Arrays to_dict(ModelState<T> held, std::size_t features, bool sparse) {
  const std::size_t count = held.ids.size(), models = held.member_counts.size();
  Arrays arrays;
  arrays["ids"] = to_numpy(std::move(held.ids));
  arrays["labels"] = to_numpy(std::move(held.labels));
  arrays["costs"] = to_numpy(std::move(held.costs));
  if (sparse) {
    arrays["data"] = to_numpy(std::move(held.values));
    arrays["indices"] = to_numpy(std::move(held.indices));
    arrays["indptr"] = to_numpy(std::move(held.starts));
  } else {
    arrays["values"] = to_numpy(std::move(held.values), {count, features});
  }
  arrays["shift"] = to_numpy(std::move(held.shift));
  arrays["members"] = to_numpy(std::move(held.members));
  arrays["member_counts"] = to_numpy(std::move(held.member_counts));
  arrays["member_lows"] = to_numpy(std::move(held.member_lows));
  arrays["member_costs"] = to_numpy(std::move(held.member_costs));
  arrays["alpha"] = to_numpy(std::move(held.alpha));
  arrays["gradient"] = to_numpy(std::move(held.gradient));
  arrays["lag"] = to_numpy(std::move(held.lag));
  arrays["member_mistakes"] = to_numpy(std::move(held.member_mistakes));
  arrays["terms"] = to_numpy(std::move(held.terms));
  arrays["bracket_ends"] = to_numpy(std::move(held.bracket_ends), {models, 2});
  arrays["late_models"] = to_numpy(std::move(held.late_models));
  arrays["n_kernel_evals"] = to_numpy(std::vector<std::int64_t>{held.kernel_evals});
  arrays["n_steps"] = to_numpy(std::vector<std::int64_t>{held.steps});
  arrays["shift_chosen"] = to_numpy(std::vector<std::int64_t>{held.shift_chosen});
  for (MemoryArray& array : held.memory) {
    if (array.width == 1)
      arrays[array.name.c_str()] = to_numpy(std::move(array.values));
    else
      arrays[array.name.c_str()] = to_numpy(std::move(array.values), {models, array.width});
  }
  return arrays;
}

template <class T>
ModelState<T> state_from(const Arrays& arrays, bool sparse, SolverMemory memory) {
  ModelState<T> state;
  state.ids = from_dict<std::int64_t>(arrays, "ids");
  state.labels = from_dict<std::int32_t>(arrays, "labels");
  state.costs = from_dict<double>(arrays, "costs");
  if (sparse) {
    state.values = from_dict<T>(arrays, "data");
    state.indices = from_dict<std::int32_t>(arrays, "indices");
    state.starts = from_dict<std::int64_t>(arrays, "indptr");
  } else {
    const auto rows = nb::cast<Matrix<T>>(arrays["values"]);
    state.values.assign(rows.data(), rows.data() + rows.shape(0) * rows.shape(1));
  }
  state.shift = from_dict<T>(arrays, "shift");
  state.members = from_dict<std::int64_t>(arrays, "members");
  state.member_counts = from_dict<std::int64_t>(arrays, "member_counts");
  state.member_lows = from_dict<double>(arrays, "member_lows");
  state.member_costs = from_dict<double>(arrays, "member_costs");
  state.alpha = from_dict<double>(arrays, "alpha");
  state.gradient = from_dict<double>(arrays, "gradient");
  state.lag = from_dict<double>(arrays, "lag");
  state.member_mistakes = from_dict<std::int64_t>(arrays, "member_mistakes");
  state.terms = from_dict<double>(arrays, "terms");
  state.bracket_ends = from_dict<std::int64_t>(arrays, "bracket_ends");
  state.late_models = from_dict<std::int64_t>(arrays, "late_models");
  state.kernel_evals = number_from<std::int64_t>(arrays, "n_kernel_evals");
  state.steps = number_from<std::int64_t>(arrays, "n_steps");
  state.shift_chosen = number_from<std::int64_t>(arrays, "shift_chosen") != 0;
  for (MemoryArray& array : memory) array.values = from_dict<std::int64_t>(arrays, array.name.c_str());
  state.memory = std::move(memory);
  return state;
}

// The id of an example is its column in the rows of all others.
template <class T>
void require_columns(const ModelState<T>& state, std::size_t features, bool sparse) {
  const auto has_column = [&](std::int64_t id) { return id >= 0 && static_cast<std::size_t>(id) < features; };
  if (sparse || !std::all_of(state.ids.begin(), state.ids.end(), has_column))
    throw std::invalid_argument("An example of the saved state has no column among the kernel values.");
}

template <class T>
SolverMemory memory_of(const SolverOptions& options) {
  return SolverFactory<T>(options).empty_memory();
}

template <class T>
SolverMemory memory_of(const ExactOptions&) {
  return ExactModel::empty_memory();
}

inline ClassScheme scheme_of(const SolverOptions& options, std::size_t classes) {
  return {std::visit([](const KernelOptions& kernel) { return kernel.multi_class; }, options), classes};
}

inline ClassScheme scheme_of(const ExactOptions& options, std::size_t classes) { return {options.multi_class, classes}; }

template <class B, class T>
std::unique_ptr<ModelHandle<B>> restored(const KernelChoice& kernel, const typename B::Options& options, std::size_t features, bool sparse,
                                    std::size_t classes, const Arrays& arrays) {
  const ModelState<T> state = state_from<T>(arrays, sparse, memory_of<T>(options));
  state.check(features, sparse, scheme_of(options, classes));
  if (kernel.parameters.kind == KernelKind::precomputed) require_columns(state, features, sparse);
  return std::make_unique<ModelHandle<B>>(kernel, std::make_unique<B>(make_kernel<T>(kernel), options, features, sparse, classes, state));
}

template <class B, class T>
Arrays state(ModelHandle<B>& self) {
  ModelState<T> held = self.look([](const B& model) { return model.state(); });
  return to_dict(std::move(held), self.model->points().features(), self.model->points().sparse());
}

constexpr const char* learn_doc = R"(Learn rows in the order given.

`labels` has the class number of every row of the batch, `costs` C times its weight (perceptrons: its weight); rows of cost 0
are skipped. Row r is example `first_id + r`. `seed` matters to selected examples only. One-vs-one models that are not `scored` save the
decisions about classes that a binary model does not see; a mistake is then an example that loses against any other class.
The outcome has the decision values of the last `recorded` examples, from before they were learned.)";
constexpr const char* check_doc = "Raise RuntimeError with a sentence that names a broken invariant, if there is one; for tests.";

template <class T>
const Expansion& expansion_of(const BinaryModel<T>& binary) {
  return binary.expansion();
}

inline const Expansion& expansion_of(const ExactBinaryModel& binary) { return binary.expansion; }

// What every model can do, whatever its binary models are.
template <class B, class T>
void bind_common(nb::class_<ModelHandle<B>>& bound) {
  bound
      .def(
          "__init__",
          [](ModelHandle<B>* self, const KernelChoice& kernel, const typename B::Options& options, std::size_t features, bool sparse,
             std::size_t classes) {
            new (self) ModelHandle<B>(kernel, std::make_unique<B>(make_kernel<T>(kernel), options, features, sparse, classes));
          },
          nb::arg("kernel"), nb::arg("options"), nb::arg("n_features"), nb::arg("sparse"), nb::arg("n_classes"))
      .def(
          "set_options",
          [](ModelHandle<B>& self, const typename B::Options& options) { self.run([&](B& model) { model.set_options(options); return 0; }); },
          nb::arg("options"))
      .def_prop_ro("broken", [](ModelHandle<B>& self) { return self.is_broken(); }, broken_doc)
      .def(
          "grow", [](ModelHandle<B>& self, std::size_t classes) { self.run([&](B& model) { model.grow(classes); return 0; }); }, nb::arg("n_classes"),
          "Add classes.")
      .def("take_outcome", &take_outcome<B>, take_outcome_doc)
      .def("learn", &learn<B, T>, nb::arg("batch"), nb::arg("labels"), nb::arg("costs"), nb::arg("first_id"),
           nb::arg("order"), nb::arg("seed") = 0, nb::arg("monitor") = nb::none(), nb::arg("scored") = true,
           nb::arg("recorded") = 0, learn_doc)
      .def("predictor", &predictor_of<B>, predictor_doc)
      .def("state", &state<B, T>, "Return everything needed to go on; docs/design/model-format.md says what the arrays mean.")
      .def("check_invariants", &check_invariants<B>, check_doc)
      .def_static("restore", &restored<B, T>, nb::arg("kernel"), nb::arg("options"), nb::arg("n_features"), nb::arg("sparse"),
                  nb::arg("n_classes"), nb::arg("state"), "Return a model that goes on from a saved state.")
      .def_prop_ro("n_binaries", of_model<B>([](const B& model) { return model.binaries().size(); }), "Number of binary models.")
      .def_prop_ro("n_retained", of_model<B>([](const B& model) { return model.points().size() - model.points().unused_count(); }), "Examples held.")
      .def_prop_ro("n_kernel_evals", of_model<B>([](const B& model) { return model.kernel_evals(); }), "Kernel values computed so far.")
      .def_prop_ro("n_steps", of_model<B>([](const B& model) { return model.steps(); }), "Steps made so far.")
      .def_prop_ro("dual_objective", of_each_binary<B>([](const auto& binary) { return dual_objective(expansion_of(binary)); }))
      .def_prop_ro("squared_norm", of_each_binary<B>([](const auto& binary) { return squared_norm(expansion_of(binary)); }),
                   "||w||^2 of each binary model.");
}

}  // namespace hinge::python
