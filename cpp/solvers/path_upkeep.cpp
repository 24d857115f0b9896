// What a path does besides going ahead: whom it watches, bringing the others up to date, and keeping rounding at bay.
#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/path.hpp"

namespace hinge {

namespace {

constexpr std::size_t least_watched = 64;
constexpr std::size_t watched_share = 120;
// Gradients of this part of the unit, and coefficients that change gradients by it, are a long way from where they belong.
constexpr double far = 0.3;
// Columns are cheaper by the dozen: with that of an example that joins, those of others near the margin come along.
constexpr std::size_t columns_at_once = 16;
// A coefficient closer to an end of its box than this part of the largest coefficient is there, if it pulls no more than that either.
constexpr double rounding = 1e-10;
// What a gradient may be off for the sake of an end, as a part of the unit.
constexpr double shaken = 2e-11;
// Gradients of the margin set are zero but for rounding; beyond these multiples of the grain they are corrected, the inverse is rebuilt.
constexpr double worth_correcting = 10.0;
constexpr double worth_rebuilding = 100.0;
constexpr std::size_t most_corrections = 6;
constexpr std::size_t most_refinements = 3;
// Digits of a solution beyond these would be rounding.
constexpr double refined = 1e-10;
// An inverse whose corrections do not become smaller than this is none.
constexpr double useless = 1e-6;

}  // namespace

// Where many gradients are zero at once, examples may join and leave in a circle. Those at an end of their box are moved a little away from
// zero, each by a different amount, far below what anybody can see: then they come one after the other.
void Path::shake() {
  idle_ = 0;
  const double least = shaken * machine_.unit();
  for (const std::size_t slot : watched_) {
    const Place place = machine_.place[slot];
    if ((place == Place::low || place == Place::high) && std::abs(machine_.gradient(slot)) <= least) nudge(slot);
  }
}

void Path::nudge(std::size_t slot) {
  shakes_ = shakes_ * 6364136223846793005u + 1442695040888963407u;
  const double amount = shaken * machine_.unit() * (1.0 + static_cast<double>(shakes_ >> 32) / 4294967296.0);
  machine_.expansion.gradient[slot] += machine_.place[slot] == Place::low ? -amount : amount;
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
  for (const auto& [way, slot] : shortest(at_ends(), std::max(least_watched, machine_.held() / watched_share))) watch_also(slot);
}

// Those at an end of their box, with the sizes of their gradients, in the order of the slots.
std::vector<Path::Way> Path::at_ends() const {
  std::vector<Way> ways;
  for (std::size_t slot = 0; slot < machine_.place.size(); ++slot)
    if (machine_.place[slot] == Place::low || machine_.place[slot] == Place::high) ways.emplace_back(std::abs(machine_.gradient(slot)), slot);
  return ways;
}

std::vector<Path::Way> Path::shortest(std::vector<Way> ways, std::size_t count) {
  const auto end = ways.begin() + static_cast<std::ptrdiff_t>(std::min(ways.size(), count));
  std::nth_element(ways.begin(), end, ways.end());
  ways.erase(end, ways.end());
  std::sort(ways.begin(), ways.end());
  return ways;
}

bool Path::goes_far(const Course& course) const {
  if (!course.mover || machine_.margin.empty() || machine_.held() <= least_watched) return false;
  const std::size_t slot = *course.mover;
  const double way = std::abs(course.until_flat ? machine_.gradient(slot) : course.left * machine_.self[slot]);
  return up_to_date_ && way > far * machine_.unit();
}

void Path::look_ahead(const Course& course) {
  const std::vector<std::size_t> watched = std::exchange(watched_, {});
  for (const auto& [way, slot] : at_ends()) watched_.push_back(slot);
  find_rates(course);
  std::vector<Way> ways;
  for (std::size_t w = 0; w < watched_.size(); ++w) {
    const double speed = machine_.place[watched_[w]] == Place::low ? rates_[w] : -rates_[w];
    if (speed > 0.0) ways.emplace_back(std::abs(machine_.gradient(watched_[w])) / speed, watched_[w]);
  }
  watched_ = watched;
  for (const auto& [time, slot] : shortest(std::move(ways), std::max(least_watched, machine_.held() / watched_share))) watch_also(slot);
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

void Path::fetch_column(std::size_t slot, const std::optional<std::size_t>& mover) {
  if (columns_.has(slot)) return;
  std::vector<std::size_t> wanted{slot};
  if (slot == mover) return columns_.find_missing(wanted);
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
  if (machine_.margin.empty() && std::abs(machine_.imbalance()) > worth_rebuilding * machine_.balance_grain()) {
    const double wanted = machine_.total;  // only a path that was given up can have left it missing
    total_before_ = machine_.total -= machine_.imbalance();
    change_total(wanted);
  }
  for (std::size_t attempt = 0; attempt < most_corrections; ++attempt) {
    if (machine_.margin.empty() || is_sound(attempt == 0 ? worth_correcting : worth_rebuilding)) return;
    if (attempt > 0) rebuild();
    newton();
  }
}

bool Path::is_sound(double grains) const {
  return machine_.residual() <= grains * grain_ && std::abs(machine_.imbalance()) <= grains * machine_.balance_grain();
}

bool Path::is_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

// An inverse of members that depend on each other, as those of kernels that are no kernels do, may say nothing at all.
bool Path::gives_up_on(std::span<const double> values) {
  const bool lost = !is_finite(values);
  machine_.stalled = machine_.stalled || lost;
  return lost;
}

void Path::solve(std::span<const double> side, std::span<double> result) {
  machine_.inverse.multiply(side, result);
  std::vector<double> missing(side.size()), more(side.size());
  for (std::size_t round = 0; shaky_ && round < most_refinements; ++round) {
    weights_.assign(columns_.width(), 0.0);
    missing[0] = side[0];
    for (std::size_t p = 1; p < side.size(); ++p) {
      weights_[columns_.column(machine_.margin[p - 1])] = result[p];
      missing[0] -= result[p];
      missing[p] = result[0];
    }
    columns_.add_products(weights_, machine_.margin, missing.data() + 1);
    for (std::size_t p = 1; p < side.size(); ++p) missing[p] = side[p] - missing[p];
    machine_.inverse.multiply(missing, more);
    double size = 0.0, change = 0.0;
    for (std::size_t p = 0; p < side.size(); ++p) {
      result[p] += more[p];
      size = std::max(size, std::abs(result[p]));
      change = std::max(change, std::abs(more[p]));
    }
    if (change <= refined * size) return;
    worn_ = round + 1 == most_refinements && change > useless * size;
  }
}

// Puts the gradients of the margin set and the sum of all coefficients right again. Who reaches an end of its box on the way leaves; the way
// that is left is then gone without it.
void Path::newton() {
  update_rest();
  std::vector<double> side{machine_.imbalance()}, change;
  for (const std::size_t slot : machine_.margin) {
    touch(slot);
    side.push_back(machine_.gradient(slot));
  }
  direction_.clear();
  for (bool blocked = true; blocked && !machine_.margin.empty();) {
    change.resize(side.size());
    solve(side, change);
    if (gives_up_on(change)) break;
    const auto [share, blocking] = free_way(change);
    machine_.bias += share * change[0];
    for (std::size_t p = 0; p < machine_.margin.size(); ++p)
      machine_.place_alpha(machine_.margin[p], machine_.expansion.alpha[machine_.margin[p]] + share * change[1 + p]);
    blocked = share < 1.0;
    if (!blocked) break;
    for (double& rest : side) rest *= 1.0 - share;
    side[1 + blocking] = side.back();
    side.pop_back();
    leave(machine_.margin[blocking], change[1 + blocking] > 0.0 ? Place::high : Place::low);
  }
  unwatch();  // nothing has kept them up to date since
  up_to_date_ = false;
  update_rest();
}

// The part of a change of the margin set that fits into the boxes, and the place of the member that stops it.
Path::Way Path::free_way(std::span<const double> change) const {
  Way way{1.0, 0};
  for (std::size_t p = 0; p < machine_.margin.size(); ++p) {
    const std::size_t slot = machine_.margin[p];
    const double room = change[1 + p] > 0.0 ? machine_.expansion.up[slot] : machine_.expansion.down[slot];
    if (std::abs(room) < way.first * std::abs(change[1 + p])) way = {room / change[1 + p], p};
  }
  return way;
}

// A member that is at an end of its box but for rounding says nothing about the bias.
void Path::drop_idle_members() {
  const Expansion& expansion = machine_.expansion;
  const auto length = [&](std::size_t slot) { return std::sqrt(std::abs(machine_.self[slot])); };
  double largest = 0.0, strongest = 0.0;
  for (std::size_t slot = 0; slot < expansion.size(); ++slot) {
    if (expansion.alpha[slot] == 0.0) continue;
    largest = std::max(largest, std::abs(expansion.alpha[slot]));
    strongest = std::max(strongest, std::abs(expansion.alpha[slot]) * length(slot));
  }
  const auto is_rounding = [&](double way, std::size_t slot) {
    return way <= rounding * largest && way * length(slot) <= rounding * strongest;
  };
  std::vector<std::size_t> idle;
  for (const std::size_t slot : machine_.margin)
    if (is_rounding(expansion.up[slot], slot) || is_rounding(-expansion.down[slot], slot)) idle.push_back(slot);
  direction_.clear();
  bool moved = false;
  for (const std::size_t slot : idle) {
    moved = moved || expansion.room[slot] == (may_rise | may_fall);
    leave(slot, is_rounding(expansion.up[slot], slot) ? Place::high : Place::low);
  }
  if (!moved) return;
  unwatch();
  up_to_date_ = false;
  update_rest();
}

// Only while everybody is up to date: nobody could tell afterwards who was.
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
  rebuild();
  refreshed_ = 0;
}

void Path::rebuild() {
  ++refreshed_;
  if (machine_.margin.empty() || invert()) return;
  const std::vector<std::size_t> members = machine_.margin;  // they depend on each other: only some can stay
  for (const std::size_t slot : members) {
    touch(slot);
    columns_.need_no_more(slot);
    machine_.leave(slot, machine_.end_of(slot));
  }
  machine_.inverse.clear();
  for (const std::size_t slot : members) enter(slot);
}

// False when the members depend on each other; 1 / Q_pp is the squared distance of one from the span of the others.
bool Path::invert() {
  const std::size_t size = machine_.margin.size() + 1;
  std::vector<double> matrix(size * size, 1.0);
  matrix[0] = 0.0;
  for (std::size_t p = 1; p < size; ++p)
    for (std::size_t q = 1; q <= p; ++q)
      matrix[p * size + q] = matrix[q * size + p] = columns_.value(machine_.margin[p - 1], machine_.margin[q - 1]);
  if (!machine_.inverse.rebuild(std::move(matrix), size)) return false;
  for (std::size_t p = 1; p < size; ++p) {
    const double distance = 1.0 / machine_.inverse.diagonal(p);
    if (size > 2 && !(distance > machine_.least_kappa(machine_.margin[p - 1]))) return false;
  }
  return true;
}

}  // namespace hinge
