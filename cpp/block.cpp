#include "block.hpp"

#include <algorithm>

#include "kernels.hpp"
#include "loops.hpp"

namespace hinge {

template <class T>
void Block<T>::take(const Kernel<T>& kernel, const Batch<T>& batch, std::span<const std::int64_t> rows,
                    std::int64_t first_id, std::span<const T> shift, SparseForm form) {
  rows_ = {};
  rows_.count = rows.size();
  rows_.features = batch.features;
  rows_.sparse = batch.sparse;
  values_.resize(batch.sparse ? 0 : rows.size() * batch.features);
  sparse_.clear();
  ids_.clear();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto row = static_cast<std::size_t>(rows[r]);
    ids_.push_back(first_id + rows[r]);
    if (batch.sparse) {
      sparse_.push_back(batch.sparse_row(row));
      continue;
    }
    T* target = values_.data() + r * batch.features;
    std::copy_n(batch.dense_row(row), batch.features, target);
    for (std::size_t f = 0; f < shift.size(); ++f) target[f] -= shift[f];
  }
  rows_.values = values_.data();
  rows_.rows = sparse_.data();
  rows_.ids = ids_.data();
  norms_.resize(padded(rows.size()));
  for (std::size_t r = 0; r < rows.size(); ++r) norms_[r] = kernel.norm(rows_, r);
  rows_.norms = norms_.data();
  rows_.largest_norm = rows.empty() ? T(0) : *std::max_element(norms_.data(), norms_.data() + rows.size());
  if (batch.sparse && form == SparseForm::indexed) index_.build(sparse_, batch.features);
}

template <class T>
void Block<T>::look_at(const Examples<T>& stored, SparseForm form) {
  rows_ = stored;
  if (stored.sparse && form == SparseForm::indexed) index_.build({stored.rows, stored.count}, stored.features);
}

template class Block<float>;
template class Block<double>;

}  // namespace hinge
