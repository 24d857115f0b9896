// How classes become binary models.
//
// One-vs-rest has a binary model for each class: m tells class m from all others. One-vs-one has one for each pair of classes i < j: number
// j (j - 1) / 2 + i tells j (positive) from i, and examples of other classes are none of its business. The pairs of a new class come last, so that
// nothing moves when one appears. Up to two classes need one binary model, whose positive class is number 1, in either scheme.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "options.hpp"

namespace hinge {

class ClassScheme {
 public:
  ClassScheme(MultiClass kind, std::size_t classes);

  MultiClass kind() const { return kind_; }
  std::size_t classes() const { return classes_; }
  // The number of binary models.
  std::size_t binaries() const { return sides_.size(); }
  // What binary model m wants of an example: +1, -1, or 0 if it does not see examples of that class.
  double target(std::size_t m, std::int32_t label) const {
    const auto [positive, negative] = sides_[m];
    return label == positive ? 1.0 : negative == rest || label == negative ? -1.0 : 0.0;
  }
  // True if binary model m is of no use without a class.
  bool is_about(std::size_t m, std::int32_t label) const { return sides_[m].first == label || sides_[m].second == label; }
  // The class that decision values speak for: the largest value, or the most votes; the first one if several have as many.
  std::int32_t choose(std::span<const double> decisions) const;
  // How far the decision values are from another class.
  double margin(std::span<const double> decisions) const;
  // True if the binary models that see the class all decide for it.
  bool wins_all(std::span<const double> decisions, std::int32_t label) const;

 private:
  static constexpr std::int32_t rest = -1;

  MultiClass kind_;
  std::size_t classes_;
  std::vector<std::pair<std::int32_t, std::int32_t>> sides_;  // positive and negative class of each binary model
};

}  // namespace hinge
