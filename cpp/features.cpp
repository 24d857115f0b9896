#include "features.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "blas.hpp"
#include "decision.hpp"
#include "loops.hpp"

namespace hinge {

namespace {

constexpr std::size_t min_values_for_threads = 1 << 19;  // values to be read

}  // namespace

template <class T>
std::size_t FeatureMap<T>::threads_for(std::size_t rows, std::size_t most) const {
  return rows * row_cost() < min_values_for_threads ? 1 : most;
}

template <class T>
NystroemMap<T>::NystroemMap(Kernel<T> kernel, const Batch<T>& landmarks, std::span<const std::int64_t> ids, std::vector<T> shift,
                            std::vector<T> projection)
    : FeatureMap<T>(std::move(kernel), landmarks.features, landmarks.sparse, std::move(shift)),
      points_(landmarks.features, landmarks.sparse),
      projection_(std::move(projection)) {
  // One at a time: a block would need memory for as many features as a file claims to have.
  for (std::size_t r = 0; r < landmarks.count; ++r) {
    std::vector<T> values;
    if (!landmarks.sparse) values.assign(landmarks.dense_row(r), landmarks.dense_row(r) + landmarks.features);
    for (std::size_t f = 0; f < this->shift_.size(); ++f) values[f] -= this->shift_[f];
    const SparseRow<T> row = landmarks.sparse ? landmarks.sparse_row(r) : SparseRow<T>{};
    Examples<T> one{1, landmarks.features, landmarks.sparse, values.data(), &row, nullptr, &ids[r]};
    const T norm = this->kernel_.norm(one, 0);
    one.norms = &norm;
    points_.append(one, 0, 0, 0.0);
  }
}

template <class T>
Examples<T> NystroemMap<T>::landmarks() const {
  Examples<T> held = points_.examples();
  if (!held.sparse) return held;
  held.columns = &columns_.get([&] { return columns_of(held); });
  return held;
}

template <class T>
void NystroemMap<T>::fill(const Block<T>& block, T* features) const {
  std::vector<T> values(block.count() * points_.size());
  fill_raw(block, values.data());
  project(values.data(), block.count(), features);
}

template <class T>
void NystroemMap<T>::fill_raw(const Block<T>& block, T* values) const {
  this->kernel_.fill(block, landmarks(), values, points_.size());
}

template <class T>
void NystroemMap<T>::project(const T* values, std::size_t count, T* features) const {
  row_products(values, count, projection_.data(), dimension(), points_.size(), features, dimension());
}

template <class T>
std::vector<double> NystroemMap<T>::folded(std::span<const double> weights, std::size_t binaries) const {
  const std::size_t count = points_.size(), length = dimension();
  std::vector<double> coefficients(binaries * count, 0.0);
  for (std::size_t m = 0; m < binaries; ++m)
    for (std::size_t j = 0; j < length; ++j)
      loops<T>().add_row(coefficients.data() + m * count, weights[m * length + j], projection_.data() + j * count, count);
  return coefficients;
}

template <class T>
void NystroemMap<T>::add_decisions(const Block<T>& block, std::span<const double> folded, std::size_t binaries, double* sums) const {
  add_block_decisions(this->kernel_, block, landmarks(), folded, binaries, sums);
}

namespace {

template <class T>
std::vector<T> turned(const std::vector<T>& matrix, std::size_t rows, std::size_t columns) {
  std::vector<T> result(matrix.size());
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) result[c * rows + r] = matrix[r * columns + c];
  return result;
}

}  // namespace

template <class T>
FourierMap<T>::FourierMap(std::size_t features, bool sparse, std::vector<T> shift, std::vector<T> frequencies, std::vector<T> phases)
    : FeatureMap<T>(Kernel<T>({KernelKind::linear, 1.0, 0.0, 1}), features, sparse, std::move(shift)),
      frequencies_(sparse ? std::move(frequencies) : turned(frequencies, features, phases.size())),
      phases_(std::move(phases)) {}

template <class T>
void FourierMap<T>::fill(const Block<T>& block, T* features) const {
  const std::size_t length = dimension();
  const Examples<T>& rows = block.rows();
  const T factor = static_cast<T>(std::sqrt(2.0 / static_cast<double>(length)));
  if (!rows.sparse) row_products(rows.values, rows.count, frequencies_.data(), length, rows.features, features, length);
  for (std::size_t r = 0; r < rows.count; ++r) {
    T* row = features + r * length;
    if (rows.sparse) {
      std::fill_n(row, length, T(0));
      for (std::size_t e = 0; e < rows.rows[r].size; ++e)
        loops<T>().add_scaled(row, frequencies_.data() + static_cast<std::size_t>(rows.rows[r].index[e]) * length,
                              rows.rows[r].value[e], length);
    }
    loops<T>().cosine(row, phases_.data(), factor, length);
  }
}

template <class T>
std::vector<double> FourierMap<T>::folded(std::span<const double> weights, std::size_t) const {
  return {weights.begin(), weights.end()};
}

template <class T>
void FourierMap<T>::add_decisions(const Block<T>& block, std::span<const double> folded, std::size_t binaries, double* sums) const {
  const std::size_t length = dimension();
  std::vector<T> features(block.count() * length);
  fill(block, features.data());
  for (std::size_t r = 0; r < block.count(); ++r)
    for (std::size_t m = 0; m < binaries; ++m)
      sums[r * binaries + m] += loops<T>().dot(features.data() + r * length, folded.data() + m * length, length);
}

template class FeatureMap<float>;
template class FeatureMap<double>;
template class NystroemMap<float>;
template class NystroemMap<double>;
template class FourierMap<float>;
template class FourierMap<double>;

}  // namespace hinge
