// What models of both kinds have in common on the Python side.
#pragma once

#include <nanobind/stl/optional.h>

#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "batch.hpp"
#include "bind.hpp"
#include "exact_model.hpp"
#include "kernel_model.hpp"
#include "predictor_handle.hpp"
#include "process.hpp"

namespace hinge::python {

// A model behind Python. One call at a time may use it: the estimator guarantees that with its lock, and a second call, from another thread or
// from the user's kernel function, raises an error. Predictors answer while the model learns.
template <class B>
struct ModelHandle {
  ModelHandle(const KernelChoice& kernel, std::unique_ptr<B> made) : function(kernel.function), model(std::move(made)) {}

  // Changes the model. An exception (of a user's kernel function) may leave it half-way through a step, where it must not be used again.
  template <class Work>
  auto run(Work work) {
    const Use use(*this, true);
    predictor.reset();  // before the work: rows that nobody else looks at are changed in place
    const Presence present;
    const nb::gil_scoped_release release;
    try {
      return work(*model);
    } catch (const Refused&) {
      throw;
    } catch (...) {
      broken = true;
      throw;
    }
  }

  // Changes the model all at once, or, after an exception, not at all.
  template <class Work>
  void revise(Work work) {
    const Use use(*this);
    predictor.reset();
    const Presence present;
    const nb::gil_scoped_release release;
    work(*model);
  }

  // Looks at the model. An exception leaves it usable.
  template <class Work>
  auto look(Work work) {
    const Use use(*this);
    const Presence present;
    const nb::gil_scoped_release release;
    return work(std::as_const(*model));
  }

  // Reads a few numbers, with the interpreter lock held.
  template <class Work>
  auto read(Work work) {
    const Use use(*this);
    return work(std::as_const(*model));
  }

  // True after an exception in the middle of a change, and in a child process if another thread was changing the model when it was forked.
  bool is_broken() {
    if (user != nobody && user != this_process()) {
      user = nobody;
      if (is_changing) broken = true;
    }
    return broken;
  }

  // Marks the model as used by a call, from construction to destruction; both happen with the interpreter lock held.
  class Use {
   public:
    explicit Use(ModelHandle& handle, bool changes = false) : handle_(handle) {
      if (handle.is_broken())
        throw std::runtime_error("The model cannot be used after an error in the middle of learning; restore a copy.");
      if (handle.user.exchange(this_process()) != nobody)
        throw std::runtime_error("The model is busy: it cannot be used while another call, or its own kernel function, is at work in it.");
      handle.is_changing = changes;
    }
    ~Use() { handle_.user = nobody; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    ModelHandle& handle_;
  };

  static constexpr std::size_t nobody = 0;
  // A number that neither the parent of this process nor a child of it has.
  static std::size_t this_process() { return forks() + 1; }

  nb::object function;  // keeps the user's kernel function alive, where the garbage collector sees it
  std::unique_ptr<B> model;
  decltype(std::declval<B&>().predictor()) predictor;  // of the model as it is now, once it was asked for
  std::atomic<std::size_t> user{nobody};               // the process whose call uses the model
  std::atomic<bool> is_changing{false};                // that call does, and leaves the model half-way if its thread vanishes
  std::atomic<bool> broken{false};
  std::optional<Outcome> outcome;  // of the last call to `learn`, until it is taken
};

// The question that a long call asks a few times per second; None asks nothing.
class Question : public nb::object {
 public:
  static bool is_question(PyObject* object) { return object == Py_None || PyCallable_Check(object); }
  NB_OBJECT(Question, nb::object, "Monitor", is_question)
};

// Runs the work without the interpreter lock. A few times per second it checks for signals and asks the caller whether to continue;
// whatever these raise is kept until the work has stopped at a consistent point.
template <class B, class Work>
auto watched(ModelHandle<B>& self, const nb::object& asked, Work work) {
  std::exception_ptr raised;
  Monitor monitor([&](const Progress& progress) {
    const nb::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      return !is_closing() && (asked.is_none() || nb::cast<bool>(asked(progress)));
    } catch (...) {
      raised = std::current_exception();
      return false;
    }
  });
  const auto outcome = self.run([&](B& model) { return work(model, monitor); });
  if (raised) std::rethrow_exception(raised);
  return outcome;
}

// Learns rows. How far that went can be asked for afterwards, since a call that Ctrl-C stopped returns nothing.
template <class B, class Training>
Outcome learn_watched(ModelHandle<B>& self, const Training& training, const nb::object& monitor) {
  return watched(self, monitor, [&](B& model, Monitor& watch) {
    self.outcome.emplace().reached = training.order.size();  // unless an error hides where it stopped
    return self.outcome.emplace(model.learn(training, watch));
  });
}

constexpr const char* take_outcome_doc = "Return how the last call to `learn` went, also if it was stopped; None if this has been asked before.";

template <class B>
std::optional<Outcome> take_outcome(ModelHandle<B>& self) {
  return std::exchange(self.outcome, std::nullopt);
}

// A label and a cost for every row, and an order of rows that are there.
template <class T, class Label>
void require_rows(const HeldBatch<T>& held, const Vector<Label>& labels, const Vector<double>& costs, const Vector<std::int64_t>& order) {
  const std::size_t rows = held.batch.count;
  if (labels.shape(0) != rows || costs.shape(0) != rows)
    throw std::invalid_argument("Labels and costs must have one entry for each row of the batch.");
  for (const std::int64_t row : view(order))
    if (row < 0 || static_cast<std::size_t>(row) >= rows) throw std::invalid_argument("The order names a row that is not there.");
}

template <class B, class T>
Outcome learn(ModelHandle<B>& self, const HeldBatch<T>& held, Vector<std::int32_t> labels, Vector<double> costs,
              std::int64_t first_id, Vector<std::int64_t> order, std::uint64_t seed, const Question& monitor, bool scored,
              std::size_t recorded) {
  require_rows(held, labels, costs, order);
  require_fitting(self.model->points(), held);
  const TrainingBatch<T> training{held.batch, view(labels), view(costs), first_id, view(order), seed, scored, recorded};
  return learn_watched(self, training, monitor);
}

// The predictor of a model as it is; the same one until something changes the model.
template <class B>
auto predictor_of(ModelHandle<B>& self) {
  if (!self.predictor) self.predictor = self.look([](const B& model) { return model.predictor(); });
  return PredictorHandle{self.function, self.predictor};
}

// One number of every binary.
template <class B, class Number = double, class Measure>
auto of_each_binary(Measure measure) {
  return [measure](ModelHandle<B>& self) {
    return to_numpy(self.read([&](const B& model) {
      std::vector<Number> values;
      for (const auto& binary : model.binaries()) values.push_back(static_cast<Number>(measure(binary)));
      return values;
    }));
  };
}

// One number of the model.
template <class B, class Measure>
auto of_model(Measure measure) {
  return [measure](ModelHandle<B>& self) { return self.read([&](const B& model) { return measure(model); }); };
}

// The gradients between which the bias lies, of every binary.
template <class B, class Measure>
auto extremes_of(Measure measure) {
  return [measure](ModelHandle<B>& self) {
    std::vector<double> values = self.read([&](const B& model) {
      std::vector<double> found;
      for (const auto& binary : model.binaries()) {
        const auto [bottom, top] = measure(binary);
        found.insert(found.end(), {bottom, top});
      }
      return found;
    });
    const std::size_t binaries = values.size() / 2;
    return to_numpy(std::move(values), {binaries, 2});
  };
}

constexpr const char* predictor_doc = "Return what the model knows now as a predictor, which stays the same while the model continues to learn.";
constexpr const char* broken_doc = "True after an exception in the middle of a change: the model cannot be used any more.";

template <class B>
void check_invariants(ModelHandle<B>& self) {
  self.look([](const B& model) { return model.check_invariants(); });
}

template <class B>
inline PyType_Slot model_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(&traverse<ModelHandle<B>>)},
                                    {Py_tp_clear, reinterpret_cast<void*>(&clear<ModelHandle<B>>)},
                                    {0, nullptr}};

}  // namespace hinge::python
