// Tests every function that changes a cluster with each of its allocations failing in turn: the
// n-th alone, then the n-th and all after it. The call always returns NO_MEMORY and changes
// nothing: not the readable state, the answers of an evaluator of a clone, or the events of
// plugins. The call then succeeds with the same result as on a cluster where nothing has failed.
//
// tests/structure compares CALLS with the headers: a new changing function needs an entry.
#include <doctest/doctest.h>
#include <libsched.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "failing_allocation.hpp"
#include "failing_stage.hpp"
#include "tests/unit/rounds.hpp"

namespace {

using namespace failing;  // NOLINT(google-build-using-namespace)

// --- the calls ---

// In a fork everything has changed, and a snapshot and a clone share as much as possible.
void fork_and_change(Stage& s, bool shared) {
  OK(libsched_cluster_fork(s.cluster, err));
  const libsched_node* fresh[] = {s.new_node(1)};
  const libsched_pod* pods[] = {s.new_pod()};
  OK(libsched_cluster_remove_pod(s.cluster, libsched_str_from("d"), libsched_str_from("p1"), err));
  OK(libsched_cluster_remove_node(s.cluster, libsched_str_from("n3"), err));
  OK(libsched_cluster_add_nodes(s.cluster, fresh, 1, err));
  OK(libsched_cluster_update_node(s.cluster, s.new_node(0), err));
  OK(libsched_cluster_remove_object(s.cluster, libsched_str_from("PersistentVolume"),
                                    libsched_str_from(""), libsched_str_from("volume"), err));
  OK(libsched_cluster_add_pods(s.cluster, pods, nullptr, 1, err));
  OK(libsched_cluster_refresh(s.cluster, err));
  if (shared) OK(libsched_cluster_snapshot(s.cluster, &s.snapshot, err));
  OK(libsched_cluster_remove_node(s.cluster, libsched_str_from("n1"), err));
}

const libsched_framework* const* one_profile(Stage& s) {
  static const libsched_framework* profile;
  profile = s.framework;
  return &profile;
}

struct Call {
  const char* function;
  const char* how;
  std::function<void(Stage&)> prepare;
  std::function<libsched_rc(Stage&, libsched_error**)> run;
};

#define CALL(function, how, prepare, ...)                                                   \
  Call {                                                                                    \
    #function, how,                                                                         \
        [](Stage& s) {                                                                      \
          static_cast<void>(s);                                                             \
          prepare;                                                                          \
        },                                                                                  \
        [](Stage& s, libsched_error** err) -> libsched_rc { return function(__VA_ARGS__); } \
  }
#define STR(text) libsched_str_from(text)

const libsched_pod* const* three_pods(Stage& s) {
  static const libsched_pod* pods[3];
  pods[0] = s.m.question(0);
  pods[1] = s.new_pod();
  pods[2] = s.m.question(1);
  return pods;
}
const libsched_str* three_names() {
  static const libsched_str names[3] = {STR("n2"), STR(""), STR("a-node-that-is-not-there")};
  return names;
}
const libsched_node* const* two_nodes(Stage& s) {
  static const libsched_node* nodes[2];
  nodes[0] = s.new_node(1);
  nodes[1] = s.new_node(0);
  return nodes;
}

const libsched_pod* const* one_pod(Stage& s) {
  static const libsched_pod* pods[1];
  pods[0] = s.m.question(1);
  return pods;
}
const libsched_capacity_options* two_for_any_profile() {
  static libsched_capacity_options options = LIBSCHED_CAPACITY_OPTIONS_INIT;
  options.max = 2;
  options.other_profile = for_any_profile()->other_profile;
  return &options;
}
const libsched_why_options* why_for_any_profile() {
  static libsched_why_options options = LIBSCHED_WHY_OPTIONS_INIT;
  options.other_profile = for_any_profile()->other_profile;
  return &options;
}
const libsched_drain_options* drain_for_any_profile() {
  static libsched_drain_options options = LIBSCHED_DRAIN_OPTIONS_INIT;
  options.force = options.delete_emptydir_data = true;
  options.other_profile = for_any_profile()->other_profile;
  return &options;
}
const libsched_str* first_node() {
  static const libsched_str node = libsched_str_from("n1");
  return &node;
}
const libsched_compare_options* all_for_any_profile() {
  static libsched_compare_options options = LIBSCHED_COMPARE_OPTIONS_INIT;
  options.all = true;
  options.other_profile = for_any_profile()->other_profile;
  return &options;
}
const libsched_str* eight_edits() {
  static const libsched_str edits[8] = {
      STR("add-node n1=2"),      STR("set d/p1:requests.cpu=2"), STR("set d/q2:nodeSelector.a=b"),
      STR("cordon n1"),          STR("label n1 a=b"),            STR("taint a=b c=d:NoExecute"),
      STR("untaint n1 c"),       STR("add-node n1=1")};
  return edits;
}
bool heard_of(void*, const libsched_placement* placement) {
  CHECK(placement->outcome == LIBSCHED_OUTCOME_PLACED);
  return true;
}

const std::vector<Call> CALLS = {
    CALL(libsched_cluster_apply, "text", , s.cluster, s.m.news, err),
    CALL(libsched_cluster_apply, "text, to an empty cluster", libsched_cluster_unref(s.cluster);
         OK(libsched_cluster_create(nullptr, &s.cluster, err)), s.cluster, s.m.cluster, err),
    CALL(libsched_cluster_add_nodes, "two",
         OK(libsched_cluster_remove_node(s.cluster, STR("n2"), err)), s.cluster, two_nodes(s), 2,
         err),
    CALL(libsched_cluster_update_node, "changed", , s.cluster, s.new_node(0), err),
    CALL(libsched_cluster_update_node, "new, inside a fork",
         OK(libsched_cluster_fork(s.cluster, err)), s.cluster, s.new_node(1), err),
    CALL(libsched_cluster_remove_node, "with pods", , s.cluster, STR("n1"), err),
    CALL(libsched_cluster_remove_node, "after a snapshot",
         OK(libsched_cluster_snapshot(s.cluster, &s.snapshot, err)), s.cluster, STR("n1"), err),
    CALL(libsched_cluster_add_pods, "three", , s.cluster, three_pods(s), three_names(), 3, err),
    CALL(libsched_cluster_add_pods, "three, inside a fork with a snapshot",
         fork_and_change(s, true);
         OK(libsched_cluster_remove_pod(s.cluster, STR("d"), STR("p3"), err)), s.cluster,
         three_pods(s), three_names(), 3, err),
    CALL(libsched_cluster_update_pod, "moved", , s.cluster,
         libsched_objects_get_pod(s.m.cluster, 0), STR("n2"), err),
    CALL(libsched_cluster_update_pod, "new", , s.cluster, s.new_pod(), STR(""), err),
    CALL(libsched_cluster_remove_pod, "with ports and terms", , s.cluster, STR("d"), STR("p1"),
         err),
    CALL(libsched_cluster_remove_pod, "after a snapshot",
         OK(libsched_cluster_snapshot(s.cluster, &s.snapshot, err)), s.cluster, STR("d"), STR("p1"),
         err),
    CALL(libsched_cluster_apply, "inside a fork", fork_and_change(s, false), s.cluster, s.m.news,
         err),
    CALL(libsched_cluster_apply_changes, "of every sort", , s.cluster, s.m.changes, nullptr, err),
    CALL(libsched_cluster_apply_changes, "inside a fork with a snapshot",
         OK(libsched_cluster_fork(s.cluster, err));
         OK(libsched_cluster_snapshot(s.cluster, &s.snapshot, err)), s.cluster, s.m.changes,
         nullptr, err),
    CALL(libsched_cluster_remove_object, "a volume", , s.cluster, STR("PersistentVolume"), STR(""),
         STR("volume"), err),
    CALL(libsched_cluster_assume, "", , s.cluster, s.m.question(0), STR("n1"), err),
    CALL(libsched_cluster_forget, "",
         OK(libsched_cluster_assume(s.cluster, s.m.question(0), STR("n1"), err)), s.cluster,
         STR("d"), STR("q1"), err),
    CALL(libsched_cluster_fork, "", , s.cluster, err),
    CALL(libsched_cluster_fork, "inside a fork", fork_and_change(s, false), s.cluster, err),
    CALL(libsched_cluster_commit, "", fork_and_change(s, false), s.cluster, err),
    CALL(libsched_cluster_revert, "", fork_and_change(s, false), s.cluster, err),
    CALL(libsched_cluster_revert, "after a snapshot", fork_and_change(s, true), s.cluster, err),
    CALL(libsched_cluster_revert, "of one in another", fork_and_change(s, true);
         OK(libsched_cluster_fork(s.cluster, err));
         OK(libsched_cluster_remove_pod(s.cluster, STR("d"), STR("p2"), err));
         OK(libsched_cluster_update_node(s.cluster, s.new_node(1), err)), s.cluster, err),
    CALL(libsched_cluster_clone, "", , s.cluster, &s.cloned, err),
    CALL(libsched_cluster_snapshot, "",
         OK(libsched_cluster_update_node(s.cluster, s.new_node(1), err)), s.cluster, &s.snapshot,
         err),
    CALL(libsched_cluster_snapshot, "inside a fork", fork_and_change(s, false), s.cluster,
         &s.snapshot, err),
    CALL(libsched_cluster_refresh, "",
         OK(libsched_cluster_update_node(s.cluster, s.new_node(1), err)), s.cluster, err),
    CALL(libsched_cluster_refresh, "inside a fork", fork_and_change(s, false), s.cluster, err),
    CALL(libsched_evaluator_create, "", , s.framework, s.cluster, nullptr, &s.other, err),
    CALL(libsched_scheduler_create, "", , one_profile(s), 1, s.cluster, nullptr, &s.scheduler, err),
    CALL(libsched_evaluator_assume, "", s.prepare_cycle(1), s.evaluator, s.state, s.m.question(1),
         s.row("n1"), nullptr, s.status, err),
    CALL(libsched_evaluator_forget, "", s.prepare_cycle(1);
         OK(libsched_evaluator_assume(s.evaluator, s.state, s.m.question(1), s.row("n1"), nullptr,
                                      s.status, err)),
         s.evaluator, s.state, s.m.question(1), err),
    CALL(libsched_schedule, "one pod", , &s.evaluator, 1, one_pod(s), nullptr, 1, for_any_profile(),
         heard_of, nullptr, err),
    CALL(libsched_count_capacity, "two pods", , &s.evaluator, 1, one_pod(s), 1,
         two_for_any_profile(), &s.capacity, err),
    CALL(libsched_drain_nodes, "one node", , &s.evaluator, 1, first_node(), 1,
         drain_for_any_profile(), &s.drain, err),
    CALL(libsched_why_json, "one pod", , &s.evaluator, 1, s.m.question(1), why_for_any_profile(),
         &s.why, err),
    CALL(libsched_comparison_place, "all pods", OK(libsched_comparison_create(&s.comparison, err)),
         s.comparison, true, &s.evaluator, 1, one_pod(s), 1, all_for_any_profile(), err),
    CALL(libsched_cluster_edit, "nodes and pods", , s.cluster, eight_edits(), 8, one_pod(s), nullptr,
         nullptr, 1, &s.edited, err),
    CALL(libsched_schedule_one, "one pod", writer().fresh(), &s.evaluator, 1, s.m.question(1),
         &writer().options, &writer().scheduling, err),
    CALL(libsched_writer_queue_apply, "", writer().bind(s.evaluator, s.m.question(1)),
         writer().queue, s.cluster, nullptr, nullptr, err),
    CALL(libsched_memory_api_deliver, "",
         OK(libsched_evaluator_set_services(s.evaluator, s.services, err));
         s.prepare_cycle(1); OK(libsched_run_bind_plugins(s.evaluator, s.state, s.m.question(1),
                                                          STR("n1"), s.status, err)),
                             libsched_services_memory_api(s.services), s.cluster, err),
};

struct Tried {
  libsched_rc rc;
  bool failed;  // an allocation
};

Tried attempt(const Call& call, Stage& s, long n, bool all) {
  libsched_error* error = nullptr;
  failures = 0;
  for_ever = all;
  left = n;
  const libsched_rc rc = call.run(s, &error);
  left = 0;
  for_ever = false;
  if (rc != LIBSCHED_OK && rc != LIBSCHED_ERR_NO_MEMORY)
    FAIL(call.function, ": ", out(libsched_error_message(error)));
  libsched_error_unref(error);
  return {rc, failures != 0};
}

// The results of a call.
std::string made(const Stage& s) {
  return std::string(s.cloned == nullptr ? "" : "clone ") +
         (s.snapshot == nullptr ? "" : "snapshot ") + (s.other == nullptr ? "" : "evaluator ") +
         (s.capacity == nullptr ? "" : "capacity ") + (s.drain == nullptr ? "" : "drain ") +
         (s.edited == nullptr ? "" : "edited ") + (s.why == nullptr ? "" : "why ") +
         std::to_string(libsched_comparison_pod_count(s.comparison));
}

// The number of allocations of the call.
long sweep(const Call& call, const Materials& m, bool all) {
  Stage control(m);
  call.prepare(control);
  REQUIRE(attempt(call, control, 0, false).rc == LIBSCHED_OK);
  const std::string wanted = control.contents(false), wanted_answers = control.answers();

  auto s = std::make_unique<Stage>(m);
  call.prepare(*s);
  long n = 1;
  for (;; n += libsched::stride()) {
    const std::string before = s->contents(true), answers = s->answers(), heard = s->heard.log;
    const std::string had = made(*s);
    const Tried tried = attempt(call, *s, n, all);
    if (tried.rc == LIBSCHED_OK) {
      CHECK(s->contents(false) == wanted);
      CHECK(s->answers() == wanted_answers);
      // Debug builds record the handles lent to plugins: without memory a plugin may miss the event
      // of a successful change. It never gets an event of a failed one.
      if (!tried.failed) CHECK(s->heard.log == control.heard.log);
      CHECK(s->heard.log.size() <= control.heard.log.size());
      CHECK(made(*s) == made(control));
      if (!tried.failed) break;
      // The allocation was optional: a table that is rebuilt, or a text that is not read.
      s = std::make_unique<Stage>(m);
      call.prepare(*s);
      continue;
    }
    CAPTURE(n);
    REQUIRE(s->contents(true) == before);
    REQUIRE(s->answers() == answers);
    REQUIRE(s->heard.log == heard);
    REQUIRE(made(*s) == had);
  }
  return n - 1;
}

TEST_CASE("whatever allocation fails, a call changes a cluster whole or not at all") {
  const Materials m;
  std::set<std::string> none;
  long total = 0;
  for (const Call& call : CALLS) {
    const std::string name = std::string(call.function) + " " + call.how;
    CAPTURE(name);
    for (const bool all : {false, true}) {
      if (all && libsched::sanitized()) continue;
      const long n = sweep(call, m, all);
      total += n;
      if (n == 0) none.insert(call.function);
    }
  }
  MESSAGE("allocations that failed: ", total);
  CHECK(total > (libsched::sanitized() ? 300 : 1000));
  // Undoing and forgetting need no memory; all other calls are tried.
  for (const std::string& function : none) {
    CAPTURE(function);
    CHECK((function == "libsched_cluster_revert" || function == "libsched_cluster_commit" ||
           function == "libsched_cluster_fork" || function == "libsched_cluster_refresh"));
  }
}

// The decision about the first question, not read yet.
libsched_decision* unread(const Stage& s) {
  libsched_evaluator* e = nullptr;
  libsched_decision* decision = nullptr;
  OK(libsched_evaluator_create(s.m.framework, s.cluster, nullptr, &e, err));
  OK(libsched_check_pod_fits(e, s.m.question(0), LIBSCHED_ANY_NODE, nullptr, &decision, err));
  libsched_evaluator_unref(e);
  return decision;
}

std::string read(libsched_decision* decision) {
  libsched_text* text = nullptr;
  OK(libsched_decision_explain_json(decision, &text, err));
  std::string all = out(libsched_text_get(text));
  libsched_text_unref(text);
  libsched_decision_unref(decision);
  return all;
}

TEST_CASE("whatever allocation fails, a decision that was not read keeps its texts") {
  const Materials m;
  std::set<std::string> failed;
  for (const Call& call : CALLS) {
    const std::string name = std::string(call.function) + " " + call.how;
    CAPTURE(name);
    Stage s(m);
    call.prepare(s);
    for (long n = 1;; n += libsched::stride()) {
      const std::string wanted = read(unread(s));
      libsched_decision* const decision = unread(s);
      const std::string before = s.contents(true);
      const Tried tried = attempt(call, s, n, true);
      if (tried.rc != LIBSCHED_OK) {
        REQUIRE(s.contents(true) == before);
        failed.insert(call.function);
      }
      REQUIRE(read(decision) == wanted);
      if (tried.rc == LIBSCHED_OK) break;
    }
  }
  // Undoing needs no memory, but reading before it does.
  CHECK(failed.count("libsched_cluster_revert") == 1);
  CHECK(failed.count("libsched_cluster_add_pods") == 1);
}

TEST_CASE("a plugin that cannot be registered is destroyed once") {
  for (const bool all : {false, true})
    for (long n = 1;; n += libsched::stride()) {
      static int destroyed;
      destroyed = 0;
      libsched_plugin plugin = LIBSCHED_PLUGIN_INIT;
      plugin.name = libsched_str_from("Listener");
      plugin.filter = on_filter;
      plugin.destroy = [](void* user_data) { *static_cast<int*>(user_data) += 1; };
      libsched_registry* registry = nullptr;
      OK(libsched_registry_create(&registry, err));
      failures = 0;
      for_ever = all;
      left = n;
      const libsched_rc rc = libsched_registry_add(registry, &plugin, &destroyed, nullptr);
      left = 0;
      for_ever = false;
      CAPTURE(n);
      CHECK(destroyed == (rc == LIBSCHED_OK ? 0 : 1));
      libsched_registry_unref(registry);
      CHECK(destroyed == 1);
      if (failures == 0) {
        CHECK(rc == LIBSCHED_OK);
        CHECK(n > 3);
        break;
      }
    }
}

// Sanitizers find leaks by themselves, in the first test, and count no bytes.
TEST_CASE("calls that run out of memory leak none" * doctest::skip(libsched::sanitized())) {
  const Materials m;
  const auto sweep_all = [&] {
    for (const Call& call : CALLS) sweep(call, m, false);
  };
  sweep_all();
  const size_t before = bytes_in_use;
  sweep_all();
  const size_t after = bytes_in_use;
  MESSAGE("in use: ", before, " bytes, then ", after);
  // Where handles are checked, the freed objects in the quarantine are not the same ones.
  CHECK(after <= before + (LIBSCHED_CHECK_HANDLES ? 4096 : 0));
  if (kOwnMalloc) CHECK(before != 0);
}

}  // namespace
