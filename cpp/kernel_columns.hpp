// Kernel values K_rc of all retained examples r against a few of them, c: those that take part in a path of the exact solver.
//
// The gradients of any set of examples r change by -sum_c K_rc dalpha_c. Columns are therefore stored in sheets of `sheet_width` columns,
// row by row: the sum runs over short contiguous pieces and gathers nothing, which is what the paper wants from its gaxpy organisation
// (Laskov et al. 2006, algorithm 3). A new example appends one row to every sheet; when an example is removed, the last row replaces its
// row. A pinned column stays. An unpinned one stays until its position or its memory is needed.
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

class KernelColumns {
 public:
  KernelColumns(const Kernel<double>* kernel, const Points<double>* points) : kernel_(kernel), points_(points) {}

  void set_limits(std::size_t bytes, std::size_t threads);
  // Number of positions for columns, occupied or not; also the length of `weights` in `add_products`.
  std::size_t width() const { return columns_.size(); }
  bool has(std::size_t slot) const { return position_[slot].has_value(); }
  std::size_t position(std::size_t slot) const { return *position_[slot]; }
  // K(row, slot); `slot` must have a column.
  double value(std::size_t row, std::size_t slot) const;

  // Computes the columns of those slots that have none, in one matrix product.
  void compute_missing(std::span<const std::size_t> slots);
  // Each `pin` keeps the column of a slot in memory until the matching `unpin`.
  void pin(std::size_t slot);
  void unpin(std::size_t slot);
  std::size_t pins(std::size_t slot) const;

  // The slots that have a column, in the order in which `append_row` takes the kernel values of a new example against them.
  std::vector<std::size_t> slots() const;
  void append_row(std::span<const double> values);
  void drop_column(std::size_t slot);
  // Moves rows as the examples moved between slots.
  void follow(const Moves& moves);

  // sums_i += sum_p weights_p K(rows_i, slot of the column at position p)
  void add_products(std::span<const double> weights, std::span<const std::size_t> rows, double* sums) const;

  std::size_t kernel_evals() const { return kernel_evals_; }
  void check_invariants() const;

 private:
  struct Column {
    std::size_t slot;
    std::size_t pins;
    std::size_t last_use;
  };
  void allocate(std::size_t slot);
  std::optional<std::size_t> least_recently_used() const;
  bool is_full() const;
  void add_sheet();
  void fill(std::span<const std::size_t> slots);
  std::size_t threads_for(std::size_t work) const;

  const Kernel<double>* kernel_;
  const Points<double>* points_;
  std::size_t max_bytes_ = 0;
  std::size_t threads_ = 1;
  std::size_t rows_ = 0;
  std::size_t clock_ = 0;
  std::size_t kernel_evals_ = 0;
  std::vector<Growing<double>> sheets_;
  std::vector<std::optional<Column>> columns_;         // by position
  std::vector<std::optional<std::size_t>> position_;   // by slot
};

}  // namespace hinge
