// The invariants of exact binaries and of linear ones; see invariants.hpp.
#include <algorithm>
#include <cmath>

#include "exact_model.hpp"
#include "invariants.hpp"
#include "linear_model.hpp"

namespace hinge {

namespace {

constexpr std::size_t looked_at = 16;
// Gradients and sums are exact but for rounding, of which there may be much where examples nearly depend on each other.
constexpr double optimal = 1e-6;
constexpr double balanced = 1e-9;
// Members that nearly depended on each other leave this much of their rounding in the inverse when they go; paths correct what comes of it.
constexpr double inverted = 1e-3;

}  // namespace

void Columns::check_invariants() const {
  require(rows_ == points_->size() && column_of_.size() == rows_, "Columns: there is not one row for each slot.");
  require(owner_.size() == sheets_.size() * sheet_width, "Columns: there are not as many places as the sheets have.");
  for (const auto& sheet : sheets_) require(sheet.size() == rows_ * sheet_width, "Columns: a sheet has not one row for each slot.");
  for (std::size_t c = 0; c < owner_.size(); ++c)
    require(!owner_[c] || (owner_[c]->slot < rows_ && column_of_[owner_[c]->slot] == c), "Columns: an owner does not know its column.");
  const Examples<double> all = points_->examples();
  const std::vector<std::size_t> owners = this->owners();
  for (std::size_t slot = 0; slot < rows_; ++slot)
    require(!has(slot) || (column(slot) < owner_.size() && owner_[column(slot)] && owner_[column(slot)]->slot == slot),
            "Columns: a column has another owner.");
  for (const std::size_t k : sample(owners.size(), looked_at)) {
    const std::vector<double> fresh = fresh_row(*kernel_, all, owners[k]);
    double largest = 0.0;
    for (const double number : fresh) largest = std::max(largest, std::abs(number));
    for (std::size_t slot = 0; slot < rows_; ++slot)
      require(is_same(*kernel_, all, slot, owners[k], value(slot, owners[k]), fresh[slot], largest),
              "Columns: a kernel value is not what it should be.");
  }
}

std::size_t Columns::users(std::size_t slot) const { return has(slot) ? owner_[column(slot)]->users : 0; }

// A column of the inverse times the matrix is a unit vector, but for what the sizes of both leave of their digits.
void ExactBinaryModel::check_inverse(const Columns& columns) const {
  require(inverse.size() == (margin.empty() ? 0 : margin.size() + 1), "Exact binary: the inverse is not as large as the margin set.");
  for (std::size_t p = 0; p < margin.size() && margin.size() > 1; ++p)
    if (1.0 < inverse.diagonal(1 + p) * sure_kappa(margin[p])) return;  // members that nearly depend on each other: paths trust it no more
  std::vector<double> found(inverse.size());
  for (const std::size_t k : sample(inverse.size(), looked_at)) {
    inverse.column(k, found);
    require_finite(found, "Exact binary: the inverse is not finite.");
    for (const std::size_t p : sample(inverse.size(), looked_at)) {
      double product = 0.0, sizes = 1.0;
      for (std::size_t q = 0; q < found.size(); ++q) {
        const double entry = p == 0 || q == 0 ? (p == q ? 0.0 : 1.0) : columns.value(margin[p - 1], margin[q - 1]);
        product += entry * found[q];
        sizes += std::abs(entry * found[q]);
      }
      require(std::abs(product - (p == k ? 1.0 : 0.0)) <= inverted * sizes, "Exact binary: the inverse is not that of the margin set.");
    }
  }
}

void ExactBinaryModel::check_invariants() const {
  expansion.check_invariants();
  const std::size_t size = expansion.size();
  require(place.size() == size && self.size() == size && seat.size() == size, "Exact binary: a list has not one entry for each slot.");
  std::size_t members = 0;
  for (std::size_t slot = 0; slot < size; ++slot) {
    require(holds(slot) == (place[slot] != Place::absent), "Exact binary: somebody is absent and held, or neither.");
    require(!holds(slot) || std::abs(self[slot]) <= largest_self_, "Exact binary: a kernel value is larger than the largest.");
    members += place[slot] == Place::margin;
  }
  require(members == margin.size(), "Exact binary: the margin set has not as many members as there are places in it.");
  for (std::size_t p = 0; p < margin.size(); ++p)
    require(margin[p] < size && place[margin[p]] == Place::margin && seat[margin[p]] == p, "Exact binary: a member is not in its seat.");
  require(std::isfinite(bias) && std::isfinite(total), "Exact binary: the bias or the total is not finite.");
  require(std::abs(total - wanted_total()) <= balanced * (1.0 + std::abs(total)), "Exact binary: the total is not what it should be.");
}

// Everybody obeys its condition; a path that was given up leaves no such promise.
void ExactBinaryModel::check_optimality() const {
  if (stalled || coarse) return;
  const double grains = optimal * unit() + 1e-9 * sum_of_sizes() * largest_self_;
  require(std::abs(imbalance()) <= balanced * (1.0 + sum_of_sizes()), "Exact binary: the coefficients do not sum to the total.");
  for (std::size_t slot = 0; slot < expansion.size(); ++slot) {
    const double off = gradient(slot), leeway = balanced * (expansion.high[slot] - expansion.low[slot]);
    if (place[slot] == Place::margin) require(std::abs(off) <= grains, "Exact binary: a gradient on the margin is not zero.");
    if (place[slot] == Place::low)
      require(-expansion.down[slot] <= leeway && off <= grains, "Exact binary: an example at its lower end wants to rise, or is not there.");
    if (place[slot] == Place::high)
      require(expansion.up[slot] <= leeway && off >= -grains, "Exact binary: an example at its upper end wants to fall, or is not there.");
  }
}

void ExactModel::check_invariants() const {
  points_.check_invariants();
  require(binaries_.size() == binaries_for(classes_), "Exact model: there are not as many binaries as the classes need.");
  require(points_.dead() == 0, "Exact model: it keeps an example that no binary holds.");
  for (std::size_t slot = 0; slot < points_.size(); ++slot) {
    std::size_t users = 0;
    for (const auto& binary : binaries_) users += slot < binary.expansion.size() && binary.holds(slot);
    require(users == points_.users(slot), "Exact model: the users of a slot are not the binaries that hold it.");
    require(points_.label(slot) >= 0 && static_cast<std::size_t>(points_.label(slot)) < classes_, "Exact model: an example has a class that there is not.");
    require(points_.cost(slot) > 0.0 && std::isfinite(points_.cost(slot)), "Exact model: the cost of an example is not a positive number.");
  }
  for (std::size_t m = 0; m < binaries_.size(); ++m) {
    require(binaries_[m].expansion.size() == points_.size(), "Exact model: a binary does not know of all slots.");
    require(binaries_[m].positive_class() == static_cast<std::int32_t>(binaries_.size() == 1 ? 1 : m), "Exact model: a binary has the class of another.");
    binaries_[m].check_invariants();
    require(ready_ || binaries_[m].margin.empty(), "Exact model: a margin set was restored that nobody has found.");
  }
  if (ready_) check_ready();
}

// Columns, inverses and gradients of a restored model are found when they are first needed.
void ExactModel::check_ready() const {
  columns_.check_invariants();
  for (std::size_t slot = 0; slot < points_.size(); ++slot) {
    const auto on_margin = [&](const ExactBinaryModel& binary) { return binary.place[slot] == Place::margin; };
    require(columns_.users(slot) == static_cast<std::size_t>(std::count_if(binaries_.begin(), binaries_.end(), on_margin)),
            "Exact model: a column is needed by others than the margin sets.");
  }
  const Examples<double> all = points_.examples();
  for (const auto& binary : binaries_) {
    binary.check_inverse(columns_);
    binary.check_optimality();
    for (const std::size_t slot : sample(points_.size(), looked_at)) {
      if (!binary.holds(slot)) continue;
      const std::vector<double> fresh = fresh_row(kernel_, all, slot);
      double target = binary.expansion.label[slot], sizes = binary.unit();
      for (std::size_t other = 0; other < fresh.size(); ++other) {
        target -= binary.expansion.alpha[other] * fresh[other];
        sizes += std::abs(binary.expansion.alpha[other] * fresh[other]);
      }
      require(binary.stalled || binary.coarse || std::abs(target - binary.expansion.gradient[slot]) <= optimal * sizes,
              "Exact model: a gradient is not the target less the sum of kernel values.");
    }
  }
}

void LinearBinaryModel::check_invariants() const {
  require(direction_.size() == trail_.size(), "Linear binary: the average has not as many weights as the binary.");
  require_finite(direction_, "Linear binary: a weight is not finite.");
  require_finite(trail_, "Linear binary: an averaged weight is not finite.");
  for (const double number : {scale_, fade_, mix_, squared_norm_, bias_, average_bias_})
    require(std::isfinite(number), "Linear binary: a number is not finite.");
  require(scale_ > 0.0 && fade_ > 0.0, "Linear binary: a factor is not positive.");
}

template <class T>
void NystroemMap<T>::check_invariants() const {
  points_.check_invariants();
  require(dimension() * points_.size() == projection_.size(), "Nystroem: the projection has not one column for each landmark.");
  require_finite(projection_, "Nystroem: the projection is not finite.");
}

template <class T>
void FourierMap<T>::check_invariants() const {
  require(frequencies_.size() == phases_.size() * this->features(), "Fourier: there is not one phase for each frequency.");
  require_finite(frequencies_, "Fourier: a frequency is not finite.");
  require_finite(phases_, "Fourier: a phase is not finite.");
}

template <class T>
void LinearModel<T>::check_invariants() const {
  map_->check_invariants();
  const std::size_t length = map_->dimension();
  require(binaries_.size() == (classes_ > 2 ? classes_ : 1), "Linear model: there are not as many binaries as the classes need.");
  require(penalty_.size() == length, "Linear model: there is not one penalty for each feature.");
  for (const double penalty : penalty_) require(penalty >= 0.0 && std::isfinite(penalty), "Linear model: a penalty is below zero or not finite.");
  for (const LinearBinaryModel& binary : binaries_) {
    require(binary.weights().size() == length, "Linear model: a binary has not one weight for each feature.");
    binary.check_invariants();
  }
  for (const double number : {schedule_.steps, schedule_.examples, schedule_.penalty_due, schedule_.averaged_length, schedule_.target_squares, schedule_.weight_mean, schedule_.weight_squares})
    require(number >= 0.0 && std::isfinite(number), "Linear model: the memory of the schedule makes no sense.");
  require(made_.empty() == !kept_, "Linear model: kept features and the list of those made do not go together.");
  require(made_.size() * made_size() * sizeof(T) <= options_.cache_bytes, "Linear model: the features kept take more memory than they may.");
}

#define HINGE_INSTANTIATE(T)                               \
  template void NystroemMap<T>::check_invariants() const;  \
  template void FourierMap<T>::check_invariants() const;   \
  template void LinearModel<T>::check_invariants() const;
HINGE_INSTANTIATE(float)
HINGE_INSTANTIATE(double)

}  // namespace hinge
