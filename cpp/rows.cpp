#include "rows.hpp"

#include <algorithm>
#include <utility>

#include "loops.hpp"

namespace hinge {

template <class T>
typename RowCache<T>::Row& RowCache<T>::fetch(std::size_t i, std::size_t length, std::size_t pinned) {
  if (i >= rows_.size()) rows_.resize(i + 1);
  if (rows_[i].values) order_.splice(order_.begin(), order_, rows_[i].place);
  if (rows_[i].capacity < padded(length)) reserve(i, length, pinned);
  return rows_[i];
}

template <class T>
void RowCache<T>::extend(std::size_t i, std::size_t length) {
  if (rows_[i].capacity < padded(length)) reserve(i, length, i);
}

// A few sizes only, each a quarter above the last: rows are not copied each time an example enters, and buffers fit one another.
template <class T>
std::size_t RowCache<T>::capacity_for(std::size_t length) {
  std::size_t capacity = 256;
  while (capacity < length) capacity += padded(capacity / 4);
  return capacity;
}

template <class T>
void RowCache<T>::reserve(std::size_t i, std::size_t length, std::size_t pinned) {
  const std::size_t capacity = capacity_for(padded(length));
  make_room((capacity - rows_[i].capacity) * sizeof(T), i, pinned);
  Row& row = rows_[i];
  Buffer larger = spare_capacity_ == capacity ? std::move(spare_) : std::make_unique_for_overwrite<T[]>(capacity);
  if (spare_capacity_ == capacity) spare_capacity_ = 0;
  if (row.values)
    std::copy_n(row.values.get(), row.valid, larger.get());
  else
    row.place = order_.insert(order_.begin(), i);
  used_ += (capacity - row.capacity) * sizeof(T);
  row.values = std::move(larger);
  row.capacity = capacity;
}

template <class T>
void RowCache<T>::make_room(std::size_t bytes, std::size_t i, std::size_t pinned) {
  auto oldest = order_.end();
  while (used_ + bytes > budget_ && oldest != order_.begin()) {
    const std::size_t victim = *--oldest;
    if (victim == i || victim == pinned) continue;
    ++oldest;
    drop(victim);
  }
}

template <class T>
void RowCache<T>::drop(std::size_t i) {
  if (!holds(i)) return;
  used_ -= rows_[i].capacity * sizeof(T);
  order_.erase(rows_[i].place);
  spare_ = std::move(rows_[i].values);
  spare_capacity_ = rows_[i].capacity;
  rows_[i] = {};
}

template <class T>
void RowCache<T>::clear() {
  rows_.clear();
  order_.clear();
  used_ = 0;
}

template <class T>
void RowCache<T>::squeeze(std::span<const std::size_t> kept, std::size_t oldest) {
  for (std::size_t i = 0, k = 0; i < rows_.size(); ++i) {
    const bool stays = k < kept.size() && kept[k] == i;
    k += stays;
    if (!stays || rows_[i].last_used < oldest) drop(i);
  }
  std::vector<Row> rows(kept.size());
  for (std::size_t k = 0; k < kept.size(); ++k) {
    if (!holds(kept[k])) continue;
    Row& row = rows[k] = std::move(rows_[kept[k]]);
    *row.place = k;
    std::size_t filled = 0;
    for (; filled < kept.size() && kept[filled] < row.valid; ++filled) row.values[filled] = row.values[kept[filled]];
    row.valid = filled;
  }
  rows_ = std::move(rows);
}

template class RowCache<float>;
template class RowCache<double>;

}  // namespace hinge
