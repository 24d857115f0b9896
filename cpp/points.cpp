#include "points.hpp"

#include <algorithm>
#include <utility>

namespace hinge {

template <class T>
std::size_t Points<T>::append(const Examples<T>& from, std::size_t row, std::int32_t label, double cost) {
  const std::size_t slot = size();
  if (sparse_) {
    const SparseRow<T>& source = from.rows[row];
    owned_.push_back({{source.index, source.index + source.size}, {source.value, source.value + source.size}});
    rows_.push_back({owned_.back().index.data(), owned_.back().value.data(), source.size});
    stored_values_ += source.size;
  } else {
    values_.append(from.values + row * features_, features_);
  }
  norms_.push_back(from.norms[row]);
  largest_norm_ = std::max(largest_norm_, from.norms[row]);
  ids_.push_back(from.ids[row]);
  labels_.push_back(label);
  costs_.push_back(cost);
  users_.push_back(0);
  ++dead_;
  return slot;
}

template <class T>
void Points<T>::acquire(std::size_t slot) {
  if (users_[slot]++ == 0) {
    --dead_;
    slot_of_[ids_[slot]] = slot;
  }
}

template <class T>
void Points<T>::release(std::size_t slot) {
  if (--users_[slot] == 0) {
    ++dead_;
    slot_of_.erase(ids_[slot]);
  }
}

template <class T>
std::optional<std::size_t> Points<T>::find(std::int64_t id) const {
  const auto found = slot_of_.find(id);
  if (found == slot_of_.end()) return std::nullopt;
  return found->second;
}

template <class T>
Moves Points<T>::squeeze() {
  const Moves moves = close_gaps(size(), [&](std::size_t slot) { return used(slot); });
  for (const auto& [from, to] : moves.list) {
    move_slot(from, to);
    slot_of_[ids_[to]] = to;
  }
  truncate(moves.size);
  ++squeezes_;
  return moves;
}

template <class T>
void Points<T>::move_slot(std::size_t from, std::size_t to) {
  if (sparse_) {
    owned_[to] = std::move(owned_[from]);
    rows_[to] = rows_[from];
  } else {
    std::copy_n(values_.data() + from * features_, features_, values_.data() + to * features_);
  }
  norms_[to] = norms_[from];
  ids_[to] = ids_[from];
  labels_[to] = labels_[from];
  costs_[to] = costs_[from];
  users_[to] = users_[from];
}

template <class T>
void Points<T>::truncate(std::size_t count) {
  if (sparse_) {
    owned_.resize(count);
    rows_.resize(count);
    stored_values_ = 0;
    for (const SparseRow<T>& row : rows_) stored_values_ += row.size;
  } else {
    values_.truncate(count * features_);
  }
  norms_.resize(count);
  ids_.resize(count);
  labels_.resize(count);
  costs_.resize(count);
  users_.resize(count);
  dead_ = 0;
}

template <class T>
Points<T> Points<T>::pick(std::span<const std::size_t> slots) const {
  Points picked(features_, sparse_);
  const Examples<T> all = examples();
  if (!sparse_) picked.values_.reserve(slots.size() * features_);
  for (const std::size_t slot : slots) picked.acquire(picked.append(all, slot, labels_[slot], costs_[slot]));
  return picked;
}

template <class T>
Examples<T> Points<T>::examples() const {
  return {size(), features_, sparse_, values_.data(), rows_.data(), norms_.data(), ids_.data(), largest_norm_};
}

template class Points<float>;
template class Points<double>;

}  // namespace hinge
