// Vectors out to NumPy, NumPy in to views.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace hinge::python {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> view(const Vector<T>& array) {
  return {array.data(), array.shape(0)};
}

// Hands a vector over to NumPy without a copy.
template <class T>
nb::object to_numpy(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
  // An empty vector may have no memory at all; NumPy wants some address.
  static T nothing{};
  T* data = kept->empty() ? &nothing : kept->data();
  return nb::cast(nb::ndarray<nb::numpy, T>(data, shape.size(), shape.begin(), owner));
}

template <class T>
nb::object to_numpy(std::vector<T> values) {
  const std::size_t size = values.size();
  return to_numpy(std::move(values), {size});
}

// The entries of an array of any shape.
template <class T>
std::vector<T> from_dict(const nb::dict& arrays, const char* key) {
  const auto array = nb::cast<nb::ndarray<const T, nb::c_contig, nb::device::cpu>>(arrays[key]);
  return {array.data(), array.data() + array.size()};
}

template <class T>
T number_from(const nb::dict& arrays, const char* key) {
  const std::vector<T> values = from_dict<T>(arrays, key);
  if (values.size() != 1) throw std::invalid_argument(std::string("The array ") + key + " of the saved state must hold one number.");
  return values[0];
}

}  // namespace hinge::python
