#include "solvers/working_set.hpp"

#include <algorithm>

namespace hinge {

namespace {

constexpr std::size_t largest_side = 96;  // members that may rise, and that may fall
constexpr std::size_t fixed_cost = 4;  // of a set, in steps: looking for its members, and for the new bracket

// Keeps those that violate most.
void keep_largest(std::vector<Violator>& found, std::size_t most) {
  if (found.size() <= most) return;
  std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most), found.end(),
                   [](const auto& a, const auto& b) { return a.gradient != b.gradient ? a.gradient > b.gradient : a.id < b.id; });
  found.resize(most);
}

}  // namespace

template <class T>
std::size_t WorkingSet<T>::choose(const BinaryModel<T>& binary) {
  const Expansion& expansion = binary.expansion();
  const double top = binary.bracket().top(), bottom = binary.bracket().bottom();
  rising_.clear();
  falling_.clear();
  for (std::size_t i = 0; i < expansion.size(); ++i) {
    const double g = expansion.gradient[i];
    if ((expansion.room[i] & may_rise) && g > bottom) rising_.push_back({g, binary.id_of(i), i});
    if ((expansion.room[i] & may_fall) && g < top) falling_.push_back({-g, binary.id_of(i), i});
  }
  keep_largest(rising_, largest_side);
  keep_largest(falling_, largest_side);
  rising_.insert(rising_.end(), falling_.begin(), falling_.end());
  std::sort(rising_.begin(), rising_.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  members_.clear();
  for (const Violator& each : rising_)
    if (members_.empty() || members_.back() != each.at) members_.push_back(each.at);
  return fixed_cost + members_.size() * members_.size() / (2 * expansion.held_count());
}

template <class T>
void WorkingSet<T>::gather(BinaryModel<T>& binary) {
  const Expansion& expansion = binary.expansion();
  const std::size_t count = members_.size(), width = padded(count);
  alpha_.resize(count);
  gradient_.resize(count);
  boxes_.resize(count);
  gram_.assign(count * width, T(0));
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = members_[k];
    alpha_[k] = expansion.alpha[i];
    gradient_[k] = expansion.gradient[i];
    boxes_[k] = expansion.box(i);
    const RowView<T> row = binary.row(i, i);
    for (std::size_t l = 0; l < count; ++l) gram_[k * width + l] = row[members_[l]];
    gram_[k * width + k] = binary.members().diagonal()[i];
  }
}

// g -= K (alpha - before), for all members; returns how many moved.
template <class T>
std::size_t WorkingSet<T>::update(BinaryModel<T>& binary) const {
  Expansion& expansion = binary.expansion();
  std::size_t moved = 0;
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const std::size_t i = members_[k];
    const double change = alpha_[k] - expansion.alpha[i];
    if (change == 0.0) continue;
    ++moved;
    binary.members().set_alpha(i, alpha_[k]);
    const RowView<T> row = binary.row(i, i);
    for (std::size_t first = 0; first < expansion.size(); first += segment_length)
      loops<T>().add_row(expansion.gradient.data() + first, -change, row.segments[first / segment_length],
                         std::min(segment_length, expansion.size() - first));
  }
  for (std::size_t k = 0; k < members_.size(); ++k) expansion.gradient[members_[k]] = gradient_[k];
  binary.refresh_bracket();
  return moved;
}

template <class T>
std::size_t WorkingSet<T>::optimise(BinaryModel<T>& binary, double tolerance, std::size_t most) {
  const std::size_t size = binary.expansion().held_count(), count = members_.size();
  gather(binary);
  const GramView<T> gram(gram_.data(), count);
  const GramSolution solution = solve<T>(gram, boxes_, alpha_, gradient_, {tolerance, most * size / count, PairChoice::second_order_of_older});
  binary.count_steps(solution.steps);
  const std::size_t moved = update(binary);
  return fixed_cost + (count * count / 2 + solution.steps * count) / size + moved / 2;
}

template class WorkingSet<float>;
template class WorkingSet<double>;

}  // namespace hinge
