// A Python class as a libsched_plugin: shared parts of its slots.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "lent.hpp"

namespace libsched {

// The methods that a Python plugin may have, in the order of kMethodNames.
enum class Method : uint8_t {
  kPreEnqueue,
  kLess,
  kPreFilter,
  kAddPod,
  kRemovePod,
  kFilter,
  kFilterBatch,
  kPostFilter,
  kPreScore,
  kScore,
  kScoreBatch,
  kNormalizeScore,
  kReserve,
  kUnreserve,
  kPermit,
  kPreBindPreFlight,
  kPreBind,
  kBind,
  kPostBind,
  kSignPod,
  kEventsToRegister,
  kQueueingHint,
  kOnEvent,
  kForked,
  kReverted,
  kCommitted,
  kCount
};
inline constexpr size_t kMethodCount = static_cast<size_t>(Method::kCount);
extern const std::array<const char*, kMethodCount> kMethodNames;

// A class in a registry. It lives until the last registry and framework are released.
struct PythonPlugin {
  py::object factory;  // from pluginConfig as JSON to an instance
  std::string name;
  std::array<bool, kMethodCount> has{};
};

struct Instance {
  PythonPlugin* plugin = nullptr;
  py::object object;
  std::array<py::object, kMethodCount> methods;  // bound
  std::string name;  // the plugin's own name; empty: the registered name
  py::list events;   // the result of events_to_register()

  PyObject* at(Method method) const { return methods[static_cast<size_t>(method)].ptr(); }
};

// Functions that call an object with any of an API client's methods. The user data is a reference
// to the object.
libsched_api_client python_client();
// One lock for each libsched_services, shared by all its Python objects. Needs the GIL.
std::shared_ptr<Lock> services_lock(const libsched_services* services);

// Registers a plugin that another process provides (plugin_remote.cpp).
void add_remote(Registry& registry, std::string_view name, std::string_view address, Flag ignorable,
                int64_t timeout_ns, Flag tls_insecure, std::string_view tls_server_name,
                std::string_view tls_ca_file, std::string_view tls_cert_file,
                std::string_view tls_key_file);

inline Instance& instance_of(void* instance) { return *static_cast<Instance*>(instance); }

// Tells whether a method answers a question; the answer is not needed once an exception is
// to be raised. The other methods are notifications.
constexpr bool is_question(Method method) { return method <= Method::kNormalizeScore; }

// Keeps the current Python exception for the caller; puts its traceback into `status`.
libsched_code failed(const std::string& plugin, const char* method, py::error_already_set& error,
                     libsched_status* status);

// A flag of this thread, which is on during the lifetime of an object.
template <typename Which>
class ThreadFlag {
 public:
  ThreadFlag() : before_(std::exchange(on(), true)) {}
  ~ThreadFlag() { on() = before_; }
  ThreadFlag(const ThreadFlag&) = delete;
  ThreadFlag& operator=(const ThreadFlag&) = delete;

  static bool& on() {
    thread_local bool yes = false;
    return yes;
  }

 private:
  bool before_;
};
// A score out of range is only upstream's Error status, and no exception, for callers that ask for
// the statuses of one extension point.
using ScoresAsStatus = ThreadFlag<struct ScoresAsStatusFlag>;
// Plugins answer questions after one of them has raised, because the call goes on as after an
// Error. The exception is raised at the end of the call.
using AskAfterExceptions = ThreadFlag<struct AskAfterExceptionsFlag>;

template <typename Body>
libsched_code run_locked_slot(void* instance, Method method, libsched_status* status, Body&& body) {
  const Instance& self = instance_of(instance);
  const char* name = kMethodNames[static_cast<size_t>(method)];
  if (is_question(method) && has_kept_exception() && !AskAfterExceptions::on()) {
    if (status != nullptr) libsched_status_set(status, LIBSCHED_CODE_ERROR);
    return LIBSCHED_CODE_ERROR;
  }
  try {
    const CallsOfSlot calls;
    try {
      return body(self, self.at(method));
    } catch (py::error_already_set&) {
      throw;
    } catch (const py::builtin_exception& error) {  // such as ValueError
      error.set_error();
      throw py::error_already_set();
    } catch (const std::exception& error) {
      PyErr_SetString(PyExc_RuntimeError, error.what());
      throw py::error_already_set();
    }
  } catch (py::error_already_set& error) {
    return failed(self.plugin->name, name, error, status);
  }
}

// Runs a slot and returns the code of `body`; no exception leaves it. After an exception no further
// question is asked in the same call, unless AskAfterExceptions says so.
template <typename Body>
libsched_code run_slot(void* instance, Method method, libsched_status* status,
                       Body&& body) noexcept {
  return locked_in_slot(libsched_code{LIBSCHED_CODE_ERROR},
                        [&] { return run_locked_slot(instance, method, status, body); });
}

// Converts a method's result to a code; throws TypeError for an unknown result.
libsched_code status_from(py::handle result, libsched_status* status);
// Does the same, and throws ValueError for a Code that the point does not know. A Status stands for
// itself, whatever its code, as it does in Go.
libsched_code status_from(py::handle result, Method method, libsched_status* status);
// Throws ValueError unless a method may return a code that has no reason. `node` is named if it is
// not NULL.
void check_code(Method method, long long code, const libsched_node_info* node = nullptr);
// Tells whether an object is one of Python's or numpy's bools.
bool is_bool(py::handle object);
// Tells whether status_from() accepts the result.
bool is_status(py::handle result);
int64_t score_from(py::handle result);
// Nanoseconds of a number of seconds, or of a timedelta.
int64_t nanoseconds_from(py::handle timeout);
// Fills codes and reason indexes from a mask or codes, or a tuple of those and reasons.
void verdicts_from(py::handle result, const Instance& self, const libsched_node_set* nodes,
                   int8_t* codes, uint16_t* reasons);
void scores_from(py::handle result, size_t count, int64_t* scores);

// These set the slots of a group for which `plugin` has methods.
void set_filter_slots(const PythonPlugin& plugin, libsched_plugin* slots);
void set_score_slots(const PythonPlugin& plugin, libsched_plugin* slots);
void set_binding_slots(const PythonPlugin& plugin, libsched_plugin* slots);
void set_queue_slots(const PythonPlugin& plugin, libsched_plugin* slots);
void set_event_slots(const PythonPlugin& plugin, libsched_plugin* slots);

inline bool has(const PythonPlugin& plugin, Method method) {
  return plugin.has[static_cast<size_t>(method)];
}

// Loans of the usual arguments.
struct LentState : Loan<CycleState> {
  explicit LentState(const libsched_cycle_state* state)
      : Loan<CycleState>(Wrappers::get().state, [&](CycleState& core) {
          core.lent = const_cast<libsched_cycle_state*>(state);
        }) {}
};
struct LentInfo : Loan<LentNodeInfo> {
  explicit LentInfo(const libsched_node_info* info)
      : Loan<LentNodeInfo>(Wrappers::get().node_info,
                           [&](LentNodeInfo& core) { core.handle = info; }) {}
};
struct LentNodes : Loan<LentNodeSet> {
  explicit LentNodes(const libsched_node_set* set)
      : Loan<LentNodeSet>(Wrappers::get().node_set, [&](LentNodeSet& core) { core.handle = set; }) {
  }
};
// The pod as a Python object; the thread's last object is cached.
py::object python_pod(const libsched_pod* pod);

}  // namespace libsched
