// Watching: which gradients a path updates at every step, and which ones it updates later in blocks.
//
// A step changes all gradients, but only examples whose gradients are near zero can end it. Those are watched. All others wait: with alpha^0
// and A^0 the values at the last time when all gradients were current, one block product brings them up to date by
//
//   h_r  <-  h_r + (A - A^0) t_r' - sum_c (alpha_c - alpha_c^0) K_rc
//
// Invariant: the gradients of watched examples belong to the current coefficients, and all others to alpha^0 and A^0. Every coefficient that
// changes must be recorded before it does; the columns of recorded slots stay pinned for the lifetime of this object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernel_columns.hpp"
#include "solvers/exact_binary_model.hpp"

namespace hinge {

class GradientTracker {
 public:
  static constexpr std::size_t min_watched = 64;

  GradientTracker(ExactBinaryModel& model, KernelColumns& columns);
  ~GradientTracker();
  GradientTracker(const GradientTracker&) = delete;
  GradientTracker& operator=(const GradientTracker&) = delete;

  // Most examples that arrive need no step, so nothing is allocated before the first one.
  void start();
  bool started() const { return !is_watched_.empty(); }

  std::span<const std::size_t> watched() const { return watched_; }
  void watch(std::size_t slot);
  // Watches nothing but `violators` and the examples with the smallest gradients; all gradients must be current.
  void watch_nearest(std::span<const std::size_t> violators);
  // Watches in addition those of `slots` whose gradients, with the given rates, reach zero first.
  void watch_soonest(std::span<const std::size_t> slots, std::span<const double> rates);
  // Makes sure that a slot has a column. Columns are cheaper in bulk, so those of some watched examples are computed along with it.
  void fetch_column(std::size_t slot);

  // Keeps the present coefficient of a slot, which must have a column, as alpha^0.
  void record(std::size_t slot);
  // Updates the watched gradients after a step; `rates` are those of h_r - b, in the order of `watched`.
  void advance(double distance, std::span<const double> rates, double bias_rate);
  bool all_current() const { return all_current_; }
  // Updates the gradients that are not watched.
  void update_others();
  // Updates all gradients after recorded coefficients were changed otherwise than by steps, and stops watching.
  void update_all();
  // Sets A and A^0 alike, so that no gradient changes.
  void redefine_total(double value) { model_.total = total_before_ = value; }

 private:
  using Ranked = std::pair<double, std::size_t>;  // a distance or time, and the slot

  void stop_watching();
  void watch_first(std::vector<Ranked> candidates);
  void update(std::span<const std::size_t> rows);

  ExactBinaryModel& model_;
  KernelColumns& columns_;
  std::vector<std::size_t> watched_;
  std::vector<std::uint8_t> is_watched_;                  // by slot
  std::vector<std::pair<std::size_t, double>> recorded_;  // slots c and alpha_c^0
  std::vector<std::uint8_t> is_recorded_;                 // by slot
  double total_before_;                                   // A^0
  bool all_current_ = true;
  std::vector<double> weights_;                           // by column, scratch
};

}  // namespace hinge
