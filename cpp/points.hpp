// The examples that some binary still needs, each in a slot. A slot whose last user has left is unused: it keeps its place, so that
// nothing else moves, until `close_gaps` closes the gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "copy_on_write.hpp"
#include "examples.hpp"
#include "gaps.hpp"
#include "row_store.hpp"
#include "sparse_index.hpp"

namespace hinge {

// The examples of one moment, whatever happens to the points afterwards. The store only keeps them alive: the points may be appending to it.
template <class T>
struct PointsSnapshot {
  CopyOnWrite<RowStore<T>> store;
  Examples<T> examples;
};

// Rows are copied only where a snapshot that somebody still holds would otherwise change, or move.
template <class T>
class Points {
 public:
  Points(std::size_t features, bool sparse) : features_(features), sparse_(sparse), store_(std::in_place, features, sparse) {}
  Points(const Points&) = delete;
  Points& operator=(const Points&) = delete;
  Points(Points&&) noexcept = default;
  Points& operator=(Points&&) noexcept = default;

  std::size_t size() const { return store_->size(); }
  std::size_t features() const { return features_; }
  bool sparse() const { return sparse_; }
  std::size_t unused_count() const { return unused_; }
  // Values that one product with a stored example has to read, on average.
  std::size_t row_cost() const { return sparse() ? stored_values_ / (size() + 1) + 1 : features(); }
  // Sparse: non-zeros of all slots.
  std::size_t stored_values() const { return stored_values_; }

  // Copies one example into a new last slot, with no user yet.
  std::size_t append(const Examples<T>& from, std::size_t row, std::int32_t label, double cost);
  void acquire(std::size_t slot);
  void release(std::size_t slot);
  bool used(std::size_t slot) const { return users_[slot] != 0; }
  std::size_t users(std::size_t slot) const { return static_cast<std::size_t>(users_[slot]); }
  std::optional<std::size_t> find(std::int64_t id) const;
  // Closes the gaps and tells how.
  Moves close_gaps();
  // How often that happened; until it happens again, slots are only appended.
  std::size_t closings() const { return closings_; }
  // A packed copy of some slots.
  Points pick(std::span<const std::size_t> slots) const;

  // Sparse: lists all slots by feature, for as long as they keep their places; slots that come later are missing from it.
  void list_by_feature();
  const SparseIndex<T>* index() const { return index_ && index_closings_ == closings_ ? index_.get() : nullptr; }

  // Valid until something is appended or the gaps are closed.
  Examples<T> examples() const { return store_->view(largest_norm_); }
  // Valid as long as it exists. It costs nothing, unless it still exists when rows have to move or to be overwritten: then they are copied first.
  PointsSnapshot<T> snapshot() const { return {store_, examples()}; }
  std::int64_t id(std::size_t slot) const { return store_->id(slot); }
  std::int32_t label(std::size_t slot) const { return labels_[slot]; }
  double cost(std::size_t slot) const { return costs_[slot]; }
  void set_label(std::size_t slot, std::int32_t label, double cost) {
    labels_[slot] = label;
    costs_[slot] = cost;
  }
  void check_invariants() const;  // see invariants.hpp; so in the other classes that have one

 private:
  void move_slot(RowStore<T>& store, std::size_t from, std::size_t to);
  void truncate(RowStore<T>& store, std::size_t count);

  std::size_t features_;
  bool sparse_;
  CopyOnWrite<RowStore<T>> store_;
  std::vector<std::int32_t> labels_;
  std::vector<double> costs_;
  std::vector<std::int32_t> users_;
  std::unordered_map<std::int64_t, std::size_t> slot_of_;
  std::size_t unused_ = 0;
  std::size_t closings_ = 0;
  std::unique_ptr<SparseIndex<T>> index_;
  std::size_t index_closings_ = 0;
  std::size_t stored_values_ = 0;
  T largest_norm_ = 0;
};

}  // namespace hinge
