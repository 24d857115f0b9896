// The state of a model as a dictionary of arrays.
#pragma once

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include <nanobind/stl/unique_ptr.h>

#include "arrays.hpp"
#include "model_state.hpp"
#include "bind.hpp"
#include "duality.hpp"
#include "model_handle.hpp"

namespace hinge::python {

template <class T>
nb::dict to_dict(ModelState<T> held, std::size_t features, bool sparse) {
  const std::size_t count = held.ids.size();
  nb::dict arrays;
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
  arrays["terms"] = to_numpy(std::move(held.terms));
  arrays["counters"] = to_numpy(std::move(held.counters));
  arrays["newcomers"] = to_numpy(std::move(held.newcomers));
  return arrays;
}

template <class T>
ModelState<T> state_from(const nb::dict& arrays, bool sparse) {
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
  state.terms = from_dict<double>(arrays, "terms");
  state.counters = from_dict<std::int64_t>(arrays, "counters");
  state.newcomers = from_dict<std::int64_t>(arrays, "newcomers");
  return state;
}

// The id of an example is its column in the rows of all others.
template <class T>
void require_columns(const ModelState<T>& state, std::size_t features, bool sparse) {
  const auto has_column = [&](std::int64_t id) { return id >= 0 && static_cast<std::size_t>(id) < features; };
  if (sparse || !std::all_of(state.ids.begin(), state.ids.end(), has_column))
    throw std::invalid_argument("An example of the saved state has no column among the kernel values.");
}

template <class B, class T>
std::unique_ptr<ModelHandle<B>> restored(const KernelChoice& kernel, const Options& options, std::size_t features, bool sparse,
                                    std::size_t classes, const nb::dict& arrays) {
  const ModelState<T> state = state_from<T>(arrays, sparse);
  state.check(features, sparse, classes);
  if (kernel.parameters.kind == KernelKind::precomputed) require_columns(state, features, sparse);
  return std::make_unique<ModelHandle<B>>(kernel, std::make_unique<B>(make_kernel<T>(kernel), options, features, sparse, classes, state));
}

template <class B, class T>
nb::dict state(ModelHandle<B>& self) {
  ModelState<T> held = self.look([](B& model) { return model.state(); });
  return to_dict(std::move(held), self.model->points().features(), self.model->points().sparse());
}

// What every model can do, whatever its binaries are.
template <class B, class T>
void bind_common(nb::class_<ModelHandle<B>>& bound) {
  bound
      .def(
          "__init__",
          [](ModelHandle<B>* self, const KernelChoice& kernel, const Options& options, std::size_t features, bool sparse,
             std::size_t classes) {
            new (self) ModelHandle<B>(kernel, std::make_unique<B>(make_kernel<T>(kernel), options, features, sparse, classes));
          },
          nb::arg("kernel"), nb::arg("options"), nb::arg("n_features"), nb::arg("sparse"), nb::arg("n_classes"))
      .def("set_options",
           [](ModelHandle<B>& self, const Options& options) {
             self.run([&](B& model) { model.set_options(options); return 0; });
           })
      .def_prop_ro("broken", [](ModelHandle<B>& self) { return self.is_broken(); })
      .def("grow", [](ModelHandle<B>& self, std::size_t classes) { self.run([&](B& model) { model.grow(classes); return 0; }); })
      .def("learn", &learn<B, T>, nb::arg("batch"), nb::arg("labels"), nb::arg("costs"), nb::arg("first_id"),
           nb::arg("order"), nb::arg("seed") = 0, nb::arg("monitor") = nb::none())
      .def("predictor", &predictor_of<B>)
      .def("state", &state<B, T>)
      .def("check_invariants", &check_invariants<B>)
      .def_static("restore", &restored<B, T>, nb::arg("kernel"), nb::arg("options"), nb::arg("n_features"), nb::arg("sparse"),
                  nb::arg("n_classes"), nb::arg("state"))
      .def_prop_ro("n_binaries", of_model<B>([](const B& model) { return model.binaries().size(); }))
      .def_prop_ro("n_retained", of_model<B>([](const B& model) { return model.points().size() - model.points().dead(); }))
      .def_prop_ro("n_kernel_evals", of_model<B>([](const B& model) { return model.kernel_evals(); }))
      .def_prop_ro("n_steps", of_model<B>([](const B& model) { return model.steps(); }))
      .def_prop_ro("dual_objective", of_each_binary<B>([](const auto& binary) { return dual_objective(binary.expansion); }))
      .def_prop_ro("squared_norm", of_each_binary<B>([](const auto& binary) { return squared_norm(binary.expansion); }));
}

}  // namespace hinge::python
