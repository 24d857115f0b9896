// Binary models over one set of retained examples and one look-ahead: one for each class against the rest, or one for each pair of classes.
//
// Which they are, and what each wants of an example, is the business of the class scheme. Binary models learn a block independently of each other. They are
// tasks of one parallel loop together with the tiles of the next block's panel, so that no thread waits, and the result does not depend on the
// number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "class_scheme.hpp"
#include "model_state.hpp"
#include "kernels.hpp"
#include "lookahead.hpp"
#include "binary_model.hpp"
#include "options.hpp"
#include "parallel.hpp"
#include "points.hpp"
#include "predictor.hpp"
#include "select.hpp"
#include "solvers/solver.hpp"

namespace hinge {

// The examples of one call.
template <class T>
struct TrainingBatch {
  Batch<T> batch;
  std::span<const std::int32_t> labels;
  std::span<const double> costs;
  std::int64_t first_id = 0;
  std::span<const std::int64_t> order;
  std::uint64_t seed = 0;
  // Binary models decide about every example, so that mistakes are those of the whole model. Otherwise an example counts as one if a binary model
  // that sees its class decides against it.
  bool scored = true;
  std::size_t recorded = 0;  // of so many of the last examples, decision values are recorded
};

template <class T>
class KernelModel {
 public:
  using Options = SolverOptions;

  KernelModel(Kernel<T> kernel, const SolverFactory<T>& solvers, std::size_t features, bool sparse, std::size_t classes);
  KernelModel(Kernel<T> kernel, const SolverFactory<T>& solvers, std::size_t features, bool sparse, std::size_t classes,
              const ModelState<T>& state);

  KernelModel(const KernelModel&) = delete;
  KernelModel& operator=(const KernelModel&) = delete;

  // The new solvers take over what the old ones remember.
  void set_options(const SolverFactory<T>& solvers);
  void grow(std::size_t classes);
  Outcome learn(const TrainingBatch<T>& training, Monitor& monitor);
  // Takes in rows without learning them; `finish` then solves for them. sums[n * binaries + m] is sum_i alpha_i k(x, x_i) of binary model m for
  // the n-th row of the order; NaN keeps the row out of that model. Coefficients are zero, or those given in the same layout.
  void hold(const TrainingBatch<T>& training, std::span<const double> sums, std::span<const double> alpha = {});
  Outcome finish(Monitor& monitor, AtEnd at_end = AtEnd::dismiss_idle);
  // Counts what another model did to find coefficients that this one holds: steps of each binary model, and kernel values.
  void count(std::span<const std::size_t> steps, std::size_t kernel_evals);
  void polish_all(Monitor& monitor);
  // What the model knows now, to be asked. Sums depend, in their last bits, on the order of the slots; every change therefore ends by closing
  // all gaps, so that a saved model, which has none, predicts the same.
  std::shared_ptr<const Predictor<T>> predictor() const;
  // The coefficients of a binary model that predictions use, averaged if it averages, with their gradients.
  Expansion answer(std::size_t m) const;
  ModelState<T> state() const;
  // True if the rows lie so far from the present shift that distances lose digits: a model that learns them from scratch chooses a better one.
  bool wants_shift(const Batch<T>& batch) const;

  const std::vector<BinaryModel<T>>& binaries() const { return binaries_; }
  const Points<T>& points() const { return points_; }
  std::size_t kernel_evals() const;
  std::size_t steps() const;
  void check_invariants() const;

 private:
  const KernelOptions& run() const { return factory_.run(); }
  SolverMemory memory() const;

  // Counts of one call to learn.
  struct Tally {
    Monitor& monitor;
    Outcome outcome{};
    Progress progress{};
  };

  // The best candidate of a draw, which ends before `last`.
  struct Choice {
    std::size_t position = 0;
    std::size_t last = 0;
    bool complete = false;  // it has as many candidates as it needs
    bool inside = false;    // the best candidate lies inside the margin
  };

  void add_binary();
  // Lets the binary models compute kernel rows, and read those of the block's examples from a panel if there is one.
  void attach(Panel<T>* panel);
  void share_cache();
  void choose_shift(const TrainingBatch<T>& training, std::span<const std::int64_t> order);
  std::size_t threads_for(std::size_t rows) const;
  void fill(Panel<T>& panel);
  void begin_block(Panel<T>& panel);
  void list_points_by_feature();
  void visit(std::size_t m, std::size_t position, std::int32_t label, double cost, bool scored = false);
  // Shows a late model an example that another one holds, and that may have become older.
  void visit_held(std::size_t m, std::size_t position, std::int32_t label, double cost);
  void end_block(Panel<T>& panel, Panel<T>* next, const TrainingBatch<T>& training);
  std::size_t hold_row(const Block<T>& block, std::size_t position, std::int32_t label, double cost, std::span<const double> sums,
                       std::span<const double> alpha);
  std::size_t slot_for(Panel<T>& panel, std::size_t position, const TrainingBatch<T>& training);
  void close_point_gaps(Panel<T>* next);
  // Closes all gaps, so that slots are 0 ... retained - 1.
  void close_all_gaps();
  void learn_in_order(const TrainingBatch<T>& training, std::span<const std::int64_t> order, Tally& tally);
  void learn_selected(const TrainingBatch<T>& training, std::span<const std::int64_t> order, Tally& tally);
  bool learn_draws(const TrainingBatch<T>& training, Selector& selector, bool endless, std::size_t most, Tally& tally);
  Choice choose(const TrainingBatch<T>& training, Panel<T>& panel, std::size_t first, const Selector& selector);
  void learn_choice(const TrainingBatch<T>& training, Panel<T>& panel, const Choice& choice, Selector& selector, Tally& tally);
  void replay_for_late_models(Monitor& monitor);
  void count_mistake(const TrainingBatch<T>& training, Panel<T>& panel, std::size_t position, Tally& tally) const;
  void visit_until(std::size_t m, std::size_t stop, const Panel<T>& panel, const TrainingBatch<T>& training, Monitor* monitor);
  std::size_t reached(const TrainingBatch<T>& training, std::size_t visited) const;
  void report(Tally& tally) const;
  void check_index() const;

  // The index of sparse points that the last predictor had, and of which points: an index is of no use once slots have moved.
  struct LastIndex {
    std::shared_ptr<const typename KernelPredictor<T>::Index> index;
    std::size_t closings = 0;
  };

  Kernel<T> kernel_;
  SolverFactory<T> factory_;
  Points<T> points_;
  mutable LastIndex last_index_;
  ClassScheme scheme_;
  std::vector<BinaryModel<T>> binaries_;
  std::vector<std::unique_ptr<Solver<T>>> solvers_;  // one for each binary model
  std::vector<std::size_t> late_models_;             // have not yet seen what was kept before their class came
  std::vector<T> shift_;
  bool shift_chosen_ = false;
  std::size_t panel_evals_ = 0;
  std::size_t unlisted_ = 0;  // kernel values computed for want of a list of the points by feature
  std::size_t past_steps_ = 0;
  // Scratch of the block being learned.
  std::vector<std::optional<std::size_t>> known_;
  std::vector<double> decisions_;
  std::vector<std::size_t> reached_;
  std::vector<std::size_t> inserted_;
  std::vector<std::uint8_t> stalled_;
};

}  // namespace hinge
