#include "solvers/margin.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "blas.hpp"
#include "loops.hpp"
#include "parallel.hpp"

namespace hinge {

namespace {

constexpr std::size_t most_aside = 8;
constexpr std::size_t bands = 2;
// A smaller matrix is read faster than a thread starts.
constexpr std::size_t worth_a_thread = 700;

// Where a row of the triangle begins.
std::size_t row_at(std::size_t row) { return row * (row + 1) / 2; }

}  // namespace

void MarginInverse::over_bands(const std::function<void(std::size_t, std::size_t, std::size_t)>& work) const {
  const auto middle = static_cast<std::size_t>(static_cast<double>(size_) / std::sqrt(2.0));  // the upper band has as many values as the lower
  parallel_for(size_ < worth_a_thread ? 1 : threads_, bands, [&](std::size_t band) {
    work(band, band == 0 ? 0 : middle, band == 0 ? middle : size_);
  });
}

void MarginInverse::clear() {
  size_ = 0;
  triangle_.truncate(0);
  aside_.clear();
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
  for (const Change& change : aside_) {
    const double share = change.weight * loops<double>().dot(change.vector.data(), vector.data(), size_);
    for (std::size_t i = 0; i < size_; ++i) result[i] += share * change.vector[i];
  }
}

double MarginInverse::diagonal(std::size_t index) const {
  double value = triangle_.data()[row_at(index) + index];
  for (const Change& change : aside_) value += change.weight * change.vector[index] * change.vector[index];
  return value;
}

void MarginInverse::column(std::size_t index, std::span<double> result) const {
  for (std::size_t i = 0; i < size_; ++i) {
    const std::size_t row = std::max(i, index), place = std::min(i, index);
    result[i] = triangle_.data()[row_at(row) + place];
  }
  for (const Change& change : aside_) {
    const double share = change.weight * change.vector[index];
    for (std::size_t i = 0; i < size_; ++i) result[i] += share * change.vector[i];
  }
}

void MarginInverse::add(std::span<const double> direction, double kappa) {
  const std::vector<double> zeros(size_ + 1, 0.0);
  triangle_.append(zeros.data(), zeros.size());
  for (Change& change : aside_) change.vector.push_back(0.0);
  std::vector<double> vector(direction.begin(), direction.end());
  vector.push_back(1.0);
  ++size_;
  aside_.push_back({1.0 / kappa, std::move(vector)});
  if (aside_.size() == most_aside) bring_in();
}

void MarginInverse::remove(std::size_t index, std::span<const double> column) {
  if (size_ == 2) return clear();
  aside_.push_back({-1.0 / column[index], {column.begin(), column.end()}});
  if (aside_.size() == most_aside) bring_in();
  take_last_place(index);
}

void MarginInverse::bring_in() {
  std::array<const double*, most_aside> vectors{};
  std::array<double, most_aside> weights{};
  for (std::size_t t = 0; t < aside_.size(); ++t) {
    vectors[t] = aside_[t].vector.data();
    weights[t] = aside_[t].weight;
  }
  over_bands([&](std::size_t, std::size_t first, std::size_t last) {
    loops<double>().symmetric_update(triangle_.data(), first, last, vectors.data(), weights.data(), aside_.size());
  });
  aside_.clear();
}

void MarginInverse::take_last_place(std::size_t index) {
  const std::size_t last = size_ - 1;
  double* values = triangle_.data();
  const double* from = values + row_at(last);
  if (index != last) {
    std::copy_n(from, index, values + row_at(index));
    values[row_at(index) + index] = from[last];
    for (std::size_t i = index + 1; i < last; ++i) values[row_at(i) + index] = from[i];
  }
  for (Change& change : aside_) {
    change.vector[index] = change.vector[last];
    change.vector.pop_back();
  }
  triangle_.truncate(row_at(last));
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
