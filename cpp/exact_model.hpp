// A model of exact binaries, one against the rest for each class, over one set of examples and one table of kernel columns. Up to two classes,
// and one-class problems, need one binary. Examples that no binary holds any more leave at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "columns.hpp"
#include "kernels.hpp"
#include "kernel_model.hpp"
#include "options.hpp"
#include "parallel.hpp"
#include "points.hpp"
#include "predictor.hpp"
#include "solvers/exact_binary_model.hpp"
#include "solvers/path.hpp"

namespace hinge {

// Something that cannot be done, said before anything has changed.
struct Refused : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

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
  // Forgets a class that no example has any more; higher numbers fall by one.
  void drop_class(std::int32_t number);

  // Each returns how far it came before the monitor said stop.
  Outcome learn(const TrainingBatch<double>& training, Monitor& monitor);
  // Takes in many examples at once, with coefficients near the solution (one row a binary, one value for each place in the order).
  void adopt(const TrainingBatch<double>& training, std::span<const double> alpha);
  std::size_t forget(std::span<const std::int64_t> ids, Monitor& monitor);
  std::size_t relabel(std::span<const std::int64_t> ids, std::span<const std::int32_t> labels, std::span<const double> costs,
                      Monitor& monitor);
  // For each example held, in the order of the stream, the decisions of the binaries that never saw it.
  std::vector<double> leave_one_out(Monitor& monitor);
  // Finds all gradients again from nothing, so that measures of the solution do not rest on what learning has kept up to date.
  void certify();

  // What the model knows now, to be asked.
  std::shared_ptr<const Predictor<double>> predictor() const;
  ModelState<double> state() const;
  // Of all examples held, in the order of the stream.
  std::vector<std::int64_t> held() const;
  std::vector<std::int32_t> labels() const;
  std::vector<double> costs() const;
  // Examples held of each class.
  std::vector<std::int64_t> class_counts() const;
  const std::vector<ExactBinaryModel>& binaries() const { return binaries_; }
  const Points<double>& points() const { return points_; }
  std::size_t kernel_evals() const { return kernel_evals_ + columns_.kernel_evals(); }
  std::size_t steps() const { return steps_; }
  std::size_t refreshed() const { return refreshed_; }
  void check_invariants() const;

 private:
  struct Tally;
  void add_binary(std::int32_t positive_class);
  void make_ready();
  void make_ready(ExactBinaryModel& binary);
  void learn_row(const TrainingBatch<double>& training, std::size_t row, Tally& tally);
  void make_room();
  std::size_t victim(const ExactBinaryModel& binary) const;
  void withdraw(ExactBinaryModel& binary, std::size_t slot, Columns& columns);
  void take_in(ExactBinaryModel& binary, std::size_t slot);
  void balance(ExactBinaryModel& binary, Path& path, double without);
  void count(const Path& path);
  void forget_slot(std::size_t slot);
  void relabel_slot(std::size_t slot, std::int32_t label, double cost);
  double decision_without(ExactBinaryModel& binary, std::size_t slot, Columns& columns);
  Columns empty_columns() const;
  bool is_mistake(std::span<const double> decisions, std::int32_t label, double self) const;
  double sum_at(const ExactBinaryModel& binary, std::size_t slot);
  void drop_unused();
  void mend();
  void start_afresh();
  std::vector<double> values_against(const Block<double>& block, std::span<const std::size_t> slots);
  std::vector<std::size_t> support() const;
  std::vector<std::size_t> in_stream_order() const;
  std::vector<double> weights_of(std::span<const std::size_t> slots) const;
  void report(Tally& tally) const;
  void check_ready() const;

  Kernel<double> kernel_;
  ExactOptions options_;
  Points<double> points_;
  Columns columns_;
  std::size_t classes_;
  std::vector<ExactBinaryModel> binaries_;
  bool ready_ = true;  // columns and inverses are there; a restored model finds them when it first has to
  std::size_t kernel_evals_ = 0;
  std::size_t steps_ = 0;
  std::size_t refreshed_ = 0;
};

}  // namespace hinge
