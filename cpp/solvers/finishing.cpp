#include "solvers/finishing.hpp"

#include <algorithm>
#include <cmath>

#include "binary_model_builder.hpp"
#include "decision.hpp"
#include "duality.hpp"
#include "solvers/pairs.hpp"

namespace hinge {

namespace {

constexpr std::size_t steps_between_looks = 1000;
constexpr std::size_t max_rounds = 50;
constexpr std::size_t few_members = 512;  // of so many, most rows are needed sooner or later, and one product is cheaper than many
// When steps together raise the dual by a smaller part of it than this, only rounding is left.
constexpr double negligible_gain = 1e-18;

// The same model with some of its members only, over points that hold just those. Takes the cache along, and computes rows that steps will need.
template <class T>
BinaryModel<T> restricted(BinaryModel<T>& binary, std::span<const std::size_t> kept, const Points<T>& points, std::size_t threads) {
  const Expansion& expansion = binary.expansion();
  KernelRows<T>& rows = binary.rows();
  BinaryModelBuilder<T> builder(rows.kernel(), points, binary.bracket().biased(), rows.cache().budget());
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const std::size_t i = kept[k];
    builder.append(k, binary.members().diagonal()[i], expansion.label[i], expansion.box(i), expansion.alpha[i], expansion.gradient[i]);
  }
  builder.take_cache(rows, kept);
  BinaryModel<T> smaller = builder.build();
  smaller.rows().prefetch(smaller.members(), threads);
  return smaller;
}

// Takes over what a restricted model has become.
template <class T>
void take_back(BinaryModel<T>& binary, const BinaryModel<T>& smaller, std::span<const std::size_t> kept) {
  for (std::size_t k = 0; k < kept.size(); ++k) {
    binary.members().set_alpha(kept[k], smaller.expansion().alpha[k]);
    binary.expansion().gradient[kept[k]] = smaller.expansion().gradient[k];
  }
  binary.count_steps(smaller.steps());
  binary.rows().count_kernel_evals(smaller.rows().kernel_evals());
}

}  // namespace

template <class T>
bool Finishing<T>::run(BinaryModel<T>& binary, AtEnd at_end) {
  steps_left_ = options_.max_steps.value_or(std::max<std::size_t>(10'000'000, 200 * binary.expansion().size()));
  binary.refresh_bracket();
  Ending ending = begin_cold(binary);
  for (std::size_t round = 0; ending == Ending::crowded; ++round) {
    ending = descend(binary, round < max_rounds);
    if (ending == Ending::crowded) {
      const Ending inner = run_shrunken(binary);
      if (inner != Ending::converged) ending = inner;
    }
  }
  if (ending == Ending::converged && at_end == AtEnd::dismiss_idle) dismiss(binary);
  return ending != Ending::stalled;
}

// Rows of members that do not stand side by side cost more, so a model that has computed nothing yet continues over a packed copy.
template <class T>
typename Finishing<T>::Ending Finishing<T>::begin_cold(BinaryModel<T>& binary) {
  if (!binary.rows().cache().empty() || binary.members().is_identity() || !binary.bracket().has_pair() || binary.violation() <= options_.tolerance)
    return Ending::crowded;
  const Ending inner = run_shrunken(binary);
  return inner == Ending::converged ? Ending::crowded : inner;
}

template <class T>
typename Finishing<T>::Ending Finishing<T>::descend(BinaryModel<T>& binary, bool may_shrink) {
  const PairChoice choice = options_.second_order ? PairChoice::second_order : PairChoice::maximal_gradient;
  double window_gain = 0.0;
  const std::size_t size = binary.expansion().size(), window = std::max(steps_between_looks, size);
  for (std::size_t count = 1;; ++count) {
    if (steps_left_ == 0) return Ending::stalled;
    const auto gain = reprocess_pair(binary, options_.tolerance, choice);
    if (!gain) return Ending::converged;
    --steps_left_;
    window_gain += *gain;
    if (count == size / 8 && size <= few_members) binary.rows().prefetch_all(binary.members());
    if (count % steps_between_looks != 0) continue;
    if (monitor_.stopped()) return Ending::stopped;
    if (may_shrink && active_members(binary).size() < binary.expansion().held_count() / 4 * 3) return Ending::crowded;
    if (count % (10 * window) < steps_between_looks) {
      if (window_gain <= negligible_gain * dual_objective(binary.expansion())) return Ending::stalled;
      window_gain = 0.0;
    }
  }
}

template <class T>
std::vector<std::size_t> Finishing<T>::active_members(const BinaryModel<T>& binary) const {
  const Expansion& expansion = binary.expansion();
  std::vector<std::size_t> active;
  for (std::size_t i = 0; i < expansion.size(); ++i) {
    const double g = expansion.gradient[i];
    const bool out = !expansion.holds(i) || (expansion.room[i] == may_rise && g < binary.bracket().bottom()) ||
                     (expansion.room[i] == may_fall && g > binary.bracket().top());
    if (!out) active.push_back(i);
  }
  return active;
}

template <class T>
typename Finishing<T>::Ending Finishing<T>::run_shrunken(BinaryModel<T>& binary) {
  const auto active = active_members(binary);
  const std::vector<double> before = binary.expansion().alpha;
  std::vector<std::size_t> slots;
  for (const std::size_t i : active) slots.push_back(binary.members().slots()[i]);
  Points<T> points = binary.rows().points().pick(slots);
  points.list_by_feature();
  BinaryModel<T> smaller = restricted(binary, active, points, threads_);
  Ending ending = descend(smaller, true);
  while (ending == Ending::crowded) {
    ending = run_shrunken(smaller);
    if (ending == Ending::converged) ending = descend(smaller, true);
  }
  take_back(binary, smaller, active);
  restore_rest(binary, active, before);
  binary.refresh_bracket();
  return ending;
}

// g_i -= sum over what moved of (alpha_j - before_j) K_ij, for the members set aside.
template <class T>
void Finishing<T>::restore_rest(BinaryModel<T>& binary, std::span<const std::size_t> active,
                                const std::vector<double>& before) {
  Expansion& expansion = binary.expansion();
  std::vector<std::size_t> moved_slots, rest, rest_slots;
  std::vector<double> change;
  for (const std::size_t i : active) {
    if (expansion.alpha[i] == before[i]) continue;
    moved_slots.push_back(binary.members().slots()[i]);
    change.push_back(expansion.alpha[i] - before[i]);
  }
  for (std::size_t i = 0, k = 0; i < expansion.size(); ++i) {
    if (k < active.size() && active[k] == i) {
      ++k;
    } else if (expansion.holds(i)) {
      rest.push_back(i);
      rest_slots.push_back(binary.members().slots()[i]);
    }
  }
  std::vector<double> sums(rest.size(), 0.0);
  const Points<T> moved = binary.rows().points().pick(moved_slots), aside = binary.rows().points().pick(rest_slots);
  add_decisions(binary.rows().kernel(), aside.examples(), moved.examples(), change, 1, threads_, sums);
  binary.rows().count_kernel_evals(rest.size() * change.size());
  for (std::size_t k = 0; k < rest.size(); ++k) expansion.gradient[rest[k]] -= sums[k];
}

// At the end all members with alpha = 0 leave, but for the two that may end the bracket.
template <class T>
void Finishing<T>::dismiss(BinaryModel<T>& binary) const {
  if (!binary.bracket().has_pair()) return;
  const std::size_t top_at = binary.bracket().top_at(), bottom_at = binary.bracket().bottom_at();
  for (std::size_t i = 0; i < binary.expansion().size(); ++i)
    if (i != top_at && i != bottom_at && binary.expansion().holds(i) && binary.expansion().alpha[i] == 0.0)
      binary.remove(i);
}

template class Finishing<float>;
template class Finishing<double>;

}  // namespace hinge
