// What models of both kinds have in common on the Python side.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "batch.hpp"
#include "bind.hpp"
#include "exact_model.hpp"
#include "kernel_model.hpp"
#include "process.hpp"

namespace hinge::python {

// A model that one thread at a time may use; the others wait without the interpreter lock.
template <class B>
struct Shared {
  Shared(const KernelChoice& kernel, std::unique_ptr<B> made) : function(kernel.function), model(std::move(made)) {}

  // An exception (of a user's kernel function) may leave a model half-way through a step, where it must not be used again.
  template <class Work>
  auto run(Work work, bool changes = true) {
    // Python runs signal handlers, and kernels of the user, in the middle of our work: they must not wait for themselves.
    if (owner == std::this_thread::get_id()) throw std::runtime_error("The model is busy: it cannot be used from inside its own work.");
    renew_after_fork();
    const Presence present;
    const nb::gil_scoped_release release;
    const std::lock_guard guard(*lock);
    const Ownership own(owner);
    changing = changes;
    if (broken) throw std::runtime_error("The model cannot be used after an error in the middle of learning; restore a copy.");
    try {
      return work(*model);
    } catch (const Refused&) {
      throw;
    } catch (...) {
      broken = true;
      throw;
    }
  }

  // The same for work that changes nothing that an exception could leave half done.
  template <class Work>
  auto look(Work work, bool changes = true) {
    std::exception_ptr raised;
    auto found = run([&](B& inside) {
      std::optional<std::invoke_result_t<Work, B&>> result;
      try {
        result = work(inside);
      } catch (...) {
        raised = std::current_exception();
      }
      return result;
    }, changes);
    if (raised) std::rethrow_exception(raised);
    return *std::move(found);
  }

  // The thread that held the lock does not exist in a child process, and may have left something half done.
  void renew_after_fork() {
    if (seen_forks == forks()) return;
    seen_forks = forks();
    broken = broken || (changing && owner != std::thread::id());
    owner = std::thread::id();
    static_cast<void>(lock.release());  // a lock that is held must not be destroyed
    lock = std::make_unique<std::mutex>();
  }

  struct Ownership {
    explicit Ownership(std::atomic<std::thread::id>& place) : owner(place) { owner = std::this_thread::get_id(); }
    ~Ownership() { owner = std::thread::id(); }
    std::atomic<std::thread::id>& owner;
  };

  nb::object function;  // keeps the user's kernel function alive, where the garbage collector sees it
  std::unique_ptr<B> model;
  std::unique_ptr<std::mutex> lock = std::make_unique<std::mutex>();
  std::atomic<std::thread::id> owner{};
  std::atomic<bool> changing{false}, broken{false};
  std::size_t seen_forks = forks();
};

template <class B>
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<Shared<B>>(self)->function.ptr());
  return 0;
}

template <class B>
int clear(PyObject* self) {
  nb::inst_ptr<Shared<B>>(self)->function.reset();
  return 0;
}

// The question that a long call asks a few times per second; None asks nothing.
class Question : public nb::object {
 public:
  static bool is_question(PyObject* object) { return object == Py_None || PyCallable_Check(object); }
  NB_OBJECT(Question, nb::object, "Monitor", is_question)
};

// Runs the work without the interpreter lock. A few times a second Python is asked for signals and for the caller's wish; whatever it
// raises is kept until the work has stopped at a consistent point.
template <class B, class Work>
auto watched(Shared<B>& self, const nb::object& asked, Work work) {
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

// A model never changes its features or its storage.
template <class B, class T>
void require_fitting(const Shared<B>& self, const HeldBatch<T>& held) {
  if (held.batch.features != self.model->points().features() || held.batch.sparse != self.model->points().sparse())
    throw std::invalid_argument("The batch does not have the features or the storage of this model.");
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
Outcome learn(Shared<B>& self, const HeldBatch<T>& held, Vector<std::int32_t> labels, Vector<double> costs,
              std::int64_t first_id, Vector<std::int64_t> order, std::uint64_t seed, const Question& monitor) {
  require_rows(held, labels, costs, order);
  require_fitting(self, held);
  const TrainingBatch<T> training{held.batch, view(labels), view(costs), first_id, view(order), seed};
  return watched(self, monitor, [&](B& model, Monitor& watch) { return model.learn(training, watch); });
}

template <class B, class T>
NumpyArray<double> decisions_of(Shared<B>& self, const HeldBatch<T>& held, std::size_t threads) {
  const std::size_t rows = held.batch.count;
  std::vector<double> decisions;
  const std::size_t binaries = self.look([&](B& model) {
    self.changing = !model.settled();
    decisions.resize(rows * model.binaries().size());
    model.decide(held.batch, decisions, threads);
    return model.binaries().size();
  }, false);
  return to_numpy(std::move(decisions), {rows, binaries});
}

template <class B, class T>
NumpyArray<double> decide(Shared<B>& self, const HeldBatch<T>& held, std::size_t threads) {
  require_fitting(self, held);
  return decisions_of(self, held, threads);
}

// One number of every binary.
template <class B, class Number = double, class Measure>
auto of_each_binary(Measure measure) {
  return [measure](Shared<B>& self) {
    std::vector<Number> values;
    self.look([&](B& model) {
      for (const auto& binary : model.binaries()) values.push_back(static_cast<Number>(measure(binary)));
      return 0;
    });
    return to_numpy(std::move(values));
  };
}

// One number of the model.
template <class B, class Measure>
auto of_model(Measure measure) {
  return [measure](Shared<B>& self) { return self.look([&](B& model) { return measure(model); }); };
}

template <class B>
void check_invariants(Shared<B>& self) {
  self.look([](B& model) { model.check_invariants(); return 0; });
}

template <class B>
inline PyType_Slot shared_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(&traverse<B>)},
                                     {Py_tp_clear, reinterpret_cast<void*>(&clear<B>)},
                                     {0, nullptr}};

}  // namespace hinge::python
