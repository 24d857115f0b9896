// The inverse of the bordered kernel matrix of the margin set S (Laskov et al. 2006, section 2.4),
//
//   Q = [ 0   1'   ]^-1
//       [ 1   K_ss ]
//
// Coefficients are signed, so the labels y_s of the paper do not appear. Index 0 belongs to the bias b, index 1 + p to member p of S.
//
// When example k joins S, with eta = [1; K_sk] and kappa = K_kk - eta' Q eta,
//
//   Q  <-  [ Q  0 ]  +  1/kappa [ -Q eta ] [ -Q eta ]'
//          [ 0  0 ]             [    1   ] [    1   ]
//
// When member k leaves, with q_k column k of Q, Q <- Q - q_k q_k' / Q_kk, without row and column k.
//
// Rank-one changes are queued and applied a few at a time, because applying them is limited by memory bandwidth: the matrix is read and
// written once for all of them. Only the lower triangle is stored.
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
  // Number of rows: one for the bias and one per member, or 0 if S is empty.
  std::size_t size() const { return size_; }

  void clear();
  // Starts with one member; `kernel_value` is its K_ii.
  void start(double kernel_value);
  // result = Q vector
  void multiply(std::span<const double> vector, std::span<double> result) const;
  double diagonal(std::size_t index) const;
  void column(std::size_t index, std::span<double> result) const;
  // Appends a member; `direction` is -Q eta.
  void add(std::span<const double> direction, double kappa);
  // Removes a member, whose column is `column`; the last index moves into its position.
  void remove(std::size_t index, std::span<const double> column);
  // Inverts a matrix of `size` rows; returns false and changes nothing if it is singular.
  bool rebuild(std::vector<double> matrix, std::size_t size);

 private:
  // Adds weight * vector vector'.
  struct RankOneChange {
    double weight;
    std::vector<double> vector;
  };
  void queue(RankOneChange change);
  void apply_pending();
  void replace_with_last(std::size_t index);
  // Calls `work` for two bands of rows that hold equally many values, on two threads if the matrix is large. The result does not depend on
  // the number of threads.
  void over_bands(const std::function<void(std::size_t band, std::size_t first, std::size_t last)>& work) const;

  std::size_t threads_ = 1;
  std::size_t size_ = 0;
  Growing<double> triangle_;
  std::vector<RankOneChange> pending_;
};

}  // namespace hinge
