#include "parallel.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

namespace hinge {

void parallel_for(std::size_t threads, std::size_t tasks, const std::function<void(std::size_t)>& body) {
  threads = std::min(threads, tasks);
  if (threads <= 1) {
    for (std::size_t task = 0; task < tasks; ++task) body(task);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_lock;
  const auto work = [&] {
    try {
      for (std::size_t task = next++; task < tasks; task = next++) body(task);
    } catch (...) {
      next = tasks;
      const std::lock_guard guard(failure_lock);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (std::size_t t = 1; t < threads; ++t) helpers.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

Monitor::Monitor(Question question)
    : question_(std::move(question)), owner_(std::this_thread::get_id()), next_(Clock::now() + interval) {}

bool Monitor::stopped() {
  if (question_ && std::this_thread::get_id() == owner_ && Clock::now() >= next_) {
    if (!question_(progress_)) stop_ = true;
    next_ = Clock::now() + interval;
  }
  return stop_;
}

}  // namespace hinge
