#include "linear_model.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "batch.hpp"
#include "bind.hpp"
#include "model_handle.hpp"

namespace hinge::python {

namespace {

constexpr std::initializer_list<std::pair<const char*, LossKind>> losses = {{"hinge", LossKind::hinge},
                                                                            {"squared_hinge", LossKind::squared_hinge},
                                                                            {"log_loss", LossKind::logistic},
                                                                            {"epsilon_insensitive", LossKind::insensitive},
                                                                            {"squared_epsilon_insensitive", LossKind::squared_insensitive}};

void set_loss(LinearOptions& options, const std::string& wanted, double epsilon) {
  for (const auto& [name, kind] : losses)
    if (wanted == name) {
      options.loss = {kind, epsilon};
      return;
    }
  throw std::invalid_argument("unknown loss " + wanted);
}

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

LinearState state_from(const nb::dict& arrays) {
  LinearState state;
  state.weights = from_dict<double>(arrays, "weights");
  state.average = from_dict<double>(arrays, "average");
  state.bias = from_dict<double>(arrays, "bias");
  state.average_bias = from_dict<double>(arrays, "average_bias");
  const auto clock = from_dict<double>(arrays, "clock");
  if (clock.size() != 9) throw std::invalid_argument("The clock of the saved state does not have nine entries.");
  state.clock = {clock[0], clock[1], clock[2], clock[3], clock[4], clock[5], clock[6], clock[7]};
  state.evaluations = clock[8];
  return state;
}

void require_binaries(const LinearState& state, std::size_t binaries, std::size_t length) {
  if (state.weights.size() != binaries * length || state.average.size() != binaries * length || state.bias.size() != binaries ||
      state.average_bias.size() != binaries)
    throw Refused("The arrays of the saved state do not fit the binaries.");
}

template <class T>
nb::dict to_dict(ModelHandle<LinearModel<T>>& self) {
  LinearState held = self.look([](LinearModel<T>& model) { return model.state(); });
  nb::dict arrays;
  arrays["weights"] = to_numpy(std::move(held.weights));
  arrays["average"] = to_numpy(std::move(held.average));
  arrays["bias"] = to_numpy(std::move(held.bias));
  arrays["average_bias"] = to_numpy(std::move(held.average_bias));
  const Clock& clock = held.clock;
  arrays["clock"] = to_numpy(
      std::vector<double>{clock.steps, clock.examples, clock.owed, clock.averaged, clock.mean, clock.squares, clock.weight,
                          clock.unevenness, held.evaluations});
  return arrays;
}

template <class T>
std::unique_ptr<ModelHandle<LinearModel<T>>> made(MapChoice<T>& chosen, const Vector<double>& penalty, double typical, const LinearOptions& options,
                                            std::size_t classes, const nb::object& arrays) {
  if (!chosen.map) throw std::invalid_argument("This map is in a model already.");
  const std::size_t length = chosen.map->dimension(), binaries = classes > 2 ? classes : 1;
  if (penalty.shape(0) != length) throw std::invalid_argument("There must be a penalty for each feature.");
  const KernelChoice kernel{{}, chosen.function};
  if (arrays.is_none())
    return std::make_unique<ModelHandle<LinearModel<T>>>(
        kernel, std::make_unique<LinearModel<T>>(std::move(chosen.map), copied(penalty), typical, options, classes));
  const LinearState state = state_from(nb::cast<nb::dict>(arrays));
  require_binaries(state, binaries, length);
  return std::make_unique<ModelHandle<LinearModel<T>>>(
      kernel, std::make_unique<LinearModel<T>>(std::move(chosen.map), copied(penalty), typical, options, classes, state));
}

template <class T>
Outcome learn(ModelHandle<LinearModel<T>>& self, const HeldBatch<T>& held, Vector<double> targets, Vector<double> weights, std::int64_t first_id,
              Vector<std::int64_t> order, const nb::object& monitor) {
  require_rows(held, targets, weights, order);
  require_fitting(self.model->map(), held);
  const LinearTrainingBatch<T> training{held.batch, view(targets), view(weights), first_id, view(order)};
  return watched(self, monitor, [&](LinearModel<T>& model, Monitor& watch) { return model.learn(training, watch); });
}

template <class T>
void bind_maps(nb::module_& module, const char* name) {
  nb::class_<MapChoice<T>>(module, name)
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
          nb::arg("batch"), nb::arg("raw") = false);
}

template <class T>
void bind_kernel_model(nb::module_& module, const char* name) {
  using B = LinearModel<T>;
  nb::class_<ModelHandle<B>>(module, name, nb::type_slots(model_slots<B>))
      .def(nb::new_(&made<T>), nb::arg("map"), nb::arg("penalty"), nb::arg("typical"), nb::arg("options"), nb::arg("n_classes"),
           nb::arg("state") = nb::none())
      .def("set_options",
           [](ModelHandle<B>& self, const LinearOptions& options) {
             self.run([&](B& model) { model.set_options(options); return 0; });
           })
      .def("grow", [](ModelHandle<B>& self, std::size_t classes) { self.run([&](B& model) { model.grow(classes); return 0; }); })
      .def("learn", &learn<T>, nb::arg("batch"), nb::arg("targets"), nb::arg("weights"), nb::arg("first_id"), nb::arg("order"),
           nb::arg("monitor") = nb::none())
      .def("predictor", &predictor_of<B>)
      .def("keep", [](ModelHandle<B>& self, std::size_t rows) { return self.run([&](B& model) { return model.keep(rows); }); }, nb::arg("rows"))
      .def("release", [](ModelHandle<B>& self) { self.run([](B& model) { model.release(); return 0; }); })
      .def("state", &to_dict<T>)
      .def("check_invariants", &check_invariants<B>)
      .def("recall",
           [](ModelHandle<B>& self, const nb::dict& arrays) {
             const LinearState state = state_from(arrays);
             self.run([&](B& model) {
               require_binaries(state, model.binaries().size(), model.map().dimension());
               model.recall(state);
               return 0;
             });
           })
      .def_prop_ro("broken", [](ModelHandle<B>& self) { return self.is_broken(); })
      .def_prop_ro("n_binaries", of_model<B>([](const B& model) { return model.binaries().size(); }))
      .def_prop_ro("n_retained", of_model<B>([](const B& model) { return model.map().dimension(); }))
      .def_prop_ro("n_kernel_evals", of_model<B>([](const B& model) { return model.evaluations(); }))
      .def_prop_ro("n_examples", of_model<B>([](const B& model) { return model.examples(); }))
      .def_prop_ro("n_steps", of_model<B>([](const B& model) { return model.steps(); }))
      .def_prop_ro("bias", of_each_binary<B>([](const LinearBinaryModel& binary) { return binary.average_bias(); }));
}

}  // namespace

void bind_linear(nb::module_& module) {
  nb::class_<LinearOptions>(module, "LinearOptions")
      .def(nb::init<>())
      .def("set_loss", &set_loss, nb::arg("name"), nb::arg("epsilon"))
      .def_rw("intercept", &LinearOptions::intercept)
      .def_rw("adaptive", &LinearOptions::adaptive)
      .def_rw("cost", &LinearOptions::cost)
      .def_rw("total", &LinearOptions::total)
      .def_rw("average_share", &LinearOptions::average_share)
      .def_rw("average_steps", &LinearOptions::average_steps)
      .def_rw("planned", &LinearOptions::planned)
      .def_rw("threads", &LinearOptions::threads)
      .def_rw("cache_bytes", &LinearOptions::cache_bytes);
  bind_maps<float>(module, "Map32");
  bind_maps<double>(module, "Map64");
  bind_kernel_model<float>(module, "LinearModel32");
  bind_kernel_model<double>(module, "LinearModel64");
}

}  // namespace hinge::python
