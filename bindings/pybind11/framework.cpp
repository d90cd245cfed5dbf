// _core.Config and _core.Framework: a scheduler's configuration, and one profile with its plugins.
#include "binding.hpp"

namespace libsched {
namespace {

Config parse_config(py::handle document) {
  const Document bytes(document);
  libsched_config* out = nullptr;
  unlocked([&](libsched_error** error) { return libsched_config_parse(bytes.str(), &out, error); });
  return {ConfigHandle(out)};
}

py::list profile_names(const Config& config) {
  const size_t count = libsched_config_profile_count(config.handle.get());
  py::list names(count);
  for (size_t i = 0; i < count; ++i) {
    names[i] = from_str(libsched_config_profile_name(config.handle.get(), i));
  }
  return names;
}

py::str describe(const Config& config) {
  libsched_text* out = nullptr;
  unlocked([&](libsched_error** error) {
    return libsched_config_describe_json(config.handle.get(), &out, error);
  });
  return from_text(out);
}

Framework create_framework(const Config* config, std::string_view profile,
                           std::string_view feature_gates, std::string_view semantics) {
  libsched_framework_options options = LIBSCHED_FRAMEWORK_OPTIONS_INIT;
  options.feature_gates = to_str(feature_gates);
  options.semantics = to_str(semantics);
  libsched_framework* out = nullptr;
  unlocked([&](libsched_error** error) {
    return libsched_framework_create(config == nullptr ? nullptr : config->handle.get(),
                                     to_str(profile), nullptr, &options, &out, error);
  });
  return {FrameworkHandle(out)};
}

py::str plugins(const Framework& framework) {
  libsched_text* out = nullptr;
  quick([&](libsched_error** error) {
    return libsched_framework_plugins_json(framework.handle.get(), &out, error);
  });
  return from_text(out);
}

}  // namespace

void bind_framework(py::module_& module) {
  py::class_<Config>(module, "Config")
      .def_static("parse", parse_config)
      .def_property_readonly("profile_names", profile_names)
      .def("describe", describe);
  py::class_<Framework>(module, "Framework")
      .def(py::init(&create_framework), py::arg("config").none(true), py::arg("profile"),
           py::arg("feature_gates"), py::arg("semantics"))
      .def_property_readonly("profile",
                             [](const Framework& framework) {
                               return from_str(libsched_framework_profile(framework.handle.get()));
                             })
      .def("plugins", plugins);
}

}  // namespace libsched
