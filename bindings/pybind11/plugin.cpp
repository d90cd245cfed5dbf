// _core.Registry: Python classes as plugins. Their slots run on the thread that called the library
// (CALLER_THREAD), so that no thread waits for the GIL.
#include "plugin.hpp"

#include "calls.hpp"

#include <set>

namespace libsched {

const std::array<const char*, kMethodCount> kMethodNames = {"pre_enqueue",
                                                            "less",
                                                            "pre_filter",
                                                            "add_pod",
                                                            "remove_pod",
                                                            "filter",
                                                            "filter_batch",
                                                            "post_filter",
                                                            "pre_score",
                                                            "score",
                                                            "score_batch",
                                                            "normalize_score",
                                                            "reserve",
                                                            "unreserve",
                                                            "permit",
                                                            "pre_bind_pre_flight",
                                                            "pre_bind",
                                                            "bind",
                                                            "post_bind",
                                                            "sign_pod",
                                                            "events_to_register",
                                                            "queueing_hint",
                                                            "on_event",
                                                            "forked",
                                                            "reverted",
                                                            "committed"};

libsched_code failed(const std::string& plugin, const char* method, py::error_already_set& error,
                     libsched_status* status) {
  std::string text = "the exception could not be told";
  try {
    // (exception for the caller, text)
    const py::object told =
        call(Wrappers::get().failure, py::str(plugin), py::str(method), value_of(error));
    text = told[py::int_(1)].cast<std::string>();
    keep_exception(told[py::int_(0)]);
  } catch (py::error_already_set& second) {
    keep_exception(second);
  }
  if (status != nullptr) {
    libsched_status_set(status, LIBSCHED_CODE_ERROR);
    libsched_status_add_reason(status, to_str(std::string_view(text)));
  }
  return LIBSCHED_CODE_ERROR;
}

py::object python_pod(const libsched_pod* pod) {
  struct Last {
    PyObject* python = nullptr;
    const libsched_pod* pod = nullptr;  // kept alive by it
  };
  thread_local Last last;
  if (last.python == nullptr || last.pod != pod) {
    py::object made = call(Wrappers::get().pod, py::cast(own(pod)));
    last.pod = pod;
    Py_XDECREF(std::exchange(last.python, made.release().ptr()));
  }
  return py::reinterpret_borrow<py::object>(last.python);
}

namespace {

libsched_code create_locked(void* user_data, libsched_str args, void** instance,
                            libsched_status* status) {
  auto& plugin = *static_cast<PythonPlugin*>(user_data);
  try {
    const CallsOfSlot calls;
    auto made = std::make_unique<Instance>();
    made->plugin = &plugin;
    made->object = call(plugin.factory, from_str(args));
    for (size_t i = 0; i < kMethodCount; ++i) {
      if (plugin.has[i]) made->methods[i] = made->object.attr(kMethodNames[i]);
    }
    const py::object name = py::getattr(made->object, "instance_name", py::none());
    if (!name.is_none()) made->name = name.cast<std::string>();
    *instance = made.release();
    return LIBSCHED_CODE_SUCCESS;
  } catch (py::error_already_set& error) {
    if (error.matches(py::module_::import("libsched.errors").attr("Error"))) {
      // The library's own error: the arguments are wrong, which is no fault of the plugin.
      libsched_status_set(status, LIBSCHED_CODE_ERROR);
      const std::string text = py::str(error.value().attr("message"));
      libsched_status_add_reason(status, to_str(std::string_view(text)));
      return LIBSCHED_CODE_ERROR;
    }
    return failed(plugin.name, "__init__", error, status);
  } catch (const std::exception& error) {
    libsched_status_set(status, LIBSCHED_CODE_ERROR);
    libsched_status_add_reason(status, to_str(std::string_view(error.what())));
    return LIBSCHED_CODE_ERROR;
  }
}

libsched_code create(void* user_data, libsched_str args, void** instance, libsched_status* status) {
  return locked_in_slot(libsched_code{LIBSCHED_CODE_ERROR},
                        [&] { return create_locked(user_data, args, instance, status); });
}

void release(void*, void* instance) {
  if (!python_is_there()) return;  // the process ends, and Python is gone
  locked([&] { delete static_cast<Instance*>(instance); });
}

void destroy(void* user_data) {
  if (!python_is_there()) return;
  locked([&] { delete static_cast<PythonPlugin*>(user_data); });
}

libsched_str instance_name(void* instance) {
  return to_str(std::string_view(instance_of(instance).name));
}

// `methods` are the methods that the class has.
void add(Registry& registry, std::string_view name, const std::vector<std::string_view>& methods,
         const std::vector<std::string_view>& reasons, py::object factory) {
  auto plugin = std::make_unique<PythonPlugin>();
  plugin->factory = std::move(factory);
  plugin->name = name;
  for (size_t i = 0; i < kMethodCount; ++i) {
    for (const std::string_view method : methods) {
      plugin->has[i] = plugin->has[i] || method == kMethodNames[i];
    }
  }
  const auto texts = raw(reasons);
  libsched_plugin slots = LIBSCHED_PLUGIN_INIT;
  slots.name = to_str(name);
  slots.flags = LIBSCHED_PLUGIN_CALLER_THREAD;
  slots.reason_count = static_cast<uint32_t>(texts.size());
  slots.reasons = texts.data();
  slots.create = create;
  slots.release = release;
  slots.destroy = destroy;
  slots.instance_name = instance_name;
  set_filter_slots(*plugin, &slots);
  set_score_slots(*plugin, &slots);
  set_binding_slots(*plugin, &slots);
  set_queue_slots(*plugin, &slots);
  set_event_slots(*plugin, &slots);
  quick(libsched_registry_add, registry.handle.get(), &slots, plugin.release());
}

// Loads a shared object; returns the names of the plugins that it has added.
std::vector<py::str> load(Registry& registry, std::string_view path) {
  const libsched_registry* r = registry.handle.get();
  std::set<std::string> before;
  for (size_t i = 0; i < libsched_registry_plugin_count(r); ++i)
    before.emplace(to_view(libsched_registry_plugin(r, i)));
  unlocked(libsched_registry_load, registry.handle.get(), to_str(path));
  std::vector<py::str> added;
  for (size_t i = 0; i < libsched_registry_plugin_count(r); ++i) {
    const libsched_str name = libsched_registry_plugin(r, i);
    if (!before.contains(std::string(to_view(name)))) added.push_back(from_str(name));
  }
  return added;
}

}  // namespace

void bind_plugins(py::module_& module) {
  Class<Registry>(module, "Registry")
      .def(py::init(&created<Registry, libsched_registry_create>))
      .def("enable", quick_call<libsched_registry_enable>)
      .def("load", load, py::arg("path"))
      .def("add_remote", add_remote)
      .def("add", add, py::arg("name"), py::arg("methods"), py::arg("reasons"), py::arg("factory"));
  py::tuple names(kMethodCount);
  for (size_t i = 0; i < kMethodCount; ++i) names[i] = py::str(kMethodNames[i]);
  module.attr("PLUGIN_METHODS") = names;
}

}  // namespace libsched
