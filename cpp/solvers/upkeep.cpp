#include "solvers/upkeep.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "solvers/pairs.hpp"

namespace hinge {

namespace {

// The violation aimed at, a share of how far the decisions of the members are apart: where C is small, they lie close together.
constexpr double violation_to_spread = 0.05, largest_violation = 0.4, negligible_violation = 0.02;
constexpr std::size_t steps_per_example = 64;
constexpr std::size_t gradients_per_example = 400'000;
constexpr std::size_t examples_of_credit = 16;
// The reserve times the members bounds what it costs; a large model can spare the least, unless many examples are misclassified
// before they are learned: then examples that look useless now will be needed.
constexpr std::size_t smallest_reserve = 300, largest_reserve = 1000, reserve_times_members = 1'000'000;
constexpr double reserve_per_error_rate = 5000.0;
constexpr double margin_unit = 1e-3;  // of LasvmMemory::reserve_margin

double error_rate(const LasvmMemory& memory) {
  const std::size_t mistakes = memory.mistakes[0] + memory.mistakes[1], seen = memory.seen[0] + memory.seen[1];
  return static_cast<double>(mistakes) / static_cast<double>(std::max<std::size_t>(seen, 1));
}

std::size_t capacity(const Expansion& expansion, const LasvmMemory& memory) {
  const std::size_t affordable = reserve_times_members / std::max<std::size_t>(expansion.held_count(), 1);
  const auto needed = static_cast<std::size_t>(reserve_per_error_rate * error_rate(memory));
  return std::clamp(std::max(affordable, needed), smallest_reserve, largest_reserve);
}

// The violation to aim at.
template <class T>
double target_of(const Expansion& expansion, double tolerance) {
  const Range decisions = loops<T>().decisions(expansion.gradient.data(), expansion.label.data(), expansion.room.data(), expansion.size());
  return std::max(tolerance, std::min(largest_violation, violation_to_spread * (decisions.highest - decisions.lowest)));
}

}  // namespace

double beyond_margin(const Bracket& bracket, double label, double gradient) {
  return label > 0 ? std::min(bracket.top(), bracket.bottom()) - gradient : gradient - std::max(bracket.top(), bracket.bottom());
}

template <class T>
bool Upkeep<T>::keeps(const BinaryModel<T>& binary, double distance) const {
  if (!binary.bracket().has_pair()) return binary.expansion().held_count() < largest_reserve;
  return memory_.reserve_margin == 0 || distance < margin_unit * static_cast<double>(memory_.reserve_margin);
}

template <class T>
void Upkeep<T>::move_pairs(BinaryModel<T>& binary) {
  const std::size_t members = std::max<std::size_t>(binary.expansion().held_count(), 1);
  const std::size_t allowance = steps_per_example + gradients_per_example / members;
  std::size_t& credit = memory_.credit;
  credit = std::min(credit + allowance, examples_of_credit * allowance);
  if (binary.violation() <= negligible_violation) return;
  const double target = target_of<T>(binary.expansion(), options_.tolerance);
  for (; credit > 0 && binary.violation() > target; --credit)
    if (!reprocess_pair(binary, options_.tolerance, PairChoice::second_order_of_older)) return;
}

// The reserve may exceed its capacity by a quarter, so that members need not be sorted at every example.
template <class T>
void Upkeep<T>::shrink_reserve(BinaryModel<T>& binary) {
  const Expansion& expansion = binary.expansion();
  const std::size_t most = capacity(expansion, memory_);
  if (!binary.bracket().has_pair() || expansion.held_count() - expansion.support() <= most + most / 4) return;
  const std::vector<std::size_t>& idle = binary.members().idle();
  if (idle.size() <= most) return;
  struct Idle {
    double distance;
    std::int64_t id;
    std::size_t at;
  };
  std::vector<Idle> reserve;
  for (const std::size_t i : idle) reserve.push_back({beyond_margin(binary.bracket(), expansion.label[i], expansion.gradient[i]), binary.id_of(i), i});
  // Of equally distant examples the younger ones stay, as in evictions.
  std::sort(reserve.begin(), reserve.end(), [](const Idle& a, const Idle& b) { return a.distance != b.distance ? a.distance < b.distance : a.id > b.id; });
  memory_.reserve_margin = static_cast<std::size_t>(std::ceil(std::clamp(reserve[most - 1].distance, margin_unit, 1e12) / margin_unit));
  for (std::size_t n = most; n < reserve.size(); ++n)
    if (reserve[n].distance > 0.0) binary.remove(reserve[n].at);
}

template <class T>
void Upkeep<T>::reopen_reserve(const BinaryModel<T>& binary) {
  const Expansion& expansion = binary.expansion();
  if (2 * (expansion.held_count() - expansion.support()) < capacity(expansion, memory_)) memory_.reserve_margin = 0;
}

template class Upkeep<float>;
template class Upkeep<double>;

}  // namespace hinge
