// Who is in a binary model: coefficients, the slots of stored examples, and k(x, x) of each member.
//
// Members 0 ... stored() - 1 sit in slots of the model's points; later ones belong to the block that is being learned. A slot is held if and
// only if a member that was not removed sits in it. Every such member with coefficient zero is listed as idle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "expansion.hpp"
#include "gaps.hpp"

namespace hinge {

template <class T>
class Members {
 public:
  Expansion expansion;

  std::size_t stored() const { return stored_; }
  const std::vector<std::size_t>& slots() const { return slots_; }
  const std::vector<T>& diagonal() const { return diagonal_; }
  bool holds_slot(std::size_t slot) const { return slot < holds_.size() && holds_[slot]; }
  // The member in a slot that is held.
  std::size_t in_slot(std::size_t slot) const;
  // Member i sits in slot i, and there are no other slots.
  bool is_identity() const { return identity_; }

  // An example of the block, with alpha = 0.
  std::size_t append(T self, double label, const Box& box, double gradient);
  // An example that has a slot, outside a block; `refresh_identity` ends such building.
  void append_stored(std::size_t slot, T self, double label, const Box& box, double alpha, double gradient);
  // Changes one coefficient; the caller updates the gradients.
  void set_alpha(std::size_t i, double value);
  void remove(std::size_t i);
  // Gives the examples of the block their slots, one for each, in the order of insertion.
  void store(std::span<const std::size_t> slots, std::size_t points);
  // Slots given up since the last call; each was acquired once.
  std::vector<std::size_t> take_released() { return std::exchange(released_, {}); }
  // Closes the gaps that removed members left.
  Moves close_gaps(std::size_t points);
  // Follows Points::close_gaps.
  void follow(const Moves& moves, std::size_t points);
  void refresh_identity(std::size_t points);

  // Members with coefficient zero, each once, in ascending order.
  const std::vector<std::size_t>& idle();
  // Calls `remove(i)` for idle members that `leaves(i)` is true of, and unlists those that are idle no more.
  template <class Leaves, class Remove>
  void remove_idle(Leaves leaves, Remove remove) {
    std::erase_if(idle_, [&](std::size_t i) {
      if (!is_idle(i)) return true;
      if (!leaves(i)) return false;
      remove(i);
      return true;
    });
  }

  void check_invariants(std::size_t points) const;

 private:
  bool is_idle(std::size_t i) const { return expansion.holds(i) && expansion.alpha[i] == 0.0; }
  void list_idle();

  std::vector<T> diagonal_;  // padded as the expansion is
  std::vector<std::size_t> slots_;
  std::vector<std::size_t> idle_;  // may list members that have moved since, and some twice
  std::vector<std::uint8_t> holds_;
  std::vector<std::size_t> released_;
  std::size_t stored_ = 0;
  bool identity_ = true;
};

}  // namespace hinge
