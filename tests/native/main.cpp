// Attacks the core without Python: random histories of all models, meant to run under sanitizers or valgrind.
//
//   hinge_attack ROUNDS SEED
//
// Every round is repeatable by itself: round r of seed s is round 0 of seed s + r.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "common.hpp"
#include "exact_model.hpp"
#include "kernel_model.hpp"

namespace attack {

// Many models that are created, trained, made to forget and destroyed.
void cycles(Dice& dice, std::size_t count) {
  for (std::size_t cycle = 0; cycle < count; ++cycle) {
    const bool sparse = dice.chance(0.5);
    const Examples<double> examples(dice, 6, 3, 2, sparse);
    const std::vector<std::int64_t> order = dice.shuffled(examples.rows);
    const hinge::TrainingBatch<double> training{examples.batch(), examples.labels, examples.costs, 0, order, 0};
    hinge::Monitor monitor;
    const hinge::Kernel<double> kernel({hinge::KernelKind::rbf, 0.5, 0.0, 3});
    hinge::KernelModel<double> model(kernel, hinge::SolverOptions(hinge::LasvmOptions{}), examples.features, sparse, 2);
    model.learn(training, monitor);
    model.finish(monitor);
    hinge::ExactModel exact_model(kernel, hinge::ExactOptions{}, examples.features, sparse, 2);
    exact_model.learn(training, monitor);
    exact_model.forget(exact_model.held(), monitor);
    exact_model.check_invariants();
    expect(exact_model.points().size() == 0, "an example was not forgotten");
  }
}

void round(Dice& dice) {
  const bool large = dice.chance(0.06);
  stream<float>(dice, large && dice.chance(0.5));
  stream<double>(dice, large && dice.chance(0.5));
  exact(dice, large);
  linear<float>(dice, large);
  linear<double>(dice, false);
  snapshots<float>(dice);
  snapshots<double>(dice);
  toy_solver<float>(dice);
  toy_solver<double>(dice);
  failing(dice);
  cycles(dice, 20);
  if (dice.chance(0.2)) together(dice);
}

}  // namespace attack

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: %s ROUNDS SEED\n", arguments[0]);
    return 2;
  }
  const std::size_t rounds = std::strtoull(arguments[1], nullptr, 10), seed = std::strtoull(arguments[2], nullptr, 10);
  attack::provide_blas();
  for (std::size_t r = 0; r < rounds; ++r) {
    attack::Dice dice(seed + r);
    try {
      attack::round(dice);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "seed %zu: %s (%s)\n", seed + r, error.what(), attack::scene.c_str());
      return 1;
    }
  }
  std::printf("%zu rounds from seed %zu passed\n", rounds, seed);
  return 0;
}
