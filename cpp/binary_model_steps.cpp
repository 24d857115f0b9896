// How coefficients move: along a pair where there is a bias, else one or two by themselves.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "binary_model.hpp"

namespace hinge {

namespace {

constexpr double smallest_curvature = 1e-12;
// A coefficient closer to an end than this part of both is there. Both of a pair often arrive at once, since boxes are alike: whether the
// second does must not hang on rounding. (Not a part of the box: where kernel values are huge, all coefficients are far smaller than that.)
constexpr double snug = 2e-15;

}  // namespace

template <class T>
void BinaryModel<T>::set_alpha(std::size_t i, double value) {
  expansion.set_alpha(i, value);
  if (value == 0.0) idle.push_back(i);
  if (idle.size() > 2 * expansion.size() + segment_length) list_idle();  // one that comes and goes is listed each time
}

template <class T>
void BinaryModel<T>::list_idle() {
  idle.clear();
  for (std::size_t i = 0; i < expansion.size(); ++i)
    if (expansion.alive(i) && expansion.alpha[i] == 0.0) idle.push_back(i);
}

template <class T>
double BinaryModel<T>::step(std::size_t i, std::size_t j) {
  const double curvature = std::max(static_cast<double>(diagonal[i]) + static_cast<double>(diagonal[j]) -
                                        2.0 * static_cast<double>(row(i, j)[j]),
                                    smallest_curvature);
  const double slope = expansion.gradient[i] - expansion.gradient[j];
  const double up = expansion.high[i] - expansion.alpha[i], down = expansion.alpha[j] - expansion.low[j];
  const double length = std::min({slope / curvature, up, down});
  shift(i, j, length);
  if (length < up && length < down) level(i, j);
  find_ends(i, j);
  return length * (slope - 0.5 * curvature * length);
}

template <class T>
void BinaryModel<T>::move(std::size_t i, std::size_t j, double length) {
  shift(i, j, length);
  find_ends(i, j);
}

// Leaves the extremes of all others behind.
template <class T>
void BinaryModel<T>::shift(std::size_t i, std::size_t j, double length) {
  const RowView<T> rising = row(i, j), falling = row(j, i);
  const auto close = [&](std::size_t at, double end) { return snug * std::max(std::abs(expansion.alpha[at]), std::abs(end)); };
  const double up = expansion.high[i] - expansion.alpha[i] - close(i, expansion.high[i]);
  const double down = expansion.alpha[j] - expansion.low[j] - close(j, expansion.low[j]);
  set_alpha(i, length >= up ? expansion.high[i] : expansion.alpha[i] + length);
  set_alpha(j, length >= down ? expansion.low[j] : expansion.alpha[j] - length);
  const std::uint8_t room_i = std::exchange(expansion.room[i], std::uint8_t{0});
  const std::uint8_t room_j = std::exchange(expansion.room[j], std::uint8_t{0});
  extremes_ = loops<T>().descend(expansion.gradient.data(), rising.segments, falling.segments, length,
                                 expansion.room.data(), expansion.size());
  expansion.room[i] = room_i;
  expansion.room[j] = room_j;
  ++steps;
}

// The dual grows by length (g_i - length K_ii / 2): most for length = g_i / K_ii, as far as the box allows.
template <class T>
double BinaryModel<T>::best_length(std::size_t i, double gradient) const {
  const double curvature = std::max(static_cast<double>(diagonal[i]), smallest_curvature);
  return std::clamp(gradient / curvature, expansion.down[i], expansion.up[i]);
}

// Changes a coefficient alone; the caller keeps the gradient true.
template <class T>
double BinaryModel<T>::changed(std::size_t i, double length) {
  const double up = expansion.up[i], down = expansion.down[i];
  set_alpha(i, length >= up ? expansion.high[i] : length <= down ? expansion.low[i] : expansion.alpha[i] + length);
  ++steps;
  return length;
}

template <class T>
void BinaryModel<T>::ascend(const RowView<T>& first, double first_length, const RowView<T>& second, double second_length) {
  const Ascent ascent = loops<T>().climb(expansion.gradient.data(), first.segments, first_length, second.segments, second_length,
                                         expansion.up.data(), expansion.down.data(), expansion.size());
  extremes_ = ascent.extremes;
  slack_gap_ = ascent.gap;
}

template <class T>
void BinaryModel<T>::climb(std::size_t i, double length) {
  const RowView<T> row_i = row(i, i);
  ascend(row_i, changed(i, length), row_i, 0.0);
}

template <class T>
void BinaryModel<T>::climb_both(std::size_t i, std::size_t j) {
  const RowView<T> row_i = row(i, j), row_j = row(j, i);
  const double first = changed(i, best_length(i));
  const double left = expansion.gradient[j] - first * static_cast<double>(row_i[j]);
  ascend(row_i, first, row_j, changed(j, best_length(j, left)));
}

// A step that no box cut short makes both gradients equal but for rounding, and very often they are then the largest or the smallest. Made
// equal to the last bit, the next choice does not hang on rounding.
template <class T>
void BinaryModel<T>::level(std::size_t i, std::size_t j) {
  expansion.gradient[i] = expansion.gradient[j] = 0.5 * (expansion.gradient[i] + expansion.gradient[j]);
}

// From the extremes of all others those of all. Where i and j are equal, they take fixed roles.
template <class T>
void BinaryModel<T>::find_ends(std::size_t i, std::size_t j) {
  for (const std::size_t at : {i, j})
    if ((expansion.room[at] & may_rise) && expansion.gradient[at] >= extremes_.top) extremes_.top = expansion.gradient[at], extremes_.top_at = at;
  for (const std::size_t at : {j, i})
    if ((expansion.room[at] & may_fall) && expansion.gradient[at] <= extremes_.bottom) extremes_.bottom = expansion.gradient[at], extremes_.bottom_at = at;
}

// Moving amount a from v to p changes the dual by a (g_p - g_v) - a^2/2 (K_vv + K_pp - 2 K_vp); the best p takes what its box allows.
template <class T>
auto BinaryModel<T>::best_heir(std::size_t v, bool same_class) -> std::optional<Heir> {
  const double whole = expansion.alpha[v];
  const RowView<T> row_v = row(v, v);
  std::optional<Heir> best;
  for (std::size_t p = 0; p < expansion.size(); ++p) {
    const double space = whole > 0 ? expansion.high[p] - expansion.alpha[p] : expansion.alpha[p] - expansion.low[p];
    if (p == v || space <= 0.0 || !expansion.alive(p) || (same_class && expansion.label[p] != expansion.label[v])) continue;
    const double amount = std::copysign(std::min(std::abs(whole), space), whole);
    const double curvature =
        static_cast<double>(diagonal[v]) + static_cast<double>(diagonal[p]) - 2.0 * static_cast<double>(row_v[p]);
    const double gain = amount * (expansion.gradient[p] - expansion.gradient[v]) - 0.5 * amount * amount * curvature;
    if (!best || gain > best->gain) best = Heir{p, amount, gain};
  }
  return best;
}

template <class T>
void BinaryModel<T>::hand_over(std::size_t v) {
  while (expansion.alpha[v] != 0.0) {
    auto heir = best_heir(v, true);
    if (!heir) heir = best_heir(v, false);
    if (!heir && !biased_) return climb(v, -expansion.alpha[v]);  // there is no sum to be kept: it is dropped
    if (!heir) return;  // what is left is a residue of rounding
    if (heir->amount > 0)
      move(heir->at, v, heir->amount);
    else
      move(v, heir->at, -heir->amount);
  }
}

template class BinaryModel<float>;
template class BinaryModel<double>;

}  // namespace hinge
