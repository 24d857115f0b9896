#include "kernel_rows.hpp"

#include <algorithm>
#include <utility>

#include "parallel.hpp"

namespace hinge {

namespace {

// A kernel value read from the panel costs about as much as recomputing one of this many features.
constexpr std::size_t panel_read_cost = 4;
constexpr std::size_t rows_per_task = 128;
constexpr std::size_t rows_together = 8;  // computed for steps along pairs
constexpr std::size_t long_row = 2048;    // bytes of an example; of shorter ones, rows that are never asked for cost more than reading saves
constexpr std::size_t gather_rows = 64;  // stored examples copied together when they do not stand side by side

template <class T>
void copy_into(typename RowCache<T>::Row& row, const T* values, std::size_t count) {
  for (std::size_t first = 0; first < count; first += segment_length)
    std::copy_n(values + first, std::min(segment_length, count - first), &row.entry(first));
  row.valid = count;
}

}  // namespace

template <class T>
void KernelRows<T>::attach(const Members<T>& members, const Kernel<T>* kernel, const Points<T>* points, Panel<T>* panel, bool alone) {
  kernel_ = kernel;
  points_ = points;
  panel_ = panel;
  in_place_ = alone && members.is_identity();
}

template <class T>
const T* KernelRows<T>::current_row(const Members<T>& members, std::size_t position) {
  T* values = panel_->values(position);
  const std::size_t stored = members.stored();
  if (!in_place_) {
    current_row_.resize(padded(members.expansion.size() + panel_->count()));
    const std::size_t* slots = members.slots().data();
    for (std::size_t i = 0; i < stored; ++i) current_row_[i] = values[slots[i]];
    values = current_row_.data();
  }
  for (std::size_t f = 0; f < fresh_.size(); ++f) values[stored + f] = panel_->own(fresh_[f], position);
  return values;
}

template <class T>
T KernelRows<T>::take_in(const Members<T>& members, std::size_t position) {
  panel_->open(position, *kernel_);
  fresh_.push_back(position);
  if (!in_place_) fresh_rows_.push_back(current_row_);
  auto& segments = fresh_segments_.emplace_back();
  for (std::size_t first = 0; first < members.stored() + panel_->count(); first += segment_length)
    segments.push_back(fresh_values(fresh_.size() - 1) + first);
  return panel_->own(position, position);
}

// The row of an example of this block: all of it stands in the panel.
template <class T>
void KernelRows<T>::complete_fresh_values(std::size_t f, std::size_t stored) {
  T* values = fresh_values(f) + stored;
  for (std::size_t e = 0; e < fresh_.size(); ++e) values[e] = panel_->own(fresh_[f], fresh_[e]);
}

template <class T>
RowView<T> KernelRows<T>::row(const Members<T>& members, std::size_t i, std::size_t pinned) {
  const std::size_t stored = members.stored(), size = members.expansion.size();
  if (i >= stored) {
    complete_fresh_values(i - stored, stored);
    return {fresh_segments_[i - stored].data()};
  }
  const std::size_t slot = members.slots()[i];
  auto& row = cache_.fetch(i, padded(size), pinned);
  row.last_used = clock_;
  if (row.valid < stored) {
    fill(members, slot, row.valid, stored, row);
    row.valid = stored;
  }
  for (; row.valid < size; ++row.valid) row.entry(row.valid) = panel_->values(fresh_[row.valid - stored])[slot];
  for (std::size_t e = row.valid; e < padded(row.valid); ++e) row.entry(e) = T(0);
  return row.view();
}

template <class T>
RowView<T> KernelRows<T>::row_and_next(const Members<T>& members, std::size_t i, std::size_t pinned) {
  const std::size_t stored = members.stored();
  const bool missing = i < stored && !cache_.holds(i);
  const bool bound_by_memory = !points_->sparse() && points_->features() * sizeof(T) >= long_row;
  if (missing && bound_by_memory && kernel_->is_built_in() && cache_.rows_that_fit(padded(members.expansion.size())) >= 4 * rows_together)
    fill_together(members, likely_next(members.expansion, i, stored), pinned);
  return row(members, i, pinned);
}

// Member i behind those at the ends of the bracket whose rows are missing: half of those who may rise, with the largest gradients, half of those
// who may fall.
template <class T>
std::vector<std::size_t> KernelRows<T>::likely_next(const Expansion& expansion, std::size_t i, std::size_t stored) const {
  constexpr std::size_t each = rows_together / 2;
  std::vector<std::pair<double, std::size_t>> rising, falling;  // by how far they are from the other end
  const auto offer = [&](std::vector<std::pair<double, std::size_t>>& best, double height, std::size_t e) {
    if ((best.size() == each && height <= best.back().first) || e == i || cache_.holds(e)) return;
    if (best.size() == each) best.pop_back();
    best.insert(std::upper_bound(best.begin(), best.end(), height, [](double one, const auto& other) { return one > other.first; }), {height, e});
  };
  for (std::size_t e = 0; e < stored; ++e) {
    if (expansion.room[e] & may_rise) offer(rising, expansion.gradient[e], e);
    if (expansion.room[e] & may_fall) offer(falling, -expansion.gradient[e], e);
  }
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < each && chosen.size() + 1 < rows_together; ++k)
    for (const auto* best : {&rising, &falling})
      if (k < best->size() && chosen.size() + 1 < rows_together && std::find(chosen.begin(), chosen.end(), (*best)[k].second) == chosen.end())
        chosen.push_back((*best)[k].second);
  chosen.push_back(i);
  return chosen;
}

template <class T>
void KernelRows<T>::fill_together(const Members<T>& members, std::span<const std::size_t> chosen, std::size_t pinned) {
  const std::size_t stored = members.stored(), size = members.expansion.size();
  std::vector<std::size_t> slots;
  for (const std::size_t i : chosen) {
    cache_.fetch(i, padded(size), pinned).last_used = clock_;
    slots.push_back(members.slots()[i]);
  }
  const Points<T> left = points_->pick(slots);
  one_.look_at(left.examples());
  kernel_evals_ += chosen.size() * stored;
  std::vector<T> values(chosen.size() * segment_length);
  for (std::size_t first = 0; first < stored; first += segment_length) {
    const std::size_t length = std::min(segment_length, stored - first);
    kernel_->fill_picked(one_, points_->examples(), {members.slots().data() + first, length}, values.data());
    for (std::size_t r = 0; r < chosen.size(); ++r) std::copy_n(values.data() + r * length, length, &cache_.at(chosen[r]).entry(first));
  }
  for (const std::size_t i : chosen) cache_.at(i).valid = stored;
}

// Kernel values of a stored example against members first ... last - 1.
template <class T>
void KernelRows<T>::fill(const Members<T>& members, std::size_t slot, std::size_t first, std::size_t last, typename RowCache<T>::Row& row) {
  const Examples<T> all = points_->examples();
  if (all.sparse && kernel_->is_built_in()) {
    if (points_->index() && 4 * (last - first) > all.count) return fill_by_index(members, slot, first, last, row);
    unlisted_ += last - first;
  }
  one_.look_at(all.range(slot, 1));
  kernel_evals_ += last - first;
  for (std::size_t next; first < last; first = next) {
    next = std::min(last, (first / segment_length + 1) * segment_length);
    if (members.is_identity())
      kernel_->fill(one_, all.range(first, next - first), &row.entry(first), next - first);
    else
      kernel_->fill_picked(one_, all, {members.slots().data() + first, next - first}, &row.entry(first));
  }
}

// Against all slots that are listed by feature at once, and one by one against those that came later.
template <class T>
void KernelRows<T>::fill_by_index(const Members<T>& members, std::size_t slot, std::size_t first, std::size_t last,
                                  typename RowCache<T>::Row& row) {
  const Examples<T> all = points_->examples();
  const std::size_t listed = points_->index()->count(), later = all.count - listed;
  std::vector<T> values(all.count);
  Examples<T> head = all.range(0, listed);
  head.index = points_->index();
  one_.look_at(all.range(slot, 1), later == 0 ? SparseForm::rows_only : SparseForm::indexed);
  kernel_->fill(one_, head, values.data(), listed);
  kernel_->fill(one_, all.range(listed, later), values.data() + listed, later);
  for (std::size_t e = first; e < last; ++e) row.entry(e) = values[members.slots()[e]];
  kernel_evals_ += all.count;
  unlisted_ += later;
}

template <class T>
std::int64_t KernelRows<T>::id_of(const Members<T>& members, std::size_t i) const {
  return i < members.stored() ? points_->id(members.slots()[i]) : panel_->block().rows().ids[fresh_[i - members.stored()]];
}

// Rows used since then are kept complete. The more a kernel value costs, the longer it pays.
template <class T>
std::size_t KernelRows<T>::warm_since() const {
  const std::size_t examples = (points_->row_cost() / panel_read_cost + 1) * 256;
  return clock_ - std::min(clock_, examples);
}

// Rows in use, and the rows of new members: about half of those will be chosen again, and reading them off the panel is far cheaper
// than computing them again. Rows that were not used lately are dropped.
template <class T>
std::size_t KernelRows<T>::list_incomplete(const Members<T>& members) {
  const std::size_t size = members.expansion.size(), stored = members.stored();
  incomplete_.clear();
  if (fresh_.empty()) return 0;
  cache_.drop_older_than(warm_since());
  for (std::size_t i = 0; i < stored; ++i)
    if (cache_.holds(i)) cache_.extend(i, padded(size));
  for (std::size_t i = stored; i < size; ++i)
    if (members.expansion.holds(i)) cache_.fetch(i, padded(size), i).last_used = clock_;
  for (std::size_t i = 0; i < size; ++i)
    if (cache_.holds(i)) incomplete_.push_back(i);
  return (incomplete_.size() + rows_per_task - 1) / rows_per_task;
}

template <class T>
void KernelRows<T>::complete(const Members<T>& members, std::size_t task) {
  const std::size_t first = task * rows_per_task, last = std::min(first + rows_per_task, incomplete_.size());
  for (std::size_t k = first; k < last; ++k)
    if (incomplete_[k] < members.stored())
      complete_stored_row(members, incomplete_[k]);
    else
      complete_fresh_row(members, incomplete_[k]);
}

// The panel read the other way round: its columns are the new entries of the rows at hand.
template <class T>
void KernelRows<T>::complete_stored_row(const Members<T>& members, std::size_t i) {
  auto& row = cache_.at(i);
  cache_.catch_up(row);
  const std::size_t stored = members.stored(), slot = members.slots()[i];
  if (row.valid < stored) return;
  for (; row.valid < members.expansion.size(); ++row.valid) row.entry(row.valid) = panel_->values(fresh_[row.valid - stored])[slot];
}

template <class T>
void KernelRows<T>::complete_fresh_row(const Members<T>& members, std::size_t i) {
  const std::size_t f = i - members.stored();
  complete_fresh_values(f, members.stored());
  copy_into<T>(cache_.at(i), fresh_values(f), members.expansion.size());
}

template <class T>
void KernelRows<T>::leave_panel() {
  fresh_.clear();
  fresh_rows_.clear();
  fresh_segments_.clear();
  if (panel_) clock_ += panel_->count();
  panel_ = nullptr;
}

template <class T>
void KernelRows<T>::prefetch(const Members<T>& members, std::size_t threads) {
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < members.expansion.size(); ++i)
    if (members.expansion.is_free(i)) free.push_back(i);
  prefetch(members, free, threads);
}

template <class T>
void KernelRows<T>::prefetch_all(const Members<T>& members) {
  prefetch(members, members.expansion.held(), 1);
}

template <class T>
void KernelRows<T>::prefetch(const Members<T>& members, std::span<const std::size_t> wanted, std::size_t threads) {
  const std::size_t size = members.expansion.size();
  if (!members.is_identity() || cache_.rows_that_fit(padded(size)) < wanted.size()) return;
  for (const std::size_t i : wanted) cache_.fetch(i, padded(size), i);
  std::vector<std::size_t> missing;
  for (const std::size_t i : wanted)
    if (cache_.holds(i) && cache_.at(i).valid < size) missing.push_back(i);
  const std::size_t tasks = (missing.size() + gather_rows - 1) / gather_rows;
  kernel_evals_ += missing.size() * size;
  parallel_for(threads, tasks, [&](std::size_t task) {
    const std::size_t first = task * gather_rows, count = std::min(gather_rows, missing.size() - first);
    const Points<T> left = points_->pick({missing.data() + first, count});
    Block<T> block;
    Examples<T> all = points_->examples();
    if (points_->index() && points_->index()->count() == size) all.index = points_->index();
    block.look_at(left.examples(), all.index ? SparseForm::rows_only : SparseForm::indexed);
    std::vector<T> values(count * size);
    kernel_->fill(block, all, values.data(), size);
    for (std::size_t r = 0; r < count; ++r) copy_into<T>(cache_.at(missing[first + r]), values.data() + r * size, size);
  });
}

template <class T>
void KernelRows<T>::hand_over(std::span<const std::size_t> members, KernelRows& smaller) {
  cache_.restrict_to(members);
  std::swap(smaller.cache_, cache_);
}

template class KernelRows<float>;
template class KernelRows<double>;

}  // namespace hinge
