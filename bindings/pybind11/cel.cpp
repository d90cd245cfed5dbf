// _core.Cel: a compiled expression over devices, immutable.
#include <memory>

#include "binding.hpp"

namespace libsched {
namespace {

struct Cel {
  std::unique_ptr<libsched_cel, Unref<libsched_cel, libsched_cel_unref>> handle;
};

Cel compile(std::string_view expression, Flag list_attributes, Flag any_result,
            uint64_t cost_limit) {
  libsched_cel_options options = LIBSCHED_CEL_OPTIONS_INIT;
  options.list_attributes = list_attributes;
  options.any_result = any_result;
  options.cost_limit = cost_limit;
  Cel made;
  unlocked([&](libsched_error** error) {
    return libsched_cel_compile(to_str(expression), &options, into(made.handle), error);
  });
  return made;
}

py::str devices_json(const Cel& cel, const Objects& objects) {
  TextHandle out;
  unlocked([&](libsched_error** error) {
    return libsched_cel_devices_json(cel.handle.get(), objects.handle.get(), into(out), error);
  });
  return from_text(out);
}

}  // namespace

void bind_cel(py::module_& module) {
  Class<Cel>(module, "Cel")
      .def_static("compile", compile, py::arg("expression"), py::kw_only(),
                  py::arg("list_attributes"), py::arg("any_result"), py::arg("cost_limit"))
      .def_property_readonly(
          "type", [](const Cel& cel) { return from_str(libsched_cel_type(cel.handle.get())); })
      .def("devices_json", devices_json, py::arg("objects"));
}

}  // namespace libsched
