// _core.ApiServer: the API server in memory.
#include <memory>
#include <string_view>

#include "api_server.hpp"

namespace libsched {
namespace {

std::unique_ptr<ApiServer> create_api_server(const Clock* clock, int64_t grace_ns, Flag keep_calls,
                                             Flag keep_events, uint64_t fault_seed,
                                             double fault_rate, double slow_rate,
                                             int64_t most_slow_ns, Flag bind_volumes,
                                             int64_t provision_ns, Flag release_claims) {
  libsched_api_server_options options = LIBSCHED_API_SERVER_OPTIONS_INIT;
  if (clock != nullptr) options.clock = clock->handle.get();
  options.grace_ns = grace_ns;
  options.keep_calls = keep_calls;
  options.keep_events = keep_events;
  options.fault_seed = fault_seed;
  options.fault_rate = fault_rate;
  options.slow_rate = slow_rate;
  options.most_slow_ns = most_slow_ns;
  options.bind_volumes = bind_volumes;
  options.provision_ns = provision_ns;
  options.release_claims = release_claims;
  auto made = std::make_unique<ApiServer>();
  quick([&](libsched_error** error) {
    return libsched_api_server_create(&options, into(made->handle), error);
  });
  return made;
}

void add_fault(ApiServer& server, std::string_view verb, std::string_view key,
               std::string_view text, uint32_t times, int64_t slow_ns) {
  libsched_api_fault fault = LIBSCHED_API_FAULT_INIT;
  fault.verb = to_str(verb);
  fault.key = to_str(key);
  fault.error = to_str(text);
  fault.times = times;
  fault.slow_ns = slow_ns;
  unlocked([&](libsched_error** error) {
    return libsched_api_server_add_fault(server.handle.get(), &fault, error);
  });
}

std::unique_ptr<Pod> pod(const ApiServer& server, std::string_view ns, std::string_view name) {
  auto made = std::make_unique<Pod>();
  unlocked([&](libsched_error** error) {
    return libsched_api_server_find_pod(server.handle.get(), to_str(ns), to_str(name),
                                        into(made->handle), error);
  });
  return made;
}

std::unique_ptr<Node> node(const ApiServer& server, std::string_view name) {
  auto made = std::make_unique<Node>();
  unlocked([&](libsched_error** error) {
    return libsched_api_server_find_node(server.handle.get(), to_str(name), into(made->handle),
                                         error);
  });
  return made;
}

std::unique_ptr<Objects> objects(const ApiServer& server) {
  auto made = std::make_unique<Objects>();
  unlocked([&](libsched_error** error) {
    return libsched_api_server_objects(server.handle.get(), into(made->handle), error);
  });
  return made;
}

template <libsched_rc (*take)(libsched_api_server*, libsched_text**, libsched_error**)>
py::str taken(ApiServer& server) {
  TextHandle text;
  unlocked([&](libsched_error** error) { return take(server.handle.get(), into(text), error); });
  return from_text(text);
}

template <typename T, auto kPut>
void put(ApiServer& server, const T& given) {
  unlocked(
      [&](libsched_error** error) { return kPut(server.handle.get(), given.handle.get(), error); });
}

}  // namespace

void bind_api_server(py::module_& module) {
  Class<ApiServer>(module, "ApiServer")
      .def(py::init(&create_api_server))
      .def("create", &put<Objects, libsched_api_server_create_objects>)
      .def("update", &put<Objects, libsched_api_server_update_objects>)
      .def("create_pod", &put<Pod, libsched_api_server_create_pod>)
      .def("create_node", &put<Node, libsched_api_server_create_node>)
      .def("update_pod", &put<Pod, libsched_api_server_update_pod>)
      .def("update_node", &put<Node, libsched_api_server_update_node>)
      .def(
          "delete",
          [](ApiServer& server, std::string_view kind, std::string_view ns, std::string_view name) {
            unlocked([&](libsched_error** error) {
              return libsched_api_server_delete(server.handle.get(), to_str(kind), to_str(ns),
                                                to_str(name), error);
            });
          })
      .def("bind",
           [](ApiServer& server, std::string_view ns, std::string_view name,
              std::string_view node_name) {
             unlocked([&](libsched_error** error) {
               return libsched_api_server_bind(server.handle.get(), to_str(ns), to_str(name),
                                               to_str(node_name), error);
             });
           })
      .def("finish_pod",
           [](ApiServer& server, std::string_view ns, std::string_view name) {
             unlocked([&](libsched_error** error) {
               return libsched_api_server_finish_pod(server.handle.get(), to_str(ns), to_str(name),
                                                     error);
             });
           })
      .def("add_fault", &add_fault)
      .def("clear_faults",
           [](ApiServer& server) { libsched_api_server_clear_faults(server.handle.get()); })
      .def("pod", &pod)
      .def("node", &node)
      .def("objects", &objects)
      .def("version",
           [](const ApiServer& server) { return libsched_api_server_version(server.handle.get()); })
      .def("take_calls", &taken<libsched_api_server_take_calls_json>)
      .def("take_events", &taken<libsched_api_server_take_events_json>);
}

}  // namespace libsched
