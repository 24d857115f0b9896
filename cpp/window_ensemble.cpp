#include "window_ensemble.hpp"

#include <utility>

namespace hinge {

namespace {

// Smaller values count as zero: their powers would be denormal numbers, which are slow.
constexpr float smallest = 1e-8F;

// powers = values^(2^squarings)
void raise(const std::vector<float>& values, std::size_t squarings, std::vector<float>& powers) {
  powers = values;
  for (std::size_t s = 0; s < squarings; ++s)
    for (float& power : powers) power = power > smallest ? power * power : 0.0F;
}

}  // namespace

KernelFamily::KernelFamily(KernelParameters parameters, std::vector<double> factors) : parameters_(parameters), factors_(std::move(factors)) {
  set_gamma(parameters.gamma);
}

void KernelFamily::set_gamma(double gamma) {
  parameters_.gamma = gamma;
  kernels_.clear();
  for (const double factor : factors_) {
    KernelParameters own = parameters_;
    own.gamma = gamma * factor;
    kernels_.emplace_back(own);
  }
}

void KernelFamily::fill(const ExamplePool& pool, const double* row, KernelValues& values) const {
  values.resize(kernels_.size());
  for (std::size_t k = 0; k < kernels_.size(); ++k) {
    const std::size_t squarings = k > 0 ? squarings_to(k) : 0;
    if (squarings > 0)
      raise(values[k - 1], squarings, values[k]);
    else
      pool.fill(kernels_[k], row, values[k]);
  }
}

// exp(-2 gamma d) = exp(-gamma d)^2: squares replace exponentials where gamma is 2, 4, 8, ... times that of the kernel before; 0 otherwise.
std::size_t KernelFamily::squarings_to(std::size_t kernel) const {
  if (parameters_.kind != KernelKind::rbf && parameters_.kind != KernelKind::laplacian) return 0;
  double gamma = factors_[kernel - 1];
  std::size_t squarings = 0;
  for (; gamma < factors_[kernel]; gamma *= 2.0) ++squarings;
  return gamma == factors_[kernel] && squarings <= 6 ? squarings : 0;
}

WindowEnsemble::WindowEnsemble(std::size_t features, double limit, const KernelParameters& kernel, const std::vector<double>& factors,
                               const std::vector<WindowChoice>& choices)
    : pool(features, limit, kernel), kernels(kernel, factors), models(choices.begin(), choices.end()), vote(choices.size()) {}

void WindowEnsemble::decide(const KernelValues& kernel_values, std::vector<double>& values) const {
  values.resize(models.size() * n_classes);
  std::vector<float> scratch;
  double* next = values.data();
  for (const WindowModel& model : models) {
    model.decide(kernel_values[model.choice().kernel], n_classes, scratch, next);
    next += n_classes;
  }
}

std::vector<double> WindowEnsemble::votes(const double* rows, std::size_t count) const {
  std::vector<double> found(count * n_classes), values;
  KernelValues kernel_values;
  for (std::size_t row = 0; row < count; ++row) {
    kernels.fill(pool, rows + row * pool.features(), kernel_values);
    decide(kernel_values, values);
    vote.mix(values, n_classes, found.data() + row * n_classes);
  }
  return found;
}

WindowEnsemble WindowEnsemble::frozen() const {
  WindowEnsemble copy(pool.features(), 0.0, KernelParameters{}, {}, {});
  copy.pool = pool;
  copy.kernels = kernels;
  for (const WindowModel& model : models) copy.models.push_back(model.frozen());
  copy.vote = vote;
  copy.n_classes = n_classes;
  return copy;
}

}  // namespace hinge
