// _core.Config and _core.Framework: a scheduler's configuration, and one profile with its plugins.
#include "calls.hpp"

namespace libsched {
namespace {

Config parse(py::handle document, const libsched_config_options& options) {
  const Document bytes(document);
  Config made;
  unlocked(libsched_config_parse, bytes.str(), &options, into(made.handle));
  return made;
}

Config parse_config(py::handle document, Flag several_queue_sorts, std::string_view feature_gates,
                    std::string_view semantics) {
  libsched_config_options options = LIBSCHED_CONFIG_OPTIONS_INIT;
  options.several_queue_sorts = several_queue_sorts;
  options.feature_gates = to_str(feature_gates);
  options.semantics = to_str(semantics);
  return parse(document, options);
}

Config parse_profile(py::handle document, std::string_view semantics) {
  libsched_config_options options = LIBSCHED_CONFIG_OPTIONS_INIT;
  options.profile = true;
  options.semantics = to_str(semantics);
  return parse(document, options);
}

py::str embedded_configs(py::handle document) {
  const Document bytes(document);
  TextHandle out;
  unlocked(libsched_embedded_configs_json, bytes.str(), into(out));
  return from_text(out);
}

std::unique_ptr<Framework> create_framework(Maybe<const Config> config, std::string_view profile,
                                            Maybe<const Registry> registry,
                                            std::string_view feature_gates,
                                            std::string_view semantics, Flag several_queue_sorts,
                                            Flag skip_unknown_plugins) {
  libsched_framework_options options = LIBSCHED_FRAMEWORK_OPTIONS_INIT;
  options.feature_gates = to_str(feature_gates);
  options.semantics = to_str(semantics);
  options.several_queue_sorts = several_queue_sorts;
  options.skip_unknown_plugins = skip_unknown_plugins;
  std::vector<ExtenderHandle> extenders;
  std::vector<const libsched_extender*> lent;
  const libsched_config* const from = raw(config);
  for (size_t i = 0; from != nullptr && i < libsched_config_extender_count(from); ++i) {
    unlocked(libsched_config_load_extender, from, i, into(extenders.emplace_back()));
    lent.push_back(extenders.back().get());
  }
  options.extenders = lent.data();
  options.extender_count = lent.size();
  auto made = std::make_unique<Framework>();
  unlocked(libsched_framework_create, from, to_str(profile), raw(registry), &options,
           into(made->handle));
  return made;
}

// The plugins of each point that has plugins, as (name, weight).
auto plugins(const Framework& framework) {
  const libsched_framework* f = raw(framework);
  Dict<py::str, Items<std::tuple<py::str, int32_t>>> out;
  for (size_t p = 0;; ++p) {
    const libsched_str point = libsched_extension_point_name(p);
    if (point.len == 0) return out;
    const size_t count = libsched_framework_plugin_count(f, point);
    if (count == 0) continue;
    out[from_str(point)] = collect<Items>(count, [&](size_t i) {
      return tuple_of(libsched_framework_plugin(f, point, i),
                      libsched_framework_plugin_weight(f, point, i));
    });
  }
}

// (plugin, resource, actions, label, has_hint) of each event
auto events(const Framework& framework) {
  EventMapHandle map;
  quick(libsched_framework_events, raw(framework), into(map));
  const libsched_event_map* const m = map.get();
  return collect(libsched_event_map_count(m), [&](size_t i) {
    return tuple_of(libsched_event_map_plugin(m, i), libsched_event_map_resource(m, i),
                    libsched_event_map_actions(m, i), libsched_event_map_label(m, i),
                    libsched_event_map_has_hint(m, i));
  });
}

}  // namespace

void bind_framework(py::module_& module) {
  Class<Config>(module, "Config")
      .def_static("parse", parse_config, py::arg("document"), py::arg("several_queue_sorts"),
                  py::arg("feature_gates"), py::arg("semantics"))
      .def_static("parse_profile", parse_profile, py::arg("document"), py::arg("semantics"))
      .def_property_readonly("profile_names",
                             listing<libsched_config_profile_count, libsched_config_profile_name>)
      .def_property_readonly("extender_count", quick_call<libsched_config_extender_count>)
      .def("describe", unlocked_call<libsched_config_describe_json>);
  module.def("embedded_configs_json", embedded_configs, py::arg("document"));
  Class<Framework>(module, "Framework")
      .def(py::init(&create_framework), py::arg("config"), py::arg("profile"), py::arg("registry"),
           py::arg("feature_gates"), py::arg("semantics"), py::arg("several_queue_sorts"),
           py::arg("skip_unknown_plugins"))
      .def("skipped_plugins", listing<libsched_framework_skipped_count, libsched_framework_skipped>)
      .def_property_readonly("profile", quick_call<libsched_framework_profile>)
      .def("plugins", plugins)
      .def("events", events)
      .def("queue_less", quick_call<libsched_framework_queue_less>);
}

}  // namespace libsched
