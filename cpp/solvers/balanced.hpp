// Which example leaves a bounded set of examples without letting the set fill with noise: `IncrementalSVC(max_examples=)` and
// `OnlineSVC(max_support=)`.
//
// A set that keeps what is relevant fills with noise: a mislabelled example has a large coefficient and never leaves, while the examples that
// contradict it are easy and leave first. Whether a member is misclassified now says nothing: at large C the model fits its noise, and every
// member looks right. Only predictions made before an example was learned are unbiased. So each member remembers whether it was misclassified
// when it came, and the stream how often that happened: in a share s of all examples, and a share s_c of those of class c. The youngest
// 3 s M of the M examples held are spared: where there is noise, easy examples are evidence against it. Of the others, evict
//
//   1. if more than s_c M_c + 1 of the M_c examples of a class were misclassified when they came, the oldest of these: the set holds as much
//      noise as the stream, and errors of the model are not defended against new evidence;
//   2. otherwise the farthest outside the margin among those with alpha = 0, which does not change the solution;
//   3. if there are none, the oldest of all.
//
// Clean data have s = 0: the set keeps what is relevant. From s = 1/3 on the set is a window of recent examples.
// At small C a class may be ignored, as each class against the rest is: s_c is near 1, and that its examples were misclassified says nothing about
// noise. Hence the one example more in rule 1: fractions would evict such a class bit by bit. Most coefficients are C then, and the shares of the
// classes decide the bias. So no class loses examples that has a smaller share of the set than of the stream (or than a half, if that is less), by
// one example or more: shares lie between those of the stream and equal ones. The last example of a class stays.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "expansion.hpp"
#include "solvers/eviction.hpp"

namespace hinge {

// How many examples of the negative and of the positive class were predicted before they were learned, and how many were misclassified.
struct StreamRecord {
  using Counts = std::array<std::size_t, 2>;

  double share() const { return share(mistakes[0] + mistakes[1], seen[0] + seen[1]); }
  double share_of(bool positive) const { return share(mistakes[positive], seen[positive]); }
  // How many of so many examples should be of a class: its share of the stream, at most a half; 0 if too few have been seen to say.
  double least(bool positive, double size) const {
    const std::size_t all = seen[0] + seen[1];
    return static_cast<double>(all) < size ? 0.0 : size * std::min(0.5, share(seen[positive], all));
  }

  Counts seen{}, mistakes{};

 private:
  static double share(std::size_t part, std::size_t all) { return static_cast<double>(part) / static_cast<double>(std::max<std::size_t>(all, 1)); }
};

// The youngest examples that are spared, as a multiple of s M. Chosen among 2, 2.5, 3 and 4 by the errors on nine artificial sets, with and
// without noise, C from 0.1 to 1000.
constexpr double spared_per_mistake = 3.0;

// The time from which on examples are spared.
template <class TimeOf>
std::int64_t spared_since(const Expansion& expansion, double share, TimeOf time_of) {
  std::vector<std::int64_t> times;
  for (std::size_t i = 0; i < expansion.size(); ++i)
    if (expansion.holds(i)) times.push_back(time_of(i));
  const auto spared = static_cast<std::size_t>(std::min(1.0, spared_per_mistake * share) * static_cast<double>(times.size()));
  if (spared == 0) return std::numeric_limits<std::int64_t>::max();
  const auto first = times.begin() + static_cast<std::ptrdiff_t>(spared - 1);
  std::nth_element(times.begin(), first, times.end(), std::greater<>());
  return *first;
}

// `time_of(i)` orders members by age, and `slack(i)` is 1 - y f(x).
template <class TimeOf, class Slack>
std::size_t choose_balanced(const Expansion& expansion, const StreamRecord& record, TimeOf time_of, Slack slack) {
  constexpr double must_stay = -std::numeric_limits<double>::infinity();
  const std::int64_t spared = spared_since(expansion, record.share(), time_of);
  std::array<double, 2> held{}, mistaken{};
  for (std::size_t i = 0; i < expansion.size(); ++i) {
    if (!expansion.holds(i)) continue;
    held[expansion.label[i] > 0] += 1.0;
    mistaken[expansion.label[i] > 0] += expansion.mistaken[i];
  }
  const auto may_shrink = [&](bool positive) { return held[positive] > std::max(1.0, record.least(positive, held[0] + held[1]) - 1.0); };
  const std::array<bool, 2> shrinks{may_shrink(false), may_shrink(true)};
  const auto may_leave = [&](std::size_t i) { return shrinks[expansion.label[i] > 0]; };
  const auto excess = [&](bool positive) { return mistaken[positive] - record.share_of(positive) * held[positive]; };
  const bool worse = excess(true) > excess(false);
  const auto choose = [&](auto is_candidate, auto score) -> std::optional<std::size_t> {
    const std::size_t found = choose_eviction(expansion, time_of, [&](std::size_t i) { return may_leave(i) && is_candidate(i) ? score(i) : must_stay; });
    return may_leave(found) && is_candidate(found) ? std::optional(found) : std::nullopt;
  };
  const auto equal = [](std::size_t) { return 0.0; };
  std::optional<std::size_t> leaving;
  if (excess(worse) > 1.0)
    leaving = choose([&](std::size_t i) { return expansion.mistaken[i] && time_of(i) < spared && (expansion.label[i] > 0) == worse; }, equal);
  if (!leaving)
    leaving = choose([&](std::size_t i) { return expansion.alpha[i] == 0.0 && !expansion.mistaken[i] && time_of(i) < spared; },
                     [&](std::size_t i) { return -slack(i); });
  if (!leaving) leaving = choose([](std::size_t) { return true; }, equal);
  return leaving ? *leaving : choose_eviction(expansion, time_of, equal);
}

}  // namespace hinge
