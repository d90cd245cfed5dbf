// _core.Evaluator: first fit; _core.schedule(): placing many pods.
#include "scheduler.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace libsched {
namespace {

// (node or None, row or None, position, status)
auto first_fit(Evaluator& evaluator, CycleState& state, const Pod& pod,
               const std::optional<py::buffer>& accept, size_t start,
               std::optional<int64_t> timeout_ns, Maybe<const Cancel> cancel) {
  const Asking asking(evaluator);
  const Holding holding_state(state.lock.get());
  std::vector<uint64_t> accepted;
  const libsched_filter_options options =
      filter_options(evaluator, 1, accept, start, timeout_ns, cancel, accepted);
  libsched_fit fit = LIBSCHED_FIT_INIT;
  unlocked(libsched_first_fit, evaluator.handle.get(), state.get(), pod.handle.get(), &options,
           &fit, evaluator.status.get());
  std::optional<py::str> name;
  if (fit.row != LIBSCHED_NO_ROW) name = from_str(fit.node_name);
  return tuple_of(name, row_or_none(fit.row), fit.position, status_tuple(evaluator.status.get()));
}

// Shared by the callbacks of a call: the callables, and an exception that one of them raised.
struct Callbacks {
  py::object placed, replica;
  std::optional<py::error_already_set> raised;

  // Runs with the GIL; an exception ends the call with `otherwise`.
  template <typename T, typename F>
  T run(T otherwise, F&& body) {
    return locked_in_slot(otherwise, [&] {  // the callback may read the cluster
      try {
        return body();
      } catch (py::error_already_set& error) {
        raised.emplace(std::move(error));
      } catch (const py::cast_error&) {
        raised.emplace(type_error());
      }
      return otherwise;
    });
  }

 private:
  static py::error_already_set type_error() {
    PyErr_SetString(PyExc_TypeError, "a replica is a pod");
    return py::error_already_set();
  }
};

// Calls a Python function with the items of a tuple.
py::object given(const py::object& function, const py::tuple& arguments) {
  PyObject* result = staying([&] { return PyObject_CallObject(function.ptr(), arguments.ptr()); });
  if (result == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(result);
}

bool tell(void* user_data, const libsched_placement* placement) {
  auto& callbacks = *static_cast<Callbacks*>(user_data);
  return callbacks.run(false, [&] {
    return given(callbacks.placed, py::cast(placement_tuple(*placement))).cast<bool>();
  });
}

libsched_pod* make_replica(void* user_data, size_t pod, size_t index) {
  auto& callbacks = *static_cast<Callbacks*>(user_data);
  return callbacks.run(static_cast<libsched_pod*>(nullptr), [&] {
    const py::object made = call(callbacks.replica, py::int_(pod), py::int_(index));
    return libsched_pod_ref(made.cast<const Pod&>().handle.get());
  });
}

void schedule(const std::vector<Evaluator*>& evaluators, const std::vector<const Pod*>& pods,
              const std::vector<size_t>& replicas, uint32_t ties, uint64_t seed, Flag sampling,
              Flag stop_at_failure, Flag claims, std::string_view other_profile, py::object replica,
              py::object placed, std::optional<int64_t> timeout_ns, Maybe<const Cancel> cancel) {
  Callbacks callbacks{std::move(placed), std::move(replica), {}};
  const Profiles profiles(evaluators);
  const auto list = raw(pods);
  libsched_schedule_options options = LIBSCHED_SCHEDULE_OPTIONS_INIT;
  options.ties = ties;
  options.seed = seed;
  options.sampling = sampling;
  options.stop_at_failure = stop_at_failure;
  options.no_claims_from_templates = !claims;
  options.replica = make_replica;
  profiles.limit(options, other_profile, timeout_ns, cancel);
  libsched_error* error = nullptr;
  libsched_rc code = LIBSCHED_OK;
  {
    const Unlocked released;
    code = libsched_schedule(profiles.data(), profiles.size(), list.data(), replicas.data(),
                             list.size(), &options, tell, &callbacks, &error);
  }
  if (callbacks.raised) {
    libsched_error_unref(error);
    throw py::error_already_set(std::move(*callbacks.raised));
  }
  check(code, error);
}

}  // namespace

Profiles::Profiles(const std::vector<Evaluator*>& evaluators)
    : first_(evaluators.empty() ? nullptr : evaluators.front()), handles_(raw(evaluators)) {
  std::vector<Lock*> locks;
  for (const bool services : {false, true})
    for (const Evaluator* evaluator : evaluators) {
      Lock* const lock = (services ? evaluator->services_lock : evaluator->lock).get();
      if (std::find(locks.begin(), locks.end(), lock) == locks.end()) locks.push_back(lock);
    }
  for (Lock* lock : locks) held_.emplace_back(lock);
}

void bind_schedule(py::module_& module) {
  module.def("schedule", schedule, py::arg("evaluators"), py::arg("pods"), py::arg("replicas"),
             py::arg("ties"), py::arg("seed"), py::arg("sampling"), py::arg("stop_at_failure"),
             py::arg("claims"), py::arg("other_profile"), py::arg("replica"), py::arg("placed"),
             py::arg("timeout_ns"), py::arg("cancel"));
}

void bind_scheduler(py::class_<Evaluator>& evaluator) {
  evaluator.def("first_fit", first_fit, py::arg("state"), py::arg("pod"), py::arg("accept"),
                py::arg("start"), py::arg("timeout_ns"), py::arg("cancel"));
}

}  // namespace libsched
