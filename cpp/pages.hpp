// Memory for large tables of kernel values. Large pieces are asked of the system itself, in the largest pages that it likes, and go back to
// it at once: a heap would keep them, and leave holes between them that nothing else fits.
#pragma once

#include <cstddef>
#include <memory>

namespace hinge {

struct ReleasePages {
  std::size_t bytes = 0;
  void operator()(void* memory) const;
};

template <class T>
using Pages = std::unique_ptr<T, ReleasePages>;

// From this size on pieces come from the system; the size of a large page on most processors.
inline constexpr std::size_t large_page = std::size_t{1} << 21;

// All zero, and aligned for the loops.
void* allocate_pages(std::size_t bytes);

// The same memory with room for more bytes; it may move, and is never there twice if it is large. Only what was there before is defined.
void* grow_pages(void* memory, std::size_t old_bytes, std::size_t bytes);

template <class T>
Pages<T> make_pages(std::size_t count) {
  const std::size_t bytes = count * sizeof(T);
  return Pages<T>(static_cast<T*>(allocate_pages(bytes)), ReleasePages{bytes});
}

}  // namespace hinge
