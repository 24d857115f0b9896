// A block of examples made ready to be multiplied with many others: the left side of every kernel product.
#pragma once

#include <span>
#include <vector>

#include "examples.hpp"

namespace hinge {

template <class T>
class Kernel;

// Whether sparse rows get a panel; see Block.
enum class SparseForm { panel, rows_only };

// Dense rows are laid side by side for one matrix product. Sparse rows are also scattered into a dense panel, one line of `width` values
// for each feature that occurs in the block, so that one pass over a stored sparse row serves the whole block; line 0 is all zero and
// stands for every feature that does not occur. Where the stored examples are listed by feature, no panel is needed.
template <class T>
class Block {
 public:
  // Takes the given rows of a batch; `shift` (one value per feature, or empty) is subtracted from dense ones.
  void take(const Kernel<T>& kernel, const Batch<T>& batch, std::span<const std::int64_t> rows, std::int64_t first_id,
            std::span<const T> shift, SparseForm form = SparseForm::panel);
  // Looks at stored examples where they are.
  void look_at(const Examples<T>& stored);

  const Examples<T>& rows() const { return rows_; }
  std::size_t count() const { return rows_.count; }
  const T* panel() const { return panel_.data(); }
  const std::int32_t* line_of() const { return line_of_.data(); }
  std::size_t width() const { return width_; }

 private:
  void scatter();

  Examples<T> rows_;
  std::vector<T> values_;
  std::vector<SparseRow<T>> sparse_;
  std::vector<T> norms_;
  std::vector<std::int64_t> ids_;
  std::vector<T> panel_;
  std::vector<std::int32_t> line_of_;  // by feature
  std::size_t width_ = 0;
};

}  // namespace hinge
