// _core.ApiServer: the API server in memory.
#include <memory>
#include <string_view>

#include "api_server.hpp"
#include "calls.hpp"

namespace libsched {
namespace {

std::unique_ptr<ApiServer> create_api_server(Maybe<const Clock> clock, int64_t grace_ns,
                                             Flag keep_calls, Flag keep_events, uint64_t fault_seed,
                                             double fault_rate, double slow_rate,
                                             int64_t most_slow_ns, Flag bind_volumes,
                                             int64_t provision_ns, Flag release_claims) {
  libsched_api_server_options options = LIBSCHED_API_SERVER_OPTIONS_INIT;
  options.clock = raw(clock);
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
  quick(libsched_api_server_create, &options, into(made->handle));
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
  unlocked(libsched_api_server_add_fault, server.handle.get(), &fault);
}

}  // namespace

void bind_api_server(py::module_& module) {
  Class<ApiServer>(module, "ApiServer")
      .def(py::init(&create_api_server))
      .def("create", unlocked_call<libsched_api_server_create_objects>)
      .def("update", unlocked_call<libsched_api_server_update_objects>)
      .def("create_pod", unlocked_call<libsched_api_server_create_pod>)
      .def("create_node", unlocked_call<libsched_api_server_create_node>)
      .def("update_pod", unlocked_call<libsched_api_server_update_pod>)
      .def("update_node", unlocked_call<libsched_api_server_update_node>)
      .def("delete", unlocked_call<libsched_api_server_delete>)
      .def("bind", unlocked_call<libsched_api_server_bind>)
      .def("finish_pod", unlocked_call<libsched_api_server_finish_pod>)
      .def("add_fault", &add_fault)
      .def("clear_faults", quick_call<libsched_api_server_clear_faults>)
      .def("pod", unlocked_call<libsched_api_server_find_pod>)
      .def("node", unlocked_call<libsched_api_server_find_node>)
      .def("objects", unlocked_call<libsched_api_server_objects>)
      .def("version", quick_call<libsched_api_server_version>)
      .def("take_calls", unlocked_call<libsched_api_server_take_calls_json>)
      .def("take_events", unlocked_call<libsched_api_server_take_events_json>);
}

}  // namespace libsched
