#include "adaptive_model.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace hinge {

namespace {

// Decision values of the right class should exceed the others by this: a margin of 1 on both sides.
constexpr double wanted_margin = 2.0;
// Rows that are closer together leave gamma as it is: single precision could not hold 1 / spread.
constexpr double smallest_spread = 1e-30;

}  // namespace

AdaptiveModel::AdaptiveModel(std::size_t features, AdaptiveOptions options)
    : options_(std::move(options)), now_(features, options_.limit, options_.kernel, options_.gamma_factors, options_.windows) {
  for (const WindowChoice& choice : options_.windows)
    if (!choice.selective) max_recent_ = std::max(max_recent_, choice.capacity);
}

std::size_t AdaptiveModel::held() const {
  std::size_t count = 0;
  for (std::size_t place = 0; place < now_.pool.size(); ++place) count += now_.pool.is_used(place);
  return count;
}

void AdaptiveModel::prepare(const double* row) {
  if (prepared_row_.size() == features() && std::equal(prepared_row_.begin(), prepared_row_.end(), row)) return;
  has_values_ = false;
  prepared_row_.assign(row, row + features());
  now_.kernels.fill(now_.pool, row, prepared_);
}

const std::vector<double>& AdaptiveModel::decide(const double* row) {
  prepare(row);
  if (!has_values_) now_.decide(prepared_, prepared_values_);  // otherwise this row was asked just before
  has_values_ = true;
  return prepared_values_;
}

void AdaptiveModel::votes(const double* row, double* found) { now_.vote.mix(decide(row), n_classes(), found); }

void AdaptiveModel::add_class() {
  ++now_.n_classes;
  for (WindowModel& model : now_.models) model.add_class(now_.n_classes);
}

// Whether an example of a class belongs into a window, by the decision values of the classes known before.
bool AdaptiveModel::wants(const WindowModel& model, const double* values, std::size_t known, std::int32_t class_number) const {
  const auto own = static_cast<std::size_t>(class_number);
  if (!model.choice().selective || known < 2 || own >= known) return true;
  for (std::size_t other = 0; other < known; ++other)
    if (other != own && values[own] - values[other] < wanted_margin) return true;
  return false;
}

std::int32_t AdaptiveModel::learn(const double* row, std::int32_t class_number, double weight) {
  if (weight <= 0.0) {
    ++seen_;
    return -1;
  }
  const std::size_t known = n_classes();
  std::int32_t answer = -1;
  if (known > 0) {
    std::vector<double> found(known);
    votes(row, found.data());
    answer = static_cast<std::int32_t>(largest_of(found));
  } else {
    decide(row);
  }
  now_.vote.judge(prepared_values_, known, class_number);
  while (static_cast<std::size_t>(class_number) >= n_classes()) add_class();
  insert(row, class_number, weight, known);
  if (is_due()) follow_scale();
  return answer;
}

void AdaptiveModel::insert(const double* row, std::int32_t class_number, double weight, std::size_t known) {
  kernel_evals_ += static_cast<std::int64_t>(now_.pool.size() * now_.kernels.size());
  const std::size_t place = now_.pool.add(row, class_number, seen_++, weight);
  ++learned_;
  now_.pool.retain(place);
  recent_.push_back(place);
  for (std::size_t k = 0; k < now_.kernels.size(); ++k) {
    if (prepared_[k].size() <= place) prepared_[k].resize(place + 1);
    prepared_[k][place] = now_.pool.self(now_.kernels[k], place);
  }
  for (std::size_t m = 0; m < now_.models.size(); ++m) {
    WindowModel& model = now_.models[m];
    if (!wants(model, prepared_values_.data() + m * known, known, class_number)) continue;
    model.insert(now_.pool, place, prepared_[model.choice().kernel]);
    steps_ += static_cast<std::int64_t>(model.solve(options_.tolerance, options_.max_updates));
  }
  if (recent_.size() > max_recent_) {
    now_.pool.release(recent_.front());
    recent_.pop_front();
  }
  prepared_row_.clear();
}

// After 1, 2, 4, ... examples, then each time the longest window has been filled again.
bool AdaptiveModel::is_due() const {
  const auto window = static_cast<std::int64_t>(max_recent_);
  return learned_ < window ? (learned_ & (learned_ - 1)) == 0 : learned_ % window == 0;
}

void AdaptiveModel::follow_scale() {
  const std::vector<std::size_t> places = recent_places();
  const bool rescaled = now_.pool.restandardise(places);
  const double spread = now_.pool.spread(places), before = gamma();
  const double wanted = !options_.gamma_follows || spread <= smallest_spread ? before : 1.0 / spread;
  const bool same_gamma = wanted < 1.25 * before && before < 1.25 * wanted;
  if (!rescaled && same_gamma) return;
  now_.kernels.set_gamma(wanted);
  for (WindowModel& model : now_.models) {
    refresh(model);
    solve_again(model);
  }
}

void AdaptiveModel::solve_again(WindowModel& model) {
  steps_ += static_cast<std::int64_t>(model.solve(options_.tolerance, 20 * options_.max_updates));
}

// Kernel values of stored rows are computed as those of new ones are, to the last bit.
void AdaptiveModel::refresh(WindowModel& model) {
  model.refresh([&](std::size_t place) -> const std::vector<float>& {
    prepare(now_.pool.row(place));
    prepared_row_.clear();
    kernel_evals_ += static_cast<std::int64_t>(now_.pool.size());
    std::vector<float>& row = prepared_[model.choice().kernel];
    row[place] = now_.pool.self(now_.kernels[model.choice().kernel], place);
    return row;
  });
}

void AdaptiveModel::forget_before(std::int64_t position) {
  while (!recent_.empty() && now_.pool.arrival(recent_.front()) < position) {
    now_.pool.release(recent_.front());
    recent_.pop_front();
  }
  for (WindowModel& model : now_.models) {
    model.forget_before(now_.pool, position);
    solve_again(model);
  }
  prepared_row_.clear();
  if (!recent_.empty()) follow_scale();
}

std::shared_ptr<const WindowEnsemble> AdaptiveModel::predictor() const { return std::make_shared<const WindowEnsemble>(now_.frozen()); }

}  // namespace hinge
