// A solver that the library does not know, added as ARCHITECTURE.md says ("How to add a solver"): options, memory and a class in one file.
//
// It is the Parzen classifier: every example is kept, with its cost as its coefficient, so that
//
//   f(x) = sum_i y_i C_i k(x, x_i)
//
// can be checked against kernel values. A KernelModel gives it several classes, late classes, threads, saved states and invariants.
#include <array>
#include <numeric>
#include <optional>

#include "predictors.hpp"
#include "common.hpp"
#include "kernel_model.hpp"
#include "solvers/solver.hpp"

namespace attack {

namespace {

struct ParzenOptions : hinge::KernelOptions {
  double share = 1.0;  // of its cost that an example gets as its coefficient

  static constexpr bool biased = false;
};

struct ParzenMemory {
  std::array<std::size_t, 2> visits{};

  static constexpr auto fields = std::tuple{hinge::Field{"visits", &ParzenMemory::visits, "Examples of either class, as often as they were shown."}};
  void mirror() { std::swap(visits[0], visits[1]); }
};

template <class T>
class Parzen : public hinge::SolverWith<T, ParzenOptions, ParzenMemory> {
 public:
  using hinge::SolverWith<T, ParzenOptions, ParzenMemory>::SolverWith;

  hinge::Visit visit(hinge::BinaryModel<T>& binary, std::size_t position, double label, double cost) override {
    const double sum = binary.sum(position);
    const std::size_t i = binary.insert(position, label, hinge::Box::of(label, cost), label - sum);
    binary.coordinate_step(i, this->options_.share * label * cost);
    ++this->memory_.visits[label > 0];
    return {sum, true};
  }

  hinge::Visit revisit(hinge::BinaryModel<T>& binary, std::size_t position, std::size_t slot) override {
    ++this->memory_.visits[binary.expansion().label[binary.members().in_slot(slot)] > 0];
    return {binary.sum(position), false};
  }
};

template <class T>
hinge::SolverFactory<T> parzen(const ParzenOptions& options) {
  return {options, [options] { return std::make_unique<Parzen<T>>(options); }};
}

// Sums over the examples held, from the saved state and kernel values alone.
template <class T>
void expect_parzen(hinge::KernelModel<T>& model, const hinge::Kernel<T>& kernel, const Examples<T>& examples, const hinge::ClassScheme& scheme, double share) {
  const std::size_t count = model.binaries().size();
  const std::vector<double> decisions = answers(*model.predictor(), examples, 2);
  std::vector<double> expected(examples.rows * count, 0.0);
  const hinge::ModelState<T> state = model.state();
  const std::size_t held = state.ids.size();
  std::vector<T> values(examples.rows * held);
  std::vector<std::int64_t> rows(examples.rows);
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  hinge::Block<T> block;
  block.take(kernel, examples.batch(), rows, 0, state.shift);
  kernel.fill(block, model.points().examples(), values.data(), held);
  double scale = 1.0;
  for (std::size_t r = 0; r < examples.rows; ++r)
    for (std::size_t m = 0; m < count; ++m)
      for (std::size_t s = 0; s < held; ++s) {
        const double term = share * state.costs[s] * static_cast<double>(values[r * held + s]);
        expected[r * count + m] += scheme.target(m, state.labels[s]) * term;
        scale = std::max(scale, std::abs(term));
      }
  for (std::size_t k = 0; k < decisions.size(); ++k)
    expect(!(std::abs(decisions[k] - expected[k]) > (sizeof(T) == 4 ? 1e-2 : 1e-8) * scale), "a toy solver decides otherwise than it learned");
}

template <class T>
std::int64_t shown(const hinge::ModelState<T>& state) {
  std::int64_t total = 0;
  for (const std::int64_t count : state.memory.at(0).values) total += count;
  return total;
}

}  // namespace

template <class T>
void toy_solver(Dice& dice) {
  const bool sparse = dice.chance(0.4);
  const Examples<T> examples(dice, dice.between(2, 120), dice.between(1, 20), dice.between(1, 4), sparse);
  const hinge::Kernel<T> kernel({hinge::KernelKind::rbf, 0.3, 0.0, 3});
  set_scene("toy solver", examples, kernel);
  ParzenOptions options;
  options.cache_bytes = dice.one_of<std::size_t>({0, 20'000, 1'000'000});
  options.threads = dice.between(1, 3);
  options.multi_class = dice.one_of({hinge::MultiClass::ovr, hinge::MultiClass::ovo});
  std::size_t classes = 1;
  std::int64_t visits = 0;
  auto model = std::make_unique<hinge::KernelModel<T>>(kernel, parzen<T>(options), examples.features, sparse, classes);
  for (std::size_t first = 0, count; first < examples.rows; first += count) {
    count = std::min(examples.rows - first, dice.between(1, 50));
    for (std::size_t r = first; r < first + count; ++r) classes = std::max(classes, static_cast<std::size_t>(examples.labels[r]) + 1);
    model->grow(classes);
    const std::vector<std::int64_t> order = dice.shuffled(count);
    hinge::Monitor monitor;
    const hinge::TrainingBatch<T> training{examples.batch(first, count), std::span(examples.labels).subspan(first, count),
                                           std::span(examples.costs).subspan(first, count), static_cast<std::int64_t>(first), order, 0};
    model->learn(training, monitor);
    if (dice.chance(0.3)) model->learn(training, monitor);  // all of them are held
    model->check_invariants();
    const hinge::ClassScheme scheme(options.multi_class, classes);
    expect_parzen(*model, kernel, examples, scheme, options.share);
    const hinge::ModelState<T> state = model->state();
    state.check(examples.features, sparse, scheme);
    expect(shown(state) >= visits, "a toy solver forgot what it counted");
    visits = shown(state);
    if (dice.chance(0.3)) model->set_options(parzen<T>(options));
    if (dice.chance(0.3))
      model = std::make_unique<hinge::KernelModel<T>>(kernel, parzen<T>(options), examples.features, sparse, classes, state);
    expect(shown(model->state()) == visits, "a toy solver does not remember what it counted");
  }
}

template void toy_solver<float>(Dice&);
template void toy_solver<double>(Dice&);

}  // namespace attack
