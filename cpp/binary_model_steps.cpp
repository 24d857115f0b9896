// How coefficients move: along a pair where there is a bias, else one or two by themselves.
#include <algorithm>
#include <cmath>
#include <utility>

#include "binary_model.hpp"

namespace hinge {

namespace {

constexpr double smallest_curvature = 1e-12;

}  // namespace

template <class T>
double BinaryModel<T>::pair_step(std::size_t i, std::size_t j) {
  const Expansion& expansion = members_.expansion;
  const std::vector<T>& diagonal = members_.diagonal();
  const double curvature = std::max(static_cast<double>(diagonal[i]) + static_cast<double>(diagonal[j]) -
                                        2.0 * static_cast<double>(row(i, j)[j]),
                                    smallest_curvature);
  const double slope = expansion.gradient[i] - expansion.gradient[j];
  const double up = expansion.high[i] - expansion.alpha[i], down = expansion.alpha[j] - expansion.low[j];
  const double length = std::min({slope / curvature, up, down});
  shift(i, j, length);
  if (length < up && length < down) level(i, j);
  bracket_.include_pair(expansion.gradient, expansion.room, i, j);
  return length * (slope - 0.5 * curvature * length);
}

template <class T>
void BinaryModel<T>::move_pair(std::size_t i, std::size_t j, double length) {
  shift(i, j, length);
  bracket_.include_pair(members_.expansion.gradient, members_.expansion.room, i, j);
}

// Leaves the extremes of all others in the bracket.
template <class T>
void BinaryModel<T>::shift(std::size_t i, std::size_t j, double length) {
  Expansion& expansion = members_.expansion;
  const RowView<T> rising = row(i, j), falling = row(j, i);
  members_.set_alpha(i, raised(expansion.alpha[i], length, expansion.high[i]));
  members_.set_alpha(j, lowered(expansion.alpha[j], length, expansion.low[j]));
  const std::uint8_t room_i = std::exchange(expansion.room[i], std::uint8_t{0});
  const std::uint8_t room_j = std::exchange(expansion.room[j], std::uint8_t{0});
  bracket_.set(loops<T>().descend(expansion.gradient.data(), rising.segments, falling.segments, length,
                                  expansion.room.data(), expansion.size()));
  expansion.room[i] = room_i;
  expansion.room[j] = room_j;
  ++steps_;
}

// A step that no box limits makes both gradients equal but for rounding, and very often they are then the largest or the smallest. Made
// equal to the last bit, the next choice does not depend on rounding.
template <class T>
void BinaryModel<T>::level(std::size_t i, std::size_t j) {
  std::vector<double>& gradient = members_.expansion.gradient;
  gradient[i] = gradient[j] = 0.5 * (gradient[i] + gradient[j]);
}

// The dual grows by length (g_i - length K_ii / 2): most for length = g_i / K_ii, as far as the box allows.
template <class T>
double BinaryModel<T>::best_length(std::size_t i, double gradient) const {
  const double curvature = std::max(static_cast<double>(members_.diagonal()[i]), smallest_curvature);
  return std::clamp(gradient / curvature, expansion().down[i], expansion().up[i]);
}

// Changes a coefficient alone; the caller updates the gradients.
template <class T>
double BinaryModel<T>::change(std::size_t i, double length) {
  const Expansion& expansion = members_.expansion;
  const double up = expansion.up[i], down = expansion.down[i];
  members_.set_alpha(i, length >= up ? expansion.high[i] : length <= down ? expansion.low[i] : expansion.alpha[i] + length);
  ++steps_;
  return length;
}

template <class T>
void BinaryModel<T>::ascend(const RowView<T>& first, double first_length, const RowView<T>& second, double second_length) {
  Expansion& expansion = members_.expansion;
  bracket_.set(loops<T>().coordinate_step(expansion.gradient.data(), first.segments, first_length, second.segments, second_length,
                                          expansion.up.data(), expansion.down.data(), expansion.size()));
}

template <class T>
void BinaryModel<T>::coordinate_step(std::size_t i, double length) {
  const RowView<T> row_i = row(i, i);
  ascend(row_i, change(i, length), row_i, 0.0);
}

template <class T>
void BinaryModel<T>::coordinate_steps(std::size_t i, std::size_t j) {
  const RowView<T> row_i = row(i, j), row_j = row(j, i);
  const double first = change(i, best_length(i));
  const double left = expansion().gradient[j] - first * static_cast<double>(row_i[j]);
  ascend(row_i, first, row_j, change(j, best_length(j, left)));
}

template class BinaryModel<float>;
template class BinaryModel<double>;

}  // namespace hinge
