// Closing gaps: the last element that stays moves into the first hole, and so on. Everything that is laid out alike makes the same
// moves; cached kernel rows make them when they are next used.
#pragma once

#include <cstddef>
#include <vector>

namespace hinge {

struct Move {
  std::size_t from;
  std::size_t to;
};

struct Moves {
  std::vector<Move> list;
  std::size_t size = 0;  // elements that stay
};

template <class Stays>
Moves moves_to_close_gaps(std::size_t size, Stays stays) {
  Moves moves;
  std::size_t end = size;
  for (std::size_t hole = 0; hole < end; ++hole) {
    if (stays(hole)) continue;
    while (end > hole + 1 && !stays(end - 1)) --end;
    --end;
    if (end > hole) moves.list.push_back({end, hole});
  }
  moves.size = end;
  return moves;
}

}  // namespace hinge
