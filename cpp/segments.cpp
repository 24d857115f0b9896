#include "segments.hpp"

#include <algorithm>

namespace hinge {

template <class T>
T* SegmentPool<T>::take(std::size_t most) {
  if (free_.empty()) {
    const std::size_t segments = std::clamp(most - std::min(most, size_), std::size_t{1}, next_slab_);
    slabs_.push_back(make_pages<T>(segments * segment_length));
    for (std::size_t s = segments; s-- > 0;) free_.push_back(slabs_.back().get() + s * segment_length);
    size_ += segments;
    next_slab_ = std::min(2 * next_slab_, large_page / (segment_length * sizeof(T)));
  }
  T* segment = free_.back();
  free_.pop_back();
  return segment;
}

template class SegmentPool<float>;
template class SegmentPool<double>;

}  // namespace hinge
