// Selection of the next example (section 4 of the LASVM paper). Candidates are drawn at random among those not yet processed; one of each draw
// is learned and the others go back.
//
//   gradient     the most misclassified:            argmin y f(x)
//   active       the closest to the boundary:       argmin |f(x)|          (labels are not used)
//   autoactive   the same, but the draw ends early, once five candidates lie within 1 + delta/2 of the boundary
//
// With several binary models f is replaced by the margin between the two best classes, and y f by the smallest y_m f_m.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "options.hpp"

namespace hinge {

class Selector {
 public:
  Selector(Selection selection, std::size_t pool_size, std::span<const std::int64_t> rows, std::uint64_t seed);

  // Draws candidate rows for as many choices as one block holds; empty when everything has been processed.
  std::vector<std::int64_t> draw(std::size_t block);
  std::size_t draw_size() const { return draw_size_; }
  bool processed(std::int64_t row) const { return processed_[static_cast<std::size_t>(row)]; }
  void mark(std::int64_t row);
  // The lowest score is selected. `decisions` has one value per binary model, `labels` the +1 or -1 of each.
  double score(std::span<const double> decisions, std::span<const double> labels) const;
  // True once a draw holds enough candidates inside the margin (autoactive).
  bool satisfied(std::size_t inside) const { return selection_ == Selection::autoactive && inside >= enough_inside; }
  bool uses_labels() const { return selection_ == Selection::gradient; }

  // Selection ends after so many consecutive draws without an example to learn.
  static constexpr std::size_t max_idle_draws = 20;

 private:
  static constexpr std::size_t enough_inside = 5;
  static constexpr std::size_t largest_draw = 100;

  Selection selection_;
  std::size_t draw_size_;
  std::vector<std::int64_t> waiting_;
  std::vector<std::uint8_t> processed_;
  std::mt19937_64 random_;
};

}  // namespace hinge
