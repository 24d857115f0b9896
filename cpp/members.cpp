#include "members.hpp"

#include <algorithm>
#include <numeric>

#include "segments.hpp"

namespace hinge {

template <class T>
std::size_t Members<T>::in_slot(std::size_t slot) const {
  for (std::size_t i = 0; i < stored_; ++i)
    if (slots_[i] == slot && expansion.holds(i)) return i;
  return expansion.size();
}

template <class T>
std::size_t Members<T>::append(T self, double label, const Box& box, double gradient) {
  const std::size_t i = expansion.append(label, box, gradient);
  diagonal_.resize(padded(i + 1), T(0));
  diagonal_[i] = self;
  idle_.push_back(i);
  return i;
}

template <class T>
void Members<T>::append_stored(std::size_t slot, T self, double label, const Box& box, double alpha, double gradient) {
  const std::size_t i = append(self, label, box, gradient);
  set_alpha(i, alpha);
  slots_.push_back(slot);
  if (holds_.size() <= slot) holds_.resize(slot + 1, 0);
  holds_[slot] = 1;
  stored_ = i + 1;
}

template <class T>
void Members<T>::set_alpha(std::size_t i, double value) {
  expansion.set_alpha(i, value);
  if (value == 0.0) idle_.push_back(i);
  if (idle_.size() > 2 * expansion.size() + segment_length) list_idle();  // a member that comes and goes is listed each time
}

template <class T>
void Members<T>::remove(std::size_t i) {
  if (i < stored_) {
    released_.push_back(slots_[i]);
    holds_[slots_[i]] = 0;
  }
  expansion.remove(i);
}

template <class T>
void Members<T>::store(std::span<const std::size_t> slots, std::size_t points) {
  slots_.insert(slots_.end(), slots.begin(), slots.end());
  for (std::size_t f = 0; f < slots.size(); ++f) {
    const std::size_t slot = slots[f];
    if (holds_.size() <= slot) holds_.resize(slot + 1, 0);
    if (!expansion.holds(stored_ + f)) released_.push_back(slot);
    holds_[slot] = expansion.holds(stored_ + f);
  }
  stored_ = expansion.size();
  refresh_identity(points);
}

template <class T>
Moves Members<T>::close_gaps(std::size_t points) {
  Moves moves = expansion.close_gaps();
  for (const auto& [from, to] : moves.list) {
    slots_[to] = slots_[from];
    diagonal_[to] = diagonal_[from];
  }
  slots_.resize(moves.size);
  diagonal_.resize(padded(moves.size));
  stored_ = moves.size;
  list_idle();
  refresh_identity(points);
  return moves;
}

template <class T>
void Members<T>::follow(const Moves& moves, std::size_t points) {
  if (moves.size < holds_.size()) {
    std::vector<std::size_t> moved(holds_.size());
    std::iota(moved.begin(), moved.end(), std::size_t{0});
    for (const auto& [from, to] : moves.list)
      if (from < moved.size()) moved[from] = to;
    std::fill(holds_.begin(), holds_.end(), std::uint8_t{0});
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      slots_[i] = expansion.holds(i) ? moved[slots_[i]] : 0;
      if (expansion.holds(i)) holds_[slots_[i]] = 1;
    }
  }
  refresh_identity(points);
}

template <class T>
void Members<T>::refresh_identity(std::size_t points) {
  identity_ = slots_.size() == points;
  for (std::size_t i = 0; identity_ && i < slots_.size(); ++i) identity_ = slots_[i] == i;
}

template <class T>
const std::vector<std::size_t>& Members<T>::idle() {
  std::erase_if(idle_, [&](std::size_t i) { return !is_idle(i); });
  std::sort(idle_.begin(), idle_.end());
  idle_.erase(std::unique(idle_.begin(), idle_.end()), idle_.end());
  return idle_;
}

template <class T>
void Members<T>::list_idle() {
  idle_.clear();
  for (std::size_t i = 0; i < expansion.size(); ++i)
    if (is_idle(i)) idle_.push_back(i);
}

template class Members<float>;
template class Members<double>;

}  // namespace hinge
