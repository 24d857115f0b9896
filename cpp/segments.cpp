#include "segments.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace hinge {

namespace {

constexpr std::size_t large_page = std::size_t{1} << 21;

void* allocate(std::size_t bytes) {
  const std::size_t alignment = bytes >= large_page ? large_page : 64;
  void* memory = std::aligned_alloc(alignment, bytes);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef __linux__
  // Thousands of rows, each read as a whole: with small pages the address translation would cost as much as the reading.
  if (bytes >= large_page) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  return memory;
}

}  // namespace

template <class T>
void SegmentPool<T>::Release::operator()(T* slab) const {
  std::free(slab);
}

template <class T>
T* SegmentPool<T>::take() {
  if (free_.empty()) {
    T* slab = static_cast<T*>(allocate(next_slab_ * segment_length * sizeof(T)));
    slabs_.emplace_back(slab);
    for (std::size_t s = next_slab_; s-- > 0;) free_.push_back(slab + s * segment_length);
    next_slab_ = std::min(2 * next_slab_, large_page / (segment_length * sizeof(T)));
  }
  T* segment = free_.back();
  free_.pop_back();
  return segment;
}

template class SegmentPool<float>;
template class SegmentPool<double>;

}  // namespace hinge
