#include "rows.hpp"

#include <algorithm>
#include <utility>

namespace hinge {

template <class T>
typename RowCache<T>::Row& RowCache<T>::fetch(std::size_t i, std::size_t length, std::size_t pinned) {
  if (i >= rows_.size()) rows_.resize(i + 1);
  if (!rows_[i]) rows_[i] = std::make_unique<Row>();
  if (holds(i)) order_.splice(order_.begin(), order_, at(i).place);
  catch_up(at(i));
  reserve(i, length, pinned);
  return at(i);
}

template <class T>
void RowCache<T>::set_budget(std::size_t bytes) {
  const bool lower = bytes < budget_;
  budget_ = bytes;
  if (!lower || pool_.size() <= most_segments()) return;
  while (!order_.empty()) drop(order_.back());
  pool_ = {};
}

template <class T>
void RowCache<T>::extend(std::size_t i, std::size_t length) {
  reserve(i, length, i);
}

// An entry that a move needs but the row does not have would leave a hole: such a row starts again.
template <class T>
void RowCache<T>::catch_up(Row& row) const {
  if (row.segments.empty() || row.closings + closings_.size() < closing_count_) row.valid = 0;
  for (std::size_t s = closings_.size() - std::min(closings_.size(), closing_count_ - row.closings);
       row.valid != 0 && s < closings_.size(); ++s) {
    const Closing& closing = closings_[s];
    if (row.valid < closing.old_size) {
      row.valid = 0;
      break;
    }
    for (const auto& [from, to] : closing.moves) row.entry(to) = row.entry(from);
    row.valid = closing.new_size;
  }
  row.closings = closing_count_;
}

template <class T>
void RowCache<T>::reserve(std::size_t i, std::size_t length, std::size_t pinned) {
  const std::size_t wanted = segments_for(length);
  Row& row = at(i);
  if (row.segments.size() >= wanted) return;
  make_room(wanted - row.segments.size(), i, pinned);
  if (row.segments.empty()) {
    row.place = order_.insert(order_.begin(), i);
    row.closings = closing_count_;
  }
  for (; row.segments.size() < wanted; ++used_) row.segments.push_back(pool_.take(most_segments()));
}

template <class T>
void RowCache<T>::make_room(std::size_t segments, std::size_t i, std::size_t pinned) {
  auto oldest = order_.end();
  while (used_ + segments > most_segments() && oldest != order_.begin()) {
    const std::size_t evicted = *--oldest;
    if (evicted == i || evicted == pinned) continue;
    ++oldest;
    drop(evicted);
  }
}

template <class T>
void RowCache<T>::drop(std::size_t i) {
  if (!holds(i)) return;
  used_ -= at(i).segments.size();
  order_.erase(at(i).place);
  for (T* segment : at(i).segments) pool_.give(segment);
  rows_[i].reset();
}

template <class T>
void RowCache<T>::drop_older_than(std::size_t time) {
  while (!order_.empty() && at(order_.back()).last_used < time) drop(order_.back());
}

template <class T>
void RowCache<T>::follow(const Moves& moves, std::size_t old_size) {
  for (const auto& [from, to] : moves.list) {
    drop(to);
    if (!holds(from)) continue;
    rows_[to] = std::move(rows_[from]);
    *at(to).place = to;
  }
  for (std::size_t i = moves.size; i < rows_.size(); ++i) drop(i);
  rows_.resize(std::min(rows_.size(), moves.size));
  if (closings_.size() >= remembered_closings / 4) forget_closings();
  closings_.push_back({moves.list, old_size, moves.size});
  ++closing_count_;
  if (closings_.size() > remembered_closings) closings_.pop_front();
}

template <class T>
void RowCache<T>::forget_closings() {
  std::size_t followed = closing_count_;
  for (const std::size_t i : order_) followed = std::min(followed, at(i).closings);
  while (closings_.size() > closing_count_ - followed) closings_.pop_front();
}

template <class T>
void RowCache<T>::restrict_to(std::span<const std::size_t> kept) {
  for (std::size_t i = 0, k = 0; i < rows_.size(); ++i) {
    const bool stays = k < kept.size() && kept[k] == i;
    k += stays;
    if (!stays) drop(i);
  }
  std::vector<std::unique_ptr<Row>> rows(kept.size());
  for (std::size_t k = 0; k < kept.size(); ++k) {
    if (!holds(kept[k])) continue;
    rows[k] = std::move(rows_[kept[k]]);
    Row& row = *rows[k];
    *row.place = k;
    catch_up(row);
    std::size_t filled = 0;
    for (; filled < kept.size() && kept[filled] < row.valid; ++filled) row.entry(filled) = row.entry(kept[filled]);
    row.valid = filled;
  }
  rows_ = std::move(rows);
}

template class RowCache<float>;
template class RowCache<double>;

}  // namespace hinge
