// Histories of linear binaries over features.
#include "linear_model.hpp"

#include <algorithm>

#include "predictors.hpp"
#include "common.hpp"

namespace attack {

namespace {

template <class T>
std::vector<T> normal_numbers(Dice& dice, std::size_t count, double scale) {
  std::vector<T> numbers(count);
  for (T& number : numbers) number = static_cast<T>(scale * dice.normal());
  return numbers;
}

template <class T>
std::unique_ptr<hinge::FeatureMap<T>> random_map(Dice& dice, const Examples<T>& examples, const hinge::Kernel<T>& kernel) {
  const std::size_t length = dice.between(1, 20);
  if (dice.chance(0.4))
    return std::make_unique<hinge::FourierMap<T>>(examples.features, examples.sparse, std::vector<T>{},
                                                  normal_numbers<T>(dice, examples.features * length, 0.5), normal_numbers<T>(dice, length, 3.0));
  const std::size_t count = std::min(examples.rows, dice.between(length, length + 10));
  std::vector<std::int64_t> ids(count);
  std::iota(ids.begin(), ids.end(), std::int64_t{0});
  return std::make_unique<hinge::NystroemMap<T>>(kernel, examples.batch(0, count), ids, std::vector<T>{},
                                                 normal_numbers<T>(dice, std::min(length, count) * count, 0.2));
}

hinge::LinearOptions random_options(Dice& dice, std::size_t rows) {
  using hinge::LossKind, hinge::StepRule;
  hinge::LinearOptions options;
  options.loss = dice.one_of({LossKind::hinge, LossKind::squared_hinge, LossKind::logistic, LossKind::insensitive, LossKind::squared_insensitive});
  options.epsilon = dice.one_of({0.0, 0.1});
  options.intercept = dice.chance(0.7);
  options.steps = dice.one_of({StepRule::adaptive, StepRule::adaptive, StepRule::asset, StepRule::asset_star});
  if (options.steps == StepRule::asset_star) options.intercept = false;
  if (dice.chance(0.5)) options.penalty_total = static_cast<double>(rows);
  if (dice.chance(0.3)) options.max_intercept = dice.one_of({0.1, 1e3});
  if (dice.chance(0.3)) options.gradient_bound = dice.one_of({0.1, 10.0});
  options.cost = dice.one_of({0.01, 1.0, 100.0});
  options.total = dice.chance(0.5) ? static_cast<double>(rows) : 0.0;
  options.average_share = dice.one_of({0.0, 0.5, 1.0});
  options.average_steps = dice.below(30);
  options.planned = options.total > 0.0 ? 4 * rows : 0;
  if (dice.chance(0.3)) options.half_life = dice.one_of({1.0, 20.0, 1e6});
  options.threads = dice.between(1, 4);
  options.cache_bytes = dice.one_of<std::size_t>({0, 10'000, 10'000'000});
  return options;
}

}  // namespace

template <class T>
void linear(Dice& dice, bool large) {
  const bool sparse = dice.chance(0.4);
  Examples<T> examples(dice, large ? 3000 : dice.between(1, 200), dice.between(1, 30), dice.between(1, 4), sparse);
  hinge::Kernel<T> kernel = make_kernel<T>(dice, sparse);
  while (kernel.parameters().kind == hinge::KernelKind::precomputed) kernel = make_kernel<T>(dice, sparse);
  auto map = random_map(dice, examples, kernel);
  const std::vector<double> penalty(map->dimension(), 1.0);
  hinge::LinearOptions options = random_options(dice, examples.rows);
  set_scene("linear", examples, kernel);
  const bool regression = hinge::PointLoss{options.loss, options.epsilon}.regression();
  std::size_t classes = regression ? 1 : 2;
  hinge::LinearModel<T> model(std::move(map), penalty, 1.0, options, classes);
  std::vector<double> targets(examples.labels.begin(), examples.labels.end());
  for (std::size_t step = 0; step < 10; ++step) {
    const auto monitor = watch(dice, 0.03);
    const std::vector<std::int64_t> order = dice.shuffled(examples.rows);
    const Promise<T> promise(model.predictor(), examples, options.threads);
    Askers<T> askers(dice, model.predictor(), examples);
    switch (dice.below(6)) {
      case 0: model.keep(examples.rows); break;
      case 1: model.release(); break;
      case 2: model.recall(model.state()); break;
      case 3:
        options.threads = dice.between(1, 4);
        model.set_options(options);
        break;
      default:
        if (!regression) model.grow(classes = std::max(classes, examples.classes));
        model.learn({examples.batch(), targets, examples.costs, 0, order}, *monitor);
        break;
    }
    model.check_invariants();
    answers(*model.predictor(), examples, options.threads);
    model.check_invariants();
    askers.join();
    promise.check();
  }
}

template void linear<float>(Dice&, bool);
template void linear<double>(Dice&, bool);

}  // namespace attack
