#include "select.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace hinge {

Selector::Selector(Selection selection, std::size_t pool_size, std::span<const std::int64_t> rows, std::uint64_t seed)
    : selection_(selection),
      draw_size_(selection == Selection::autoactive ? std::max(largest_draw, pool_size) : std::max<std::size_t>(pool_size, 1)),
      waiting_(rows.begin(), rows.end()),
      random_(seed) {
  const auto largest = std::max_element(waiting_.begin(), waiting_.end());
  processed_.resize(largest == waiting_.end() ? 0 : static_cast<std::size_t>(*largest) + 1, 0);
}

// A partial shuffle: the front of the list becomes the draw. Processed rows are removed when they are drawn. The remainder is used
// instead of a distribution of the standard library because those differ between platforms.
std::vector<std::int64_t> Selector::draw(std::size_t block) {
  std::vector<std::int64_t> drawn;
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
  return drawn;
}

void Selector::mark(std::int64_t row) { processed_[static_cast<std::size_t>(row)] = 1; }

double Selector::score(std::span<const double> decisions, std::span<const double> labels) const {
  if (uses_labels()) {
    double worst = std::numeric_limits<double>::infinity();
    for (std::size_t m = 0; m < decisions.size(); ++m) worst = std::min(worst, labels[m] * decisions[m]);
    return worst;
  }
  if (decisions.size() == 1) return std::abs(decisions[0]);
  double best = -std::numeric_limits<double>::infinity(), second = best;
  for (const double decision : decisions) {
    if (decision > best)
      second = std::exchange(best, decision);
    else
      second = std::max(second, decision);
  }
  return 0.5 * (best - second);
}

}  // namespace hinge
