#include "parallel.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

namespace hinge {

void parallel_for(std::size_t threads, std::size_t tasks, const std::function<void(std::size_t)>& body, Monitor* monitor) {
  threads = std::min(threads, tasks);
  if (threads <= 1) {
    for (std::size_t task = 0; task < tasks; ++task) body(task);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex lock;
  std::condition_variable ended;
  std::size_t running = threads;
  const auto work = [&] {
    try {
      for (std::size_t task = next++; task < tasks; task = next++) body(task);
    } catch (...) {
      next = tasks;
      const std::lock_guard guard(lock);
      if (!failure) failure = std::current_exception();
    }
    const std::lock_guard guard(lock);
    --running;
    ended.notify_one();
  };
  {
    std::vector<std::jthread> helpers;
    for (std::size_t t = 1; t < threads; ++t) helpers.emplace_back(work);
    work();
    std::unique_lock waiting(lock);
    while (!ended.wait_for(waiting, std::max(Monitor::interval(), std::chrono::milliseconds{1}), [&] { return running == 0; })) {
      waiting.unlock();
      if (monitor) monitor->stopped();
      waiting.lock();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

Monitor::Monitor(Question question)
    : question_(std::move(question)), owner_(std::this_thread::get_id()), next_(Clock::now() + interval()) {}

bool Monitor::stopped() {
  if (question_ && std::this_thread::get_id() == owner_ && Clock::now() >= next_) {
    if (!question_(progress_)) stop_ = true;
    next_ = Clock::now() + interval();
  }
  return stop_;
}

}  // namespace hinge
