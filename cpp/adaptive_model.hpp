// A model for streams that change: window models side by side, which forget, and scales that follow the stream.
//
// Support vector machines over the last w examples, for several w and several kernels, and over the last informative examples, vote on the
// class of a row (window_vote). After each example a few steps bring every machine back near its optimum (window_problem).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "window_ensemble.hpp"

namespace hinge {

struct AdaptiveOptions {
  KernelParameters kernel;            // gamma is that before factors, at the start
  bool gamma_follows = false;         // gamma is 1 / spread of the standardised rows
  std::vector<double> gamma_factors;  // one kernel for each
  std::vector<WindowChoice> windows;
  double limit = 0.0;  // of standard scores; 0: do not standardise
  double tolerance = 0.01;
  std::size_t max_updates = 10000;  // of gradients, per example and binary problem: short windows are solved, long ones approached
};

// The state of an adaptive model as flat arrays, for files.
struct AdaptiveState {
  std::vector<double> values, weights, mean, factor;   // rows held and their sample weights; the standardisation
  std::vector<std::int32_t> labels;                    // class numbers of the rows
  std::vector<std::int64_t> ids, recent, places;       // ids: positions in the stream; places: by window model and slot
  std::vector<double> alpha, gradient, bias;           // by window model, problem and slot
  std::vector<double> vote_weights, repeats;           // of the vote
  std::vector<std::int64_t> last_class;                // of the last example
  std::vector<std::int64_t> n_learned, n_classes, n_steps, n_kernel_evals;

  // Throws std::invalid_argument when the arrays do not fit each other: they may come from a file.
  void check(std::size_t features, const AdaptiveOptions& options) const;
};

class AdaptiveModel {
 public:
  AdaptiveModel(std::size_t features, AdaptiveOptions options);
  // Goes on from a saved state after so many rows of the stream; `options.kernel` has the gamma of that moment.
  AdaptiveModel(std::size_t features, AdaptiveOptions options, const AdaptiveState& state, std::int64_t seen);

  std::size_t features() const { return now_.pool.features(); }
  std::size_t n_classes() const { return now_.n_classes; }
  double gamma() const { return now_.kernels.gamma(); }
  std::size_t held() const;
  std::int64_t seen() const { return seen_; }  // rows given so far
  std::int64_t steps() const { return steps_; }
  std::int64_t kernel_evals() const { return kernel_evals_; }
  const std::vector<WindowModel>& window_models() const { return now_.models; }

  // Votes for the classes of one row.
  void votes(const double* row, double* found);
  // Decision values of one row by window model and class.
  const std::vector<double>& decide(const double* row);
  // Learns a row; returns the class that the vote named before, or -1 for the first row. Class numbers count from 0; a new one makes all
  // below it known. A row of weight 0 is skipped and only counts as a position in the stream.
  std::int32_t learn(const double* row, std::int32_t class_number, double weight);
  // Forgets all examples before a position.
  void forget_before(std::int64_t position);
  // What predictions need, which stays the same while the model continues to learn.
  std::shared_ptr<const WindowEnsemble> predictor() const;
  AdaptiveState state() const;

 private:
  void prepare(const double* row);
  void refresh(WindowModel& model);
  void add_class();
  bool wants(const WindowModel& model, const double* values, std::size_t known, std::int32_t class_number) const;
  void insert(const double* row, std::int32_t class_number, double weight, std::size_t known);
  void follow_scale();
  // Solves a window model after many kernel values or coefficients have changed.
  void solve_again(WindowModel& model);
  std::vector<std::size_t> recent_places() const { return {recent_.begin(), recent_.end()}; }
  bool is_due() const;

  AdaptiveOptions options_;
  WindowEnsemble now_;
  std::deque<std::size_t> recent_;  // the last examples: scale and gamma follow them
  std::size_t max_recent_ = 0;
  std::int64_t seen_ = 0, learned_ = 0, steps_ = 0, kernel_evals_ = 0;
  // Kernel values of the row asked last, for learning it next; empty if the model changed since.
  std::vector<double> prepared_row_, prepared_values_;  // and its decision values, if they were asked for
  KernelValues prepared_;
  bool has_values_ = false;
};

}  // namespace hinge
