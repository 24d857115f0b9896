// Kernel values and the inverse of Algorithm 1, stored in the paper's two ways, with a clock for each operation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <memory>
#include <utility>
#include <vector>

using Index = std::int64_t;
using Indices = std::vector<Index>;
using Vector = std::vector<double>;

// The functions of scipy.linalg.cython_blas.
struct Blas {
  double (*dot)(int*, double*, int*, double*, int*);
  void (*axpy)(int*, double*, double*, int*, double*, int*);
  void (*gemv)(char*, int*, int*, double*, double*, int*, double*, int*, double*, double*, int*);
  void (*gemm)(char*, char*, int*, int*, int*, double*, double*, int*, double*, int*, double*, double*, int*);
};

enum Operation { kKernel, kSelection, kGammaMatrix, kGammaProduct, kBeta, kAugmentation, kKappa, kInverse, kRest };
constexpr int kOperations = 9;

// Processor seconds by operation.
class Clock {
 public:
  void start() { last_ = now(); }

  void lap(Operation operation) {
    const double time = now();
    seconds[operation] += time - last_;
    last_ = time;
  }

  double seconds[kOperations] = {};

 private:
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  double last_ = 0.0;
};

// The examples: row-major, so that each is a pointer (the paper's columns of a column-major matrix).
struct Problem {
  const double* X;
  const double* y;
  Index rows;
  Index features;
  int kernel;  // 0: linear, 1: polynomial of degree 2, 2: RBF
  double gamma;
  Blas blas;
  Vector norms;

  const double* example(Index i) const { return X + i * features; }
  // Turns inner products of c and some examples into K, labels included.
  void finish(Index c, const Indices& examples, double* values) const;
};

// What both ways have in common. Sets are lists of examples; margin is in the order of the inverse.
class Storage {
 public:
  explicit Storage(Problem problem) : problem_(std::move(problem)), places_(problem_.norms.size()) {}
  virtual ~Storage() = default;
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  const Problem& problem() const { return problem_; }
  const Indices& margin() const { return margin_; }
  const Indices& support() const { return support_; }
  Clock& clock() { return clock_; }

  virtual void kernel_values(Index c, const Indices& examples, double* values) = 0;
  virtual void append_column(Index c, const Vector& values) = 0;
  virtual const double* row(Index k) const = 0;  // of a support vector
  virtual void add_row(Index k, const Vector& row) = 0;
  virtual void remove_row(Index k) = 0;
  // -Q times a vector.
  virtual Vector solve(const Vector& right) = 0;
  // Rates of the gradients of the rest, which are given; the other entries are zero. By Algorithm 4.
  virtual Vector gamma(const Vector& beta, const Vector& column, const Indices& rest);
  virtual void grow_inverse(const Vector& beta, double kappa) = 0;
  virtual void shrink_inverse(std::size_t position) = 0;  // of an example of the margin, which leaves
  virtual void start_inverse(double y, double value) = 0;

  void add_to_margin(Index k);
  void remove_from_margin(Index k);

 protected:
  std::size_t place(Index k) const { return places_[static_cast<std::size_t>(k)]; }

  void append_support(Index k) {
    places_[static_cast<std::size_t>(k)] = support_.size();
    support_.push_back(k);
  }

  Problem problem_;
  Indices margin_;
  Indices support_;                  // the examples whose rows are stored
  std::vector<std::size_t> places_;  // of support vectors, by example
  Clock clock_;
};

// One-dimensional arrays: each part is copied before use, and a matrix that grows is created again.
std::unique_ptr<Storage> copying_storage(Problem problem);
// Rows behind pointers, which are neither moved nor copied; gamma by Algorithm 3 (sums of rows) or 4 (a new matrix).
std::unique_ptr<Storage> pointer_storage(Problem problem, bool sums_of_rows);
