// Histories of the models of online binaries, and of several models at once.
#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>
#include <variant>

#include "predictors.hpp"
#include "common.hpp"
#include "kernel_model.hpp"

namespace attack {

namespace {

std::optional<std::size_t> random_bound(Dice& dice) { return dice.one_of<std::optional<std::size_t>>({{}, {}, 3, 25}); }

hinge::LasvmOptions random_lasvm(Dice& dice) {
  using hinge::Selection;
  hinge::LasvmOptions options;
  options.max_support = random_bound(dice);
  if (dice.chance(0.3)) options.max_gap = 0.5;
  options.upkeep = dice.chance(0.4);
  options.second_order = dice.chance(0.5);
  options.selection = dice.one_of({Selection::random, Selection::random, Selection::gradient, Selection::active, Selection::autoactive});
  options.pool_size = dice.between(1, 60);
  options.when_confident = dice.one_of({hinge::WhenConfident::visit, hinge::WhenConfident::draw, hinge::WhenConfident::stop});
  if (dice.chance(0.2)) options.max_visits = dice.between(1, 100);
  return options;
}

hinge::RobustOptions random_robust(Dice& dice) {
  using hinge::RobustLoss;
  hinge::RobustOptions options;
  options.max_support = random_bound(dice);
  options.loss = dice.one_of({RobustLoss::hinge, RobustLoss::ramp, RobustLoss::ignore, RobustLoss::full});
  options.warmup = dice.below(30);
  options.max_idle = dice.below(20);
  options.clean_every = dice.between(1, 30);
  options.move_both = dice.chance(0.5);
  return options;
}

hinge::TrackingOptions random_tracking(Dice& dice) {
  hinge::TrackingOptions options;
  options.n_steps = dice.between(1, 12);
  options.process = dice.chance(0.5);
  options.keep_all = dice.chance(0.5);
  options.average = dice.chance(0.5);
  options.seed = dice.below(1000);
  return options;
}

hinge::PerceptronOptions random_perceptron(Dice& dice) {
  hinge::PerceptronOptions options;
  options.max_support = random_bound(dice);
  options.average = dice.chance(0.5);
  options.margin = dice.one_of({0.0, 0.5});
  return options;
}

hinge::KernelOptions& run_options(hinge::SolverOptions& options) {
  return std::visit([](hinge::KernelOptions& run) -> hinge::KernelOptions& { return run; }, options);
}

hinge::SolverOptions random_options(Dice& dice) {
  hinge::SolverOptions options = random_lasvm(dice);
  switch (dice.below(5)) {
    case 0: options = random_robust(dice); break;
    case 1: options = random_tracking(dice); break;
    case 2: options = random_perceptron(dice); break;
    default: break;
  }
  run_options(options) = {{dice.one_of<std::size_t>({0, 5'000, 20'000, 100'000, 10'000'000}), dice.between(1, 4)},
                          dice.one_of({hinge::MultiClass::ovr, hinge::MultiClass::ovo})};
  return options;
}

// One model and the rows that it is shown.
template <class T>
struct History {
  History(Dice& dice_, const Examples<T>& examples_, hinge::Kernel<T> kernel_)
      : dice(dice_), examples(examples_), kernel(std::move(kernel_)), options(random_options(dice_)), classes(dice_.between(1, examples_.classes)),
        model(std::make_unique<hinge::KernelModel<T>>(kernel, options, examples.features, examples.sparse, classes)) {}

  // Shows some rows, perhaps again; perhaps classes come with them.
  void learn(std::size_t first, std::size_t count) {
    for (std::size_t r = first; r < first + count; ++r) classes = std::max(classes, static_cast<std::size_t>(examples.labels[r]) + 1);
    model->grow(classes);
    const auto monitor = watch(dice, 0.05);
    const std::vector<std::int64_t> order = dice.shuffled(count);
    model->learn({examples.batch(first, count), std::span(examples.labels).subspan(first, count), std::span(examples.costs).subspan(first, count),
                 static_cast<std::int64_t>(first), order, dice.below(100)}, *monitor);
    model->check_invariants();
  }

  void change_options() {
    run_options(options) = {{dice.one_of<std::size_t>({0, 8'000, 60'000, 1'000'000}), dice.between(1, 4)}, run_options(options).multi_class};
    std::visit([&](auto& each) {
      if constexpr (requires { each.max_support; }) each.max_support = dice.one_of<std::optional<std::size_t>>({{}, 10});
    }, options);
    model->set_options(options);
    model->check_invariants();
  }

  // Out and in again: the answers stay to the last bit.
  void restore() {
    const hinge::ModelState<T> state = model->state();
    state.check(examples.features, examples.sparse, {run_options(options).multi_class, classes});
    auto other = std::make_unique<hinge::KernelModel<T>>(kernel, options, examples.features, examples.sparse, classes, state);
    other->check_invariants();
    expect(answers(*model->predictor(), examples, 1) == answers(*other->predictor(), examples, run_options(options).threads), "a restored model answers something else");
    if (dice.chance(0.5)) model = std::move(other);
  }

  void finish() {
    const auto monitor = watch(dice, 0.2);
    auto* lasvm = std::get_if<hinge::LasvmOptions>(&options);
    if (lasvm) lasvm->max_steps = 20'000;
    model->set_options(options);
    model->finish(*monitor);
    model->check_invariants();
    if (lasvm && dice.chance(0.5)) model->polish_all(*monitor);
    model->check_invariants();
  }

  void ask() {
    promises.emplace_back(model->predictor(), examples, run_options(options).threads);
    if (promises.size() > 3) promises.pop_front();
    model->check_invariants();
  }

  void check_promises() const {
    for (const auto& promise : promises) promise.check();
  }

  // Learns while others ask what was known before.
  void learn_while_asked(std::size_t first, std::size_t count) {
    Askers<T> askers(dice, model->predictor(), examples);
    learn(first, count);
    askers.join();
    check_promises();
  }

  Dice& dice;
  const Examples<T>& examples;
  hinge::Kernel<T> kernel;
  hinge::SolverOptions options;
  std::size_t classes;
  std::unique_ptr<hinge::KernelModel<T>> model;
  std::deque<Promise<T>> promises;
};

template <class T>
Examples<T> random_examples(Dice& dice, bool large, bool sparse) {
  if (large) return Examples<T>(dice, 900, 60, dice.between(2, 3), sparse);
  return Examples<T>(dice, dice.between(1, 250), dice.between(1, 30), dice.between(1, 5), sparse);
}

template <class T>
void run(History<T>& history, std::size_t steps) {
  Dice& dice = history.dice;
  const std::size_t rows = history.examples.rows;
  for (std::size_t step = 0; step < steps; ++step) {
    const std::size_t first = dice.below(rows);
    const std::size_t count = dice.between(0, std::min(rows - first, dice.one_of<std::size_t>({1, 20, 1000})));
    switch (dice.below(9)) {
      case 0: history.change_options(); break;
      case 1: history.restore(); break;
      case 2: history.ask(); break;
      case 3: history.finish(); break;
      case 4: history.learn_while_asked(first, count); break;
      default: history.learn(first, count); break;
    }
  }
  history.check_promises();
}

}  // namespace

template <class T>
void stream(Dice& dice, bool large) {
  const bool sparse = dice.chance(0.4);
  Examples<T> examples = random_examples<T>(dice, large, sparse);
  const hinge::Kernel<T> kernel = make_kernel<T>(dice, sparse);
  if (kernel.parameters().kind == hinge::KernelKind::precomputed) turn_into_gram(examples);
  History<T> history(dice, examples, kernel);
  set_scene("stream", examples, kernel, ", solver " + std::to_string(history.options.index()));
  if (large) history.learn(0, examples.rows);
  run(history, large ? 4 : 12);
}

// Calls that a user's function throws out of: the model goes, and takes everything with it.
void failing(Dice& dice) {
  const bool sparse = dice.chance(0.4);
  const auto examples = random_examples<double>(dice, false, sparse);
  try {
    History<double> history(dice, examples, make_kernel<double>(dice, sparse, 0.02));
    run(history, 8);
  } catch (const std::runtime_error&) {
  }
}

// Several models learn at the same time, and one predictor is asked by all threads.
void together(Dice& dice) {
  std::vector<std::jthread> threads;
  std::mutex lock;
  std::string complaint;
  const auto examples = random_examples<double>(dice, false, true);
  History<double> asked(dice, examples, hinge::Kernel<double>({hinge::KernelKind::rbf, 0.2, 0.0, 3}));
  asked.learn(0, examples.rows);
  const auto predictor = asked.model->predictor();
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, seed = dice.below(1'000'000)] {
      Dice own(seed);
      try {
        if (own.chance(0.5)) stream<float>(own, false); else exact(own, false);
        for (std::size_t turn = 0; turn < 5; ++turn) answers(*predictor, examples, own.between(1, 3));
      } catch (const std::exception& error) {
        const std::lock_guard guard(lock);
        complaint = error.what() + (" (" + scene + ")");
      }
    });
  threads.clear();
  expect(complaint.empty(), complaint);
  asked.model->check_invariants();
}

template void stream<float>(Dice&, bool);
template void stream<double>(Dice&, bool);

}  // namespace attack
