// Kernel rows grow as examples come in. They are kept in segments of one size, so that a row grows without being copied, and what one
// row gives up fits any other.
#pragma once

#include <cstddef>
#include <vector>

#include "loops.hpp"
#include "pages.hpp"

namespace hinge {

// Where the entries of a row are, a segment at a time.
template <class T>
struct RowView {
  const T* const* segments = nullptr;
  T operator[](std::size_t entry) const { return segments[entry / segment_length][entry % segment_length]; }
};

// Hands out segments from slabs of up to one large page. Memory goes back when the pool ends.
template <class T>
class SegmentPool {
 public:
  // A segment; slabs hold no more than `most` segments together, as long as no more than that are in use.
  T* take(std::size_t most);
  void give(T* segment) { free_.push_back(segment); }
  // Segments in all slabs, in use or free.
  std::size_t size() const { return size_; }
  // Returns how many are free.
  std::size_t check_invariants() const;

 private:
  std::vector<Pages<T>> slabs_;
  std::vector<T*> free_;
  std::size_t size_ = 0;
  std::size_t next_slab_ = 4;  // segments; small models stay small
};

}  // namespace hinge
