// The bank looked at from outside: decisions, kernel values, and its state as flat arrays.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "decision.hpp"
#include "one_vs_rest.hpp"

namespace hinge {

template <class T>
void Bank<T>::decide(const Batch<T>& batch, std::span<double> decisions, std::size_t threads) {
  tidy();  // sums depend, in their last bits, on the order of the slots: it must be the one that is saved
  const std::size_t count = machines_.size(), slots = points_.size();
  std::vector<double> weights(count * slots, 0.0);
  for (std::size_t m = 0; m < count; ++m) {
    const auto& machine = machines_[m];
    const Expansion& expansion = machine.expansion;
    const double share = machine.terms > 0.0 ? 1.0 / machine.terms : 0.0;
    for (std::size_t i = 0; i < expansion.size(); ++i)
      if (expansion.alive(i)) weights[m * slots + machine.slots[i]] = expansion.alpha[i] - share * expansion.lag[i];
    for (std::size_t r = 0; r < batch.count; ++r) decisions[r * count + m] = machine.bias();
  }
  Examples<T> held = points_.examples();
  SparseColumns<T> columns;
  if (held.sparse && batch.count > 1) {
    columns = columns_of(held);
    held.columns = &columns;
  }
  for_blocks(batch, threads, [&](std::size_t first, const Block<T>& block) {
    add_block_decisions(kernel_, block, held, weights, count, decisions.data() + first * count);
  });
}

template <class T>
void Bank<T>::kernel_values(const Batch<T>& batch, std::span<T> values) {
  const std::size_t slots = points_.size();
  for_blocks(batch, options_.threads, [&](std::size_t first, const Block<T>& block) {
    kernel_.fill(block, points_.examples(), values.data() + first * slots, slots);
  });
}

template <class T>
void Bank<T>::for_blocks(const Batch<T>& batch, std::size_t threads,
                         const std::function<void(std::size_t, const Block<T>&)>& body) const {
  const std::size_t size = points_.sparse() ? lane_padding : block_size(), tasks = (batch.count + size - 1) / size;
  parallel_for(threads_for(batch.count, threads), tasks, [&](std::size_t task) {
    const std::size_t first = task * size;
    std::vector<std::int64_t> rows(std::min(size, batch.count - first));
    std::iota(rows.begin(), rows.end(), static_cast<std::int64_t>(first));
    Block<T> block;
    block.take(kernel_, batch, rows, 0, shift_);
    body(first, block);
  });
}

template <class T>
BankState<T> Bank<T>::state() {
  tidy();
  BankState<T> state;
  const Examples<T> all = points_.examples();
  state.starts.push_back(0);
  for (std::size_t slot = 0; slot < points_.size(); ++slot) {
    state.ids.push_back(points_.id(slot));
    state.labels.push_back(points_.label(slot));
    state.costs.push_back(points_.cost(slot));
    if (!all.sparse) continue;
    const SparseRow<T>& row = all.rows[slot];
    state.values.insert(state.values.end(), row.value, row.value + row.size);
    state.indices.insert(state.indices.end(), row.index, row.index + row.size);
    state.starts.push_back(static_cast<std::int64_t>(state.values.size()));
  }
  if (!all.sparse) state.values.assign(all.values, all.values + all.count * all.features);
  state.shift = shift_;
  state.counters = {static_cast<std::int64_t>(kernel_evals()), static_cast<std::int64_t>(steps()), shift_chosen_};
  for (const auto& machine : machines_) {
    const Expansion& expansion = machine.expansion;
    state.member_counts.push_back(static_cast<std::int64_t>(expansion.size()));
    for (std::size_t i = 0; i < expansion.size(); ++i) {
      state.members.push_back(static_cast<std::int64_t>(machine.slots[i]));
      state.member_lows.push_back(expansion.low[i]);
      state.member_costs.push_back(expansion.high[i] - expansion.low[i]);
      state.alpha.push_back(expansion.alpha[i]);
      state.gradient.push_back(expansion.gradient[i]);
      state.lag.push_back(expansion.lag[i]);
    }
    for (const std::size_t seeds : machine.seeds) state.counters.push_back(static_cast<std::int64_t>(seeds));
    state.counters.push_back(static_cast<std::int64_t>(machine.extremes_.top_at));
    state.counters.push_back(static_cast<std::int64_t>(machine.extremes_.bottom_at));
    for (const std::size_t count : {machine.visits, machine.draws}) state.counters.push_back(static_cast<std::int64_t>(count));
    for (const auto& sides : {machine.tally.admitted, machine.tally.cleaned})
      for (std::size_t side = 0; side < 3; ++side) state.counters.push_back(static_cast<std::int64_t>(sides[side]));
    state.terms.push_back(machine.terms);
  }
  state.newcomers.assign(newcomers_.begin(), newcomers_.end());
  return state;
}

namespace {

// k(x, x) of stored examples. A sparse row against itself is the same with its columns closed up: nothing then grows with the number of
// features, of which a file may claim many. Functions of the user get rows as they are.
template <class T>
std::vector<T> diagonal_of(const Kernel<T>& kernel, const Examples<T>& all) {
  std::vector<T> diagonal(all.count);
  std::vector<std::int32_t> columns;
  for (std::size_t slot = 0; slot < all.count; ++slot) {
    Examples<T> one = all.range(slot, 1);
    SparseRow<T> row;
    if (all.sparse && kernel.parameters().kind != KernelKind::callable) {
      row = all.rows[slot];
      columns.resize(row.size);
      std::iota(columns.begin(), columns.end(), 0);
      row.index = columns.data();
      one.rows = &row;
      one.features = row.size;
    }
    Block<T> block;
    block.look_at(one);
    diagonal[slot] = kernel.self(block, 0);
  }
  return diagonal;
}

}  // namespace

template <class T>
Bank<T>::Bank(Kernel<T> kernel, const Options& options, std::size_t features, bool sparse, std::size_t classes,
              const BankState<T>& state)
    : Bank(std::move(kernel), options, features, sparse, classes) {
  shift_ = state.shift;
  panel_evals_ = static_cast<std::size_t>(state.counters[0]);
  past_steps_ = static_cast<std::size_t>(state.counters[1]);
  shift_chosen_ = state.counters[2] != 0;
  restore_points(state);
  newcomers_.assign(state.newcomers.begin(), state.newcomers.end());
  const std::vector<T> diagonal = diagonal_of(kernel_, points_.examples());
  std::size_t at = 0;
  for (std::size_t m = 0; m < machines_.size(); ++m) {
    Machine<T>& machine = machines_[m];
    for (std::int64_t i = 0; i < state.member_counts[m]; ++i, ++at) {
      const auto slot = static_cast<std::size_t>(state.members[at]);
      const Box box{state.member_lows[at], state.member_lows[at] + state.member_costs[at]};
      machine.append_member(slot, diagonal[slot], machine.label_of(points_.label(slot)), box, state.alpha[at], state.gradient[at]);
      machine.expansion.lag[static_cast<std::size_t>(i)] = state.lag[at];
      points_.acquire(slot);
    }
    machine.refresh_identity();
    const std::int64_t* counters = state.counters.data() + 3 + counters_per_machine * m;
    for (std::size_t s = 0; s < 2; ++s) machine.seeds[s] = static_cast<std::size_t>(counters[s]);
    const auto size = static_cast<std::int64_t>(machine.expansion.size());
    if (counters[2] < size && counters[3] < size)
      machine.set_ends(static_cast<std::size_t>(counters[2]), static_cast<std::size_t>(counters[3]));
    else
      machine.refresh_extremes();
    machine.visits = static_cast<std::size_t>(counters[4]);
    machine.draws = static_cast<std::size_t>(counters[5]);
    for (std::size_t side = 0; side < 3; ++side) {
      machine.tally.admitted[side] = static_cast<std::size_t>(counters[6 + side]);
      machine.tally.cleaned[side] = static_cast<std::size_t>(counters[9 + side]);
    }
    machine.terms = state.terms[m];
  }
}

template <class T>
void Bank<T>::restore_points(const BankState<T>& state) {
  const std::size_t features = points_.features();
  for (std::size_t slot = 0; slot < state.ids.size(); ++slot) {
    SparseRow<T> row;
    Examples<T> one{1, features, points_.sparse(), nullptr, &row, nullptr, &state.ids[slot], T(0)};
    if (points_.sparse()) {
      const auto first = static_cast<std::size_t>(state.starts[slot]), last = static_cast<std::size_t>(state.starts[slot + 1]);
      row = {state.indices.data() + first, state.values.data() + first, last - first};
    } else {
      one.values = state.values.data() + slot * features;
    }
    const T norm = kernel_.norm(one, 0);
    one.norms = &norm;
    points_.append(one, 0, state.labels[slot], state.costs[slot]);
  }
}

namespace {

void demand(bool holds) {
  if (!holds) throw std::invalid_argument("The arrays of the saved state do not fit each other.");
}

template <class Values, class Number>
void demand_between(const Values& values, Number low, Number high) {
  demand(std::all_of(values.begin(), values.end(), [&](auto value) { return value >= low && value <= high; }));
}

template <class Values>
void demand_finite(const Values& values) {
  demand(std::all_of(values.begin(), values.end(), [](auto value) { return std::isfinite(value); }));
}

}  // namespace

template <class T>
void BankState<T>::check(std::size_t features, bool sparse, std::size_t classes) const {
  const std::size_t points = ids.size(), machines = machines_for(classes);
  demand(labels.size() == points && costs.size() == points && (shift.empty() || shift.size() == features));
  demand_between(labels, std::int32_t{0}, static_cast<std::int32_t>(classes) - 1);
  demand_finite(values);
  demand_finite(shift);
  if (sparse) {
    demand(starts.size() == points + 1 && starts[0] == 0 && std::is_sorted(starts.begin(), starts.end()));
    demand(static_cast<std::size_t>(starts.back()) == values.size() && indices.size() == values.size());
    demand_between(indices, std::int64_t{0}, static_cast<std::int64_t>(features) - 1);
  } else {
    demand(values.size() == points * features);
  }
  demand(member_counts.size() == machines && counters.size() == 3 + counters_per_machine * machines && terms.size() == machines);
  demand_between(member_counts, std::int64_t{0}, static_cast<std::int64_t>(points));
  demand_between(counters, std::int64_t{0}, std::numeric_limits<std::int64_t>::max());
  const auto total = static_cast<std::size_t>(std::accumulate(member_counts.begin(), member_counts.end(), std::int64_t{0}));
  demand(members.size() == total && member_lows.size() == total && member_costs.size() == total);
  demand(alpha.size() == total && gradient.size() == total && lag.size() == total);
  demand_between(members, std::int64_t{0}, static_cast<std::int64_t>(points) - 1);
  demand_between(member_costs, 0.0, std::numeric_limits<double>::max());
  demand_finite(member_lows);
  demand_finite(lag);
  demand_between(terms, 0.0, std::numeric_limits<double>::max());
  demand_finite(alpha);
  demand_finite(gradient);
  demand_between(newcomers, std::int64_t{0}, static_cast<std::int64_t>(machines) - 1);
  demand(std::adjacent_find(newcomers.begin(), newcomers.end(), std::greater_equal<>()) == newcomers.end());
}

template struct BankState<float>;
template struct BankState<double>;
template class Bank<float>;
template class Bank<double>;

}  // namespace hinge
