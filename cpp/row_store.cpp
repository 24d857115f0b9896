#include "row_store.hpp"

#include <algorithm>
#include <utility>

namespace hinge {

template <class T>
RowStore<T>::RowStore(const RowStore& other) : RowStore(other.features_, other.sparse_) {
  reserve(2 * other.size());
  values_.append(other.values_.data(), other.values_.size());
  owned_ = other.owned_;
  rows_.append(other.rows_.data(), other.rows_.size());
  norms_.append(other.norms_.data(), other.norms_.size());
  ids_.append(other.ids_.data(), other.ids_.size());
}

template <class T>
void RowStore<T>::reserve(std::size_t rows) {
  if (sparse_)
    rows_.reserve(rows);
  else
    values_.reserve(rows * features_);
  norms_.reserve(rows);
  ids_.reserve(rows);
}

// The owners of sparse rows may move: views look at what they own.
template <class T>
bool RowStore<T>::has_room() const {
  return (sparse_ ? rows_.has_room(1) : values_.has_room(features_)) && norms_.has_room(1) && ids_.has_room(1);
}

template <class T>
void RowStore<T>::append(const Examples<T>& from, std::size_t row) {
  if (sparse_) {
    const SparseRow<T>& source = from.rows[row];
    owned_.push_back(std::make_shared<const OwnedRow>(
        OwnedRow{{source.index, source.index + source.size}, {source.value, source.value + source.size}}));
    const SparseRow<T> own{owned_.back()->index.data(), owned_.back()->value.data(), source.size};
    rows_.append(&own, 1);
  } else {
    values_.append(from.values + row * features_, features_);
  }
  norms_.append(from.norms + row, 1);
  ids_.append(from.ids + row, 1);
}

template <class T>
void RowStore<T>::move(std::size_t from, std::size_t to) {
  if (sparse_) {
    owned_[to] = std::move(owned_[from]);
    rows_.data()[to] = rows_.data()[from];
  } else {
    std::copy_n(values_.data() + from * features_, features_, values_.data() + to * features_);
  }
  norms_.data()[to] = norms_.data()[from];
  ids_.data()[to] = ids_.data()[from];
}

template <class T>
void RowStore<T>::truncate(std::size_t count) {
  if (sparse_) {
    owned_.resize(count);
    rows_.truncate(count);
  } else {
    values_.truncate(count * features_);
  }
  norms_.truncate(count);
  ids_.truncate(count);
}

template class RowStore<float>;
template class RowStore<double>;

}  // namespace hinge
