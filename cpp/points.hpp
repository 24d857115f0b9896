// The examples that some binary still needs, each in a slot. A slot whose last user has left is dead: it keeps its place, so that
// nothing else moves, until `squeeze` closes the gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "examples.hpp"
#include "gaps.hpp"
#include "growing.hpp"

namespace hinge {

template <class T>
class Points {
 public:
  Points(std::size_t features, bool sparse) : features_(features), sparse_(sparse) {}

  std::size_t size() const { return ids_.size(); }
  std::size_t features() const { return features_; }
  bool sparse() const { return sparse_; }
  std::size_t dead() const { return dead_; }
  // Values that one product with a stored example has to read, on average.
  std::size_t row_cost() const { return sparse_ ? stored_values_ / (size() + 1) + 1 : features_; }

  // Copies one example into a new last slot, with no user yet.
  std::size_t append(const Examples<T>& from, std::size_t row, std::int32_t label, double cost);
  void acquire(std::size_t slot);
  void release(std::size_t slot);
  bool used(std::size_t slot) const { return users_[slot] != 0; }
  std::size_t users(std::size_t slot) const { return static_cast<std::size_t>(users_[slot]); }
  std::optional<std::size_t> find(std::int64_t id) const;
  // Closes the gaps and tells how.
  Moves squeeze();
  // How often that happened: as long as it does not, slots only come.
  std::size_t squeezes() const { return squeezes_; }
  // A packed copy of some slots.
  Points pick(std::span<const std::size_t> slots) const;

  Examples<T> examples() const;
  std::int64_t id(std::size_t slot) const { return ids_[slot]; }
  std::int32_t label(std::size_t slot) const { return labels_[slot]; }
  double cost(std::size_t slot) const { return costs_[slot]; }
  void set_label(std::size_t slot, std::int32_t label, double cost) {
    labels_[slot] = label;
    costs_[slot] = cost;
  }
  void check_invariants() const;  // see invariants.hpp; so in the other classes that have one

 private:
  void check_row(std::size_t slot) const;
  void move_slot(std::size_t from, std::size_t to);
  void truncate(std::size_t count);

  struct OwnedRow {
    std::vector<std::int32_t> index;
    std::vector<T> value;
  };

  std::size_t features_;
  bool sparse_;
  Growing<T> values_;
  std::vector<OwnedRow> owned_;
  std::vector<SparseRow<T>> rows_;
  std::vector<T> norms_;
  std::vector<std::int64_t> ids_;
  std::vector<std::int32_t> labels_;
  std::vector<double> costs_;
  std::vector<std::int32_t> users_;
  std::unordered_map<std::int64_t, std::size_t> slot_of_;
  std::size_t dead_ = 0;
  std::size_t squeezes_ = 0;
  std::size_t stored_values_ = 0;  // sparse: non-zeros of all slots
  T largest_norm_ = 0;
};

}  // namespace hinge
