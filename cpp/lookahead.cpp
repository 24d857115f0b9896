#include "lookahead.hpp"

#include <algorithm>
#include <utility>

#include "loops.hpp"

namespace hinge {

template <class T>
void Panel<T>::take(const Kernel<T>& kernel, const Batch<T>& batch, std::span<const std::int64_t> rows,
                    std::int64_t first_id, std::span<const T> shift) {
  block_.take(kernel, batch, rows, first_id, shift);
  row_of_.assign(rows.begin(), rows.end());
}

template <class T>
void Panel<T>::look_at(const Points<T>& points, std::size_t first, std::size_t count) {
  block_.look_at(points.examples().range(first, count));
  row_of_.clear();
}

template <class T>
void Panel<T>::take_room(Panel& other) {
  std::swap(values_, other.values_);
  std::swap(allocated_, other.allocated_);
}

template <class T>
void Panel<T>::reserve(const Points<T>& points, std::size_t growth) {
  slots_ = 0;
  filled_ = 0;
  own_.resize(count() * count());
  opened_ = std::make_unique<std::once_flag[]>(count());
  stride_ = padded(points.size() + growth + count()) + lane_padding;
  if (stride_ * count() > allocated_) {
    allocated_ = stride_ * count() + std::min(stride_ * count() / 8, max_spare);
    values_.reset();  // first, so that both are never there together
    values_ = make_pages<T>(allocated_);
  }
}

template <class T>
std::size_t Panel<T>::tasks(const Points<T>& points) const {
  const std::size_t columns = points.size() - slots_, large = large_tiles(columns);
  return large + (columns - large * large_tile + small_tile - 1) / small_tile;
}

template <class T>
void Panel<T>::run_task(std::size_t task, const Kernel<T>& kernel, const Points<T>& points) {
  const std::size_t large = large_tiles(points.size() - slots_);
  const std::size_t width = task < large ? large_tile : small_tile;
  const std::size_t first = slots_ + (task < large ? task * large_tile : large * large_tile + (task - large) * small_tile);
  const std::size_t length = std::min(width, points.size() - first);
  kernel.fill(block_, points.examples().range(first, length), values_.get() + first, stride_);
}

template <class T>
void Panel<T>::close(const Points<T>& points) {
  filled_ += count() * (points.size() - slots_);
  slots_ = points.size();
}

template <class T>
void Panel<T>::open(std::size_t position, const Kernel<T>& kernel) {
  std::call_once(opened_[position], [&] {
    const Examples<T> example = block_.rows().range(position, 1);
    if (example.sparse && kernel.is_built_in()) {
      kernel.fill(block_, example, own_.data() + position * count(), 1);  // the same values, and the block is listed by feature already
    } else {
      Block<T> one;
      one.look_at(example);
      kernel.fill(one, block_.rows(), own_.data() + position * count(), count());
    }
    filled_ += count();
  });
}

template <class T>
void Panel<T>::follow(const Moves& moves) {
  for (std::size_t p = 0; p < count(); ++p) {
    T* row = values(p);
    for (const auto& [from, to] : moves.list) row[to] = row[from];
  }
  slots_ = moves.size;
}

template class Panel<float>;
template class Panel<double>;

}  // namespace hinge
