// A model whose binary models are the exact solutions for the examples they hold (see solvers/exact_binary_model.hpp). They share the
// examples and the kernel columns. One-class problems and problems with up to two classes need one binary model; with more classes, the
// class scheme says which there are, and which examples they see. An example that no binary model holds any more is removed at once.
//
// Every change is a path per binary model (see solvers/path.hpp): a new example starts with alpha = 0 and is made optimal; an example to be
// removed first moves to alpha = 0. With `max_examples`, a full binary model evicts an example before a new one is learned
// (solvers/window.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "conformal.hpp"
#include "kernel_columns.hpp"
#include "kernels.hpp"
#include "kernel_model.hpp"
#include "options.hpp"
#include "parallel.hpp"
#include "points.hpp"
#include "predictor.hpp"
#include "refused.hpp"
#include "solvers/exact_binary_model.hpp"
#include "solvers/path.hpp"

namespace hinge {

class ExactModel {
 public:
  using Options = ExactOptions;

  ExactModel(Kernel<double> kernel, const ExactOptions& options, std::size_t features, bool sparse, std::size_t classes);
  ExactModel(Kernel<double> kernel, const ExactOptions& options, std::size_t features, bool sparse, std::size_t classes,
            const ModelState<double>& state);

  ExactModel(const ExactModel&) = delete;
  ExactModel& operator=(const ExactModel&) = delete;

  void set_options(const ExactOptions& options);
  void grow(std::size_t classes);
  // Removes a class without examples; the numbers of higher classes decrease by one.
  void drop_class(std::int32_t number);

  // `learn`, `forget` and `relabel` return how far they got before the monitor stopped them.
  Outcome learn(const TrainingBatch<double>& training, Monitor& monitor);
  // Learns all examples at once, starting from coefficients near the solution, and from gradients as far as they are known: one row per
  // binary model, one value per entry of the order. If the monitor stops it, the model has these coefficients until it is next changed.
  void adopt(const TrainingBatch<double>& training, std::span<const double> alpha, std::span<const double> gradient, Monitor& monitor);
  std::size_t forget(std::span<const std::int64_t> ids, Monitor& monitor);
  std::size_t relabel(std::span<const std::int64_t> ids, std::span<const std::int32_t> labels, std::span<const double> costs,
                      Monitor& monitor);
  // Decision values of each example held, in the order of the stream, by the binary models without that example.
  std::vector<double> leave_one_out(Monitor& monitor);
  // By how much the decision values of some rows would change if an example were forgotten, or had another label: shape (ids, binary models,
  // rows). Label -1 means forgetting; `costs` are those that the examples would have.
  std::vector<double> influence(const Batch<double>& rows, std::span<const std::int64_t> ids, std::span<const std::int32_t> labels,
                                std::span<const double> costs, Monitor& monitor);
  // p-values of rows with each class as their label, by full conformal prediction: one row per row of the batch.
  std::vector<double> p_values(const Batch<double>& rows, const ConformalOptions& wanted, Monitor& monitor);
  // Recomputes all gradients from kernel values, so that measures of optimality do not depend on incremental updates.
  void certify() { certify(nullptr); }

  // An immutable copy of what the model needs to decide.
  std::shared_ptr<const Predictor<double>> predictor() const;
  ModelState<double> state() const;
  // Ids, labels and costs of all examples held, in the order of the stream.
  std::vector<std::int64_t> held() const;
  std::vector<std::int32_t> labels() const;
  std::vector<double> costs() const;
  // Number of examples held per class.
  std::vector<std::int64_t> class_counts() const;
  // What binary models remember of the stream, without values.
  static SolverMemory empty_memory() { return {{"seen", 2, {}}, {"mistakes", 2, {}}}; }
  const std::vector<ExactBinaryModel>& binaries() const { return binaries_; }
  const Points<double>& points() const { return points_; }
  std::size_t kernel_evals() const { return kernel_evals_ + columns_.kernel_evals(); }
  std::size_t steps() const { return steps_; }
  std::size_t refreshed() const { return refreshed_; }
  void check_invariants() const;

 private:
  struct Tally {
    Monitor& monitor;
    Outcome outcome{};
    Progress progress{};
  };

  void add_binary();
  double label_of(std::size_t m, std::int32_t label) const;
  // Computes the gradients, columns and inverses of a model that has none yet. Returns false, and the model is as before, if the monitor
  // stops it.
  bool prepare(Monitor* monitor = nullptr);
  bool prepare(ExactBinaryModel& binary, Monitor* monitor);
  bool certify(Monitor* monitor);
  void learn_row(const TrainingBatch<double>& training, std::size_t row, Tally& tally);
  std::vector<double> append_example(const TrainingBatch<double>& training, std::size_t row);
  // Makes room for one more example in some binary models; slots may change.
  void make_room(std::span<const std::size_t> gaining);
  void drop_binary(std::size_t m);
  void admit(std::size_t m, std::size_t slot, std::int32_t label, double cost, double sum);
  void learn_slot(ExactBinaryModel& binary, std::size_t slot, KernelColumns& columns);
  // Moves a coefficient to zero; the caller then removes the example from the binary model.
  void unlearn_slot(ExactBinaryModel& binary, std::size_t slot, KernelColumns& columns);
  void adjust_total(ExactBinaryModel& binary, Path& path, double without);
  void add_counts(const Path& path);
  void forget_slot(std::size_t slot);
  void relabel_one(std::int64_t id, std::int32_t label, double cost);
  bool matters(const ExactBinaryModel& binary, std::size_t slot) const;
  double decision_without(ExactBinaryModel& binary, std::size_t slot, double sum, KernelColumns& columns);
  std::vector<double> values_of_all(const Batch<double>& rows);
  // Computes what one binary model would answer differently if an example had another target and cost, or was forgotten (target 0).
  void compute_change(std::size_t m, std::size_t slot, double target, double cost, KernelColumns& columns, std::span<const double> values,
                      std::span<double> change);
  // Changes a copy of a binary model that shares the columns.
  template <class Change>
  void try_change(const ExactBinaryModel& binary, KernelColumns& columns, Change change);
  KernelColumns empty_columns() const;
  bool is_mistake(std::span<const double> decisions, std::int32_t label, double self) const;
  double sum_at(const ExactBinaryModel& binary, std::size_t slot);
  // sum_j alpha_j K_ij of all examples by all binary models; nothing if the monitor stops it.
  std::optional<std::vector<double>> sums_of_all(Monitor* monitor);
  void remove_unused();
  void repair();
  void recompute();
  std::vector<double> values_against(const Block<double>& block, std::span<const std::size_t> slots);
  std::vector<std::size_t> support() const;
  std::vector<std::size_t> in_stream_order() const;
  std::vector<double> weights_of(std::span<const std::size_t> slots) const;
  void report(Tally& tally) const;
  void check_prepared() const;

  Kernel<double> kernel_;
  ExactOptions options_;
  Points<double> points_;
  KernelColumns columns_;
  ClassScheme scheme_;
  std::vector<ExactBinaryModel> binaries_;
  bool prepared_ = true;  // columns and inverses exist; a restored model computes them when it is first changed
  std::size_t kernel_evals_ = 0;
  std::size_t steps_ = 0;
  std::size_t refreshed_ = 0;
};

}  // namespace hinge
