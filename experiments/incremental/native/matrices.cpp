#include "matrices.hpp"

#include <cmath>
#include <cstring>

namespace {

int as_int(std::size_t size) { return static_cast<int>(size); }

// result = left' matrix + result, for a row-major matrix of so many rows and columns, by one call of dgemm.
void multiply(const Blas& blas, const Vector& left, Vector& matrix, std::size_t columns, double* result) {
  char no = 'N';
  int m = as_int(columns), n = 1, k = as_int(left.size());
  double one = 1.0;
  blas.gemm(&no, &no, &m, &n, &k, &one, matrix.data(), &m, const_cast<double*>(left.data()), &k, &one, result, &m);
}

class CopyingStorage final : public Storage {
 public:
  using Storage::Storage;

  void kernel_values(Index c, const Indices& examples, double* values) override {
    clock_.lap(kRest);
    const auto features = static_cast<std::size_t>(problem_.features);
    Vector copies(examples.size() * features);
    for (std::size_t i = 0; i < examples.size(); ++i)
      std::memcpy(copies.data() + i * features, problem_.example(examples[i]), features * sizeof(double));
    clock_.lap(kSelection);
    if (!examples.empty()) {
      char transposed = 'T';
      int m = as_int(features), n = as_int(examples.size()), step = 1;
      double one = 1.0, zero = 0.0;
      problem_.blas.gemv(&transposed, &m, &n, &one, copies.data(), &m, const_cast<double*>(problem_.example(c)), &step,
                         &zero, values, &step);
    }
    problem_.finish(c, examples, values);
    clock_.lap(kKernel);
  }

  void append_column(Index c, const Vector& values) override {
    used_ = static_cast<std::size_t>(c) + 1;
    for (std::size_t i = 0; i < values.size(); ++i) rows_[i * width() + used_ - 1] = values[i];
    clock_.lap(kAugmentation);
  }

  const double* row(Index k) const override { return rows_.get() + place(k) * width(); }

  void add_row(Index k, const Vector& row) override {
    clock_.lap(kRest);
    Matrix larger = create(support_.size() + 1);
    copy_rows(0, support_.size(), larger.get());
    std::copy(row.begin(), row.end(), larger.get() + support_.size() * width());
    rows_.swap(larger);
    append_support(k);
    clock_.lap(kAugmentation);
  }

  void remove_row(Index k) override {
    clock_.lap(kRest);
    const std::size_t removed = place(k);
    Matrix smaller = create(support_.size() - 1);
    copy_rows(0, removed, smaller.get());
    copy_rows(removed + 1, support_.size(), smaller.get() + removed * width());
    rows_.swap(smaller);
    support_.erase(support_.begin() + static_cast<std::ptrdiff_t>(removed));
    for (std::size_t i = removed; i < support_.size(); ++i) places_[static_cast<std::size_t>(support_[i])] = i;
    clock_.lap(kAugmentation);
  }

  Vector solve(const Vector& right) override {
    Vector result(right.size());
    char no = 'N';
    int n = as_int(right.size()), step = 1;
    double minus = -1.0, zero = 0.0;
    problem_.blas.gemv(&no, &n, &n, &minus, inverse_.data(), &n, const_cast<double*>(right.data()), &step, &zero,
                       result.data(), &step);
    return result;
  }

  void start_inverse(double y, double value) override { inverse_ = {-value, y, y, 0.0}; }

  void grow_inverse(const Vector& beta, double kappa) override {
    const std::size_t size = beta.size(), larger = size + 1;
    Vector expanded(larger * larger), outer(larger * larger), whole = beta;
    whole.push_back(1.0);
    for (std::size_t i = 0; i < size; ++i)
      std::copy_n(inverse_.data() + i * size, size, expanded.data() + i * larger);
    for (std::size_t i = 0; i < larger; ++i)
      for (std::size_t j = 0; j < larger; ++j) outer[i * larger + j] = whole[i] * whole[j] / kappa;
    for (std::size_t i = 0; i < expanded.size(); ++i) expanded[i] += outer[i];
    inverse_.swap(expanded);
  }

  void shrink_inverse(std::size_t position) override {
    const std::size_t size = margin_.size() + 1, smaller = size - 1;
    margin_.erase(margin_.begin() + static_cast<std::ptrdiff_t>(position) - 1);
    if (smaller == 1) {
      inverse_ = {0.0};
      return;
    }
    Vector result(smaller * smaller);
    const double corner = inverse_[position * size + position];
    double* out = result.data();
    for (std::size_t i = 0; i < size; ++i) {
      if (i == position) continue;
      const double* row = inverse_.data() + i * size;
      const double* removed = inverse_.data() + position * size;
      for (std::size_t j = 0; j < size; ++j)
        if (j != position) *out++ = row[j] - row[position] * removed[j] / corner;
    }
    inverse_.swap(result);
  }

 private:
  using Matrix = std::unique_ptr<double[]>;

  std::size_t width() const { return static_cast<std::size_t>(problem_.rows); }  // columns, allocated beforehand
  Matrix create(std::size_t rows) const { return Matrix(new double[std::max<std::size_t>(rows * width(), 1)]); }

  void copy_rows(std::size_t begin, std::size_t end, double* to) const {
    for (std::size_t i = begin; i < end; ++i, to += width()) std::copy_n(rows_.get() + i * width(), used_, to);
  }

  Matrix rows_;
  std::size_t used_ = 0;  // columns
  Vector inverse_{0.0};
};

class PointerStorage final : public Storage {
 public:
  PointerStorage(Problem problem, bool sums_of_rows) : Storage(std::move(problem)), sums_of_rows_(sums_of_rows) {
    grow_capacity(64);
    inverse_[0][0] = 0.0;
  }

  void kernel_values(Index c, const Indices& examples, double* values) override {
    clock_.lap(kRest);
    int n = static_cast<int>(problem_.features), step = 1;
    auto* left = const_cast<double*>(problem_.example(c));
    for (std::size_t i = 0; i < examples.size(); ++i)
      values[i] = problem_.blas.dot(&n, left, &step, const_cast<double*>(problem_.example(examples[i])), &step);
    problem_.finish(c, examples, values);
    clock_.lap(kKernel);
  }

  void append_column(Index c, const Vector& values) override {
    for (std::size_t i = 0; i < values.size(); ++i) rows_[i][c] = values[i];
    clock_.lap(kAugmentation);
  }

  const double* row(Index k) const override { return rows_[place(k)].get(); }

  void add_row(Index k, const Vector& row) override {
    clock_.lap(kRest);
    // Columns are allocated beforehand; memory that is not written costs nothing.
    rows_.emplace_back(new double[static_cast<std::size_t>(problem_.rows)]);
    std::copy(row.begin(), row.end(), rows_.back().get());
    append_support(k);
    clock_.lap(kAugmentation);
  }

  void remove_row(Index k) override {
    clock_.lap(kRest);
    const std::size_t removed = place(k);
    rows_[removed].swap(rows_.back());
    support_[removed] = support_.back();
    places_[static_cast<std::size_t>(support_.back())] = removed;
    rows_.pop_back();
    support_.pop_back();
    clock_.lap(kAugmentation);
  }

  Vector solve(const Vector& right) override {
    Vector result(right.size());
    int n = as_int(right.size()), step = 1;
    for (std::size_t i = 0; i < right.size(); ++i)
      result[i] = -problem_.blas.dot(&n, inverse_[i].get(), &step, const_cast<double*>(right.data()), &step);
    return result;
  }

  Vector gamma(const Vector& beta, const Vector& column, const Indices& rest) override {
    return sums_of_rows_ ? gamma_by_rows(beta, column, rest) : Storage::gamma(beta, column, rest);
  }

  void start_inverse(double y, double value) override {
    inverse_[0][0] = -value;
    inverse_[0][1] = inverse_[1][0] = y;
    inverse_[1][1] = 0.0;
  }

  void grow_inverse(const Vector& beta, double kappa) override {
    const std::size_t size = beta.size();
    if (size + 1 > inverse_.size()) grow_capacity(2 * inverse_.size());
    Vector whole = beta;
    whole.push_back(1.0);
    for (std::size_t i = 0; i <= size; ++i) inverse_[i][size] = inverse_[size][i] = 0.0;
    add_multiples(whole, whole, 1.0 / kappa);
  }

  void shrink_inverse(std::size_t position) override {
    const std::size_t last = margin_.size();
    margin_[position - 1] = margin_.back();
    margin_.pop_back();
    inverse_[position].swap(inverse_[last]);
    for (std::size_t i = 0; i <= last; ++i) std::swap(inverse_[i][position], inverse_[i][last]);
    if (last == 1) {
      inverse_[0][0] = 0.0;
      return;
    }
    const Vector side(inverse_[last].get(), inverse_[last].get() + last);
    add_multiples(side, side, -1.0 / inverse_[last][last]);
  }

 private:
  // (31): row i of the inverse gains factor * weights[i] * row, without a matrix of rank one.
  void add_multiples(const Vector& weights, const Vector& row, double factor) {
    int n = as_int(row.size()), step = 1;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      double weight = factor * weights[i];
      problem_.blas.axpy(&n, &weight, const_cast<double*>(row.data()), &step, inverse_[i].get(), &step);
    }
  }

  Vector gamma_by_rows(const Vector& beta, const Vector& column, const Indices& rest) {  // Algorithm 3
    Vector sum(column.size());
    int n = as_int(column.size()), step = 1;
    for (std::size_t i = 0; i < margin_.size(); ++i) {
      double weight = beta[i + 1];
      problem_.blas.axpy(&n, &weight, rows_[place(margin_[i])].get(), &step, sum.data(), &step);
    }
    Vector result(column.size());
    for (const Index r : rest) {
      const auto at = static_cast<std::size_t>(r);
      result[at] = beta[0] * problem_.y[r] + sum[at] + column[at];
    }
    clock_.lap(kGammaProduct);
    return result;
  }

  void grow_capacity(std::size_t capacity) {
    const std::size_t size = inverse_.size();
    for (auto& row : inverse_) {
      std::unique_ptr<double[]> longer(new double[capacity]);
      std::copy_n(row.get(), size, longer.get());
      row.swap(longer);
    }
    while (inverse_.size() < capacity) inverse_.emplace_back(new double[capacity]);
  }

  bool sums_of_rows_;
  std::vector<std::unique_ptr<double[]>> rows_;
  std::vector<std::unique_ptr<double[]>> inverse_;
};

}  // namespace

void Problem::finish(Index c, const Indices& examples, double* values) const {
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const Index r = examples[i];
    double value = values[i];
    if (kernel == 1) value = (value + 1.0) * (value + 1.0);
    if (kernel == 2)
      value = std::exp((2.0 * value - norms[static_cast<std::size_t>(r)] - norms[static_cast<std::size_t>(c)]) * gamma);
    values[i] = value * y[r] * y[c];
  }
}

Vector Storage::gamma(const Vector& beta, const Vector& column, const Indices& rest) {
  Vector matrix((margin_.size() + 1) * rest.size());  // Z = [y_r'; K_sr]
  double* out = matrix.data();
  for (const Index r : rest) *out++ = problem_.y[r];
  for (const Index s : margin_) {
    const double* values = row(s);
    for (const Index r : rest) *out++ = values[r];
  }
  clock_.lap(kGammaMatrix);
  Vector part(rest.size());
  for (std::size_t i = 0; i < rest.size(); ++i) part[i] = column[static_cast<std::size_t>(rest[i])];
  multiply(problem_.blas, beta, matrix, rest.size(), part.data());
  Vector result(column.size());
  for (std::size_t i = 0; i < rest.size(); ++i) result[static_cast<std::size_t>(rest[i])] = part[i];
  clock_.lap(kGammaProduct);
  return result;
}

void Storage::add_to_margin(Index k) {
  clock_.lap(kRest);
  if (margin_.empty()) {
    start_inverse(problem_.y[k], row(k)[k]);
  } else {
    Vector eta{problem_.y[k]};
    for (const Index s : margin_) eta.push_back(row(s)[k]);
    const Vector beta = solve(eta);
    double kappa = row(k)[k];
    for (std::size_t i = 0; i < eta.size(); ++i) kappa += eta[i] * beta[i];
    clock_.lap(kKappa);
    grow_inverse(beta, kappa);
  }
  margin_.push_back(k);
  clock_.lap(kInverse);
}

void Storage::remove_from_margin(Index k) {
  clock_.lap(kRest);
  const auto found = std::find(margin_.begin(), margin_.end(), k);
  shrink_inverse(static_cast<std::size_t>(found - margin_.begin()) + 1);  // the first row belongs to the threshold
  clock_.lap(kInverse);
}

std::unique_ptr<Storage> copying_storage(Problem problem) { return std::make_unique<CopyingStorage>(std::move(problem)); }

std::unique_ptr<Storage> pointer_storage(Problem problem, bool sums_of_rows) {
  return std::make_unique<PointerStorage>(std::move(problem), sums_of_rows);
}
