// Chooses, once, the build of the loops for this processor.
#include "loops.hpp"

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

Choice choose() {
#ifdef HINGE_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return {"x86-64-v4", &v4::loops_float, &v4::loops_double};
  if (__builtin_cpu_supports("x86-64-v3")) return {"x86-64-v3", &v3::loops_float, &v3::loops_double};
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
