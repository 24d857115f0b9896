#include "binary_model_builder.hpp"

#include <utility>

namespace hinge {

template <class T>
BinaryModelBuilder<T>::BinaryModelBuilder(const Kernel<T>& kernel, const Points<T>& points, bool biased, std::size_t cache_bytes)
    : rows_(cache_bytes), bracket_(biased) {
  rows_.attach(members_, &kernel, &points, nullptr, true);
}

template <class T>
void BinaryModelBuilder<T>::append(std::size_t slot, T self, double label, const Box& box, double alpha, double gradient, double lag, bool mistaken) {
  members_.append_stored(slot, self, label, box, alpha, gradient);
  const std::size_t i = members_.expansion.size() - 1;
  members_.expansion.lag[i] = lag;
  members_.expansion.mistaken[i] = mistaken;
  members_.expansion.cost[i] = rows_.points().cost(slot);
}

template <class T>
BinaryModel<T> BinaryModelBuilder<T>::build() {
  members_.refresh_identity(rows_.points().size());
  return {std::move(members_), std::move(rows_), bracket_};
}

template <class T>
BinaryModel<T> mirrored(const BinaryModel<T>& binary) {
  const Expansion& expansion = binary.expansion();
  const Members<T>& members = binary.members();
  const KernelRows<T>& rows = binary.rows();
  BinaryModelBuilder<T> builder(rows.kernel(), rows.points(), binary.bracket().biased(), rows.cache().budget());
  for (const std::size_t i : expansion.held()) {
    const Box box{-expansion.high[i], -expansion.low[i]};
    builder.append(members.slots()[i], members.diagonal()[i], -expansion.label[i], box, -expansion.alpha[i], -expansion.gradient[i], -expansion.lag[i],
                   expansion.mistaken[i] != 0);
  }
  builder.set_terms(expansion.terms);
  return builder.build();
}

template class BinaryModelBuilder<float>;
template class BinaryModelBuilder<double>;
template BinaryModel<float> mirrored(const BinaryModel<float>&);
template BinaryModel<double> mirrored(const BinaryModel<double>&);

}  // namespace hinge
