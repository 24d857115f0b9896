#include "kernels.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "bind.hpp"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

namespace hinge::python {

namespace {

KernelKind kind_of(const std::string& name) {
  static const std::pair<const char*, KernelKind> names[] = {
      {"linear", KernelKind::linear},           {"rbf", KernelKind::rbf},
      {"poly", KernelKind::poly},               {"sigmoid", KernelKind::sigmoid},
      {"laplacian", KernelKind::laplacian},     {"precomputed", KernelKind::precomputed},
      {"callable", KernelKind::callable}};
  for (const auto& [known, kind] : names)
    if (name == known) return kind;
  throw std::invalid_argument("unknown kernel " + name);
}

// The user's function gets copies: it may keep them, our memory moves.
template <class T>
nb::object to_python(const Examples<T>& examples) {
  const std::size_t rows = examples.count, features = examples.features;
  if (!examples.sparse)
    return to_numpy(std::vector<T>(examples.values, examples.values + rows * features), {rows, features});
  std::vector<T> values;
  std::vector<std::int32_t> indices, starts{0};
  for (std::size_t r = 0; r < rows; ++r) {
    const SparseRow<T>& row = examples.rows[r];
    values.insert(values.end(), row.value, row.value + row.size);
    indices.insert(indices.end(), row.index, row.index + row.size);
    starts.push_back(static_cast<std::int32_t>(values.size()));
  }
  const nb::object csr = nb::module_::import_("scipy.sparse").attr("csr_matrix");
  return csr(nb::make_tuple(to_numpy(std::move(values)), to_numpy(std::move(indices)), to_numpy(std::move(starts))),
             nb::make_tuple(rows, features));
}

template <class T>
void call(nb::handle function, const Examples<T>& left, const Examples<T>& right, T* values, std::size_t stride) {
  const nb::gil_scoped_acquire gil;
  const auto matrix = nb::cast<Matrix<T>>(function(to_python(left), to_python(right)));
  if (matrix.shape(0) != left.count || matrix.shape(1) != right.count)
    throw std::invalid_argument("The kernel function must return one value for each pair of rows.");
  for (std::size_t r = 0; r < left.count; ++r)
    std::copy_n(matrix.data() + r * right.count, right.count, values + r * stride);
}

}  // namespace

// Whoever owns the kernel also owns a reference to the function.
template <class T>
Kernel<T> make_kernel(const KernelChoice& choice) {
  if (choice.parameters.kind != KernelKind::callable) return Kernel<T>(choice.parameters);
  return Kernel<T>(choice.parameters, [function = nb::handle(choice.function)](const Examples<T>& left, const Examples<T>& right,
                                                                  T* values, std::size_t stride) {
    call(function, left, right, values, stride);
  });
}

template Kernel<float> make_kernel(const KernelChoice&);
template Kernel<double> make_kernel(const KernelChoice&);

void bind_kernel(nb::module_& module) {
  static PyType_Slot slots[] = {
      {Py_tp_traverse, reinterpret_cast<void*>(&traverse<KernelChoice>)}, {Py_tp_clear, reinterpret_cast<void*>(&clear<KernelChoice>)}, {0, nullptr}};
  nb::class_<KernelChoice>(module, "Kernel", nb::type_slots(slots))
      .def(
          "__init__",
          [](KernelChoice* self, const std::string& name, double gamma, double coef0, int degree, nb::object function) {
            new (self) KernelChoice{{kind_of(name), gamma, coef0, degree}, std::move(function)};
          },
          nb::arg("name"), nb::arg("gamma") = 1.0, nb::arg("coef0") = 0.0, nb::arg("degree") = 3,
          nb::arg("function") = nb::none());
}

}  // namespace hinge::python
