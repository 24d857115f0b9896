#include "solvers/margin_inverse.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "blas.hpp"
#include "loops.hpp"
#include "parallel.hpp"

namespace hinge {

namespace {

constexpr std::size_t max_pending = 8;
constexpr std::size_t bands = 2;
// A thread takes longer to start than a smaller matrix takes to read.
constexpr std::size_t min_rows_for_threads = 700;

// Offset of the first value of a row of the triangle.
std::size_t row_start(std::size_t row) { return row * (row + 1) / 2; }

}  // namespace

void MarginInverse::over_bands(const std::function<void(std::size_t, std::size_t, std::size_t)>& work) const {
  // The triangle of the first size / sqrt(2) rows holds half of all values.
  const auto middle = static_cast<std::size_t>(static_cast<double>(size_) / std::sqrt(2.0));
  parallel_for(size_ < min_rows_for_threads ? 1 : threads_, bands, [&](std::size_t band) {
    work(band, band == 0 ? 0 : middle, band == 0 ? middle : size_);
  });
}

void MarginInverse::clear() {
  size_ = 0;
  triangle_.truncate(0);
  pending_.clear();
}

void MarginInverse::start(double kernel_value) {
  clear();
  const std::array<double, 3> values{-kernel_value, 1.0, 0.0};
  triangle_.append(values.data(), values.size());
  size_ = 2;
}

void MarginInverse::multiply(std::span<const double> vector, std::span<double> result) const {
  std::vector<double> parts(bands * size_, 0.0);
  over_bands([&](std::size_t band, std::size_t first, std::size_t last) {
    loops<double>().symmetric_product(triangle_.data(), first, last, vector.data(), parts.data() + band * size_);
  });
  for (std::size_t i = 0; i < size_; ++i) result[i] = parts[i] + parts[size_ + i];
  for (const RankOneChange& change : pending_) {
    const double share = change.weight * loops<double>().dot(change.vector.data(), vector.data(), size_);
    for (std::size_t i = 0; i < size_; ++i) result[i] += share * change.vector[i];
  }
}

double MarginInverse::diagonal(std::size_t index) const {
  double value = triangle_.data()[row_start(index) + index];
  for (const RankOneChange& change : pending_) value += change.weight * change.vector[index] * change.vector[index];
  return value;
}

void MarginInverse::column(std::size_t index, std::span<double> result) const {
  for (std::size_t i = 0; i < size_; ++i) {
    result[i] = triangle_.data()[row_start(std::max(i, index)) + std::min(i, index)];
  }
  for (const RankOneChange& change : pending_) {
    const double share = change.weight * change.vector[index];
    for (std::size_t i = 0; i < size_; ++i) result[i] += share * change.vector[i];
  }
}

void MarginInverse::add(std::span<const double> direction, double kappa) {
  const std::vector<double> zeros(size_ + 1, 0.0);
  triangle_.append(zeros.data(), zeros.size());
  for (RankOneChange& change : pending_) change.vector.push_back(0.0);
  std::vector<double> vector(direction.begin(), direction.end());
  vector.push_back(1.0);
  ++size_;
  queue({1.0 / kappa, std::move(vector)});
}

void MarginInverse::remove(std::size_t index, std::span<const double> column) {
  if (size_ == 2) return clear();
  queue({-1.0 / column[index], {column.begin(), column.end()}});
  replace_with_last(index);
}

void MarginInverse::queue(RankOneChange change) {
  pending_.push_back(std::move(change));
  if (pending_.size() == max_pending) apply_pending();
}

void MarginInverse::apply_pending() {
  std::array<const double*, max_pending> vectors{};
  std::array<double, max_pending> weights{};
  for (std::size_t t = 0; t < pending_.size(); ++t) {
    vectors[t] = pending_[t].vector.data();
    weights[t] = pending_[t].weight;
  }
  over_bands([&](std::size_t, std::size_t first, std::size_t last) {
    loops<double>().symmetric_update(triangle_.data(), first, last, vectors.data(), weights.data(), pending_.size());
  });
  pending_.clear();
}

void MarginInverse::replace_with_last(std::size_t index) {
  const std::size_t last = size_ - 1;
  double* values = triangle_.data();
  const double* from = values + row_start(last);
  if (index != last) {
    std::copy_n(from, index, values + row_start(index));
    values[row_start(index) + index] = from[last];
    for (std::size_t i = index + 1; i < last; ++i) values[row_start(i) + index] = from[i];
  }
  for (RankOneChange& change : pending_) {
    change.vector[index] = change.vector[last];
    change.vector.pop_back();
  }
  triangle_.truncate(row_start(last));
  size_ = last;
}

bool MarginInverse::rebuild(std::vector<double> matrix, std::size_t size) {
  std::vector<double> inverse(size * size, 0.0);
  for (std::size_t i = 0; i < size; ++i) inverse[i * size + i] = 1.0;
  if (!solve_linear(matrix.data(), inverse.data(), size, size)) return false;
  for (const double value : inverse)
    if (!std::isfinite(value)) return false;
  clear();
  for (std::size_t i = 0; i < size; ++i) triangle_.append(inverse.data() + i * size, i + 1);
  size_ = size;
  return true;
}

}  // namespace hinge
