#include "solvers/tracking.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "solvers/coordinates.hpp"

namespace hinge {

namespace {

// A random number made of a few counters: runs repeat without a generator that has to be saved. (Steele, Lea, Flood 2014: SplitMix.)
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

// One of the members with a coefficient. They have different ids, which `mixed` keeps different: each is equally likely to have the smallest.
template <class T>
std::size_t one_of(const BinaryModel<T>& binary, std::uint64_t number) {
  std::size_t chosen = 0;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t i = 0; i < binary.expansion().size(); ++i) {
    if (binary.expansion().alpha[i] == 0.0) continue;
    const std::uint64_t lot = mixed(number ^ static_cast<std::uint64_t>(binary.id_of(i)));
    if (lot < least) least = lot, chosen = i;
  }
  return chosen;
}

}  // namespace

template <class T>
Visit Tracking<T>::visit(BinaryModel<T>& binary, std::size_t position, double label, double cost) {
  const double sum = binary.sum(position);
  reset_average(binary);
  const std::size_t k = binary.insert(position, label, Box::of(label, cost), label - sum);
  memory_.visits += 1;
  if (options_.process)
    if (const double length = binary.best_length(k); length != 0.0) binary.coordinate_step(k, length);
  track(binary);
  return {sum, true};
}

template <class T>
Visit Tracking<T>::revisit(BinaryModel<T>& binary, std::size_t position, std::size_t) {
  const double sum = binary.sum(position);
  reset_average(binary);
  track(binary);
  return {sum, false};
}

template <class T>
void Tracking<T>::track(BinaryModel<T>& binary) {
  Expansion& expansion = binary.expansion();
  for (std::size_t k = 1; k <= options_.n_steps; ++k) {
    const auto i = pick(binary, k);
    const double length = i ? binary.best_length(*i) : 0.0;
    if (length == 0.0) continue;
    binary.coordinate_step(*i, length);
    if (options_.average) expansion.lag[*i] += length * static_cast<double>(k - 1);
  }
  memory_.draws += 1;
  expansion.terms = options_.average ? static_cast<double>(options_.n_steps) : 0.0;
  if (!options_.keep_all) remove_idle(binary);
}

// One of all examples seen, if it takes part. (Uniform but for a part in 2^64.)
template <class T>
std::optional<std::size_t> Tracking<T>::pick(const BinaryModel<T>& binary, std::size_t step) const {
  const Expansion& expansion = binary.expansion();
  const std::uint64_t number = mixed(mixed(options_.seed ^ mixed(memory_.draws)) + step);
  const std::size_t i = number % std::max<std::size_t>(memory_.visits, 1);
  if (i >= (options_.keep_all ? expansion.size() : expansion.support())) return std::nullopt;
  return options_.keep_all ? i : one_of(binary, number);
}

template <class T>
void Tracking<T>::reset_average(BinaryModel<T>& binary) const {
  auto& lag = binary.expansion().lag;
  std::fill(lag.begin(), lag.end(), 0.0);
}

// An example whose average is still not zero stays until the next example.
template <class T>
void Tracking<T>::remove_idle(BinaryModel<T>& binary) const {
  const Expansion& expansion = binary.expansion();
  const std::size_t removed = expansion.removed_count();
  binary.remove_idle([&](std::size_t i) { return expansion.lag[i] == 0.0; });
  if (expansion.removed_count() != removed) binary.refresh_bracket();
}

template <class T>
bool Tracking<T>::finish(BinaryModel<T>& binary, AtEnd, std::size_t, Monitor& monitor) {
  return finish_coordinates(binary, options_.tolerance, monitor);
}

template class Tracking<float>;
template class Tracking<double>;

}  // namespace hinge
