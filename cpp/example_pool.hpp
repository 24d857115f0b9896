// Rows that several window models share: each is stored, standardised and compared with a new row once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels.hpp"

namespace hinge {

// Maps a row to standard scores: (x - mean) / deviation, cut off at +-limit, so that one rare value cannot outweigh all other features.
struct Standardisation {
  std::vector<double> mean, factor;
  double limit = 0.0;  // 0: rows are used as they are

  explicit Standardisation(std::size_t features, double cut) : mean(features, 0.0), factor(features, 1.0), limit(cut) {}
  void apply(const double* row, float* scaled) const;
  // Sets mean and factor to those of some rows; false if they are about what they were and nothing changed.
  bool follow(const std::vector<const double*>& rows);
};

class ExamplePool {
 public:
  // `kernel` is of the kind that all callers use; `gamma` may differ.
  ExamplePool(std::size_t features, double limit, KernelParameters kernel);

  std::size_t features() const { return features_; }
  std::size_t size() const { return classes_.size(); }  // including free places
  // Stores a row; `release` frees its place when nobody uses it any more.
  std::size_t add(const double* row, std::int32_t class_number, std::int64_t arrival, double weight);
  void retain(std::size_t place) { ++users_[place]; }
  void release(std::size_t place);

  const double* row(std::size_t place) const { return rows_.data() + place * features_; }
  std::int32_t class_of(std::size_t place) const { return classes_[place]; }
  std::int64_t arrival(std::size_t place) const { return arrivals_[place]; }
  double weight(std::size_t place) const { return weights_[place]; }
  bool is_used(std::size_t place) const { return users_[place] > 0; }

  // Kernel values between a row in its original scale and all places.
  void fill(const Kernel<float>& kernel, const double* row, std::vector<float>& values) const;
  // The kernel value between a stored row and itself.
  float self(const Kernel<float>& kernel, std::size_t place) const;

  // Standardises all rows by the given ones; false if nothing changed.
  bool restandardise(std::span<const std::size_t> places);
  // Mean of the squared deviations, summed over the features, of the given rows after standardisation.
  double spread(std::span<const std::size_t> places) const;
  // Replaces the standardisation, and applies it to all rows.
  void standardise(Standardisation standardisation);
  const Standardisation& standardisation() const { return standardisation_; }

 private:
  Examples<float> view() const;
  void scale(std::size_t place);

  std::size_t features_;
  Kernel<float> norm_kernel_;
  Standardisation standardisation_;
  std::vector<double> rows_, weights_;
  std::vector<float> scaled_, norms_;
  std::vector<std::int32_t> classes_;
  std::vector<std::int64_t> arrivals_;
  std::vector<std::size_t> users_, free_;
  std::vector<std::size_t> all_;  // 0, 1, 2, ..., then zeros up to a multiple of the lanes
};

}  // namespace hinge
