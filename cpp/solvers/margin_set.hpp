// The margin set S as a list of slots, in the order of the rows of its inverse Q (see margin_inverse.hpp).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gaps.hpp"
#include "solvers/margin_inverse.hpp"

namespace hinge {

class MarginSet {
 public:
  std::size_t size() const { return members_.size(); }
  bool empty() const { return members_.empty(); }
  std::size_t operator[](std::size_t position) const { return members_[position]; }
  const std::vector<std::size_t>& members() const { return members_; }
  // Only for members; row 1 + position of the inverse belongs to it.
  std::size_t position(std::size_t slot) const { return position_[slot]; }

  // The caller changes `inverse` accordingly: append a row, or replace the row of `slot` by the last one.
  void add(std::size_t slot) {
    position_[slot] = members_.size();
    members_.push_back(slot);
  }
  void remove(std::size_t slot) {
    members_[position_[slot]] = members_.back();
    position_[members_.back()] = position_[slot];
    members_.pop_back();
  }

  std::size_t slots() const { return position_.size(); }
  void append_slot() { position_.push_back(0); }
  void move_slot(const Move& move, bool is_member) {
    position_[move.to] = position_[move.from];
    if (is_member) members_[position_[move.to]] = move.to;
  }
  void truncate_slots(std::size_t count) { position_.resize(count); }

  MarginInverse inverse;

 private:
  std::vector<std::size_t> members_;
  std::vector<std::size_t> position_;  // by slot
};

}  // namespace hinge
