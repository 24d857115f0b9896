// Options structs as Python classes, made from the lists of their fields (cpp/options.hpp).
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>

#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "options.hpp"

namespace hinge::python {

namespace nb = nanobind;

// A value of an enumeration on its way to or from Python, where it is a word.
template <class Choice>
struct AsWord {
  Choice choice{};
  operator Choice() const { return choice; }
};

template <class Value>
using InPython = std::conditional_t<std::is_enum_v<Value>, AsWord<Value>, Value>;

}  // namespace hinge::python

namespace nanobind::detail {

template <class Choice>
struct type_caster<hinge::python::AsWord<Choice>> {
  NB_TYPE_CASTER(hinge::python::AsWord<Choice>, const_name("str"))

  bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
    const char* text = PyUnicode_Check(source.ptr()) ? PyUnicode_AsUTF8AndSize(source.ptr(), nullptr) : nullptr;
    if (!text) {
      PyErr_Clear();
      return false;
    }
    for (const auto& word : words(Choice{}))
      if (std::strcmp(text, word.name) == 0) {
        value.choice = word.choice;
        return true;
      }
    return false;
  }

  static handle from_cpp(hinge::python::AsWord<Choice> word_of, rv_policy, cleanup_list*) noexcept {
    for (const auto& word : words(word_of.choice))
      if (word.choice == word_of.choice) return PyUnicode_FromString(word.name);
    return none().release();
  }
};

}  // namespace nanobind::detail

namespace hinge::python {

template <class Options, class Value, class Owner>
void set_field(Options& options, const Field<Owner, Value>& field, nb::handle value) {
  try {
    options.*field.member = nb::cast<InPython<Value>>(value);
  } catch (const nb::cast_error&) {
    throw nb::type_error((std::string(field.name) + " cannot be " + nb::cast<std::string>(nb::repr(value)) + ".").c_str());
  }
}

template <class Value>
nb::object in_python(const Value& value) {
  return nb::cast(InPython<Value>{value});
}

template <class Options>
nb::dict values_of(const Options& options) {
  nb::dict values;
  std::apply([&](const auto&... fields) { ((values[fields.name] = in_python(options.*fields.member)), ...); }, Options::fields);
  return values;
}

template <class Options>
Options replaced(const Options& options, const nb::kwargs& changes) {
  Options other = options;
  std::size_t found = 0;
  std::apply(
      [&](const auto&... fields) {
        ((changes.contains(fields.name) ? (set_field(other, fields, changes[fields.name]), ++found) : found), ...);
      },
      Options::fields);
  if (found != changes.size()) throw nb::type_error((std::string("An unknown option was given to ") + Options::name + ".").c_str());
  return other;
}

template <class Options, class... Values>
void construct(Options* self, const Values&... values) {
  new (self) Options;
  const auto given = std::tie(values...);
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    ((self->*std::get<k>(Options::fields).member = std::get<k>(given)), ...);
  }(std::index_sequence_for<Values...>());
}

template <class Options, class... Owners, class... Values, std::size_t... k>
void bind_fields(nb::class_<Options>& bound, const std::tuple<Field<Owners, Values>...>& fields, std::index_sequence<k...>) {
  const Options usual;
  bound.def("__init__", &construct<Options, InPython<Values>...>, nb::kw_only(), (nb::arg(std::get<k>(fields).name) = InPython<Values>{usual.*std::get<k>(fields).member})...);
  (bound.def_prop_ro(std::get<k>(fields).name, [member = std::get<k>(fields).member](const Options& self) { return InPython<Values>{self.*member}; },
                     std::get<k>(fields).doc),
   ...);
}

template <class Options>
nb::class_<Options> bind_options(nb::module_& module) {
  nb::class_<Options> bound(module, Options::name, Options::doc);
  bind_fields(bound, Options::fields, std::make_index_sequence<std::tuple_size_v<decltype(Options::fields)>>());
  bound.def(nb::self == nb::self, nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("replace", &replaced<Options>, nb::sig("def replace(self, **changes: typing.Any) -> typing.Self"),
           "Return the same options with some changes.")
      .def("to_dict", &values_of<Options>, nb::sig("def to_dict(self) -> dict[str, typing.Any]"), "Return all options by name.")
      .def("__repr__",
           [](const Options& self) {
             std::string text = std::string(Options::name) + "(";
             for (const auto& [key, value] : values_of(self))
               text += (text.back() == '(' ? "" : ", ") + nb::cast<std::string>(key) + "=" + nb::cast<std::string>(nb::repr(value));
             return text + ")";
           })
      .def("__getstate__", &values_of<Options>, nb::sig("def __getstate__(self) -> dict[str, typing.Any]"))
      .def(
          "__setstate__",
          [](Options& self, const nb::dict& values) { new (&self) Options(replaced(Options{}, nb::borrow<nb::kwargs>(values))); },
          nb::sig("def __setstate__(self, values: dict[str, typing.Any], /) -> None"));
  return bound;
}

}  // namespace hinge::python
