// A cluster with something of every kind that a state keeps, after every kind of query, for the
// calls of failing_allocation_test.cpp.
#pragma once

#include <doctest/doctest.h>
#include <libsched.h>

#include <string>

#include "failing_documents.hpp"
#include "writer.hpp"

namespace failing {

inline std::string out(libsched_str s) { return std::string(s.ptr == nullptr ? "" : s.ptr, s.len); }

inline void ok(libsched_rc rc, libsched_error** error) {
  if (rc != LIBSCHED_OK) FAIL(out(libsched_error_message(*error)));
}
#undef OK
#define OK(call)                      \
  do {                                \
    libsched_error* error_ = nullptr; \
    libsched_error** err = &error_;   \
    ok((call), err);                  \
  } while (false)

inline libsched_objects* parse(const char* text) {
  libsched_parse_options options = LIBSCHED_PARSE_OPTIONS_INIT;
  options.defaults = true;
  options.keep_raw = true;
  libsched_objects* objects = nullptr;
  OK(libsched_objects_parse(libsched_str_from(text), &options, &objects, err));
  return objects;
}

// A plugin that counts events.
struct Heard {
  std::string log;
};
inline void on_event(void* instance, libsched_services*, const libsched_view*,
                     const libsched_object_change* c) {
  static_cast<Heard*>(instance)->log +=
      out(libsched_object_change_resource(c)) + " " + out(libsched_object_change_name(c)) + "; ";
}
inline void on_forked(void* i, const libsched_view*) { static_cast<Heard*>(i)->log += "forked; "; }
inline void on_reverted(void* i, const libsched_view*) {
  static_cast<Heard*>(i)->log += "reverted; ";
}
inline void on_committed(void* i, const libsched_view*) {
  static_cast<Heard*>(i)->log += "committed; ";
}
inline libsched_code on_filter(void*, const libsched_cycle_state*, const libsched_pod*,
                               const libsched_node_info*, libsched_status*) {
  return LIBSCHED_CODE_SUCCESS;
}

// Shared by all stages.
struct Materials {
  Materials() {
    const libsched_objects* all = parse(kCluster);
    cluster = const_cast<libsched_objects*>(all);
    news = parse(kNews);
    questions = parse(kQuestions);
    // Sees its own changes: it removes the node that it added, and a pod of the document.
    const libsched_str pv = libsched_str_from("PersistentVolume"), none = libsched_str_from("");
    OK(libsched_changes_create(&changes, err));
    OK(libsched_changes_put_pod(changes, question(0), libsched_str_from("not-there-yet"),
                                LIBSCHED_PUT_NEW, err));
    OK(libsched_changes_put_objects(changes, news, LIBSCHED_PUT_APPLY, err));
    OK(libsched_changes_remove(changes, libsched_str_from("Node"), none, libsched_str_from("n2"),
                               err));
    OK(libsched_changes_remove(changes, pv, none, libsched_str_from("volume"), err));
    OK(libsched_changes_remove(changes, libsched_str_from("Pod"), libsched_str_from("d"),
                               libsched_str_from("p1"), err));
    OK(libsched_changes_put_node(changes, libsched_objects_get_node(cluster, 1),
                                 LIBSCHED_PUT_UPDATE, err));
    OK(libsched_framework_create(nullptr, libsched_str_from(""), nullptr, nullptr, &framework,
                                 err));
  }
  ~Materials() {
    for (libsched_objects* o : {cluster, news, questions}) libsched_objects_unref(o);
    libsched_changes_unref(changes);
    libsched_framework_unref(framework);
  }
  Materials(const Materials&) = delete;
  Materials& operator=(const Materials&) = delete;

  const libsched_pod* question(size_t i) const { return libsched_objects_get_pod(questions, i); }

  libsched_objects *cluster = nullptr, *news = nullptr, *questions = nullptr;
  libsched_changes* changes = nullptr;
  libsched_framework* framework = nullptr;  // without the listener
};

// A cluster after every kind of query, so that every table exists, with the arguments of the calls.
struct Stage {
  explicit Stage(const Materials& materials) : m(materials) {
    OK(libsched_cluster_create(nullptr, &cluster, err));
    OK(libsched_cluster_apply(cluster, m.cluster, err));
    libsched_registry* registry = nullptr;
    libsched_config* config = nullptr;
    libsched_plugin plugin = LIBSCHED_PLUGIN_INIT;
    plugin.name = libsched_str_from("Listener");
    plugin.filter = on_filter;
    plugin.on_event = on_event;
    plugin.forked = on_forked;
    plugin.reverted = on_reverted;
    plugin.committed = on_committed;
    OK(libsched_registry_create(&registry, err));
    OK(libsched_registry_add(registry, &plugin, &heard, err));
    OK(libsched_config_parse(libsched_str_from(kConfig), nullptr, &config, err));
    OK(libsched_framework_create(config, libsched_str_from(""), registry, nullptr, &framework,
                                 err));
    OK(libsched_evaluator_create(framework, cluster, nullptr, &evaluator, err));
    OK(libsched_cycle_state_create(&state, err));
    OK(libsched_status_create(&status, err));
    OK(libsched_services_create(nullptr, &services, err));
    libsched_config_unref(config);
    libsched_registry_unref(registry);
    static_cast<void>(asked(cluster));
  }
  ~Stage() {
    writer().clear();
    libsched_scheduler_unref(scheduler);
    libsched_cluster_unref(cloned);
    libsched_capacity_unref(capacity);
    libsched_drain_unref(drain);
    libsched_text_unref(why);
    libsched_edited_unref(edited);
    libsched_comparison_unref(comparison);
    libsched_snapshot_unref(snapshot);
    libsched_evaluator_unref(other);
    libsched_services_unref(services);
    libsched_status_unref(status);
    libsched_cycle_state_unref(state);
    libsched_evaluator_unref(evaluator);
    libsched_framework_unref(framework);
    libsched_cluster_unref(cluster);
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  std::string asked(libsched_cluster* of) const {
    libsched_evaluator* e = nullptr;
    OK(libsched_evaluator_create(m.framework, of, nullptr, &e, err));
    std::string all;
    for (size_t i = 0; i < libsched_objects_pod_count(m.questions); ++i) {
      libsched_check_options options = LIBSCHED_CHECK_OPTIONS_INIT;
      options.score = true;
      options.facts = true;
      libsched_decision* decision = nullptr;
      libsched_text* text = nullptr;
      OK(libsched_check_pod_fits(e, m.question(i), LIBSCHED_ANY_NODE, &options, &decision, err));
      OK(libsched_decision_explain_json(decision, &text, err));
      all += out(libsched_text_get(text)) + "\n";
      libsched_text_unref(text);
      libsched_decision_unref(decision);
    }
    libsched_evaluator_unref(e);
    return all;
  }
  // The answers of a clone, which do not even refresh this cluster.
  std::string answers() const {
    libsched_cluster* copy = nullptr;
    OK(libsched_cluster_clone(cluster, &copy, err));
    std::string all = asked(copy);
    libsched_cluster_unref(copy);
    return all;
  }
  // Everything that can be read. `version`: includes numbers that differ between clusters.
  std::string contents(bool version) const {
    const libsched_view* v = libsched_cluster_view(cluster);
    std::string s = "forks " + std::to_string(libsched_cluster_fork_depth(cluster));
    if (version) s += " version " + std::to_string(libsched_view_version(v));
    s += " nodes " + std::to_string(libsched_view_node_count(v)) + " pods " +
         std::to_string(libsched_view_pod_count(v)) + " rows " +
         std::to_string(libsched_view_row_count(v)) + " order";
    size_t n = 0;
    const uint32_t* order = libsched_view_order(v, &n);
    for (size_t i = 0; i < n; ++i) s += " " + std::to_string(order[i]);
    for (uint32_t r = 0; r < libsched_view_row_count(v); ++r) {
      const libsched_node* node = libsched_view_node(v, r);
      s += "\nrow " + std::to_string(r) + ": ";
      if (node != nullptr) {
        const libsched_str name = libsched_node_name(node);
        libsched_str zone = {};
        libsched_node_label(node, libsched_str_from("topology.kubernetes.io/zone"), &zone);
        s += out(name) + " " + std::to_string(libsched_view_find_node(v, name)) + " " + out(zone);
      }
      for (const char* resource : {"cpu", "memory", "ephemeral-storage", "pods", "example.com/gpu",
                                   "example.com/a-resource-nobody-had-before"}) {
        s += " " + std::to_string(libsched_view_allocatable(v, r, libsched_str_from(resource)));
        s += "-" + std::to_string(libsched_view_requested(v, r, libsched_str_from(resource)));
      }
      for (size_t i = 0; i < libsched_view_node_pod_count(v, r); ++i) {
        const libsched_pod* pod = libsched_view_node_pod(v, r, i);
        uint32_t row = 0;
        const bool found = libsched_view_find_pod(v, libsched_pod_namespace(pod),
                                                  libsched_pod_name(pod), &row) == pod;
        s += " " + out(libsched_pod_name(pod)) + (found ? "@" : "?") + std::to_string(row);
      }
    }
    for (const char* kind :
         {"PersistentVolume", "PersistentVolumeClaim", "Namespace", "StorageClass"})
      for (const char* name :
           {"volume", "claim", "d", "another-namespace", "a-class-nobody-had-before"}) {
        libsched_str raw = {};
        const bool namespaced = std::string(kind) == "PersistentVolumeClaim";
        if (libsched_view_object_raw(v, libsched_str_from(kind),
                                     libsched_str_from(namespaced ? "d" : ""),
                                     libsched_str_from(name), &raw, nullptr) == LIBSCHED_OK)
          s += "\n" + out(raw);
      }
    return s;
  }
  uint32_t row(const char* name) const {
    return libsched_view_find_node(libsched_cluster_view(cluster), libsched_str_from(name));
  }
  // The question's pod as if it were in a cycle.
  void prepare_cycle(size_t question) {
    OK(libsched_run_pre_filter_plugins(evaluator, state, m.question(question), nullptr, status,
                                       err));
  }
  const libsched_pod* new_pod() const { return libsched_objects_get_pod(m.news, 1); }
  const libsched_node* new_node(size_t i) const { return libsched_objects_get_node(m.news, i); }

  const Materials& m;
  Heard heard;
  libsched_cluster* cluster = nullptr;
  libsched_framework* framework = nullptr;
  libsched_evaluator* evaluator = nullptr;
  libsched_cycle_state* state = nullptr;
  libsched_status* status = nullptr;
  libsched_services* services = nullptr;
  // results of calls
  libsched_cluster* cloned = nullptr;
  libsched_capacity* capacity = nullptr;
  libsched_drain* drain = nullptr;
  libsched_text* why = nullptr;
  libsched_edited* edited = nullptr;
  libsched_comparison* comparison = nullptr;
  libsched_snapshot* snapshot = nullptr;
  libsched_evaluator* other = nullptr;
  libsched_scheduler* scheduler = nullptr;
};

}  // namespace failing
