// A byte-bounded cache of kernel rows. Row i holds k(x_i, x_0 ... x_{valid-1}) in the order of the members of one binary model.
#pragma once

#include <cstddef>
#include <deque>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "gaps.hpp"
#include "segments.hpp"

namespace hinge {

template <class T>
class RowCache {
 public:
  explicit RowCache(std::size_t bytes) : budget_(bytes) {}
  RowCache(const RowCache&) = delete;
  RowCache(RowCache&&) = default;
  RowCache& operator=(const RowCache&) = delete;
  RowCache& operator=(RowCache&&) = default;

  struct Row {
    std::vector<T*> segments;
    std::size_t valid = 0;      // leading entries that are filled in
    std::size_t last_used = 0;  // by the clock of its binary model
    std::size_t closings = 0;   // how many closings of gaps its entries have followed
    std::list<std::size_t>::iterator place;  // in the order of use; meaningful only while there are segments

    T& entry(std::size_t e) { return segments[e / segment_length][e % segment_length]; }
    RowView<T> view() const { return {segments.data()}; }
  };

  // The row of example i with room for `length` entries, most recently used from now on. Least recently used rows are evicted, but
  // never row `pinned`: the two rows of a pair are always cached together, whatever the budget.
  Row& fetch(std::size_t i, std::size_t length, std::size_t pinned);
  // Makes room for `length` entries in a cached row, which does not count as a use of it.
  void extend(std::size_t i, std::size_t length);
  // Makes the entries of a row follow the closings of gaps since its last use. Different rows may do so at the same time.
  void catch_up(Row& row) const;
  bool empty() const { return used_ == 0; }
  bool holds(std::size_t i) const { return i < rows_.size() && rows_[i] && !rows_[i]->segments.empty(); }
  Row& at(std::size_t i) { return *rows_[i]; }
  std::size_t rows_that_fit(std::size_t length) const { return most_segments() / segments_for(length); }
  std::size_t budget() const { return budget_; }
  // Takes effect at once: when more memory is in use, all rows are dropped.
  void set_budget(std::size_t bytes);
  void drop(std::size_t i);
  // Drops all rows not used since that time, so that their memory is used again rather than memory touched for the first time.
  void drop_older_than(std::size_t time);
  // Follows its binary model: rows change places at once, entries when a row is next used.
  void follow(const Moves& moves, std::size_t old_size);
  // Keeps the listed members (ascending) only, in rows and in columns.
  void restrict_to(std::span<const std::size_t> kept);
  void check_invariants(std::size_t members) const;
  // A copy of the entries of a cached row, all closings followed.
  std::vector<T> entries(std::size_t i) const;

 private:
  static std::size_t segments_for(std::size_t length) { return length / segment_length + 1; }
  std::size_t most_segments() const { return budget_ / (segment_length * sizeof(T)); }
  void make_room(std::size_t segments, std::size_t i, std::size_t pinned);
  void reserve(std::size_t i, std::size_t length, std::size_t pinned);
  void forget_closings();

  struct Closing {
    std::vector<Move> moves;
    std::size_t old_size;
    std::size_t new_size;
  };
  static constexpr std::size_t remembered_closings = 64;

  std::size_t budget_;
  std::size_t used_ = 0;  // segments
  SegmentPool<T> pool_;
  std::vector<std::unique_ptr<Row>> rows_;  // by member; most have none
  std::deque<Closing> closings_;   // the latest ones that some row has not followed; rows that are further behind start again
  std::size_t closing_count_ = 0;
  std::list<std::size_t> order_;  // most recently used first
};

}  // namespace hinge
