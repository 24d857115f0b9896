#include "solvers/gram_problem.hpp"

#include <algorithm>
#include <utility>

namespace hinge {

namespace {

constexpr double least_curvature = 1e-12;  // as in the loops

struct State {
  std::vector<double> gradient;
  std::vector<std::uint8_t> room;
  std::span<const Box> boxes;
  std::span<double> alpha;

  void find_room(std::size_t i) {
    const unsigned rise = alpha[i] < boxes[i].high ? may_rise : 0u, fall = alpha[i] > boxes[i].low ? may_fall : 0u;
    room[i] = static_cast<std::uint8_t>(rise | fall);
  }
};

State start(std::span<const Box> boxes, std::span<double> alpha, std::span<const double> gradient) {
  const std::size_t n = boxes.size();
  State state{std::vector<double>(padded(n)), std::vector<std::uint8_t>(padded(n)), boxes, alpha};
  std::copy(gradient.begin(), gradient.end(), state.gradient.begin());
  for (std::size_t i = 0; i < n; ++i) state.find_room(i);
  return state;
}

// Moves alpha_i up and alpha_j down by as much as raises W most, inside their boxes, and all gradients with them. As in binary_model_steps.cpp, what
// would be equal without rounding is equal.
template <class T>
void move_pair(State& state, const GramView<T>& gram, std::size_t i, std::size_t j, Bracket& bracket) {
  const auto k_ij = static_cast<double>(gram.row(i)[j / segment_length][j % segment_length]);
  const double curvature = std::max(static_cast<double>(gram.diagonal()[i]) + static_cast<double>(gram.diagonal()[j]) - 2.0 * k_ij, least_curvature);
  const double up = state.boxes[i].high - state.alpha[i], down = state.alpha[j] - state.boxes[j].low;
  const double step = std::min({(state.gradient[i] - state.gradient[j]) / curvature, up, down});
  state.alpha[i] = raised(state.alpha[i], step, state.boxes[i].high);
  state.alpha[j] = lowered(state.alpha[j], step, state.boxes[j].low);
  state.room[i] = state.room[j] = 0;
  bracket.set(loops<T>().descend(state.gradient.data(), gram.row(i), gram.row(j), step, state.room.data(), gram.count()));
  state.find_room(i);
  state.find_room(j);
  if (step < up && step < down) state.gradient[i] = state.gradient[j] = 0.5 * (state.gradient[i] + state.gradient[j]);
  bracket.include_pair(state.gradient, state.room, i, j);
}

// Which coefficient rises and which one falls: one end of the bracket, and what gains most with it.
template <class T>
std::pair<std::size_t, std::size_t> choose_pair(const State& state, const GramView<T>& gram, const Bracket& bracket, PairChoice choice) {
  const std::size_t top = bracket.top_at(), bottom = bracket.bottom_at();
  const bool fixes_top = choice == PairChoice::second_order || top < bottom;
  const std::size_t fixed = fixes_top ? top : bottom;
  const Partner partner = loops<T>().partner(state.gradient.data(), gram.row(fixed), gram.diagonal(), state.room.data(), state.gradient[fixed],
                                             static_cast<double>(gram.diagonal()[fixed]), fixes_top ? 1.0 : -1.0, gram.count());
  if (!partner.found) return {top, bottom};
  return fixes_top ? std::pair{top, partner.at} : std::pair{partner.at, bottom};
}

}  // namespace

template <class T>
GramView<T>::GramView(const T* values, std::size_t count)
    : count_(count), per_row_((count + segment_length - 1) / segment_length), diagonal_(padded(count)) {
  for (std::size_t i = 0; i < count; ++i) {
    const T* row = values + i * padded(count);
    for (std::size_t part = 0; part < per_row_; ++part) segments_.push_back(row + part * segment_length);
    diagonal_[i] = row[i];
  }
}

template <class T>
GramSolution solve(const GramView<T>& gram, std::span<const Box> boxes, std::span<double> alpha, std::span<double> gradient, const GramLimits& limits) {
  const std::size_t n = gram.count();
  State state = start(boxes, alpha, gradient);
  Bracket bracket(true);
  bracket.set(loops<T>().extremes(state.gradient.data(), state.room.data(), n));
  std::size_t steps = 0;
  for (; steps < limits.max_steps && bracket.violation() > limits.tolerance; ++steps) {
    const auto [i, j] = choose_pair(state, gram, bracket, limits.choice);
    move_pair(state, gram, i, j, bracket);
  }
  std::copy_n(state.gradient.begin(), n, gradient.begin());
  return {bracket.bias(), steps, bracket.violation() <= limits.tolerance};
}

template class GramView<float>;
template class GramView<double>;
template GramSolution solve(const GramView<float>&, std::span<const Box>, std::span<double>, std::span<double>, const GramLimits&);
template GramSolution solve(const GramView<double>&, std::span<const Box>, std::span<double>, std::span<double>, const GramLimits&);

}  // namespace hinge
