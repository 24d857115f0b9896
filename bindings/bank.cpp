#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>

#include <nanobind/stl/unique_ptr.h>

#include "arrays.hpp"
#include "batch.hpp"
#include "bind.hpp"
#include "duality.hpp"
#include "one_vs_rest.hpp"

namespace hinge::python {

namespace {

// A bank that one thread at a time may use; the others wait without the interpreter lock.
template <class T>
struct SharedBank {
  SharedBank(const KernelChoice& kernel, std::unique_ptr<Bank<T>> made) : function(kernel.function), bank(std::move(made)) {}

  // An exception (of a user's kernel function) may leave a bank half-way through a step, where it must not be used again.
  template <class Work>
  auto run(Work work) {
    // Python runs signal handlers, and kernels of the user, in the middle of our work: they must not wait for themselves.
    if (owner == std::this_thread::get_id()) throw std::runtime_error("The model is busy: it cannot be used from inside its own work.");
    const nb::gil_scoped_release release;
    const std::lock_guard guard(lock);
    const Ownership own(owner);
    if (broken) throw std::runtime_error("The model cannot be used after an error in the middle of learning; restore a copy.");
    try {
      return work(*bank);
    } catch (...) {
      broken = true;
      throw;
    }
  }

  struct Ownership {
    explicit Ownership(std::atomic<std::thread::id>& place) : owner(place) { owner = std::this_thread::get_id(); }
    ~Ownership() { owner = std::thread::id(); }
    std::atomic<std::thread::id>& owner;
  };

  nb::object function;  // keeps the user's kernel function alive, where the garbage collector sees it
  std::unique_ptr<Bank<T>> bank;
  std::mutex lock;
  std::atomic<std::thread::id> owner{};
  bool broken = false;
};

template <class T>
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<SharedBank<T>>(self)->function.ptr());
  return 0;
}

template <class T>
int clear(PyObject* self) {
  nb::inst_ptr<SharedBank<T>>(self)->function.reset();
  return 0;
}

// Runs the work without the interpreter lock. A few times a second Python is asked for signals and for the caller's wish; whatever it
// raises is kept until the work has stopped at a consistent point.
template <class T, class Work>
auto watched(SharedBank<T>& self, const nb::object& asked, Work work) {
  std::exception_ptr raised;
  Monitor monitor([&](const Progress& progress) {
    const nb::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      return asked.is_none() || nb::cast<bool>(asked(progress));
    } catch (...) {
      raised = std::current_exception();
      return false;
    }
  });
  const auto outcome = self.run([&](Bank<T>& bank) { return work(bank, monitor); });
  if (raised) std::rethrow_exception(raised);
  return outcome;
}

// A bank never changes its features or its storage.
template <class T>
void require_fitting(const SharedBank<T>& self, const HeldBatch<T>& held) {
  if (held.batch.features != self.bank->points().features() || held.batch.sparse != self.bank->points().sparse())
    throw std::invalid_argument("The batch does not have the features or the storage of this bank.");
}

template <class T>
Outcome learn(SharedBank<T>& self, const HeldBatch<T>& held, Vector<std::int32_t> labels, Vector<double> costs,
              std::int64_t first_id, Vector<std::int64_t> order, std::uint64_t seed, const nb::object& monitor) {
  const std::size_t rows = held.batch.count;
  if (labels.shape(0) != rows || costs.shape(0) != rows)
    throw std::invalid_argument("Labels and costs must have one entry for each row of the batch.");
  for (const std::int64_t row : view(order))
    if (row < 0 || static_cast<std::size_t>(row) >= rows) throw std::invalid_argument("The order names a row that is not there.");
  require_fitting(self, held);
  const Lesson<T> lesson{held.batch, view(labels), view(costs), first_id, view(order), seed};
  return watched(self, monitor, [&](Bank<T>& bank, Monitor& watch) { return bank.learn(lesson, watch); });
}

template <class T>
nb::object decide(SharedBank<T>& self, const HeldBatch<T>& held, std::size_t threads) {
  require_fitting(self, held);
  const std::size_t rows = held.batch.count;
  std::vector<double> decisions;
  const std::size_t machines = self.run([&](Bank<T>& bank) {
    decisions.resize(rows * bank.machines().size());
    bank.decide(held.batch, decisions, threads);
    return bank.machines().size();
  });
  return to_numpy(std::move(decisions), {rows, machines});
}

template <class T>
nb::object kernel_values(SharedBank<T>& self, const HeldBatch<T>& held) {
  require_fitting(self, held);
  std::vector<T> values;
  std::size_t retained = 0;
  self.run([&](Bank<T>& bank) {
    bank.tidy();
    retained = bank.points().size();
    values.resize(held.batch.count * retained);
    bank.kernel_values(held.batch, values);
    return 0;
  });
  return to_numpy(std::move(values), {held.batch.count, retained});
}

template <class T>
nb::object coefficients(SharedBank<T>& self) {
  std::vector<double> values;
  std::size_t retained = 0, count = 0;
  self.run([&](Bank<T>& bank) {
    bank.tidy();
    retained = bank.points().size();
    count = bank.machines().size();
    values.assign(count * retained, 0.0);
    for (std::size_t m = 0; m < count; ++m) {
      const auto& machine = bank.machines()[m];
      for (std::size_t i = 0; i < machine.slots.size(); ++i)
        values[m * retained + machine.slots[i]] = machine.expansion.alpha[i];
    }
    return 0;
  });
  return to_numpy(std::move(values), {count, retained});
}

template <class T>
nb::dict state(SharedBank<T>& self) {
  BankState<T> held = self.run([](Bank<T>& bank) { return bank.state(); });
  const bool sparse = self.bank->points().sparse();
  const std::size_t count = held.ids.size(), features = self.bank->points().features();
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
BankState<T> state_from(const nb::dict& arrays, bool sparse) {
  BankState<T> state;
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
void require_columns(const BankState<T>& state, std::size_t features, bool sparse) {
  const auto has_column = [&](std::int64_t id) { return id >= 0 && static_cast<std::size_t>(id) < features; };
  if (sparse || !std::all_of(state.ids.begin(), state.ids.end(), has_column))
    throw std::invalid_argument("An example of the saved state has no column among the kernel values.");
}

template <class T>
std::unique_ptr<SharedBank<T>> restore(const KernelChoice& kernel, const Options& options, std::size_t features,
                                       bool sparse, std::size_t classes, const nb::dict& arrays) {
  const BankState<T> state = state_from<T>(arrays, sparse);
  state.check(features, sparse, classes);
  if (kernel.parameters.kind == KernelKind::precomputed) require_columns(state, features, sparse);
  return std::make_unique<SharedBank<T>>(
      kernel, std::make_unique<Bank<T>>(make_kernel<T>(kernel), options, features, sparse, classes, state));
}

// One number of every machine.
template <class T, class Measure>
auto of_each_machine(Measure measure) {
  return [measure](SharedBank<T>& self) {
    std::vector<double> values;
    self.run([&](Bank<T>& bank) {
      for (const auto& machine : bank.machines()) values.push_back(measure(machine));
      return 0;
    });
    return to_numpy(std::move(values));
  };
}

template <class T>
nb::object extremes(SharedBank<T>& self) {
  std::vector<double> values;
  self.run([&](Bank<T>& bank) {
    for (const auto& machine : bank.machines()) values.insert(values.end(), {machine.bottom(), machine.top()});
    return 0;
  });
  const std::size_t machines = values.size() / 2;
  return to_numpy(std::move(values), {machines, 2});
}

template <class T>
void bind_measures(nb::class_<SharedBank<T>>& bound) {
  const auto count = [](auto measure) {
    return [measure](SharedBank<T>& self) { return self.run([&](Bank<T>& bank) { return measure(bank); }); };
  };
  bound.def_prop_ro("n_machines", count([](Bank<T>& bank) { return bank.machines().size(); }))
      .def_prop_ro("n_retained", count([](Bank<T>& bank) { return bank.points().size() - bank.points().dead(); }))
      .def_prop_ro("n_kernel_evals", count([](Bank<T>& bank) { return bank.kernel_evals(); }))
      .def_prop_ro("n_steps", count([](Bank<T>& bank) { return bank.steps(); }))
      .def_prop_ro("bias", of_each_machine<T>([](const Machine<T>& machine) { return machine.bias(); }))
      .def_prop_ro("gap", of_each_machine<T>([](const Machine<T>& machine) { return std::max(machine.gap(), 0.0); }))
      .def_prop_ro("extremes", &extremes<T>)
      .def_prop_ro("dual_objective",
                   of_each_machine<T>([](const Machine<T>& machine) { return dual_objective(machine.expansion); }))
      .def_prop_ro("duality_gap",
                   of_each_machine<T>([](const Machine<T>& machine) { return duality_gap(machine.expansion, machine.biased()); }))
      .def_prop_ro("squared_norm",
                   of_each_machine<T>([](const Machine<T>& machine) { return squared_norm(machine.expansion); }));
}

template <class T>
void bind_bank(nb::module_& module, const char* name) {
  static PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(&traverse<T>)},
                                {Py_tp_clear, reinterpret_cast<void*>(&clear<T>)},
                                {0, nullptr}};
  nb::class_<SharedBank<T>> bound(module, name, nb::type_slots(slots));
  bound
      .def(
          "__init__",
          [](SharedBank<T>* self, const KernelChoice& kernel, const Options& options, std::size_t features, bool sparse,
             std::size_t classes) {
            new (self) SharedBank<T>(
                kernel, std::make_unique<Bank<T>>(make_kernel<T>(kernel), options, features, sparse, classes));
          },
          nb::arg("kernel"), nb::arg("options"), nb::arg("n_features"), nb::arg("sparse"), nb::arg("n_classes"))
      .def("set_options",
           [](SharedBank<T>& self, const Options& options) {
             self.run([&](Bank<T>& bank) { bank.set_options(options); return 0; });
           })
      .def("grow",
           [](SharedBank<T>& self, std::size_t classes) {
             self.run([&](Bank<T>& bank) { bank.grow(classes); return 0; });
           })
      .def("learn", &learn<T>, nb::arg("batch"), nb::arg("labels"), nb::arg("costs"), nb::arg("first_id"),
           nb::arg("order"), nb::arg("seed") = 0, nb::arg("monitor") = nb::none())
      .def(
          "finish",
          [](SharedBank<T>& self, const nb::object& monitor) {
            return watched(self, monitor, [](Bank<T>& bank, Monitor& watch) { return bank.finish(watch); });
          },
          nb::arg("monitor") = nb::none())
      .def("polish",
           [](SharedBank<T>& self) {
             watched(self, nb::none(), [](Bank<T>& bank, Monitor& watch) { bank.polish_all(watch); return 0; });
           })
      .def("decide", &decide<T>, nb::arg("batch"), nb::arg("threads") = 1)
      .def("kernel_values", &kernel_values<T>, nb::arg("batch"))
      .def("coefficients", &coefficients<T>)
      .def("state", &state<T>)
      .def_static("restore", &restore<T>, nb::arg("kernel"), nb::arg("options"), nb::arg("n_features"),
                  nb::arg("sparse"), nb::arg("n_classes"), nb::arg("state"));
  bind_measures<T>(bound);
}

}  // namespace

void bind_banks(nb::module_& module) {
  bind_bank<float>(module, "Bank32");
  bind_bank<double>(module, "Bank64");
}

}  // namespace hinge::python
