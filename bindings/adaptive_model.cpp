#include "adaptive_model.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bind.hpp"
#include "model_handle.hpp"

namespace hinge::python {

namespace {

using Choice = std::tuple<std::size_t, std::size_t, double, bool>;
using Handle = ModelHandle<AdaptiveModel>;

AdaptiveOptions options_from(const KernelChoice& kernel, bool gamma_follows, const std::vector<double>& gamma_factors,
                             const std::vector<Choice>& windows, double limit, double tolerance, std::size_t max_updates) {
  const KernelKind kind = kernel.parameters.kind;
  if (kind == KernelKind::precomputed || kind == KernelKind::callable) throw std::invalid_argument("Adaptive models support named kernels only.");
  bool has_window = false;
  AdaptiveOptions options{kernel.parameters, gamma_follows, gamma_factors, {}, limit, tolerance, max_updates};
  for (const auto& [number, capacity, cost, selective] : windows) {
    if (number >= gamma_factors.size() || capacity == 0 || capacity > 65536 || !(cost > 0.0))
      throw std::invalid_argument("A window model has no kernel, no room, too much room, or no cost.");
    options.windows.push_back({number, capacity, cost, selective});
    has_window = has_window || !selective;
  }
  if (!has_window) throw std::invalid_argument("One window must be that of the last examples.");
  return options;
}

// Calls visit(name, vector) for each array of a state.
template <class State, class Visit>
void for_each_array(State& state, Visit visit) {
  visit("values", state.values);
  visit("weights", state.weights);
  visit("mean", state.mean);
  visit("factor", state.factor);
  visit("labels", state.labels);
  visit("ids", state.ids);
  visit("recent", state.recent);
  visit("places", state.places);
  visit("alpha", state.alpha);
  visit("gradient", state.gradient);
  visit("bias", state.bias);
  visit("vote_weights", state.vote_weights);
  visit("repeats", state.repeats);
  visit("last_class", state.last_class);
  visit("n_learned", state.n_learned);
  visit("n_classes", state.n_classes);
  visit("n_steps", state.n_steps);
  visit("n_kernel_evals", state.n_kernel_evals);
}

Arrays to_dict(Handle& self) {
  AdaptiveState state = self.look([](const AdaptiveModel& model) { return model.state(); });
  Arrays arrays;
  const std::size_t held = state.ids.size(), features = self.model->features();
  arrays["values"] = to_numpy(std::move(state.values), {held, features});
  for_each_array(state, [&]<class T>(const char* name, std::vector<T>& values) {
    if (!arrays.contains(name)) arrays[name] = to_numpy(std::move(values));
  });
  return arrays;
}

std::unique_ptr<Handle> made(std::size_t features, const KernelChoice& kernel, bool gamma_follows, const std::vector<double>& gamma_factors,
                             const std::vector<Choice>& windows, double limit, double tolerance, std::size_t max_updates, const nb::object& saved, std::int64_t seen) {
  AdaptiveOptions options = options_from(kernel, gamma_follows, gamma_factors, windows, limit, tolerance, max_updates);
  if (saved.is_none()) return std::make_unique<Handle>(kernel, std::make_unique<AdaptiveModel>(features, std::move(options)));
  AdaptiveState state;
  const auto arrays = nb::cast<Arrays>(saved);
  for_each_array(state, [&]<class T>(const char* name, std::vector<T>& values) { values = from_dict<T>(arrays, name); });
  return std::make_unique<Handle>(kernel, std::make_unique<AdaptiveModel>(features, std::move(options), state, seen));
}

void require_features(std::size_t expected, std::size_t features) {
  if (features != expected) throw std::invalid_argument("The rows do not have the features of this model.");
}

// The model keeps the kernel values of the row asked last, so that asking uses it as learning does.
NumpyArray<double> votes(Handle& self, const Matrix<double>& rows) {
  const std::size_t features = self.model->features();
  require_features(features, rows.shape(1));
  std::vector<double> found;
  self.revise([&](AdaptiveModel& model) {
    found.resize(rows.shape(0) * model.n_classes());
    for (std::size_t row = 0; row < rows.shape(0); ++row) model.votes(rows.data() + row * features, found.data() + row * model.n_classes());
  });
  return to_numpy(std::move(found), {rows.shape(0), self.model->n_classes()});
}

NumpyArray<double> decide(Handle& self, const Matrix<double>& rows) {
  const std::size_t features = self.model->features();
  require_features(features, rows.shape(1));
  std::vector<double> found;
  self.revise([&](AdaptiveModel& model) {
    for (std::size_t row = 0; row < rows.shape(0); ++row) {
      const std::vector<double>& values = model.decide(rows.data() + row * features);
      found.insert(found.end(), values.begin(), values.end());
    }
  });
  return to_numpy(std::move(found), {rows.shape(0), self.model->window_models().size(), self.model->n_classes()});
}

std::int32_t learn_row(Handle& self, const Vector<double>& row, std::int32_t class_number, double weight) {
  require_features(self.model->features(), row.shape(0));
  if (class_number < 0 || class_number > 65535) throw std::invalid_argument("A class number must be from 0 to 65535.");
  return self.run([&](AdaptiveModel& model) { return model.learn(row.data(), class_number, weight); });
}

NumpyArray<double> votes_of(const WindowEnsemble& self, const Matrix<double>& rows) {
  require_features(self.pool.features(), rows.shape(1));
  std::vector<double> found;
  {
    const Presence present;
    const nb::gil_scoped_release release;
    found = self.votes(rows.data(), rows.shape(0));
  }
  return to_numpy(std::move(found), {rows.shape(0), self.n_classes});
}

template <class Number, class Measure>
auto of_each_window(Measure measure) {
  return [measure](Handle& self) {
    return to_numpy(self.read([&](const AdaptiveModel& model) {
      std::vector<Number> values;
      for (const WindowModel& window : model.window_models()) values.push_back(static_cast<Number>(measure(window)));
      return values;
    }));
  };
}

std::size_t n_held(const WindowModel& window) {
  std::size_t count = 0;
  for (const std::int64_t place : window.places()) count += place >= 0;
  return count;
}

}  // namespace

void bind_adaptive_model(nb::module_& module) {
  nb::class_<FixedShare>(module, "FixedShare", "Weights of several predictors by how well they did lately.")
      .def(nb::init<std::size_t, double, double>(), nb::arg("n"), nb::arg("rate"), nb::arg("share"))
      .def(
          "update",
          [](FixedShare& self, const std::vector<bool>& mistakes) {
            if (mistakes.size() != self.weights().size()) throw std::invalid_argument("There must be one entry for each predictor.");
            self.update(mistakes);
          },
          nb::arg("mistakes"), "Change the weights by who was wrong.")
      .def_prop_ro("weights", [](const FixedShare& self) { return to_numpy(std::vector<double>(self.weights())); });
  nb::class_<WindowEnsemble>(module, "WindowEnsemble", "Window models and their vote as they were; they predict while the model continues to learn.")
      .def("votes", &votes_of, nb::arg("rows"), "Return votes by row and class.");
  nb::class_<Handle>(module, "AdaptiveModel", "Support vector machines over several windows of a stream, which share rows and kernel values.",
                     nb::type_slots(model_slots<AdaptiveModel>))
      .def(nb::new_(&made), nb::arg("n_features"), nb::arg("kernel"), nb::arg("gamma_follows"), nb::arg("gamma_factors"), nb::arg("windows"),
           nb::arg("limit"), nb::arg("tolerance"), nb::arg("max_updates"), nb::arg("state") = nb::none(), nb::arg("n_seen") = 0)
      .def("votes", &votes, nb::arg("rows"), "Return votes by row and class.")
      .def("decide", &decide, nb::arg("rows"), "Return decision values by row, window model and class.")
      .def("learn", &learn_row, nb::arg("row"), nb::arg("class_number"), nb::arg("weight") = 1.0,
           "Learn a row; return the class that was predicted before, or -1 for the first row and rows of weight 0.")
      .def(
          "forget_before",
          [](Handle& self, std::int64_t position) { self.run([&](AdaptiveModel& model) { model.forget_before(position); return 0; }); },
          nb::arg("position"), "Forget all examples before a position in the stream.")
      .def(
          "predictor", [](Handle& self) { return self.look([](const AdaptiveModel& model) { return model.predictor(); }); }, predictor_doc)
      .def("state", &to_dict, "Return everything needed to go on; docs/design/model-format.md says what the arrays mean.")
      .def_prop_ro("broken", [](Handle& self) { return self.is_broken(); }, broken_doc)
      .def_prop_ro("n_seen", of_model<AdaptiveModel>([](const AdaptiveModel& model) { return model.seen(); }), "Rows given so far.")
      .def_prop_ro("n_classes", of_model<AdaptiveModel>([](const AdaptiveModel& model) { return model.n_classes(); }), "Number of classes seen.")
      .def_prop_ro("gamma", of_model<AdaptiveModel>([](const AdaptiveModel& model) { return model.gamma(); }), "Kernel coefficient before factors.")
      .def_prop_ro("n_retained", of_model<AdaptiveModel>([](const AdaptiveModel& model) { return model.held(); }), "Examples held.")
      .def_prop_ro("n_steps", of_model<AdaptiveModel>([](const AdaptiveModel& model) { return model.steps(); }), "Steps made so far.")
      .def_prop_ro("n_kernel_evals", of_model<AdaptiveModel>([](const AdaptiveModel& model) { return model.kernel_evals(); }),
                   "Kernel values computed so far to learn.")
      .def("duality_gaps", of_each_window<double>([](const WindowModel& window) { return window.duality_gap(); }),
           "Return the duality gap of each window model.")
      .def("held", of_each_window<std::int64_t>(&n_held), "Return how many examples each window model holds.");
}

}  // namespace hinge::python
