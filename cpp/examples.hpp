// Views of examples, dense or sparse; nobody below this file asks again which of the two they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hinge {

template <class T>
struct SparseRow {
  const std::int32_t* index = nullptr;
  const T* value = nullptr;
  std::size_t size = 0;
};

// Sparse examples by column: for each feature, which of them have it. Worth making when many others are to be multiplied with them.
template <class T>
struct SparseColumns {
  std::vector<std::size_t> starts;
  std::vector<std::int32_t> rows;
  std::vector<T> values;
};

template <class T>
class SparseIndex;

// Some examples in a row. Dense ones stand at `values`, each `features` long; sparse ones are listed in `rows`.
template <class T>
struct Examples {
  std::size_t count = 0;
  std::size_t features = 0;
  bool sparse = false;
  const T* values = nullptr;
  const SparseRow<T>* rows = nullptr;
  const T* norms = nullptr;            // as the kernel defines them
  const std::int64_t* ids = nullptr;  // place in the stream
  T largest_norm = 0;
  const SparseColumns<T>* columns = nullptr;        // if somebody made them: of all, or of the first
  const SparseColumns<T>* later_columns = nullptr;  // and of the others, which came later
  const SparseIndex<T>* index = nullptr;            // of all, if somebody made one

  Examples range(std::size_t first, std::size_t length) const {
    Examples part = *this;
    part.count = length;
    if (values) part.values += first * features;
    if (rows) part.rows += first;
    if (norms) part.norms += first;
    if (ids) part.ids += first;
    part.columns = part.later_columns = nullptr;
    part.index = nullptr;
    return part;
  }
};

// Lists examples by feature, from some place on.
template <class T>
SparseColumns<T> columns_of(const Examples<T>& examples, std::size_t from = 0) {
  SparseColumns<T> columns;
  columns.starts.assign(examples.features + 1, 0);
  for (std::size_t r = from; r < examples.count; ++r)
    for (std::size_t e = 0; e < examples.rows[r].size; ++e) ++columns.starts[static_cast<std::size_t>(examples.rows[r].index[e]) + 1];
  for (std::size_t f = 0; f < examples.features; ++f) columns.starts[f + 1] += columns.starts[f];
  columns.rows.resize(columns.starts.back());
  columns.values.resize(columns.starts.back());
  std::vector<std::size_t> next(columns.starts.begin(), columns.starts.end() - 1);
  for (std::size_t r = from; r < examples.count; ++r)
    for (std::size_t e = 0; e < examples.rows[r].size; ++e) {
      const std::size_t place = next[static_cast<std::size_t>(examples.rows[r].index[e])]++;
      columns.rows[place] = static_cast<std::int32_t>(r);
      columns.values[place] = examples.rows[r].value[e];
    }
  return columns;
}

// The examples of one call, in the caller's memory: dense rows or the three arrays of a CSR matrix; or some of these, named by number.
template <class T>
struct Batch {
  std::size_t count = 0;
  std::size_t features = 0;
  bool sparse = false;
  const T* values = nullptr;
  const std::int32_t* indices = nullptr;
  const std::int64_t* starts = nullptr;
  const std::int64_t* picked = nullptr;  // which rows of the caller's these are; null: all

  std::size_t place(std::size_t row) const { return picked ? static_cast<std::size_t>(picked[row]) : row; }
  SparseRow<T> sparse_row(std::size_t row) const {
    const std::int64_t* at = starts + place(row);
    const auto first = static_cast<std::size_t>(at[0]), last = static_cast<std::size_t>(at[1]);
    return {indices + first, values + first, last - first};
  }
  const T* dense_row(std::size_t row) const { return values + place(row) * features; }
};

}  // namespace hinge
