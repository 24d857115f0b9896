// Builds a binary model from examples that have slots: an empty one, one from a file, or one made of parts of another.
#pragma once

#include <cstddef>
#include <span>

#include "binary_model.hpp"
#include "kernels.hpp"
#include "points.hpp"

namespace hinge {

template <class T>
class BinaryModelBuilder {
 public:
  BinaryModelBuilder(const Kernel<T>& kernel, const Points<T>& points, bool biased, std::size_t cache_bytes);

  // `self` is k(x, x) of the example; `lag` is for averages (see expansion.hpp).
  void append(std::size_t slot, T self, double label, const Box& box, double alpha, double gradient, double lag = 0.0,
              bool mistaken = false);
  void set_terms(double terms) { members_.expansion.terms = terms; }
  // Members that are ends of the bracket where several have the extreme gradient.
  void prefer_ends(std::size_t top_at, std::size_t bottom_at) { bracket_.prefer(top_at, bottom_at); }
  // Takes the cached rows of these members of another model, which are the members here in the same order.
  void take_cache(KernelRows<T>& rows, std::span<const std::size_t> members) { rows.hand_over(members, rows_); }

  // Call it once.
  BinaryModel<T> build();

 private:
  Members<T> members_;
  KernelRows<T> rows_;
  Bracket bracket_;
};

// The same model with positive and negative examples exchanged.
template <class T>
BinaryModel<T> mirrored(const BinaryModel<T>& binary);

}  // namespace hinge
