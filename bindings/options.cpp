#include "options.hpp"

#include <nanobind/stl/string.h>

#include <stdexcept>
#include <string>

#include "bind.hpp"
#include "parallel.hpp"

namespace hinge::python {

namespace nb = nanobind;

namespace {

constexpr std::pair<const char*, Selection> selections[] = {{"random", Selection::random},
                                                            {"gradient", Selection::gradient},
                                                            {"active", Selection::active},
                                                            {"autoactive", Selection::autoactive}};

void set_selection(Options& options, const std::string& name) {
  for (const auto& [known, selection] : selections)
    if (name == known) {
      options.selection = selection;
      return;
    }
  throw std::invalid_argument("unknown selection " + name);
}

std::string selection_of(const Options& options) {
  for (const auto& [name, selection] : selections)
    if (options.selection == selection) return name;
  return {};
}

}  // namespace

void bind_options(nb::module_& module) {
  nb::class_<Options>(module, "Options")
      .def(nb::init<>())
      .def_rw("tolerance", &Options::tolerance)
      .def_rw("second_order", &Options::second_order)
      .def_rw("max_gap", &Options::max_gap)
      .def_rw("max_support", &Options::max_support)
      .def_rw("cache_bytes", &Options::cache_bytes)
      .def_rw("pool_size", &Options::pool_size)
      .def_rw("threads", &Options::threads)
      .def_prop_rw("selection", &selection_of, &set_selection);
  nb::class_<Outcome>(module, "Outcome")
      .def_ro("visited", &Outcome::visited)
      .def_ro("inserted", &Outcome::inserted)
      .def_ro("mistakes", &Outcome::mistakes)
      .def_ro("steps", &Outcome::steps)
      .def_ro("stopped", &Outcome::stopped)
      .def_ro("stalled", &Outcome::stalled);
  nb::class_<Progress>(module, "Progress")
      .def_ro("phase", &Progress::phase)
      .def_ro("seen", &Progress::seen)
      .def_ro("total", &Progress::total)
      .def_ro("mistakes", &Progress::mistakes)
      .def_ro("support", &Progress::support)
      .def_ro("gap", &Progress::gap);
}

}  // namespace hinge::python
