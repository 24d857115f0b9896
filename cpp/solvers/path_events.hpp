// Stepping: how far a perturbation can go until the sets S, E and O change (Laskov et al. 2006, section 2.3).
//
// A perturbation moves one quantity, the coefficient alpha_c of a candidate c or the total A, and the coefficients of S follow linearly. Of
// the events below the nearest one happens; S changes, and so does the direction.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "solvers/exact_binary_model.hpp"

namespace hinge {

struct Perturbation {
  std::optional<std::size_t> candidate;  // the slot c, or nothing if the total moves
  double sign;
  double remaining;
  bool until_optimal;  // stop where the gradient of the candidate is zero
};

enum class EventKind {
  completed,          // nothing of the perturbation remains
  candidate_optimal,  // the gradient of the candidate is zero
  member_leaves,      // a member of S reaches a bound
  example_joins       // the gradient of an example outside S reaches zero
};

struct Event {
  EventKind kind;
  double distance;
  std::size_t slot;
};

// Derivatives by the length of the perturbation.
struct StepRates {
  std::span<const double> direction;  // b' and alpha_s'
  std::span<const std::size_t> watched;
  std::span<const double> gradients;  // g_r' of those watched
};

// Gradients up to `tolerance` count as zero.
Event next_event(const ExactBinaryModel& model, const Perturbation& perturbation, const StepRates& rates, double tolerance);

// The first member of S to reach a bound, or `latest` if that happens before.
Event first_to_leave(const ExactBinaryModel& model, std::span<const double> direction, const Event& latest);

}  // namespace hinge
