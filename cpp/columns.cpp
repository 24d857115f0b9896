#include "columns.hpp"

#include <algorithm>
#include <array>

#include "parallel.hpp"

namespace hinge {

namespace {

constexpr std::size_t tile = 256;
// Below about this many multiplications a thread costs more than it brings.
constexpr std::size_t worth_a_thread = 1'000'000;

}  // namespace

void Columns::set_limits(std::size_t bytes, std::size_t threads) {
  most_bytes_ = bytes;
  threads_ = kernel_->parameters().kind == KernelKind::callable ? 1 : threads;
}

std::size_t Columns::threads_for(std::size_t work) const { return work < worth_a_thread ? 1 : threads_; }

double Columns::value(std::size_t row, std::size_t slot) const {
  const std::size_t at = column(slot);
  return sheets_[at / sheet_width].data()[row * sheet_width + at % sheet_width];
}

void Columns::need(std::size_t slot) {
  Owner& owner = *owner_[column(slot)];
  ++owner.users;
  owner.last_use = ++clock_;
}

void Columns::need_no_more(std::size_t slot) { --owner_[column(slot)]->users; }

void Columns::find_missing(std::span<const std::size_t> slots) {
  std::vector<std::size_t> missing;
  for (const std::size_t slot : slots)
    if (!has(slot)) missing.push_back(slot);
  if (missing.empty()) return;
  // Columns that are there must not give way to those that are not.
  for (const std::size_t slot : slots)
    if (has(slot)) need(slot);
  for (const std::size_t slot : missing) {
    place_for(slot);
    need(slot);
  }
  fill(missing);
  for (const std::size_t slot : slots) need_no_more(slot);
}

std::size_t Columns::place_for(std::size_t slot) {
  std::size_t free = 0;
  while (free < owner_.size() && owner_[free]) ++free;
  if (free == owner_.size() && is_full()) {
    if (const auto oldest = oldest_unneeded()) {
      column_of_[owner_[*oldest]->slot].reset();
      free = *oldest;
    }
  }
  if (free == owner_.size()) add_sheet();
  owner_[free] = Owner{slot, 0, ++clock_};
  column_of_[slot] = free;
  return free;
}

// Columns that nobody needs save work when they are wanted again, but every sum over the sheets passes them as well.
bool Columns::is_full() const {
  const std::size_t sheet_bytes = sheet_width * sizeof(double) * (rows_ + 1);
  const auto needed = std::count_if(owner_.begin(), owner_.end(), [](const auto& owner) { return owner && owner->users != 0; });
  return (sheets_.size() + 1) * sheet_bytes > most_bytes_ || owner_.size() > 2 * sheet_width + static_cast<std::size_t>(needed) * 5 / 4;
}

std::optional<std::size_t> Columns::oldest_unneeded() const {
  std::optional<std::size_t> oldest;
  for (std::size_t c = 0; c < owner_.size(); ++c)
    if (owner_[c] && owner_[c]->users == 0 && (!oldest || owner_[c]->last_use < owner_[*oldest]->last_use)) oldest = c;
  return oldest;
}

void Columns::add_sheet() {
  Growing<double>& sheet = sheets_.emplace_back();
  sheet.resize(rows_ * sheet_width);
  owner_.resize(owner_.size() + sheet_width);
}

// Tiles of rows over threads; each is one product of all owners with the examples of the tile.
void Columns::fill(std::span<const std::size_t> slots) {
  const Points<double> picked = points_->pick(slots);
  Block<double> block;
  block.look_at(picked.examples());
  const Examples<double> all = points_->examples();
  kernel_evals_ += slots.size() * rows_;
  const std::size_t work = slots.size() * rows_ * points_->row_cost();
  parallel_for(threads_for(work), (rows_ + tile - 1) / tile, [&](std::size_t task) {
    const std::size_t first = task * tile, length = std::min(tile, rows_ - first);
    std::vector<double> values(slots.size() * length);
    kernel_->fill(block, all.range(first, length), values.data(), length);
    for (std::size_t k = 0; k < slots.size(); ++k) {
      const std::size_t at = column(slots[k]);
      double* sheet = sheets_[at / sheet_width].data() + at % sheet_width;
      for (std::size_t r = 0; r < length; ++r) sheet[(first + r) * sheet_width] = values[k * length + r];
    }
  });
}

std::vector<std::size_t> Columns::owners() const {
  std::vector<std::size_t> slots;
  for (const auto& owner : owner_)
    if (owner) slots.push_back(owner->slot);
  return slots;
}

void Columns::append_row(std::span<const double> values) {
  ++rows_;
  column_of_.emplace_back();
  std::size_t next = 0;
  for (std::size_t s = 0; s < sheets_.size(); ++s) {
    std::array<double, sheet_width> row{};
    for (std::size_t c = 0; c < sheet_width; ++c)
      if (owner_[s * sheet_width + c]) row[c] = values[next++];
    sheets_[s].append(row.data(), sheet_width);
  }
}

void Columns::forget_column(std::size_t slot) {
  if (!has(slot)) return;
  owner_[column(slot)].reset();
  column_of_[slot].reset();
}

void Columns::follow(const Moves& moves) {
  for (const auto& [from, to] : moves.list) {
    for (auto& sheet : sheets_) std::copy_n(sheet.data() + from * sheet_width, sheet_width, sheet.data() + to * sheet_width);
    column_of_[to] = column_of_[from];
    if (has(to)) owner_[column(to)]->slot = to;
  }
  rows_ = moves.size;
  column_of_.resize(rows_);
  for (auto& sheet : sheets_) sheet.truncate(rows_ * sheet_width);
}

void Columns::add_products(std::span<const double> weights, std::span<const std::size_t> rows, double* sums) const {
  std::vector<std::size_t> busy;
  for (std::size_t s = 0; s < sheets_.size(); ++s) {
    const auto part = weights.subspan(s * sheet_width, sheet_width);
    if (std::any_of(part.begin(), part.end(), [](double weight) { return weight != 0.0; })) busy.push_back(s);
  }
  const std::size_t work = rows.size() * busy.size() * sheet_width;
  parallel_for(threads_for(work), (rows.size() + tile - 1) / tile, [&](std::size_t task) {
    const std::size_t first = task * tile, length = std::min(tile, rows.size() - first);
    for (const std::size_t s : busy)
      loops<double>().sheet_sums(sheets_[s].data(), rows.data() + first, length, weights.data() + s * sheet_width, sums + first);
  });
}

}  // namespace hinge
