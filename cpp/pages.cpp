#include "pages.hpp"

#include <cstdint>
#include <cstdlib>
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
  void* memory = std::aligned_alloc(alignment, size);
  if (memory == nullptr) throw std::bad_alloc();
  return std::memset(memory, 0, size);
}

#ifdef __linux__

// One page more than needed, so that there is a place to begin at; what is left over at both ends goes back. With small pages the address
// translation would cost as much as reading the values.
void* allocate_from_system(std::size_t bytes) {
  const std::size_t size = rounded_up(bytes, large_page);
  void* memory = mmap(nullptr, size + large_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  auto* first = static_cast<std::byte*>(memory);
  const std::size_t before = rounded_up(reinterpret_cast<std::uintptr_t>(first), large_page) - reinterpret_cast<std::uintptr_t>(first);
  if (before != 0) munmap(first, before);
  munmap(first + before + size, large_page - before);
  madvise(first + before, size, MADV_HUGEPAGE);
  return first + before;
}

void release_to_system(void* memory, std::size_t bytes) { munmap(memory, rounded_up(bytes, large_page)); }

#else

void* allocate_from_system(std::size_t bytes) { return allocate_from_heap(bytes); }
void release_to_system(void* memory, std::size_t) { std::free(memory); }

#endif

}  // namespace

void* allocate_pages(std::size_t bytes) { return bytes < large_page ? allocate_from_heap(bytes) : allocate_from_system(bytes); }

void ReleasePages::operator()(void* memory) const {
  if (bytes < large_page)
    std::free(memory);
  else
    release_to_system(memory, bytes);
}

}  // namespace hinge
