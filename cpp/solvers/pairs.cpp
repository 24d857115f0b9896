#include "solvers/pairs.hpp"

#include <cstddef>

namespace hinge {

template <class T>
std::optional<double> reprocess_pair(BinaryModel<T>& binary, double tolerance, PairChoice choice) {
  if (binary.gap() <= tolerance) return std::nullopt;
  const std::size_t i = binary.extremes_.top_at;
  std::size_t j = binary.extremes_.bottom_at;
  if (choice == PairChoice::second_order) {
    const Expansion& expansion = binary.expansion;
    const auto best = loops<T>().partner(expansion.gradient.data(), binary.row(i, i).segments, binary.diagonal.data(),
                                         expansion.room.data(), expansion.gradient[i],
                                         static_cast<double>(binary.diagonal[i]), expansion.size());
    if (best.found) j = best.at;
  }
  return binary.step(i, j);
}

template std::optional<double> reprocess_pair(BinaryModel<float>&, double, PairChoice);
template std::optional<double> reprocess_pair(BinaryModel<double>&, double, PairChoice);

}  // namespace hinge
