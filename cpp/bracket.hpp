// The bracket [bottom, top] = [smallest gradient of a coefficient that may fall, largest of one that may rise], and the members at its ends.
//
// Without members of a kind that end is infinite. The bias lies in the middle, and the width is how much the most violating pair violates. In
// models without a bias coefficients move alone, and each violates by its own gradient.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "duality.hpp"
#include "expansion.hpp"
#include "loops.hpp"

namespace hinge {

class Bracket {
 public:
  explicit Bracket(bool biased) : biased_(biased) {}

  bool biased() const { return biased_; }
  double top() const { return ends_.top; }
  double bottom() const { return ends_.bottom; }
  std::size_t top_at() const { return ends_.top_at; }
  std::size_t bottom_at() const { return ends_.bottom_at; }
  bool has_pair() const { return std::isfinite(ends_.top) && std::isfinite(ends_.bottom); }
  // How much the most violating pair (or coefficient, without a bias) violates.
  double violation() const {
    if (!biased_) return std::max({0.0, ends_.top, -ends_.bottom});
    return has_pair() ? ends_.top - ends_.bottom : 0.0;
  }
  // The duality gap of a model without a bias, as of the last loop over all gradients.
  double slack_gap() const { return slack_gap_; }

  double bias() const {
    if (!biased_) return 0.0;
    if (has_pair()) return 0.5 * (ends_.top + ends_.bottom);
    if (std::isfinite(ends_.top)) return ends_.top;
    return std::isfinite(ends_.bottom) ? ends_.bottom : 0.0;
  }

  // Takes over what a loop over all gradients found.
  void set(const Extremes& ends) { ends_ = ends; }
  void set(const Ascent& ascent) {
    ends_ = ascent.extremes;
    slack_gap_ = ascent.gap;
  }

  // A new member.
  void include(const Expansion& expansion, std::size_t i) {
    const double gradient = expansion.gradient[i];
    if ((expansion.room[i] & may_rise) && gradient > ends_.top) ends_.top = gradient, ends_.top_at = i;
    if ((expansion.room[i] & may_fall) && gradient < ends_.bottom) ends_.bottom = gradient, ends_.bottom_at = i;
  }

  // A pair that has just moved, where the extremes are those of all others. Where i and j are equal, they take fixed roles.
  void include_pair(const std::vector<double>& gradient, const std::vector<std::uint8_t>& room, std::size_t i, std::size_t j) {
    for (const std::size_t at : {i, j})
      if ((room[at] & may_rise) && gradient[at] >= ends_.top) ends_.top = gradient[at], ends_.top_at = at;
    for (const std::size_t at : {j, i})
      if ((room[at] & may_fall) && gradient[at] <= ends_.bottom) ends_.bottom = gradient[at], ends_.bottom_at = at;
  }

  // Prefers some members at the next refresh where several have the extreme gradient: restored models go on as they would have.
  void prefer(std::size_t top_at, std::size_t bottom_at) {
    ends_.top_at = top_at;
    ends_.bottom_at = bottom_at;
  }

  // Finds the ends again. Of equal members the one that was the end already stays, else the oldest is chosen, so that the result does not depend on
  // their positions.
  template <class T, class IdOf>
  void refresh(const Expansion& expansion, IdOf id_of) {
    const Extremes before = ends_;
    ends_ = loops<T>().extremes(expansion.gradient.data(), expansion.room.data(), expansion.size());
    ends_.top_at = same_end(expansion, ends_.top_at, before.top_at, may_rise, id_of);
    ends_.bottom_at = same_end(expansion, ends_.bottom_at, before.bottom_at, may_fall, id_of);
    if (!biased_) slack_gap_ = duality_gap(expansion, false);
  }

  void follow(const Moves& moves) {
    for (const auto& [from, to] : moves.list) {
      if (ends_.top_at == from) ends_.top_at = to;
      if (ends_.bottom_at == from) ends_.bottom_at = to;
    }
  }

 private:
  template <class IdOf>
  static std::size_t same_end(const Expansion& expansion, std::size_t found, std::size_t before, std::uint8_t way, IdOf id_of) {
    const auto is_equal = [&](std::size_t at) { return expansion.gradient[at] == expansion.gradient[found] && (expansion.room[at] & way); };
    if (before < expansion.size() && is_equal(before)) return before;
    std::size_t oldest = found;
    for (std::size_t i = 0; i < expansion.size(); ++i)
      if (is_equal(i) && id_of(i) < id_of(oldest)) oldest = i;
    return oldest;
  }

  bool biased_;
  Extremes ends_{};
  double slack_gap_ = 0.0;
};

}  // namespace hinge
