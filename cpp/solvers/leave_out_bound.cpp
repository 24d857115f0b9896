#include "solvers/leave_out_bound.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "solvers/margin_system.hpp"

namespace hinge {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t max_rounds = 12;
constexpr std::size_t max_fixed = 120;
constexpr double allowance = 1e-6;  // for rounding

// Solves a positive definite system by Cholesky's method; nothing if it is not.
std::optional<std::vector<double>> solve(std::vector<double> matrix, std::vector<double> side) {
  const std::size_t n = side.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = matrix[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= matrix[i * n + k] * matrix[j * n + k];
      if (j < i)
        matrix[i * n + j] = sum / matrix[j * n + j];
      else if (sum > 1e-10 * matrix[i * n + i])
        matrix[i * n + i] = std::sqrt(sum);
      else
        return std::nullopt;
    }
    for (std::size_t k = 0; k < i; ++k) side[i] -= matrix[i * n + k] * side[k];
    side[i] /= matrix[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) side[i] -= matrix[k * n + i] * side[k];
    side[i] /= matrix[i * n + i];
  }
  return side;
}

// The shares of the margin set in the step of one example, by position.
class Shares {
 public:
  Shares(ExactBinaryModel& model, KernelColumns& columns, std::size_t slot) : model_(model), slot_(slot), length_(2.0 * model.expansion.alpha[slot]) {
    const MarginSet& margin = model.margin;
    if (margin.size() < 2) return;
    MarginSystem system(model, columns);
    if (model.status[slot] != Status::on_margin) {
      const MarginSystem::Joining joining = system.joining(slot);
      take(joining.direction, -1.0, joining.kappa);
      return;
    }
    const std::size_t own = margin.position(slot);
    std::vector<double> column(margin.inverse.size());
    margin.inverse.column(1 + own, column);
    take(column, -1.0 / column[1 + own], 1.0 / column[1 + own]);
    fix(own, best_[own]);
  }

  // The smallest squared distance that was found.
  double kappa() {
    for (std::size_t round = 0; round < max_rounds && !best_.empty() && fixed_.size() <= max_fixed; ++round) {
      const std::optional<double> found = follow();
      if (!found) break;
      if (!fix_violators()) return *found;
    }
    return infinity;
  }

 private:
  void take(const std::vector<double>& from, double factor, double kappa) {
    for (std::size_t p = 1; p < from.size(); ++p) best_.push_back(factor * from[p]);
    best_kappa_ = kappa;
    is_fixed_.assign(best_.size(), 0);
    shares_ = best_;
  }

  void fix(std::size_t position, double share) {
    fixed_.emplace_back(position, share);
    is_fixed_[position] = 1;
    columns_.emplace_back(model_.margin.inverse.size());
    model_.margin.inverse.column(1 + position, columns_.back());
  }

  // The best shares given those that are fixed: the change z of the fixed ones costs z' (Q_ff)^-1 z.
  std::optional<double> follow() {
    shares_ = best_;
    const std::size_t n = fixed_.size();
    if (n == 0) return best_kappa_;
    std::vector<double> matrix(n * n), change(n);
    for (std::size_t i = 0; i < n; ++i) {
      change[i] = fixed_[i].second - best_[fixed_[i].first];
      for (std::size_t j = 0; j < n; ++j) matrix[i * n + j] = columns_[i][1 + fixed_[j].first];
    }
    const auto weights = solve(std::move(matrix), change);
    if (!weights) return std::nullopt;
    double kappa = best_kappa_;
    for (std::size_t i = 0; i < n; ++i) {
      kappa += (*weights)[i] * change[i];
      for (std::size_t p = 0; p < shares_.size(); ++p) shares_[p] += (*weights)[i] * columns_[i][1 + p];
    }
    return kappa;
  }

  bool fix_violators() {
    bool found = false;
    const Expansion& expansion = model_.expansion;
    for (std::size_t p = 0; p < shares_.size(); ++p) {
      const std::size_t member = model_.margin[p];
      const double step = length_ * shares_[p];
      if (is_fixed_[p] || member == slot_ || (step <= expansion.up[member] && step >= expansion.down[member])) continue;
      fix(p, (step > 0.0 ? expansion.up[member] : expansion.down[member]) / length_);
      found = true;
    }
    return found;
  }

  const ExactBinaryModel& model_;
  std::size_t slot_;
  double length_;  // of the step: from a to -a
  std::vector<double> best_, shares_;
  double best_kappa_ = infinity;
  std::vector<std::uint8_t> is_fixed_;
  std::vector<std::pair<std::size_t, double>> fixed_;
  std::vector<std::vector<double>> columns_;  // of Q, of those fixed
};

bool is_well_conditioned(ExactBinaryModel& model, KernelColumns& columns) {
  MarginSystem system(model, columns);
  system.find_condition();
  return !system.is_ill_conditioned();
}

}  // namespace

double leave_out_bound(ExactBinaryModel& model, KernelColumns& columns, std::size_t slot) {
  if (!is_well_conditioned(model, columns)) return infinity;
  const double kappa = Shares(model, columns, slot).kappa();
  return 2.0 * std::abs(model.expansion.alpha[slot]) * kappa * (1.0 + allowance) + allowance;
}

}  // namespace hinge
