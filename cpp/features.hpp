// From examples to features whose inner products are kernel values, nearly: the binaries over them are linear.
//
// Nystroem. For a sample S of the examples, the landmarks, let K_SS = Q D Q'. Then phi(x) = D^-1/2 Q' k_S(x) has <phi(x), phi(z)> = k(x, z) whenever x or z is a
// landmark. Eigenvalues near zero are left out, so there may be fewer features than landmarks. A function <w, phi(x)> is the kernel expansion
// over the landmarks with coefficients Q D^-1/2 w.
//
// Fourier. k(x, z) = k(x - z) is the mean of cos(<v, x> - <v, z>) over its spectral density, so features sqrt(2/d) cos(<v_j, x> + b_j) with random v_j and
// b_j uniform on [0, 2 pi) do in expectation.
//
// Features may come scaled, each by a factor of its own (the rows of `projection` are multiplied by it already): a solver that treats all alike
// then advances fast along directions in which the data vary little. `penalty` undoes the factors where the norm of w is meant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "block.hpp"
#include "kernels.hpp"
#include "lazy.hpp"
#include "points.hpp"

namespace hinge {

template <class T>
class FeatureMap {
 public:
  virtual ~FeatureMap() = default;

  virtual std::size_t dimension() const = 0;
  // features[r * dimension + j], for all rows of a block that `take` made.
  virtual void fill(const Block<T>& block, T* features) const = 0;
  // Some maps have two stages: values that are enough to answer (see `folded`), and features, which it takes to learn. The size of the first; 0: there
  // is one stage only.
  virtual std::size_t raw_dimension() const { return 0; }
  virtual void fill_raw(const Block<T>&, T*) const {}
  virtual void project(const T*, std::size_t, T*) const {}
  // What `add_decisions` wants to be given for weights[m * dimension + j].
  virtual std::vector<double> folded(std::span<const double> weights, std::size_t binaries) const = 0;
  // sums[r * binaries + m] += <weights_m, phi(row r)>
  virtual void add_decisions(const Block<T>& block, std::span<const double> folded, std::size_t binaries, double* sums) const = 0;
  // Kernel values, or what stands for them, that one row takes.
  virtual std::size_t row_evaluations() const = 0;
  // Values that are read for one row, to judge whether threads pay off.
  virtual std::size_t row_cost() const = 0;
  virtual void check_invariants() const = 0;
  void take(Block<T>& block, const Batch<T>& batch, std::span<const std::int64_t> rows, std::int64_t first_id) const {
    block.take(kernel_, batch, rows, first_id, shift_);
  }
  // The number of threads that pays off for some number of rows.
  std::size_t threads_for(std::size_t rows, std::size_t most) const;
  std::size_t features() const { return features_; }
  bool sparse() const { return sparse_; }
  const KernelParameters& kernel_parameters() const { return kernel_.parameters(); }

 protected:
  FeatureMap(Kernel<T> kernel, std::size_t features, bool sparse, std::vector<T> shift)
      : kernel_(std::move(kernel)), shift_(std::move(shift)), features_(features), sparse_(sparse) {}

  Kernel<T> kernel_;
  std::vector<T> shift_;  // subtracted from dense rows first

 private:
  std::size_t features_;
  bool sparse_;
};

template <class T>
class NystroemMap : public FeatureMap<T> {
 public:
  // The landmarks have the given ids; projection[j * landmarks + s], row by row.
  NystroemMap(Kernel<T> kernel, const Batch<T>& landmarks, std::span<const std::int64_t> ids, std::vector<T> shift,
              std::vector<T> projection);

  std::size_t dimension() const override { return projection_.size() / points_.size(); }
  void fill(const Block<T>& block, T* features) const override;
  std::size_t raw_dimension() const override { return points_.size(); }
  void fill_raw(const Block<T>& block, T* values) const override;
  void project(const T* values, std::size_t count, T* features) const override;
  std::vector<double> folded(std::span<const double> weights, std::size_t binaries) const override;
  void add_decisions(const Block<T>& block, std::span<const double> folded, std::size_t binaries, double* sums) const override;
  std::size_t row_evaluations() const override { return points_.size(); }
  std::size_t row_cost() const override { return points_.size() * (points_.row_cost() + dimension()); }
  void check_invariants() const override;

 private:
  Examples<T> landmarks() const;

  Points<T> points_;
  Lazy<SparseColumns<T>> columns_;  // of sparse landmarks
  std::vector<T> projection_;
};

template <class T>
class FourierMap : public FeatureMap<T> {
 public:
  // frequencies[f * dimension + j], a row for each feature of the examples; phases[j].
  FourierMap(std::size_t features, bool sparse, std::vector<T> shift, std::vector<T> frequencies, std::vector<T> phases);

  std::size_t dimension() const override { return phases_.size(); }
  void fill(const Block<T>& block, T* features) const override;
  std::vector<double> folded(std::span<const double> weights, std::size_t binaries) const override;
  void add_decisions(const Block<T>& block, std::span<const double> folded, std::size_t binaries, double* sums) const override;
  std::size_t row_evaluations() const override { return dimension(); }
  std::size_t row_cost() const override { return this->features() * dimension(); }
  void check_invariants() const override;

 private:
  std::vector<T> frequencies_;  // dense: turned, a row for each frequency
  std::vector<T> phases_;
};

}  // namespace hinge
