// Chooses, once, the build of the loops for this processor.
//
// The processor is asked directly. `__builtin_cpu_supports("x86-64-v3")` would ask the compiler's run-time library, where some
// compilers have no entry for these levels (Apple's clang before 17, zig), or none that a shared library can reach.
#include "loops.hpp"

#ifdef HINGE_X86
#include <cpuid.h>

#include <cstdint>
#include <initializer_list>
#endif

#define HINGE_DECLARE(isa)                   \
  namespace hinge::isa {                     \
  extern const Loops<float> loops_float;     \
  extern const Loops<double> loops_double;   \
  }

HINGE_DECLARE(baseline)
#ifdef HINGE_X86
HINGE_DECLARE(v3)
HINGE_DECLARE(v4)
#endif

namespace hinge {

namespace {

struct Choice {
  const char* name;
  const Loops<float>* single_precision;
  const Loops<double>* double_precision;
};

#ifdef HINGE_X86
constexpr std::uint32_t bits(std::initializer_list<unsigned> numbers) {
  std::uint32_t sum = 0;
  for (const unsigned number : numbers) sum |= std::uint32_t{1} << number;
  return sum;
}

bool has(std::uint32_t found, std::uint32_t wanted) { return (found & wanted) == wanted; }

// Which registers the operating system saves.
std::uint32_t saved_registers() {
  std::uint32_t low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

// The level of the x86-64 psABI that processor and operating system support; 1 stands for all below 3.
int level() {
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return 1;
  // SSE3, SSSE3, FMA, CMPXCHG16B, SSE4.1, SSE4.2, MOVBE, POPCNT, OSXSAVE, AVX, F16C
  if (!has(c, bits({0, 9, 12, 13, 19, 20, 22, 23, 27, 28, 29}))) return 1;
  if (!__get_cpuid(0x80000001, &a, &b, &c, &d) || !has(c, bits({0, 5}))) return 1;  // LAHF, LZCNT
  const std::uint32_t saved = saved_registers();
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !has(b, bits({3, 5, 8})) || !has(saved, bits({1, 2}))) return 1;  // BMI1, AVX2, BMI2
  return has(b, bits({16, 17, 28, 30, 31})) && has(saved, bits({5, 6, 7})) ? 4 : 3;  // AVX512F, DQ, CD, BW, VL
}
#endif

Choice choose() {
#ifdef HINGE_X86
  const int found = level();
  if (found == 4) return {"x86-64-v4", &v4::loops_float, &v4::loops_double};
  if (found == 3) return {"x86-64-v3", &v3::loops_float, &v3::loops_double};
#endif
  return {"baseline", &baseline::loops_float, &baseline::loops_double};
}

const Choice& choice() {
  static const Choice made = choose();
  return made;
}

}  // namespace

template <>
const Loops<float>& loops<float>() {
  return *choice().single_precision;
}

template <>
const Loops<double>& loops<double>() {
  return *choice().double_precision;
}

const char* instruction_set() { return choice().name; }

}  // namespace hinge
