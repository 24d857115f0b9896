// A list of numbers in pages. Where the system can move large blocks without copying them, as Linux does, growing never needs the memory twice,
// as it would with std::vector.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "pages.hpp"

namespace hinge {

template <class T>
class Growing {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Growing() = default;
  Growing(Growing&&) noexcept = default;
  Growing& operator=(Growing&&) noexcept = default;
  ~Growing() = default;
  Growing(const Growing& other) { append(other.data(), other.size()); }
  Growing& operator=(const Growing& other) {
    if (this == &other) return *this;
    truncate(0);
    append(other.data(), other.size());
    return *this;
  }

  T* data() { return values_.get(); }
  const T* data() const { return values_.get(); }
  std::size_t size() const { return size_; }
  // True if so many more can be appended without moving those that are there.
  bool has_room(std::size_t count) const { return count <= capacity_ - size_; }

  void reserve(std::size_t count) {
    if (count <= capacity_) return;
    const std::size_t bytes = count * sizeof(T);
    void* moved = grow_pages(values_.get(), capacity_ * sizeof(T), bytes);
    static_cast<void>(values_.release());
    values_ = Pages<T>(static_cast<T*>(moved), ReleasePages{bytes});
    capacity_ = count;
  }

  void append(const T* values, std::size_t count) {
    if (count == 0) return;
    if (size_ + count > capacity_) reserve(std::max(size_ + count, 2 * capacity_));
    std::copy_n(values, count, values_.get() + size_);
    size_ += count;
  }

  void truncate(std::size_t count) { size_ = std::min(size_, count); }

  void resize(std::size_t count) {
    reserve(count);
    if (count > size_) std::fill(values_.get() + size_, values_.get() + count, T{});
    size_ = count;
  }

 private:
  Pages<T> values_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace hinge
