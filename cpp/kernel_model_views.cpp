// The model looked at from outside: decisions, kernel values, and its state as flat arrays.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "decision.hpp"
#include "kernel_model.hpp"

namespace hinge {

namespace {

// The list of support vectors by feature is made anew when so many are missing from it, and kept while it is not too long. It has an
// entry a feature: where there are very many features, what is missing is not listed separately, which would take as long.
constexpr std::size_t many_missing = 64;
constexpr std::size_t many_features = 1 << 20;
constexpr std::size_t longest_list = 1 << 21;

}  // namespace

template <class T>
void KernelModel<T>::decide(const Batch<T>& batch, std::span<double> decisions, std::size_t threads) {
  tidy();  // sums depend, in their last bits, on the order of the slots: it must be the one that is saved
  const std::size_t count = binaries_.size(), slots = points_.size();
  std::vector<double> weights(count * slots, 0.0);
  for (std::size_t m = 0; m < count; ++m) {
    const auto& binary = binaries_[m];
    const Expansion& expansion = binary.expansion();
    const double share = expansion.terms > 0.0 ? 1.0 / expansion.terms : 0.0;
    for (std::size_t i = 0; i < expansion.size(); ++i)
      if (expansion.alive(i)) weights[m * slots + binary.members().slots()[i]] = expansion.alpha[i] - share * expansion.lag[i];
    for (std::size_t r = 0; r < batch.count; ++r) decisions[r * count + m] = binary.bias();
  }
  Examples<T> held = points_.examples();
  SparseColumns<T> later;
  if (held.sparse && batch.count > 1) {
    list_points();
    held.columns = &listed_.columns;
    if (listed_.count < held.count) {
      later = columns_of(held, listed_.count);
      held.later_columns = &later;
    }
  }
  const SparseForm form = held.columns ? SparseForm::rows_only : SparseForm::panel;
  for_blocks(batch, threads, form, [&](std::size_t first, const Block<T>& block) {
    add_block_decisions(kernel_, block, held, weights, count, decisions.data() + first * count);
  });
  if (listed_.columns.rows.size() + listed_.columns.starts.size() > longest_list) listed_ = {};
}

template <class T>
void KernelModel<T>::list_points() {
  const bool moved = listed_.squeezes != points_.squeezes();
  const std::size_t missing = points_.features() > many_features ? 0 : many_missing;
  if (!moved && listed_.count > 0 && listed_.count + missing >= points_.size()) return;
  listed_ = {columns_of(points_.examples()), points_.size(), points_.squeezes()};
}

template <class T>
void KernelModel<T>::kernel_values(const Batch<T>& batch, std::span<T> values) {
  const std::size_t slots = points_.size();
  for_blocks(batch, run().threads, SparseForm::panel, [&](std::size_t first, const Block<T>& block) {
    kernel_.fill(block, points_.examples(), values.data() + first * slots, slots);
  });
}

template <class T>
void KernelModel<T>::for_blocks(const Batch<T>& batch, std::size_t threads, SparseForm form,
                         const std::function<void(std::size_t, const Block<T>&)>& body) const {
  const std::size_t size = points_.sparse() ? lane_padding : block_size(), tasks = (batch.count + size - 1) / size;
  parallel_for(threads_for(batch.count, threads), tasks, [&](std::size_t task) {
    const std::size_t first = task * size;
    std::vector<std::int64_t> rows(std::min(size, batch.count - first));
    std::iota(rows.begin(), rows.end(), static_cast<std::int64_t>(first));
    Block<T> block;
    block.take(kernel_, batch, rows, 0, shift_, form);
    body(first, block);
  });
}

template <class T>
ModelState<T> KernelModel<T>::state() {
  tidy();
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
    BinaryModel<T>& binary = binaries_[m];
    for (std::int64_t i = 0; i < state.member_counts[m]; ++i, ++at) {
      const auto slot = static_cast<std::size_t>(state.members[at]);
      const Box box{state.member_lows[at], state.member_lows[at] + state.member_costs[at]};
      binary.append_member(slot, diagonal[slot], binary.label_of(points_.label(slot)), box, state.alpha[at], state.gradient[at]);
      binary.expansion().lag[static_cast<std::size_t>(i)] = state.lag[at];
      points_.acquire(slot);
    }
    const std::int64_t top_at = state.bracket_ends[2 * m], bottom_at = state.bracket_ends[2 * m + 1];
    if (std::max(top_at, bottom_at) < state.member_counts[m])
      binary.end_building(static_cast<std::size_t>(top_at), static_cast<std::size_t>(bottom_at));
    else
      binary.end_building();
    binary.expansion().terms = state.terms[m];
    solvers_[m]->restore(state.memory, m, binaries_.size());
  }
}

template class KernelModel<float>;
template class KernelModel<double>;

}  // namespace hinge
