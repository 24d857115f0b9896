#include "sparse_index.hpp"

namespace hinge {

namespace {

// A line is full where more than one example in so many has the feature: a vector loop takes about as long per sixteen values as a list for one.
constexpr std::size_t examples_per_entry = 12;

// How many entries stand before the first that begins a line of the processor's cache: full lines begin there, so that no vector of them lies
// across two.
template <class T>
std::size_t entries_to_line(const T* entries) {
  constexpr std::size_t bytes = lane_padding * sizeof(float);
  return (bytes - reinterpret_cast<std::uintptr_t>(entries) % bytes) % bytes / sizeof(T);
}

}  // namespace

template <class T>
void SparseIndex<T>::forget() {
  for (const std::int32_t feature : features_)
    if (feature >= 0) line_of_[static_cast<std::size_t>(feature)] = 0;
  features_.assign(1, -1);
  lines_.assign(1, {0, 0});
}

template <class T>
void SparseIndex<T>::build(std::span<const SparseRow<T>> rows, std::size_t features) {
  forget();
  count_ = rows.size();
  width_ = padded(count_);
  line_of_.resize(features, 0);
  for (const SparseRow<T>& row : rows)
    for (std::size_t e = 0; e < row.size; ++e) {
      std::int32_t& line = line_of_[static_cast<std::size_t>(row.index[e])];
      if (line == 0) {
        line = static_cast<std::int32_t>(lines_.size());
        features_.push_back(row.index[e]);
        lines_.push_back({0, 0});
      }
      ++lines_[static_cast<std::size_t>(line)].count;
    }
  lay_out();
  std::vector<std::size_t> next(lines_.size());
  for (std::size_t l = 1; l < lines_.size(); ++l) next[l] = lines_[l].first;
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t e = 0; e < rows[r].size; ++e) {
      const auto line = static_cast<std::size_t>(line_of_[static_cast<std::size_t>(rows[r].index[e])]);
      if (lines_[line].count == 0) {
        full_[lines_[line].first + r] = rows[r].value[e];
        continue;
      }
      listed_[next[line]] = static_cast<std::int32_t>(r);
      values_[next[line]++] = rows[r].value[e];
    }
}

template <class T>
void SparseIndex<T>::lay_out() {
  std::size_t full = 0, listed = 0;
  for (std::size_t l = 1; l < lines_.size(); ++l) {
    SparseLine& line = lines_[l];
    const bool is_full = line.count * examples_per_entry > count_ && count_ > 1;
    std::size_t& end = is_full ? full : listed;
    line.first = end;
    end += is_full ? width_ : line.count;
    if (is_full) line.count = 0;
  }
  full_.assign(full + lane_padding, T(0));
  const std::size_t start = entries_to_line(full_.data());
  for (SparseLine& line : lines_) line.first += line.count == 0 ? start : 0;
  listed_.resize(listed);
  values_.resize(listed);
}

template <class T>
void SparseIndex<T>::add_products(const SparseRow<T>& row, T* sums) const {
  loops<T>().sparse_products(sums, view(), row.index, row.value, row.size);
}

template <class T>
void SparseIndex<T>::add_distances(const SparseRow<T>& row, T* sums) const {
  loops<T>().sparse_distances(sums, view(), row.index, row.value, row.size);
}

template class SparseIndex<float>;
template class SparseIndex<double>;

}  // namespace hinge
