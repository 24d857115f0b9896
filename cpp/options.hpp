// What the caller may choose: one plain struct per algorithm.
//
// Each struct names its fields once, beside its members. The bindings make the keyword constructor, read access, `replace` and `to_dict` of the
// Python class from that list, so an option is spelled nowhere else. An empty std::optional (None in Python) means "no bound".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <variant>
#include <vector>

#include "decision_log.hpp"

namespace hinge {

// A member of an options struct as Python sees it.
template <class Owner, class Value>
struct Field {
  const char* name;
  Value Owner::* member;
  const char* doc;
};

// A value of an enumeration as Python sees it. An overload of `words`, found by the type of the enumeration, lists them.
template <class Choice>
struct Word {
  const char* name;
  Choice choice;
};

// Which example LASVM looks at next.
enum class Selection { random, gradient, active, autoactive };
constexpr auto words(Selection) {
  return std::array{Word{"random", Selection::random}, Word{"gradient", Selection::gradient}, Word{"active", Selection::active},
                    Word{"autoactive", Selection::autoactive}};
}

// What a selection does once its candidates lie outside the margin (see select.hpp).
enum class WhenConfident { visit, draw, stop };
constexpr auto words(WhenConfident) {
  return std::array{Word{"visit", WhenConfident::visit}, Word{"draw", WhenConfident::draw}, Word{"stop", WhenConfident::stop}};
}

// The variants G, NC, I and FULL of solvers/robust.hpp.
enum class RobustLoss { hinge, ramp, ignore, full };
constexpr auto words(RobustLoss) {
  return std::array{Word{"hinge", RobustLoss::hinge}, Word{"ramp", RobustLoss::ramp}, Word{"ignore", RobustLoss::ignore},
                    Word{"full", RobustLoss::full}};
}

// What solvers/exact_binary_model.hpp solves.
enum class Problem { classifier, plane, sphere };
constexpr auto words(Problem) {
  return std::array{Word{"classifier", Problem::classifier}, Word{"plane", Problem::plane}, Word{"sphere", Problem::sphere}};
}

// Which example a full window of an exact model evicts (see solvers/window.hpp).
enum class Eviction { balanced, relevance, weight, age };
constexpr auto words(Eviction) {
  return std::array{Word{"balanced", Eviction::balanced}, Word{"relevance", Eviction::relevance}, Word{"weight", Eviction::weight},
                    Word{"age", Eviction::age}};
}

// Which member a full perceptron evicts (see solvers/budget.hpp).
enum class BudgetRule { balanced, margin };
constexpr auto words(BudgetRule) { return std::array{Word{"balanced", BudgetRule::balanced}, Word{"margin", BudgetRule::margin}}; }

// Losses of one example in a linear model; the formulas: solvers/losses.hpp.
enum class LossKind { hinge, squared_hinge, logistic, insensitive, squared_insensitive };
constexpr auto words(LossKind) {
  return std::array{Word{"hinge", LossKind::hinge}, Word{"squared_hinge", LossKind::squared_hinge}, Word{"log_loss", LossKind::logistic},
                    Word{"epsilon_insensitive", LossKind::insensitive},
                    Word{"squared_epsilon_insensitive", LossKind::squared_insensitive}};
}

// How long the steps of a linear model are; the formulas: solvers/averaged_sgd.hpp.
enum class StepRule { adaptive, asset, asset_star };
constexpr auto words(StepRule) {
  return std::array{Word{"adaptive", StepRule::adaptive}, Word{"asset", StepRule::asset}, Word{"asset*", StepRule::asset_star}};
}

// How several classes become binary models (see class_scheme.hpp).
enum class MultiClass { ovr, ovo };
constexpr auto words(MultiClass) {
  return std::array{Word{"ovr", MultiClass::ovr}, Word{"ovo", MultiClass::ovo}};
}

// What every model needs to run, whatever it solves.
struct RunOptions {
  std::size_t cache_bytes = 200'000'000;
  std::size_t threads = 1;

  static constexpr auto fields = std::tuple{Field{"cache_bytes", &RunOptions::cache_bytes, "Memory for kernel values or features."},
                                            Field{"threads", &RunOptions::threads, "Threads that may work at the same time."}};
  bool operator==(const RunOptions&) const = default;
};

// What every kernel model needs.
struct KernelOptions : RunOptions {
  MultiClass multi_class = MultiClass::ovr;

  static constexpr auto fields = std::tuple_cat(
      RunOptions::fields,
      std::tuple{Field{"multi_class", &KernelOptions::multi_class, "ovr: a binary model for each class; ovo: for each pair of classes."}});
  bool operator==(const KernelOptions&) const = default;
};

struct LasvmOptions : KernelOptions {
  double tolerance = 1e-3;
  std::optional<double> max_gap;
  bool upkeep = false;
  std::optional<std::size_t> max_support;
  bool streaming = true;
  std::optional<double> half_life;
  std::optional<std::size_t> max_steps;
  bool second_order = true;
  Selection selection = Selection::random;
  std::size_t pool_size = 50;
  WhenConfident when_confident = WhenConfident::visit;
  std::optional<std::size_t> max_visits;

  static constexpr const char* name = "LasvmOptions";
  static constexpr const char* doc = "Options of LASVM.";
  static constexpr bool biased = true;  // coefficients sum to zero and move in pairs
  static constexpr auto fields = std::tuple_cat(
      KernelOptions::fields,
      std::tuple{Field{"tolerance", &LasvmOptions::tolerance, "Violation of a pair that is worth a step (tau)."},
                 Field{"max_gap", &LasvmOptions::max_gap, "Repeat REPROCESS while the gap is wider (delta_max); None: once per example."},
                 Field{"upkeep", &LasvmOptions::upkeep, "Stay near the optimum after every example, instead of max_gap."},
                 Field{"max_support", &LasvmOptions::max_support, "Members that a binary model may keep."},
                 Field{"streaming", &LasvmOptions::streaming, "Later rows are younger; else all rows are equally old."},
                 Field{"half_life", &LasvmOptions::half_life, "Rows after which an example of a stream counts half; None: it counts forever."},
                 Field{"max_steps", &LasvmOptions::max_steps, "Steps of one finishing; None: as many as it takes, within reason."},
                 Field{"second_order", &LasvmOptions::second_order, "Finishing chooses pairs by second-order information."},
                 Field{"selection", &LasvmOptions::selection, "Which example comes next: random, gradient, active or autoactive."},
                 Field{"pool_size", &LasvmOptions::pool_size, "Candidates among which the next example is selected."},
                 Field{"when_confident", &LasvmOptions::when_confident, "What selection does once candidates lie outside the margin: visit, draw or stop."},
                 Field{"max_visits", &LasvmOptions::max_visits, "Examples that one call visits by selection; None: all."}});
  bool operator==(const LasvmOptions&) const = default;
};

struct RobustOptions : KernelOptions {
  double tolerance = 1e-3;
  RobustLoss loss = RobustLoss::ramp;
  double ramp = -1.0;
  std::size_t warmup = 0;
  std::size_t max_idle = 0;
  std::size_t clean_every = 1;
  bool move_both = true;
  std::optional<std::size_t> max_support;

  static constexpr const char* name = "RobustOptions";
  static constexpr const char* doc = "Options of LASVM-G, LASVM-NC, LASVM-I and FULL.";
  static constexpr bool biased = false;
  static constexpr auto fields = std::tuple_cat(
      KernelOptions::fields,
      std::tuple{Field{"tolerance", &RobustOptions::tolerance, "Gradient of a coefficient that is worth a step."},
                 Field{"loss", &RobustOptions::loss, "hinge (G), ramp (NC), ignore (I) or full (FULL)."},
                 Field{"ramp", &RobustOptions::ramp, "Score below which the loss is flat (s)."},
                 Field{"warmup", &RobustOptions::warmup, "Support vectors before it is."},
                 Field{"max_idle", &RobustOptions::max_idle, "Members without a coefficient that cleaning keeps."},
                 Field{"clean_every", &RobustOptions::clean_every, "Examples between two cleanings."},
                 Field{"move_both", &RobustOptions::move_both, "REPROCESS moves both extremes where both violate; else one."},
                 Field{"max_support", &RobustOptions::max_support, "Members that a binary model may keep."}});
  bool operator==(const RobustOptions&) const = default;
};

struct TrackingOptions : KernelOptions {
  double tolerance = 1e-3;
  std::size_t n_steps = 10;
  bool process = true;
  bool keep_all = true;
  bool average = false;
  std::uint64_t seed = 0;

  static constexpr const char* name = "TrackingOptions";
  static constexpr const char* doc = "Options of the tracking algorithms.";
  static constexpr bool biased = false;
  static constexpr auto fields = std::tuple_cat(
      KernelOptions::fields,
      std::tuple{Field{"tolerance", &TrackingOptions::tolerance, "Gradient of a coefficient that is worth a step when finishing."},
                 Field{"n_steps", &TrackingOptions::n_steps, "Steps after each example (K)."},
                 Field{"process", &TrackingOptions::process, "Make a step on the new example first (Algorithm 2)."},
                 Field{"keep_all", &TrackingOptions::keep_all, "Keep examples without a coefficient; else the variant of section 5.2."},
                 Field{"average", &TrackingOptions::average, "Predict with averaged coefficients."},
                 Field{"seed", &TrackingOptions::seed, "Seed of the random steps."}});
  bool operator==(const TrackingOptions&) const = default;
};

struct PerceptronOptions : KernelOptions {
  double margin = 0.0;
  bool average = false;
  std::optional<std::size_t> max_support;
  BudgetRule eviction = BudgetRule::balanced;

  static constexpr const char* name = "PerceptronOptions";
  static constexpr const char* doc = "Options of kernel perceptrons.";
  static constexpr bool biased = false;
  static constexpr auto fields = std::tuple_cat(
      KernelOptions::fields,
      std::tuple{Field{"margin", &PerceptronOptions::margin, "Scores up to this are mistakes."},
                 Field{"average", &PerceptronOptions::average, "Predict with averaged coefficients."},
                 Field{"max_support", &PerceptronOptions::max_support, "Members that a binary model may keep."},
                 Field{"eviction", &PerceptronOptions::eviction, "Which member a full binary model evicts."}});
  bool operator==(const PerceptronOptions&) const = default;
};

// What a KernelModel can be told to do. To add a solver, add its options here and a line to solvers/solver.cpp.
using SolverOptions = std::variant<LasvmOptions, RobustOptions, TrackingOptions, PerceptronOptions>;

struct ExactOptions : KernelOptions {
  Problem problem = Problem::classifier;
  double nu = 1.0;
  std::optional<double> most_total;
  std::optional<std::size_t> max_examples;
  Eviction eviction = Eviction::balanced;

  static constexpr const char* name = "ExactOptions";
  static constexpr const char* doc = "Options of exact incremental and decremental models.";
  static constexpr bool biased = true;
  static constexpr auto fields = std::tuple_cat(
      KernelOptions::fields,
      std::tuple{Field{"problem", &ExactOptions::problem, "classifier, plane or sphere."},
                 Field{"nu", &ExactOptions::nu, "One-class: the coefficients sum to this share of their bounds,"},
                 Field{"most_total", &ExactOptions::most_total, "or to this, if that is less."},
                 Field{"max_examples", &ExactOptions::max_examples, "Examples that a binary model may hold."},
                 Field{"eviction", &ExactOptions::eviction, "balanced, relevance, weight or age: who leaves a full binary model."}});
  bool operator==(const ExactOptions&) const = default;
};

struct LinearOptions : RunOptions {
  LossKind loss = LossKind::hinge;
  double epsilon = 0.0;
  bool intercept = true;
  StepRule steps = StepRule::adaptive;
  double cost = 1.0;
  double total = 0.0;
  double penalty_total = 0.0;
  std::optional<double> max_intercept;
  std::optional<double> gradient_bound;
  double average_share = 0.5;
  std::size_t average_steps = 0;
  std::size_t planned = 0;
  std::optional<double> half_life;

  static constexpr const char* name = "LinearOptions";
  static constexpr const char* doc = "Options of linear models over features.";
  static constexpr auto fields = std::tuple_cat(
      RunOptions::fields,
      std::tuple{Field{"loss", &LinearOptions::loss, "Loss of one example, as scikit-learn names it."},
                 Field{"epsilon", &LinearOptions::epsilon, "Half the width of the tube of a regression."},
                 Field{"intercept", &LinearOptions::intercept, "Fit a constant."},
                 Field{"steps", &LinearOptions::steps, "Adaptive steps, or those of ASSET or ASSET*."},
                 Field{"cost", &LinearOptions::cost, "C."},
                 Field{"total", &LinearOptions::total, "Examples in the training set; 0: a stream."},
                 Field{"penalty_total", &LinearOptions::penalty_total, "ASSET: examples that lambda refers to; 0: as before, or the default."},
                 Field{"max_intercept", &LinearOptions::max_intercept, "ASSET: largest size of the intercept (B); None: that of the weights."},
                 Field{"gradient_bound", &LinearOptions::gradient_bound, "ASSET: bound on subgradients (D_G); None: from the features."},
                 Field{"average_share", &LinearOptions::average_share, "Share of the last steps that is averaged; 0: average_steps."},
                 Field{"average_steps", &LinearOptions::average_steps, "Number of last steps that are averaged."},
                 Field{"planned", &LinearOptions::planned, "Steps that will be made in all; 0: a stream."},
                 Field{"half_life", &LinearOptions::half_life, "Rows after which an example of a stream counts half; None: it counts forever."}});
  bool operator==(const LinearOptions&) const = default;
};

// How one call went.
struct Outcome {
  // Counts a wrong prediction of the n-th example visited.
  void add_mistake(std::size_t n) {
    ++mistakes;
    mistakes_at.push_back(static_cast<std::int64_t>(n));
  }

  std::size_t visited = 0;
  std::size_t reached = 0;  // rows of the order, from the first, that need not be given again after a stop
  std::size_t inserted = 0;
  std::size_t mistakes = 0;
  std::size_t steps = 0;
  bool stopped = false;
  bool stalled = false;
  std::vector<std::int64_t> mistakes_at;
  DecisionLog log;
};

// The rows of an order before the first that was not visited; rows of cost 0 are skipped, not visited.
inline std::size_t rows_reached(std::span<const std::int64_t> order, std::span<const double> costs, std::size_t visited) {
  std::size_t reached = 0;
  for (; reached < order.size(); ++reached)
    if (costs[static_cast<std::size_t>(order[reached])] > 0.0 && visited-- == 0) break;
  return reached;
}

}  // namespace hinge
