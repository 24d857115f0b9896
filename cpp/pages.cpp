#include "pages.hpp"

#include <cstdint>
#include <cstring>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace hinge {

namespace {

constexpr std::size_t alignment = 64;

constexpr std::size_t rounded_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

void* allocate_from_heap(std::size_t bytes) {
  const std::size_t size = rounded_up(bytes, alignment);
  return std::memset(::operator new(size, std::align_val_t{alignment}), 0, size);
}

void release_to_heap(void* memory) { ::operator delete(memory, std::align_val_t{alignment}); }

#ifdef __linux__

// One page more than needed, so that there is a place to begin at; what is left over at both ends goes back. With small pages the address
// translation would cost as much as reading the values.
std::byte* map_large_pages(std::size_t size) {
  void* memory = mmap(nullptr, size + large_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  auto* first = static_cast<std::byte*>(memory);
  const std::size_t before = rounded_up(reinterpret_cast<std::uintptr_t>(first), large_page) - reinterpret_cast<std::uintptr_t>(first);
  if (before != 0) munmap(first, before);
  munmap(first + before + size, large_page - before);
  return first + before;
}

void* allocate_from_system(std::size_t bytes) {
  const std::size_t size = rounded_up(bytes, large_page);
  std::byte* memory = map_large_pages(size);
  madvise(memory, size, MADV_HUGEPAGE);
  return memory;
}

// The pages themselves move, to a place where they can stay large.
void* grow_in_system(void* memory, std::size_t old_bytes, std::size_t bytes) {
  const std::size_t old_size = rounded_up(old_bytes, large_page), size = rounded_up(bytes, large_page);
  if (size == old_size) return memory;
  std::byte* place = map_large_pages(size);
  void* moved = mremap(memory, old_size, size, MREMAP_MAYMOVE | MREMAP_FIXED, place);
  if (moved != MAP_FAILED) return moved;
  munmap(place, size);
  throw std::bad_alloc();
}

void release_to_system(void* memory, std::size_t bytes) { munmap(memory, rounded_up(bytes, large_page)); }

#else

void* allocate_from_system(std::size_t bytes) { return allocate_from_heap(bytes); }
void release_to_system(void* memory, std::size_t) { release_to_heap(memory); }

void* grow_in_system(void* memory, std::size_t old_bytes, std::size_t bytes) {
  void* moved = allocate_from_heap(bytes);
  std::memcpy(moved, memory, old_bytes);
  release_to_heap(memory);
  return moved;
}

#endif

}  // namespace

void* allocate_pages(std::size_t bytes) { return bytes < large_page ? allocate_from_heap(bytes) : allocate_from_system(bytes); }

void* grow_pages(void* memory, std::size_t old_bytes, std::size_t bytes) {
  if (old_bytes >= large_page) return grow_in_system(memory, old_bytes, bytes);
  void* moved = allocate_pages(bytes);
  if (old_bytes != 0) std::memcpy(moved, memory, old_bytes);
  release_to_heap(memory);
  return moved;
}

void ReleasePages::operator()(void* memory) const {
  if (bytes < large_page)
    release_to_heap(memory);
  else
    release_to_system(memory, bytes);
}

}  // namespace hinge
