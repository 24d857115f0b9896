#include "linear_model.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>

#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "batch.hpp"
#include "bind.hpp"
#include "model_handle.hpp"

namespace hinge::python {

namespace {

template <class T>
std::vector<T> copied(const Vector<T>& array) {
  return {array.data(), array.data() + array.shape(0)};
}

template <class T>
std::vector<T> copied(const Matrix<T>& array) {
  return {array.data(), array.data() + array.shape(0) * array.shape(1)};
}

void require_shift(std::size_t size, std::size_t features, bool sparse) {
  if (size != 0 && (sparse || size != features)) throw std::invalid_argument("A shift must have a value for each feature of dense rows.");
}

template <class T>
std::unique_ptr<FeatureMap<T>> nystroem(const KernelChoice& kernel, const HeldBatch<T>& landmarks, const Vector<std::int64_t>& ids,
                                        const Vector<T>& shift, const Matrix<T>& projection) {
  if (landmarks.batch.count == 0 || ids.shape(0) != landmarks.batch.count || projection.shape(1) != landmarks.batch.count ||
      projection.shape(0) == 0)
    throw std::invalid_argument("There must be an id and a column of the projection for each landmark.");
  require_shift(shift.shape(0), landmarks.batch.features, landmarks.batch.sparse);
  if (kernel.parameters.kind == KernelKind::precomputed)
    for (const std::int64_t id : view(ids))
      if (landmarks.batch.sparse || id < 0 || static_cast<std::size_t>(id) >= landmarks.batch.features)
        throw std::invalid_argument("A landmark has no column among the kernel values.");
  return std::make_unique<NystroemMap<T>>(make_kernel<T>(kernel), landmarks.batch, view(ids), copied(shift), copied(projection));
}

template <class T>
std::unique_ptr<FeatureMap<T>> fourier(const Matrix<T>& frequencies, const Vector<T>& phases, const Vector<T>& shift, bool sparse) {
  if (phases.shape(0) == 0 || frequencies.shape(1) != phases.shape(0))
    throw std::invalid_argument("There must be a phase for each frequency.");
  require_shift(shift.shape(0), frequencies.shape(0), sparse);
  return std::make_unique<FourierMap<T>>(frequencies.shape(0), sparse, copied(shift), copied(frequencies), copied(phases));
}

// A map on its way into a model.
template <class T>
struct MapChoice {
  std::unique_ptr<FeatureMap<T>> map;
  nb::object function;
};

LinearState state_from(const Arrays& arrays) {
  LinearState state;
  state.weights = from_dict<double>(arrays, "weights");
  state.average = from_dict<double>(arrays, "average");
  state.bias = from_dict<double>(arrays, "bias");
  state.average_bias = from_dict<double>(arrays, "average_bias");
  std::apply([&](const auto&... fields) { ((state.schedule.*fields.member = number_from<double>(arrays, fields.name)), ...); },
             ScheduleMemory::fields);
  state.evaluations = number_from<double>(arrays, "n_kernel_evals");
  return state;
}

void require_binaries(const LinearState& state, std::size_t binaries, std::size_t length) {
  if (state.weights.size() != binaries * length || state.average.size() != binaries * length || state.bias.size() != binaries ||
      state.average_bias.size() != binaries)
    throw Refused("The arrays of the saved state do not fit the binaries.");
}

template <class T>
Arrays to_dict(ModelHandle<LinearModel<T>>& self) {
  LinearState held = self.look([](const LinearModel<T>& model) { return model.state(); });
  Arrays arrays;
  arrays["weights"] = to_numpy(std::move(held.weights));
  arrays["average"] = to_numpy(std::move(held.average));
  arrays["bias"] = to_numpy(std::move(held.bias));
  arrays["average_bias"] = to_numpy(std::move(held.average_bias));
  std::apply([&](const auto&... fields) { ((arrays[fields.name] = to_numpy(std::vector<double>{held.schedule.*fields.member})), ...); },
             ScheduleMemory::fields);
  arrays["n_kernel_evals"] = to_numpy(std::vector<double>{held.evaluations});
  return arrays;
}

template <class T>
std::unique_ptr<ModelHandle<LinearModel<T>>> made(MapChoice<T>& chosen, const Vector<double>& penalty, double typical, const LinearOptions& options,
                                            std::size_t classes, const std::optional<Arrays>& arrays) {
  if (!chosen.map) throw std::invalid_argument("This map is in a model already.");
  const std::size_t length = chosen.map->dimension(), binaries = classes > 2 ? classes : 1;
  if (penalty.shape(0) != length) throw std::invalid_argument("There must be a penalty for each feature.");
  const KernelChoice kernel{{}, chosen.function};
  if (!arrays)
    return std::make_unique<ModelHandle<LinearModel<T>>>(
        kernel, std::make_unique<LinearModel<T>>(std::move(chosen.map), copied(penalty), typical, options, classes));
  const LinearState state = state_from(*arrays);
  require_binaries(state, binaries, length);
  return std::make_unique<ModelHandle<LinearModel<T>>>(
      kernel, std::make_unique<LinearModel<T>>(std::move(chosen.map), copied(penalty), typical, options, classes, state));
}

template <class T>
Outcome learn(ModelHandle<LinearModel<T>>& self, const HeldBatch<T>& held, Vector<double> targets, Vector<double> weights, std::int64_t first_id,
              Vector<std::int64_t> order, const Question& monitor, std::size_t recorded) {
  require_rows(held, targets, weights, order);
  require_fitting(self.model->map(), held);
  const LinearTrainingBatch<T> training{held.batch, view(targets), view(weights), first_id, view(order), recorded};
  return learn_watched(self, training, monitor);
}

template <class T>
void bind_maps(nb::module_& module, const char* name) {
  nb::class_<MapChoice<T>>(module, name, "A feature map on its way into a model.")
      .def_static(
          "nystroem",
          [](const KernelChoice& kernel, const HeldBatch<T>& landmarks, const Vector<std::int64_t>& ids, const Vector<T>& shift,
             const Matrix<T>& projection) {
            return MapChoice<T>{nystroem(kernel, landmarks, ids, shift, projection), kernel.function};
          },
          nb::arg("kernel"), nb::arg("landmarks"), nb::arg("ids"), nb::arg("shift"), nb::arg("projection"))
      .def_static(
          "fourier",
          [](const Matrix<T>& frequencies, const Vector<T>& phases, const Vector<T>& shift, bool sparse) {
            return MapChoice<T>{fourier(frequencies, phases, shift, sparse), nb::none()};
          },
          nb::arg("frequencies"), nb::arg("phases"), nb::arg("shift"), nb::arg("sparse"))
      .def(
          "features",
          [](const MapChoice<T>& self, const HeldBatch<T>& held, bool raw) {
            if (!self.map) throw std::invalid_argument("This map is in a model already.");
            require_fitting(*self.map, held);
            const std::size_t length = raw ? self.map->raw_dimension() : self.map->dimension();
            std::vector<T> features(held.batch.count * length);
            std::vector<std::int64_t> rows(held.batch.count);
            for (std::size_t r = 0; r < rows.size(); ++r) rows[r] = static_cast<std::int64_t>(r);
            {
              const Presence present;
              const nb::gil_scoped_release release;
              Block<T> block;
              self.map->take(block, held.batch, rows, 0);
              raw ? self.map->fill_raw(block, features.data()) : self.map->fill(block, features.data());
            }
            return to_numpy(std::move(features), {held.batch.count, length});
          },
          nb::arg("batch"), nb::arg("raw") = false,
          "Compute the features of rows or, with `raw`, the kernel values that those of Nystroem are made of.");
}

template <class T>
void bind_linear_model(nb::module_& module, const char* name) {
  using B = LinearModel<T>;
  nb::class_<ModelHandle<B>>(module, name, nb::type_slots(model_slots<B>),
                       "Linear models over the features of one map: one for each class, or one for a regression.")
      .def(nb::new_(&made<T>), nb::arg("map"), nb::arg("penalty"), nb::arg("typical"), nb::arg("options"), nb::arg("n_classes"),
           nb::arg("state") = nb::none())
      .def(
          "set_options",
          [](ModelHandle<B>& self, const LinearOptions& options) { self.run([&](B& model) { model.set_options(options); return 0; }); },
          nb::arg("options"))
      .def(
          "grow", [](ModelHandle<B>& self, std::size_t classes) { self.run([&](B& model) { model.grow(classes); return 0; }); }, nb::arg("n_classes"),
          "Add classes.")
      .def("take_outcome", &take_outcome<B>, take_outcome_doc)
      .def("learn", &learn<T>, nb::arg("batch"), nb::arg("targets"), nb::arg("weights"), nb::arg("first_id"), nb::arg("order"),
           nb::arg("monitor") = nb::none(), nb::arg("recorded") = 0)
      .def("predictor", &predictor_of<B>, predictor_doc)
      .def("keep", [](ModelHandle<B>& self, std::size_t rows) { return self.run([&](B& model) { return model.keep(rows); }); }, nb::arg("rows"),
           "Keep the features of the rows of one batch, if they fit into the cache, until they are released.")
      .def(
          "kept",
          [](ModelHandle<B>& self) {
            std::vector<T> values = self.look([](const B& model) { return model.kept(); });
            return to_numpy(std::move(values));
          },
          "What is kept of these rows: features or kernel values, one row after the other; zeros for rows that were not learned.")
      .def("release", [](ModelHandle<B>& self) { self.run([](B& model) { model.release(); return 0; }); })
      .def("state", &to_dict<T>)
      .def("check_invariants", &check_invariants<B>)
      .def(
          "recall",
          [](ModelHandle<B>& self, const Arrays& arrays) {
            const LinearState state = state_from(arrays);
            self.run([&](B& model) {
              require_binaries(state, model.binaries().size(), model.map().dimension());
              model.recall(state);
              return 0;
            });
          },
          nb::arg("state"), "Go back to what an earlier state knew.")
      .def_prop_ro("broken", [](ModelHandle<B>& self) { return self.is_broken(); }, broken_doc)
      .def_prop_ro("n_binaries", of_model<B>([](const B& model) { return model.binaries().size(); }))
      .def_prop_ro("n_retained", of_model<B>([](const B& model) { return model.map().dimension(); }), "Features.")
      .def_prop_ro("n_kernel_evals", of_model<B>([](const B& model) { return model.evaluations(); }))
      .def_prop_ro("n_examples", of_model<B>([](const B& model) { return model.examples(); }), "Examples of positive weight, each counted once.")
      .def_prop_ro("n_steps", of_model<B>([](const B& model) { return model.steps(); }))
      .def_prop_ro("bias", of_each_binary<B>([](const LinearBinaryModel& binary) { return binary.average_bias(); }), "Averaged.");
}

}  // namespace

void bind_linear(nb::module_& module) {
  bind_maps<float>(module, "Map32");
  bind_maps<double>(module, "Map64");
  bind_linear_model<float>(module, "LinearModel32");
  bind_linear_model<double>(module, "LinearModel64");
}

}  // namespace hinge::python
