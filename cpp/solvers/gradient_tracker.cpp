#include "solvers/gradient_tracker.hpp"

#include <algorithm>
#include <cmath>

namespace hinge {

namespace {

// One of this many examples is watched, if that is more than `min_watched`.
constexpr std::size_t examples_per_watched = 120;
constexpr std::size_t columns_per_fetch = 16;

}  // namespace

GradientTracker::GradientTracker(ExactBinaryModel& model, KernelColumns& columns)
    : model_(model), columns_(columns), total_before_(model.total) {}

GradientTracker::~GradientTracker() {
  for (const auto& [slot, before] : recorded_) columns_.unpin(slot);
}

void GradientTracker::start() {
  is_watched_.assign(model_.expansion.size(), 0);
  is_recorded_.assign(model_.expansion.size(), 0);
}

void GradientTracker::watch(std::size_t slot) {
  if (is_watched_[slot]) return;
  if (!all_current_) update({&slot, 1});
  is_watched_[slot] = 1;
  watched_.push_back(slot);
}

void GradientTracker::watch_nearest(std::span<const std::size_t> violators) {
  stop_watching();
  for (const std::size_t slot : violators) watch(slot);
  std::vector<Ranked> at_bounds;
  for (std::size_t slot = 0; slot < model_.status.size(); ++slot)
    if (model_.at_bound(slot)) at_bounds.emplace_back(std::abs(model_.gradient(slot)), slot);
  watch_first(std::move(at_bounds));
}

void GradientTracker::watch_soonest(std::span<const std::size_t> slots, std::span<const double> rates) {
  std::vector<Ranked> approaching;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const double speed = model_.status[slots[i]] == Status::at_lower ? rates[i] : -rates[i];
    if (speed > 0.0) approaching.emplace_back(std::abs(model_.gradient(slots[i])) / speed, slots[i]);
  }
  watch_first(std::move(approaching));
}

void GradientTracker::watch_first(std::vector<Ranked> candidates) {
  const std::size_t count = std::max(min_watched, model_.held() / examples_per_watched);
  const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(std::min(candidates.size(), count));
  std::nth_element(candidates.begin(), end, candidates.end());
  std::sort(candidates.begin(), end);
  for (auto it = candidates.begin(); it != end; ++it) watch(it->second);
}

// All gradients must be current: afterwards it is not known whose were.
void GradientTracker::stop_watching() {
  for (const std::size_t slot : watched_) is_watched_[slot] = 0;
  watched_.clear();
}

void GradientTracker::fetch_column(std::size_t slot) {
  if (columns_.has(slot)) return;
  std::vector<std::size_t> missing{slot};
  for (const std::size_t other : watched_) {  // roughly in the order of their gradients
    if (missing.size() == columns_per_fetch) break;
    if (other != slot && !columns_.has(other)) missing.push_back(other);
  }
  columns_.compute_missing(missing);
}

void GradientTracker::record(std::size_t slot) {
  if (is_recorded_[slot]) return;
  is_recorded_[slot] = 1;
  recorded_.emplace_back(slot, model_.expansion.alpha[slot]);
  columns_.pin(slot);
}

void GradientTracker::advance(double distance, std::span<const double> rates, double bias_rate) {
  for (std::size_t w = 0; w < watched_.size(); ++w) model_.expansion.gradient[watched_[w]] += distance * (rates[w] + bias_rate);
  all_current_ = false;
}

void GradientTracker::update_others() {
  if (all_current_) return;
  std::vector<std::size_t> rows;
  for (std::size_t slot = 0; slot < model_.status.size(); ++slot)
    if (model_.holds(slot) && !is_watched_[slot]) rows.push_back(slot);
  update(rows);
  for (auto& [slot, before] : recorded_) before = model_.expansion.alpha[slot];
  total_before_ = model_.total;
  all_current_ = true;
}

void GradientTracker::update_all() {
  stop_watching();
  all_current_ = false;
  update_others();
}

void GradientTracker::update(std::span<const std::size_t> rows) {
  weights_.assign(columns_.width(), 0.0);
  for (const auto& [slot, before] : recorded_) weights_[columns_.position(slot)] = model_.expansion.alpha[slot] - before;
  std::vector<double> sums(rows.size(), 0.0);
  columns_.add_products(weights_, rows, sums.data());
  const double growth = model_.total - total_before_;
  for (std::size_t i = 0; i < rows.size(); ++i) model_.expansion.gradient[rows[i]] += growth * model_.target_rate(rows[i]) - sums[i];
}

}  // namespace hinge
