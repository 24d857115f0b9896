#include "conformal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "block.hpp"
#include "refused.hpp"

namespace hinge {

namespace {

constexpr std::size_t rows_per_block = 64;
constexpr double infinity = std::numeric_limits<double>::infinity();
// Margins that differ by rounding only are equal; counting them raises p-values, so the guarantee stays.
constexpr double tie = 1e-8;

std::vector<std::size_t> all_slots(std::size_t count) {
  std::vector<std::size_t> slots(count);
  std::iota(slots.begin(), slots.end(), std::size_t{0});
  return slots;
}

}  // namespace

ConformalRanks::ConformalRanks(const Kernel<double>& kernel, const ExactOptions& options, const Points<double>& points, const ClassScheme& scheme,
                               const std::vector<ExactBinaryModel>& binaries)
    : kernel_(kernel), points_(points.pick(all_slots(points.size()))), scheme_(scheme), examples_(points.size()) {
  binaries_.reserve(binaries.size());
  for (const auto& binary : binaries) binaries_.emplace_back(binary, &kernel_, &points_, options);
}

std::vector<double> ConformalRanks::p_values(const Batch<double>& rows, const ConformalOptions& options, Monitor& monitor) {
  const std::size_t classes = scheme_.classes();
  std::vector<double> found(rows.count * classes), values;
  Progress progress{"rank", 0, rows.count * classes};
  Block<double> block;
  for (std::size_t first = 0; first < rows.count; first += rows_per_block) {
    std::vector<std::int64_t> order(std::min(rows_per_block, rows.count - first));
    std::iota(order.begin(), order.end(), static_cast<std::int64_t>(first));
    block.take(kernel_, rows, order, 0, {});
    values.resize(order.size() * examples_);
    kernel_.fill(block, points_.examples(), values.data(), examples_);
    kernel_evals_ += values.size();
    for (std::size_t r = 0; r < order.size(); ++r) {
      const std::span row(values.data() + r * examples_, examples_);
      const double self = kernel_.self(block, r);
      if (!std::isfinite(std::accumulate(row.begin(), row.end(), self))) throw Refused("Kernel values must be finite, got infinity or NaN; scale the features.");
      points_.append(block.rows(), r, 0, 0.0);
      for (auto& binary : binaries_) binary.admit(row, self);
      for (std::size_t c = 0; c < classes; ++c) {
        if (options.costs[c] <= 0.0) continue;
        found[(first + r) * classes + c] = p_value(static_cast<std::int32_t>(c), options, monitor);
        ++progress.seen;
        monitor.set_progress(progress);
        if (monitor.stopped()) return found;
      }
      const Moves moves = points_.close_gaps();  // nobody uses the slot of the candidate
      for (auto& binary : binaries_) binary.dismiss(moves);
    }
  }
  return found;
}

// By the model without the candidate.
double ConformalRanks::own_margin(std::int32_t label) const {
  if (binaries_.size() == 1) return 2.0 * scheme_.target(0, label) * binaries_[0].decision();
  double best = -infinity;
  for (std::size_t c = 0; c < binaries_.size(); ++c)
    if (c != static_cast<std::size_t>(label)) best = std::max(best, binaries_[c].decision());
  return binaries_[static_cast<std::size_t>(label)].decision() - best;
}

double ConformalRanks::p_value(std::int32_t label, const ConformalOptions& options, Monitor& monitor) {
  Sides sides;
  const double cost = options.costs[static_cast<std::size_t>(label)];
  for (std::size_t m = 0; m < binaries_.size(); ++m) sides.push_back(&binaries_[m].side(scheme_.target(m, label), cost, monitor));
  const double own = own_margin(label), limit = own + (options.strictly ? -tie : tie) * std::max(1.0, std::abs(own));
  std::size_t among = 1, at_most = options.strictly ? 0 : 1;
  std::vector<std::size_t> undecided;
  for (std::size_t slot = 0; slot < examples_; ++slot) {
    if (options.within_class && points_.label(slot) != label) continue;
    ++among;
    const auto [low, high] = margin(sides, slot);
    if (high <= limit)
      ++at_most;
    else if (low <= limit)
      undecided.push_back(slot);
  }
  const auto share = [&](std::size_t count) { return static_cast<double>(count) / static_cast<double>(among); };
  while (!undecided.empty() && !monitor.stopped()) {
    if (options.alpha && (share(at_most) > *options.alpha || share(at_most + undecided.size()) <= *options.alpha)) break;
    at_most += is_at_most(sides, undecided.back(), limit, monitor) ? 1 : 0;
    undecided.pop_back();
  }
  return share(at_most);
}

ConformalRanks::Interval ConformalRanks::margin(const Sides& sides, std::size_t slot) const {
  const std::int32_t label = points_.label(slot);
  if (sides.size() == 1) {
    const double value = scheme_.target(0, label) * sides[0]->values[slot];
    return {2.0 * (value - sides[0]->reach[slot]), 2.0 * value};
  }
  const auto own = static_cast<std::size_t>(label);
  double low = -infinity, high = -infinity;  // of the largest other value
  for (std::size_t c = 0; c < sides.size(); ++c) {
    if (c == own) continue;
    low = std::max(low, sides[c]->values[slot]);
    high = std::max(high, sides[c]->values[slot] + sides[c]->reach[slot]);
  }
  return {sides[own]->values[slot] - sides[own]->reach[slot] - high, sides[own]->values[slot] - low};
}

std::size_t ConformalRanks::least_certain(const Sides& sides, std::size_t slot) const {
  const auto own = static_cast<std::size_t>(points_.label(slot));
  if (sides.size() == 1) return 0;
  double low = -infinity;
  for (std::size_t c = 0; c < sides.size(); ++c)
    if (c != own) low = std::max(low, sides[c]->values[slot]);
  std::size_t found = own;
  double most = sides[own]->reach[slot];
  for (std::size_t c = 0; c < sides.size(); ++c) {
    if (c == own) continue;
    const double above = sides[c]->reach[slot] == 0.0 ? 0.0 : sides[c]->values[slot] + sides[c]->reach[slot] - low;
    if (above > most) {
      most = above;
      found = c;
    }
  }
  return found;
}

bool ConformalRanks::is_at_most(const Sides& sides, std::size_t slot, double limit, Monitor& monitor) {
  for (;;) {
    const auto [low, high] = margin(sides, slot);
    if (high <= limit) return true;
    if (low > limit || monitor.stopped()) return false;
    const std::size_t m = least_certain(sides, slot);
    binaries_[m].narrow(*sides[m], slot, monitor);
  }
}

}  // namespace hinge
