// Window models over one stream, and their vote. They share rows and kernel values: a new row is compared once per kernel with all stored rows.
#pragma once

#include <cstddef>
#include <vector>

#include "example_pool.hpp"
#include "window_model.hpp"
#include "window_vote.hpp"

namespace hinge {

// Kernel values between a row and all places of a pool, for each kernel.
using KernelValues = std::vector<std::vector<float>>;

// Kernels that differ in gamma only.
class KernelFamily {
 public:
  KernelFamily(KernelParameters parameters, std::vector<double> factors);

  void set_gamma(double gamma);
  double gamma() const { return parameters_.gamma; }
  void fill(const ExamplePool& pool, const double* row, KernelValues& values) const;
  const Kernel<float>& operator[](std::size_t kernel) const { return kernels_[kernel]; }
  std::size_t size() const { return kernels_.size(); }

 private:
  std::size_t squarings_to(std::size_t kernel) const;

  KernelParameters parameters_;
  std::vector<double> factors_;
  std::vector<Kernel<float>> kernels_;
};

// What predictions need. A frozen copy answers from other threads while the original learns.
struct WindowEnsemble {
  WindowEnsemble(std::size_t features, double limit, const KernelParameters& kernel, const std::vector<double>& factors,
                 const std::vector<WindowChoice>& choices);

  // Decision values by model and class, from the kernel values of a row.
  void decide(const KernelValues& kernel_values, std::vector<double>& values) const;
  // Votes for each class, row by row.
  std::vector<double> votes(const double* rows, std::size_t count) const;
  // A copy that decides, but cannot learn.
  WindowEnsemble frozen() const;

  ExamplePool pool;
  KernelFamily kernels;
  std::vector<WindowModel> models;
  WindowVote vote;
  std::size_t n_classes = 0;
};

}  // namespace hinge
