// Block look-ahead. The kernel values of the next examples against all slots are a matrix product. They are computed while the binary
// models still learn the block before. Columns of examples retained meanwhile are added afterwards, and values between examples of one block
// when one of them is retained. Decision values always use the current coefficients, so the models are those of the one-by-one algorithm.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "block.hpp"
#include "kernels.hpp"
#include "pages.hpp"
#include "points.hpp"

namespace hinge {

template <class T>
class Panel {
 public:
  // Takes the rows to come, or looks at stored examples first ... first + count - 1 instead.
  void take(const Kernel<T>& kernel, const Batch<T>& batch, std::span<const std::int64_t> rows, std::int64_t first_id,
            std::span<const T> shift);
  void look_at(const Points<T>& points, std::size_t first, std::size_t count);
  // Takes over the memory of a panel whose values are no longer needed.
  void take_room(Panel& other);
  // Makes room for the values, which tasks then fill. `growth` is how many columns may still be added.
  void reserve(const Points<T>& points, std::size_t growth);
  // Each task is a tile of slots that have no values yet: large ones first, then small ones, so that no thread waits long at the end.
  std::size_t tasks(const Points<T>& points) const;
  void run_task(std::size_t task, const Kernel<T>& kernel, const Points<T>& points);
  // Marks all present slots as filled, once the tasks are done.
  void close(const Points<T>& points);
  // Follows Points::close_gaps.
  void follow(const Moves& moves);

  std::size_t count() const { return block_.count(); }
  std::size_t slots() const { return slots_; }
  const Block<T>& block() const { return block_; }
  std::int64_t row_of(std::size_t position) const { return row_of_[position]; }
  // Kernel values of one example against all slots; `count()` more entries may be written behind them.
  T* values(std::size_t position) { return values_.get() + position * stride_; }
  // Computes the kernel values of one example against the whole block, once. Thread-safe.
  void open(std::size_t position, const Kernel<T>& kernel);
  // Kernel value between two examples of the block, the first of which has been opened.
  T own(std::size_t opened, std::size_t other) const { return own_[opened * count() + other]; }
  std::size_t kernel_values_filled() const { return filled_; }

 private:
  static constexpr std::size_t large_tile = 256, small_tile = 64;
  static constexpr std::size_t max_spare = std::size_t{1} << 18;  // values; a panel of many slots grows by little

  std::size_t large_tiles(std::size_t columns) const { return columns / 8 * 7 / large_tile; }

  Block<T> block_;
  std::vector<std::int64_t> row_of_;
  Pages<T> values_;
  std::size_t allocated_ = 0;
  std::size_t stride_ = 0;
  std::size_t slots_ = 0;
  std::vector<T> own_;
  std::unique_ptr<std::once_flag[]> opened_;
  std::atomic<std::size_t> filled_ = 0;
};

}  // namespace hinge
