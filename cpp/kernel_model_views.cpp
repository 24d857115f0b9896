// The model looked at from outside: predictors, and its state as flat arrays.
#include <utility>

#include "kernel_model.hpp"

namespace hinge {

template <class T>
std::shared_ptr<const Predictor<T>> KernelModel<T>::predictor() {
  tidy();
  const std::size_t count = binaries_.size(), slots = points_.size();
  std::vector<double> weights(count * slots, 0.0), biases;
  for (std::size_t m = 0; m < count; ++m) {
    const auto& binary = binaries_[m];
    const Expansion& expansion = binary.expansion;
    const double share = binary.terms > 0.0 ? 1.0 / binary.terms : 0.0;
    for (std::size_t i = 0; i < expansion.size(); ++i)
      if (expansion.alive(i)) weights[m * slots + binary.slots[i]] = expansion.alpha[i] - share * expansion.lag[i];
    biases.push_back(binary.bias());
  }
  if (last_index_.squeezes != points_.squeezes()) last_index_ = {};
  auto made = std::make_shared<const KernelPredictor<T>>(kernel_, shift_, points_, std::move(weights), std::move(biases), last_index_.index);
  last_index_ = {made->index(), points_.squeezes()};
  return made;
}

template <class T>
ModelState<T> KernelModel<T>::state() {
  tidy();
  ModelState<T> state;
  add_points(points_, state);
  state.shift = shift_;
  state.counters = {static_cast<std::int64_t>(kernel_evals()), static_cast<std::int64_t>(steps()), shift_chosen_};
  for (const auto& binary : binaries_) {
    const Expansion& expansion = binary.expansion;
    state.member_counts.push_back(static_cast<std::int64_t>(expansion.size()));
    for (std::size_t i = 0; i < expansion.size(); ++i) {
      state.members.push_back(static_cast<std::int64_t>(binary.slots[i]));
      state.member_lows.push_back(expansion.low[i]);
      state.member_costs.push_back(expansion.high[i] - expansion.low[i]);
      state.alpha.push_back(expansion.alpha[i]);
      state.gradient.push_back(expansion.gradient[i]);
      state.lag.push_back(expansion.lag[i]);
    }
    for (const std::size_t seeds : binary.seeds) state.counters.push_back(static_cast<std::int64_t>(seeds));
    state.counters.push_back(static_cast<std::int64_t>(binary.extremes_.top_at));
    state.counters.push_back(static_cast<std::int64_t>(binary.extremes_.bottom_at));
    for (const std::size_t count : {binary.visits, binary.draws}) state.counters.push_back(static_cast<std::int64_t>(count));
    for (const auto& sides : {binary.tally.admitted, binary.tally.cleaned})
      for (std::size_t side = 0; side < 3; ++side) state.counters.push_back(static_cast<std::int64_t>(sides[side]));
    state.terms.push_back(binary.terms);
  }
  state.newcomers.assign(newcomers_.begin(), newcomers_.end());
  return state;
}

template <class T>
KernelModel<T>::KernelModel(Kernel<T> kernel, const Options& options, std::size_t features, bool sparse, std::size_t classes,
              const ModelState<T>& state)
    : KernelModel(std::move(kernel), options, features, sparse, classes) {
  shift_ = state.shift;
  panel_evals_ = static_cast<std::size_t>(state.counters[0]);
  past_steps_ = static_cast<std::size_t>(state.counters[1]);
  shift_chosen_ = state.counters[2] != 0;
  restore_points(kernel_, state, points_);
  newcomers_.assign(state.newcomers.begin(), state.newcomers.end());
  const std::vector<T> diagonal = diagonal_of(kernel_, points_.examples());
  std::size_t at = 0;
  for (std::size_t m = 0; m < binaries_.size(); ++m) {
    BinaryModel<T>& binary = binaries_[m];
    for (std::int64_t i = 0; i < state.member_counts[m]; ++i, ++at) {
      const auto slot = static_cast<std::size_t>(state.members[at]);
      const Box box{state.member_lows[at], state.member_lows[at] + state.member_costs[at]};
      binary.append_member(slot, diagonal[slot], binary.label_of(points_.label(slot)), box, state.alpha[at], state.gradient[at]);
      binary.expansion.lag[static_cast<std::size_t>(i)] = state.lag[at];
      points_.acquire(slot);
    }
    binary.refresh_identity();
    const std::int64_t* counters = state.counters.data() + 3 + counters_per_binary * m;
    for (std::size_t s = 0; s < 2; ++s) binary.seeds[s] = static_cast<std::size_t>(counters[s]);
    const auto size = static_cast<std::int64_t>(binary.expansion.size());
    if (counters[2] < size && counters[3] < size)
      binary.set_ends(static_cast<std::size_t>(counters[2]), static_cast<std::size_t>(counters[3]));
    else
      binary.refresh_extremes();
    binary.visits = static_cast<std::size_t>(counters[4]);
    binary.draws = static_cast<std::size_t>(counters[5]);
    for (std::size_t side = 0; side < 3; ++side) {
      binary.tally.admitted[side] = static_cast<std::size_t>(counters[6 + side]);
      binary.tally.cleaned[side] = static_cast<std::size_t>(counters[9 + side]);
    }
    binary.terms = state.terms[m];
  }
}

template class KernelModel<float>;
template class KernelModel<double>;

}  // namespace hinge
