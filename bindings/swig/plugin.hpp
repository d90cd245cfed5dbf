// Plugins as classes for SWIG's directors, and single objects where the C API takes arrays.
//
// The shim between a C slot and a class derived in another language turns its exceptions
// into an Error status. The registry owns an added plugin, and deletes it with its last
// user.
#ifndef LIBSCHED_SWIG_PLUGIN_HPP
#define LIBSCHED_SWIG_PLUGIN_HPP

#ifndef SWIG
#include <libsched.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <vector>
#endif

namespace libsched_swig {

class Plugin {
 public:
  virtual ~Plugin() = default;
#ifndef SWIG
  // Sets the slots that the plugin has.
  virtual void fill(libsched_plugin* slots) const = 0;
  std::string name;

 protected:
  explicit Plugin(libsched_str given) : name(given.ptr == nullptr ? "" : given.ptr, given.len) {}
#else

 protected:
  Plugin();
#endif
};

#ifndef SWIG
// Runs a method of a derived class; no exception reaches the library.
template <typename F>
libsched_code judged(libsched_status* status, F&& method) noexcept {
  try {
    return method();
  } catch (const std::exception& thrown) {
    libsched_status_set(status, LIBSCHED_CODE_ERROR);
    libsched_status_add_reason(status, libsched_str_from(thrown.what()));
  } catch (...) {
    libsched_status_set(status, LIBSCHED_CODE_ERROR);
    libsched_status_add_reason(status, LIBSCHED_STR("the plugin threw something"));
  }
  return LIBSCHED_CODE_ERROR;
}
#endif

// Judges whether the pod may run on one node: returns a code and adds reasons to `status`.
class FilterPlugin : public Plugin {
 public:
  explicit FilterPlugin(libsched_str name) : Plugin(name) {}
  virtual libsched_code filter(const libsched_cycle_state* state, const libsched_pod* pod,
                               const libsched_node_info* node, libsched_status* status) = 0;
#ifndef SWIG
  void fill(libsched_plugin* slots) const override {
    slots->filter = [](void* self, const libsched_cycle_state* state, const libsched_pod* pod,
                       const libsched_node_info* node, libsched_status* status) {
      return judged(status, [&] {
        return static_cast<FilterPlugin*>(static_cast<Plugin*>(self))
            ->filter(state, pod, node, status);
      });
    };
  }
#endif
};

// Scores a node for the pod, from 0 to 100.
class ScorePlugin : public Plugin {
 public:
  explicit ScorePlugin(libsched_str name) : Plugin(name) {}
  virtual int64_t score(const libsched_cycle_state* state, const libsched_pod* pod,
                        const libsched_node_info* node) = 0;
#ifndef SWIG
  void fill(libsched_plugin* slots) const override {
    slots->score = [](void* self, const libsched_cycle_state* state, const libsched_pod* pod,
                      const libsched_node_info* node, int64_t* score, libsched_status* status) {
      return judged(status, [&]() -> libsched_code {
        *score = static_cast<ScorePlugin*>(static_cast<Plugin*>(self))->score(state, pod, node);
        return LIBSCHED_CODE_SUCCESS;
      });
    };
  }
#endif
};

#ifndef SWIG
// Replaces a text that replace() made by a copy of another.
inline void replace(libsched_str* place, libsched_str text) {
  char* copy = nullptr;
  if (text.len != 0 && (copy = static_cast<char*>(std::malloc(text.len))) != nullptr)
    std::memcpy(copy, text.ptr, text.len);
  std::free(const_cast<char*>(place->ptr));
  *place = {copy, copy == nullptr ? 0 : text.len};
}
#endif

}  // namespace libsched_swig

// Adds a plugin under its name; the registry owns it from now on, even if this fails.
inline libsched_rc libsched_registry_add_plugin(libsched_registry* registry,
                                                libsched_swig::Plugin* DISOWN,
                                                libsched_error** error) {
  libsched_plugin slots = LIBSCHED_PLUGIN_INIT;
  slots.name = {DISOWN->name.data(), DISOWN->name.size()};
  slots.flags = LIBSCHED_PLUGIN_CALLER_THREAD;
  slots.destroy = [](void* plugin) { delete static_cast<libsched_swig::Plugin*>(plugin); };
  DISOWN->fill(&slots);
  return libsched_registry_add(registry, &slots, DISOWN, error);
}

// Adds one node, or one pod on a node (empty: its own nodeName). Errors: EXISTS, INVALID, LIMIT.
inline libsched_rc libsched_cluster_add_node(libsched_cluster* cluster, const libsched_node* node,
                                             libsched_error** error) {
  return libsched_cluster_add_nodes(cluster, &node, 1, error);
}
inline libsched_rc libsched_cluster_add_pod(libsched_cluster* cluster, const libsched_pod* pod,
                                            libsched_str node_name, libsched_error** error) {
  return libsched_cluster_add_pods(cluster, &pod, &node_name, 1, error);
}

// libsched_schedule_one() with one profile. `options` is required, with a writer queue.
inline libsched_rc libsched_schedule_pod(libsched_evaluator* evaluator, const libsched_pod* pod,
                                         const libsched_scheduling_options* options,
                                         libsched_scheduling** out, libsched_error** error) {
  return libsched_schedule_one(&evaluator, 1, pod, options, out, error);
}
// libsched_count_capacity() of one pod with one profile; `max` 0: the default.
inline libsched_rc libsched_capacity_of(libsched_evaluator* evaluator, const libsched_pod* pod,
                                        size_t max, libsched_capacity** out,
                                        libsched_error** error) {
  libsched_capacity_options options = LIBSCHED_CAPACITY_OPTIONS_INIT;
  options.max = max;
  return libsched_count_capacity(&evaluator, 1, &pod, 1, &options, out, error);
}
// The name of a node, by index, and the number of pods that were placed on it.
inline libsched_str libsched_capacity_node_name(const libsched_capacity* capacity, size_t index) {
  return libsched_capacity_node(capacity, index, nullptr);
}
inline size_t libsched_capacity_pods_on(const libsched_capacity* capacity, size_t index) {
  size_t pods = 0;
  libsched_capacity_node(capacity, index, &pods);
  return pods;
}
// Why the next pod is not placed; empty if the count has ended for another reason.
inline libsched_str libsched_capacity_why(const libsched_capacity* capacity) {
  libsched_placement next{};
  next.struct_size = sizeof next;
  return libsched_capacity_next(capacity, &next) ? next.text : libsched_str{"", 0};
}
// libsched_why_json() with one profile; `max_nodes` and `nearest` 0: the defaults.
inline libsched_rc libsched_why_of(libsched_evaluator* evaluator, const libsched_pod* pod,
                                   size_t max_nodes, size_t nearest, libsched_text** out,
                                   libsched_error** error) {
  libsched_why_options options = LIBSCHED_WHY_OPTIONS_INIT;
  options.max_nodes = max_nodes;
  options.nearest = nearest;
  return libsched_why_json(&evaluator, 1, pod, &options, out, error);
}
// libsched_drain_nodes() with one profile; `nodes` are names separated by commas.
inline libsched_rc libsched_drain_of(libsched_evaluator* evaluator, libsched_str nodes, bool force,
                                     bool delete_emptydir_data, libsched_drain** out,
                                     libsched_error** error) {
  libsched_drain_options options = LIBSCHED_DRAIN_OPTIONS_INIT;
  options.force = force;
  options.delete_emptydir_data = delete_emptydir_data;
  std::vector<libsched_str> names;
  for (std::string_view rest(nodes.ptr, nodes.len); !rest.empty();) {
    const size_t end = std::min(rest.find(','), rest.size());
    names.push_back({rest.data(), end});
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return libsched_drain_nodes(&evaluator, 1, names.data(), names.size(), &options, out, error);
}
// libsched_cluster_edit(); `edits` are lines. `pod` may be NULL; it is a pod, or the template of a
// workload of this kind ("": a pod) with so many replicas.
inline libsched_rc libsched_cluster_edit_with(libsched_cluster* cluster, libsched_str edits,
                                              const libsched_pod* pod, libsched_str kind,
                                              size_t replicas, libsched_edited** out,
                                              libsched_error** error) {
  std::vector<libsched_str> lines;
  for (std::string_view rest(edits.ptr, edits.len); !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    if (end != 0) lines.push_back({rest.data(), end});
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return libsched_cluster_edit(cluster, lines.data(), lines.size(), &pod, &kind, &replicas,
                               pod == nullptr ? 0 : 1, out, error);
}
// A pod after edits, and its replicas; null and 0 if `index` is too large.
inline const libsched_pod* libsched_edited_get(const libsched_edited* edited, size_t index) {
  return libsched_edited_pod(edited, index, nullptr, nullptr);
}
inline size_t libsched_edited_replicas(const libsched_edited* edited, size_t index) {
  size_t replicas = 0;
  libsched_edited_pod(edited, index, nullptr, &replicas);
  return replicas;
}
// libsched_comparison_place() with one profile. `pod` may be NULL: with `all` the cluster's pods.
inline libsched_rc libsched_comparison_place_with(libsched_comparison* comparison, bool after,
                                                  libsched_evaluator* evaluator,
                                                  const libsched_pod* pod, bool all,
                                                  libsched_error** error) {
  libsched_compare_options options = LIBSCHED_COMPARE_OPTIONS_INIT;
  options.all = all;
  return libsched_comparison_place(comparison, after, &evaluator, 1, &pod, pod == nullptr ? 0 : 1,
                                   &options, error);
}
// A pod of a comparison, by index, whether it has changed, and its node and reason on one side.
#ifndef SWIG
inline libsched_compared_pod libsched_compared(const libsched_comparison* comparison,
                                               size_t index) {
  libsched_compared_pod found = LIBSCHED_COMPARED_POD_INIT;
  libsched_comparison_pod(comparison, index, &found);
  return found;
}
#endif
inline const libsched_pod* libsched_comparison_get(const libsched_comparison* comparison,
                                                   size_t index) {
  return libsched_compared(comparison, index).pod;
}
inline bool libsched_comparison_changed(const libsched_comparison* comparison, size_t index) {
  return libsched_compared(comparison, index).changed;
}
inline libsched_str libsched_comparison_node(const libsched_comparison* comparison, size_t index,
                                             bool after) {
  const libsched_compared_pod p = libsched_compared(comparison, index);
  return after ? p.after.node : p.before.node;
}
inline libsched_str libsched_comparison_why(const libsched_comparison* comparison, size_t index,
                                            bool after) {
  const libsched_compared_pod p = libsched_compared(comparison, index);
  return after ? p.after.text : p.before.text;
}
// libsched_queue_create() with one profile.
inline libsched_rc libsched_queue_of(libsched_evaluator* evaluator,
                                     const libsched_queue_options* options, libsched_queue** out,
                                     libsched_error** error) {
  return libsched_queue_create(&evaluator, 1, options, out, error);
}
// libsched_scheduler_create() with one profile, a clock, and what records requests.
inline libsched_rc libsched_scheduler_of(const libsched_framework* framework,
                                         libsched_cluster* cluster, libsched_clock* clock,
                                         libsched_memory_api* api, libsched_scheduler** out,
                                         libsched_error** error) {
  libsched_scheduler_options options = LIBSCHED_SCHEDULER_OPTIONS_INIT;
  options.clock = clock;
  options.memory_api = api;
  return libsched_scheduler_create(&framework, 1, cluster, &options, out, error);
}
// libsched_workload_add_trace() with the defaults.
inline libsched_rc libsched_workload_read_trace(libsched_workload* workload, libsched_str csv,
                                                libsched_str file, libsched_error** error) {
  libsched_trace_options options = LIBSCHED_TRACE_OPTIONS_INIT;
  options.file = file;
  return libsched_workload_add_trace(workload, csv, &options, error);
}
// libsched_simulation_create() with one profile and the defaults.
// libsched_api_server_add_fault() without a struct.
inline libsched_rc libsched_api_server_fault(libsched_api_server *server, libsched_str verb, libsched_str key,
                                             libsched_str text, uint32_t times, int64_t slow_ns,
                                             libsched_error **error) {
  libsched_api_fault fault = LIBSCHED_API_FAULT_INIT;
  fault.verb = verb;
  fault.key = key;
  fault.error = text;
  fault.times = times;
  fault.slow_ns = slow_ns;
  return libsched_api_server_add_fault(server, &fault, error);
}
inline libsched_rc libsched_simulation_of(const libsched_framework* framework,
                                          const libsched_view* cluster, libsched_workload* workload,
                                          libsched_simulation** out, libsched_error** error) {
  return libsched_simulation_create(&framework, 1, cluster, workload, nullptr, out, error);
}
// libsched_simulation_run() without a callback; a negative time: until all is quiet.
inline libsched_rc libsched_simulation_run_until(libsched_simulation* simulation, int64_t until_ns,
                                                 libsched_error** error) {
  return libsched_simulation_run(simulation, until_ns, nullptr, nullptr, nullptr, error);
}
// libsched_queue_add_unschedulable() of a pod that one plugin rejected; empty: its cycle failed.
inline libsched_rc libsched_queue_reject(libsched_queue* queue, libsched_queued_pod* queued,
                                         libsched_str plugin, libsched_error** error) {
  libsched_rejection rejection = LIBSCHED_REJECTION_INIT;
  rejection.unschedulable = &plugin;
  rejection.unschedulable_count = plugin.len != 0 ? 1 : 0;
  return libsched_queue_add_unschedulable(queue, queued, nullptr, &rejection, error);
}
// libsched_queue_move_all() for an event without objects.
inline libsched_rc libsched_queue_move(libsched_queue* queue, libsched_str resource,
                                       int64_t actions, libsched_error** error) {
  libsched_queue_event event = LIBSCHED_QUEUE_EVENT_INIT;
  event.resource = resource;
  event.actions = actions;
  return libsched_queue_move_all(queue, &event, error);
}
// The plugin at `index` of libsched_scheduling_rejectors(); empty: none.
inline libsched_str libsched_scheduling_rejector(const libsched_scheduling* scheduling,
                                                 bool pending, size_t index) {
  const size_t count = libsched_scheduling_rejectors(scheduling, pending, nullptr, 0);
  if (index >= count) return {"", 0};
  std::vector<libsched_str> names(count);
  libsched_scheduling_rejectors(scheduling, pending, names.data(), count);
  return names[index];
}

#endif
