// Histories of models of exact binaries: examples come, go and change their labels.
#include "exact_model.hpp"

#include <algorithm>

#include "predictors.hpp"
#include "common.hpp"

namespace attack {

namespace {

constexpr double same_answer = 1e-5;

hinge::ExactOptions random_options(Dice& dice) {
  using hinge::Problem;
  hinge::ExactOptions options;
  options.cache_bytes = dice.one_of<std::size_t>({0, 10'000, 1'000'000, 50'000'000});
  options.threads = dice.between(1, 4);
  options.problem = dice.one_of({Problem::classifier, Problem::classifier, Problem::plane, Problem::sphere});
  options.nu = dice.one_of({0.1, 0.5, 1.0});
  options.max_examples = dice.one_of<std::optional<std::size_t>>({{}, {}, {}, 2, 15});
  options.eviction = dice.one_of({hinge::Eviction::balanced, hinge::Eviction::relevance, hinge::Eviction::weight, hinge::Eviction::age});
  return options;
}

struct History {
  History(Dice& dice_, Examples<double>& examples_, hinge::Kernel<double> kernel_)
      : dice(dice_), examples(examples_), kernel(std::move(kernel_)), options(random_options(dice_)), classes(1) {
    if (options.problem != hinge::Problem::classifier) std::fill(examples.labels.begin(), examples.labels.end(), 0);
    model = std::make_unique<hinge::ExactModel>(kernel, options, examples.features, examples.sparse, classes);
  }

  bool one_class() const { return options.problem != hinge::Problem::classifier; }

  // New examples only: what was learned before has its place in the stream.
  void learn(std::size_t count) {
    const std::size_t first = next;
    count = std::min(count, examples.rows - first);
    next += count;
    for (std::size_t r = first; r < first + count; ++r) classes = std::max(classes, static_cast<std::size_t>(examples.labels[r]) + 1);
    model->grow(classes);
    const auto monitor = watch(dice, 0.03);
    const std::vector<std::int64_t> order = dice.shuffled(count);
    model->learn({examples.batch(first, count), std::span(examples.labels).subspan(first, count), std::span(examples.costs).subspan(first, count),
                 static_cast<std::int64_t>(first), order, 0}, *monitor);
    model->check_invariants();
  }

  std::vector<std::int64_t> some_held() {
    const std::vector<std::int64_t> held = model->held();
    std::vector<std::int64_t> some;
    for (const std::int64_t place : dice.shuffled(held.size())) some.push_back(held[static_cast<std::size_t>(place)]);
    some.resize(std::min(some.size(), dice.one_of<std::size_t>({1, 3, 10, 1000})));
    return some;
  }

  void forget() {
    const auto monitor = watch(dice, 0.03);
    model->forget(some_held(), *monitor);
    model->check_invariants();
    for (std::size_t number = classes; number-- > 1 && !one_class();)
      if (model->class_counts()[number] == 0 && dice.chance(0.5)) drop(number);
  }

  // The labels of rows to come follow the numbers of the classes.
  void drop(std::size_t number) {
    for (std::size_t r = next; r < examples.rows; ++r)
      if (static_cast<std::size_t>(examples.labels[r]) >= number && examples.labels[r] > 0) --examples.labels[r];
    model->drop_class(static_cast<std::int32_t>(number));
    --classes;
    model->check_invariants();
  }

  void relabel() {
    const std::vector<std::int64_t> ids = some_held();
    std::vector<std::int32_t> labels;
    std::vector<double> costs;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      labels.push_back(static_cast<std::int32_t>(dice.below(classes)));
      costs.push_back(dice.one_of({0.5, 1.0, 5.0}));
    }
    const auto monitor = watch(dice, 0.03);
    model->relabel(ids, labels, costs, *monitor);
    model->check_invariants();
  }

  std::vector<double> ask(const hinge::ExactModel& asked) const { return answers(*asked.predictor(), examples, options.threads); }

  // Learns and forgets while others ask what was known before.
  void change_while_asked() {
    const Promise<double> promise(model->predictor(), examples, options.threads);
    Askers<double> askers(dice, model->predictor(), examples);
    learn(dice.between(1, 10));
    forget();
    learn(dice.between(1, 10));
    askers.join();
    promise.check();
  }

  // Nothing changes by being asked what would be without one example.
  void leave_one_out() {
    if (model->held().size() > 60) return;
    const std::vector<double> before = ask(*model);
    const auto monitor = watch(dice, 0.03);
    model->leave_one_out(*monitor);
    model->check_invariants();
    expect_close(before, ask(*model), 1e-12, "leaving one out has changed the model");
  }

  void restore() {
    const hinge::ModelState<double> state = model->state();
    state.check(examples.features, examples.sparse, {hinge::MultiClass::ovr, std::max<std::size_t>(classes, 1)});
    auto other = std::make_unique<hinge::ExactModel>(kernel, options, examples.features, examples.sparse, classes, state);
    other->check_invariants();
    expect_close(ask(*model), ask(*other), same_answer, "a restored exact model answers something else");
    other->grow(classes);  // makes it ready
    other->check_invariants();
    if (dice.chance(0.5)) model = std::move(other);
  }

  Dice& dice;
  Examples<double>& examples;
  hinge::Kernel<double> kernel;
  hinge::ExactOptions options;
  std::size_t classes;
  std::size_t next = 0;
  std::unique_ptr<hinge::ExactModel> model;
};

// A whole training set at once, with coefficients that need not be near anything.
void adopt(Dice& dice, const Examples<double>& examples, const hinge::Kernel<double>& kernel) {
  hinge::ExactOptions options = random_options(dice);
  options.problem = hinge::Problem::classifier;
  options.max_examples = {};
  hinge::ExactModel model(kernel, options, examples.features, examples.sparse, examples.classes);
  std::vector<std::int64_t> order;
  for (std::size_t r = 0; r < examples.rows; ++r)
    if (examples.costs[r] > 0.0) order.push_back(static_cast<std::int64_t>(r));
  std::vector<double> alpha(order.size() * model.binaries().size(), 0.0);
  const auto stopping = watch(dice, 0.3);
  model.adopt({examples.batch(), examples.labels, examples.costs, 0, order, 0}, alpha, alpha, *stopping);
  const auto going_on = watch(dice, 0.0);
  model.learn({examples.batch(), examples.labels, examples.costs, 0, {}, 0}, *going_on);  // completes what was stopped
  model.check_invariants();
}

}  // namespace

void exact(Dice& dice, bool large) {
  const bool sparse = dice.chance(0.4);
  Examples<double> examples(dice, large ? 400 : dice.between(1, 90), dice.between(1, 20), dice.between(1, 4), sparse);
  hinge::Kernel<double> kernel = make_kernel<double>(dice, sparse);
  // A sigmoid is no kernel; paths over it may be given up, after very many steps.
  while (kernel.parameters().kind == hinge::KernelKind::sigmoid) kernel = make_kernel<double>(dice, sparse);
  if (kernel.parameters().kind == hinge::KernelKind::precomputed) turn_into_gram(examples);
  if (dice.chance(0.2)) adopt(dice, examples, kernel);
  History history(dice, examples, kernel);
  set_scene("exact", examples, kernel, ", problem " + std::to_string(static_cast<int>(history.options.problem)));
  for (std::size_t step = 0; step < 15; ++step) switch (dice.below(9)) {
      case 0: history.forget(); break;
      case 1: history.relabel(); break;
      case 2: history.leave_one_out(); break;
      case 3: history.restore(); break;
      case 4: history.change_while_asked(); break;
      default: history.learn(dice.between(0, large ? 120 : 20)); break;
    }
}

}  // namespace attack
