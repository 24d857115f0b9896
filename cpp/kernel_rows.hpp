// Kernel values of the members of a binary model.
//
// Rows of stored members come from a cache, and are computed where they are not there. While a block is learned, the values of its examples come
// from the panel: the row of the current example, and the rows of examples taken in. A row is valid for its first entries, in the order of the
// members; rows that are often used are completed from the panel when the block ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernels.hpp"
#include "lookahead.hpp"
#include "members.hpp"
#include "points.hpp"
#include "rows.hpp"

namespace hinge {

template <class T>
class KernelRows {
 public:
  explicit KernelRows(std::size_t cache_bytes) : cache_(cache_bytes) {}

  // Where kernel values come from; must be set before any row is asked for, and the panel while a block is being learned. A binary model that is
  // alone may write behind the panel's rows.
  void attach(const Members<T>& members, const Kernel<T>* kernel, const Points<T>* points, Panel<T>* panel, bool alone);

  // Kernel values of the block's example at `position` against all members; valid until the next call.
  const T* current_row(const Members<T>& members, std::size_t position);
  // Prepares the row of that example, which is about to become a member; returns k(x, x). Its row is the last current row.
  T take_in(const Members<T>& members, std::size_t position);
  // The row of a member. Other rows may be evicted, but never row `pinned`.
  RowView<T> row(const Members<T>& members, std::size_t i, std::size_t pinned);
  // The same for steps along pairs: a row that is missing is computed together with others that the next steps are likely to ask for, since
  // most of the time goes into reading the stored examples.
  RowView<T> row_and_next(const Members<T>& members, std::size_t i, std::size_t pinned);
  // The id of a member's example, which is its place in the stream.
  std::int64_t id_of(const Members<T>& members, std::size_t i) const;
  std::int64_t id_of_current(std::size_t position) const { return panel_->block().rows().ids[position]; }
  // Block positions of the members that have no slot yet.
  const std::vector<std::size_t>& taken_in() const { return fresh_; }

  // Ends the block, in three parts: list the rows worth completing from the panel, complete them (tasks that may run side by side), and leave
  // the panel once the members are stored. The rows of new members with coefficient zero are worth it unless they are a reserve.
  std::size_t list_incomplete(const Members<T>& members);
  void complete(const Members<T>& members, std::size_t task);
  void leave_panel();

  // Computes the rows of all free members, in blocks over `threads`, if they fit into the cache.
  void prefetch(const Members<T>& members, std::size_t threads);
  // Computes the rows of all members, if they fit into the cache.
  void prefetch_all(const Members<T>& members);
  void drop(std::size_t i) { cache_.drop(i); }
  void follow(const Moves& moves, std::size_t old_size) { cache_.follow(moves, old_size); }
  // Hands the cache, restricted to some members, over to a smaller model.
  void hand_over(std::span<const std::size_t> members, KernelRows& smaller);

  RowCache<T>& cache() { return cache_; }
  const RowCache<T>& cache() const { return cache_; }
  const Points<T>& points() const { return *points_; }
  const Kernel<T>& kernel() const { return *kernel_; }
  bool in_block() const { return panel_ != nullptr || !fresh_.empty(); }
  std::size_t kernel_evals() const { return kernel_evals_; }
  // Sparse: kernel values of single rows against examples that the points do not list by feature, since the last call.
  std::size_t take_unlisted() { return std::exchange(unlisted_, 0); }
  // Kernel values that were computed elsewhere for this model.
  void count_kernel_evals(std::size_t count) { kernel_evals_ += count; }

 private:
  std::size_t warm_since() const;
  T* fresh_values(std::size_t f) { return in_place_ ? panel_->values(fresh_[f]) : fresh_rows_[f].data(); }
  void complete_fresh_values(std::size_t f, std::size_t stored);
  void complete_stored_row(const Members<T>& members, std::size_t i);
  void complete_fresh_row(const Members<T>& members, std::size_t i);
  void prefetch(const Members<T>& members, std::span<const std::size_t> wanted, std::size_t threads);
  void fill(const Members<T>& members, std::size_t slot, std::size_t first, std::size_t last, typename RowCache<T>::Row& row);
  std::vector<std::size_t> likely_next(const Expansion& expansion, std::size_t i, std::size_t stored) const;
  void fill_together(const Members<T>& members, std::span<const std::size_t> chosen, std::size_t pinned);
  void fill_by_index(const Members<T>& members, std::size_t slot, std::size_t first, std::size_t last, typename RowCache<T>::Row& row);

  RowCache<T> cache_;
  const Kernel<T>* kernel_ = nullptr;
  const Points<T>* points_ = nullptr;
  Panel<T>* panel_ = nullptr;
  bool in_place_ = true;  // panel rows can be used as they are
  std::vector<T> current_row_;
  std::vector<std::size_t> fresh_;  // block positions of the members taken in
  std::vector<std::vector<T>> fresh_rows_;
  std::vector<std::vector<const T*>> fresh_segments_;
  std::vector<std::size_t> incomplete_;
  std::size_t clock_ = 0;  // examples shown so far
  std::size_t kernel_evals_ = 0;
  std::size_t unlisted_ = 0;
  Block<T> one_;  // kept for its memory
};

}  // namespace hinge
