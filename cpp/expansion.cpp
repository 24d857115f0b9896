#include "expansion.hpp"

#include <algorithm>

namespace hinge {

void Expansion::resize(std::size_t count) {
  size_ = count;
  const std::size_t capacity = padded(count);
  for (auto* values : {&alpha, &gradient, &low, &high, &label, &lag, &up, &down, &cost}) {
    values->resize(capacity, 0.0);
    std::fill(values->begin() + static_cast<std::ptrdiff_t>(count), values->end(), 0.0);
  }
  for (auto* marks : {&room, &mistaken}) {
    marks->resize(capacity, 0);
    std::fill(marks->begin() + static_cast<std::ptrdiff_t>(count), marks->end(), std::uint8_t{0});
  }
}

std::size_t Expansion::append(double y, const Box& box, double g) {
  const std::size_t i = size_;
  resize(size_ + 1);
  ++removed_;
  reinsert(i, y, box, g);
  return i;
}

void Expansion::set_alpha(std::size_t i, double value) {
  support_ += static_cast<std::size_t>(value != 0.0) - static_cast<std::size_t>(alpha[i] != 0.0);
  alpha[i] = value;
  up[i] = high[i] - value;
  down[i] = low[i] - value;
  const std::uint8_t rise = value < high[i] ? may_rise : std::uint8_t{0};
  const std::uint8_t fall = value > low[i] ? may_fall : std::uint8_t{0};
  room[i] = static_cast<std::uint8_t>(rise | fall);
}

void Expansion::remove(std::size_t i) {
  support_ -= static_cast<std::size_t>(alpha[i] != 0.0);
  alpha[i] = low[i] = high[i] = label[i] = lag[i] = up[i] = down[i] = cost[i] = 0.0;
  room[i] = mistaken[i] = 0;
  ++removed_;
}

void Expansion::reinsert(std::size_t i, double y, const Box& box, double g) {
  --removed_;
  label[i] = y;
  low[i] = box.low;
  high[i] = box.high;
  gradient[i] = g;
  cost[i] = box.high - box.low;
  set_alpha(i, 0.0);
}

Moves Expansion::close_gaps() {
  const Moves moves = moves_to_close_gaps(size_, [&](std::size_t i) { return holds(i); });
  follow(moves);
  return moves;
}

void Expansion::follow(const Moves& moves) {
  for (const auto& [from, to] : moves.list) {
    for (auto* values : {&alpha, &gradient, &low, &high, &label, &lag, &up, &down, &cost}) (*values)[to] = (*values)[from];
    room[to] = room[from];
    mistaken[to] = mistaken[from];
  }
  resize(moves.size);
  removed_ = 0;
  for (std::size_t i = 0; i < size_; ++i) removed_ += holds(i) ? 0 : 1;
}

std::vector<std::size_t> Expansion::held() const {
  std::vector<std::size_t> members;
  members.reserve(held_count());
  for (std::size_t i = 0; i < size_; ++i)
    if (holds(i)) members.push_back(i);
  return members;
}

}  // namespace hinge
