#include "points.hpp"

#include <algorithm>
#include <utility>

namespace hinge {

// Snapshots see only the rows that were there when they were made. These stay where they are if there is room for one more.
template <class T>
std::size_t Points<T>::append(const Examples<T>& from, std::size_t row, std::int32_t label, double cost) {
  const std::size_t slot = size();
  RowStore<T>& store = store_->has_room() ? store_.edit_in_place() : store_.edit();
  store.append(from, row);
  if (sparse()) stored_values_ += from.rows[row].size;
  largest_norm_ = std::max(largest_norm_, from.norms[row]);
  labels_.push_back(label);
  costs_.push_back(cost);
  users_.push_back(0);
  ++unused_;
  return slot;
}

template <class T>
void Points<T>::acquire(std::size_t slot) {
  if (users_[slot]++ == 0) {
    --unused_;
    slot_of_[id(slot)] = slot;
  }
}

template <class T>
void Points<T>::release(std::size_t slot) {
  if (--users_[slot] == 0) {
    ++unused_;
    slot_of_.erase(id(slot));
  }
}

template <class T>
std::optional<std::size_t> Points<T>::find(std::int64_t id) const {
  const auto found = slot_of_.find(id);
  if (found == slot_of_.end()) return std::nullopt;
  return found->second;
}

template <class T>
Moves Points<T>::close_gaps() {
  const Moves moves = moves_to_close_gaps(size(), [&](std::size_t slot) { return used(slot); });
  if (moves.size < size()) {
    RowStore<T>& store = store_.edit();
    for (const auto& [from, to] : moves.list) move_slot(store, from, to);
    truncate(store, moves.size);
  }
  ++closings_;
  return moves;
}

template <class T>
void Points<T>::move_slot(RowStore<T>& store, std::size_t from, std::size_t to) {
  store.move(from, to);
  labels_[to] = labels_[from];
  costs_[to] = costs_[from];
  users_[to] = users_[from];
  slot_of_[store.id(to)] = to;
}

template <class T>
void Points<T>::truncate(RowStore<T>& store, std::size_t count) {
  store.truncate(count);
  labels_.resize(count);
  costs_.resize(count);
  users_.resize(count);
  unused_ = 0;
  stored_values_ = 0;
  const Examples<T> all = examples();
  for (std::size_t slot = 0; sparse() && slot < count; ++slot) stored_values_ += all.rows[slot].size;
}

template <class T>
void Points<T>::list_by_feature() {
  if (!sparse()) return;
  if (index() && index()->count() == size()) return;
  if (!index_) index_ = std::make_unique<SparseIndex<T>>();
  const Examples<T> all = examples();
  index_->build({all.rows, all.count}, features());
  index_closings_ = closings_;
}

template <class T>
Points<T> Points<T>::pick(std::span<const std::size_t> slots) const {
  Points picked(features(), sparse());
  const Examples<T> all = examples();
  picked.store_.edit().reserve(slots.size());
  for (const std::size_t slot : slots) picked.acquire(picked.append(all, slot, labels_[slot], costs_[slot]));
  return picked;
}

template class Points<float>;
template class Points<double>;

}  // namespace hinge
