// Learning where the next example is chosen among candidates (see select.hpp).
#include <algorithm>
#include <iterator>
#include <limits>

#include "decision.hpp"
#include "kernel_model.hpp"

namespace hinge {

template <class T>
void KernelModel<T>::learn_selected(const TrainingBatch<T>& training, std::span<const std::int64_t> order, Tally& tally) {
  // Until every binary model has members of both classes there is no boundary to be close to: the first examples are learned in order.
  const ExampleSelection selection = solvers_[0]->selection();
  const std::size_t unselected = selection.unselected_per_class * std::max<std::size_t>(scheme_.classes(), 2);
  const std::size_t most = std::min(selection.max_visits.value_or(order.size()), order.size());
  std::size_t first = points_.size() == 0 ? std::min(most, unselected) : 0;
  learn_in_order(training, order.first(first), tally);
  const auto lacks_pair = [](const BinaryModel<T>& binary) { return !binary.bracket().has_pair(); };
  while (first < most && !tally.monitor.stopped() && std::any_of(binaries_.begin(), binaries_.end(), lacks_pair)) {
    const auto rows = order.subspan(first, std::min(lane_padding, most - first));
    learn_in_order(training, rows, tally);
    first += rows.size();
  }
  const auto selectable = order.subspan(first);
  Selector selector(selection, selectable, training.seed);
  const bool confident = learn_draws(training, selector, selection.when_confident == WhenConfident::draw, most, tally);
  if (!confident || selection.when_confident != WhenConfident::visit) return;
  std::vector<std::int64_t> rest;
  std::copy_if(selectable.begin(), selectable.end(), std::back_inserter(rest), [&](std::int64_t row) { return !selector.processed(row); });
  learn_in_order(training, std::span<const std::int64_t>(rest).first(std::min(rest.size(), most - tally.outcome.visited)), tally);
}

// Draws blocks of candidates and learns one example of each draw. Returns true if it ended because selection became confident.
template <class T>
bool KernelModel<T>::learn_draws(const TrainingBatch<T>& training, Selector& selector, bool endless, std::size_t most, Tally& tally) {
  Panel<T> panel;
  bool confident = false;
  std::size_t used = 0;
  while (!confident && tally.outcome.visited < most && !tally.monitor.stopped()) {
    const auto rows = selector.draw(largest_block, used);
    if (rows.empty()) break;
    panel.take(kernel_, training.batch, rows, training.first_id, shift_);
    panel.reserve(points_, 0);
    fill(panel);
    begin_block(panel);
    used = 0;
    while (used < rows.size() && !confident && tally.outcome.visited < most) {
      const Choice choice = choose(training, panel, used, selector);
      if (!choice.complete && selector.has_more()) break;
      learn_choice(training, panel, choice, selector, tally);
      used = choice.last;
      confident = selector.count_choice(choice.inside) && !endless;
    }
    for (const std::size_t inserted : inserted_) tally.outcome.inserted += inserted;
    end_block(panel, nullptr, training);
    close_point_gaps(nullptr);
    report(tally);
  }
  return confident;
}

// The best candidate of the draw that begins at `first`.
template <class T>
auto KernelModel<T>::choose(const TrainingBatch<T>& training, Panel<T>& panel, std::size_t first, const Selector& selector) -> Choice {
  const std::size_t count = binaries_.size();
  std::vector<double> labels(count);
  double widest = 0.0;
  for (const auto& binary : binaries_) widest = std::max(widest, binary.violation());
  const double margin = 1.0 + 0.5 * widest;
  Choice choice{.position = first, .last = first};
  double best_score = std::numeric_limits<double>::infinity();
  for (std::size_t inside = 0; choice.last < panel.count() && !choice.complete; choice.complete = selector.complete(choice.last - first, inside)) {
    const std::size_t p = choice.last++;
    const auto row = static_cast<std::size_t>(panel.row_of(p));
    for (std::size_t m = 0; m < count; ++m) {
      decisions_[p * count + m] = binaries_[m].sum(p) + binaries_[m].bias();
      labels[m] = scheme_.target(m, training.labels[row]);
    }
    const std::span<const double> decisions(decisions_.data() + p * count, count);
    const double score = selector.score(decisions, labels, scheme_.margin(decisions));
    inside += score < margin;
    if (score < best_score) best_score = score, choice.position = p;
  }
  choice.inside = best_score < margin;
  return choice;
}

// All binary models see the chosen example, and each decides whether it violates.
template <class T>
void KernelModel<T>::learn_choice(const TrainingBatch<T>& training, Panel<T>& panel, const Choice& choice, Selector& selector, Tally& tally) {
  const auto row = static_cast<std::size_t>(panel.row_of(choice.position));
  for (std::size_t m = 0; m < binaries_.size(); ++m) {
    solvers_[m]->age(binaries_[m]);
    visit(m, choice.position, training.labels[row], training.costs[row], true);
  }
  selector.mark(panel.row_of(choice.position));
  count_mistake(training, panel, choice.position, tally);
  tally.progress.seen = tally.outcome.visited;
}

template class KernelModel<float>;
template class KernelModel<double>;

}  // namespace hinge
