// The rows of examples with what a kernel needs to know of them, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "examples.hpp"
#include "growing.hpp"

namespace hinge {

template <class T>
class RowStore {
 public:
  RowStore(std::size_t features, bool sparse) : features_(features), sparse_(sparse) {}
  // A copy has room for as many rows again. Sparse rows are shared, not copied.
  RowStore(const RowStore& other);
  RowStore(RowStore&&) noexcept = default;
  RowStore& operator=(const RowStore&) = delete;

  std::size_t size() const { return ids_.size(); }
  std::int64_t id(std::size_t row) const { return ids_.data()[row]; }

  void reserve(std::size_t rows);
  // True if one more row can be appended without moving those that are there: views of them stay valid.
  bool has_room() const;
  void append(const Examples<T>& from, std::size_t row);
  void move(std::size_t from, std::size_t to);
  void truncate(std::size_t count);

  Examples<T> view(T largest_norm) const {
    return {size(), features_, sparse_, values_.data(), rows_.data(), norms_.data(), ids_.data(), largest_norm};
  }
  void check_invariants() const;

 private:
  void check_row(std::size_t row) const;

  struct OwnedRow {
    std::vector<std::int32_t> index;
    std::vector<T> value;
  };

  std::size_t features_;
  bool sparse_;
  Growing<T> values_;
  std::vector<std::shared_ptr<const OwnedRow>> owned_;
  Growing<SparseRow<T>> rows_;  // views of the owned
  Growing<T> norms_;
  Growing<std::int64_t> ids_;
};

}  // namespace hinge
