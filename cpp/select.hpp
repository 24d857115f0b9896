// Selection of the next example (section 4 of the LASVM paper). Candidates are drawn at random among those not yet processed; one of each draw
// is processed and the others go back. Whether a processed example is learned is for PROCESS to decide, by y f(x).
//
//   gradient     the most misclassified:            argmin y f(x)
//   active       the closest to the boundary:       argmin |f(x)|          (labels are not used)
//   autoactive   the same, but the draw ends early, once five candidates lie within 1 + delta/2 of the boundary, or after 100
//
// Draws cost many times what they are worth once no candidate is near the boundary. After twenty such draws in a row the remaining examples are visited in
// the order given (default), drawn as before (the paper), or left out: then their labels are never used, and outliers on the wrong side are not
// learned.
//
// With several binary models |f| is replaced by the margin between the two best classes, and y f by the smallest y_m f_m.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "options.hpp"

namespace hinge {

// How a solver wants examples to be selected.
struct ExampleSelection {
  Selection rule = Selection::random;
  std::size_t pool_size = 1;
  std::size_t unselected_per_class = 0;  // examples that a new model learns as they come, before it selects any
  WhenConfident when_confident = WhenConfident::visit;
  std::optional<std::size_t> max_visits;
};

class Selector {
 public:
  Selector(const ExampleSelection& selection, std::span<const std::int64_t> rows, std::uint64_t seed);

  // Draws candidate rows for as many choices as a block of this size holds; empty when everything has been processed. Rows behind `used` of the
  // block before come first: their draw was not complete.
  std::vector<std::int64_t> draw(std::size_t block, std::size_t used);
  bool processed(std::int64_t row) const { return processed_[static_cast<std::size_t>(row)]; }
  void mark(std::int64_t row) { processed_[static_cast<std::size_t>(row)] = 1; }
  // The lowest score is selected. `decisions` has one value per binary model, `labels` what each wants: +1, -1 or, if it does not see the class, 0.
  // `margin` is how far the decisions are from another class.
  double score(std::span<const double> decisions, std::span<const double> labels, double margin) const;
  // True once a draw of so many candidates, some inside the margin, needs no more, or there are no more.
  bool complete(std::size_t drawn, std::size_t inside) const;
  bool has_more() const { return last_drawn_ < waiting_.size(); }
  // Counts a choice. Returns true once selection has become confident: many choices in a row lay outside the margin.
  bool count_choice(bool inside);

 private:
  static constexpr std::size_t enough_inside = 5;
  static constexpr std::size_t largest_draw = 100;
  static constexpr std::size_t max_choices_outside = 20;

  Selection rule_;
  std::size_t draw_size_;
  std::vector<std::int64_t> waiting_;
  std::vector<std::uint8_t> processed_;
  std::mt19937_64 random_;
  std::size_t last_drawn_ = 0;
  std::size_t outside_ = 0;
};

}  // namespace hinge
