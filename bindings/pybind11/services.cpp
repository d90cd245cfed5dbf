// _core.Services, _core.Clock, _core.WaitingPod: shared by the evaluators of one scheduler.
#include <algorithm>
#include <atomic>
#include <unordered_map>

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
  unlocked([&](libsched_error** error) {
    return libsched_objects_parse(to_str(std::string_view(text)), nullptr, created, error);
  });
}

std::unique_ptr<Services> create_services(const Clock* clock, py::object api,
                                          std::optional<uint64_t> preemption_seed,
                                          uint64_t preemption_offset) {
  libsched_services_options options = LIBSCHED_SERVICES_OPTIONS_INIT;
  // Deadlines use real time, unless the caller has a clock for everything.
  ClockHandle machine;
  if (clock == nullptr) {
    quick(
        [&](libsched_error** error) { return libsched_clock_create_system(into(machine), error); });
    options.deadline_clock = machine.get();
  } else {
    options.clock = clock->handle.get();
  }
  options.random_preemption = preemption_seed.has_value();
  options.seed = preemption_seed.value_or(0);
  options.preemption_offset = preemption_offset;
  const libsched_api_client client = python_client();
  if (!api.is_none()) {
    options.api = &client;
    options.api_user_data = api.release().ptr();
  }
  ServicesHandle out;
  quick(
      [&](libsched_error** error) { return libsched_services_create(&options, into(out), error); });
  auto made = std::make_unique<Services>();
  made->lock = services_lock(out.get());
  made->handle = std::move(out);
  return made;
}

libsched_memory_api* memory_api(const Services& services) {
  libsched_memory_api* const api = libsched_services_memory_api(services.handle.get());
  if (api == nullptr)
    raise(LIBSCHED_ERR_STATE, "these services have another API client, which keeps no requests");
  return api;
}

Clock own_clock(libsched_clock* clock) { return Clock{ClockHandle(libsched_clock_ref(clock))}; }

void nominate(Services& services, const Pod& pod, uint32_t mode, std::string_view node) {
  libsched_nomination nomination = LIBSCHED_NOMINATION_INIT;
  nomination.mode = mode;
  nomination.node = to_str(node);
  const Holding holding(services.lock.get());
  quick([&](libsched_error** error) {
    return libsched_services_nominate(services.handle.get(), pod.handle.get(), &nomination, error);
  });
}

void add_waiting(Services& services, const Pod& pod,
                 const std::vector<std::pair<std::string_view, int64_t>>& waits) {
  std::vector<libsched_permit_wait> list;
  for (const auto& [plugin, timeout] : waits) list.push_back({to_str(plugin), timeout});
  quick([&](libsched_error** error) {
    return libsched_services_add_waiting_pod(services.handle.get(), pod.handle.get(), list.data(),
                                             list.size(), error);
  });
}

py::object own_waiting(libsched_waiting_pod* waiting) {
  if (waiting == nullptr) return py::none();
  return py::cast(std::make_unique<WaitingPod>(WaitingPod{WaitingPodHandle(waiting)}));
}

py::list waiting_pods(const Services& services) {
  std::vector<libsched_waiting_pod*> found(8);
  size_t count = 0;
  while (true) {
    quick([&](libsched_error** error) {
      return libsched_services_waiting_pods(services.handle.get(), found.data(), found.size(),
                                            &count, error);
    });
    if (count <= found.size()) break;
    for (libsched_waiting_pod* one : found) libsched_waiting_pod_unref(one);
    found.assign(count + 8, nullptr);
  }
  py::list pods(count);
  for (size_t i = 0; i < count; ++i) pods[i] = own_waiting(found[i]);
  return pods;
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
  ClockHandle out;
  quick([&](libsched_error** error) {
    return libsched_clock_create(&functions, data.release(), into(out), error);
  });
  return Clock{std::move(out)};
}

void bind_clock(py::module_& module) {
  Class<Clock>(module, "Clock")
      .def_static("custom", &custom_clock)
      .def_static("system",
                  [] {
                    ClockHandle out;
                    quick([&](libsched_error** error) {
                      return libsched_clock_create_system(into(out), error);
                    });
                    return Clock{std::move(out)};
                  })
      .def_static("virtual",
                  [](int64_t now_ns) {
                    ClockHandle out;
                    quick([&](libsched_error** error) {
                      return libsched_clock_create_virtual(now_ns, into(out), error);
                    });
                    return Clock{std::move(out)};
                  })
      .def("now",
           [](const Clock& clock) {
             const Unlocked released;
             return libsched_clock_now(clock.handle.get());
           })
      .def("advance_to", [](Clock& clock, int64_t now_ns) {
        unlocked([&](libsched_error** error) {
          return libsched_clock_advance_to(clock.handle.get(), now_ns, error);
        });
      });
}

void bind_waiting_pod(py::module_& module) {
  Class<WaitingPod>(module, "WaitingPod")
      .def_property_readonly("pod",
                             [](const WaitingPod& waiting) {
                               return own_pod(libsched_waiting_pod_pod(waiting.handle.get()));
                             })
      .def("pending",
           [](const WaitingPod& waiting) {
             std::vector<libsched_str> names(
                 libsched_waiting_pod_pending(waiting.handle.get(), nullptr, 0));
             // Fewer if a plugin has allowed the pod meanwhile.
             names.resize(
                 libsched_waiting_pod_pending(waiting.handle.get(), names.data(), names.size()));
             py::list list;
             for (const libsched_str name : names) list.append(from_str(name));
             return list;
           })
      .def("allow",
           [](WaitingPod& waiting, std::string_view plugin) {
             libsched_waiting_pod_allow(waiting.handle.get(), to_str(plugin));
           })
      .def("reject",
           [](WaitingPod& waiting, std::string_view plugin, std::string_view message) {
             return libsched_waiting_pod_reject(waiting.handle.get(), to_str(plugin),
                                                to_str(message));
           })
      .def("preempt",
           [](WaitingPod& waiting, std::string_view plugin, std::string_view message) {
             return libsched_waiting_pod_preempt(waiting.handle.get(), to_str(plugin),
                                                 to_str(message));
           })
      .def("decided", [](WaitingPod& waiting) -> py::object {
        const StatusHandle status = create_status();
        if (!libsched_waiting_pod_decided(waiting.handle.get(), status.get())) return py::none();
        return status_tuple(status.get());
      });
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

py::object own_services(libsched_services* services) {
  auto made = std::make_unique<Services>();
  made->handle.reset(libsched_services_ref(services));
  made->lock = services_lock(services);
  return py::cast(std::move(made));
}

void bind_services(py::module_& module) {
  bind_clock(module);
  bind_waiting_pod(module);
  Class<Services>(module, "Services")
      .def(py::init(&create_services), py::arg("clock").none(true), py::arg("api"),
           py::arg("preemption_seed"), py::arg("preemption_offset"))
      .def_property_readonly("address",
                             [](const Services& services) {
                               return reinterpret_cast<uintptr_t>(services.handle.get());
                             })
      .def_property_readonly("clock",
                             [](Services& services) {
                               return own_clock(libsched_services_clock(services.handle.get()));
                             })
      .def("requests",
           [](const Services& services) {
             TextHandle out;
             const Holding holding(services.lock.get());
             quick([&](libsched_error** error) {
               return libsched_memory_api_requests_json(memory_api(services), into(out), error);
             });
             return from_text(out);
           })
      .def("deliver",
           [](Services& services, Cluster& cluster) {
             const Holding holding_cluster(cluster.lock.get());
             const Holding holding(services.lock.get());
             libsched_memory_api* const api = memory_api(services);
             unlocked([&](libsched_error** error) {
               return libsched_memory_api_deliver(api, cluster.handle.get(), error);
             });
           })
      .def("nominate", nominate)
      .def("remove_nomination",
           [](Services& services, const Pod& pod) {
             const Holding holding(services.lock.get());
             libsched_services_remove_nomination(services.handle.get(), pod.handle.get());
           })
      .def("nominated_node",
           [](const Services& services, const Pod& pod) {
             const Holding holding(services.lock.get());
             return from_str(
                 libsched_services_nominated_node(services.handle.get(), pod.handle.get()));
           })
      .def("add_waiting_pod", add_waiting)
      .def("waiting_pods", waiting_pods)
      .def("waiting_pod",
           [](const Services& services, std::string_view uid) {
             libsched_waiting_pod* found = nullptr;
             quick([&](libsched_error** error) {
               const libsched_rc rc = libsched_services_find_waiting_pod(
                   services.handle.get(), to_str(uid), &found, error);
               if (rc != LIBSCHED_ERR_NOT_FOUND) return rc;
               libsched_error_unref(std::exchange(*error, nullptr));
               return libsched_rc{LIBSCHED_OK};
             });
             return own_waiting(found);
           })
      .def("reject_waiting_pod", [](Services& services, std::string_view uid) {
        return libsched_services_reject_waiting_pod(services.handle.get(), to_str(uid));
      });
}

}  // namespace libsched
