// A block of examples made ready to be multiplied with many others: the left side of every kernel product.
#pragma once

#include <span>
#include <vector>

#include "examples.hpp"
#include "sparse_index.hpp"

namespace hinge {

template <class T>
class Kernel;

// Whether sparse rows are listed by feature; see Block.
enum class SparseForm { indexed, rows_only };

// Dense rows are laid side by side for one matrix product. Sparse rows are also listed by feature, so that one pass over a stored sparse row
// serves the whole block. Where the stored examples are listed by feature, that is not needed.
template <class T>
class Block {
 public:
  // Takes the given rows of a batch; `shift` (one value per feature, or empty) is subtracted from dense ones.
  void take(const Kernel<T>& kernel, const Batch<T>& batch, std::span<const std::int64_t> rows, std::int64_t first_id,
            std::span<const T> shift, SparseForm form = SparseForm::indexed);
  // Looks at stored examples where they are.
  void look_at(const Examples<T>& stored, SparseForm form = SparseForm::indexed);

  const Examples<T>& rows() const { return rows_; }
  std::size_t count() const { return rows_.count; }
  const SparseIndex<T>& index() const { return index_; }

 private:
  Examples<T> rows_;
  std::vector<T> values_;
  std::vector<SparseRow<T>> sparse_;
  std::vector<T> norms_;
  std::vector<std::int64_t> ids_;
  SparseIndex<T> index_;
};

}  // namespace hinge
