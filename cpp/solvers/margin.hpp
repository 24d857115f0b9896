// The inverse that the exact solver steers by,
//
//   Q = [ 0   1'   ]^-1
//       [ 1   K_ss ]
//
// over the margin set S (signed coefficients: no labels in it). Index 0 belongs to the bias, index 1 + p to the member at place p.
//
// A member k that joins, with eta = [1; K_sk], v = [-Q eta; 1] and kappa = K_kk - eta' Q eta, adds v v' / kappa; one that leaves subtracts
// q q' / q_k, where q is its column. Such changes are kept aside, a few at a time, and brought into the matrix together: it is read
// and written once for all of them. Only the lower triangle is stored.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "growing.hpp"

namespace hinge {

class MarginInverse {
 public:
  void set_threads(std::size_t threads) { threads_ = threads; }
  // Members and the bias; 0 as long as there is no member.
  std::size_t size() const { return size_; }

  void clear();
  void start(double kernel_value);
  // result = Q vector
  void multiply(std::span<const double> vector, std::span<double> result) const;
  double diagonal(std::size_t index) const;
  void column(std::size_t index, std::span<double> result) const;
  // `direction` is -Q eta.
  void add(std::span<const double> direction, double kappa);
  // The last index takes the place of the one that leaves; `column` is its column.
  void remove(std::size_t index, std::span<const double> column);
  // Inverts the whole matrix (of so many rows, in any order of storage since it is symmetric); false when it is singular.
  bool rebuild(std::vector<double> matrix, std::size_t size);

 private:
  struct Change {
    double weight;
    std::vector<double> vector;
  };
  void bring_in();
  // Two bands of rows with as many values each, at the same time if it pays: the result is that of one thread.
  void over_bands(const std::function<void(std::size_t band, std::size_t first, std::size_t last)>& work) const;
  void take_last_place(std::size_t index);

  std::size_t threads_ = 1;
  std::size_t size_ = 0;
  Growing<double> triangle_;
  std::vector<Change> aside_;
};

}  // namespace hinge
