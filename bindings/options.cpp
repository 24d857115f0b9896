#include "options.hpp"

#include <nanobind/stl/string.h>

#include <stdexcept>
#include <string>

#include "bind.hpp"
#include "parallel.hpp"

namespace hinge::python {

namespace nb = nanobind;

namespace {

template <class Choice>
using Names = std::initializer_list<std::pair<const char*, Choice>>;

constexpr Names<Selection> selections = {{"random", Selection::random},
                                         {"gradient", Selection::gradient},
                                         {"active", Selection::active},
                                         {"autoactive", Selection::autoactive}};
constexpr Names<Algorithm> algorithms = {{"lasvm", Algorithm::lasvm},
                                         {"robust", Algorithm::robust},
                                         {"tracking", Algorithm::tracking},
                                         {"perceptron", Algorithm::perceptron},
                                         {"incremental", Algorithm::incremental}};
constexpr Names<Problem> problems = {{"classifier", Problem::classifier}, {"plane", Problem::plane}, {"sphere", Problem::sphere}};
constexpr Names<Loss> losses = {{"hinge", Loss::hinge}, {"ramp", Loss::ramp}, {"ignore", Loss::ignore}, {"full", Loss::full}};

// A choice that Python sees as a word.
template <class Choice>
void bind_choice(nb::class_<Options>& options, const char* attribute, Choice Options::* member, const Names<Choice>& names) {
  options.def_prop_rw(
      attribute,
      [member, &names](const Options& self) -> std::string {
        for (const auto& [name, choice] : names)
          if (self.*member == choice) return name;
        return {};
      },
      [member, &names, attribute](Options& self, const std::string& wanted) {
        for (const auto& [name, choice] : names)
          if (wanted == name) {
            self.*member = choice;
            return;
          }
        throw std::invalid_argument(std::string("unknown ") + attribute + " " + wanted);
      });
}

}  // namespace

void bind_options(nb::module_& module) {
  nb::class_<Options> options(module, "Options");
  options.def(nb::init<>())
      .def_rw("tolerance", &Options::tolerance)
      .def_rw("second_order", &Options::second_order)
      .def_rw("max_gap", &Options::max_gap)
      .def_rw("max_support", &Options::max_support)
      .def_rw("max_steps", &Options::max_steps)
      .def_rw("cache_bytes", &Options::cache_bytes)
      .def_rw("pool_size", &Options::pool_size)
      .def_rw("threads", &Options::threads)
      .def_rw("ramp", &Options::ramp)
      .def_rw("warmup", &Options::warmup)
      .def_rw("max_idle", &Options::max_idle)
      .def_rw("clean_every", &Options::clean_every)
      .def_rw("n_steps", &Options::n_steps)
      .def_rw("process", &Options::process)
      .def_rw("keep_all", &Options::keep_all)
      .def_rw("average", &Options::average)
      .def_rw("seed", &Options::seed)
      .def_rw("margin", &Options::margin)
      .def_rw("nu", &Options::nu)
      .def_rw("most_total", &Options::most_total)
      .def_rw("max_examples", &Options::max_examples)
      .def_rw("oldest_first", &Options::oldest_first);
  bind_choice(options, "algorithm", &Options::algorithm, algorithms);
  bind_choice(options, "selection", &Options::selection, selections);
  bind_choice(options, "problem", &Options::problem, problems);
  bind_choice(options, "loss", &Options::loss, losses);
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
