#include "solvers/exact_binary_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace hinge {

namespace {

// When the largest kernel value falls by this factor, what was rounding before may be an error now.
constexpr double far_smaller = 1e-2;
// A sum of coefficients that is off by this part of their sizes is wrong.
constexpr double out_of_balance = 1e-6;
// Examples with this part of the largest kernel value are zero beside it: two of them cannot be told apart.
constexpr double nothing = 1e-28;
constexpr double infinity = std::numeric_limits<double>::infinity();

Place opposite(Place place) {
  if (place == Place::low) return Place::high;
  return place == Place::high ? Place::low : place;
}

}  // namespace

ExactBinaryModel::ExactBinaryModel(std::int32_t positive_class, const ExactOptions& options)
    : positive_class_(positive_class), problem_(options.problem), nu_(options.nu), most_total_(options.most_total.value_or(infinity)) {}

double ExactBinaryModel::label_of(std::int32_t label) const {
  return problem_ != Problem::classifier || label == positive_class_ ? 1.0 : -1.0;
}

ExactBinaryModel ExactBinaryModel::mirrored(std::int32_t positive_class) const {
  ExactBinaryModel other = *this;
  other.positive_class_ = positive_class;
  other.bias = -bias;
  for (std::size_t i = 0; i < expansion.size(); ++i) {
    if (!holds(i)) continue;
    other.expansion.label[i] = -expansion.label[i];
    other.expansion.gradient[i] = -expansion.gradient[i];
    other.expansion.low[i] = -expansion.high[i];
    other.expansion.high[i] = -expansion.low[i];
    other.expansion.set_alpha(i, -expansion.alpha[i]);
    other.place[i] = opposite(place[i]);
  }
  return other;
}

void ExactBinaryModel::append(std::int32_t label, double cost, double kernel_value, double sum) {
  skip(kernel_value);
  come(expansion.size() - 1, label, cost, sum);
}

void ExactBinaryModel::skip(double kernel_value) {
  expansion.remove(expansion.append(0.0, {0.0, 0.0}, 0.0));
  place.push_back(Place::absent);
  self.push_back(kernel_value);
  seat.push_back(0);
}

void ExactBinaryModel::revive(std::size_t slot, std::int32_t label, double cost) {
  come(slot, label, cost, expansion.label[slot] - expansion.gradient[slot]);
}

void ExactBinaryModel::come(std::size_t slot, std::int32_t label, double cost, double sum) {
  const double y = label_of(label);
  const double target = problem_ == Problem::classifier ? y : drift(slot) * total;
  expansion.revive(slot, target, Box::of(y, cost), target - sum);
  place[slot] = end_of(slot);
  largest_self_ = std::max(largest_self_, std::abs(self[slot]));
}

void ExactBinaryModel::restore(std::size_t slot, std::int32_t label, const Box& box, double alpha, double gradient) {
  come(slot, label, box.high - box.low, 0.0);
  start_at(slot, alpha);
  expansion.gradient[slot] = gradient;
}

void ExactBinaryModel::start_at(std::size_t slot, double alpha) {
  place_alpha(slot, alpha);
  place[slot] = end_of(slot);
}

void ExactBinaryModel::remove(std::size_t slot) {
  const double target = expansion.label[slot], gradient = expansion.gradient[slot];
  expansion.remove(slot);
  expansion.label[slot] = target;  // `revive` finds its sum from the two
  expansion.gradient[slot] = gradient;
  place[slot] = Place::absent;
  if (std::abs(self[slot]) >= largest_self_) look_for_largest();
}

void ExactBinaryModel::look_for_largest() {
  const double before = std::exchange(largest_self_, 0.0);
  for (std::size_t i = 0; i < expansion.size(); ++i)
    if (holds(i)) largest_self_ = std::max(largest_self_, std::abs(self[i]));
  coarse = coarse || largest_self_ < far_smaller * before;
}

void ExactBinaryModel::follow(const Moves& moves) {
  expansion.follow(moves);
  for (const auto& [from, to] : moves.list) {
    place[to] = place[from];
    self[to] = self[from];
    seat[to] = seat[from];
    if (place[to] == Place::margin) margin[seat[to]] = to;
  }
  place.resize(moves.size);
  self.resize(moves.size);
  seat.resize(moves.size);
}

double ExactBinaryModel::wanted_total(double without) const {
  if (problem_ == Problem::classifier) return 0.0;
  double costs = -without;
  for (std::size_t i = 0; i < expansion.size(); ++i) costs += expansion.high[i] - expansion.low[i];
  return held() == 0 ? 0.0 : std::min(most_total_, nu_ * std::max(costs, 0.0));
}

void ExactBinaryModel::set_total(double value) {
  total = value;
  if (problem_ != Problem::sphere) return;
  for (std::size_t i = 0; i < expansion.size(); ++i)
    if (holds(i)) expansion.label[i] = drift(i) * value;
}

double ExactBinaryModel::sum_of_sizes() const {
  double sizes = 0.0;
  for (std::size_t i = 0; i < expansion.size(); ++i) sizes += std::abs(expansion.alpha[i]);
  return sizes;
}

// No kernel value is larger than the root of K_ii K_jj: where these differ by much, large coefficients are those of small ones.
double ExactBinaryModel::grain() const {
  double reach = 0.0;
  for (std::size_t i = 0; i < expansion.size(); ++i)
    if (expansion.alpha[i] != 0.0) reach += std::abs(expansion.alpha[i]) * std::sqrt(std::abs(self[i]));
  return 1e-12 * unit() + 1e-14 * reach * std::sqrt(largest_self_);
}

bool ExactBinaryModel::is_nothing(std::size_t slot) const { return std::abs(self[slot]) <= nothing * largest_self_; }

double ExactBinaryModel::sure_kappa(std::size_t slot) const { return 1e-5 * (is_nothing(slot) ? largest_self_ : std::abs(self[slot])); }

double ExactBinaryModel::least_kappa(std::size_t slot) const {
  const double own = std::abs(self[slot]);
  if (is_nothing(slot)) return 1e-12 * largest_self_;
  return 1e-10 * own + 1e-12 * std::sqrt(own) * std::sqrt(largest_self_);
}

double ExactBinaryModel::balance_grain() const { return 1e-13 * sum_of_sizes(); }

double ExactBinaryModel::imbalance() const {
  return total - std::accumulate(expansion.alpha.begin(), expansion.alpha.end(), 0.0);
}

double ExactBinaryModel::unit() const { return problem_ == Problem::classifier ? 1.0 : total * largest_self_; }

void ExactBinaryModel::place_alpha(std::size_t slot, double alpha) {
  expansion.set_alpha(slot, alpha > expansion.low[slot] ? std::min(alpha, expansion.high[slot]) : expansion.low[slot]);
}

void ExactBinaryModel::go_to_end(std::size_t slot, double sign) {
  expansion.set_alpha(slot, sign > 0.0 ? expansion.high[slot] : expansion.low[slot]);
}

double ExactBinaryModel::relevance(std::size_t slot) const {
  const double alpha = std::abs(expansion.alpha[slot]);
  if (place[slot] == Place::margin) return 0.5 * alpha * alpha / std::max(inverse.diagonal(1 + seat[slot]), 1e-300);
  return alpha * std::abs(gradient(slot)) + 0.5 * alpha * alpha * self[slot];
}

void ExactBinaryModel::join(std::size_t slot) {
  place[slot] = Place::margin;
  seat[slot] = margin.size();
  margin.push_back(slot);
}

void ExactBinaryModel::leave(std::size_t slot, Place to) {
  margin[seat[slot]] = margin.back();
  seat[margin.back()] = seat[slot];
  margin.pop_back();
  place[slot] = to;
}

Place ExactBinaryModel::end_of(std::size_t slot) const {
  return expansion.alpha[slot] - expansion.low[slot] <= expansion.high[slot] - expansion.alpha[slot] ? Place::low : Place::high;
}

Extremes ExactBinaryModel::extremes() const {
  return loops<double>().extremes(expansion.gradient.data(), expansion.room.data(), expansion.size());
}

double ExactBinaryModel::answer_bias() const {
  double sum = 0.0;
  std::size_t free = 0;
  for (std::size_t i = 0; i < expansion.size(); ++i)
    if (is_free(i)) {
      sum += expansion.gradient[i];
      ++free;
    }
  if (free != 0) return sum / static_cast<double>(free);
  const auto [top, bottom, top_at, bottom_at] = extremes();
  if (top == -infinity) return bottom == infinity ? 0.0 : bottom;
  return bottom == infinity ? top : 0.5 * (top + bottom);
}

double ExactBinaryModel::gap() const {
  const Extremes ends = extremes();
  const double sizes = sum_of_sizes();
  if (!std::isfinite(sizes) || std::abs(imbalance()) > out_of_balance * (1.0 + sizes)) return infinity;  // extremes do not tell
  return ends.top == -infinity || ends.bottom == infinity ? 0.0 : std::max(ends.top - ends.bottom, 0.0);
}

double ExactBinaryModel::residual() const {
  double largest = 0.0;
  for (const std::size_t slot : margin) largest = std::max(largest, std::abs(gradient(slot)));
  return largest;
}

std::size_t ExactBinaryModel::free_count() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < expansion.size(); ++i) count += is_free(i);
  return count;
}

double ExactBinaryModel::free_residual() const {
  const double middle = answer_bias();  // of a binary that was in use, `bias` may differ by rounding
  double largest = 0.0;
  for (std::size_t i = 0; i < expansion.size(); ++i)
    if (is_free(i)) largest = std::max(largest, std::abs(expansion.gradient[i] - middle));
  return largest;
}

std::size_t ExactBinaryModel::bounded() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < expansion.size(); ++i) count += expansion.alpha[i] != 0.0 && !is_free(i);
  return count;
}

}  // namespace hinge
