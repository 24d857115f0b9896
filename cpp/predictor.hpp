// Predictors: what a model knows at one moment, as far as it takes to answer.
//
// A predictor never changes. Any number of threads may ask it at the same time, without a lock, while the model that made it goes on learning.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "examples.hpp"
#include "features.hpp"
#include "kernels.hpp"
#include "lazy.hpp"
#include "points.hpp"
#include "row_store.hpp"

namespace hinge {

template <class T>
class Predictor {
 public:
  virtual ~Predictor() = default;
  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;

  std::size_t features() const { return features_; }
  bool sparse() const { return sparse_; }
  std::size_t binaries() const { return biases_.size(); }
  // decisions[r * binaries + m], bias included.
  void decide(const Batch<T>& batch, std::span<double> decisions, std::size_t threads) const;

 protected:
  Predictor(std::size_t features, bool sparse, std::vector<double> biases)
      : features_(features), sparse_(sparse), biases_(std::move(biases)) {}

 private:
  // Adds the sums without the biases.
  virtual void add_sums(const Batch<T>& batch, double* decisions, std::size_t threads) const = 0;

  std::size_t features_;
  bool sparse_;
  std::vector<double> biases_;
};

// Sparse examples by feature, as far as there were any when the index was made.
template <class T>
struct ColumnIndex {
  SparseColumns<T> columns;
  std::size_t count = 0;
};

// Sums of kernel values against all examples of a snapshot. Many sparse rows are answered by way of an index of the examples. A predictor
// inherits the index of the one before where that lacks only a few examples, which are then listed separately.
template <class T>
class KernelPredictor : public Predictor<T> {
 public:
  using Index = Lazy<ColumnIndex<T>>;

  // weights[m * points.size() + slot]
  KernelPredictor(const Kernel<T>& kernel, std::vector<T> shift, const Points<T>& points, std::vector<double> weights,
                  std::vector<double> biases, std::shared_ptr<const Index> inherited);

  const std::shared_ptr<const Index>& index() const { return index_; }

 private:
  void add_sums(const Batch<T>& batch, double* decisions, std::size_t threads) const override;

  Kernel<T> kernel_;
  std::vector<T> shift_;
  PointsSnapshot<T> held_;
  std::vector<double> weights_;
  std::size_t row_cost_;
  bool keeps_index_;
  std::shared_ptr<const Index> index_;
  Lazy<SparseColumns<T>> later_columns_;  // of the examples that the index lacks
};

// The same where only some of the examples are support vectors.
class PickedPredictor : public Predictor<double> {
 public:
  // weights[m * slots.size() + i]
  PickedPredictor(const Kernel<double>& kernel, const Points<double>& points, std::vector<std::size_t> slots, std::vector<double> weights,
                  std::vector<double> biases);

 private:
  void add_sums(const Batch<double>& batch, double* decisions, std::size_t threads) const override;
  void add_one_by_one(const Batch<double>& batch, double* decisions) const;
  RowStore<double> pack() const;

  Kernel<double> kernel_;
  PointsSnapshot<double> held_;
  std::vector<std::size_t> slots_;
  std::vector<double> weights_;
  Lazy<RowStore<double>> packed_;  // the support vectors side by side
};

// Linear functions of the features of a map.
template <class T>
class LinearPredictor : public Predictor<T> {
 public:
  // Weights as `folded` of the map returns them.
  LinearPredictor(std::shared_ptr<const FeatureMap<T>> map, std::vector<double> folded, std::vector<double> biases, std::size_t block_rows);

 private:
  void add_sums(const Batch<T>& batch, double* decisions, std::size_t threads) const override;

  std::shared_ptr<const FeatureMap<T>> map_;
  std::vector<double> folded_;
  std::size_t block_rows_;
};

}  // namespace hinge
