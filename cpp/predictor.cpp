#include "predictor.hpp"

#include <algorithm>
#include <utility>

#include "decision.hpp"
#include "loops.hpp"

namespace hinge {

namespace {

// An index is made again when so many examples are missing from it. It has an entry for each feature: where there are very many of them,
// an index of what is missing would take as long as one of everything.
constexpr std::size_t many_missing = 64;
constexpr std::size_t many_features = 1 << 20;
// A longer index is made for each call and not kept.
constexpr std::size_t longest_index = 1 << 21;
// Fewer rows than this are answered from where the support vectors are, more are worth a copy of these side by side.
constexpr std::size_t worth_a_copy = 16;
constexpr std::size_t packed_block = 4 * lane_padding;

template <class T>
bool is_usable(const std::shared_ptr<const Lazy<ColumnIndex<T>>>& index, const Points<T>& points) {
  const ColumnIndex<T>* made = index ? index->find() : nullptr;
  const std::size_t missing = points.features() > many_features ? 0 : many_missing;
  return made && made->count > 0 && made->count + missing >= points.size();
}

}  // namespace

template <class T>
void Predictor<T>::decide(const Batch<T>& batch, std::span<double> decisions, std::size_t threads) const {
  for (std::size_t r = 0; r < batch.count; ++r) std::copy(biases_.begin(), biases_.end(), decisions.data() + r * biases_.size());
  add_sums(batch, decisions.data(), threads);
}

template <class T>
KernelPredictor<T>::KernelPredictor(const Kernel<T>& kernel, std::vector<T> shift, const Points<T>& points, std::vector<double> weights,
                                    std::vector<double> biases, std::shared_ptr<const Index> inherited)
    : Predictor<T>(points.features(), points.sparse(), std::move(biases)),
      kernel_(kernel),
      shift_(std::move(shift)),
      held_(points.snapshot()),
      weights_(std::move(weights)),
      row_cost_(points.row_cost()),
      keeps_index_(points.sparse() && points.features() + points.stored_values() < longest_index) {
  if (keeps_index_) index_ = is_usable(inherited, points) ? std::move(inherited) : std::make_shared<const Index>();
}

template <class T>
void KernelPredictor<T>::add_sums(const Batch<T>& batch, double* decisions, std::size_t threads) const {
  Examples<T> held = held_.examples;
  SparseColumns<T> unkept;
  if (held.sparse && batch.count > 1) {
    if (keeps_index_) {
      const ColumnIndex<T>& index = index_->get([&] { return ColumnIndex<T>{columns_of(held), held.count}; });
      held.columns = &index.columns;
      if (index.count < held.count) held.later_columns = &later_columns_.get([&] { return columns_of(held, index.count); });
    } else {
      unkept = columns_of(held);
      held.columns = &unkept;
    }
  }
  const SparseForm form = held.columns ? SparseForm::rows_only : SparseForm::indexed;
  const std::size_t size = held.sparse ? lane_padding : block_rows<T>(held.count), binaries = this->binaries();
  for_blocks(batch.count, size, threads_for(batch.count, held.count, row_cost_, threads), [&](std::size_t first, auto rows) {
    Block<T> block;
    block.take(kernel_, batch, rows, 0, shift_, form);
    add_block_decisions(kernel_, block, held, weights_, binaries, decisions + first * binaries);
  });
}

PickedPredictor::PickedPredictor(const Kernel<double>& kernel, const Points<double>& points, std::vector<std::size_t> slots,
                                 std::vector<double> weights, std::vector<double> biases)
    : Predictor<double>(points.features(), points.sparse(), std::move(biases)),
      kernel_(kernel),
      held_(points.snapshot()),
      slots_(std::move(slots)),
      weights_(std::move(weights)) {}

void PickedPredictor::add_sums(const Batch<double>& batch, double* decisions, std::size_t threads) const {
  if (batch.count < worth_a_copy) return add_one_by_one(batch, decisions);
  const Examples<double> packed = packed_.get([&] { return pack(); }).view(held_.examples.largest_norm);
  for_blocks(batch.count, packed_block, threads, [&](std::size_t first, auto rows) {
    Block<double> block;
    block.take(kernel_, batch, rows, 0, {});
    add_block_decisions(kernel_, block, packed, weights_, binaries(), decisions + first * binaries());
  });
}

void PickedPredictor::add_one_by_one(const Batch<double>& batch, double* decisions) const {
  std::vector<double> values(slots_.size());
  for_blocks(batch.count, 1, 1, [&](std::size_t row, auto rows) {
    Block<double> block;
    block.take(kernel_, batch, rows, 0, {});
    kernel_.fill_picked(block, held_.examples, slots_, values.data());
    for (std::size_t m = 0; m < binaries(); ++m)
      decisions[row * binaries() + m] += loops<double>().dot(values.data(), weights_.data() + m * slots_.size(), slots_.size());
  });
}

RowStore<double> PickedPredictor::pack() const {
  RowStore<double> packed(features(), sparse());
  packed.reserve(slots_.size());
  for (const std::size_t slot : slots_) packed.append(held_.examples, slot);
  return packed;
}

template <class T>
LinearPredictor<T>::LinearPredictor(std::shared_ptr<const FeatureMap<T>> map, std::vector<double> folded, std::vector<double> biases,
                                    std::size_t block_rows)
    : Predictor<T>(map->features(), map->sparse(), std::move(biases)),
      map_(std::move(map)),
      folded_(std::move(folded)),
      block_rows_(block_rows) {}

template <class T>
void LinearPredictor<T>::add_sums(const Batch<T>& batch, double* decisions, std::size_t threads) const {
  const std::size_t binaries = this->binaries();
  for_blocks(batch.count, block_rows_, map_->threads_for(batch.count, threads), [&](std::size_t first, auto rows) {
    Block<T> block;
    map_->take(block, batch, rows, 0);
    map_->add_decisions(block, folded_, binaries, decisions + first * binaries);
  });
}

template class Predictor<float>;
template class Predictor<double>;
template class KernelPredictor<float>;
template class KernelPredictor<double>;
template class LinearPredictor<float>;
template class LinearPredictor<double>;

}  // namespace hinge
