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

// A C-contiguous array of so many dimensions that is only read.
template <class T, int dimensions>
class InputArray : public nb::ndarray<const T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu> {
 public:
  using Base = nb::ndarray<const T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;
  InputArray() = default;
  explicit InputArray(Base base) : Base(std::move(base)) {}
};
template <class T>
using Vector = InputArray<T, 1>;
template <class T>
using Matrix = InputArray<T, 2>;

// An array on its way to Python, which owns its memory.
template <class T>
class NumpyArray : public nb::ndarray<nb::numpy, T> {
 public:
  using nb::ndarray<nb::numpy, T>::ndarray;
};

}  // namespace hinge::python

// As those of nanobind's arrays, with shorter names in signatures. Properties may return arrays as well, which do not belong to the object.
template <class T>
struct nanobind::detail::type_caster<hinge::python::NumpyArray<T>> {
  NB_TYPE_CASTER(hinge::python::NumpyArray<T>, const_name("numpy.typing.NDArray[numpy.") + dtype_traits<T>::name + const_name("]"))

  static handle from_cpp(const ndarray<numpy, T>& array, rv_policy, cleanup_list* cleanup) noexcept {
    return make_caster<ndarray<numpy, T>>::from_cpp(array, rv_policy::automatic, cleanup);
  }
};

template <class T, int dimensions>
struct nanobind::detail::type_caster<hinge::python::InputArray<T, dimensions>> {
  using Array = hinge::python::InputArray<T, dimensions>;
  NB_TYPE_CASTER(Array, const_name("numpy.typing.NDArray[numpy.") + dtype_traits<T>::name + const_name("]"))

  bool from_python(handle source, uint8_t flags, cleanup_list* cleanup) noexcept {
    make_caster<typename Array::Base> base;
    if (!base.from_python(source, flags, cleanup)) return false;
    value = Array(std::move(base.value));
    return true;
  }
};

namespace hinge::python {

template <class T>
std::span<const T> view(const Vector<T>& array) {
  return {array.data(), array.shape(0)};
}

// The arrays of a saved state by name.
class Arrays : public nb::dict {
 public:
  NB_OBJECT_DEFAULT(Arrays, nb::dict, "dict[str, numpy.typing.NDArray[typing.Any]]", PyDict_Check)
};

// Hands a vector over to NumPy without a copy.
template <class T>
NumpyArray<T> to_numpy(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
  // An empty vector may have no memory at all; NumPy wants some address.
  static T nothing{};
  T* data = kept->empty() ? &nothing : kept->data();
  return NumpyArray<T>(data, shape.size(), shape.begin(), owner);
}

template <class T>
NumpyArray<T> to_numpy(std::vector<T> values) {
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
