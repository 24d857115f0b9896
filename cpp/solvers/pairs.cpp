#include "solvers/pairs.hpp"

#include <cstddef>

namespace hinge {

template <class T>
std::optional<double> reprocess_pair(BinaryModel<T>& binary, double tolerance, PairChoice choice) {
  if (binary.gap() <= tolerance) return std::nullopt;
  const std::size_t i = binary.bracket().top_at();
  std::size_t j = binary.bracket().bottom_at();
  if (choice == PairChoice::second_order) {
    const Expansion& expansion = binary.expansion();
    const auto best = loops<T>().partner(expansion.gradient.data(), binary.row(i, i).segments, binary.members().diagonal().data(),
                                         expansion.room.data(), expansion.gradient[i],
                                         static_cast<double>(binary.members().diagonal()[i]), expansion.size());
    if (best.found) j = best.at;
  }
  return binary.pair_step(i, j);
}

template std::optional<double> reprocess_pair(BinaryModel<float>&, double, PairChoice);
template std::optional<double> reprocess_pair(BinaryModel<double>&, double, PairChoice);

}  // namespace hinge
