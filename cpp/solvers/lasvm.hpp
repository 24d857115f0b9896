// LASVM: Bordes, Ertekin, Weston, Bottou, "Fast Kernel Classifiers with Online and Active Learning", JMLR 6 (2005).
//
// A pair (i, j) is tau-violating when alpha_i < high_i, alpha_j > low_j and g_i - g_j > tau. Moving along it,
//
//   lambda = min( (g_i - g_j) / (K_ii + K_jj - 2 K_ij), high_i - alpha_i, alpha_j - low_j )
//   alpha_i += lambda,  alpha_j -= lambda,  g_s -= lambda (K_is - K_js)
//
// raises the dual. PROCESS tries a pair made of a new example and a member, REPROCESS the best pair among the members, after which
// members with alpha = 0 that cannot be part of a violating pair are removed. The bracket [bottom, top] = [min g that may fall, max g that may rise]
// has the bias in its middle and delta = top - bottom as its width.
//
// Where the paper admits an example when it violates with a member, g > bottom + tau (or g < top - tau), we use g > min(top, bottom) + tau
// (or g < max(top, bottom) - tau). The two differ only when all members are at their bounds and the bracket is inside out: then examples
// inside it still narrow it, which fixes the bias, and may violate with each other.
//
// That is the plain rule. max_gap repeats REPROCESS (section 3.5 of the paper); upkeep also keeps examples in reserve (upkeep.hpp). With upkeep and
// max_support, every example comes in and one leaves (balanced.hpp), so that the model is near the SVM of the examples it holds. With half_life,
// examples count less as they grow older (forgetting.hpp).
//
// In the plain rule the pair is always the paper's, of maximal gradient. The second-order choice (Fan, Chen, Lin 2005; Glasmachers, Igel 2006), largest
// (g_i - g_j)^2 / (K_ii + K_jj - 2 K_ij) for i = argmax g, needs fewer steps to the optimum and is for finishing: online it optimises so
// far that examples are removed which would have been needed later (adult: test error + 0.09 points over six seeds).
#pragma once

#include <cstddef>

#include "options.hpp"
#include "solvers/solver.hpp"
#include "solvers/upkeep.hpp"

namespace hinge {

template <class T>
class Lasvm : public SolverWith<T, LasvmOptions, LasvmMemory> {
 public:
  using SolverWith<T, LasvmOptions, LasvmMemory>::SolverWith;

  void age(BinaryModel<T>& binary) override;
  // PROCESS on the block's example, then REPROCESS.
  Visit visit(BinaryModel<T>& binary, std::size_t position, double label, double cost) override;
  // REPROCESS alone.
  Visit revisit(BinaryModel<T>& binary, std::size_t position, std::size_t slot) override;
  Visit pass_over(BinaryModel<T>& binary, std::size_t position) override;
  bool finish(BinaryModel<T>& binary, AtEnd at_end, std::size_t threads, Monitor& monitor) override;
  void polish(BinaryModel<T>& binary, Monitor& monitor) override;
  ExampleSelection selection() const override {
    return {options_.selection, options_.pool_size, seeds_per_class, options_.when_confident, options_.max_visits};
  }

  static constexpr std::size_t seeds_per_class = 5;

 private:
  using SolverWith<T, LasvmOptions, LasvmMemory>::options_;
  using SolverWith<T, LasvmOptions, LasvmMemory>::memory_;
  Upkeep<T> upkeep_{options_, memory_};

  void process(BinaryModel<T>& binary, std::size_t k) const;
  // Returns false when the repetitions that max_gap asks for were cut short.
  bool reprocess_online(BinaryModel<T>& binary);
  void remove_idle(BinaryModel<T>& binary) const;
  // Every example comes in, and leaves when another needs its place.
  bool is_window() const { return options_.upkeep && options_.max_support; }
  // Examples without a coefficient belong to a stream that goes on.
  bool keeps_idle() const { return options_.upkeep && options_.streaming; }
  bool has_reserve() const { return options_.upkeep && !options_.max_support; }
  bool waits(double label) const { return has_reserve() && options_.streaming && !options_.half_life && upkeep_.must_wait(label); }
  // Evicts members until another fits; returns whether there were any to evict.
  bool make_room(BinaryModel<T>& binary) const;
};

}  // namespace hinge
