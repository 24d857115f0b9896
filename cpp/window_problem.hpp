// One support vector machine over a bounded set of examples that come and go, kept at its optimum by warm-started coordinate steps.
//
//   maximise  sum_i alpha_i y_i - 1/2 sum_ij alpha_i alpha_j (K_ij + 1),   min(0, C_i y_i) <= alpha_i <= max(0, C_i y_i)
//
// The constant 1 in the kernel makes a bias b = sum_i alpha_i, which is penalised like the other weights: without an equality constraint a
// single coefficient can move, so an example leaves by one step and enters with coefficient zero. g_i = y_i - f(x_i). C_i is C times the weight of the example.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hinge {

// Kernel values between the examples of a set, one slot per example. Slots of absent examples hold any finite values.
class SlotGram {
 public:
  explicit SlotGram(std::size_t capacity);

  std::size_t capacity() const { return capacity_; }
  std::size_t stride() const { return stride_; }
  const float* row(std::size_t slot) const { return values_.data() + slot * stride_; }
  // Sets the kernel values between a slot and all slots; `values` has one per slot.
  void set(std::size_t slot, const float* values);
  // A row of ones, for the bias.
  const float* ones() const { return ones_.data(); }

 private:
  std::size_t capacity_, stride_;
  std::vector<float> values_, ones_;
};

class WindowProblem {
 public:
  explicit WindowProblem(std::size_t capacity);

  // f(x) from the kernel values between x and all slots.
  double decide(const float* kernel_row) const;
  // Takes an example out of its slot: the others keep their coefficients.
  void remove(const SlotGram& gram, std::size_t slot);
  // Puts an example with coefficient zero into an empty slot, whose kernel values `gram` holds already.
  void insert(const SlotGram& gram, std::size_t slot, double label, double cost);
  // Steps on the largest violation until none exceeds `tolerance`, at most `max_steps` times; returns the number of steps.
  std::size_t solve(const SlotGram& gram, double tolerance, std::size_t max_steps);
  // The same problem with all labels exchanged.
  WindowProblem mirrored() const;
  // Computes gradients again, after kernel values have changed.
  void refresh(const SlotGram& gram);

  double duality_gap() const;
  std::span<const double> coefficients() const { return alpha_; }
  std::span<const double> gradients() const { return gradient_; }
  // Restores saved numbers; labels tells which slots hold positive (1), negative (-1) or no examples (0).
  void restore(std::span<const double> coefficients, std::span<const double> gradients, std::span<const double> labels,
               std::span<const double> costs, double bias);
  double bias() const { return bias_; }

 private:
  void set_label(std::size_t slot, double label, double cost);
  void set_coefficient(std::size_t slot, double value);

  double bias_ = 0.0;
  // By slot; empty slots have label 0 and coefficients that may not move.
  std::vector<double> alpha_, gradient_, up_, down_, label_, bound_;  // bound: the end of the box that is not 0
};

}  // namespace hinge
