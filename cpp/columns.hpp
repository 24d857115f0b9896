// Kernel values of all retained examples against a few of them, the owners of columns: whoever takes part in a path of the exact solver.
//
// They stand in sheets of `sheet_width` columns, row by row. The change of any choice of gradients is then a sum over short contiguous
// pieces, with nothing gathered or copied (what the paper wants from its gaxpy organisation); a new example appends a short row to every
// sheet, and one that leaves gives its row to the last. A column whose owner is no longer needed stays until its place or its memory is
// wanted.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "gaps.hpp"
#include "growing.hpp"
#include "kernels.hpp"
#include "loops.hpp"
#include "points.hpp"

namespace hinge {

class Columns {
 public:
  Columns(const Kernel<double>* kernel, const Points<double>* points) : kernel_(kernel), points_(points) {}

  void set_limits(std::size_t bytes, std::size_t threads);
  // The places of columns, in use or not.
  std::size_t width() const { return owner_.size(); }
  bool has(std::size_t slot) const { return column_of_[slot].has_value(); }
  std::size_t column(std::size_t slot) const { return *column_of_[slot]; }
  double value(std::size_t row, std::size_t slot) const;

  // Columns are safe while somebody needs them. `find_missing` finds those of some slots in one product.
  void find_missing(std::span<const std::size_t> slots);
  void need(std::size_t slot);
  void need_no_more(std::size_t slot);

  // The slots whose kernel values against a new example `append_row` wants, in order.
  std::vector<std::size_t> owners() const;
  void append_row(std::span<const double> values);
  void forget_column(std::size_t slot);
  void follow(const Moves& moves);

  // sums_i += sum_c weights_c value(rows_i, owner of c).
  void add_products(std::span<const double> weights, std::span<const std::size_t> rows, double* sums) const;

  std::size_t kernel_evals() const { return kernel_evals_; }
  std::size_t users(std::size_t slot) const;
  void check_invariants() const;

 private:
  struct Owner {
    std::size_t slot;
    std::size_t users;
    std::size_t last_use;
  };
  std::size_t place_for(std::size_t slot);
  std::optional<std::size_t> oldest_unneeded() const;
  bool is_full() const;
  void add_sheet();
  void fill(std::span<const std::size_t> slots);
  std::size_t threads_for(std::size_t work) const;

  const Kernel<double>* kernel_;
  const Points<double>* points_;
  std::size_t most_bytes_ = 0;
  std::size_t threads_ = 1;
  std::size_t rows_ = 0;
  std::size_t clock_ = 0;
  std::size_t kernel_evals_ = 0;
  std::vector<Growing<double>> sheets_;
  std::vector<std::optional<Owner>> owner_;               // by column
  std::vector<std::optional<std::size_t>> column_of_;     // by slot
};

}  // namespace hinge
