// A value that is computed when it is first needed.
#pragma once

#include <atomic>
#include <memory>

namespace hinge {

// Threads that need the value at the same time may each compute it; the first to finish keeps its own. Nobody waits for anybody, so a
// fork at any moment leaves nothing locked in the child.
template <class Value>
class Lazy {
 public:
  Lazy() = default;
  Lazy(const Lazy&) = delete;
  Lazy& operator=(const Lazy&) = delete;
  ~Lazy() { delete value_.load(std::memory_order_acquire); }

  // The value, or null if nobody has needed it yet.
  const Value* find() const { return value_.load(std::memory_order_acquire); }

  template <class Compute>
  const Value& get(Compute compute) const {
    if (const Value* known = find()) return *known;
    auto computed = std::make_unique<const Value>(compute());
    const Value* before = nullptr;
    if (!value_.compare_exchange_strong(before, computed.get(), std::memory_order_acq_rel, std::memory_order_acquire)) return *before;
    return *computed.release();
  }

 private:
  mutable std::atomic<const Value*> value_{nullptr};
};

}  // namespace hinge
