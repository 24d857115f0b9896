#include "binary_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "decision.hpp"
#include "duality.hpp"
#include "parallel.hpp"

namespace hinge {

namespace {

// A kernel value read from the panel costs about as much as recomputing one of this many features.
constexpr std::size_t panel_read_cost = 4;
constexpr std::size_t rows_a_task = 128;
constexpr std::size_t gather_rows = 64;   // stored examples copied together when they do not stand side by side

template <class T>
void copy_into(typename RowCache<T>::Row& row, const T* values, std::size_t count) {
  for (std::size_t first = 0; first < count; first += segment_length)
    std::copy_n(values + first, std::min(segment_length, count - first), &row.entry(first));
  row.valid = count;
}

}  // namespace

template <class T>
void BinaryModel<T>::look_at(const Kernel<T>* kernel, const Points<T>* points, Panel<T>* panel, bool alone) {
  kernel_ = kernel;
  points_ = points;
  panel_ = panel;
  in_place_ = alone && identity_;
}

template <class T>
const T* BinaryModel<T>::sight(std::size_t position) {
  T* values = panel_->values(position);
  const std::size_t size = expansion.size();
  if (!in_place_) {
    sight_.resize(padded(size + panel_->count()));
    for (std::size_t i = 0; i < committed_; ++i) sight_[i] = values[slots[i]];
    values = sight_.data();
  }
  for (std::size_t f = 0; f < fresh_.size(); ++f) values[committed_ + f] = panel_->own(fresh_[f], position);
  return values;
}

template <class T>
double BinaryModel<T>::sum(std::size_t position) {
  return loops<T>().dot(sight(position), expansion.alpha.data(), expansion.size());
}

template <class T>
std::size_t BinaryModel<T>::insert(std::size_t position, double label, const Box& box, double gradient) {
  const std::size_t i = expansion.append(label, box, gradient);
  diagonal.resize(padded(i + 1), T(0));
  panel_->open(position, *kernel_);
  diagonal[i] = panel_->own(position, position);
  fresh_.push_back(position);
  idle.push_back(i);
  if (!in_place_) fresh_rows_.push_back(sight_);
  auto& segments = fresh_segments_.emplace_back();
  for (std::size_t first = 0; first < committed_ + panel_->count(); first += segment_length)
    segments.push_back(fresh_values(fresh_.size() - 1) + first);
  if ((expansion.room[i] & may_rise) && gradient > extremes_.top) extremes_.top = gradient, extremes_.top_at = i;
  if ((expansion.room[i] & may_fall) && gradient < extremes_.bottom) extremes_.bottom = gradient, extremes_.bottom_at = i;
  return i;
}

// The row of an example of this block: all of it stands in the panel.
template <class T>
void BinaryModel<T>::complete_fresh_row(std::size_t f) {
  T* values = fresh_values(f) + committed_;
  for (std::size_t e = 0; e < fresh_.size(); ++e) values[e] = panel_->own(fresh_[f], fresh_[e]);
}

template <class T>
RowView<T> BinaryModel<T>::row(std::size_t i, std::size_t pinned) {
  if (i >= committed_) {
    complete_fresh_row(i - committed_);
    return {fresh_segments_[i - committed_].data()};
  }
  auto& row = cache_.fetch(i, padded(expansion.size()), pinned);
  row.last_used = clock_;
  if (row.valid < committed_) {
    fill_row(slots[i], row.valid, committed_, row);
    row.valid = committed_;
  }
  for (; row.valid < expansion.size(); ++row.valid)
    row.entry(row.valid) = panel_->values(fresh_[row.valid - committed_])[slots[i]];
  for (std::size_t e = row.valid; e < padded(row.valid); ++e) row.entry(e) = T(0);
  return row.view();
}

// Kernel values of a stored example against members first ... last - 1.
template <class T>
void BinaryModel<T>::fill_row(std::size_t slot, std::size_t first, std::size_t last, typename RowCache<T>::Row& row) {
  const Examples<T> all = points_->examples();
  Block<T> one;
  one.look_at(all.range(slot, 1));
  kernel_evals += last - first;
  for (std::size_t next; first < last; first = next) {
    next = std::min(last, (first / segment_length + 1) * segment_length);
    if (identity_)
      kernel_->fill(one, all.range(first, next - first), &row.entry(first), next - first);
    else
      kernel_->fill_picked(one, all, {slots.data() + first, next - first}, &row.entry(first));
  }
}

template <class T>
void BinaryModel<T>::remove(std::size_t i) {
  if (i < committed_) {
    released_.push_back(slots[i]);
    holds_[slots[i]] = 0;
    cache_.drop(i);
  }
  expansion.remove(i);
}

template <class T>
void BinaryModel<T>::refresh_extremes() {
  const Extremes before = extremes_;
  extremes_ = loops<T>().extremes(expansion.gradient.data(), expansion.room.data(), expansion.size());
  extremes_.top_at = same_end(extremes_.top_at, before.top_at, may_rise);
  extremes_.bottom_at = same_end(extremes_.bottom_at, before.bottom_at, may_fall);
  if (!biased_) slack_gap_ = duality_gap(expansion, false);
}

// Of equal members the one that was the end already, else the oldest: where they happen to sit must not choose.
template <class T>
std::size_t BinaryModel<T>::same_end(std::size_t found, std::size_t before, std::uint8_t way) const {
  const auto is_equal = [&](std::size_t at) { return expansion.gradient[at] == expansion.gradient[found] && (expansion.room[at] & way); };
  if (before < expansion.size() && is_equal(before)) return before;
  std::size_t oldest = found;
  for (std::size_t i = 0; i < expansion.size(); ++i)
    if (is_equal(i) && id_of(i) < id_of(oldest)) oldest = i;
  return oldest;
}

template <class T>
void BinaryModel<T>::set_ends(std::size_t top_at, std::size_t bottom_at) {
  extremes_.top_at = top_at;
  extremes_.bottom_at = bottom_at;
  refresh_extremes();
}

template <class T>
bool BinaryModel<T>::has_pair() const {
  return std::isfinite(extremes_.top) && std::isfinite(extremes_.bottom);
}

template <class T>
double BinaryModel<T>::gap() const {
  if (!biased_) return std::max({0.0, extremes_.top, -extremes_.bottom});
  return has_pair() ? extremes_.top - extremes_.bottom : 0.0;
}

template <class T>
double BinaryModel<T>::bias() const {
  if (!biased_) return 0.0;
  if (has_pair()) return 0.5 * (extremes_.top + extremes_.bottom);
  if (std::isfinite(extremes_.top)) return extremes_.top;
  return std::isfinite(extremes_.bottom) ? extremes_.bottom : 0.0;
}

template <class T>
void BinaryModel<T>::commit(std::span<const std::size_t> new_slots) {
  slots.insert(slots.end(), new_slots.begin(), new_slots.end());
  for (std::size_t f = 0; f < new_slots.size(); ++f) {
    const std::size_t slot = new_slots[f];
    if (holds_.size() <= slot) holds_.resize(slot + 1, 0);
    if (!expansion.alive(committed_ + f)) released_.push_back(slot);
    holds_[slot] = expansion.alive(committed_ + f);
  }
  committed_ = expansion.size();
  fresh_.clear();
  fresh_rows_.clear();
  fresh_segments_.clear();
  if (panel_) clock_ += panel_->count();
  panel_ = nullptr;
  refresh_identity();
}

// Rows used since then are kept complete. The dearer a kernel value, the longer it pays.
template <class T>
std::size_t BinaryModel<T>::warm_since() const {
  const std::size_t examples = (points_->row_cost() / panel_read_cost + 1) * 256;
  return clock_ - std::min(clock_, examples);
}

// Rows in use, and the rows of new members: about half of those will be chosen again, and reading them off the panel is far cheaper
// than finding them anew. Rows that nobody asked for lately go.
template <class T>
std::size_t BinaryModel<T>::list_rows_to_settle() {
  const std::size_t size = expansion.size(), oldest = warm_since();
  to_settle_.clear();
  if (fresh_.empty()) return 0;
  cache_.drop_older_than(oldest);
  for (std::size_t i = 0; i < committed_; ++i)
    if (cache_.holds(i)) cache_.extend(i, padded(size));
  for (std::size_t i = committed_; i < size; ++i)
    if (expansion.alive(i)) cache_.fetch(i, padded(size), i).last_used = clock_;
  for (std::size_t i = 0; i < size; ++i)
    if (cache_.holds(i)) to_settle_.push_back(i);
  return (to_settle_.size() + rows_a_task - 1) / rows_a_task;
}

template <class T>
void BinaryModel<T>::settle_rows(std::size_t task) {
  const std::size_t first = task * rows_a_task, last = std::min(first + rows_a_task, to_settle_.size());
  for (std::size_t k = first; k < last; ++k)
    if (to_settle_[k] < committed_)
      settle_warm_row(to_settle_[k]);
    else
      settle_fresh_row(to_settle_[k]);
}

// The panel read the other way round: its columns are the new entries of the rows at hand.
template <class T>
void BinaryModel<T>::settle_warm_row(std::size_t i) {
  auto& row = cache_.at(i);
  cache_.catch_up(row);
  if (row.valid < committed_) return;
  for (; row.valid < expansion.size(); ++row.valid)
    row.entry(row.valid) = panel_->values(fresh_[row.valid - committed_])[slots[i]];
}

template <class T>
void BinaryModel<T>::settle_fresh_row(std::size_t i) {
  auto& row = cache_.at(i);
  complete_fresh_row(i - committed_);
  copy_into<T>(row, fresh_values(i - committed_), expansion.size());
}

template <class T>
std::size_t BinaryModel<T>::member_in(std::size_t slot) const {
  for (std::size_t i = 0; i < committed_; ++i)
    if (slots[i] == slot && expansion.alive(i)) return i;
  return expansion.size();
}

template <class T>
std::int64_t BinaryModel<T>::id_of(std::size_t i) const {
  return i < committed_ ? points_->id(slots[i]) : panel_->block().rows().ids[fresh_[i - committed_]];
}

template <class T>
std::vector<std::size_t> BinaryModel<T>::take_released() {
  return std::exchange(released_, {});
}

template <class T>
void BinaryModel<T>::squeeze() {
  if (expansion.dead() == 0) return;
  const std::size_t old_size = expansion.size();
  const Moves moves = expansion.squeeze();
  cache_.squeeze(moves, old_size);
  for (const auto& [from, to] : moves.list) {
    slots[to] = slots[from];
    diagonal[to] = diagonal[from];
    if (extremes_.top_at == from) extremes_.top_at = to;
    if (extremes_.bottom_at == from) extremes_.bottom_at = to;
  }
  slots.resize(moves.size);
  diagonal.resize(padded(moves.size));
  committed_ = moves.size;
  list_idle();
  refresh_identity();
}

template <class T>
void BinaryModel<T>::follow(const Moves& moves) {
  if (moves.size < holds_.size()) {
    std::vector<std::size_t> moved(holds_.size());
    std::iota(moved.begin(), moved.end(), std::size_t{0});
    for (const auto& [from, to] : moves.list)
      if (from < moved.size()) moved[from] = to;
    std::fill(holds_.begin(), holds_.end(), std::uint8_t{0});
    for (std::size_t i = 0; i < slots.size(); ++i) {
      slots[i] = expansion.alive(i) ? moved[slots[i]] : 0;
      if (expansion.alive(i)) holds_[slots[i]] = 1;
    }
  }
  refresh_identity();
}

template <class T>
void BinaryModel<T>::refresh_identity() {
  identity_ = slots.size() == points_->size();
  for (std::size_t i = 0; identity_ && i < slots.size(); ++i) identity_ = slots[i] == i;
}

template <class T>
void BinaryModel<T>::append_member(std::size_t slot, T self, double label, const Box& box, double alpha, double gradient) {
  const std::size_t i = expansion.append(label, box, gradient);
  set_alpha(i, alpha);
  diagonal.resize(padded(i + 1), T(0));
  diagonal[i] = self;
  slots.push_back(slot);
  if (holds_.size() <= slot) holds_.resize(slot + 1, 0);
  holds_[slot] = 1;
  committed_ = i + 1;
}

template <class T>
void BinaryModel<T>::refresh_gradient(std::size_t threads) {
  const auto members = expansion.alive_members();
  std::vector<double> weights(points_->size(), 0.0);
  std::vector<std::size_t> member_slots;
  for (const std::size_t i : members) {
    weights[slots[i]] = expansion.alpha[i];
    member_slots.push_back(slots[i]);
  }
  std::vector<double> sums(members.size(), 0.0);
  add_decisions(*kernel_, points_->pick(member_slots).examples(), points_->examples(), weights, 1, threads, sums);
  kernel_evals += members.size() * points_->size();
  for (std::size_t k = 0; k < members.size(); ++k)
    expansion.gradient[members[k]] = expansion.label[members[k]] - sums[k];
  refresh_extremes();
}

template <class T>
void BinaryModel<T>::prefetch_rows(std::size_t threads) {
  const std::size_t size = expansion.size();
  if (!identity_) return;
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < size; ++i)
    if (expansion.room[i] == (may_rise | may_fall)) free.push_back(i);
  if (cache_.rows_that_fit(padded(size)) < free.size()) return;
  for (const std::size_t i : free) cache_.fetch(i, padded(size), i);
  std::vector<std::size_t> missing;
  for (const std::size_t i : free)
    if (cache_.holds(i) && cache_.at(i).valid < size) missing.push_back(i);
  const std::size_t tasks = (missing.size() + gather_rows - 1) / gather_rows;
  kernel_evals += missing.size() * size;
  parallel_for(threads, tasks, [&](std::size_t task) {
    const std::size_t first = task * gather_rows, count = std::min(gather_rows, missing.size() - first);
    const Points<T> left = points_->pick({missing.data() + first, count});
    Block<T> block;
    block.look_at(left.examples());
    std::vector<T> values(count * size);
    kernel_->fill(block, points_->examples(), values.data(), size);
    for (std::size_t r = 0; r < count; ++r) {
      auto& row = cache_.at(missing[first + r]);
      copy_into<T>(row, values.data() + r * size, size);
    }
  });
}

template <class T>
BinaryModel<T> BinaryModel<T>::restricted(std::span<const std::size_t> members, const Points<T>& points) {
  BinaryModel smaller(positive_class_, biased_, cache_.budget());
  smaller.look_at(kernel_, &points, nullptr, true);
  for (std::size_t k = 0; k < members.size(); ++k) {
    const std::size_t i = members[k];
    smaller.append_member(k, diagonal[i], expansion.label[i], expansion.box(i), expansion.alpha[i], expansion.gradient[i]);
  }
  cache_.restrict_to(members);
  std::swap(smaller.cache_, cache_);
  smaller.refresh_identity();
  smaller.refresh_extremes();
  return smaller;
}

template <class T>
BinaryModel<T> BinaryModel<T>::mirrored(std::int32_t positive_class) const {
  BinaryModel other(positive_class, biased_, cache_.budget());
  other.look_at(kernel_, points_, nullptr, true);
  for (const std::size_t i : expansion.alive_members()) {
    const Box box{-expansion.high[i], -expansion.low[i]};
    other.append_member(slots[i], diagonal[i], -expansion.label[i], box, -expansion.alpha[i], -expansion.gradient[i]);
    other.expansion.lag[other.expansion.size() - 1] = -expansion.lag[i];
  }
  other.expansion.terms = expansion.terms;
  other.refresh_identity();
  other.refresh_extremes();
  return other;
}

template class BinaryModel<float>;
template class BinaryModel<double>;

}  // namespace hinge
