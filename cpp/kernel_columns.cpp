#include "kernel_columns.hpp"

#include <algorithm>
#include <array>

#include "parallel.hpp"

namespace hinge {

namespace {

constexpr std::size_t tile_rows = 256;
// With fewer multiplications, starting threads costs more than it saves.
constexpr std::size_t min_work_for_threads = 1'000'000;

}  // namespace

void KernelColumns::set_limits(std::size_t bytes, std::size_t threads) {
  max_bytes_ = bytes;
  threads_ = kernel_->parameters().kind == KernelKind::callable ? 1 : threads;
}

std::size_t KernelColumns::threads_for(std::size_t work) const { return work < min_work_for_threads ? 1 : threads_; }

double KernelColumns::value(std::size_t row, std::size_t slot) const {
  const std::size_t at = position(slot);
  return sheets_[at / sheet_width].data()[row * sheet_width + at % sheet_width];
}

void KernelColumns::pin(std::size_t slot) {
  Column& column = *columns_[position(slot)];
  ++column.pins;
  column.last_use = ++clock_;
}

void KernelColumns::unpin(std::size_t slot) { --columns_[position(slot)]->pins; }

void KernelColumns::compute_missing(std::span<const std::size_t> slots) {
  std::vector<std::size_t> missing;
  for (const std::size_t slot : slots)
    if (!has(slot)) missing.push_back(slot);
  if (missing.empty()) return;
  // Making room for the missing columns must not drop those of the other slots.
  for (const std::size_t slot : slots)
    if (has(slot)) pin(slot);
  for (const std::size_t slot : missing) {
    allocate(slot);
    pin(slot);
  }
  fill(missing);
  for (const std::size_t slot : slots) unpin(slot);
}

void KernelColumns::allocate(std::size_t slot) {
  std::size_t free = 0;
  while (free < columns_.size() && columns_[free]) ++free;
  if (free == columns_.size() && is_full()) {
    if (const auto oldest = least_recently_used()) {
      position_[columns_[*oldest]->slot].reset();
      free = *oldest;
    }
  }
  if (free == columns_.size()) add_sheet();
  columns_[free] = Column{slot, 0, ++clock_};
  position_[slot] = free;
}

// Besides the limit on memory, there is one on unpinned columns: they save work when they are needed again, but `add_products` reads the
// sheets they are in.
bool KernelColumns::is_full() const {
  const std::size_t sheet_bytes = sheet_width * sizeof(double) * (rows_ + 1);
  const auto pinned = std::count_if(columns_.begin(), columns_.end(), [](const auto& column) { return column && column->pins != 0; });
  return (sheets_.size() + 1) * sheet_bytes > max_bytes_ || columns_.size() > 2 * sheet_width + static_cast<std::size_t>(pinned) * 5 / 4;
}

std::optional<std::size_t> KernelColumns::least_recently_used() const {
  std::optional<std::size_t> oldest;
  for (std::size_t c = 0; c < columns_.size(); ++c)
    if (columns_[c] && columns_[c]->pins == 0 && (!oldest || columns_[c]->last_use < columns_[*oldest]->last_use)) oldest = c;
  return oldest;
}

void KernelColumns::add_sheet() {
  Growing<double>& sheet = sheets_.emplace_back();
  sheet.resize(rows_ * sheet_width);
  columns_.resize(columns_.size() + sheet_width);
}

// Divides the rows into tiles, one task each; a task multiplies the examples of its tile with those of all `slots`.
void KernelColumns::fill(std::span<const std::size_t> slots) {
  const Points<double> picked = points_->pick(slots);
  Block<double> block;
  block.look_at(picked.examples());
  const Examples<double> all = points_->examples();
  kernel_evals_ += slots.size() * rows_;
  const std::size_t work = slots.size() * rows_ * points_->row_cost();
  parallel_for(threads_for(work), (rows_ + tile_rows - 1) / tile_rows, [&](std::size_t task) {
    const std::size_t first = task * tile_rows, length = std::min(tile_rows, rows_ - first);
    std::vector<double> values(slots.size() * length);
    kernel_->fill(block, all.range(first, length), values.data(), length);
    for (std::size_t k = 0; k < slots.size(); ++k) {
      const std::size_t at = position(slots[k]);
      double* sheet = sheets_[at / sheet_width].data() + at % sheet_width;
      for (std::size_t r = 0; r < length; ++r) sheet[(first + r) * sheet_width] = values[k * length + r];
    }
  });
}

std::vector<std::size_t> KernelColumns::slots() const {
  std::vector<std::size_t> slots;
  for (const auto& column : columns_)
    if (column) slots.push_back(column->slot);
  return slots;
}

void KernelColumns::append_row(std::span<const double> values) {
  ++rows_;
  position_.emplace_back();
  std::size_t next = 0;
  for (std::size_t s = 0; s < sheets_.size(); ++s) {
    std::array<double, sheet_width> row{};
    for (std::size_t c = 0; c < sheet_width; ++c)
      if (columns_[s * sheet_width + c]) row[c] = values[next++];
    sheets_[s].append(row.data(), sheet_width);
  }
}

void KernelColumns::drop_column(std::size_t slot) {
  if (!has(slot)) return;
  columns_[position(slot)].reset();
  position_[slot].reset();
}

void KernelColumns::follow(const Moves& moves) {
  for (const auto& [from, to] : moves.list) {
    for (auto& sheet : sheets_) std::copy_n(sheet.data() + from * sheet_width, sheet_width, sheet.data() + to * sheet_width);
    position_[to] = position_[from];
    if (has(to)) columns_[position(to)]->slot = to;
  }
  rows_ = moves.size;
  position_.resize(rows_);
  for (auto& sheet : sheets_) sheet.truncate(rows_ * sheet_width);
}

void KernelColumns::add_products(std::span<const double> weights, std::span<const std::size_t> rows, double* sums) const {
  std::vector<std::size_t> used_sheets;
  for (std::size_t s = 0; s < sheets_.size(); ++s) {
    const auto part = weights.subspan(s * sheet_width, sheet_width);
    if (std::any_of(part.begin(), part.end(), [](double weight) { return weight != 0.0; })) used_sheets.push_back(s);
  }
  const std::size_t work = rows.size() * used_sheets.size() * sheet_width;
  parallel_for(threads_for(work), (rows.size() + tile_rows - 1) / tile_rows, [&](std::size_t task) {
    const std::size_t first = task * tile_rows, length = std::min(tile_rows, rows.size() - first);
    for (const std::size_t s : used_sheets)
      loops<double>().sheet_sums(sheets_[s].data(), rows.data() + first, length, weights.data() + s * sheet_width, sums + first);
  });
}

}  // namespace hinge
