// One binary model: its members, their kernel rows, and the steps that move coefficients.
//
// It knows how coefficients move and how examples come and go; which of them is the solvers' business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bracket.hpp"
#include "kernel_rows.hpp"
#include "kernels.hpp"
#include "lookahead.hpp"
#include "members.hpp"
#include "points.hpp"

namespace hinge {

template <class T>
class BinaryModel {
 public:
  BinaryModel(std::int32_t positive_class, bool biased, std::size_t cache_bytes)
      : rows_(cache_bytes), positive_class_(positive_class), biased_(biased) {}

  // --- its parts ---
  const Members<T>& members() const { return members_; }
  const KernelRows<T>& rows() const { return rows_; }
  const Bracket& bracket() const { return bracket_; }
  // Solvers may change gradients, and what averages need.
  Expansion& expansion() { return members_.expansion; }
  const Expansion& expansion() const { return members_.expansion; }
  const Points<T>& points() const { return rows_.points(); }
  const Kernel<T>& kernel() const { return rows_.kernel(); }

  // --- its state ---
  std::int32_t positive_class() const { return positive_class_; }
  double label_of(std::int32_t label) const { return label == positive_class_ ? 1.0 : -1.0; }
  bool biased() const { return biased_; }
  double bias() const { return biased_ ? bracket_.middle() : 0.0; }
  // How much the most violating pair (or coefficient, without a bias) violates.
  double gap() const;
  // The duality gap of a model without a bias, as of the last coordinate step.
  double slack_gap() const { return slack_gap_; }
  std::size_t steps() const { return steps_; }
  std::size_t kernel_evals() const { return rows_.kernel_evals(); }
  // Kernel values that a solver computed by itself.
  void count_kernel_evals(std::size_t count) { rows_.count_kernel_evals(count); }

  // --- members come and go ---
  // sum_i alpha_i k(x, x_i) for the block's example x; its decision value is that and the bias.
  double sum(std::size_t position) { return loops<T>().dot(rows_.current_row(members_, position), expansion().alpha.data(), expansion().size()); }
  // Takes in the block's example whose sum was computed last, with alpha = 0.
  std::size_t insert(std::size_t position, double label, const Box& box, double gradient);
  void remove(std::size_t i);
  // Members with coefficient zero, each once, in ascending order.
  const std::vector<std::size_t>& idle() { return members_.idle(); }
  // Removes the idle members that `leaves(i)` is true of.
  template <class Leaves>
  void remove_idle(Leaves leaves) {
    members_.remove_idle(leaves, [&](std::size_t i) { remove(i); });
  }
  std::int64_t id_of(std::size_t i) const { return rows_.id_of(members_, i); }
  RowView<T> row(std::size_t i, std::size_t pinned) { return rows_.row(members_, i, pinned); }

  // --- steps ---
  // Moves alpha_i up and alpha_j down as far as the dual grows and the boxes allow; returns the gain.
  double pair_step(std::size_t i, std::size_t j);
  void move_pair(std::size_t i, std::size_t j, double length);
  // The best step of one coefficient alone, for models without a bias, and any such step.
  double best_length(std::size_t i) const { return best_length(i, expansion().gradient[i]); }
  void coordinate_step(std::size_t i, double length);
  // The best step for i, then the best for j, in one pass over the gradients.
  void coordinate_steps(std::size_t i, std::size_t j);
  // Changes a coefficient; the caller updates the gradients.
  void set_alpha(std::size_t i, double value) { members_.set_alpha(i, value); }
  void refresh_bracket();
  // gradient = label - K alpha, computed again.
  void refresh_gradient(std::size_t threads);

  // --- what the model around it does ---
  void attach(const Kernel<T>* kernel, const Points<T>* points, Panel<T>* panel, bool alone) { rows_.attach(members_, kernel, points, panel, alone); }
  void set_cache_bytes(std::size_t bytes) { rows_.cache().set_budget(bytes); }
  // Ends a block: see KernelRows. `store` gives the examples taken in their slots.
  std::size_t list_incomplete_rows() { return rows_.list_incomplete(members_); }
  void complete_rows(std::size_t task) { rows_.complete(members_, task); }
  void store(std::span<const std::size_t> slots);
  std::vector<std::size_t> take_released() { return members_.take_released(); }
  void squeeze();
  void follow(const Moves& moves) { members_.follow(moves, points().size()); }
  // Adds an example that has a slot, outside a block; `end_building` follows the last one. `top_at` and `bottom_at` are preferred as ends of the
  // bracket where several members have the extreme gradient.
  void append_member(std::size_t slot, T self, double label, const Box& box, double alpha, double gradient);
  void end_building(std::size_t top_at = 0, std::size_t bottom_at = 0);
  // The same model with some of its members only, over points that hold just those. Takes the cache along, and computes rows that steps will need.
  BinaryModel restricted(std::span<const std::size_t> members, const Points<T>& points, std::size_t threads);
  // Takes over what a restricted model has become.
  void take_back(BinaryModel& smaller, std::span<const std::size_t> members);
  // The other class against this one's.
  BinaryModel mirrored(std::int32_t positive_class) const;
  void check_invariants() const;

 private:
  void check_coefficients() const;
  void check_kernel_values() const;
  void shift(std::size_t i, std::size_t j, double length);
  void level(std::size_t i, std::size_t j);
  double change(std::size_t i, double length);
  double best_length(std::size_t i, double gradient) const;
  void ascend(const RowView<T>& first, double first_length, const RowView<T>& second, double second_length);

  Members<T> members_;
  KernelRows<T> rows_;
  Bracket bracket_;
  std::int32_t positive_class_;
  bool biased_;
  double slack_gap_ = 0.0;
  std::size_t steps_ = 0;
};

}  // namespace hinge
