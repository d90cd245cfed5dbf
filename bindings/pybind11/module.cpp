// libsched._core: the C API as Python classes, one to one. The package libsched builds its public
// classes on these; nothing here is meant for users.
//
// The GIL is released around every call that may run long. Objects for one thread at a time are
// locked (lock.hpp), so neither threads nor os.fork() can corrupt anything.
#include "binding.hpp"

PYBIND11_MODULE(_core, module) {
  module.doc() = "The C API of libsched, one to one; use the package libsched instead.";
  libsched::watch_for_fork();

  module.def("version", [] { return libsched_version(); });
  module.def("abi_version", [] { return libsched_abi_version(); });
  module.def("k8s_version", [] { return libsched_k8s_version(); });
  module.attr("ABI_VERSION") = LIBSCHED_ABI_VERSION;  // of the header it was compiled with
  module.def("code_name", [](int32_t code) -> std::optional<std::string_view> {
    const char* name = libsched_code_name(code);
    return name == nullptr ? std::nullopt : std::optional<std::string_view>(name);
  });

  libsched::bind_objects(module);
  libsched::bind_view(module);
  libsched::bind_cluster(module);
  libsched::bind_lent(module);
  libsched::bind_services(module);
  libsched::bind_plugins(module);
  libsched::bind_framework(module);
  libsched::bind_cycle_state(module);
  libsched::bind_decision(module);
  libsched::bind_evaluator(module);
  libsched::bind_schedule(module);
  libsched::bind_scheduling(module);
  libsched::bind_answers(module);
  libsched::bind_queue(module);
  libsched::bind_simulation(module);
  libsched::bind_api_server(module);
  libsched::bind_loop(module);
  libsched::bind_sim(module);
  libsched::bind_cel(module);
}
