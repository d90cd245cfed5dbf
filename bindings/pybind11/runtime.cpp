// _core.Evaluator, further calls: filters with nominated pods, and PostFilter to PostBind.
#include "calls.hpp"
#include "lent.hpp"

namespace libsched {
namespace {

// (nomination's mode, its node, status)
auto run_post_filter(Evaluator& evaluator, CycleState& state, const Pod& pod,
                     const NodeStatuses& statuses) {
  const Asking asking(evaluator);
  const Holding holding_state(state.lock.get());
  libsched_nomination nomination = LIBSCHED_NOMINATION_INIT;
  unlocked(libsched_run_post_filter_plugins, evaluator.handle.get(), state.get(), pod.handle.get(),
           statuses.get(), &nomination, evaluator.status.get());
  return tuple_of(nomination.mode, nomination.node, status_tuple(evaluator.status.get()));
}

// ([(plugin, nanoseconds)], status)
auto run_permit(Evaluator& evaluator, CycleState& state, const Pod& pod, std::string_view node) {
  const Asking asking(evaluator);
  const Holding holding_state(state.lock.get());
  std::vector<libsched_permit_wait> waits(64);
  size_t count = 0;
  unlocked(libsched_run_permit_plugins, evaluator.handle.get(), state.get(), pod.handle.get(),
           to_str(node), waits.data(), waits.size(), &count, evaluator.status.get());
  return tuple_of(collect(std::min(count, waits.size()),
                          [&](size_t i) { return tuple_of(waits[i].plugin, waits[i].timeout_ns); }),
                  status_tuple(evaluator.status.get()));
}

// Runs without locks: it may take minutes, and it reads neither the view nor nominations.
py::tuple wait_on_permit(Evaluator& evaluator, const Pod& pod) {
  unlocked(libsched_wait_on_permit, evaluator.handle.get(), pod.handle.get(),
           evaluator.status.get());
  return status_tuple(evaluator.status.get());
}

void use_services(Evaluator& evaluator, const Services& services) {
  quick(libsched_evaluator_set_services, evaluator.handle.get(), services.handle.get());
  evaluator.services_lock = services.lock;
}

}  // namespace

void bind_runtime(py::class_<Evaluator>& evaluator) {
  evaluator.def("run_post_filter", run_post_filter)
      .def("run_reserve", unlocked_call<libsched_run_reserve_plugins_reserve>)
      .def("run_unreserve", unlocked_call<libsched_run_reserve_plugins_unreserve>)
      .def("run_permit", run_permit)
      .def("wait_on_permit", wait_on_permit)
      .def("run_pre_bind_pre_flights", unlocked_call<libsched_run_pre_bind_pre_flights>)
      .def("run_pre_bind", unlocked_call<libsched_run_pre_bind_plugins>)
      .def("run_bind", unlocked_call<libsched_run_bind_plugins>)
      .def("run_post_bind", unlocked_call<libsched_run_post_bind_plugins>)
      .def("sign_pod", quick_call<libsched_sign_pod>)
      .def("use_services", use_services);
}

}  // namespace libsched
