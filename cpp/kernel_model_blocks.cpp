// One block of examples: kernel values, examples shown to the binary models, rows completed, gaps closed.
#include <algorithm>
#include <cmath>

#include "decision.hpp"
#include "kernel_model.hpp"

namespace hinge {

namespace {

// Removed members slow down every step, and closing gaps touches every row in use: a sixteenth balances the two.
bool too_many_gaps(std::size_t gaps, std::size_t size) { return gaps > size / 16 + 32; }

}  // namespace

template <class T>
void KernelModel<T>::fill(Panel<T>& panel) {
  parallel_for(threads_for(panel.count()), panel.tasks(points_),
               [&](std::size_t task) { panel.run_task(task, kernel_, points_); });
  panel.close(points_);
}

template <class T>
void KernelModel<T>::begin_block(Panel<T>& panel) {
  known_.clear();
  for (std::size_t p = 0; p < panel.count(); ++p) known_.push_back(points_.find(panel.block().rows().ids[p]));
  decisions_.assign(panel.count() * binaries_.size(), 0.0);
  reached_.assign(binaries_.size(), 0);
  inserted_.assign(binaries_.size(), 0);
  list_points_by_feature();
  attach(&panel);
}

// Listing them takes about as long as a few rows take without the list.
template <class T>
void KernelModel<T>::list_points_by_feature() {
  for (auto& binary : binaries_) unlisted_ += binary.rows().take_unlisted();
  if (unlisted_ <= 4 * points_.size()) return;
  points_.list_by_feature();
  unlisted_ = 0;
}

template <class T>
void KernelModel<T>::visit(std::size_t m, std::size_t position, std::int32_t label, double cost, bool scored) {
  BinaryModel<T>& binary = binaries_[m];
  const double target = scheme_.target(m, label);
  if (target == 0.0) {
    if (scored) decisions_[position * binaries_.size() + m] = solvers_[m]->pass_over(binary, position).decision;
    return;
  }
  const bool held = known_[position] && binary.members().holds_slot(*known_[position]);
  const Visit seen = held ? solvers_[m]->revisit(binary, position, *known_[position])
                          : solvers_[m]->visit(binary, position, target, cost);
  decisions_[position * binaries_.size() + m] = seen.decision;
  inserted_[m] += seen.inserted;
  stalled_[m] |= seen.stalled;
}

template <class T>
void KernelModel<T>::visit_held(std::size_t m, std::size_t position, std::int32_t label, double cost) {
  const std::size_t slot = *known_[position];
  double present = cost;
  for (const auto& binary : binaries_)
    if (binary.members().holds_slot(slot)) {
      const Box box = binary.expansion().box(binary.members().in_slot(slot));
      present = std::min(present, box.high - box.low);
    }
  Expansion& expansion = binaries_[m].expansion();
  const std::size_t before = expansion.size();
  visit(m, position, label, present);
  if (expansion.size() > before && expansion.holds(before)) expansion.cost[before] = cost;
}

template <class T>
std::size_t KernelModel<T>::slot_for(Panel<T>& panel, std::size_t position, const TrainingBatch<T>& training) {
  if (!known_[position]) {
    const auto row = static_cast<std::size_t>(panel.row_of(position));
    known_[position] = points_.append(panel.block().rows(), position, training.labels[row], training.costs[row]);
  }
  return *known_[position];
}

// While the binary models complete their kernel rows, the next block's panel gets the columns of the examples just retained.
template <class T>
void KernelModel<T>::end_block(Panel<T>& panel, Panel<T>* next, const TrainingBatch<T>& training) {
  std::vector<std::vector<std::size_t>> slots(binaries_.size());
  for (std::size_t m = 0; m < binaries_.size(); ++m)
    for (const std::size_t position : binaries_[m].rows().taken_in()) {
      slots[m].push_back(slot_for(panel, position, training));
      points_.acquire(slots[m].back());
    }
  const std::size_t threads = threads_for(panel.count());
  std::vector<std::size_t> first_task(binaries_.size() + 1, 0);
  for (std::size_t m = 0; m < binaries_.size(); ++m) first_task[m + 1] = first_task[m] + binaries_[m].rows().list_incomplete(binaries_[m].members());
  const std::size_t completing = first_task.back();
  parallel_for(threads, completing + (next ? next->tasks(points_) : 0), [&](std::size_t task) {
    if (task >= completing) return next->run_task(task - completing, kernel_, points_);
    const auto m = static_cast<std::size_t>(std::upper_bound(first_task.begin(), first_task.end(), task) - first_task.begin() - 1);
    binaries_[m].rows().complete(binaries_[m].members(), task - first_task[m]);
  });
  for (std::size_t m = 0; m < binaries_.size(); ++m) {
    binaries_[m].members().store(slots[m], points_.size());
    binaries_[m].rows().leave_panel();
  }
  if (next) next->close(points_);
  panel_evals_ += panel.kernel_values_filled();
  for (auto& binary : binaries_)
    for (const std::size_t slot : binary.members().take_released()) points_.release(slot);
  for (auto& binary : binaries_)
    if (too_many_gaps(binary.expansion().removed_count(), binary.expansion().size())) binary.close_gaps();
}

template <class T>
void KernelModel<T>::hold(const TrainingBatch<T>& training, std::span<const double> sums, std::span<const double> alpha) {
  const std::size_t count = binaries_.size();
  if (!shift_chosen_ && !training.order.empty()) choose_shift(training, training.order);
  close_all_gaps();
  attach(nullptr);
  Block<T> block;
  for (std::size_t first = 0; first < training.order.size(); first += largest_block) {
    const auto rows = training.order.subspan(first, std::min(largest_block, training.order.size() - first));
    block.take(kernel_, training.batch, rows, training.first_id, shift_);
    for (std::size_t p = 0; p < rows.size(); ++p) {
      const auto row = static_cast<std::size_t>(rows[p]);
      const std::size_t at = (first + p) * count;
      panel_evals_ += hold_row(block, p, training.labels[row], training.costs[row], sums.subspan(at, count), alpha.empty() ? alpha : alpha.subspan(at, count));
    }
  }
  for (auto& binary : binaries_) {
    binary.members().refresh_identity(points_.size());
    binary.refresh_bracket();
  }
}

// Returns how many kernel values that took.
template <class T>
std::size_t KernelModel<T>::hold_row(const Block<T>& block, std::size_t position, std::int32_t label, double cost, std::span<const double> sums,
                                     std::span<const double> alpha) {
  std::optional<std::size_t> slot = points_.find(block.rows().ids[position]);
  std::optional<T> self;
  for (std::size_t m = 0; m < binaries_.size(); ++m) {
    const double target = scheme_.target(m, label);
    Members<T>& members = binaries_[m].members();
    if (target == 0.0 || std::isnan(sums[m]) || (slot && members.holds_slot(*slot))) continue;
    if (!slot) slot = points_.append(block.rows(), position, label, cost);
    if (!self) self = kernel_.self(block, position);
    members.append_stored(*slot, *self, target, Box::of(target, cost), alpha.empty() ? 0.0 : alpha[m], target - sums[m]);
    members.expansion.cost[members.expansion.size() - 1] = cost;
    points_.acquire(*slot);
  }
  return self ? 1 : 0;
}

template <class T>
void KernelModel<T>::close_point_gaps(Panel<T>* next) {
  if (!too_many_gaps(points_.unused_count(), points_.size())) return;
  const Moves moves = points_.close_gaps();
  if (next) next->follow(moves);
  for (auto& binary : binaries_) binary.members().follow(moves, points_.size());
}

template <class T>
void KernelModel<T>::close_all_gaps() {
  for (auto& binary : binaries_) binary.close_gaps();
  if (points_.unused_count() == 0) return;
  const Moves moves = points_.close_gaps();
  for (auto& binary : binaries_) binary.members().follow(moves, points_.size());
}

template class KernelModel<float>;
template class KernelModel<double>;

}  // namespace hinge
