// _core.Cel: a compiled expression over devices, immutable.
#include "calls.hpp"

namespace libsched {

struct Cel : Holder<Owned<libsched_cel_unref>> {};
Cel wrapper_of(Of<libsched_cel>);

namespace {

Cel compile(std::string_view expression, Flag list_attributes, Flag any_result, uint64_t cost_limit,
            std::string_view semantics) {
  libsched_cel_options options = LIBSCHED_CEL_OPTIONS_INIT;
  options.list_attributes = list_attributes;
  options.any_result = any_result;
  options.cost_limit = cost_limit;
  options.semantics = to_str(semantics);
  Cel made;
  unlocked(libsched_cel_compile, to_str(expression), &options, into(made.handle));
  return made;
}

}  // namespace

void bind_cel(py::module_& module) {
  Class<Cel>(module, "Cel")
      .def_static("compile", compile, py::arg("expression"), py::kw_only(),
                  py::arg("list_attributes"), py::arg("any_result"), py::arg("cost_limit"),
                  py::arg("semantics"))
      .def_property_readonly("type", quick_call<libsched_cel_type>)
      .def("devices_json", unlocked_call<libsched_cel_devices_json>, py::arg("objects"));
}

}  // namespace libsched
