// _core.Evaluator, further calls: filters with nominated pods, and PostFilter to PostBind.
#include "lent.hpp"

namespace libsched {
namespace {

// (nomination's mode, its node, status)
py::tuple run_post_filter(Evaluator& evaluator, CycleState& state, const Pod& pod,
                          const NodeStatuses& statuses) {
  const Asking asking(evaluator);
  const Holding holding_state(state.lock.get());
  libsched_nomination nomination = LIBSCHED_NOMINATION_INIT;
  unlocked([&](libsched_error** error) {
    return libsched_run_post_filter_plugins(evaluator.handle.get(), state.get(), pod.handle.get(),
                                            statuses.get(), &nomination, evaluator.status.get(),
                                            error);
  });
  return py::make_tuple(nomination.mode, from_str(nomination.node),
                        status_tuple(evaluator.status.get()));
}

using OnNode = decltype(&libsched_run_bind_plugins);
using OnNodeQuietly = decltype(&libsched_run_post_bind_plugins);

template <OnNode run>
py::tuple on_node(Evaluator& evaluator, CycleState& state, const Pod& pod, std::string_view node) {
  const Asking asking(evaluator);
  const Holding holding_state(state.lock.get());
  unlocked([&](libsched_error** error) {
    return run(evaluator.handle.get(), state.get(), pod.handle.get(), to_str(node),
               evaluator.status.get(), error);
  });
  return status_tuple(evaluator.status.get());
}

template <OnNodeQuietly run>
void quietly_on_node(Evaluator& evaluator, CycleState& state, const Pod& pod,
                     std::string_view node) {
  const Asking asking(evaluator);
  const Holding holding_state(state.lock.get());
  unlocked([&](libsched_error** error) {
    return run(evaluator.handle.get(), state.get(), pod.handle.get(), to_str(node), error);
  });
}

// ([(plugin, nanoseconds)], status)
py::tuple run_permit(Evaluator& evaluator, CycleState& state, const Pod& pod,
                     std::string_view node) {
  const Asking asking(evaluator);
  const Holding holding_state(state.lock.get());
  std::vector<libsched_permit_wait> waits(64);
  size_t count = 0;
  unlocked([&](libsched_error** error) {
    return libsched_run_permit_plugins(evaluator.handle.get(), state.get(), pod.handle.get(),
                                       to_str(node), waits.data(), waits.size(), &count,
                                       evaluator.status.get(), error);
  });
  py::list waiting;
  for (size_t i = 0; i < std::min(count, waits.size()); ++i) {
    waiting.append(py::make_tuple(from_str(waits[i].plugin), waits[i].timeout_ns));
  }
  return py::make_tuple(waiting, status_tuple(evaluator.status.get()));
}

// Runs without locks: it may take minutes, and it reads neither the view nor nominations.
py::tuple wait_on_permit(Evaluator& evaluator, const Pod& pod) {
  unlocked([&](libsched_error** error) {
    return libsched_wait_on_permit(evaluator.handle.get(), pod.handle.get(), evaluator.status.get(),
                                   error);
  });
  return status_tuple(evaluator.status.get());
}

py::str sign_pod(Evaluator& evaluator, const Pod& pod) {
  const Asking asking(evaluator);
  TextHandle out;
  quick([&](libsched_error** error) {
    return libsched_sign_pod(evaluator.handle.get(), pod.handle.get(), into(out), error);
  });
  return from_text(out);
}

void use_services(Evaluator& evaluator, const Services& services) {
  quick([&](libsched_error** error) {
    return libsched_evaluator_set_services(evaluator.handle.get(), services.handle.get(), error);
  });
  evaluator.services_lock = services.lock;
}

}  // namespace

void bind_runtime(py::class_<Evaluator>& evaluator) {
  evaluator.def("run_post_filter", run_post_filter)
      .def("run_reserve", on_node<libsched_run_reserve_plugins_reserve>)
      .def("run_unreserve", quietly_on_node<libsched_run_reserve_plugins_unreserve>)
      .def("run_permit", run_permit)
      .def("wait_on_permit", wait_on_permit)
      .def("run_pre_bind_pre_flights", on_node<libsched_run_pre_bind_pre_flights>)
      .def("run_pre_bind", on_node<libsched_run_pre_bind_plugins>)
      .def("run_bind", on_node<libsched_run_bind_plugins>)
      .def("run_post_bind", quietly_on_node<libsched_run_post_bind_plugins>)
      .def("sign_pod", sign_pod)
      .def("use_services", use_services);
}

}  // namespace libsched
