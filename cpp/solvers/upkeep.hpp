// Upkeep: LASVM that stays near the optimum after every example of a stream; `OnlineSVC(max_gap="auto")`.
//
// One REPROCESS per example is not enough where C is large: the bracket (the interval between the
// two most violating gradients) widens, and with it the error. More steps alone do not help on noisy
// data either. The closer the members are to their optimum, the more examples look useless, and those dismissed are missing when the boundary
// moves on: the boundary then follows the wrong labels, which are never dismissed. Upkeep therefore does three things.
//
//   reserve   Examples that do not violate, and members whose coefficient returns to zero, stay as long as they are among the `capacity`
//             closest to the margin: 100, and up to 1000 while a class is new, or where errors are frequent and C is large. Examples of a class that
//             stays away are not dismissed: nothing would replace them.
//   waiting   When a class stays away for 100 examples or more, further examples of the other class, if that one is known from before, are not learned
//             as long as they are misclassified no more often than before the pause: each would push the boundary deeper into the class that cannot
//             answer, since what it had there was dismissed long ago. More mistakes than usual mean that the other class shows something new.
//   steps     Second-order pairs move until the violation is small beside the decisions, within a budget per example. The budget is a number of steps
//             plus a number of gradients to update, which makes steps of small models cheap; what is not used is saved, up to that of
//             `examples_of_credit` examples. Where 64 steps are not enough, further ones move among working sets (working_set.hpp), at a fraction of
//             the cost. (The constants are in upkeep.cpp.)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "binary_model.hpp"
#include "options.hpp"
#include "solvers/working_set.hpp"

namespace hinge {

// Numbers that decide how a stream goes on; they are part of the saved state.
struct LasvmMemory {
  std::array<std::size_t, 2> seeds{};
  std::size_t credit = 0;
  std::size_t reserve_margin = 0;
  std::array<std::size_t, 2> seen{}, mistakes{};
  std::size_t passed_over = 0;
  std::array<std::size_t, 2> since{};
  std::array<std::size_t, 2> recent{};

  static constexpr auto fields =
      std::tuple{Field{"seeds", &LasvmMemory::seeds, "Examples of the negative and of the positive class taken in unconditionally."},
                 Field{"credit", &LasvmMemory::credit, "Steps that earlier examples left over (upkeep)."},
                 Field{"reserve_margin", &LasvmMemory::reserve_margin, "Thousandths beyond the margin up to which examples are kept; 0: all."},
                 Field{"seen", &LasvmMemory::seen, "Examples of the negative and of the positive class predicted before they were learned,"},
                 Field{"mistakes", &LasvmMemory::mistakes, "and how many of them were misclassified."},
                 Field{"passed_over", &LasvmMemory::passed_over, "Examples of classes that the binary model does not see."},
                 Field{"since", &LasvmMemory::since, "Examples that have come since the last one of the negative and of the positive class."},
                 Field{"recent", &LasvmMemory::recent, "Millionths of their last examples, by weights that fall exponentially, that were misclassified."}};
  static constexpr std::size_t examples_of_rate = 64, million = 1'000'000;

  double recent_error(bool label) const { return static_cast<double>(recent[label]) / million; }
  void count(double label, bool mistaken) {
    seen[label > 0] += 1;
    mistakes[label > 0] += mistaken;
    since[label > 0] = 0;
    since[label < 0] += 1;
    std::size_t& rate = recent[label > 0];
    rate = rate - rate / examples_of_rate + (mistaken ? million / examples_of_rate : 0);
  }
  void mirror() {
    for (auto* counts : {&seeds, &seen, &mistakes, &since, &recent}) std::swap((*counts)[0], (*counts)[1]);
  }
};

template <class T>
class Upkeep {
 public:
  Upkeep(const LasvmOptions& options, LasvmMemory& memory) : options_(options), memory_(memory) {}
  Upkeep(const Upkeep&) = delete;
  Upkeep& operator=(const Upkeep&) = delete;

  // An example that does not violate, this far beyond the margin, is worth keeping.
  bool keeps(double distance) const;
  // As long as there is one class and no margin, a random sample is kept: whether the example belongs to it. If so, another one leaves.
  bool samples(BinaryModel<T>& binary, std::size_t position) const;
  // The other class than that of an example has stayed away for longer than its reserve can answer, this is no chance, and the example's class makes no
  // more mistakes than usual.
  bool must_wait(double label) const;
  void move_pairs(BinaryModel<T>& binary);
  // Removes what exceeds the capacity by a quarter, so that members need not be sorted at every example; keeps everything again while half of it is empty.
  void adjust_reserve(BinaryModel<T>& binary);
  // The same, after every 16th example.
  void adjust_reserve_at_times(BinaryModel<T>& binary);

 private:
  double spread_of_decisions(const BinaryModel<T>& binary);
  void shrink_reserve(BinaryModel<T>& binary, std::size_t most);

  const LasvmOptions& options_;
  LasvmMemory& memory_;
  WorkingSet<T> working_set_;
  std::pair<std::size_t, std::size_t> farthest_{};  // members whose decisions were farthest apart; a hint
};

// A fixed random number of each id, where some order must decide who leaves: in a training set no row is older than another.
std::int64_t scrambled(std::int64_t id);

// How far an example with this gradient is beyond the bracket, where its coefficient would stay at zero; negative if it violates.
double beyond_margin(const Bracket& bracket, double label, double gradient);

}  // namespace hinge
