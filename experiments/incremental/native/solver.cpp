// Algorithm 1 of the paper in C++, as `numpy_solver.py` explains it; called through ctypes.
#include <cmath>
#include <limits>

#include "matrices.hpp"

namespace {

constexpr double kTiny = 1e-11;  // smaller rates count as zero
constexpr double kNever = std::numeric_limits<double>::infinity();

enum class Set : char { kOther, kMargin, kBounded, kMoving };

struct Event {
  double distance = kNever;
  Index example = -1;
  bool rises = false;
};

class Solver {
 public:
  Solver(std::unique_ptr<Storage> storage, double C)
      : storage_(std::move(storage)),
        problem_(storage_->problem()),
        C_(C),
        alpha_(problem_.norms.size()),
        gradient_(problem_.norms.size()),
        set_(problem_.norms.size(), Set::kOther) {}

  void learn(Index until) {
    storage_->clock().start();
    while (learned_ < until) add(learned_);
  }

  // Writes coefficients, threshold and seconds by operation; returns the number of steps.
  Index read(double* alpha, double* threshold, double* seconds) {
    std::copy(alpha_.begin(), alpha_.end(), alpha);
    *threshold = threshold_;
    std::copy_n(clock().seconds, kOperations, seconds);
    return steps_;
  }

 private:
  Clock& clock() { return storage_->clock(); }

  void add(Index c) {
    const Indices support = storage_->support();
    Vector values(support.size());
    storage_->kernel_values(c, support, values.data());
    storage_->append_column(c, values);
    double gradient = threshold_ * problem_.y[c] - 1.0;
    for (std::size_t i = 0; i < support.size(); ++i) gradient += values[i] * alpha_[at(support[i])];
    gradient_[at(c)] = gradient;
    ++learned_;
    if (gradient >= 0) return;
    Vector column = complete(c, support, values);
    set_[at(c)] = Set::kMoving;
    while (set_[at(c)] == Set::kMoving) {
      ++steps_;
      if (storage_->margin().empty()) {
        shift(c, column);
      } else {
        step(c, column);
      }
    }
  }

  // The kernel values of c with all examples so far, of which some are known.
  Vector complete(Index c, const Indices& support, const Vector& values) {
    Vector column(at(c) + 1);
    std::vector<char> known(at(c) + 1);
    for (std::size_t i = 0; i < support.size(); ++i) {
      column[at(support[i])] = values[i];
      known[at(support[i])] = 1;
    }
    Indices others;
    for (Index i = 0; i <= c; ++i)
      if (!known[at(i)]) others.push_back(i);
    Vector missing(others.size());
    storage_->kernel_values(c, others, missing.data());
    for (std::size_t i = 0; i < others.size(); ++i) column[at(others[i])] = missing[i];
    return column;
  }

  void step(Index c, const Vector& column) {
    const Indices margin = storage_->margin();
    Vector right{problem_.y[c]};
    for (const Index s : margin) right.push_back(column[at(s)]);
    clock().lap(kRest);
    const Vector beta = storage_->solve(right);
    clock().lap(kBeta);
    Indices rest;
    for (Index i = 0; i < learned_; ++i)
      if (set_[at(i)] != Set::kMargin) rest.push_back(i);
    const Vector gamma = storage_->gamma(beta, column, rest);
    const Event on_margin = first_on_margin(margin, beta), elsewhere = first_elsewhere(rest, gamma);
    const double to_margin = gamma[at(c)] > kTiny ? std::max(-gradient_[at(c)] / gamma[at(c)], 0.0) : kNever;
    const double to_bound = C_ - alpha_[at(c)];
    const double distance = std::min({on_margin.distance, elsewhere.distance, to_margin, to_bound});
    for (std::size_t i = 0; i < margin.size(); ++i) alpha_[at(margin[i])] += beta[i + 1] * distance;
    alpha_[at(c)] += distance;
    threshold_ += beta[0] * distance;
    for (const Index r : rest) gradient_[at(r)] += gamma[at(r)] * distance;
    clock().lap(kRest);
    if (distance == to_bound) {
      alpha_[at(c)] = C_;
      set_[at(c)] = Set::kBounded;
      storage_->add_row(c, column);
    } else if (distance == to_margin) {
      join_margin(c, column);
    } else if (distance == on_margin.distance) {
      leave_margin(on_margin);
    } else {
      join_margin(elsewhere.example, column);
    }
  }

  Event first_on_margin(const Indices& margin, const Vector& beta) const {
    Event first;
    for (std::size_t i = 0; i < margin.size(); ++i) {
      const double rate = beta[i + 1];
      if (std::abs(rate) <= kTiny) continue;
      const double coefficient = alpha_[at(margin[i])];
      const double distance = std::max((rate > 0 ? C_ - coefficient : -coefficient) / rate, 0.0);
      if (distance < first.distance) first = {distance, margin[i], rate > 0};
    }
    return first;
  }

  Event first_elsewhere(const Indices& rest, const Vector& rates) const {
    Event first;
    for (const Index r : rest) {
      const double rate = rates[at(r)];
      const bool comes = set_[at(r)] == Set::kBounded ? rate > kTiny : set_[at(r)] == Set::kOther && rate < -kTiny;
      if (!comes) continue;
      const double distance = std::max(-gradient_[at(r)] / rate, 0.0);
      if (distance < first.distance) first = {distance, r, false};
    }
    return first;
  }

  // Section 4.1: the margin is empty, so that the threshold moves alone until a gradient is zero.
  void shift(Index c, const Vector& column) {
    Indices rest;
    Vector rates(at(learned_));
    for (Index i = 0; i < learned_; ++i) {
      rest.push_back(i);
      rates[at(i)] = problem_.y[i] * problem_.y[c];
    }
    const Event first = first_elsewhere(rest, rates);
    const double own = -gradient_[at(c)], distance = std::min(first.distance, own);
    threshold_ += problem_.y[c] * distance;
    for (const Index r : rest) gradient_[at(r)] += rates[at(r)] * distance;
    if (first.distance < own) {
      join_margin(first.example, column);
    } else {
      set_[at(c)] = Set::kOther;
    }
  }

  void join_margin(Index k, const Vector& column) {
    gradient_[at(k)] = 0.0;
    const bool is_new = set_[at(k)] != Set::kBounded;
    set_[at(k)] = Set::kMargin;
    if (is_new) storage_->add_row(k, k == learned_ - 1 ? column : full_row(k));
    storage_->add_to_margin(k);
  }

  Vector full_row(Index k) {
    Indices all(at(learned_));
    for (Index i = 0; i < learned_; ++i) all[at(i)] = i;
    Vector row(all.size());
    storage_->kernel_values(k, all, row.data());
    return row;
  }

  void leave_margin(const Event& event) {
    alpha_[at(event.example)] = event.rises ? C_ : 0.0;
    set_[at(event.example)] = event.rises ? Set::kBounded : Set::kOther;
    storage_->remove_from_margin(event.example);
    if (!event.rises) storage_->remove_row(event.example);
  }

  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  std::unique_ptr<Storage> storage_;
  const Problem& problem_;
  double C_;
  Vector alpha_;
  double threshold_ = 0.0;
  Index steps_ = 0;
  Vector gradient_;
  std::vector<Set> set_;
  Index learned_ = 0;
};

}  // namespace

extern "C" {

// layout: 0 copies (one-dimensional arrays), 1 pointers with Algorithm 4, 2 pointers with Algorithm 3.
void* solver_create(const double* X, const double* y, Index rows, Index features, int kernel, double gamma, double C,
                    int layout, const Blas* blas) {
  Problem problem{X, y, rows, features, kernel, gamma, *blas, Vector(static_cast<std::size_t>(rows))};
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < features; ++j)
      problem.norms[static_cast<std::size_t>(i)] += problem.example(i)[j] * problem.example(i)[j];
  auto storage = layout == 0 ? copying_storage(std::move(problem)) : pointer_storage(std::move(problem), layout == 2);
  return new Solver(std::move(storage), C);
}

void solver_learn(void* solver, Index until) { static_cast<Solver*>(solver)->learn(until); }

Index solver_read(void* solver, double* alpha, double* threshold, double* seconds) {
  return static_cast<Solver*>(solver)->read(alpha, threshold, seconds);
}

void solver_delete(void* solver) { delete static_cast<Solver*>(solver); }
}
