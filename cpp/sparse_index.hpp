// Sparse examples listed by feature, so that one row meets only the examples that share a feature with it.
//
// Where many of the examples have a feature, its line is full: one value per example, zeros included, for a vector loop. Other lines
// list the examples that have the feature. Sums run over features in ascending order either way, and adding zero changes nothing: a product does
// not depend on which of two rows is indexed, or on what else is in the index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "examples.hpp"
#include "loops.hpp"

namespace hinge {

template <class T>
class SparseIndex {
 public:
  // Lists these examples, and forgets those before. Takes time for the values of both, but not for features that nobody has.
  void build(std::span<const SparseRow<T>> rows, std::size_t features);
  // Examples listed.
  std::size_t count() const { return count_; }
  // sums[r] += <row, example r>; there must be room for padded(count()) sums.
  void add_products(const SparseRow<T>& row, T* sums) const;
  // sums[r] += |row - example r|_1 - |row|_1 - |example r|_1
  void add_distances(const SparseRow<T>& row, T* sums) const;

 private:
  SparseLines<T> view() const { return {line_of_.data(), lines_.data(), full_.data(), listed_.data(), values_.data(), width_}; }
  void forget();
  void lay_out();

  std::size_t count_ = 0;
  std::size_t width_ = 0;
  std::vector<std::int32_t> line_of_;  // by feature; 0: nobody has it
  std::vector<std::int32_t> features_;  // by line
  std::vector<SparseLine> lines_;
  std::vector<T> full_;
  std::vector<std::int32_t> listed_;
  std::vector<T> values_;
};

}  // namespace hinge
