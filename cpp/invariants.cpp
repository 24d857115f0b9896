#include "invariants.hpp"

#include <algorithm>
#include <set>

#include "kernel_model.hpp"

namespace hinge {

namespace {

constexpr std::size_t rows_looked_at = 8;
constexpr std::size_t gradients_looked_at = 32;
constexpr double boundless = 1e200;  // boxes beyond are those of perceptrons, which have none

double largest_box(const Expansion& expansion) {
  double largest = 0.0;
  for (std::size_t i = 0; i < expansion.size(); ++i) {
    const double width = expansion.high[i] - expansion.low[i];
    if (width < boundless) largest = std::max(largest, width);
  }
  return largest;
}

double sum_of_sizes(const Expansion& expansion) {
  double sizes = 0.0;
  for (const double alpha : expansion.alpha) sizes += std::abs(alpha);
  return sizes;
}

}  // namespace

template <class T>
void RowStore<T>::check_invariants() const {
  const std::size_t count = size();
  require(norms_.size() == count, "RowStore: there are not as many norms as rows.");
  require(sparse_ ? owned_.size() == count && rows_.size() == count : values_.size() == count * features_,
          "RowStore: there are not as many rows as ids.");
  for (std::size_t row = 0; sparse_ && row < count; ++row) check_row(row);
  for (std::size_t i = 0; i < values_.size(); ++i) require(std::isfinite(values_.data()[i]), "RowStore: a value is not finite.");
}

template <class T>
void RowStore<T>::check_row(std::size_t place) const {
  const SparseRow<T>& row = rows_.data()[place];
  const OwnedRow& owned = *owned_[place];
  require(row.index == owned.index.data() && row.value == owned.value.data() && row.size == owned.index.size() && row.size == owned.value.size(),
          "RowStore: the view of a sparse row is not that of its place.");
  for (std::size_t e = 0; e < row.size; ++e) {
    require(row.index[e] >= 0 && static_cast<std::size_t>(row.index[e]) < features_, "RowStore: a sparse row has a feature that does not exist.");
    require(e == 0 || row.index[e - 1] < row.index[e], "RowStore: the features of a sparse row are not in order.");
    require(std::isfinite(row.value[e]), "RowStore: a value is not finite.");
  }
}

template <class T>
void Points<T>::check_invariants() const {
  const std::size_t count = size();
  const Examples<T> all = examples();
  store_->check_invariants();
  require(labels_.size() == count && costs_.size() == count && users_.size() == count, "Points: a list has not one entry for each slot.");
  std::size_t unused = 0, stored = 0;
  for (std::size_t slot = 0; slot < count; ++slot) {
    require(users_[slot] >= 0, "Points: a slot has fewer users than none.");
    unused += users_[slot] == 0;
    const auto found = slot_of_.find(id(slot));
    require(users_[slot] == 0 || (found != slot_of_.end() && found->second == slot), "Points: an id does not lead to the slot that has it.");
    require(!(all.norms[slot] > largest_norm_), "Points: a norm is larger than the largest.");
    stored += all.sparse ? all.rows[slot].size : 0;
  }
  require(unused_ == unused, "Points: the count of unused slots is not the number of slots without users.");
  require(slot_of_.size() == count - unused, "Points: there are ids without a slot.");
  require(stored_values_ == stored, "Points: the count of stored values is not the number of values.");
}

template <class T>
std::size_t SegmentPool<T>::check_invariants() const {
  std::size_t segments = 0;
  for (const auto& slab : slabs_) segments += slab.get_deleter().bytes / (segment_length * sizeof(T));
  require(segments == size_, "Segments: the count is not that of all slabs.");
  require(std::set<const T*>(free_.begin(), free_.end()).size() == free_.size(), "Segments: one is free twice.");
  return free_.size();
}

template <class T>
void RowCache<T>::check_invariants(std::size_t members) const {
  std::size_t held = 0, segments = 0;
  std::set<const T*> seen;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (!holds(i)) continue;
    const Row& row = *rows_[i];
    require(i < members, "Rows: a row has no member.");
    require(*row.place == i, "Rows: one is not where it should be in the order of use.");
    require(row.valid <= row.segments.size() * segment_length, "Rows: more entries are valid than there is room for.");
    require(row.closings <= closing_count_, "Rows: one has followed more closings of gaps than there were.");
    seen.insert(row.segments.begin(), row.segments.end());
    segments += row.segments.size();
    ++held;
  }
  require(order_.size() == held && std::set<std::size_t>(order_.begin(), order_.end()).size() == held,
          "Rows: the order of use does not list each row once.");
  require(seen.size() == segments, "Rows: two share a segment.");
  require(used_ == segments, "Rows: the count of segments is not the number of segments in use.");
  require(pool_.check_invariants() + used_ == pool_.size(), "Rows: segments have been lost.");
  require(used_ <= most_segments() || held <= 2, "Rows: they take more memory than they may.");
  require(closings_.size() <= std::min(remembered_closings, closing_count_), "Rows: too many closings of gaps are remembered.");
}

template <class T>
std::vector<T> RowCache<T>::entries(std::size_t i) const {
  Row copy = *rows_[i];
  std::vector<T> values(copy.segments.size() * segment_length);
  for (std::size_t s = 0; s < copy.segments.size(); ++s) {
    std::copy_n(copy.segments[s], segment_length, values.data() + s * segment_length);
    copy.segments[s] = values.data() + s * segment_length;
  }
  catch_up(copy);
  values.resize(copy.valid);
  return values;
}

void Expansion::check_invariants() const {
  const std::size_t capacity = padded(size_);
  for (const auto* values : {&alpha, &gradient, &low, &high, &label, &lag, &up, &down, &cost}) {
    require(values->size() >= capacity, "Expansion: a list is shorter than the loops read it.");
    require_finite(*values, "Expansion: a number is not finite.");
  }
  require(room.size() >= capacity && mistaken.size() >= capacity, "Expansion: a list is shorter than the loops read it.");
  std::size_t removed = 0, support = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    require(low[i] <= alpha[i] && alpha[i] <= high[i], "Expansion: a coefficient is outside its box.");
    require(up[i] == high[i] - alpha[i] && down[i] == low[i] - alpha[i], "Expansion: the room that a coefficient has is not that of its box.");
    require((room[i] & may_rise) == (alpha[i] < high[i] ? may_rise : 0) && (room[i] & may_fall) == (alpha[i] > low[i] ? may_fall : 0),
            "Expansion: a coefficient may go where it may not.");
    removed += !holds(i);
    support += alpha[i] != 0.0;
  }
  for (std::size_t i = size_; i < alpha.size(); ++i) require(alpha[i] == 0.0 && room[i] == 0, "Expansion: there is something behind the end.");
  require(removed_ == removed, "Expansion: the count of removed members is not their number.");
  require(support_ == support, "Expansion: the count of support vectors is not their number.");
}

template <class T>
void Members<T>::check_invariants(std::size_t points) const {
  expansion.check_invariants();
  const std::size_t size = expansion.size();
  require(slots_.size() == size && stored_ == size && diagonal_.size() >= padded(size), "Members: a list has not one entry for each member.");
  require(released_.empty(), "Members: released slots were not taken back.");
  std::vector<std::uint8_t> held(std::max(holds_.size(), points), 0);
  for (const std::size_t i : expansion.held()) {
    require(slots_[i] < points, "Members: one sits in a slot that does not exist.");
    require(!held[slots_[i]], "Members: two sit in one slot.");
    require(holds_slot(slots_[i]), "Members: a slot with a member is not held.");
    held[slots_[i]] = 1;
  }
  const auto known = static_cast<std::size_t>(std::count(holds_.begin(), holds_.end(), std::uint8_t{1}));
  require(known == expansion.held_count(), "Members: slots are held that no member sits in.");
  bool identity = size == points;
  for (std::size_t i = 0; identity && i < size; ++i) identity = slots_[i] == i;
  require(identity_ == identity, "Members: whether they sit in slots of their own number is wrong.");
  std::vector<std::uint8_t> listed(size, 0);
  for (const std::size_t i : idle_) {
    require(i < size, "Members: an idle entry is not a member.");
    listed[i] = 1;
  }
  for (std::size_t i = 0; i < size; ++i) require(!is_idle(i) || listed[i], "Members: an idle member is not listed.");
}

template <class T>
void BinaryModel<T>::check_invariants() const {
  const Points<T>& points = rows_.points();
  members_.check_invariants(points.size());
  rows_.cache().check_invariants(expansion().size());
  require(!rows_.in_block(), "BinaryModel: a block has not been ended.");
  for (const std::size_t i : expansion().held())
    require(points.used(members_.slots()[i]), "BinaryModel: a member sits in a slot that is not in use.");
  check_coefficients();
  check_kernel_values();
}

template <class T>
void BinaryModel<T>::check_coefficients() const {
  const Expansion& expansion = members_.expansion;
  const Extremes now = loops<T>().extremes(expansion.gradient.data(), expansion.room.data(), expansion.size());
  require(bracket_.top() == now.top && bracket_.bottom() == now.bottom, "BinaryModel: the extremes are not those of the gradients.");
  require(!std::isfinite(now.top) || (bracket_.top_at() < expansion.size() && expansion.gradient[bracket_.top_at()] == bracket_.top()),
          "BinaryModel: the largest gradient is not where it should be.");
  require(!std::isfinite(now.bottom) || (bracket_.bottom_at() < expansion.size() && expansion.gradient[bracket_.bottom_at()] == bracket_.bottom()),
          "BinaryModel: the smallest gradient is not where it should be.");
  double sum = 0.0;
  for (const double alpha : expansion.alpha) sum += alpha;
  require(!bracket_.biased() || std::abs(sum) <= 1e-9 * (sum_of_sizes(expansion) + largest_box(expansion)),
          "BinaryModel: there is a bias, and the coefficients do not sum to zero.");
}

// Rows at hand, the diagonal and the gradients are what they would be if they were found now.
template <class T>
void BinaryModel<T>::check_kernel_values() const {
  const Expansion& expansion = members_.expansion;
  const std::vector<T>& diagonal = members_.diagonal();
  const std::vector<std::size_t>& slots = members_.slots();
  const Kernel<T>& kernel = rows_.kernel();
  const Examples<T> all = rows_.points().examples();
  const auto members = expansion.held();
  const double sizes = sum_of_sizes(expansion);
  const double moved = 64.0 * static_cast<double>(std::numeric_limits<T>::epsilon()) * largest_box(expansion);
  const auto as_double = [](T value) { return static_cast<double>(value); };
  std::size_t rows_left = rows_looked_at;
  for (const std::size_t k : sample(members.size(), gradients_looked_at)) {
    const std::size_t i = members[k];
    const std::vector<T> fresh = fresh_row(kernel, all, slots[i]);
    const std::vector<T> row = rows_left > 0 && rows_.cache().holds(i) ? rows_.cache().entries(i) : std::vector<T>{};
    rows_left -= !row.empty();
    double target = expansion.label[i], largest = 0.0;
    for (const std::size_t j : members) {
      const double value = as_double(fresh[slots[j]]), scale = std::sqrt(std::abs(as_double(diagonal[i]) * as_double(diagonal[j])));
      require(j >= row.size() || is_same(kernel, all, slots[i], slots[j], as_double(row[j]), value, scale),
              "BinaryModel: a kernel value at hand is not what it should be.");
      require(j != i || is_same(kernel, all, slots[i], slots[i], as_double(diagonal[i]), value, value),
              "BinaryModel: the kernel value of an example with itself is not what it should be.");
      target -= expansion.alpha[j] * value;
      largest = std::max(largest, std::abs(value));
    }
    require(!(std::abs(target - expansion.gradient[i]) > loose<T> * (1.0 + sizes * largest) + moved * largest),
            "BinaryModel: a gradient is not the label less the sum of kernel values.");
  }
}

template <class T>
void KernelModel<T>::check_invariants() const {
  points_.check_invariants();
  require(binaries_.size() == scheme_.binaries(), "KernelModel: there are not as many binaries as the classes need.");
  require(solvers_.size() == binaries_.size(), "KernelModel: there is not one solver for each binary model.");
  require(shift_.empty() || shift_.size() == points_.features(), "KernelModel: the shift has not one value for each feature.");
  require_finite(shift_, "KernelModel: the shift is not finite.");
  std::vector<std::size_t> users(points_.size(), 0);
  std::size_t budget = 0;
  for (std::size_t m = 0; m < binaries_.size(); ++m) {
    const BinaryModel<T>& binary = binaries_[m];
    require(&binary.rows().points() == &points_ && &binary.rows().kernel() == &kernel_, "KernelModel: a binary looks elsewhere.");
    binary.check_invariants();
    for (const std::size_t i : binary.expansion().held()) {
      const std::size_t slot = binary.members().slots()[i];
      ++users[slot];
      require(scheme_.target(m, points_.label(slot)) != 0.0, "KernelModel: a binary holds an example of a class that it does not see.");
    }
    budget += binary.rows().cache().budget();
    solvers_[m]->check_invariants(binary);
  }
  require(budget <= run().cache_bytes, "KernelModel: the caches of the binaries may take more than there is.");
  for (std::size_t slot = 0; slot < points_.size(); ++slot) {
    require(users[slot] == points_.users(slot), "KernelModel: the users of a slot are not the binaries that hold it.");
    require(points_.label(slot) >= 0 && static_cast<std::size_t>(points_.label(slot)) < std::max<std::size_t>(scheme_.classes(), 2),
            "KernelModel: an example has a class that there is not.");
    require(points_.cost(slot) > 0.0 && std::isfinite(points_.cost(slot)), "KernelModel: the cost of an example is not a positive number.");
  }
  for (std::size_t n = 0; n < late_models_.size(); ++n)
    require(late_models_[n] < binaries_.size() && (n == 0 || late_models_[n - 1] < late_models_[n]), "KernelModel: the late models are not in order.");
  check_index();
}

template <class T>
void KernelModel<T>::check_index() const {
  const ColumnIndex<T>* index = last_index_.index ? last_index_.index->find() : nullptr;
  if (!index || last_index_.closings != points_.closings()) return;
  require(index->count <= points_.size(), "KernelModel: more examples are indexed by feature than are held.");
  const SparseColumns<T> fresh = columns_of(points_.examples().range(0, index->count));
  require(fresh.starts == index->columns.starts && fresh.rows == index->columns.rows && fresh.values == index->columns.values,
          "KernelModel: the index of examples by feature is not that of the examples.");
}

#define HINGE_INSTANTIATE(T)                                          \
  template void RowStore<T>::check_invariants() const;                \
  template void Points<T>::check_invariants() const;                  \
  template std::size_t SegmentPool<T>::check_invariants() const;      \
  template void RowCache<T>::check_invariants(std::size_t) const;     \
  template std::vector<T> RowCache<T>::entries(std::size_t) const;    \
  template void Members<T>::check_invariants(std::size_t) const;          \
  template void BinaryModel<T>::check_invariants() const;                 \
  template void KernelModel<T>::check_invariants() const;
HINGE_INSTANTIATE(float)
HINGE_INSTANTIATE(double)

}  // namespace hinge
