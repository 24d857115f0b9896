// Kernel rows grow as examples come in. They are kept in segments of one size, so that a row grows without being copied, and what one
// row gives up fits any other.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "loops.hpp"

namespace hinge {

// Where the entries of a row are, a segment at a time.
template <class T>
struct RowView {
  const T* const* segments = nullptr;
  T operator[](std::size_t entry) const { return segments[entry / segment_length][entry % segment_length]; }
};

// Hands out segments from slabs that are as large as the pages the system likes best. Memory goes back when the pool ends.
template <class T>
class SegmentPool {
 public:
  T* take();
  void give(T* segment) { free_.push_back(segment); }

 private:
  struct Release {
    void operator()(T* slab) const;
  };

  std::vector<std::unique_ptr<T, Release>> slabs_;
  std::vector<T*> free_;
  std::size_t next_slab_ = 4;  // segments; small models stay small
};

}  // namespace hinge
