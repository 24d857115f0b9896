#include "memories.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>

#include "arrays.hpp"
#include "bind.hpp"

namespace hinge::python {

namespace {

using Choice = std::tuple<std::size_t, std::size_t, double, bool>;

MemoriesOptions options_from(const KernelChoice& kernel, const std::vector<double>& gamma_factors, const std::vector<Choice>& choices,
                             double limit, double tolerance, std::size_t max_updates) {
  const KernelKind kind = kernel.parameters.kind;
  if (kind == KernelKind::precomputed || kind == KernelKind::callable) throw std::invalid_argument("Memories need a kernel of their own.");
  bool has_window = false;
  MemoriesOptions options{kernel.parameters, gamma_factors, {}, limit, tolerance, max_updates};
  for (const auto& [number, capacity, cost, selective] : choices) {
    if (number >= gamma_factors.size() || capacity == 0 || capacity > 65536 || !(cost > 0.0))
      throw std::invalid_argument("A memory has no kernel, no room, too much room, or no cost.");
    options.choices.push_back({number, capacity, cost, selective});
    has_window = has_window || !selective;
  }
  if (!has_window) throw std::invalid_argument("One memory must be a window of the last examples.");
  return options;
}

// Everything that is indexed later must fit; values are numbers that any arithmetic survives.
void require_fitting(const MemoriesState& state, std::size_t features, const MemoriesOptions& options) {
  const std::size_t held = state.classes.size(), problems = state.n_classes < 2 ? 0 : state.n_classes == 2 ? 1 : state.n_classes;
  std::size_t slots = 0;
  for (const MemoryChoice& choice : options.choices) slots += choice.capacity;
  const bool sizes = state.rows.size() == held * features && state.arrivals.size() == held && state.mean.size() == features &&
                     state.factor.size() == features && state.places.size() == slots && state.coefficients.size() == slots * problems &&
                     state.gradients.size() == slots * problems && state.biases.size() == options.choices.size() * problems;
  bool places = true;
  for (const std::int64_t place : state.places) places = places && place >= -1 && place < static_cast<std::int64_t>(held);
  for (const std::int64_t place : state.recent) places = places && place >= 0 && place < static_cast<std::int64_t>(held);
  for (const std::int32_t number : state.classes) places = places && number >= 0 && static_cast<std::size_t>(number) < state.n_classes;
  if (!sizes || !places) throw std::invalid_argument("The arrays of the saved state do not fit together.");
}

MemoriesState state_from(const Arrays& arrays) {
  MemoriesState state;
  state.rows = from_dict<double>(arrays, "rows");
  state.mean = from_dict<double>(arrays, "mean");
  state.factor = from_dict<double>(arrays, "factor");
  state.coefficients = from_dict<double>(arrays, "coefficients");
  state.gradients = from_dict<double>(arrays, "gradients");
  state.biases = from_dict<double>(arrays, "biases");
  state.classes = from_dict<std::int32_t>(arrays, "classes");
  state.arrivals = from_dict<std::int64_t>(arrays, "arrivals");
  state.recent = from_dict<std::int64_t>(arrays, "recent");
  state.places = from_dict<std::int64_t>(arrays, "places");
  state.seen = number_from<std::int64_t>(arrays, "n_seen");
  state.n_classes = static_cast<std::size_t>(number_from<std::int64_t>(arrays, "n_classes"));
  state.gamma = number_from<double>(arrays, "gamma");
  return state;
}

Arrays to_dict(const Memories& self) {
  MemoriesState state = self.state();
  Arrays arrays;
  arrays["rows"] = to_numpy(std::move(state.rows));
  arrays["mean"] = to_numpy(std::move(state.mean));
  arrays["factor"] = to_numpy(std::move(state.factor));
  arrays["coefficients"] = to_numpy(std::move(state.coefficients));
  arrays["gradients"] = to_numpy(std::move(state.gradients));
  arrays["biases"] = to_numpy(std::move(state.biases));
  arrays["classes"] = to_numpy(std::move(state.classes));
  arrays["arrivals"] = to_numpy(std::move(state.arrivals));
  arrays["recent"] = to_numpy(std::move(state.recent));
  arrays["places"] = to_numpy(std::move(state.places));
  arrays["n_seen"] = to_numpy(std::vector<std::int64_t>{state.seen});
  arrays["n_classes"] = to_numpy(std::vector<std::int64_t>{static_cast<std::int64_t>(state.n_classes)});
  arrays["gamma"] = to_numpy(std::vector<double>{state.gamma});
  return arrays;
}

void require_features(const Memories& self, std::size_t features) {
  if (features != self.features()) throw std::invalid_argument("The rows do not have the features of this model.");
}

NumpyArray<double> decide(Memories& self, const Matrix<double>& rows) {
  require_features(self, rows.shape(1));
  const std::size_t width = self.size() * self.n_classes();
  std::vector<double> values(rows.shape(0) * width);
  for (std::size_t row = 0; row < rows.shape(0); ++row) self.decide(rows.data() + row * self.features(), values.data() + row * width);
  return to_numpy(std::move(values), {rows.shape(0), self.size(), self.n_classes()});
}

NumpyArray<double> learn(Memories& self, const Vector<double>& row, std::int32_t class_number) {
  require_features(self, row.shape(0));
  if (class_number < 0 || class_number > 65535) throw std::invalid_argument("A class number must be from 0 to 65535.");
  std::vector<double> values = self.learn(row.data(), class_number);
  return to_numpy(std::move(values), {self.size(), self.n_classes()});
}

}  // namespace

// Calls are short and keep the interpreter lock, which also guards the kernel values kept between asking and learning.
void bind_memories(nb::module_& module) {
  nb::class_<Memories>(module, "Memories", "Support vector machines over several recent parts of a stream, which share rows and kernel values.")
      .def(
          "__init__",
          [](Memories* self, std::size_t features, const KernelChoice& kernel, const std::vector<double>& gamma_factors,
             const std::vector<Choice>& choices, double limit, double tolerance, std::size_t max_updates, const std::optional<Arrays>& state) {
            MemoriesOptions options = options_from(kernel, gamma_factors, choices, limit, tolerance, max_updates);
            if (!state) {
              new (self) Memories(features, std::move(options));
              return;
            }
            const MemoriesState saved = state_from(*state);
            require_fitting(saved, features, options);
            new (self) Memories(features, std::move(options), saved);
          },
          nb::arg("features"), nb::arg("kernel"), nb::arg("gamma_factors"), nb::arg("choices"), nb::arg("limit"), nb::arg("tolerance"),
          nb::arg("max_updates"), nb::arg("state") = nb::none())
      .def("decide", &decide, nb::arg("rows"), "Return decision values by row, memory and class.")
      .def("learn", &learn, nb::arg("row"), nb::arg("class_number"), "Learn a row; return the decision values from before by memory and class.")
      .def("keep_last", &Memories::keep_last, nb::arg("count"), "Forget all examples but the last ones.")
      .def("to_arrays", &to_dict, "Return the state as named arrays.")
      .def_prop_ro("n_classes", &Memories::n_classes, "Number of classes seen.")
      .def_prop_ro("gamma", &Memories::gamma, "The kernel coefficient in use, before factors.")
      .def("duality_gaps", [](const Memories& self) { return to_numpy(self.duality_gaps()); }, "Return the duality gap of each memory.")
      .def("held", [](const Memories& self) { return to_numpy(self.held()); }, "Return how many examples each memory holds.");
}

}  // namespace hinge::python
