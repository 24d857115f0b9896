// Compiled once for each instruction set, with HINGE_ISA naming the namespace of that build. Everything here is `static` or in
// that namespace, so that no function built for a newer processor can be picked for an older one.
#include "loops.hpp"

#include <cstring>
#include <limits>

// Vectors are passed between functions of this file only, all inlined: no calling convention is at stake.
#pragma GCC diagnostic ignored "-Wpsabi"

#ifndef HINGE_ISA
#define HINGE_ISA baseline
#endif

#include "loops_elementary.hpp"
#include "loops_products.hpp"

namespace hinge::HINGE_ISA {

namespace {

// Eight lanes of each type: one 512-bit register of doubles, or two 256-bit ones, as the target has it.
constexpr std::size_t lanes = 8;
typedef double Doubles __attribute__((vector_size(64)));
typedef float Floats __attribute__((vector_size(32)));
typedef std::int64_t Longs __attribute__((vector_size(64)));
typedef std::uint8_t Bytes __attribute__((vector_size(8)));

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Vector, class T>
inline Vector load(const T* from) {
  Vector value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

inline Doubles widen(const float* from) { return __builtin_convertvector(load<Floats>(from), Doubles); }
inline Doubles widen(const double* from) { return load<Doubles>(from); }

inline Doubles spread(double value) { return Doubles{} + value; }
inline Longs first_indices() { return Longs{0, 1, 2, 3, 4, 5, 6, 7}; }

// All ones in the lanes whose room has the wanted bit.
inline Longs lanes_with(const std::uint8_t* room, std::uint8_t bit) {
  const Longs bits = __builtin_convertvector(load<Bytes>(room), Longs);
  return (bits & static_cast<std::int64_t>(bit)) != 0;
}

struct LaneExtremes {
  Doubles top = spread(-infinity), bottom = spread(infinity);
  Longs top_at{}, bottom_at{};

  void look(Doubles value, const std::uint8_t* room, Longs index) {
    take(value, lanes_with(room, may_rise) & (value > top), lanes_with(room, may_fall) & (value < bottom), index);
  }

  void take(Doubles value, Longs higher, Longs lower, Longs index) {
    top = higher ? value : top;
    top_at = higher ? index : top_at;
    bottom = lower ? value : bottom;
    bottom_at = lower ? index : bottom_at;
  }

  Extremes reduce() const {
    Extremes result{-infinity, infinity, 0, 0};
    for (std::size_t l = 0; l < lanes; ++l) {
      const auto high = static_cast<std::size_t>(top_at[l]), low = static_cast<std::size_t>(bottom_at[l]);
      if (top[l] > result.top || (top[l] == result.top && high < result.top_at)) result.top = top[l], result.top_at = high;
      if (bottom[l] < result.bottom || (bottom[l] == result.bottom && low < result.bottom_at))
        result.bottom = bottom[l], result.bottom_at = low;
    }
    return result;
  }
};

// Segments lie anywhere: the processor cannot guess where the next one starts.
template <class T>
inline void announce(const T* segment) {
  constexpr std::size_t line = 64 / sizeof(T);
  for (std::size_t l = 0; l < 8; ++l) __builtin_prefetch(segment + l * line);
}

template <class T>
Ascent coordinate_step(double* gradient, const T* const* first, double first_step, const T* const* second, double second_step,
             const double* up, const double* down, std::size_t count) {
  LaneExtremes best;
  Doubles gap{};
  Longs index = first_indices();
  for (std::size_t start = 0; start < count; start += segment_length) {
    const T *one = first[start / segment_length], *two = second[start / segment_length];
    const std::size_t length = count - start < segment_length ? count - start : segment_length;
    double* g = gradient + start;
    if (start + segment_length < count) {
      announce(first[start / segment_length + 1]);
      announce(second[start / segment_length + 1]);
    }
    for (std::size_t j = 0; j < length; j += lanes, index += static_cast<std::int64_t>(lanes)) {
      const Doubles value = load<Doubles>(g + j) - first_step * widen(one + j) - second_step * widen(two + j);
      std::memcpy(g + j, &value, sizeof value);
      const Doubles rise = load<Doubles>(up + start + j), fall = load<Doubles>(down + start + j);
      best.take(value, (rise > 0.0) & (value > best.top), (fall < 0.0) & (value < best.bottom), index);
      const Doubles rising = rise * value, falling = fall * value;
      gap += rising > falling ? rising : falling;
    }
  }
  double total = 0.0;
  for (std::size_t l = 0; l < lanes; ++l) total += gap[l];
  return {best.reduce(), total};
}

Slack slack(const double* gradient, const double* low, const double* high, const double* label, std::size_t count) {
  Doubles sum{}, squares{};
  for (std::size_t j = 0; j < count; j += lanes) {
    const Doubles cost = load<Doubles>(high + j) - load<Doubles>(low + j);
    const Doubles h = cost * load<Doubles>(label + j) * load<Doubles>(gradient + j);
    sum += h;
    squares += h * h;
  }
  Slack total{0.0, 0.0};
  for (std::size_t l = 0; l < lanes; ++l) total.sum += sum[l], total.squares += squares[l];
  return total;
}

template <class T>
Extremes descend(double* gradient, const T* const* rising, const T* const* falling, double step, const std::uint8_t* room,
                 std::size_t count) {
  LaneExtremes best;
  Longs index = first_indices();
  for (std::size_t first = 0; first < count; first += segment_length) {
    const T *up = rising[first / segment_length], *down = falling[first / segment_length];
    const std::size_t length = count - first < segment_length ? count - first : segment_length;
    double* g = gradient + first;
    if (first + segment_length < count) {
      announce(rising[first / segment_length + 1]);
      announce(falling[first / segment_length + 1]);
    }
    for (std::size_t j = 0; j < length; j += lanes, index += static_cast<std::int64_t>(lanes)) {
      const Doubles value = load<Doubles>(g + j) - step * (widen(up + j) - widen(down + j));
      std::memcpy(g + j, &value, sizeof value);
      best.look(value, room + first + j, index);
    }
  }
  return best.reduce();
}

Extremes extremes(const double* gradient, const std::uint8_t* room, std::size_t count) {
  LaneExtremes best;
  Longs index = first_indices();
  for (std::size_t j = 0; j < count; j += lanes, index += static_cast<std::int64_t>(lanes))
    best.look(load<Doubles>(gradient + j), room + j, index);
  return best.reduce();
}

Range decisions(const double* gradient, const double* label, const std::uint8_t* room, std::size_t count) {
  LaneExtremes best;
  Longs index = first_indices();
  for (std::size_t j = 0; j < count; j += lanes, index += static_cast<std::int64_t>(lanes)) {
    const Doubles value = load<Doubles>(label + j) - load<Doubles>(gradient + j);
    const Longs held = lanes_with(room + j, may_rise | may_fall);
    best.take(value, held & (value > best.top), held & (value < best.bottom), index);
  }
  const Extremes found = best.reduce();
  return {found.bottom, found.top, found.bottom_at, found.top_at};
}

// Fractions are compared by cross multiplication: a division for every example would cost more than all the rest.
template <class T>
Partner partner(const double* gradient, const T* const* row, const T* diagonal, const std::uint8_t* room,
                double fixed_gradient, double fixed_diagonal, double direction, std::size_t count) {
  const std::uint8_t way = direction > 0.0 ? may_fall : may_rise;
  const Doubles tiny = spread(1e-12);
  Doubles numerator{}, denominator = spread(1.0);
  Longs at{}, index = first_indices();
  for (std::size_t first = 0; first < count; first += segment_length) {
    const T* segment = row[first / segment_length];
    const std::size_t last = count - first < segment_length ? count : first + segment_length;
    if (last < count) announce(row[first / segment_length + 1]);
    for (std::size_t j = first; j < last; j += lanes, index += static_cast<std::int64_t>(lanes)) {
      const Doubles slope = direction * (fixed_gradient - load<Doubles>(gradient + j));
      Doubles curvature = fixed_diagonal + widen(diagonal + j) - 2.0 * widen(segment + (j - first));
      curvature = curvature > tiny ? curvature : tiny;
      const Doubles gain = slope * slope;
      const Longs better =
          lanes_with(room + j, way) & (slope > spread(0.0)) & (gain * denominator > numerator * curvature);
      numerator = better ? gain : numerator;
      denominator = better ? curvature : denominator;
      at = better ? index : at;
    }
  }
  Partner best{0, false};
  double best_gain = 0.0;
  for (std::size_t l = 0; l < lanes; ++l) {
    const double gain = numerator[l] / denominator[l];
    const auto here = static_cast<std::size_t>(at[l]);
    if (gain > best_gain || (best.found && gain == best_gain && here < best.at)) {
      best = {here, true};
      best_gain = gain;
    }
  }
  return best;
}

template <class T>
double dot(const T* row, const double* weights, std::size_t count) {
  Doubles even{}, odd{};
  std::size_t j = 0;
  for (; j + 2 * lanes <= count; j += 2 * lanes) {
    even += widen(row + j) * load<Doubles>(weights + j);
    odd += widen(row + j + lanes) * load<Doubles>(weights + j + lanes);
  }
  even += odd;
  double total = 0.0;
  for (std::size_t l = 0; l < lanes; ++l) total += even[l];
  for (; j < count; ++j) total += static_cast<double>(row[j]) * weights[j];
  return total;
}

template <class T>
double sum_of_squares(const T* values, std::size_t count) {
  Doubles sums{};
  std::size_t j = 0;
  for (; j + lanes <= count; j += lanes) sums += widen(values + j) * widen(values + j);
  double total = 0.0;
  for (std::size_t l = 0; l < lanes; ++l) total += sums[l];
  for (; j < count; ++j) total += static_cast<double>(values[j]) * static_cast<double>(values[j]);
  return total;
}

template <class T>
void gaussian(T* values, const T* norms, T norm, T gamma, std::size_t count) {
  for (std::size_t j = 0; j < count; ++j) {
    const T distance = norm + norms[j] - T(2) * values[j];
    values[j] = exp_of(-gamma * (distance > T(0) ? distance : T(0)));
  }
}

template <class T>
void exponential(T* values, T gamma, std::size_t count) {
  for (std::size_t j = 0; j < count; ++j) values[j] = exp_of(-gamma * (values[j] > T(0) ? values[j] : T(0)));
}

template <class T>
void cosine(T* values, const T* phases, T factor, std::size_t count) {
  for (std::size_t j = 0; j < count; ++j) values[j] = factor * cos_of(values[j] + phases[j]);
}

template <class T>
void add_scaled(T* sums, const T* row, T factor, std::size_t count) {
  for (std::size_t j = 0; j < count; ++j) sums[j] += factor * row[j];
}

template <class T>
void add_row(double* sums, double factor, const T* row, std::size_t count) {
  for (std::size_t j = 0; j < count; ++j) sums[j] += factor * static_cast<double>(row[j]);
}

template <class T>
void add_to_both(double* first, double first_factor, double* second, double second_factor, const T* row, std::size_t count) {
  for (std::size_t j = 0; j < count; ++j) {
    const double value = static_cast<double>(row[j]);
    first[j] += first_factor * value;
    second[j] += second_factor * value;
  }
}

template <class T>
inline T magnitude(T value) {
  return value < T(0) ? -value : value;
}

template <class T>
struct Product {
  static T of(T source, T value) { return source * value; }
};

template <class T>
struct AddedDistance {
  static T of(T source, T value) { return magnitude(source - value) - magnitude(source) - magnitude(value); }
};

// Lines of the features of one row, found before any is used: a wrong guess of how long a line is then does not delay the search for the next.
constexpr std::size_t found_together = 128;

template <class T>
struct FoundLine {
  SparseLine line;
  T factor;
};

// The entry need not exist.
template <class T>
inline void prefetch_entry(const T* entries, std::size_t place) {
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(entries) + place * sizeof(T)));
}

template <class T>
std::size_t find_lines(FoundLine<T>* found, const SparseLines<T>& lines, const std::int32_t* index, const T* value, std::size_t size) {
  std::size_t count = 0;
  for (std::size_t e = 0; e < size; ++e) {
    const std::int32_t number = lines.line_of[index[e]];
    const SparseLine line = lines.lines[number];
    found[count] = {line, value[e]};
    prefetch_entry(lines.listed, line.first);  // for full lines in vain, which costs less than to ask
    prefetch_entry(lines.values, line.first);
    count += number != 0;
  }
  return count;
}

// The width is a multiple of the padding. Copies on the stack become registers; without them the loop takes a third longer. GCC 12 misaligns such
// copies under AddressSanitizer (bug 110027), so it leaves this function out; the callers are checked.
template <class T, class Term>
__attribute__((no_sanitize("address"))) inline void add_full_line(T* sums, const T* source, T factor, std::size_t width) {
  constexpr std::size_t together = lane_padding;
  for (std::size_t l = 0; l < width; l += together) {
    T terms[together], parts[together];
    std::memcpy(parts, sums + l, sizeof parts);
    std::memcpy(terms, source + l, sizeof terms);
    for (std::size_t k = 0; k < together; ++k) parts[k] += Term::of(terms[k], factor);
    std::memcpy(sums + l, parts, sizeof parts);
  }
}

template <class T, class Term>
void add_sparse(T* sums, const SparseLines<T>& lines, const std::int32_t* index, const T* value, std::size_t size) {
  FoundLine<T> found[found_together];
  for (std::size_t e = 0; e < size; e += found_together) {
    const std::size_t count = find_lines(found, lines, index + e, value + e, size - e < found_together ? size - e : found_together);
    for (std::size_t f = 0; f < count; ++f) {
      const auto [line, factor] = found[f];
      if (line.count == 0) {
        add_full_line<T, Term>(sums, lines.full + line.first, factor, lines.width);
        continue;
      }
      const std::int32_t* listed = lines.listed + line.first;
      const T* source = lines.values + line.first;
      for (std::size_t p = 0; p < line.count; ++p) sums[listed[p]] += Term::of(source[p], factor);
    }
  }
}

template <class T>
double squared_distance(const T* a, const T* b, std::size_t count) {
  Doubles sums{};
  std::size_t j = 0;
  for (; j + lanes <= count; j += lanes) {
    const Doubles difference = widen(a + j) - widen(b + j);
    sums += difference * difference;
  }
  double total = 0.0;
  for (std::size_t l = 0; l < lanes; ++l) total += sums[l];
  for (; j < count; ++j) {
    const double difference = static_cast<double>(a[j]) - static_cast<double>(b[j]);
    total += difference * difference;
  }
  return total;
}

template <class T>
T absolute_distance(const T* a, const T* b, std::size_t count) {
  T lane[lanes] = {};
  std::size_t j = 0;
  for (; j + lanes <= count; j += lanes)
    for (std::size_t l = 0; l < lanes; ++l) lane[l] += magnitude(a[j + l] - b[j + l]);
  T total = 0;
  for (; j < count; ++j) total += magnitude(a[j] - b[j]);
  for (std::size_t l = 0; l < lanes; ++l) total += lane[l];
  return total;
}

template <class T>
void sheet_sums(const T* sheet, const std::size_t* rows, std::size_t count, const double* weights, double* sums) {
  for (std::size_t i = 0; i < count; ++i) sums[i] += dot(sheet + rows[i] * sheet_width, weights, sheet_width);
}

inline void store(double* to, Doubles value) { std::memcpy(to, &value, sizeof value); }

// One row and its mirror image, the column, in one pass over its values.
inline void add_row_and_column(const double* row, std::size_t i, const double* vector, double* result) {
  const Doubles factor = spread(vector[i]);
  Doubles sums{};
  std::size_t j = 0;
  for (; j + lanes <= i; j += lanes) {
    const Doubles values = load<Doubles>(row + j);
    sums += values * load<Doubles>(vector + j);
    store(result + j, load<Doubles>(result + j) + factor * values);
  }
  double total = row[i] * vector[i];
  for (; j < i; ++j) {
    total += row[j] * vector[j];
    result[j] += vector[i] * row[j];
  }
  for (std::size_t l = 0; l < lanes; ++l) total += sums[l];
  result[i] += total;
}

void symmetric_product(const double* triangle, std::size_t first, std::size_t last, const double* vector, double* result) {
  triangle += first * (first + 1) / 2;
  for (std::size_t i = first; i < last; triangle += ++i) add_row_and_column(triangle, i, vector, result);
}

void symmetric_update(double* triangle, std::size_t first, std::size_t last, const double* const* vectors, const double* weights,
                      std::size_t count) {
  triangle += first * (first + 1) / 2;
  for (std::size_t i = first; i < last; triangle += ++i) {
    std::size_t j = 0;
    for (; j + lanes <= i + 1; j += lanes) {
      Doubles values = load<Doubles>(triangle + j);
      for (std::size_t t = 0; t < count; ++t) values += spread(weights[t] * vectors[t][i]) * load<Doubles>(vectors[t] + j);
      store(triangle + j, values);
    }
    for (; j <= i; ++j)
      for (std::size_t t = 0; t < count; ++t) triangle[j] += weights[t] * vectors[t][i] * vectors[t][j];
  }
}

template <class T>
constexpr Loops<T> build() {
  return {descend<T>,  coordinate_step<T>,       extremes,      slack,           decisions,     partner<T>,    dot<T>,          sum_of_squares<T>,     picked_products<T>,
          gaussian<T>, exponential<T>, add_sparse<T, Product<T>>, add_sparse<T, AddedDistance<T>>, squared_distance<T>, absolute_distance<T>,
          sheet_sums<T>, symmetric_product, symmetric_update, cosine<T>, add_scaled<T>, add_row<T>, add_to_both<T>};
}

}  // namespace

extern const Loops<float> loops_float;
extern const Loops<double> loops_double;
const Loops<float> loops_float = build<float>();
const Loops<double> loops_double = build<double>();

}  // namespace hinge::HINGE_ISA
