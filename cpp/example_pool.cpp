#include "example_pool.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "block.hpp"
#include "loops.hpp"

namespace hinge {

namespace {

// Scales that moved by less than this leave kernel values about as they were.
constexpr double same_ratio = 1.25, same_shift = 0.25;
// A feature whose variance is a smaller share of its squared mean is constant: the rest is rounding, in single precision.
constexpr double rounding_share = 1e-12;

Block<float> block_of(const Kernel<float>& kernel, const float* scaled, std::size_t features) {
  static constexpr std::array<std::int64_t, 1> first{0};
  Batch<float> batch;
  batch.count = 1;
  batch.features = features;
  batch.values = scaled;
  Block<float> block;
  block.take(kernel, batch, first, 0, {});
  return block;
}

}  // namespace

void Standardisation::apply(const double* row, float* scaled) const {
  for (std::size_t f = 0; f < mean.size(); ++f)
    scaled[f] = static_cast<float>(limit > 0.0 ? std::clamp((row[f] - mean[f]) * factor[f], -limit, limit) : row[f]);
}

bool Standardisation::follow(const std::vector<const double*>& rows) {
  const auto count = static_cast<double>(rows.size());
  std::vector<double> means(mean.size(), 0.0), factors(mean.size(), 1.0);
  bool changed = false;
  for (std::size_t f = 0; f < mean.size(); ++f) {
    for (const double* row : rows) means[f] += row[f] / count;
    double variance = 0.0;
    for (const double* row : rows) variance += (row[f] - means[f]) * (row[f] - means[f]) / count;
    const double deviation = std::sqrt(variance);
    if (deviation > 1e-12 * std::abs(means[f])) factors[f] = 1.0 / deviation;
    const double ratio = factors[f] / factor[f];
    changed = changed || ratio > same_ratio || ratio < 1.0 / same_ratio || std::abs(means[f] - mean[f]) * factor[f] > same_shift;
  }
  if (!changed) return false;
  mean = std::move(means);
  factor = std::move(factors);
  return true;
}

ExamplePool::ExamplePool(std::size_t features, double limit, KernelParameters kernel)
    : features_(features), norm_kernel_(kernel), standardisation_(features, limit) {}

std::size_t ExamplePool::add(const double* row, std::int32_t class_number, std::int64_t arrival, double weight) {
  std::size_t place = size();
  if (free_.empty()) {
    rows_.resize((place + 1) * features_);
    scaled_.resize((place + 1) * features_);
    norms_.resize(padded(place + 1));
    classes_.push_back(0);
    arrivals_.push_back(0);
    weights_.push_back(1.0);
    users_.push_back(0);
    if (all_.size() <= place) all_.resize(padded(place + 1), 0);
    all_[place] = place;
  } else {
    place = free_.back();
    free_.pop_back();
  }
  std::copy_n(row, features_, rows_.data() + place * features_);
  classes_[place] = class_number;
  arrivals_[place] = arrival;
  weights_[place] = weight;
  scale(place);
  return place;
}

void ExamplePool::release(std::size_t place) {
  if (--users_[place] == 0) free_.push_back(place);
}

void ExamplePool::scale(std::size_t place) {
  standardisation_.apply(row(place), scaled_.data() + place * features_);
  norms_[place] = norm_kernel_.norm(view(), place);
}

Examples<float> ExamplePool::view() const {
  Examples<float> examples;
  examples.count = size();
  examples.features = features_;
  examples.values = scaled_.data();
  examples.norms = norms_.data();
  examples.ids = arrivals_.data();
  return examples;
}

void ExamplePool::fill(const Kernel<float>& kernel, const double* row, std::vector<float>& values) const {
  values.resize(padded(size()));
  if (size() == 0) return;
  std::vector<float> scaled(features_);
  standardisation_.apply(row, scaled.data());
  Examples<float> examples = view();
  examples.largest_norm = *std::max_element(norms_.begin(), norms_.end());
  // Whole lanes: a value does not depend on where its row is stored, so restored models have the same bits.
  kernel.fill_picked(block_of(kernel, scaled.data(), features_), examples, all_, values.data());
}

float ExamplePool::self(const Kernel<float>& kernel, std::size_t place) const {
  const KernelKind kind = kernel.parameters().kind;
  if (kind == KernelKind::rbf || kind == KernelKind::laplacian) return 1.0F;
  float value = 0.0F;
  const float* scaled = scaled_.data() + place * features_;
  kernel.fill_picked(block_of(kernel, scaled, features_), view(), std::span(&place, 1), &value);
  return value;
}

void ExamplePool::standardise(Standardisation standardisation) {
  standardisation_ = std::move(standardisation);
  for (std::size_t place = 0; place < size(); ++place) scale(place);
}

bool ExamplePool::restandardise(std::span<const std::size_t> places) {
  if (standardisation_.limit <= 0.0) return false;
  std::vector<const double*> chosen;
  for (const std::size_t place : places) chosen.push_back(row(place));
  Standardisation next = standardisation_;
  if (!next.follow(chosen)) return false;
  standardise(std::move(next));
  return true;
}

double ExamplePool::spread(std::span<const std::size_t> places) const {
  double total = 0.0;
  const auto count = static_cast<double>(places.size());
  for (std::size_t f = 0; f < features_; ++f) {
    double mean = 0.0, variance = 0.0;
    for (const std::size_t place : places) mean += static_cast<double>(scaled_[place * features_ + f]) / count;
    for (const std::size_t place : places) {
      const double deviation = static_cast<double>(scaled_[place * features_ + f]) - mean;
      variance += deviation * deviation / count;
    }
    if (variance > rounding_share * mean * mean) total += variance;
  }
  return total;
}

}  // namespace hinge
