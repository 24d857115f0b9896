#include "solvers/gram_problem.hpp"

#include <algorithm>

namespace hinge {

namespace {

constexpr double least_curvature = 1e-12;  // as in the loops

struct State {
  std::vector<double> gradient;
  std::vector<std::uint8_t> room;
  std::vector<Box> boxes;
  std::span<double> alpha;

  void find_room(std::size_t i) {
    const unsigned rise = alpha[i] < boxes[i].high ? may_rise : 0u, fall = alpha[i] > boxes[i].low ? may_fall : 0u;
    room[i] = static_cast<std::uint8_t>(rise | fall);
  }
};

State start(const GramView& gram, std::span<const double> labels, std::span<const double> costs, std::span<double> alpha,
            std::span<const double> gradient) {
  const std::size_t n = gram.count();
  State state{std::vector<double>(padded(n)), std::vector<std::uint8_t>(padded(n)), {}, alpha};
  std::copy(gradient.begin(), gradient.end(), state.gradient.begin());
  for (std::size_t i = 0; i < n; ++i) {
    state.boxes.push_back(Box::of(labels[i], costs[i]));
    state.find_room(i);
  }
  return state;
}

// Moves alpha_i up and alpha_j down by as much as raises W most, inside their boxes; returns by how much.
double move_pair(State& state, const GramView& gram, std::size_t i, std::size_t j) {
  const double k_ij = gram.row(i)[j / segment_length][j % segment_length];
  const double curvature = std::max(gram.diagonal()[i] + gram.diagonal()[j] - 2.0 * k_ij, least_curvature);
  const double up = state.boxes[i].high - state.alpha[i], down = state.alpha[j] - state.boxes[j].low;
  const double wanted = (state.gradient[i] - state.gradient[j]) / curvature, step = std::min({wanted, up, down});
  state.alpha[i] = step == up ? state.boxes[i].high : state.alpha[i] + step;
  state.alpha[j] = step == down ? state.boxes[j].low : state.alpha[j] - step;
  state.find_room(i);
  state.find_room(j);
  return step;
}

}  // namespace

GramView::GramView(const float* values, std::size_t count)
    : count_(count), per_row_((count + segment_length - 1) / segment_length), diagonal_(padded(count)) {
  for (std::size_t i = 0; i < count; ++i) {
    const float* row = values + i * padded(count);
    for (std::size_t part = 0; part < per_row_; ++part) segments_.push_back(row + part * segment_length);
    diagonal_[i] = row[i];
  }
}

GramSolution solve(const GramView& gram, std::span<const double> labels, std::span<const double> costs, std::span<double> alpha,
                   std::span<double> gradient, double tolerance, std::size_t max_steps) {
  const std::size_t n = gram.count();
  State state = start(gram, labels, costs, alpha, gradient);
  const Loops<float>& fast = loops<float>();
  Bracket bracket(true);
  bracket.set(fast.extremes(state.gradient.data(), state.room.data(), n));
  std::size_t steps = 0;
  for (; steps < max_steps && bracket.violation() > tolerance; ++steps) {
    const std::size_t i = bracket.top_at();
    const Partner partner = fast.partner(state.gradient.data(), gram.row(i), gram.diagonal(), state.room.data(), bracket.top(),
                                         static_cast<double>(gram.diagonal()[i]), 1.0, n);
    const std::size_t j = partner.found ? partner.at : bracket.bottom_at();
    const double step = move_pair(state, gram, i, j);
    bracket.set(fast.descend(state.gradient.data(), gram.row(i), gram.row(j), step, state.room.data(), n));
  }
  std::copy_n(state.gradient.begin(), n, gradient.begin());
  return {bracket.bias(), steps, bracket.violation() <= tolerance};
}

}  // namespace hinge
