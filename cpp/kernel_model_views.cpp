// The model looked at from outside: predictors, and its state as flat arrays.
#include <algorithm>
#include <utility>

#include "binary_model_builder.hpp"
#include "decision.hpp"
#include "kernel_model.hpp"

namespace hinge {

template <class T>
std::shared_ptr<const Predictor<T>> KernelModel<T>::predictor() const {
  const std::size_t count = binaries_.size(), slots = points_.size();
  std::vector<double> weights(count * slots, 0.0), biases;
  for (std::size_t m = 0; m < count; ++m) {
    const auto& binary = binaries_[m];
    const Expansion& expansion = binary.expansion();
    const double share = expansion.terms > 0.0 ? 1.0 / expansion.terms : 0.0;
    for (std::size_t i = 0; i < expansion.size(); ++i)
      if (expansion.holds(i)) weights[m * slots + binary.members().slots()[i]] = expansion.alpha[i] - share * expansion.lag[i];
    biases.push_back(binary.bias());
  }
  if (last_index_.closings != points_.closings()) last_index_ = {};
  auto made = std::make_shared<const KernelPredictor<T>>(kernel_, shift_, points_, std::move(weights), std::move(biases), last_index_.index);
  last_index_ = {made->index(), points_.closings()};
  return made;
}

// Few coefficients differ from their average: those that have just moved. g + sum_j lag_j K_ij / terms needs their kernel rows only, which are
// computed apart from the cache: asking changes nothing.
template <class T>
Expansion KernelModel<T>::answer(std::size_t m) const {
  const BinaryModel<T>& binary = binaries_[m];
  Expansion average = binary.expansion();
  std::vector<std::size_t> lagging;
  for (std::size_t i = 0; i < average.size() && average.terms > 0.0; ++i)
    if (average.lag[i] != 0.0) lagging.push_back(i);
  for (std::size_t first = 0; first < lagging.size(); first += largest_block) {
    const auto block = std::span(lagging).subspan(first, std::min(largest_block, lagging.size() - first));
    std::vector<std::size_t> slots;
    for (const std::size_t i : block) slots.push_back(binary.members().slots()[i]);
    const Points<T> picked = points_.pick(slots);
    Panel<T> panel;
    panel.look_at(picked, 0, slots.size());
    panel.reserve(points_, 0);
    for (std::size_t task = 0, tasks = panel.tasks(points_); task < tasks; ++task) panel.run_task(task, kernel_, points_);
    for (std::size_t p = 0; p < block.size(); ++p) {
      const double change = average.lag[block[p]] / average.terms;
      const T* row = panel.values(p);
      for (std::size_t i = 0; i < average.size(); ++i)
        if (average.holds(i)) average.gradient[i] += change * static_cast<double>(row[binary.members().slots()[i]]);
      average.set_alpha_in_box(block[p], average.alpha[block[p]] - change);
    }
  }
  return average;
}

template <class T>
ModelState<T> KernelModel<T>::state() const {
  ModelState<T> state;
  add_points(points_, state);
  state.shift = shift_;
  state.kernel_evals = static_cast<std::int64_t>(kernel_evals());
  state.steps = static_cast<std::int64_t>(steps());
  state.shift_chosen = shift_chosen_;
  for (const auto& binary : binaries_) {
    const Expansion& expansion = binary.expansion();
    state.member_counts.push_back(static_cast<std::int64_t>(expansion.size()));
    for (std::size_t i = 0; i < expansion.size(); ++i) {
      state.members.push_back(static_cast<std::int64_t>(binary.members().slots()[i]));
      state.member_lows.push_back(expansion.low[i]);
      state.member_costs.push_back(expansion.high[i] - expansion.low[i]);
      state.alpha.push_back(expansion.alpha[i]);
      state.gradient.push_back(expansion.gradient[i]);
      state.lag.push_back(expansion.lag[i]);
      state.member_mistakes.push_back(expansion.mistaken[i]);
    }
    state.bracket_ends.push_back(static_cast<std::int64_t>(binary.bracket().top_at()));
    state.bracket_ends.push_back(static_cast<std::int64_t>(binary.bracket().bottom_at()));
    state.terms.push_back(expansion.terms);
  }
  state.late_models.assign(late_models_.begin(), late_models_.end());
  state.memory = memory();
  return state;
}

template <class T>
KernelModel<T>::KernelModel(Kernel<T> kernel, const SolverFactory<T>& solvers, std::size_t features, bool sparse, std::size_t classes,
              const ModelState<T>& state)
    : KernelModel(std::move(kernel), solvers, features, sparse, classes) {
  shift_ = state.shift;
  panel_evals_ = static_cast<std::size_t>(state.kernel_evals);
  past_steps_ = static_cast<std::size_t>(state.steps);
  shift_chosen_ = state.shift_chosen;
  restore_points(kernel_, state, points_);
  late_models_.assign(state.late_models.begin(), state.late_models.end());
  const std::vector<T> diagonal = diagonal_of(kernel_, points_.examples());
  std::size_t at = 0;
  for (std::size_t m = 0; m < binaries_.size(); ++m) {
    BinaryModelBuilder<T> builder(kernel_, points_, solvers_[m]->biased(), binaries_[m].rows().cache().budget());
    for (std::int64_t i = 0; i < state.member_counts[m]; ++i, ++at) {
      const auto slot = static_cast<std::size_t>(state.members[at]);
      const Box box{state.member_lows[at], state.member_lows[at] + state.member_costs[at]};
      builder.append(slot, diagonal[slot], scheme_.target(m, points_.label(slot)), box, state.alpha[at], state.gradient[at], state.lag[at],
                     state.member_mistakes[at] != 0);
      points_.acquire(slot);
    }
    const std::int64_t top_at = state.bracket_ends[2 * m], bottom_at = state.bracket_ends[2 * m + 1];
    if (std::max(top_at, bottom_at) < state.member_counts[m])
      builder.prefer_ends(static_cast<std::size_t>(top_at), static_cast<std::size_t>(bottom_at));
    builder.set_terms(state.terms[m]);
    binaries_[m] = builder.build();
    solvers_[m]->restore(state.memory, m, binaries_.size());
  }
}

template class KernelModel<float>;
template class KernelModel<double>;

}  // namespace hinge
