#include "solvers/pairs.hpp"

#include <cstddef>

namespace hinge {

namespace {

// The member that gains most together with a fixed one, which rises (direction 1) or falls (-1); else the one at hand.
template <class T>
std::size_t best_partner(BinaryModel<T>& binary, std::size_t fixed, double direction, std::size_t at_hand) {
  const Expansion& expansion = binary.expansion();
  const auto best = loops<T>().partner(expansion.gradient.data(), binary.row(fixed, fixed).segments, binary.members().diagonal().data(),
                                       expansion.room.data(), expansion.gradient[fixed],
                                       static_cast<double>(binary.members().diagonal()[fixed]), direction, expansion.size());
  return best.found ? best.at : at_hand;
}

}  // namespace

template <class T>
std::optional<double> reprocess_pair(BinaryModel<T>& binary, double tolerance, PairChoice choice) {
  if (binary.violation() <= tolerance) return std::nullopt;
  const std::size_t top = binary.bracket().top_at(), bottom = binary.bracket().bottom_at();
  if (choice == PairChoice::maximal_gradient) return binary.pair_step(top, bottom);
  if (choice == PairChoice::second_order || binary.id_of(top) < binary.id_of(bottom))
    return binary.pair_step(top, best_partner(binary, top, 1.0, bottom));
  return binary.pair_step(best_partner(binary, bottom, -1.0, top), bottom);
}

template std::optional<double> reprocess_pair(BinaryModel<float>&, double, PairChoice);
template std::optional<double> reprocess_pair(BinaryModel<double>&, double, PairChoice);

}  // namespace hinge
