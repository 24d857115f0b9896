#include "memories.hpp"

#include <algorithm>
#include <utility>

namespace hinge {

namespace {

// Decision values of the right class should exceed the others by this: a margin of 1 on both sides.
constexpr double wanted_margin = 2.0;

// Smaller values count as zero: their powers would be denormal numbers, which are slow.
constexpr float smallest = 1e-8F;

// powers = values^(2^squarings)
void raise(const std::vector<float>& values, std::size_t squarings, std::vector<float>& powers) {
  powers = values;
  for (std::size_t s = 0; s < squarings; ++s)
    for (float& power : powers) power = power > smallest ? power * power : 0.0F;
}

}  // namespace

Memories::Memories(std::size_t features, MemoriesOptions options)
    : options_(std::move(options)), pool_(features, options_.limit, options_.kernel) {
  for (const MemoryChoice& choice : options_.choices) {
    memories_.emplace_back(choice);
    if (!choice.selective) max_recent_ = std::max(max_recent_, choice.capacity);
  }
  gamma_ = options_.kernel.gamma > 0.0 ? options_.kernel.gamma : 1.0 / static_cast<double>(features);
  make_kernels();
}

Memories::Memories(std::size_t features, MemoriesOptions options, const MemoriesState& state) : Memories(features, std::move(options)) {
  Standardisation standardisation(features, options_.limit);
  standardisation.mean = state.mean;
  standardisation.factor = state.factor;
  pool_.standardise(std::move(standardisation));
  for (std::size_t place = 0; place < state.classes.size(); ++place)
    pool_.add(state.rows.data() + place * features, state.classes[place], state.arrivals[place]);
  gamma_ = state.gamma;
  make_kernels();
  seen_ = state.seen;
  n_classes_ = state.n_classes;
  for (const std::int64_t place : state.recent) {
    recent_.push_back(static_cast<std::size_t>(place));
    pool_.retain(static_cast<std::size_t>(place));
  }
  std::size_t place = 0, number = 0, bias = 0;
  for (Memory& memory : memories_) {
    const std::size_t capacity = memory.choice().capacity;
    memory.restore(pool_, std::span(state.places).subspan(place, capacity), n_classes_);
    refresh(memory);
    for (std::size_t problem = 0; problem < memory.problems().size(); ++problem, number += capacity)
      memory.problems()[problem].restore(std::span(state.coefficients).subspan(number, capacity),
                                         std::span(state.gradients).subspan(number, capacity), memory.labels_of(problem),
                                         state.biases[bias++]);
    place += capacity;
  }
}

void Memories::make_kernels() {
  kernels_.clear();
  for (const double factor : options_.gamma_factors) {
    KernelParameters parameters = options_.kernel;
    parameters.gamma = gamma_ * factor;
    kernels_.emplace_back(parameters);
  }
}

void Memories::prepare(const double* row) {
  if (prepared_row_.size() == features() && std::equal(prepared_row_.begin(), prepared_row_.end(), row)) return;
  prepared_values_.clear();
  prepared_row_.assign(row, row + features());
  prepared_.resize(kernels_.size());
  for (std::size_t k = 0; k < kernels_.size(); ++k) {
    const std::size_t squarings = k > 0 ? squarings_to(k) : 0;
    if (squarings > 0)
      raise(prepared_[k - 1], squarings, prepared_[k]);
    else
      pool_.fill(kernels_[k], row, prepared_[k]);
  }
}

// exp(-2 gamma d) = exp(-gamma d)^2: squares replace exponentials where gamma is 2, 4, 8, ... times that of the kernel before; 0 otherwise.
std::size_t Memories::squarings_to(std::size_t kernel) const {
  const KernelKind kind = options_.kernel.kind;
  if (kind != KernelKind::rbf && kind != KernelKind::laplacian) return 0;
  double gamma = options_.gamma_factors[kernel - 1];
  std::size_t squarings = 0;
  for (; gamma < options_.gamma_factors[kernel]; gamma *= 2.0) ++squarings;
  return gamma == options_.gamma_factors[kernel] && squarings <= 6 ? squarings : 0;
}

void Memories::decide(const double* row, double* values) {
  prepare(row);
  if (prepared_values_.size() != size() * n_classes_) {  // otherwise this row was asked just before
    prepared_values_.resize(size() * n_classes_);
    double* next = prepared_values_.data();
    for (Memory& memory : memories_) {
      memory.decide(prepared_[memory.choice().kernel], n_classes_, next);
      next += n_classes_;
    }
  }
  std::copy(prepared_values_.begin(), prepared_values_.end(), values);
}

void Memories::add_class() {
  ++n_classes_;
  for (Memory& memory : memories_) memory.add_class(n_classes_);
}

bool Memories::wants(const Memory& memory, std::span<const double> values, std::int32_t class_number) const {
  if (!memory.choice().selective || n_classes_ < 2) return true;
  const auto own = static_cast<std::size_t>(class_number);
  for (std::size_t other = 0; other < n_classes_; ++other)
    if (other != own && values[own] - values[other] < wanted_margin) return true;
  return false;
}

std::vector<double> Memories::learn(const double* row, std::int32_t class_number) {
  while (static_cast<std::size_t>(class_number) >= n_classes_) add_class();
  std::vector<double> values(size() * n_classes_);
  decide(row, values.data());
  const std::size_t place = pool_.add(row, class_number, seen_++);
  pool_.retain(place);
  recent_.push_back(place);
  for (std::size_t k = 0; k < kernels_.size(); ++k) {
    if (prepared_[k].size() <= place) prepared_[k].resize(place + 1);
    prepared_[k][place] = pool_.self(kernels_[k], place);
  }
  for (std::size_t m = 0; m < size(); ++m) {
    Memory& memory = memories_[m];
    if (!wants(memory, std::span(values).subspan(m * n_classes_, n_classes_), class_number)) continue;
    memory.insert(pool_, place, prepared_[memory.choice().kernel]);
    memory.solve(options_.tolerance, options_.max_updates);
  }
  if (recent_.size() > max_recent_) {
    pool_.release(recent_.front());
    recent_.pop_front();
  }
  prepared_row_.clear();
  if (is_due()) follow_scale();
  return values;
}

// After 1, 2, 4, ... examples, then each time the longest window has been filled again.
bool Memories::is_due() const {
  const auto window = static_cast<std::int64_t>(max_recent_);
  return seen_ < window ? (seen_ & (seen_ - 1)) == 0 : seen_ % window == 0;
}

void Memories::follow_scale() {
  const std::vector<std::size_t> places = recent_places();
  const bool rescaled = pool_.restandardise(places);
  const double spread = pool_.spread(places);
  const double gamma = options_.kernel.gamma > 0.0 || spread <= 0.0 ? gamma_ : 1.0 / spread;
  const bool same_gamma = gamma < 1.25 * gamma_ && gamma_ < 1.25 * gamma;
  if (!rescaled && same_gamma) return;
  gamma_ = gamma;
  make_kernels();
  for (Memory& memory : memories_) {
    refresh(memory);
    solve_again(memory);
  }
}

void Memories::solve_again(Memory& memory) { memory.solve(options_.tolerance, 20 * options_.max_updates); }

// Kernel values of stored rows are computed as those of new ones are, to the last bit.
void Memories::refresh(Memory& memory) {
  memory.refresh([&](std::size_t place) -> const std::vector<float>& {
    prepare(pool_.row(place));
    prepared_row_.clear();
    std::vector<float>& row = prepared_[memory.choice().kernel];
    row[place] = pool_.self(kernels_[memory.choice().kernel], place);
    return row;
  });
}

void Memories::keep_last(std::int64_t count) {
  const std::int64_t first = seen_ - count;
  while (!recent_.empty() && pool_.arrival(recent_.front()) < first) {
    pool_.release(recent_.front());
    recent_.pop_front();
  }
  for (Memory& memory : memories_) {
    memory.forget_before(pool_, first);
    solve_again(memory);
  }
  prepared_row_.clear();
  if (!recent_.empty()) follow_scale();
}

std::vector<double> Memories::duality_gaps() const {
  std::vector<double> gaps;
  for (const Memory& memory : memories_) gaps.push_back(memory.duality_gap());
  return gaps;
}

std::vector<std::int64_t> Memories::held() const {
  std::vector<std::int64_t> counts;
  for (const Memory& memory : memories_)
    counts.push_back(std::count_if(memory.places().begin(), memory.places().end(), [](std::int64_t place) { return place >= 0; }));
  return counts;
}

MemoriesState Memories::state() const {
  MemoriesState state;
  state.mean = pool_.standardisation().mean;
  state.factor = pool_.standardisation().factor;
  state.seen = seen_;
  state.n_classes = n_classes_;
  state.gamma = gamma_;
  std::vector<std::int64_t> numbers(pool_.size(), -1);  // free places are not saved
  std::int64_t next = 0;
  for (std::size_t place = 0; place < pool_.size(); ++place) {
    if (!pool_.is_used(place)) continue;
    numbers[place] = next++;
    state.rows.insert(state.rows.end(), pool_.row(place), pool_.row(place) + features());
    state.classes.push_back(pool_.class_of(place));
    state.arrivals.push_back(pool_.arrival(place));
  }
  for (const std::size_t place : recent_) state.recent.push_back(numbers[place]);
  for (const Memory& memory : memories_) {
    for (const std::int64_t place : memory.places()) state.places.push_back(place < 0 ? -1 : numbers[static_cast<std::size_t>(place)]);
    for (const WindowProblem& problem : memory.problems()) {
      state.biases.push_back(problem.bias());
      const auto capacity = static_cast<std::ptrdiff_t>(memory.choice().capacity);
      state.coefficients.insert(state.coefficients.end(), problem.coefficients().begin(), problem.coefficients().begin() + capacity);
      state.gradients.insert(state.gradients.end(), problem.gradients().begin(), problem.gradients().begin() + capacity);
    }
  }
  return state;
}

}  // namespace hinge
