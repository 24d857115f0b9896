// One binary model: its members, their kernel rows, and the steps that move coefficients.
//
// It knows how coefficients move and how examples come and go; which of them is the solvers' business. It knows no classes: labels are +1 and -1.
// The model around it gives the members their slots, and the rows their panel; it does so on these parts directly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "bracket.hpp"
#include "kernel_rows.hpp"
#include "members.hpp"

namespace hinge {

template <class T>
class BinaryModel {
 public:
  // See BinaryModelBuilder. The bracket may prefer some members at its ends; they are found here.
  BinaryModel(Members<T> members, KernelRows<T> rows, const Bracket& bracket) : members_(std::move(members)), rows_(std::move(rows)), bracket_(bracket) {
    refresh_bracket();
  }

  // --- its parts ---
  Members<T>& members() { return members_; }
  const Members<T>& members() const { return members_; }
  KernelRows<T>& rows() { return rows_; }
  const KernelRows<T>& rows() const { return rows_; }
  const Bracket& bracket() const { return bracket_; }
  // Solvers may change gradients, and what averages need.
  Expansion& expansion() { return members_.expansion; }
  const Expansion& expansion() const { return members_.expansion; }

  // --- its state ---
  double bias() const { return bracket_.bias(); }
  // How much the most violating pair (or coefficient, without a bias) violates.
  double violation() const { return bracket_.violation(); }
  std::size_t steps() const { return steps_; }
  // Steps that were made elsewhere for this model.
  void count_steps(std::size_t count) { steps_ += count; }

  // --- members come and go ---
  // sum_i alpha_i k(x, x_i) for the block's example x; its decision value is that and the bias.
  double sum(std::size_t position) { return loops<T>().dot(rows_.current_row(members_, position), expansion().alpha.data(), expansion().size()); }
  // Takes in the block's example whose sum was computed last, with alpha = 0.
  std::size_t insert(std::size_t position, double label, const Box& box, double gradient);
  void remove(std::size_t i);
  // Removes the idle members that `leaves(i)` is true of.
  template <class Leaves>
  void remove_idle(Leaves leaves) {
    members_.remove_idle(leaves, [&](std::size_t i) { remove(i); });
  }
  // Closes the gaps that removed members left.
  void close_gaps();
  std::int64_t id_of(std::size_t i) const { return rows_.id_of(members_, i); }
  RowView<T> row(std::size_t i, std::size_t pinned) {
    return bracket_.biased() ? rows_.row_and_next(members_, i, pinned) : rows_.row(members_, i, pinned);
  }

  // --- steps ---
  // Moves alpha_i up and alpha_j down as far as the dual grows and the boxes allow; returns the gain.
  double pair_step(std::size_t i, std::size_t j);
  void move_pair(std::size_t i, std::size_t j, double length);
  // The best step of one coefficient alone, for models without a bias, and any such step.
  double best_length(std::size_t i) const { return best_length(i, expansion().gradient[i]); }
  void coordinate_step(std::size_t i, double length);
  // The best step for i, then the best for j, in one pass over the gradients.
  void coordinate_steps(std::size_t i, std::size_t j);
  // Finds the ends of the bracket after gradients or members have changed otherwise.
  void refresh_bracket();

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
  std::size_t steps_ = 0;
};

}  // namespace hinge
