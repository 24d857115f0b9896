#include "solvers/path.hpp"

#include <algorithm>
#include <cmath>

namespace hinge {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Rates below this part of the sum they come from are rounding.
constexpr double negligible = 1e-13;
constexpr double trusted = 1e-11;
// Kernels that are no kernels may lead anywhere: a path of more steps than these, and so many for each example, is given up.
constexpr std::size_t usual_steps = 5'000;
constexpr std::size_t steps_an_example = 20;
constexpr std::size_t quick_rounds = 3;
constexpr double coarsest = 1e3;
// Of things that happen at the same distance but for rounding, the first one looked at happens.
constexpr double at_once = 1.0 - 1e-12;
// So many steps of no length in a row may be the beginning of a circle.
constexpr std::size_t most_idle = 20;

}  // namespace

Path::Path(ExactBinaryModel& binary, Columns& columns)
    : machine_(binary),
      columns_(columns),
      grain_(binary.grain()),
      total_before_(binary.total) {}

Path::~Path() {
  for (const auto& [slot, before] : touched_) columns_.need_no_more(slot);
}

// Most examples that come need no step at all.
void Path::begin() {
  if (!is_watched_.empty()) return;
  is_watched_.assign(machine_.expansion.size(), 0);
  is_touched_.assign(machine_.expansion.size(), 0);
  for (std::size_t p = 0; p < machine_.margin.size() && machine_.margin.size() > 1; ++p)
    shaky_ = shaky_ || 1.0 < machine_.inverse.diagonal(1 + p) * machine_.sure_kappa(machine_.margin[p]);
  watch({});
}

void Path::settle(std::size_t slot) {
  if (violation(slot) <= grain_) return;
  begin();
  watch_also(slot);
  const Expansion& expansion = machine_.expansion;
  const bool rises = machine_.gradient(slot) > 0.0;
  run({slot, rises ? 1.0 : -1.0, rises ? expansion.up[slot] : -expansion.down[slot], true});
}

void Path::withdraw(std::size_t slot) {
  begin();
  const double alpha = machine_.expansion.alpha[slot];
  if (machine_.place[slot] == Place::margin) {
    direction_.clear();
    leave(slot, Place::absent);
  }
  machine_.place[slot] = Place::absent;
  watch_also(slot);
  if (alpha != 0.0) run({slot, alpha > 0.0 ? -1.0 : 1.0, std::abs(alpha), false});
}

void Path::change_total(double value) {
  const double way = value - machine_.total;
  begin();
  if (way != 0.0) run({std::nullopt, way > 0.0 ? 1.0 : -1.0, std::abs(way), false});
  update_rest();
  machine_.set_total(value);
  total_before_ = value;
}

void Path::finish() {
  if (is_watched_.empty()) return;  // nothing has been begun
  for (std::size_t round = 0;; ++round) {
    update_rest();
    correct();
    drop_idle_members();
    // What the two have put right may be somebody's violation, and so on for ever: patience decides what rounding is.
    if (round > quick_rounds) grain_ = std::min(2.0 * grain_, coarsest * machine_.grain());
    const std::vector<std::size_t> movers = violators();
    if (movers.empty() || is_lost()) return;
    watch(movers);
    for (const std::size_t slot : movers) settle(slot);
    ++steps_;  // a round is work as well
  }
}

bool Path::is_lost() {
  const bool lost = steps_ > usual_steps + steps_an_example * machine_.held();
  machine_.stalled = machine_.stalled || lost;
  return lost;
}

void Path::run(Course course) {
  if (course.mover) {
    fetch_column(*course.mover, course.mover);
    touch(*course.mover);
  }
  for (const std::size_t slot : machine_.margin) touch(slot);
  find_direction(course);
  if (goes_far(course)) look_ahead(course);
  while (course.left > 0.0 && !is_lost()) {
    ++steps_;
    if (machine_.margin.empty()) {
      if (!move_bias(course)) break;
      find_direction(course);
    } else if (is_finite(direction_)) {
      step(course);
    } else {
      rebuild();
      find_direction(course);
      if (gives_up_on(direction_)) break;
    }
  }
  arrive(course);
}

void Path::step(Course& course) {
  if (worn_) {
    rebuild();
    worn_ = false;
    find_direction(course);
    if (machine_.margin.empty()) return;
  }
  find_rates(course);
  const Event event = next_event(course);
  idle_ = event.distance > negligible * course.left ? 0 : idle_ + 1;
  if (idle_ > most_idle) shake();
  advance(course, event.distance);
  if (event.what == Happening::arrived) {
    course.left = 0.0;
    if (course.until_flat) machine_.go_to_end(*course.mover, course.sign);
  } else if (event.what == Happening::flat) {
    enter(*course.mover);
    course.left = 0.0;
  } else if (event.what == Happening::leaves) {
    leave(event.slot, direction_[1 + machine_.seat[event.slot]] > 0.0 ? Place::high : Place::low);
    if (event.slot == last_joined_ && idle_ != 0) nudge(event.slot);  // it was never to be trusted
  } else {
    join(course, event.slot);
    last_joined_ = event.slot;
  }
  if (shaky_ && course.left > 0.0) find_direction(course);
}

// The mover rests at an end of its box, or has become a member.
void Path::arrive(const Course& course) {
  if (!course.mover) return;
  const std::size_t slot = *course.mover;
  const Place place = machine_.place[slot];
  if (place == Place::absent) machine_.expansion.set_alpha(slot, 0.0);
  if (place != Place::low && place != Place::high) return;
  machine_.place[slot] = machine_.end_of(slot);
  if (machine_.expansion.room[slot] == (may_rise | may_fall)) enter(slot);  // flat while nobody was there to answer
}

void Path::find_direction(const Course& course) {
  const std::size_t size = machine_.inverse.size();
  direction_.resize(size);
  if (size == 0) return;
  std::vector<double> side(size);
  side[0] = course.mover ? -course.sign : course.sign;
  for (std::size_t p = 0; p + 1 < size; ++p) {
    const std::size_t slot = machine_.margin[p];
    side[1 + p] = side[0] * (course.mover ? columns_.value(*course.mover, slot) : machine_.drift(slot));
  }
  solve(side, direction_);
}

void Path::find_rates(const Course& course) {
  weights_.assign(columns_.width(), 0.0);
  for (std::size_t p = 0; p < machine_.margin.size(); ++p) weights_[columns_.column(machine_.margin[p])] = direction_[1 + p];
  if (course.mover) weights_[columns_.column(*course.mover)] += course.sign;
  rates_.assign(watched_.size(), direction_[0]);
  columns_.add_products(weights_, watched_, rates_.data());
  for (std::size_t w = 0; w < watched_.size(); ++w)
    rates_[w] = (course.mover ? 0.0 : course.sign * machine_.drift(watched_[w])) - rates_[w];
}

Path::Event Path::next_event(const Course& course) const {
  Event event{Happening::arrived, course.left, 0};
  look_at_mover(course, event);
  look_at_margin(event);
  look_at_watched(course, event);
  event.distance = std::max(event.distance, 0.0);
  return event;
}

void Path::look_at_margin(Event& event) const {
  const Expansion& expansion = machine_.expansion;
  double largest = 0.0;
  for (std::size_t p = 1; p < direction_.size(); ++p) largest = std::max(largest, std::abs(direction_[p]));
  for (std::size_t p = 0; p < machine_.margin.size(); ++p) {
    const std::size_t slot = machine_.margin[p];
    const double rate = direction_[1 + p];
    if (std::abs(rate) <= negligible * largest) continue;
    const double distance = (rate > 0.0 ? expansion.up[slot] : expansion.down[slot]) / rate;
    if (distance < at_once * event.distance) event = {Happening::leaves, distance, slot};
  }
}

double Path::least_rate() const {
  double sizes = std::abs(direction_[0]);
  for (std::size_t p = 1; p < direction_.size(); ++p) sizes += std::abs(direction_[p] * machine_.self[machine_.margin[p - 1]]);
  return negligible * sizes;
}

void Path::look_at_mover(const Course& course, Event& event) const {
  if (!course.until_flat) return;
  const auto at = std::find(watched_.begin(), watched_.end(), *course.mover) - watched_.begin();
  const double approach = -course.sign * rates_[static_cast<std::size_t>(at)];
  if (approach <= least_rate()) return;
  const double distance = course.sign * machine_.gradient(*course.mover) / approach;
  if (distance < event.distance) event = {Happening::flat, distance, *course.mover};
}

void Path::look_at_watched(const Course& course, Event& event) const {
  const double least = least_rate();
  for (std::size_t w = 0; w < watched_.size(); ++w) {
    const std::size_t slot = watched_[w];
    const Place place = machine_.place[slot];
    if (slot == course.mover || (place != Place::low && place != Place::high)) continue;
    const double speed = place == Place::low ? rates_[w] : -rates_[w], way = -violation(slot);
    if (speed <= least || way < -grain_) continue;  // it moves away, or violates already and its turn will come
    if (way < at_once * event.distance * speed) event = {Happening::joins, way / speed, slot};
  }
}

void Path::advance(Course& course, double distance) {
  Expansion& expansion = machine_.expansion;
  for (std::size_t p = 0; p < machine_.margin.size(); ++p) {
    const std::size_t slot = machine_.margin[p];
    machine_.place_alpha(slot, expansion.alpha[slot] + distance * direction_[1 + p]);
  }
  if (course.mover) {
    machine_.place_alpha(*course.mover, expansion.alpha[*course.mover] + distance * course.sign);
  } else {
    machine_.total += distance * course.sign;
  }
  for (std::size_t w = 0; w < watched_.size(); ++w) expansion.gradient[watched_[w]] += distance * (rates_[w] + direction_[0]);
  machine_.bias += distance * direction_[0];
  up_to_date_ = false;
  course.left -= distance;
}

// Before anybody's gradient passes zero its example becomes a member: gamma_k is cancelled by a multiple of the joining direction.
void Path::join(const Course& course, std::size_t slot) {
  const auto at = std::find(watched_.begin(), watched_.end(), slot) - watched_.begin();
  const double rate = rates_[static_cast<std::size_t>(at)];
  fetch_column(slot, course.mover);
  touch(slot);
  const double kappa = join_direction(slot);
  if (kappa > machine_.least_kappa(slot)) {
    machine_.inverse.add(joining_, kappa);
    machine_.join(slot);
    columns_.need(slot);
    joining_.push_back(1.0);
    direction_.push_back(0.0);
    for (std::size_t i = 0; i < direction_.size(); ++i) direction_[i] += rate / kappa * joining_[i];
  } else {
    make_room(slot);
    find_direction(course);
  }
}

double Path::join_direction(std::size_t slot) {
  const double kappa = find_joining(slot);
  if (shaky_ || kappa >= machine_.sure_kappa(slot)) return kappa;
  shaky_ = true;
  return find_joining(slot);
}

// Sets `joining_` to -Q [1; K_sk] and returns kappa, or zero for what may as well be zero.
double Path::find_joining(std::size_t slot) {
  const std::size_t size = machine_.inverse.size();
  std::vector<double> side(size);
  side[0] = -1.0;
  for (std::size_t p = 0; p + 1 < size; ++p) side[1 + p] = -columns_.value(slot, machine_.margin[p]);
  joining_.resize(size);
  solve(side, joining_);
  double kappa = machine_.self[slot], sizes = 0.0;
  for (std::size_t p = 0; p < size; ++p) {
    kappa -= side[p] * joining_[p];
    sizes += std::abs(side[p] * joining_[p]);
  }
  return kappa > trusted * sizes ? kappa : 0.0;  // what is left after so much has cancelled is rounding
}

void Path::enter(std::size_t slot) {
  if (machine_.margin.empty()) {
    machine_.inverse.start(machine_.self[slot]);
  } else {
    const double kappa = join_direction(slot);
    if (!(kappa > machine_.least_kappa(slot))) return make_room(slot);
    machine_.inverse.add(joining_, kappa);
  }
  machine_.join(slot);
  columns_.need(slot);
}

// An example that depends on the margin set moves, which changes no gradient, until a member has reached an end and can be replaced, or the
// example itself has reached the other end.
void Path::make_room(std::size_t slot) {
  if (gives_up_on(joining_)) return;
  const double sign = machine_.place[slot] == Place::high ? -1.0 : 1.0;
  const Expansion& expansion = machine_.expansion;
  Course course{slot, sign, sign > 0.0 ? expansion.up[slot] : -expansion.down[slot], false};
  direction_ = joining_;
  for (double& rate : direction_) rate *= sign;
  find_rates(course);
  Event event{Happening::arrived, course.left, slot};
  look_at_margin(event);
  advance(course, std::max(event.distance, 0.0));
  machine_.place[slot] = machine_.end_of(slot);
  if (event.what == Happening::arrived) return;
  leave(event.slot, direction_[1 + machine_.seat[event.slot]] > 0.0 ? Place::high : Place::low);
  enter(slot);
}

// `to` is the end that it has reached; absent for a member that is about to be withdrawn.
void Path::leave(std::size_t slot, Place to) {
  const std::size_t index = 1 + machine_.seat[slot];
  std::vector<double> column(machine_.inverse.size());
  machine_.inverse.column(index, column);
  if (column.size() == 2) direction_.clear();  // nobody is left to answer
  if (!direction_.empty()) {
    const double share = direction_[index] / column[index];
    for (std::size_t i = 0; i < direction_.size(); ++i) direction_[i] -= share * column[i];
    direction_[index] = direction_.back();
    direction_.pop_back();
  }
  touch(slot);
  watch_also(slot);
  machine_.inverse.remove(index, column);
  machine_.leave(slot, to);
  columns_.need_no_more(slot);
  if (to != Place::absent) machine_.go_to_end(slot, to == Place::high ? 1.0 : -1.0);
}

// Without members only the bias can move; somebody must be found who can answer the mover. False when nobody is, or when
// the mover needs no answer any more.
bool Path::move_bias(const Course& course) {
  update_rest();
  const double answer = course.mover ? -course.sign : course.sign;  // which way somebody else has to go
  const Place from = answer > 0.0 ? Place::low : Place::high;
  std::optional<std::size_t> nearest;
  double distance = infinity;
  for (std::size_t slot = 0; slot < machine_.place.size(); ++slot) {
    if (machine_.place[slot] != from || slot == course.mover) continue;
    const double way = std::max(-answer * machine_.gradient(slot), 0.0);
    if (way < distance) distance = way, nearest = slot;
  }
  if (course.until_flat) {
    const double way = course.sign * machine_.gradient(*course.mover);
    if (way <= distance) {
      machine_.bias += course.sign * std::max(way, 0.0);
      return false;
    }
  }
  if (!nearest) return false;
  machine_.bias -= answer * distance;
  fetch_column(*nearest, course.mover);
  touch(*nearest);
  enter(*nearest);
  return true;
}

}  // namespace hinge
