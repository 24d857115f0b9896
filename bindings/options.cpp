#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "exact_model.hpp"
#include "fields.hpp"
#include "parallel.hpp"
#include "solvers/schedule.hpp"
#include "solvers/solver.hpp"

namespace hinge::python {

namespace {

constexpr const char* memory_doc = "Arrays of a saved state in which the solvers remember what they did: numbers per binary model.";

nb::dict widths_of(const SolverMemory& memory) {
  nb::dict widths;
  for (const MemoryArray& array : memory) widths[array.name.c_str()] = array.width;
  return widths;
}

// Options of a solver, for which a KernelModel makes solvers.
template <class Options>
void bind_solver_options(nb::module_& module) {
  bind_options<Options>(module)
      .def_prop_ro("biased", [](const Options&) { return Options::biased; }, "Binary models have a bias.")
      .def_prop_ro(
          "memory",
          [](const Options& self) { return widths_of(SolverFactory<double>(self).empty_memory()); },
          nb::sig("def memory(self) -> dict[str, int]"), memory_doc);
}

template <class... Options>
void bind_all(nb::module_& module, const std::variant<Options...>*) {
  (bind_solver_options<Options>(module), ...);
}

nb::dict schedule_memory() {
  nb::dict widths;
  std::apply([&](const auto&... fields) { ((widths[fields.name] = 1), ...); }, ScheduleMemory::fields);
  return widths;
}

}  // namespace

void bind_options(nb::module_& module) {
  bind_all(module, static_cast<const SolverOptions*>(nullptr));
  bind_options<ExactOptions>(module)
      .def_prop_ro("biased", [](const ExactOptions&) { return ExactOptions::biased; }, "Binary models have a bias.")
      .def_prop_ro("memory", [](const ExactOptions&) { return widths_of(ExactModel::empty_memory()); }, nb::sig("def memory(self) -> dict[str, int]"), memory_doc);
  bind_options<LinearOptions>(module)
      .def_prop_ro("memory", [](const LinearOptions&) { return schedule_memory(); }, nb::sig("def memory(self) -> dict[str, int]"), memory_doc);
  nb::class_<Outcome>(module, "Outcome", "How one call to `learn` or `finish` went.")
      .def_ro("visited", &Outcome::visited, "Examples shown to the binary models; with active selection fewer than were given.")
      .def_ro("reached", &Outcome::reached, "Rows of the order, from the first, that need not be given again after a stop.")
      .def_ro("inserted", &Outcome::inserted, "Times that an example entered a binary model.")
      .def_ro("mistakes", &Outcome::mistakes, "Examples misclassified before they were learned.")
      .def_prop_ro("mistakes_at", [](const Outcome& outcome) { return to_numpy(outcome.mistakes_at); },
                   "Which of the examples visited were misclassified, counted from 0.")
      .def_prop_ro("recorded_rows", [](const Outcome& outcome) { return to_numpy(outcome.log.rows); },
                   "The last rows visited, as many as were to be recorded.")
      .def_prop_ro("recorded_decisions", [](const Outcome& outcome) { return to_numpy(outcome.log.values, {outcome.log.rows.size(), outcome.log.columns}); },
                   "Their decision values before they were learned, one column per binary model.")
      .def_ro("steps", &Outcome::steps, "Steps of a coefficient or a pair of them.")
      .def_ro("stopped", &Outcome::stopped, "The monitor asked to stop.")
      .def_ro("stalled", &Outcome::stalled, "A limit on steps was reached before the tolerance.");
  nb::class_<Progress>(module, "Progress", "What the monitor is shown a few times per second.")
      .def_ro("phase", &Progress::phase, "learn, finish or steps.")
      .def_ro("seen", &Progress::seen, "Examples of this call seen so far.")
      .def_ro("total", &Progress::total, "Examples of this call.")
      .def_ro("mistakes", &Progress::mistakes, "Examples misclassified before they were learned.")
      .def_ro("support", &Progress::support, "Examples held.")
      .def_ro("measure", &Progress::measure, "Largest violation of a binary model, or the mean loss of linear models.");
}

}  // namespace hinge::python
