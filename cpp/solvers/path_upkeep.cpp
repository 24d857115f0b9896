// What a path does besides going ahead: whom it watches, bringing the others up to date, and keeping rounding at bay.
#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/path.hpp"

namespace hinge {

namespace {

constexpr std::size_t least_watched = 64;
constexpr std::size_t watched_share = 100;
// Gradients of this part of the unit, and coefficients that change gradients by it, are a long way from where they belong.
constexpr double far = 0.3;
// Columns are cheaper by the dozen: those of the nearest examples come along.
constexpr std::size_t columns_at_once = 16;
// A coefficient closer to an end of its box than this part of the largest coefficient is there.
constexpr double rounding = 1e-10;
// What a gradient may be off for the sake of an end, as a part of the unit.
constexpr double shaken = 2e-11;
// Gradients of the margin set are zero but for rounding; beyond these multiples of the grain they are corrected, the inverse is rebuilt.
constexpr double worth_correcting = 10.0;
constexpr double worth_rebuilding = 100.0;

}  // namespace

// Where many gradients are zero at once, examples may join and leave in a circle. Those at an end of their box are moved a little away from
// zero, each by a different amount, far below what anybody can see: then they come one after the other.
void Path::shake() {
  idle_ = 0;
  const double least = shaken * machine_.unit();
  for (const std::size_t slot : watched_) {
    const Place place = machine_.place[slot];
    if ((place != Place::low && place != Place::high) || std::abs(machine_.gradient(slot)) > least) continue;
    shakes_ = shakes_ * 6364136223846793005u + 1442695040888963407u;
    const double amount = least * (1.0 + static_cast<double>(shakes_ >> 32) / 4294967296.0);
    machine_.expansion.gradient[slot] += place == Place::low ? -amount : amount;
  }
}

double Path::violation(std::size_t slot) const {
  switch (machine_.place[slot]) {
    case Place::low: return machine_.gradient(slot);
    case Place::high: return -machine_.gradient(slot);
    default: return 0.0;
  }
}

// The worst come first.
std::vector<std::size_t> Path::violators() const {
  std::vector<std::size_t> found;
  for (std::size_t slot = 0; slot < machine_.place.size(); ++slot)
    if (violation(slot) > grain_) found.push_back(slot);
  std::sort(found.begin(), found.end(), [&](std::size_t i, std::size_t j) { return violation(i) > violation(j); });
  return found;
}

void Path::watch(std::span<const std::size_t> movers) {
  unwatch();
  for (const std::size_t slot : movers) watch_also(slot);
  std::vector<std::pair<double, std::size_t>> near;
  for (std::size_t slot = 0; slot < machine_.place.size(); ++slot)
    if (machine_.place[slot] == Place::low || machine_.place[slot] == Place::high) near.emplace_back(std::abs(machine_.gradient(slot)), slot);
  watch_nearest(std::move(near));
}

void Path::watch_nearest(std::vector<std::pair<double, std::size_t>> ways) {
  const std::size_t count = std::min(ways.size(), std::max(least_watched, machine_.held() / watched_share));
  std::partial_sort(ways.begin(), ways.begin() + static_cast<std::ptrdiff_t>(count), ways.end());
  for (std::size_t i = 0; i < count; ++i) watch_also(ways[i].second);
}

bool Path::goes_far(const Course& course) const {
  if (!course.mover || machine_.margin.empty() || machine_.held() <= least_watched) return false;
  const std::size_t slot = *course.mover;
  const double way = course.until_flat ? std::abs(machine_.gradient(slot)) : course.left * machine_.self[slot];
  return up_to_date_ && way > far * machine_.unit();
}

void Path::look_ahead(const Course& course) {
  const std::vector<std::size_t> watched = std::exchange(watched_, {});
  for (std::size_t slot = 0; slot < machine_.place.size(); ++slot)
    if (machine_.place[slot] == Place::low || machine_.place[slot] == Place::high) watched_.push_back(slot);
  find_rates(course);
  std::vector<std::pair<double, std::size_t>> ways;
  for (std::size_t w = 0; w < watched_.size(); ++w) {
    const double speed = machine_.place[watched_[w]] == Place::low ? rates_[w] : -rates_[w];
    if (speed > 0.0) ways.emplace_back(std::abs(machine_.gradient(watched_[w])) / speed, watched_[w]);
  }
  watched_ = watched;
  watch_nearest(std::move(ways));
}

void Path::watch_also(std::size_t slot) {
  if (is_watched_[slot]) return;
  if (!up_to_date_) update({&slot, 1});
  is_watched_[slot] = 1;
  watched_.push_back(slot);
  rates_.push_back(0.0);
}

void Path::touch(std::size_t slot) {
  if (is_touched_[slot]) return;
  is_touched_[slot] = 1;
  touched_.emplace_back(slot, machine_.expansion.alpha[slot]);
  columns_.need(slot);
}

void Path::fetch_column(std::size_t slot) {
  if (columns_.has(slot)) return;
  std::vector<std::size_t> wanted{slot};
  for (const std::size_t other : watched_) {  // roughly the nearest first
    if (wanted.size() == columns_at_once) break;
    if (other != slot && !columns_.has(other)) wanted.push_back(other);
  }
  columns_.find_missing(wanted);
}

void Path::update_rest() {
  if (up_to_date_) return;
  std::vector<std::size_t> rows;
  for (std::size_t slot = 0; slot < machine_.place.size(); ++slot)
    if (machine_.holds(slot) && !is_watched_[slot]) rows.push_back(slot);
  update(rows);
  for (auto& [slot, before] : touched_) before = machine_.expansion.alpha[slot];
  total_before_ = machine_.total;
  up_to_date_ = true;
}

// What has moved since all were up to date, seen by some of those that nobody has watched.
void Path::update(std::span<const std::size_t> rows) {
  weights_.assign(columns_.width(), 0.0);
  for (const auto& [slot, before] : touched_) weights_[columns_.column(slot)] = machine_.expansion.alpha[slot] - before;
  std::vector<double> sums(rows.size(), 0.0);
  columns_.add_products(weights_, rows, sums.data());
  const double growth = machine_.total - total_before_;
  for (std::size_t i = 0; i < rows.size(); ++i) machine_.expansion.gradient[rows[i]] += growth * machine_.drift(rows[i]) - sums[i];
}

void Path::correct() {
  if (machine_.margin.empty() || is_sound(worth_correcting)) return;
  newton();
  if (is_sound(worth_rebuilding)) return;
  rebuild();
  newton();
}

bool Path::is_sound(double grains) const {
  return machine_.residual() <= grains * grain_ && std::abs(machine_.imbalance()) <= grains * machine_.balance_grain();
}

// Puts the gradients of the margin set and the sum of all coefficients right again.
void Path::newton() {
  Expansion& expansion = machine_.expansion;
  const std::size_t size = machine_.inverse.size();
  std::vector<double> side(size), change(size);
  side[0] = machine_.imbalance();
  for (std::size_t p = 0; p + 1 < size; ++p) side[1 + p] = machine_.gradient(machine_.margin[p]);
  machine_.inverse.multiply(side, change);
  for (std::size_t p = 0; p + 1 < size; ++p) {
    const std::size_t slot = machine_.margin[p];
    touch(slot);
    machine_.place_alpha(slot, expansion.alpha[slot] + change[1 + p]);
  }
  machine_.bias += change[0];
  up_to_date_ = false;
  unwatch();  // nothing has kept them up to date
  update_rest();
}

// A member that is at an end of its box but for rounding says nothing about the bias.
void Path::drop_idle_members() {
  const Expansion& expansion = machine_.expansion;
  double largest = 0.0;
  for (const double alpha : expansion.alpha) largest = std::max(largest, std::abs(alpha));
  std::vector<std::size_t> idle;
  for (const std::size_t slot : machine_.margin)
    if (expansion.up[slot] <= rounding * largest || -expansion.down[slot] <= rounding * largest) idle.push_back(slot);
  direction_.clear();
  bool moved = false;
  for (const std::size_t slot : idle) {
    moved = moved || expansion.room[slot] == (may_rise | may_fall);
    leave(slot, expansion.up[slot] <= rounding * largest ? Place::high : Place::low);
  }
  if (!moved) return;
  unwatch();
  up_to_date_ = false;
  update_rest();
}

void Path::unwatch() {
  for (const std::size_t slot : watched_) is_watched_[slot] = 0;
  watched_.clear();
}

void Path::adopt(std::span<const std::size_t> free) {
  begin();
  for (const std::size_t slot : free) {
    machine_.join(slot);
    columns_.need(slot);
  }
  if (!free.empty() && !rebuild()) {  // they depend on each other
    for (const std::size_t slot : free) {
      columns_.need_no_more(slot);
      machine_.leave(slot, machine_.end_of(slot));
    }
    machine_.inverse.clear();
    for (const std::size_t slot : free) {
      touch(slot);
      enter(slot);
    }
  }
  refreshed_ = 0;
}

bool Path::rebuild() {
  ++refreshed_;
  const std::size_t size = machine_.margin.size() + 1;
  std::vector<double> matrix(size * size, 1.0);
  matrix[0] = 0.0;
  for (std::size_t p = 1; p < size; ++p)
    for (std::size_t q = 1; q <= p; ++q)
      matrix[p * size + q] = matrix[q * size + p] = columns_.value(machine_.margin[p - 1], machine_.margin[q - 1]);
  return machine_.inverse.rebuild(std::move(matrix), size);
}

}  // namespace hinge
