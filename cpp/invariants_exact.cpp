// Invariants of exact and of linear models; see invariants.hpp.
#include <algorithm>
#include <cmath>

#include "exact_model.hpp"
#include "invariants.hpp"
#include "linear_model.hpp"
#include "solvers/exact_measures.hpp"
#include "solvers/tolerances.hpp"

namespace hinge {

namespace {

constexpr std::size_t sample_size = 16;
// Limits on rounding errors, which are large where examples nearly depend on each other.
constexpr double max_gradient_error = 1e-6;
constexpr double max_sum_error = 1e-9;
// Members that nearly depended on each other leave errors of this size in the inverse; paths correct the consequences.
constexpr double max_inverse_error = 1e-3;

// A column of the inverse times the matrix must be a unit vector. Ill-conditioned inverses are not checked: paths do not rely on them.
void check_inverse(const ExactBinaryModel& binary, const KernelColumns& columns) {
  const MarginSet& margin = binary.margin;
  const MarginInverse& inverse = margin.inverse;
  require(inverse.size() == (margin.empty() ? 0 : margin.size() + 1), "Exact binary model: the inverse must be as large as the margin set.");
  for (std::size_t p = 0; p < margin.size() && margin.size() > 1; ++p)
    if (1.0 < inverse.diagonal(1 + p) * min_well_conditioned_kappa(binary, margin[p])) return;
  std::vector<double> found(inverse.size());
  for (const std::size_t k : sample(inverse.size(), sample_size)) {
    inverse.column(k, found);
    require_finite(found, "Exact binary model: the inverse must be finite.");
    for (const std::size_t p : sample(inverse.size(), sample_size)) {
      double product = 0.0, magnitudes = 1.0;
      for (std::size_t q = 0; q < found.size(); ++q) {
        const double entry = p == 0 || q == 0 ? (p == q ? 0.0 : 1.0) : columns.value(margin[p - 1], margin[q - 1]);
        product += entry * found[q];
        magnitudes += std::abs(entry * found[q]);
      }
      require(std::abs(product - (p == k ? 1.0 : 0.0)) <= max_inverse_error * magnitudes,
              "Exact binary model: the inverse does not belong to the margin set.");
    }
  }
}

// Nothing is promised after a path that was abandoned.
void check_optimality(const ExactBinaryModel& binary) {
  if (binary.stalled || binary.precision_lost) return;
  const Expansion& expansion = binary.expansion;
  const double limit = max_gradient_error * gradient_scale(binary) + 1e-9 * sum_of_magnitudes(binary) * binary.largest_diagonal();
  require(std::abs(sum_error(binary)) <= max_sum_error * (1.0 + sum_of_magnitudes(binary)), "Exact binary model: the coefficients must sum to the total.");
  for (std::size_t slot = 0; slot < expansion.size(); ++slot) {
    const double g = binary.gradient(slot), slack = max_sum_error * (expansion.high[slot] - expansion.low[slot]);
    if (binary.status[slot] == Status::on_margin) require(std::abs(g) <= limit, "Exact binary model: a gradient on the margin is not zero.");
    if (binary.status[slot] == Status::at_lower)
      require(-expansion.down[slot] <= slack && g <= limit, "Exact binary model: an example at its lower bound violates its condition.");
    if (binary.status[slot] == Status::at_upper)
      require(expansion.up[slot] <= slack && g >= -limit, "Exact binary model: an example at its upper bound violates its condition.");
  }
}

}  // namespace

void KernelColumns::check_invariants() const {
  require(rows_ == points_->size() && position_.size() == rows_, "Kernel columns: there must be one row per slot.");
  require(columns_.size() == sheets_.size() * sheet_width, "Kernel columns: the number of positions must match the sheets.");
  for (const auto& sheet : sheets_) require(sheet.size() == rows_ * sheet_width, "Kernel columns: a sheet must have one row per slot.");
  for (std::size_t c = 0; c < columns_.size(); ++c)
    require(!columns_[c] || (columns_[c]->slot < rows_ && position_[columns_[c]->slot] == c), "Kernel columns: a slot has lost its column.");
  const Examples<double> all = points_->examples();
  const std::vector<std::size_t> slots = this->slots();
  for (std::size_t slot = 0; slot < rows_; ++slot)
    require(!has(slot) || (position(slot) < columns_.size() && columns_[position(slot)] && columns_[position(slot)]->slot == slot),
            "Kernel columns: a column belongs to another slot.");
  for (const std::size_t k : sample(slots.size(), sample_size)) {
    const std::vector<double> fresh = fresh_row(*kernel_, all, slots[k]);
    double largest = 0.0;
    for (const double number : fresh) largest = std::max(largest, std::abs(number));
    for (std::size_t slot = 0; slot < rows_; ++slot)
      require(is_same(*kernel_, all, slot, slots[k], value(slot, slots[k]), fresh[slot], largest), "Kernel columns: a kernel value is wrong.");
  }
}

std::size_t KernelColumns::pins(std::size_t slot) const { return has(slot) ? columns_[position(slot)]->pins : 0; }

void ExactBinaryModel::check_invariants() const {
  expansion.check_invariants();
  const std::size_t size = expansion.size();
  require(status.size() == size && diagonal.size() == size && margin.slots() == size,
          "Exact binary model: every list must have one entry per slot.");
  std::size_t members = 0;
  for (std::size_t slot = 0; slot < size; ++slot) {
    require(holds(slot) == (status[slot] != Status::absent), "Exact binary model: an example must be either held or absent.");
    require(!holds(slot) || std::abs(diagonal[slot]) <= largest_diagonal_, "Exact binary model: a diagonal value exceeds the largest one.");
    members += status[slot] == Status::on_margin;
  }
  require(members == margin.size(), "Exact binary model: the margin set must hold the examples whose status says so.");
  for (std::size_t p = 0; p < margin.size(); ++p)
    require(margin[p] < size && status[margin[p]] == Status::on_margin && margin.position(margin[p]) == p,
            "Exact binary model: a member of the margin set has the wrong position.");
  require(std::isfinite(bias) && std::isfinite(total), "Exact binary model: bias and total must be finite.");
  require(std::abs(total - wanted_total()) <= max_sum_error * (1.0 + std::abs(total)), "Exact binary model: the total is wrong.");
}

void ExactModel::check_invariants() const {
  points_.check_invariants();
  require(binaries_.size() == scheme_.binaries(), "Exact model: the number of binary models does not match the classes.");
  require(points_.unused_count() == 0, "Exact model: it keeps an example that no binary model holds.");
  for (std::size_t slot = 0; slot < points_.size(); ++slot) {
    std::size_t users = 0;
    for (const auto& binary : binaries_) users += slot < binary.expansion.size() && binary.holds(slot);
    require(users == points_.users(slot), "Exact model: the users of a slot must be the binary models that hold it.");
    require(points_.label(slot) >= 0 && static_cast<std::size_t>(points_.label(slot)) < scheme_.classes(), "Exact model: an example has an unknown class.");
    require(points_.cost(slot) > 0.0 && std::isfinite(points_.cost(slot)), "Exact model: the cost of an example must be positive and finite.");
  }
  for (std::size_t m = 0; m < binaries_.size(); ++m) {
    require(binaries_[m].expansion.size() == points_.size(), "Exact model: a binary model must have all slots.");
    binaries_[m].check_invariants();
    require(prepared_ || binaries_[m].margin.empty(), "Exact model: a model that is not prepared must have empty margin sets.");
  }
  if (prepared_) check_prepared();
}

// A restored model has no columns and inverses until it is first changed.
void ExactModel::check_prepared() const {
  columns_.check_invariants();
  for (std::size_t slot = 0; slot < points_.size(); ++slot) {
    const auto on_margin = [&](const ExactBinaryModel& binary) { return binary.status[slot] == Status::on_margin; };
    require(columns_.pins(slot) == static_cast<std::size_t>(std::count_if(binaries_.begin(), binaries_.end(), on_margin)),
            "Exact model: a column must be pinned once per margin set that its example is in.");
  }
  const Examples<double> all = points_.examples();
  for (const auto& binary : binaries_) {
    check_inverse(binary, columns_);
    check_optimality(binary);
    for (const std::size_t slot : sample(points_.size(), sample_size)) {
      if (!binary.holds(slot)) continue;
      const std::vector<double> fresh = fresh_row(kernel_, all, slot);
      double target = binary.expansion.label[slot], magnitudes = gradient_scale(binary);
      for (std::size_t other = 0; other < fresh.size(); ++other) {
        target -= binary.expansion.alpha[other] * fresh[other];
        magnitudes += std::abs(binary.expansion.alpha[other] * fresh[other]);
      }
      require(binary.stalled || binary.precision_lost || std::abs(target - binary.expansion.gradient[slot]) <= max_gradient_error * magnitudes,
              "Exact model: a gradient differs from the target minus the sum of kernel values.");
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
