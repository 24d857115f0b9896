#include "batch.hpp"

#include <algorithm>
#include <stdexcept>

#include "bind.hpp"

namespace hinge::python {

namespace {

template <class T>
HeldBatch<T> from_dense(Matrix<T> values) {
  HeldBatch<T> held{{values.shape(0), values.shape(1), false, values.data(), nullptr, nullptr}};
  held.dense = std::move(values);
  return held;
}

template <class T>
HeldBatch<T> from_sparse(Vector<T> data, Vector<std::int32_t> indices, Vector<std::int64_t> starts, std::size_t features) {
  if (starts.shape(0) == 0 || data.shape(0) != indices.shape(0) ||
      starts.data()[starts.shape(0) - 1] != static_cast<std::int64_t>(data.shape(0)))
    throw std::invalid_argument("The three arrays of a sparse batch do not fit each other.");
  const auto places = view(starts);
  if (places.front() != 0 || !std::is_sorted(places.begin(), places.end()))
    throw std::invalid_argument("The starts of sparse rows must ascend from 0.");
  HeldBatch<T> held{{starts.shape(0) - 1, features, true, data.data(), indices.data(), starts.data()}};
  held.data = std::move(data);
  held.indices = std::move(indices);
  held.starts = std::move(starts);
  return held;
}

template <class T>
HeldBatch<T> pick(const HeldBatch<T>& all, Vector<std::int64_t> rows) {
  if (all.batch.picked) throw std::invalid_argument("Rows can be picked from a whole batch only.");
  for (const std::int64_t row : view(rows))
    if (row < 0 || static_cast<std::size_t>(row) >= all.batch.count) throw std::invalid_argument("There is no such row to pick.");
  HeldBatch<T> held = all;
  held.batch.count = rows.shape(0);
  held.batch.picked = rows.data();
  held.picked = std::move(rows);
  return held;
}

template <class T>
void bind_batch(nb::module_& module, const char* name) {
  nb::class_<HeldBatch<T>>(module, name, "Examples of one call, without a copy; keeps the arrays alive.")
      .def_static("dense", &from_dense<T>, nb::arg("X"))
      .def_static("sparse", &from_sparse<T>, nb::arg("data"), nb::arg("indices"), nb::arg("indptr"),
                  nb::arg("n_features"))
      .def("pick", &pick<T>, nb::arg("rows"), "Return some rows in the order given, without a copy.");
}

}  // namespace

void bind_batches(nb::module_& module) {
  bind_batch<float>(module, "Batch32");
  bind_batch<double>(module, "Batch64");
}

}  // namespace hinge::python
