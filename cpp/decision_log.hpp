// Decision values for the last examples of a call, each from before it was learned: what probabilities are calibrated on. At most `room`
// rows are handed over, and twice as many are ever held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hinge {

struct DecisionLog {
  // A log without room records nothing.
  void add(std::int64_t row, std::span<const double> decisions, std::size_t room) {
    if (room == 0) return;
    columns = decisions.size();
    rows.push_back(row);
    values.insert(values.end(), decisions.begin(), decisions.end());
    if (rows.size() >= 2 * room) keep_last(room);
  }

  void keep_last(std::size_t room) {
    if (rows.size() <= room) return;
    const auto dropped = static_cast<std::ptrdiff_t>(rows.size() - room);
    rows.erase(rows.begin(), rows.begin() + dropped);
    values.erase(values.begin(), values.begin() + dropped * static_cast<std::ptrdiff_t>(columns));
  }

  std::size_t columns = 0;
  std::vector<std::int64_t> rows;
  std::vector<double> values;  // columns of them per row, one per binary model
};

}  // namespace hinge
