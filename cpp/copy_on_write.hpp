// An object with several owners, one of which may change it: the others keep what they saw.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace hinge {

// std::shared_ptr cannot tell its owner that it is alone: `use_count` does not order the reads of former owners before what follows. This
// one can, which is all that changing the object in place takes. Owners may be copied and destroyed in any thread; only one of them edits.
template <class Object>
class CopyOnWrite {
 public:
  template <class... Arguments>
  explicit CopyOnWrite(std::in_place_t, Arguments&&... arguments) : shared_(new Shared(std::forward<Arguments>(arguments)...)) {}
  CopyOnWrite(const CopyOnWrite& other) : shared_(other.shared_) { shared_->owners.fetch_add(1, std::memory_order_relaxed); }
  CopyOnWrite(CopyOnWrite&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
  CopyOnWrite& operator=(CopyOnWrite other) noexcept {
    std::swap(shared_, other.shared_);
    return *this;
  }
  ~CopyOnWrite() {
    if (shared_ && shared_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete shared_;
  }

  const Object& operator*() const { return shared_->object; }
  const Object* operator->() const { return &shared_->object; }
  // True if there is no other owner, and whatever former ones have read has been read.
  bool is_unique() const { return shared_->owners.load(std::memory_order_acquire) == 1; }
  // The object, for changes that no other owner may see: a copy of it, if there are others.
  Object& edit() {
    if (!is_unique()) *this = CopyOnWrite(std::in_place, std::as_const(shared_->object));
    return shared_->object;
  }
  // The object itself, for changes that other owners do not notice.
  Object& edit_in_place() { return shared_->object; }

 private:
  struct Shared {
    template <class... Arguments>
    explicit Shared(Arguments&&... arguments) : object(std::forward<Arguments>(arguments)...) {}
    Object object;
    std::atomic<std::size_t> owners{1};
  };

  Shared* shared_;
};

}  // namespace hinge
