// Tasks over threads, and the monitor through which a caller stops a long call.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>

namespace hinge {

class Monitor;

// Runs body(0) ... body(tasks - 1), each once, with the help of the calling thread. Threads live for the call only: nothing outlives it, so
// processes may fork at any other moment. The first exception is rethrown once all threads have stopped. While it waits for the
// others, the calling thread keeps asking the monitor, if there is one.
void parallel_for(std::size_t threads, std::size_t tasks, const std::function<void(std::size_t)>& body,
                  Monitor* monitor = nullptr);

struct Progress {
  std::string phase;
  std::size_t seen = 0;
  std::size_t total = 0;
  std::size_t mistakes = 0;
  std::size_t support = 0;
  double measure = 0.0;  // largest violation, or mean loss of linear models
};

// Asks the caller a few times per second, always from the caller's own thread, whether to go on.
class Monitor {
 public:
  using Question = std::function<bool(const Progress&)>;

  explicit Monitor(Question question = {});
  // True when the work must stop at the next consistent point. Any thread may call it; only the caller's own asks.
  bool stopped();
  void set_progress(const Progress& progress) { progress_ = progress; }

  // Between two questions; tests that need a question at a certain point make it shorter.
  static std::chrono::milliseconds interval() { return std::chrono::milliseconds{interval_}; }
  static void set_interval(std::chrono::milliseconds interval) { interval_ = interval.count(); }

 private:
  using Clock = std::chrono::steady_clock;

  static inline std::atomic<std::chrono::milliseconds::rep> interval_{50};
  Question question_;
  Progress progress_;
  std::thread::id owner_;
  Clock::time_point next_;
  std::atomic<bool> stop_{false};
};

}  // namespace hinge
