#include "binary_model.hpp"

namespace hinge {

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
void BinaryModel<T>::close_gaps() {
  if (members_.expansion.removed_count() == 0) return;
  const std::size_t old_size = members_.expansion.size();
  const Moves moves = members_.close_gaps(rows_.points().size());
  rows_.follow(moves, old_size);
  bracket_.follow(moves);
}

template <class T>
void BinaryModel<T>::refresh_bracket() {
  bracket_.template refresh<T>(members_.expansion, [this](std::size_t i) { return id_of(i); });
}

template class BinaryModel<float>;
template class BinaryModel<double>;

}  // namespace hinge
