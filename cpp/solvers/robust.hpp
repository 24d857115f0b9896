// LASVM-G, -NC, -I and FULL: Ertekin, Bottou, Giles, "Nonconvex Online Support Vector Machines", PAMI 33 (2011). No bias.
//
// One coefficient moves at a time: lambda = g_t / K_tt inside the box, alpha_t += lambda, g_s -= lambda K_ts. PROCESS inserts every new example
// and moves its coefficient; REPROCESS moves the member that violates most, argmin g among those that may fall or argmax g among those
// that may rise. That is the paper; with move_both, both move in one pass where both violate, which reads the gradients once instead of twice. How
// often is decided by the duality gap (b = 0, any box)
//
//   G = sum_i [ max(low_i g_i, high_i g_i) - alpha_i g_i ]
//
// which must not be larger than max(C, G^), where the target G^ is taken before PROCESS: with h_i = C_i y_i g_i over the members and l
// support vectors, G^ = sqrt( sum h_i^2 - (sum h_i)^2 / l ). (The paper's (9) has a sign slip; this is the gap of its derivation.)
//
//   hinge    LASVM-G: as above.
//   ramp     LASVM-NC: the ramp loss min(hinge, 1 - s) by the concave-convex procedure. An example with y f(x) < s, once there are `warmup`
//            support vectors, gets the box [low - C y, high - C y]: its coefficient cannot reduce its loss.
//   ignore   LASVM-I: examples on the flat parts of the ramp, y f(x) > 1 or < s, are skipped.
//   full     FULL: as hinge, but no example is ever removed.
//
// CLEAN, every `clean_every` examples: of the members with coefficient zero the `max_idle` that are nearest to getting one stay. They sit at a
// bound and the gradient pushes them outwards, so the nearest have the smallest |g| (the paper's |g|_+ treats the classes differently).
#pragma once

#include <array>
#include <cstddef>
#include <tuple>

#include "options.hpp"
#include "solvers/solver.hpp"

namespace hinge {

struct RobustMemory {
  std::size_t visits = 0;
  std::array<std::size_t, 3> admitted{}, cleaned{};

  static constexpr auto fields =
      std::tuple{Field{"visits", &RobustMemory::visits, "Examples taken in so far."},
                 Field{"admitted", &RobustMemory::admitted, "Of these, examples left of the ramp, on it and right of it."},
                 Field{"cleaned", &RobustMemory::cleaned, "Examples cleaned away, in the same way."}};
};

template <class T>
class Robust : public SolverWith<T, RobustOptions, RobustMemory> {
 public:
  using SolverWith<T, RobustOptions, RobustMemory>::SolverWith;

  Visit visit(BinaryModel<T>& binary, std::size_t position, double label, double cost) override;
  Visit revisit(BinaryModel<T>& binary, std::size_t position, std::size_t slot) override;
  bool finish(BinaryModel<T>& binary, AtEnd at_end, std::size_t threads, Monitor& monitor) override;
  void check_invariants(const BinaryModel<T>& binary) const override;

 private:
  using SolverWith<T, RobustOptions, RobustMemory>::options_;
  using SolverWith<T, RobustOptions, RobustMemory>::memory_;

  enum Side { left, slope, right };
  Side side_of(double score) const { return score < options_.ramp ? left : score > 1.0 ? right : slope; }
  bool ignores(const BinaryModel<T>& binary, Side side) const;
  // Returns false when the gap is still above the threshold after the largest number of steps.
  bool reduce_gap(BinaryModel<T>& binary, double threshold) const;
  void clean(BinaryModel<T>& binary);
};

}  // namespace hinge
