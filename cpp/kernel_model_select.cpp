// Learning where the next example is chosen among candidates (see select.hpp).
#include <algorithm>
#include <optional>

#include "decision.hpp"
#include "kernel_model.hpp"

namespace hinge {

template <class T>
void KernelModel<T>::learn_selected(const TrainingBatch<T>& training, std::span<const std::int64_t> order, Tally& tally) {
  // Until every binary model has members of both classes there is no boundary to be close to: the first examples are learned in order.
  const ExampleSelection selection = solvers_[0]->selection();
  const std::size_t unselected = selection.unselected_per_class * std::max<std::size_t>(classes_, 2);
  std::size_t first = points_.size() == 0 ? std::min(order.size(), unselected) : 0;
  learn_in_order(training, order.first(first), tally);
  const auto lacks_pair = [](const BinaryModel<T>& binary) { return !binary.bracket().has_pair(); };
  while (first < order.size() && !tally.monitor.stopped() && std::any_of(binaries_.begin(), binaries_.end(), lacks_pair)) {
    const auto rows = order.subspan(first, std::min(lane_padding, order.size() - first));
    learn_in_order(training, rows, tally);
    first += rows.size();
  }
  Selector selector(selection.rule, selection.pool_size, order.subspan(first), training.seed);
  Panel<T> panel;
  for (std::size_t idle_draws = 0; idle_draws < Selector::max_idle_draws && !tally.monitor.stopped();) {
    const auto rows = selector.draw(largest_block);
    if (rows.empty()) return;
    panel.take(kernel_, training.batch, rows, training.first_id, shift_);
    panel.reserve(points_, 0);
    fill(panel);
    begin_block(panel);
    for (std::size_t first = 0; first < rows.size(); first += selector.draw_size()) {
      const std::size_t visited = tally.outcome.visited;
      learn_draw(training, panel, first, std::min(first + selector.draw_size(), rows.size()), selector, tally);
      idle_draws = tally.outcome.visited == visited ? idle_draws + 1 : 0;
    }
    for (const std::size_t inserted : inserted_) tally.outcome.inserted += inserted;
    end_block(panel, nullptr, training);
    close_point_gaps(nullptr);
    report(tally);
  }
}

// One choice: all binary models learn the best candidate of the draw, unless even it lies outside the margin.
template <class T>
void KernelModel<T>::learn_draw(const TrainingBatch<T>& training, Panel<T>& panel, std::size_t first, std::size_t last,
                         Selector& selector, Tally& tally) {
  const std::size_t count = binaries_.size();
  std::vector<double> labels(count);
  double widest = 0.0;
  for (const auto& binary : binaries_) widest = std::max(widest, binary.gap());
  const double margin = 1.0 + 0.5 * widest;
  std::optional<std::size_t> best;
  double best_score = margin;
  for (std::size_t p = first, inside = 0; p < last && !selector.satisfied(inside); ++p) {
    if (selector.processed(panel.row_of(p))) continue;
    const auto row = static_cast<std::size_t>(panel.row_of(p));
    for (std::size_t m = 0; m < count; ++m) {
      decisions_[p * count + m] = binaries_[m].sum(p) + binaries_[m].bias();
      labels[m] = label_of(m, training.labels[row]);
    }
    const double score = selector.score({decisions_.data() + p * count, count}, labels);
    inside += score < margin;
    if (score < best_score) best_score = score, best = p;
  }
  if (!best) return;
  const auto row = static_cast<std::size_t>(panel.row_of(*best));
  for (std::size_t m = 0; m < count; ++m) visit(m, *best, training.labels[row], training.costs[row]);
  selector.mark(panel.row_of(*best));
  count_mistake(training, panel, *best, tally);
  tally.progress.seen = tally.outcome.visited;
}

template class KernelModel<float>;
template class KernelModel<double>;

}  // namespace hinge
