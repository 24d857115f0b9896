// Kernel functions. One call fills a block of kernel values; every kernel value in the library comes from here.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "block.hpp"
#include "examples.hpp"

namespace hinge {

enum class KernelKind { linear, rbf, poly, sigmoid, laplacian, precomputed, callable };

// linear <x,z>, rbf exp(-gamma |x-z|^2), poly (gamma <x,z> + coef0)^degree, sigmoid tanh(gamma <x,z> + coef0),
// laplacian exp(-gamma |x-z|_1). Precomputed: an example's features are its row of the Gram matrix and its id is its column.
struct KernelParameters {
  KernelKind kind = KernelKind::rbf;
  double gamma = 1.0;
  double coef0 = 0.0;
  int degree = 3;
};

// A row of the left and a row of the right side whose kernel value lost too many digits.
struct ImprecisePair {
  std::size_t left, right;
};

template <class T>
class Kernel {
 public:
  // The user's own kernel: fills values[r * stride + j] for every pair of rows.
  using Function = std::function<void(const Examples<T>& left, const Examples<T>& right, T* values, std::size_t stride)>;

  explicit Kernel(KernelParameters parameters, Function function = {});

  // values[r * stride + j] = k(left row r, right row j).
  void fill(const Block<T>& left, const Examples<T>& right, T* values, std::size_t stride) const;
  // values[r * picked.size() + j] = k(left row r, right row picked[j]).
  void fill_picked(const Block<T>& left, const Examples<T>& right, std::span<const std::size_t> picked, T* values) const;
  // k(x, x) of one row of a block.
  T self(const Block<T>& block, std::size_t row) const;
  // What the kernel wants to know of an example beforehand: the squared norm (rbf) or the sum of magnitudes (laplacian).
  T norm(const Examples<T>& examples, std::size_t row) const;
  // The distance form of rbf loses digits when examples lie far from zero; a common shift does not change it.
  bool wants_shift(double squared_mean, double squared_spread) const;
  const KernelParameters& parameters() const { return parameters_; }
  // A function of products alone, which are enough to compute it.
  bool is_product() const { return parameters_.kind == KernelKind::linear || parameters_.kind == KernelKind::poly || parameters_.kind == KernelKind::sigmoid; }
  // Symmetric, and computed here.
  bool is_built_in() const { return parameters_.kind != KernelKind::precomputed && parameters_.kind != KernelKind::callable; }

 private:
  void fill_products(const Block<T>& left, const Examples<T>& right, T* values, std::size_t stride) const;
  void fill_sparse(const Block<T>& left, const Examples<T>& right, T* values, std::size_t stride) const;
  void fill_by_index(const Block<T>& left, const Examples<T>& right, T* values, std::size_t stride) const;
  void fill_by_columns(const Block<T>& left, const Examples<T>& right, T* values, std::size_t stride) const;
  void fill_precomputed(const Block<T>& left, const Examples<T>& right, T* values, std::size_t stride) const;
  void apply(const Block<T>& left, const Examples<T>& right, T* values, std::size_t stride) const;
  // How large two squared norms may be together before their products lose too many digits, and whether some here are larger.
  T largest_norms() const;
  T least_value(T norms) const;
  bool may_cancel(const Block<T>& left, const Examples<T>& right) const;
  std::vector<ImprecisePair> imprecise_pairs(const Block<T>& left, const Examples<T>& right, const T* values, std::size_t stride) const;
  bool distances_in_double(const Block<T>& left, const Examples<T>& right, std::span<const ImprecisePair> pairs, T* distances) const;
  void repair(const Block<T>& left, const Examples<T>& right, T* values, std::size_t stride) const;

  KernelParameters parameters_;
  Function function_;
};

}  // namespace hinge
