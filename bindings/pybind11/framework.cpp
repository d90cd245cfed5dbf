// _core.Config and _core.Framework: a scheduler's configuration, and one profile with its plugins.
#include "binding.hpp"

namespace libsched {
namespace {

Config parse_config(py::handle document, Flag several_queue_sorts, std::string_view feature_gates) {
  const Document bytes(document);
  libsched_config_options options = LIBSCHED_CONFIG_OPTIONS_INIT;
  options.several_queue_sorts = several_queue_sorts;
  options.feature_gates = to_str(feature_gates);
  ConfigHandle out;
  unlocked([&](libsched_error** error) {
    return libsched_config_parse(bytes.str(), &options, into(out), error);
  });
  return {std::move(out)};
}

Config parse_profile(py::handle document) {
  const Document bytes(document);
  libsched_config_options options = LIBSCHED_CONFIG_OPTIONS_INIT;
  options.profile = true;
  ConfigHandle out;
  unlocked([&](libsched_error** error) {
    return libsched_config_parse(bytes.str(), &options, into(out), error);
  });
  return {std::move(out)};
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
  TextHandle out;
  unlocked([&](libsched_error** error) {
    return libsched_config_describe_json(config.handle.get(), into(out), error);
  });
  return from_text(out);
}

py::str embedded_configs(py::handle document) {
  const Document bytes(document);
  TextHandle out;
  unlocked([&](libsched_error** error) {
    return libsched_embedded_configs_json(bytes.str(), into(out), error);
  });
  return from_text(out);
}

std::unique_ptr<Framework> create_framework(const Config* config, std::string_view profile,
                                            const Registry* registry,
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
  for (size_t i = 0; config != nullptr && i < libsched_config_extender_count(config->handle.get());
       ++i) {
    unlocked([&](libsched_error** error) {
      return libsched_config_load_extender(config->handle.get(), i, into(extenders.emplace_back()),
                                           error);
    });
    lent.push_back(extenders.back().get());
  }
  options.extenders = lent.data();
  options.extender_count = lent.size();
  auto made = std::make_unique<Framework>();
  unlocked([&](libsched_error** error) {
    return libsched_framework_create(config == nullptr ? nullptr : config->handle.get(),
                                     to_str(profile),
                                     registry == nullptr ? nullptr : registry->handle.get(),
                                     &options, into(made->handle), error);
  });
  return made;
}

py::list skipped_plugins(const Framework& framework) {
  py::list out;
  for (size_t i = 0; i < libsched_framework_skipped_count(framework.handle.get()); ++i)
    out.append(from_str(libsched_framework_skipped(framework.handle.get(), i)));
  return out;
}

// The plugins of each point that has plugins, as (name, weight).
py::dict plugins(const Framework& framework) {
  const libsched_framework* f = framework.handle.get();
  py::dict out;
  for (size_t p = 0;; ++p) {
    const libsched_str point = libsched_extension_point_name(p);
    if (point.len == 0) return out;
    const size_t count = libsched_framework_plugin_count(f, point);
    if (count == 0) continue;
    py::tuple list(count);
    for (size_t i = 0; i < count; ++i) {
      list[i] = py::make_tuple(from_str(libsched_framework_plugin(f, point, i)),
                               libsched_framework_plugin_weight(f, point, i));
    }
    out[from_str(point)] = std::move(list);
  }
}

// (plugin, resource, actions, label, has_hint) of each event
py::list events(const Framework& framework) {
  EventMapHandle map;
  quick([&](libsched_error** error) {
    return libsched_framework_events(framework.handle.get(), into(map), error);
  });
  const libsched_event_map* const m = map.get();
  py::list out;
  for (size_t i = 0; i < libsched_event_map_count(m); ++i)
    out.append(py::make_tuple(
        from_str(libsched_event_map_plugin(m, i)), from_str(libsched_event_map_resource(m, i)),
        libsched_event_map_actions(m, i), from_str(libsched_event_map_label(m, i)),
        libsched_event_map_has_hint(m, i)));
  return out;
}

bool queue_less(const Framework& framework, const Pod& a, int64_t a_since_ns, const Pod& b,
                int64_t b_since_ns) {
  bool before = false;
  quick([&](libsched_error** error) {
    return libsched_framework_queue_less(framework.handle.get(), a.handle.get(), a_since_ns,
                                         b.handle.get(), b_since_ns, &before, error);
  });
  return before;
}

}  // namespace

void bind_framework(py::module_& module) {
  Class<Config>(module, "Config")
      .def_static("parse", parse_config, py::arg("document"), py::arg("several_queue_sorts"),
                  py::arg("feature_gates"))
      .def_static("parse_profile", parse_profile)
      .def_property_readonly("profile_names", profile_names)
      .def_property_readonly(
          "extender_count",
          [](const Config& config) { return libsched_config_extender_count(config.handle.get()); })
      .def("describe", describe);
  module.def("embedded_configs_json", embedded_configs, py::arg("document"));
  Class<Framework>(module, "Framework")
      .def(py::init(&create_framework), py::arg("config").none(true), py::arg("profile"),
           py::arg("registry").none(true), py::arg("feature_gates"), py::arg("semantics"),
           py::arg("several_queue_sorts"), py::arg("skip_unknown_plugins"))
      .def("skipped_plugins", skipped_plugins)
      .def_property_readonly("profile",
                             [](const Framework& framework) {
                               return from_str(libsched_framework_profile(framework.handle.get()));
                             })
      .def("plugins", plugins)
      .def("events", events)
      .def("queue_less", queue_less);
}

}  // namespace libsched
