#include "select.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace hinge {

Selector::Selector(const ExampleSelection& selection, std::span<const std::int64_t> rows, std::uint64_t seed)
    : rule_(selection.rule),
      draw_size_(selection.rule == Selection::autoactive ? largest_draw : std::max<std::size_t>(selection.pool_size, 1)),
      waiting_(rows.begin(), rows.end()),
      random_(seed) {
  const auto largest = std::max_element(waiting_.begin(), waiting_.end());
  processed_.resize(largest == waiting_.end() ? 0 : static_cast<std::size_t>(*largest) + 1, 0);
}

// A partial shuffle: the front of the list becomes the draw. Processed rows are removed when they are drawn. The remainder is used
// instead of a distribution of the standard library because those differ between platforms.
std::vector<std::int64_t> Selector::draw(std::size_t block, std::size_t used) {
  std::vector<std::int64_t> drawn;
  for (std::size_t from = used; from < last_drawn_; ++from) {
    std::swap(waiting_[drawn.size()], waiting_[from]);
    drawn.push_back(waiting_[drawn.size()]);
  }
  const std::size_t wanted = std::max<std::size_t>(block / draw_size_, 1) * draw_size_;
  while (drawn.size() < wanted && drawn.size() < waiting_.size()) {
    const std::size_t front = drawn.size();
    const std::size_t pick = front + static_cast<std::size_t>(random_() % (waiting_.size() - front));
    if (processed(waiting_[pick])) {
      waiting_[pick] = waiting_.back();
      waiting_.pop_back();
      continue;
    }
    std::swap(waiting_[front], waiting_[pick]);
    drawn.push_back(waiting_[front]);
  }
  last_drawn_ = drawn.size();
  return drawn;
}

bool Selector::complete(std::size_t drawn, std::size_t inside) const {
  return drawn == draw_size_ || (rule_ == Selection::autoactive && inside >= enough_inside);
}

bool Selector::count_choice(bool inside) {
  outside_ = inside ? 0 : outside_ + 1;
  return outside_ >= max_choices_outside;
}

double Selector::score(std::span<const double> decisions, std::span<const double> labels, double margin) const {
  if (rule_ != Selection::gradient) return margin;
  double worst = std::numeric_limits<double>::infinity();
  for (std::size_t m = 0; m < decisions.size(); ++m)
    if (labels[m] != 0.0) worst = std::min(worst, labels[m] * decisions[m]);
  return worst;
}

}  // namespace hinge
