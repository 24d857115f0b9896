#include "solvers/upkeep.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "solvers/pairs.hpp"

namespace hinge {

namespace {

// The violation aimed at, a share of how far the decisions of the members are apart: where C is small, they lie close together.
constexpr double violation_to_spread = 0.05, largest_violation = 0.4;
// Less after few examples: most decisions are then far closer together than those of outliers, steps are cheap, and nothing has been dismissed yet.
constexpr double examples_of_youth = 1000.0, youngest = 0.1;
constexpr std::size_t steps_per_example = 64;
constexpr std::size_t gradients_per_example = 400'000;
constexpr std::size_t examples_of_credit = 16;
constexpr std::size_t most_single_steps = 64;  // after an example, before working sets are worth being put together
// Examples that look useless now will be needed while the boundary is young, and where many are misclassified before they are learned, if a single one
// can move the decisions far.
constexpr std::size_t smallest_reserve = 100, largest_reserve = 1000, reserve_times_seen = 30'000;
constexpr double reserve_per_error_rate = 10'000.0, large_influence = 10.0;
constexpr std::size_t examples_per_adjustment = 16;  // counting the reserve takes as long as a step
constexpr std::size_t long_pause = 30;  // of a class: members of the other class that have come since
// Rows of a pause after which the other class may wait, and rows of it before the pause that make further ones dispensable.
constexpr std::size_t long_pause_of_stream = 100, known_class = 300;
// An error of a class is unusual if it exceeds the mean by more than this, plus as many standard deviations of the recent one.
constexpr double error_slack = 0.02, error_deviations = 2.0;
constexpr double log_of_chance = -20.7;  // 1e-9, of an absence by chance
constexpr double margin_unit = 1e-3;  // of LasvmMemory::reserve_margin

double error_rate(const LasvmMemory& memory) {
  const std::size_t mistakes = memory.mistakes[0] + memory.mistakes[1], seen = memory.seen[0] + memory.seen[1];
  return static_cast<double>(mistakes) / static_cast<double>(std::max<std::size_t>(seen, 1));
}

// The largest share of mistakes among recent examples of a class that says nothing new.
double usual_error(const LasvmMemory& memory, bool label) {
  const double mean = static_cast<double>(memory.mistakes[label]) / static_cast<double>(memory.seen[label]);
  constexpr double weight = 2.0 * LasvmMemory::examples_of_rate;  // independent examples that average as well
  return mean + error_slack + error_deviations * std::sqrt(mean * (1.0 - mean) / weight);
}

// How far the most influential member can move a decision: C k(x, x).
template <class T>
double influence(const BinaryModel<T>& binary) {
  const std::vector<double>& cost = binary.expansion().cost;
  const std::vector<T>& diagonal = binary.members().diagonal();
  double largest = 0.0;
  for (std::size_t i = 0; i < binary.expansion().size(); ++i) largest = std::max(largest, cost[i] * static_cast<double>(diagonal[i]));
  return largest;
}

template <class T>
std::size_t capacity(const BinaryModel<T>& binary, const LasvmMemory& memory) {
  const std::size_t young = reserve_times_seen / std::max<std::size_t>(std::min(memory.seen[0], memory.seen[1]), 1);
  const std::size_t least = std::clamp(young, smallest_reserve, largest_reserve);
  const auto needed = static_cast<std::size_t>(reserve_per_error_rate * error_rate(memory));
  if (needed <= least) return least;
  const double share = std::min(1.0, influence(binary) / large_influence);
  return std::clamp(static_cast<std::size_t>(share * static_cast<double>(needed)), least, largest_reserve);
}

// The label of a class whose examples cannot be replaced, because the last members that came are all of the other class; else 0.
template <class T>
double class_away(const BinaryModel<T>& binary) {
  const Expansion& expansion = binary.expansion();
  std::array<std::int64_t, 2> last{-1, -1};
  for (std::size_t i = 0; i < expansion.size(); ++i)
    if (expansion.holds(i)) last[expansion.label[i] > 0] = std::max(last[expansion.label[i] > 0], binary.id_of(i));
  const double away = last[0] < last[1] ? -1.0 : 1.0;
  std::size_t since = 0;
  for (std::size_t i = 0; i < expansion.size(); ++i) since += expansion.label[i] == -away && binary.id_of(i) > std::min(last[0], last[1]);
  return since >= long_pause ? away : 0.0;
}

double decision_of(const Expansion& expansion, std::size_t i) { return expansion.label[i] - expansion.gradient[i]; }

double target_of(double spread, const LasvmMemory& memory) {
  const double youth = std::clamp(static_cast<double>(memory.seen[0] + memory.seen[1]) / examples_of_youth, youngest, 1.0);
  return youth * std::min(largest_violation, violation_to_spread * spread);
}

}  // namespace

double beyond_margin(const Bracket& bracket, double label, double gradient) {
  return label > 0 ? std::min(bracket.top(), bracket.bottom()) - gradient : gradient - std::max(bracket.top(), bracket.bottom());
}

// SplitMix64.
std::int64_t scrambled(std::int64_t id) {
  std::uint64_t z = static_cast<std::uint64_t>(id) + 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return static_cast<std::int64_t>((z ^ (z >> 31)) >> 1);
}

template <class T>
bool Upkeep<T>::keeps(double distance) const {
  return memory_.reserve_margin == 0 || distance < margin_unit * static_cast<double>(memory_.reserve_margin);
}

template <class T>
bool Upkeep<T>::samples(BinaryModel<T>& binary, std::size_t position) const {
  const Expansion& expansion = binary.expansion();
  if (expansion.held_count() < largest_reserve) return true;
  std::int64_t last = scrambled(binary.rows().id_of_current(position));
  std::size_t leaving = expansion.size();
  for (std::size_t i = 0; i < expansion.size(); ++i)
    if (expansion.holds(i))
      if (const std::int64_t number = scrambled(binary.id_of(i)); number > last) {
        last = number;
        leaving = i;
      }
  if (leaving == expansion.size()) return false;
  binary.remove(leaving);
  binary.refresh_bracket();  // it may have ended there
  return true;
}

template <class T>
bool Upkeep<T>::must_wait(double label) const {
  const bool own = label > 0, other = !own;
  const std::size_t since = memory_.since[other];
  if (since < long_pause_of_stream || memory_.seen[own] < since + known_class) return false;
  const auto rows = static_cast<double>(memory_.seen[0] + memory_.seen[1] - since);
  const double share = static_cast<double>(memory_.seen[other]) / rows;
  const bool by_chance = share == 0.0 || static_cast<double>(since) * std::log1p(-share) >= log_of_chance;
  return !by_chance && memory_.recent_error(own) <= usual_error(memory_, own);
}

// How far the decisions of the members are apart, or less if that is enough for the present violation: two members that were far apart the last time
// usually show it, wherever they are now.
template <class T>
double Upkeep<T>::spread_of_decisions(const BinaryModel<T>& binary) {
  const Expansion& expansion = binary.expansion();
  const auto [low, high] = farthest_;
  const bool held = std::max(low, high) < expansion.size() && expansion.holds(low) && expansion.holds(high);
  const double apart = held ? std::abs(decision_of(expansion, high) - decision_of(expansion, low)) : 0.0;
  if (binary.violation() <= target_of(apart, memory_)) return apart;
  const Range range = loops<T>().decisions(expansion.gradient.data(), expansion.label.data(), expansion.room.data(), expansion.size());
  farthest_ = {range.lowest_at, range.highest_at};
  return range.highest - range.lowest;
}

template <class T>
void Upkeep<T>::move_pairs(BinaryModel<T>& binary) {
  const std::size_t members = std::max<std::size_t>(binary.expansion().held_count(), 1);
  const std::size_t allowance = steps_per_example + gradients_per_example / members;
  std::size_t& credit = memory_.credit;
  credit = std::min(credit + allowance, examples_of_credit * allowance);
  if (binary.violation() <= options_.tolerance) return;
  const double target = std::max(options_.tolerance, target_of(spread_of_decisions(binary), memory_));
  for (std::size_t steps = 0; steps < most_single_steps && credit > 0 && binary.violation() > target; ++steps, --credit)
    if (!reprocess_pair(binary, options_.tolerance, PairChoice::second_order_of_older)) return;
  while (binary.violation() > target && working_set_.choose(binary) <= credit)
    credit -= std::min(credit, working_set_.optimise(binary, target, credit));
}

template <class T>
void Upkeep<T>::adjust_reserve_at_times(BinaryModel<T>& binary) {
  if ((memory_.seen[0] + memory_.seen[1]) % examples_per_adjustment == 0) adjust_reserve(binary);
}

template <class T>
void Upkeep<T>::adjust_reserve(BinaryModel<T>& binary) {
  const Expansion& expansion = binary.expansion();
  if (!binary.bracket().has_pair()) return;
  const std::size_t most = capacity(binary, memory_), reserve = expansion.held_count() - expansion.support();
  if (2 * reserve < most) memory_.reserve_margin = 0;
  if (reserve > most + most / 4) shrink_reserve(binary, most);
}

template <class T>
void Upkeep<T>::shrink_reserve(BinaryModel<T>& binary, std::size_t most) {
  const Expansion& expansion = binary.expansion();
  const double away = class_away(binary);
  struct Idle {
    double distance;
    std::int64_t id;
    std::size_t at;
  };
  std::vector<Idle> reserve;
  std::size_t kept = 0;
  for (const std::size_t i : binary.members().idle())
    if (expansion.label[i] != away || kept++ >= largest_reserve)
      reserve.push_back({beyond_margin(binary.bracket(), expansion.label[i], expansion.gradient[i]), binary.id_of(i), i});
  if (reserve.size() <= most + most / 4) return;
  // Of equally distant examples the younger ones stay, as in evictions.
  std::sort(reserve.begin(), reserve.end(), [](const Idle& a, const Idle& b) { return a.distance != b.distance ? a.distance < b.distance : a.id > b.id; });
  memory_.reserve_margin = static_cast<std::size_t>(std::ceil(std::clamp(reserve[most - 1].distance, margin_unit, 1e12) / margin_unit));
  for (std::size_t n = most; n < reserve.size(); ++n)
    if (reserve[n].distance > 0.0) binary.remove(reserve[n].at);
}

template class Upkeep<float>;
template class Upkeep<double>;

}  // namespace hinge
