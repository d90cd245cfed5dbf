// _core.Services, _core.Clock, _core.WaitingPod: shared by the evaluators of one scheduler.
#include <algorithm>
#include <atomic>
#include <unordered_map>

#include "calls.hpp"
#include "plugin.hpp"

namespace libsched {
namespace {

template <typename Ask>
libsched_code ask_locked_client(void* client, const char* method, libsched_status* status,
                                Ask&& ask, const char* without = nullptr) {
  try {
    const CallsOfSlot calls;
    const py::handle object(static_cast<PyObject*>(client));
    if (!py::hasattr(object, method)) {
      if (without == nullptr) return LIBSCHED_CODE_SUCCESS;
      libsched_status_set(status, LIBSCHED_CODE_ERROR);
      libsched_status_add_reason(status, to_str(std::string_view(without)));
      return LIBSCHED_CODE_ERROR;
    }
    const py::object result = ask(object.attr(method));
    return status == nullptr ? libsched_code{LIBSCHED_CODE_SUCCESS} : status_from(result, status);
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_Exception)) keep_exception(error);  // such as Ctrl-C
    if (status == nullptr) {
      error.discard_as_unraisable(method);
      return LIBSCHED_CODE_ERROR;
    }
    libsched_status_set(status, LIBSCHED_CODE_ERROR);
    const std::string text = py::str(error.value());
    libsched_status_add_reason(status, to_str(std::string_view(text)));
    return LIBSCHED_CODE_ERROR;
  } catch (const std::exception&) {
    return LIBSCHED_CODE_ERROR;
  }
}

// The client is a Python object with any of the methods; its exceptions become the API's errors.
template <typename Ask>
libsched_code ask_client(void* client, const char* method, libsched_status* status, Ask&& ask,
                         const char* without = nullptr) noexcept {
  return locked_in_slot(libsched_code{LIBSCHED_CODE_ERROR},
                        [&] { return ask_locked_client(client, method, status, ask, without); });
}

py::object loaded(libsched_str json) {
  return call(py::module_::import("json").attr("loads"), from_str(json));
}

// The object that a client has created, as a dict or a text.
void parse_created(const py::object& object, libsched_objects** created) {
  const py::object json = py::isinstance<py::str>(object)
                              ? object
                              : call(py::module_::import("json").attr("dumps"), object);
  const std::string text = py::cast<std::string>(json);
  unlocked(libsched_objects_parse, to_str(std::string_view(text)), nullptr, created);
}

std::unique_ptr<Services> create_services(Maybe<const Clock> clock, py::object api,
                                          std::optional<uint64_t> preemption_seed,
                                          uint64_t preemption_offset) {
  libsched_services_options options = LIBSCHED_SERVICES_OPTIONS_INIT;
  // Deadlines use real time, unless the caller has a clock for everything.
  ClockHandle machine;
  if (!clock) {
    quick(libsched_clock_create_system, into(machine));
    options.deadline_clock = machine.get();
  } else {
    options.clock = raw(clock);
  }
  options.random_preemption = preemption_seed.has_value();
  options.seed = preemption_seed.value_or(0);
  options.preemption_offset = preemption_offset;
  const libsched_api_client client = python_client();
  if (!api.is_none()) {
    options.api = &client;
    options.api_user_data = api.release().ptr();
  }
  auto made = std::make_unique<Services>();
  quick(libsched_services_create, &options, into(made->handle));
  made->lock = services_lock(made->handle.get());
  return made;
}

libsched_memory_api* memory_api(const Services& services) {
  libsched_memory_api* const api = libsched_services_memory_api(services.handle.get());
  if (api == nullptr)
    raise(LIBSCHED_ERR_STATE, "these services have another API client, which keeps no requests");
  return api;
}

void nominate(Services& services, const Pod& pod, uint32_t mode, std::string_view node) {
  libsched_nomination nomination = LIBSCHED_NOMINATION_INIT;
  nomination.mode = mode;
  nomination.node = to_str(node);
  const Holding holding(services.lock.get());
  quick(libsched_services_nominate, services.handle.get(), pod.handle.get(), &nomination);
}

void add_waiting(Services& services, const Pod& pod,
                 const std::vector<std::pair<std::string_view, int64_t>>& waits) {
  std::vector<libsched_permit_wait> list;
  for (const auto& [plugin, timeout] : waits) list.push_back({to_str(plugin), timeout});
  quick(libsched_services_add_waiting_pod, services.handle.get(), pod.handle.get(), list.data(),
        list.size());
}

std::vector<WaitingPod> waiting_pods(const Services& services) {
  std::vector<libsched_waiting_pod*> found(8);
  size_t count = 0;
  while (true) {
    quick(libsched_services_waiting_pods, services.handle.get(), found.data(), found.size(),
          &count);
    if (count <= found.size()) break;
    for (libsched_waiting_pod* one : found) libsched_waiting_pod_unref(one);
    found.assign(count + 8, nullptr);
  }
  std::vector<WaitingPod> pods(count);
  for (size_t i = 0; i < count; ++i) pods[i].handle.reset(found[i]);
  return pods;
}

std::optional<WaitingPod> waiting_pod(const Services& services, std::string_view uid) {
  WaitingPod found;
  quick([&](libsched_error** error) {
    const libsched_rc rc = libsched_services_find_waiting_pod(services.handle.get(), to_str(uid),
                                                              into(found.handle), error);
    if (rc != LIBSCHED_ERR_NOT_FOUND) return rc;
    libsched_error_unref(std::exchange(*error, nullptr));
    return libsched_rc{LIBSCHED_OK};
  });
  return found.handle ? std::optional(std::move(found)) : std::nullopt;
}

// A clock of two Python functions. What they raise cannot leave them, so the time then stands
// still.
struct ClockFunctions {
  py::object now, sleep;
  std::atomic<int64_t> latest{INT64_MIN};

  template <typename Call>
  static int64_t ask(const py::object& function, int64_t otherwise, Call&& call) noexcept {
    if (Py_IsInitialized() == 0) return otherwise;
    return locked_or(otherwise, [&] {
      try {
        return py::cast<int64_t>(call(function));
      } catch (py::error_already_set& error) {
        error.discard_as_unraisable(function);
      } catch (const std::exception&) {  // the result is no int64
      }
      return otherwise;
    });
  }
};

Clock custom_clock(py::object now, py::object sleep) {
  libsched_clock_functions functions = LIBSCHED_CLOCK_FUNCTIONS_INIT;
  functions.now = [](void* data) -> int64_t {
    auto& self = *static_cast<ClockFunctions*>(data);
    const int64_t latest = self.latest.load();
    const int64_t now =
        ClockFunctions::ask(self.now, latest, [](const py::object& f) { return call(f); });
    if (now > latest) self.latest.store(now);
    return std::max(now, latest);
  };
  if (!sleep.is_none())
    functions.sleep = [](void* data, int64_t deadline_ns) -> int64_t {
      auto& self = *static_cast<ClockFunctions*>(data);
      return ClockFunctions::ask(self.sleep, 10'000'000, [&](const py::object& f) {
        return call(f, py::int_(deadline_ns));
      });
    };
  functions.destroy = [](void* data) {
    if (Py_IsInitialized() == 0) return;
    locked([&] { delete static_cast<ClockFunctions*>(data); });
  };
  auto data = std::make_unique<ClockFunctions>();
  data->now = std::move(now);
  data->sleep = std::move(sleep);
  Clock made;
  quick(libsched_clock_create, &functions, data.release(), into(made.handle));
  return made;
}

template <auto create, typename... Time>
Clock clock_of(Time... now_ns) {
  Clock made;
  quick(create, now_ns..., into(made.handle));
  return made;
}

void bind_clock(py::module_& module) {
  Class<Clock>(module, "Clock")
      .def_static("custom", &custom_clock)
      .def_static("system", clock_of<libsched_clock_create_system>)
      .def_static("virtual", clock_of<libsched_clock_create_virtual, int64_t>)
      .def("now", unlocked_call<libsched_clock_now>)
      .def("advance_to", unlocked_call<libsched_clock_advance_to>);
}

auto pending(const WaitingPod& waiting) {
  std::vector<libsched_str> names(libsched_waiting_pod_pending(raw(waiting), nullptr, 0));
  // Fewer if a plugin has allowed the pod meanwhile.
  names.resize(libsched_waiting_pod_pending(raw(waiting), names.data(), names.size()));
  return collect(names.size(), [&](size_t i) { return names[i]; });
}

std::optional<py::tuple> decided(const WaitingPod& waiting) {
  const StatusHandle status = create_status();
  if (!libsched_waiting_pod_decided(raw(waiting), status.get())) return std::nullopt;
  return status_tuple(status.get());
}

void bind_waiting_pod(py::module_& module) {
  Class<WaitingPod>(module, "WaitingPod")
      .def_property_readonly("pod", quick_call<libsched_waiting_pod_pod>)
      .def("pending", pending)
      .def("allow", quick_call<libsched_waiting_pod_allow>)
      .def("reject", quick_call<libsched_waiting_pod_reject>)
      .def("preempt", quick_call<libsched_waiting_pod_preempt>)
      .def("decided", decided);
}

}  // namespace

std::shared_ptr<Lock> services_lock(const libsched_services* services) {
  static auto* locks = new std::unordered_map<const libsched_services*, std::weak_ptr<Lock>>();
  std::weak_ptr<Lock>& known = (*locks)[services];
  std::shared_ptr<Lock> lock = known.lock();
  if (!lock) {
    lock = std::make_shared<Lock>();
    known = lock;
  }
  return lock;
}

libsched_api_client python_client() {
  libsched_api_client client = LIBSCHED_API_CLIENT_INIT;
  client.bind = [](void* self, const libsched_pod* pod, libsched_str node,
                   libsched_status* status) {
    return ask_client(self, "bind", status, [&](const py::object& f) {
      return call(f, python_pod(pod), from_str(node));
    });
  };
  client.delete_pod = [](void* self, const libsched_pod* pod, libsched_status* status) {
    return ask_client(self, "delete_pod", status,
                      [&](const py::object& f) { return call(f, python_pod(pod)); });
  };
  client.patch_pod_status = [](void* self, const libsched_pod* pod, libsched_str patch,
                               libsched_status* status) {
    return ask_client(self, "patch_pod_status", status,
                      [&](const py::object& f) { return call(f, python_pod(pod), loaded(patch)); });
  };
  client.patch_object = [](void* self, libsched_str kind, libsched_str namespace_,
                           libsched_str name, libsched_str patch, libsched_status* status) {
    return ask_client(self, "patch_object", status, [&](const py::object& f) {
      return call(f, from_str(kind), from_str(namespace_), from_str(name), loaded(patch));
    });
  };
  client.create_object = [](void* self, libsched_str kind, libsched_str namespace_,
                            libsched_str object, libsched_objects** created,
                            libsched_status* status) {
    return ask_client(
        self, "create_object", status,
        [&](const py::object& f) -> py::object {
          parse_created(call(f, from_str(kind), from_str(namespace_), loaded(object)), created);
          return py::none();
        },
        "the API client has no method create_object, which extended resources of DeviceClasses "
        "need");
  };
  client.delete_object = [](void* self, libsched_str kind, libsched_str namespace_,
                            libsched_str name, libsched_status* status) {
    return ask_client(self, "delete_object", status, [&](const py::object& f) {
      return call(f, from_str(kind), from_str(namespace_), from_str(name));
    });
  };
  client.event = [](void* self, const libsched_pod* pod, libsched_str type, libsched_str reason,
                    libsched_str action, libsched_str note) {
    ask_client(self, "event", nullptr, [&](const py::object& f) {
      return call(f, python_pod(pod), from_str(type), from_str(reason), from_str(action),
                  from_str(note));
    });
  };
  client.destroy = [](void* self) {
    if (Py_IsInitialized() == 0) return;
    locked([&] { Py_DECREF(static_cast<PyObject*>(self)); });
  };
  return client;
}

Clock own(libsched_clock* clock) { return {ClockHandle(libsched_clock_ref(clock))}; }

Services own(libsched_services* services) {
  return {ServicesHandle(libsched_services_ref(services)), services_lock(services)};
}

void bind_services(py::module_& module) {
  bind_clock(module);
  bind_waiting_pod(module);
  Class<Services>(module, "Services")
      .def(py::init(&create_services), py::arg("clock"), py::arg("api"), py::arg("preemption_seed"),
           py::arg("preemption_offset"))
      .def_property_readonly("address", address_of<Services>)
      .def_property_readonly("clock", quick_call<libsched_services_clock>)
      .def("requests",
           [](const Services& services) {
             TextHandle out;
             const Holding holding(services.lock.get());
             quick(libsched_memory_api_requests_json, memory_api(services), into(out));
             return from_text(out);
           })
      .def("deliver",
           [](Services& services, Cluster& cluster) {
             const Holding holding_cluster(cluster.lock.get());
             const Holding holding(services.lock.get());
             libsched_memory_api* const api = memory_api(services);
             unlocked(libsched_memory_api_deliver, api, cluster.handle.get());
           })
      .def("nominate", nominate)
      .def("remove_nomination", quick_call<libsched_services_remove_nomination>)
      .def("nominated_node", quick_call<libsched_services_nominated_node>)
      .def("add_waiting_pod", add_waiting)
      .def("waiting_pods", waiting_pods)
      .def("waiting_pod", waiting_pod)
      .def("reject_waiting_pod", [](Services& services, std::string_view uid) {
        return libsched_services_reject_waiting_pod(services.handle.get(), to_str(uid));
      });
}

}  // namespace libsched
