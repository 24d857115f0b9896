#include "binary_model.hpp"

#include <algorithm>

#include "decision.hpp"
#include "duality.hpp"

namespace hinge {

template <class T>
double BinaryModel<T>::gap() const {
  return biased_ ? bracket_.width() : std::max({0.0, bracket_.top(), -bracket_.bottom()});
}

template <class T>
std::size_t BinaryModel<T>::insert(std::size_t position, double label, const Box& box, double gradient) {
  const T self = rows_.take_in(members_, position);
  const std::size_t i = members_.append(self, label, box, gradient);
  bracket_.include(members_.expansion, i);
  return i;
}

template <class T>
void BinaryModel<T>::remove(std::size_t i) {
  if (i < members_.stored()) rows_.drop(i);
  members_.remove(i);
}

template <class T>
void BinaryModel<T>::refresh_bracket() {
  bracket_.template refresh<T>(members_.expansion, [this](std::size_t i) { return id_of(i); });
  if (!biased_) slack_gap_ = duality_gap(members_.expansion, false);
}

template <class T>
void BinaryModel<T>::store(std::span<const std::size_t> slots) {
  members_.store(slots, points().size());
  rows_.leave_panel();
}

template <class T>
void BinaryModel<T>::squeeze() {
  if (members_.expansion.dead() == 0) return;
  const std::size_t old_size = members_.expansion.size();
  const Moves moves = members_.squeeze(points().size());
  rows_.squeeze(moves, old_size);
  bracket_.follow(moves);
}

template <class T>
void BinaryModel<T>::append_member(std::size_t slot, T self, double label, const Box& box, double alpha, double gradient) {
  members_.append_stored(slot, self, label, box, alpha, gradient);
}

template <class T>
void BinaryModel<T>::end_building(std::size_t top_at, std::size_t bottom_at) {
  members_.refresh_identity(points().size());
  bracket_.prefer(top_at, bottom_at);
  refresh_bracket();
}

template <class T>
void BinaryModel<T>::refresh_gradient(std::size_t threads) {
  Expansion& expansion = members_.expansion;
  const auto alive = expansion.alive_members();
  std::vector<double> weights(points().size(), 0.0);
  std::vector<std::size_t> slots;
  for (const std::size_t i : alive) {
    weights[members_.slots()[i]] = expansion.alpha[i];
    slots.push_back(members_.slots()[i]);
  }
  std::vector<double> sums(alive.size(), 0.0);
  add_decisions(kernel(), points().pick(slots).examples(), points().examples(), weights, 1, threads, sums);
  count_kernel_evals(alive.size() * points().size());
  for (std::size_t k = 0; k < alive.size(); ++k) expansion.gradient[alive[k]] = expansion.label[alive[k]] - sums[k];
  refresh_bracket();
}

template <class T>
BinaryModel<T> BinaryModel<T>::restricted(std::span<const std::size_t> members, const Points<T>& points, std::size_t threads) {
  const Expansion& expansion = members_.expansion;
  BinaryModel smaller(positive_class_, biased_, rows_.cache().budget());
  smaller.attach(&kernel(), &points, nullptr, true);
  for (std::size_t k = 0; k < members.size(); ++k) {
    const std::size_t i = members[k];
    smaller.append_member(k, members_.diagonal()[i], expansion.label[i], expansion.box(i), expansion.alpha[i], expansion.gradient[i]);
  }
  rows_.hand_over(members, smaller.rows_);
  smaller.end_building();
  smaller.rows_.prefetch(smaller.members_, threads);
  return smaller;
}

template <class T>
void BinaryModel<T>::take_back(BinaryModel& smaller, std::span<const std::size_t> members) {
  for (std::size_t k = 0; k < members.size(); ++k) {
    set_alpha(members[k], smaller.expansion().alpha[k]);
    members_.expansion.gradient[members[k]] = smaller.expansion().gradient[k];
  }
  steps_ += smaller.steps_;
  count_kernel_evals(smaller.kernel_evals());
}

template <class T>
BinaryModel<T> BinaryModel<T>::mirrored(std::int32_t positive_class) const {
  const Expansion& expansion = members_.expansion;
  BinaryModel other(positive_class, biased_, rows_.cache().budget());
  other.attach(&kernel(), &points(), nullptr, true);
  for (const std::size_t i : expansion.alive_members()) {
    const Box box{-expansion.high[i], -expansion.low[i]};
    other.append_member(members_.slots()[i], members_.diagonal()[i], -expansion.label[i], box, -expansion.alpha[i], -expansion.gradient[i]);
    other.expansion().lag[other.expansion().size() - 1] = -expansion.lag[i];
  }
  other.expansion().terms = expansion.terms;
  other.end_building();
  return other;
}

template class BinaryModel<float>;
template class BinaryModel<double>;

}  // namespace hinge
