#include "process.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "bind.hpp"
#include "parallel.hpp"

namespace hinge::python {

namespace nb = nanobind;

namespace {

constexpr std::chrono::milliseconds pause{2};

std::size_t forked = 0;
std::atomic<int> present{0};
std::atomic<bool> closing{false};
std::thread::id closer;

void close(double seconds) {
  closer = std::this_thread::get_id();
  closing = true;
  const auto latest = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  const nb::gil_scoped_release release;
  while (present > 0 && std::chrono::steady_clock::now() < latest) std::this_thread::sleep_for(pause);
}

// Of all threads only the one that forked is there; if it is inside itself, it counts one too few, which only `close` would notice.
void after_fork() {
  ++forked;
  present = 0;
}

}  // namespace

std::size_t forks() { return forked; }

bool is_closing() { return closing && std::this_thread::get_id() != closer; }

Presence::Presence() {
  if (is_closing()) {
    PyErr_SetNone(PyExc_SystemExit);
    throw nb::python_error();
  }
  ++present;
}

Presence::~Presence() { --present; }

void bind_process(nb::module_& module) {
  module.def(
      "set_monitor_interval", [](std::int64_t milliseconds) { Monitor::set_interval(std::chrono::milliseconds{milliseconds}); },
      nb::arg("milliseconds"), "Set how often long calls ask whether to go on (50 ms): tests that count on a question ask at once, with 0.");
  module.def("close", &close, nb::arg("seconds"),
             "Stop models that are learning, and wait that long for the threads inside them: the interpreter is about to end.");
  module.def("after_fork", &after_fork, "Note, in a child process, that all other threads are gone.");
}

}  // namespace hinge::python
