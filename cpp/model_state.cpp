#include "model_state.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace hinge {

template <class T>
void add_points(const Points<T>& points, ModelState<T>& state) {
  const Examples<T> all = points.examples();
  state.starts.push_back(0);
  for (std::size_t slot = 0; slot < points.size(); ++slot) {
    state.ids.push_back(points.id(slot));
    state.labels.push_back(points.label(slot));
    state.costs.push_back(points.cost(slot));
    if (!all.sparse) continue;
    const SparseRow<T>& row = all.rows[slot];
    state.values.insert(state.values.end(), row.value, row.value + row.size);
    state.indices.insert(state.indices.end(), row.index, row.index + row.size);
    state.starts.push_back(static_cast<std::int64_t>(state.values.size()));
  }
  if (!all.sparse) state.values.assign(all.values, all.values + all.count * all.features);
}

template <class T>
void restore_points(const Kernel<T>& kernel, const ModelState<T>& state, Points<T>& points) {
  const std::size_t features = points.features();
  for (std::size_t slot = 0; slot < state.ids.size(); ++slot) {
    SparseRow<T> row;
    Examples<T> one{1, features, points.sparse(), nullptr, &row, nullptr, &state.ids[slot], T(0)};
    if (points.sparse()) {
      const auto first = static_cast<std::size_t>(state.starts[slot]), last = static_cast<std::size_t>(state.starts[slot + 1]);
      row = {state.indices.data() + first, state.values.data() + first, last - first};
    } else {
      one.values = state.values.data() + slot * features;
    }
    const T norm = kernel.norm(one, 0);
    one.norms = &norm;
    points.append(one, 0, state.labels[slot], state.costs[slot]);
  }
}

// k(x, x) of stored examples. A sparse row against itself gives the same value with its columns renumbered from 0. Memory then does not grow
// with the number of features, of which a file may claim many. Kernel functions of the user get rows as they are.
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
void ModelState<T>::check(std::size_t features, bool sparse, const ClassScheme& scheme) const {
  const std::size_t points = ids.size(), binaries = scheme.binaries();
  demand(labels.size() == points && costs.size() == points && (shift.empty() || shift.size() == features));
  demand_between(labels, std::int32_t{0}, static_cast<std::int32_t>(scheme.classes()) - 1);
  demand_finite(values);
  demand_finite(shift);
  if (sparse) {
    demand(starts.size() == points + 1 && starts[0] == 0 && std::is_sorted(starts.begin(), starts.end()));
    demand(static_cast<std::size_t>(starts.back()) == values.size() && indices.size() == values.size());
    demand_between(indices, std::int64_t{0}, static_cast<std::int64_t>(features) - 1);
  } else {
    demand(values.size() == points * features);
  }
  demand(member_counts.size() == binaries && bracket_ends.size() == 2 * binaries && terms.size() == binaries);
  demand_between(member_counts, std::int64_t{0}, static_cast<std::int64_t>(points));
  demand_between(bracket_ends, std::int64_t{0}, std::numeric_limits<std::int64_t>::max());
  demand(kernel_evals >= 0 && steps >= 0);
  const auto total = static_cast<std::size_t>(std::accumulate(member_counts.begin(), member_counts.end(), std::int64_t{0}));
  demand(members.size() == total && member_lows.size() == total && member_costs.size() == total);
  demand(alpha.size() == total && gradient.size() == total && lag.size() == total && member_mistakes.size() == total);
  demand_between(members, std::int64_t{0}, static_cast<std::int64_t>(points) - 1);
  for (std::size_t m = 0, at = 0; m < binaries; ++m)
    for (std::int64_t i = 0; i < member_counts[m]; ++i, ++at) demand(scheme.target(m, labels[static_cast<std::size_t>(members[at])]) != 0.0);
  demand_between(member_costs, 0.0, std::numeric_limits<double>::max());
  demand_finite(member_lows);
  demand_finite(lag);
  demand_between(member_mistakes, std::int64_t{0}, std::int64_t{1});
  demand_between(terms, 0.0, std::numeric_limits<double>::max());
  demand_finite(alpha);
  demand_finite(gradient);
  demand_between(late_models, std::int64_t{0}, static_cast<std::int64_t>(binaries) - 1);
  demand(std::adjacent_find(late_models.begin(), late_models.end(), std::greater_equal<>()) == late_models.end());
}

#define HINGE_INSTANTIATE(T)                                                         \
  template struct ModelState<T>;                                                      \
  template void add_points<T>(const Points<T>&, ModelState<T>&);                      \
  template void restore_points<T>(const Kernel<T>&, const ModelState<T>&, Points<T>&); \
  template std::vector<T> diagonal_of<T>(const Kernel<T>&, const Examples<T>&);
HINGE_INSTANTIATE(float)
HINGE_INSTANTIATE(double)

}  // namespace hinge
