// The few loops that run over every support vector. They are compiled once for each instruction set (see dispatch.cpp), so this
// header must stay free of anything that the linker could merge between those builds: plain data and function pointers only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hinge {

// Arrays given to the loops are readable up to the next multiple of this many elements.
inline constexpr std::size_t lane_padding = 16;
inline constexpr std::size_t segment_length = 1024;
inline constexpr std::size_t sheet_width = 256;
constexpr std::size_t padded(std::size_t count) { return (count + lane_padding - 1) / lane_padding * lane_padding; }

// Which way a coefficient may still move inside its box.
inline constexpr std::uint8_t may_rise = 1;
inline constexpr std::uint8_t may_fall = 2;

// The largest gradient that may rise and the smallest that may fall: together they bracket the bias.
// `top_at` means nothing when top is -infinity, `bottom_at` nothing when bottom is +infinity.
struct Extremes {
  double top;
  double bottom;
  std::size_t top_at;
  std::size_t bottom_at;
};

// The extremes, and the duality gap of a binary without a bias: sum_i max(up_i g_i, down_i g_i), where a coefficient may rise by up and fall
// by -down.
struct Ascent {
  Extremes extremes;
  double gap;
};

// Sums over the members of a binary without a bias: h_i = C_i y_i g_i and its squares.
struct Slack {
  double sum;
  double squares;
};

// The smallest and the largest value of something.
struct Range {
  double lowest;
  double highest;
};

// One feature of sparse examples that are listed by feature (see sparse_index.hpp): where its entries stand. Without a count the line is full, one
// value per example.
struct SparseLine {
  std::size_t first;
  std::size_t count;
};

template <class T>
struct SparseLines {
  const std::int32_t* line_of;  // by feature; 0: nobody has it
  const SparseLine* lines;
  const T* full;
  const std::int32_t* listed;  // which examples have the feature, and with which values
  const T* values;
  std::size_t width;  // of full lines
};

// The partner that promises the largest gain with a fixed example; `found` is false when no pair is violating.
struct Partner {
  std::size_t at;
  bool found;
};

template <class T>
struct Loops {
  // gradient -= step * (rising - falling), then the new extremes, in one pass. Rows come in segments (see segments.hpp).
  Extremes (*descend)(double* gradient, const T* const* rising, const T* const* falling, double step,
                      const std::uint8_t* room, std::size_t count);
  // Without a bias: gradient -= first_step * first + second_step * second, then the new extremes and the duality gap, in one pass.
  Ascent (*coordinate_step)(double* gradient, const T* const* first, double first_step, const T* const* second, double second_step,
                  const double* up, const double* down, std::size_t count);
  Extremes (*extremes)(const double* gradient, const std::uint8_t* room, std::size_t count);
  Slack (*slack)(const double* gradient, const double* low, const double* high, const double* label, std::size_t count);
  // Of label - gradient, the decision without the bias, over all members that have room: those that were not removed.
  Range (*decisions)(const double* gradient, const double* label, const std::uint8_t* room, std::size_t count);
  // Largest (fixed_gradient - gradient_j)^2 / (fixed_diagonal + diagonal_j - 2 row_j) over j that may move the way that makes a violating pair
  // with the fixed example: fall, if that rises (direction 1), or rise (direction -1).
  Partner (*partner)(const double* gradient, const T* const* row, const T* diagonal, const std::uint8_t* room,
                     double fixed_gradient, double fixed_diagonal, double direction, std::size_t count);
  double (*dot)(const T* row, const double* weights, std::size_t count);
  double (*sum_of_squares)(const T* values, std::size_t count);
  // products[r * count + j] = <row r of x, row picked_j of values>, rows of `features` values.
  void (*picked_products)(const T* x, std::size_t rows, const T* values, const std::size_t* picked, std::size_t count, std::size_t features,
                          T* products);
  // values_j = exp(-gamma * (norm + norms_j - 2 values_j)), the distance never below zero.
  void (*gaussian)(T* values, const T* norms, T norm, T gamma, std::size_t count);
  // values_j = exp(-gamma * values_j)
  void (*exponential)(T* values, T gamma, std::size_t count);
  // One sparse row z against examples x_l that are listed by feature: sums_l += <x_l, z>, and sums_l += |x_l - z|_1 - |x_l|_1 - |z|_1.
  using SparseSum = void(T* sums, const SparseLines<T>& lines, const std::int32_t* index, const T* value, std::size_t size);
  SparseSum* sparse_products;
  SparseSum* sparse_distances;
  // Of differences in double precision.
  double (*squared_distance)(const T* a, const T* b, std::size_t count);
  T (*absolute_distance)(const T* a, const T* b, std::size_t count);
  // sums_i += <row rows_i of a sheet, weights>, rows of sheet_width values.
  void (*sheet_sums)(const T* sheet, const std::size_t* rows, std::size_t count, const double* weights, double* sums);
  // Some rows of a symmetric matrix, which is stored as the rows of its lower triangle, one behind the other: what they and their mirror
  // images add to matrix * vector, and rows += sum_t weights_t vectors_t vectors_t'.
  void (*symmetric_product)(const double* triangle, std::size_t first, std::size_t last, const double* vector, double* result);
  void (*symmetric_update)(double* triangle, std::size_t first, std::size_t last, const double* const* vectors, const double* weights,
                           std::size_t count);
  // values_j = factor * cos(values_j + phases_j)
  void (*cosine)(T* values, const T* phases, T factor, std::size_t count);
  // sums += factor * row
  void (*add_scaled)(T* sums, const T* row, T factor, std::size_t count);
  // sums += factor * row, in double precision
  void (*add_row)(double* sums, double factor, const T* row, std::size_t count);
  // first += first_factor * row, and the same for a second sum, in one pass
  void (*add_to_both)(double* first, double first_factor, double* second, double second_factor, const T* row, std::size_t count);
};

// The fastest build of the loops that this processor runs.
template <class T>
const Loops<T>& loops();

const char* instruction_set();

}  // namespace hinge
