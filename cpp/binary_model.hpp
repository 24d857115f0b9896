// One binary: an expansion, the slots of its members, and the door to their kernel rows. It knows how to move along a pair of
// coefficients and how examples come and go; which pairs and which examples is the solvers' business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "expansion.hpp"
#include "kernels.hpp"
#include "lookahead.hpp"
#include "points.hpp"
#include "rows.hpp"

namespace hinge {

template <class T>
class BinaryModel {
 public:
  BinaryModel(std::int32_t positive_class, bool biased, std::size_t cache_bytes)
      : cache_(cache_bytes), positive_class_(positive_class), biased_(biased) {}

  // Where kernel values come from; must be set before any step, and the panel while a block is being learned. A binary that is alone
  // may write behind the panel's rows.
  void look_at(const Kernel<T>* kernel, const Points<T>* points, Panel<T>* panel, bool alone);

  // --- one block ---
  // Kernel values of the block's example at `position` against all members; valid until the next call.
  const T* sight(std::size_t position);
  // sum_i alpha_i k(x, x_i) for the block's example x; its decision value is that and the bias.
  double sum(std::size_t position);
  // Takes the block's example in, with alpha = 0. Its row is the last sight.
  std::size_t insert(std::size_t position, double label, const Box& box, double gradient);
  std::size_t member_in(std::size_t slot) const;
  // The example's place in the stream.
  std::int64_t id_of(std::size_t i) const;
  bool holds_slot(std::size_t slot) const { return slot < holds_.size() && holds_[slot]; }
  // Ends the block, in three parts: list the rows worth completing from the panel, complete them (tasks that may run side by side), and
  // give the examples taken in their slots (one for each, in the order of insertion).
  std::size_t list_rows_to_settle();
  void settle_rows(std::size_t task);
  void commit(std::span<const std::size_t> slots);
  const std::vector<std::size_t>& fresh() const { return fresh_; }

  // --- pair steps ---
  // Moves alpha_i up and alpha_j down as far as the dual grows and the boxes allow; returns the gain.
  double step(std::size_t i, std::size_t j);
  void move(std::size_t i, std::size_t j, double length);
  // A coefficient alone; the caller keeps the gradient true.
  void set_alpha(std::size_t i, double value);
  // The best step of one coefficient alone, for binaries without a bias, and any such step.
  double best_length(std::size_t i) const { return best_length(i, expansion.gradient[i]); }
  void climb(std::size_t i, double length);
  // Such a step for i, then one for j, in one pass over the gradients.
  void climb_both(std::size_t i, std::size_t j);
  // The duality gap of a binary without a bias, as of the last such step.
  double slack_gap() const { return slack_gap_; }
  // Gives v's coefficient to other members where the dual loses least, of its own class as long as their boxes have room.
  void hand_over(std::size_t v);
  RowView<T> row(std::size_t i, std::size_t pinned);
  void remove(std::size_t i);
  void refresh_extremes();
  // The same, preferring these members where several have the extreme gradient: restored binaries go on as they would have.
  void set_ends(std::size_t top_at, std::size_t bottom_at);
  double top() const { return extremes_.top; }
  double bottom() const { return extremes_.bottom; }
  bool has_pair() const;
  double gap() const;   // delta: how much the most violating pair (or coefficient, without a bias) violates
  bool biased() const { return biased_; }
  double bias() const;  // the middle of the bracket, or none

  // --- keeping house, between blocks ---
  // Slots given up since the last call; each was acquired once.
  std::vector<std::size_t> take_released();
  void squeeze();
  // Follows Points::squeeze.
  void follow(const Moves& moves);
  // Finds the rows of all free members, which steps will mostly ask for, in blocks over `threads`, if there is room for them.
  void prefetch_rows(std::size_t threads);
  // gradient = label - K alpha, from scratch.
  void refresh_gradient(std::size_t threads);
  // The same binary with some of its members only, over points that hold just those; rows at hand come along.
  BinaryModel restricted(std::span<const std::size_t> members, const Points<T>& points);
  // The mirrored binary: the other class against this one's.
  BinaryModel mirrored(std::int32_t positive_class) const;

  Expansion expansion;
  std::vector<T> diagonal;
  std::vector<std::size_t> slots;
  std::vector<std::size_t> idle;  // all members with alpha = 0; may list some that have moved since, and some twice
  Extremes extremes_{};
  std::size_t steps = 0;
  std::size_t kernel_evals = 0;

  std::int32_t positive_class() const { return positive_class_; }
  double label_of(std::int32_t label) const { return label == positive_class_ ? 1.0 : -1.0; }
  RowCache<T>& cache() { return cache_; }
  const RowCache<T>& cache() const { return cache_; }
  const Points<T>& points() const { return *points_; }
  const Kernel<T>& kernel() const { return *kernel_; }
  // For binaries built member by member, outside a block; `refresh_identity` and `refresh_extremes` end the building.
  void append_member(std::size_t slot, T diagonal, double label, const Box& box, double alpha, double gradient);
  void refresh_identity();
  void check_invariants() const;

 private:
  void check_coefficients() const;
  void check_kernel_values() const;
  struct Heir {
    std::size_t at;
    double amount;
    double gain;
  };
  std::optional<Heir> best_heir(std::size_t v, bool same_class);
  void shift(std::size_t i, std::size_t j, double length);
  void list_idle();
  void level(std::size_t i, std::size_t j);
  void find_ends(std::size_t i, std::size_t j);
  std::size_t same_end(std::size_t found, std::size_t before, std::uint8_t way) const;
  double changed(std::size_t i, double length);
  double best_length(std::size_t i, double gradient) const;
  void ascend(const RowView<T>& first, double first_length, const RowView<T>& second, double second_length);
  void complete_fresh_row(std::size_t f);
  T* fresh_values(std::size_t f) { return in_place_ ? panel_->values(fresh_[f]) : fresh_rows_[f].data(); }
  void fill_row(std::size_t slot, std::size_t first, std::size_t last, typename RowCache<T>::Row& row);
  std::size_t warm_since() const;
  void settle_warm_row(std::size_t i);
  void settle_fresh_row(std::size_t i);

  RowCache<T> cache_;
  std::int32_t positive_class_;
  bool biased_;
  double slack_gap_ = 0.0;
  const Kernel<T>* kernel_ = nullptr;
  const Points<T>* points_ = nullptr;
  Panel<T>* panel_ = nullptr;
  bool identity_ = true;             // member i sits in slot i, and there are no other slots
  bool in_place_ = true;             // panel rows can be used as they are
  std::size_t committed_ = 0;        // members that have a slot; later ones live in the block
  std::vector<std::size_t> fresh_;   // block positions of the later ones
  std::vector<std::vector<T>> fresh_rows_;
  std::vector<std::vector<const T*>> fresh_segments_;
  std::vector<std::size_t> to_settle_;
  std::vector<T> sight_;
  std::vector<std::uint8_t> holds_;
  std::vector<std::size_t> released_;
  std::size_t clock_ = 0;  // examples shown so far
};

}  // namespace hinge
