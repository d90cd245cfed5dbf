// Calls with arguments of their own.
#include "special.hpp"

#include <chrono>

#include "../../capi/arrow_abi.h"
#include "effects.hpp"
#include "hostile.hpp"

namespace fuzz {
namespace {

void* clone_value(void*) { return world().pass("a cloned value of a state"); }
void destroy_value(void* data) { world().destroyed(data); }

}  // namespace

void call_libsched_error_create(Turn& t) {
  String message(t, "message", Words::kAny);
  String path(t, "path", Words::kPath);
  String plugin(t, "plugin", Words::kPlugin);
  Fault error(t, "error");
  const auto code = static_cast<libsched_rc>(-1 - static_cast<int>(t.choose.below(15)));
  t.begin("libsched_error_create", Changes::kNothing, message, path, plugin, error);
  const libsched_rc rc =
      libsched_error_create(code, message.get(), path.get(), plugin.get(), error.get());
  t.end_fallible(rc, message, path, plugin, error);
  if (rc != code) t.wrong("gave another code");
}

void call_libsched_registry_add(Turn& t) {
  static constexpr const char* kNames[] = {"Hostile0", "Hostile1", "Hostile2", "NodeName",
                                           "Hostile"};
  In<libsched_registry> registry(t, "registry", kExclusive);
  Fault error(t, "error");
  const bool thrower = t.choose.one_in(5);
  const char* name = thrower ? "Thrower" : t.choose.of(kNames);
  t.begin("libsched_registry_add", Changes::kNothing, registry, error);
  libsched_rc rc = LIBSCHED_OK;
  if (thrower) {
    rc = add_thrower(registry.get(), error.get());
  } else {
    const libsched_plugin plugin = hostile_plugin(t, name);
    // If the size is not set, the library cannot know whether `destroy` exists.
    void* const data = world().pass("the data of a plugin", plugin.struct_size != 0);
    rc = libsched_registry_add(registry.get(), &plugin, data, error.get());
  }
  if (rc == LIBSCHED_OK && t.choose.one_in(2))
    libsched_registry_enable(registry.get(), libsched_str_from(name), 7, nullptr);
  t.end_fallible(rc, registry, error);
}

void call_libsched_clock_create(Turn& t) {
  Out<libsched_clock> out(t, "out");
  Fault error(t, "error");
  libsched_clock_functions functions = LIBSCHED_CLOCK_FUNCTIONS_INIT;
  functions.now = [](void*) -> int64_t {
    return std::chrono::steady_clock::now().time_since_epoch().count();
  };
  if (t.choose.one_in(2)) functions.sleep = [](void*, int64_t) -> int64_t { return 0; };
  functions.destroy = destroy_value;
  if (t.choose.one_in(16)) functions.now = nullptr;
  if (t.choose.one_in(16)) functions.reserved = 1;
  t.begin("libsched_clock_create", Changes::kNothing, out, error);
  const libsched_rc rc = libsched_clock_create(&functions, world().pass("the data of a clock"),
                                               out.get(), error.get());
  t.end_fallible(rc, out, error);
}

void call_libsched_cycle_state_write(Turn& t) {
  In<libsched_cycle_state> state(t, "state", kExclusive);
  String key(t, "key", Words::kKey);
  Fault error(t, "error");
  const bool clones = t.choose.one_in(2);
  t.begin("libsched_cycle_state_write", Changes::kNothing, state, key, error);
  const libsched_rc rc =
      libsched_cycle_state_write(state.get(), key.get(), world().pass("a value of a state"),
                                 clones ? clone_value : nullptr, destroy_value, error.get());
  t.end_fallible(rc, state, key, error);
}

void call_libsched_cycle_state_read(Turn& t) {
  In<const libsched_cycle_state> state(t, "state", kConst);
  String key(t, "key", Words::kKey);
  t.begin("libsched_cycle_state_read", Changes::kNothing, state, key);
  void* const value = libsched_cycle_state_read(state.get(), key.get());
  t.end_value<const void*>(value, nullptr, state, key);
  if (value != nullptr && static_cast<World::Passed*>(value)->times != 0)
    t.wrong("gave a value that was destroyed");
}

void call_libsched_evaluator_set_parallelism(Turn& t) {
  static constexpr uint32_t kThreads[] = {0, 1, 1, 1, 1, 1, 2, 1025, UINT32_MAX};
  In<libsched_evaluator> evaluator(t, "evaluator", kExclusive);
  const uint32_t threads = t.choose.of(kThreads);
  Fault error(t, "error");
  t.begin("libsched_evaluator_set_parallelism", Changes::kNothing, evaluator, error);
  const libsched_rc rc = libsched_evaluator_set_parallelism(evaluator.get(), threads, error.get());
  t.end_fallible(rc, evaluator, error);
  if (rc == LIBSCHED_OK && threads > 1) world().parallel = true;
}

void call_libsched_evaluator_keep_classes(Turn& t) {
  static constexpr uint32_t kModes[] = {0, 1, 2, 3, 3, 3, 3, 4, UINT32_MAX};
  static constexpr size_t kBytes[] = {0, 0, 0, 1, 5000, SIZE_MAX};
  In<libsched_evaluator> evaluator(t, "evaluator", kExclusive);
  const uint32_t when = t.choose.of(kModes);
  const size_t max_bytes = t.choose.of(kBytes);
  Fault error(t, "error");
  t.begin("libsched_evaluator_keep_classes", Changes::kNothing, evaluator, error);
  const libsched_rc rc =
      libsched_evaluator_keep_classes(evaluator.get(), when, max_bytes, error.get());
  t.end_fallible(rc, evaluator, error);
}

namespace {

// Checks placements, and decides whether to continue.
struct Story {
  Turn* turn;
  size_t left;
  std::vector<Told> told;
};

bool hear(void* data, const libsched_placement* p) {
  Story& story = *static_cast<Story*>(data);
  const Turn& t = *story.turn;
  for (const libsched_str s : {p->profile, p->node_name, p->text, p->plugin}) t.look(s);
  if (p->outcome > LIBSCHED_OUTCOME_ERROR || p->count == 0) t.wrong("tells of no outcome");
  const libsched_str node = p->node_name;
  story.told.push_back({facts_of(p->pod), std::string(node.ptr, node.len), p->outcome});
  return story.left-- != 0;
}

libsched_pod* make_pod(void*, size_t pod, size_t index) {
  const std::string name = "r" + std::to_string(pod) + "-" + std::to_string(index);
  const std::string json = R"({"kind": "Pod", "metadata": {"name": ")" + name +
                           R"("}, "spec": {"containers": [{"name": "c"}]}})";
  libsched_pod* made = nullptr;
  libsched_pod_parse(libsched_str{json.data(), json.size()}, nullptr, &made, nullptr);
  return index % 7 == 6 ? (libsched_pod_unref(made), nullptr) : made;
}

}  // namespace

template <>
void fill(Turn& t, libsched_schedule_options& o) {
  o.ties = t.choose.one_in(40) ? 5 : static_cast<uint32_t>(t.choose.below(3));
  o.seed = t.choose.next();
  o.sampling = t.choose.one_in(3);
  o.stop_at_failure = t.choose.one_in(4);
  o.reserved[4] = t.choose.one_in(40);
  o.deadline_ns = t.choose.one_in(12) ? make_number(t.choose) : 0;
  const Entry* e = t.choose.one_in(6) ? world().pools.any(t.choose, Kind::cancel, true) : nullptr;
  o.cancel = e == nullptr ? nullptr : static_cast<const libsched_cancel*>(e->handle);
  if (t.choose.below(8) != 0) o.other_profile = libsched_str_from("default-scheduler");
  if (t.choose.one_in(3)) o.replica = make_pod;
}

void call_libsched_schedule(Turn& t) {
  In<libsched_evaluator> evaluator(t, "evaluator", kExclusive);
  Count counted(t);
  Handles<const libsched_pod> pods(t, "pods", counted);
  Options<libsched_schedule_options> options(t, "options");
  Fault error(t, "error");
  std::vector<size_t> replicas;
  for (size_t i = 0; i < counted.get(); ++i) replicas.push_back(t.choose.below(5));
  Story story{&t, t.choose.one_in(6) ? t.choose.below(3) : 100, {}};
  libsched_evaluator* const profiles[] = {evaluator.get()};
  t.begin("libsched_schedule", Changes::kPartly, evaluator, pods, options, error);
  const libsched_rc rc =
      libsched_schedule(profiles, 1, pods.get(), t.choose.one_in(2) ? replicas.data() : nullptr,
                        counted.get(), options.get(), hear, &story, error.get());
  t.end_fallible(rc, evaluator, pods, options, error);
  follow_placements(t, evaluator, story.told);
}

template <>
void fill(Turn& t, libsched_why_options& o) {
  o.keep_nodes = t.choose.one_in(3);
  o.reserved[1] = t.choose.one_in(40);
  o.max_nodes = t.choose.below(4);
  o.nearest = t.choose.below(4);
  o.deadline_ns = t.choose.one_in(12) ? make_number(t.choose) : 0;
  const Entry* e = t.choose.one_in(6) ? world().pools.any(t.choose, Kind::cancel, true) : nullptr;
  o.cancel = e == nullptr ? nullptr : static_cast<const libsched_cancel*>(e->handle);
  if (t.choose.below(8) != 0) o.other_profile = libsched_str_from("default-scheduler");
}

template <>
void fill(Turn& t, libsched_capacity_options& o) {
  o.ties = t.choose.one_in(40) ? 5 : static_cast<uint32_t>(t.choose.below(3));
  o.seed = t.choose.next();
  o.max = 1 + t.choose.below(8);
  o.deadline_ns = t.choose.one_in(12) ? make_number(t.choose) : 0;
  const Entry* e = t.choose.one_in(6) ? world().pools.any(t.choose, Kind::cancel, true) : nullptr;
  o.cancel = e == nullptr ? nullptr : static_cast<const libsched_cancel*>(e->handle);
  if (t.choose.below(8) != 0) o.other_profile = libsched_str_from("default-scheduler");
}

template <>
void fill(Turn& t, libsched_drain_options& o) {
  o.ties = t.choose.one_in(40) ? 5 : static_cast<uint32_t>(t.choose.below(3));
  o.seed = t.choose.next();
  o.force = t.choose.one_in(2);
  o.delete_emptydir_data = t.choose.one_in(2);
  o.deadline_ns = t.choose.one_in(12) ? make_number(t.choose) : 0;
  const Entry* e = t.choose.one_in(6) ? world().pools.any(t.choose, Kind::cancel, true) : nullptr;
  o.cancel = e == nullptr ? nullptr : static_cast<const libsched_cancel*>(e->handle);
  if (t.choose.below(8) != 0) o.other_profile = libsched_str_from("default-scheduler");
}

void call_libsched_drain_nodes(Turn& t) {
  In<libsched_evaluator> evaluator(t, "evaluator", kExclusive);
  Count counted(t);
  Strings nodes(t, "nodes", counted, Words::kNode);
  Options<libsched_drain_options> options(t, "options");
  Out<libsched_drain> out(t, "out");
  Fault error(t, "error");
  libsched_evaluator* const profiles[] = {evaluator.get()};
  t.begin("libsched_drain_nodes", Changes::kForAWhile, evaluator, nodes, options, out, error);
  const libsched_rc rc = libsched_drain_nodes(profiles, 1, nodes.get(), counted.get(),
                                              options.get(), out.get(), error.get());
  t.end_fallible(rc, evaluator, nodes, options, out, error);
}

void call_libsched_cluster_edit(Turn& t) {
  static constexpr const char* kForms[] = {"add-node %=2",
                                           "remove-node %",
                                           "cordon %",
                                           "uncordon %",
                                           "cordon -l %",
                                           "cordon kubernetes.io/hostname in (%)",
                                           "taint % a=b:NoExecute",
                                           "untaint % a",
                                           "label % a=b",
                                           "scale default/%=3",
                                           "set default/%:labels.a=b",
                                           "set default/%:requests.cpu=2",
                                           "set default/%:nodeSelector.a-",
                                           "scale %=",
                                           "%"};
  In<const libsched_cluster> cluster(t, "cluster", kConst);
  Count counted(t);
  Strings names(t, "names", counted, t.choose.one_in(2) ? Words::kNode : Words::kPod);
  Count asked(t);
  Handles<const libsched_pod> pods(t, "pods", asked);
  Out<libsched_edited> out(t, "out");
  Fault error(t, "error");
  std::vector<std::string> texts;
  for (size_t i = 0; i < counted.get(); ++i) {
    std::string text = t.choose.of(kForms);
    const size_t at = text.find('%');
    texts.push_back(text.replace(at, 1, names.at(i)));
  }
  std::vector<libsched_str> edits;
  for (const std::string& text : texts) edits.push_back({text.data(), text.size()});
  const std::vector<libsched_str> kinds(asked.get(), libsched_str_from("Deployment"));
  const std::vector<size_t> replicas(asked.get(), 2);
  const bool workloads = t.choose.one_in(3);
  libsched_cluster* copy = nullptr;
  t.begin("libsched_cluster_edit", Changes::kNothing, cluster, names, pods, out, error);
  if (libsched_cluster_clone(cluster.get(), &copy, nullptr) != LIBSCHED_OK) t.must_refuse = true;
  const libsched_rc rc = libsched_cluster_edit(
      copy, edits.data(), edits.size(), pods.get(), workloads ? kinds.data() : nullptr,
      workloads ? replicas.data() : nullptr, asked.get(), out.get(), error.get());
  libsched_cluster_unref(copy);
  t.end_fallible(rc, cluster, names, pods, out, error);
}

template <>
void fill(Turn& t, libsched_compare_options& o) {
  o.ties = t.choose.one_in(40) ? 5 : static_cast<uint32_t>(t.choose.below(3));
  o.seed = t.choose.next();
  o.all = t.choose.one_in(3);
  o.reserved[2] = t.choose.one_in(40);
  o.deadline_ns = t.choose.one_in(12) ? make_number(t.choose) : 0;
  const Entry* e = t.choose.one_in(6) ? world().pools.any(t.choose, Kind::cancel, true) : nullptr;
  o.cancel = e == nullptr ? nullptr : static_cast<const libsched_cancel*>(e->handle);
  if (t.choose.below(8) != 0) o.other_profile = libsched_str_from("default-scheduler");
}

void call_libsched_comparison_place(Turn& t) {
  In<libsched_comparison> comparison(t, "comparison", kExclusive);
  In<libsched_evaluator> evaluator(t, "evaluator", kExclusive);
  Count counted(t);
  Handles<const libsched_pod> pods(t, "pods", counted);
  Options<libsched_compare_options> options(t, "options");
  Fault error(t, "error");
  libsched_evaluator* const profiles[] = {evaluator.get()};
  t.begin("libsched_comparison_place", Changes::kForAWhile, comparison, evaluator, pods, options,
          error);
  const libsched_rc rc =
      libsched_comparison_place(comparison.get(), t.choose.one_in(2), profiles, 1, pods.get(),
                                counted.get(), options.get(), error.get());
  t.end_fallible(rc, comparison, evaluator, pods, options, error);
}

void call_libsched_why_json(Turn& t) {
  In<libsched_evaluator> evaluator(t, "evaluator", kExclusive);
  In<const libsched_pod> pod(t, "pod", kConst);
  Options<libsched_why_options> options(t, "options");
  Out<libsched_text> out(t, "out");
  Fault error(t, "error");
  libsched_evaluator* const profiles[] = {evaluator.get()};
  t.begin("libsched_why_json", Changes::kForAWhile, evaluator, pod, options, out, error);
  const libsched_rc rc =
      libsched_why_json(profiles, 1, pod.get(), options.get(), out.get(), error.get());
  t.end_fallible(rc, evaluator, pod, options, out, error);
}

void call_libsched_count_capacity(Turn& t) {
  In<libsched_evaluator> evaluator(t, "evaluator", kExclusive);
  Count counted(t);
  Handles<const libsched_pod> pods(t, "pods", counted);
  Options<libsched_capacity_options> options(t, "options");
  Out<libsched_capacity> out(t, "out");
  Fault error(t, "error");
  libsched_evaluator* const profiles[] = {evaluator.get()};
  t.begin("libsched_count_capacity", Changes::kForAWhile, evaluator, pods, options, out, error);
  const libsched_rc rc = libsched_count_capacity(profiles, 1, pods.get(), counted.get(),
                                                 options.get(), out.get(), error.get());
  t.end_fallible(rc, evaluator, pods, options, out, error);
}

namespace {

void hear_event(void* data, const libsched_cycle_event* e) {
  if (static_cast<World::Passed*>(data)->times != 0) fail("told of an event after the end");
  if (e->point > LIBSCHED_POINT_POST_BIND || e->pod == nullptr || e->state == nullptr)
    fail("told of no event");
  for (size_t i = 0; i < e->judged_count; ++i)
    libsched_node_statuses_code(e->statuses, e->judged[i]);
}

}  // namespace

template <>
void fill(Turn& t, libsched_scheduling_options& o) {
  o.ties = t.choose.one_in(40) ? 5 : static_cast<uint32_t>(t.choose.below(3));
  o.seed = t.choose.next();
  o.sampling = t.choose.one_in(3);
  o.node_by_node = t.choose.one_in(2);
  o.reserved[5] = t.choose.one_in(40);
  o.deadline_ns = t.choose.one_in(12) ? make_number(t.choose) : 0;
  if (t.choose.below(8) != 0) o.other_profile = libsched_str_from("default-scheduler");
  const auto some = [&](Kind kind, uint32_t in, bool is_const) -> void* {
    const Entry* e = t.choose.one_in(in) ? world().pools.any(t.choose, kind, is_const) : nullptr;
    return e == nullptr ? nullptr : e->handle;
  };
  o.cancel = static_cast<const libsched_cancel*>(some(Kind::cancel, 6, true));
  o.state = static_cast<libsched_cycle_state*>(some(Kind::cycle_state, 3, false));
  o.writer = static_cast<libsched_writer_queue*>(some(Kind::writer_queue, 1, false));
  if (o.writer == nullptr && t.choose.below(8) != 0)
    if (const Entry* made = make(t, Kind::writer_queue))
      o.writer = static_cast<libsched_writer_queue*>(made->handle);
  if (t.choose.one_in(2)) {
    o.event = hear_event;
    o.event_data = world().pass("the data of a callback", false);
    o.event_destroy = destroy_value;
  }
}

void call_libsched_schedule_one(Turn& t) {
  In<libsched_evaluator> evaluator(t, "evaluator", kExclusive);
  In<const libsched_pod> pod(t, "pod", kConst);
  Options<libsched_scheduling_options> options(t, "options");
  Out<libsched_scheduling> out(t, "out");
  Fault error(t, "error");
  libsched_evaluator* const profiles[] = {evaluator.get()};
  t.begin("libsched_schedule_one", Changes::kPartly, evaluator, pod, options, out, error);
  const libsched_rc rc =
      libsched_schedule_one(profiles, 1, pod.get(), options.get(), out.get(), error.get());
  t.end_fallible(rc, evaluator, pod, options, out, error);
  follow_cycle(t, rc, evaluator, pod);
}

template <>
void fill(Turn& t, libsched_queue_options& o) {
  o = LIBSCHED_QUEUE_OPTIONS_INIT;
  if (t.choose.one_in(3)) o.initial_backoff_ns = make_number(t.choose);
  if (t.choose.one_in(3)) o.max_backoff_ns = t.choose.one_in(3) ? 0 : make_number(t.choose);
  if (t.choose.one_in(3)) o.max_in_unschedulable_ns = make_number(t.choose);
  o.reserved = t.choose.one_in(40) ? 1 : 0;
}

void call_libsched_queue_create(Turn& t) {
  In<libsched_evaluator> evaluator(t, "evaluator", kExclusive);
  Options<libsched_queue_options> options(t, "options");
  Out<libsched_queue> out(t, "out");
  Fault error(t, "error");
  libsched_evaluator* const profiles[] = {evaluator.get()};
  t.begin("libsched_queue_create", Changes::kNothing, evaluator, options, out, error);
  const libsched_rc rc = libsched_queue_create(profiles, 1, options.get(), out.get(), error.get());
  t.end_fallible(rc, evaluator, options, out, error);
  // Its pods may be nominated at any time from now on.
  if (rc == LIBSCHED_OK) world().nominating.insert(libsched_evaluator_services(evaluator.get()));
}

void call_libsched_queue_list(Turn& t) {
  In<const libsched_queue> queue(t, "queue", kConst);
  Number<uint32_t> part(t, "part");
  Output<size_t> count(t, "count");
  Fault error(t, "error");
  const uint32_t which = t.choose.one_in(8) ? part.get() : static_cast<uint32_t>(t.choose.below(5));
  std::vector<const libsched_queued_pod*> pods(t.choose.below(5));
  t.begin("libsched_queue_list", Changes::kNothing, queue, part, count, error);
  const libsched_rc rc =
      libsched_queue_list(queue.get(), which, pods.data(), pods.size(), count.get(), error.get());
  t.end_fallible(rc, queue, part, count, error);
  if (rc != LIBSCHED_OK) return;
  for (size_t i = 0; i < std::min(count.value(), pods.size()); ++i) {
    libsched_queued_pod_info info = LIBSCHED_QUEUED_POD_INFO_INIT;
    if (libsched_queued_pod_get(pods[i], &info, nullptr) != LIBSCHED_OK || info.pod == nullptr)
      fail("a listed pod cannot be read");
  }
}

namespace {

// Of the last libsched_scheduler_options.
thread_local libsched_clock* scheduler_clock = nullptr;

}  // namespace

template <>
void fill(Turn& t, libsched_scheduler_options& o) {
  o = LIBSCHED_SCHEDULER_OPTIONS_INIT;
  o.ties = t.choose.one_in(40) ? 5 : static_cast<uint32_t>(t.choose.below(3));
  o.seed = t.choose.next();
  o.sampling = t.choose.one_in(3);
  o.node_by_node = t.choose.one_in(3);
  o.reserved[1] = t.choose.one_in(40);
  // Without a backoff a pod whose cycle fails is tried all the time.
  // The call below releases it. By the machine's clock all times of the fuzzer have passed.
  scheduler_clock = nullptr;
  if (!t.choose.one_in(8)) libsched_clock_create_virtual(5, &scheduler_clock, nullptr);
  o.clock = scheduler_clock;
}

void call_libsched_scheduler_create(Turn& t) {
  In<const libsched_framework> framework(t, "framework", kConst);
  Options<libsched_scheduler_options> options(t, "options");
  Out<libsched_scheduler> out(t, "out");
  Fault error(t, "error");
  libsched_cluster* cluster = nullptr;
  libsched_cluster_create(nullptr, &cluster, nullptr);
  // Hostile plugins would be asked again and again.
  const Entry* const known = world().pools.find(framework.get());
  const bool hostile = known != nullptr && known->kind == Kind::framework &&
                       !world().plain_frameworks.contains(known->handle);
  const libsched_framework* const profiles[] = {framework.get()};
  const size_t count = hostile ? 0 : 1;
  t.begin("libsched_scheduler_create", Changes::kNothing, framework, options, out, error);
  const libsched_rc rc =
      libsched_scheduler_create(profiles, count, cluster, options.get(), out.get(), error.get());
  t.end_fallible(rc, framework, options, out, error);
  if (count == 0 && rc == LIBSCHED_OK) fail("a scheduler without a profile");
  libsched_clock_unref(scheduler_clock);
  libsched_cluster_unref(cluster);
}

void call_libsched_scheduler_run_until(Turn& t) {
  In<libsched_scheduler> scheduler(t, "scheduler", kExclusive);
  In<const libsched_cancel> cancel(t, "cancel", kConst | kMayBeNull);
  Fault error(t, "error");
  const int64_t until = static_cast<int64_t>(t.choose.below(1000)) * 1'000'000'000;
  t.begin("libsched_scheduler_run_until", Changes::kNothing, scheduler, cancel, error);
  const libsched_rc rc =
      libsched_scheduler_run_until(scheduler.get(), until, cancel.get(), error.get());
  t.end_fallible(rc, scheduler, cancel, error);
}

template <>
void fill(Turn& t, libsched_timing& o) {
  o = LIBSCHED_TIMING_INIT;
  const auto time = [&] { return static_cast<int64_t>(t.choose.below(100)) * 1'000'000'000; };
  o.arrival_ns = t.choose.one_in(40) ? make_number(t.choose) : time();
  if (t.choose.below(4) != 0) o.duration_ns = time();
  if (t.choose.one_in(3)) o.interval_ns = time();
  // What arrives after years would take all the time.
  if (o.arrival_ns > 1000 * int64_t{1'000'000'000}) o.arrival_ns = INT64_MAX;
  o.reserved = t.choose.one_in(40) ? 1 : 0;
}

void call_libsched_workload_add(Turn& t) {
  In<libsched_workload> workload(t, "workload", kExclusive);
  In<const libsched_pod> pod(t, "pod", kConst);
  Options<libsched_timing> timing(t, "timing");
  Fault error(t, "error");
  const size_t replicas = t.choose.below(30);
  t.begin("libsched_workload_add", Changes::kNothing, workload, pod, timing, error);
  const libsched_rc rc =
      libsched_workload_add(workload.get(), pod.get(), replicas, timing.get(), error.get());
  t.end_fallible(rc, workload, pod, timing, error);
}

template <>
void fill(Turn& t, libsched_trace_options& o) {
  if (t.choose.one_in(3)) o.file = LIBSCHED_STR("pods.csv");
  if (t.choose.one_in(3)) o.ns = LIBSCHED_STR("other");
  if (t.choose.one_in(6)) o.scheduler_name = LIBSCHED_STR("somebody");
  if (t.choose.one_in(6)) o.gpu_resource = LIBSCHED_STR("example.com/gpu");
  o.reserved = t.choose.one_in(40) ? 1 : 0;
}

template <>
void fill(Turn& t, libsched_simulation_options& o) {
  o = LIBSCHED_SIMULATION_OPTIONS_INIT;
  o.ties = t.choose.one_in(40) ? 5 : static_cast<uint32_t>(t.choose.below(3));
  o.seed = t.choose.next();
  o.sampling = t.choose.one_in(3);
  o.no_resources = t.choose.one_in(3);
  o.no_volumes = t.choose.one_in(3);
  o.reserved[3] = t.choose.one_in(40);
  if (!o.no_volumes && t.choose.one_in(4))
    o.provision_ns = static_cast<int64_t>(t.choose.below(1 << 30));
  if (t.choose.one_in(4)) o.sample_interval_ns = make_number(t.choose);
  if (t.choose.one_in(4)) o.queue.max_backoff_ns = 0;
}

void call_libsched_simulation_create(Turn& t) {
  In<const libsched_framework> framework(t, "framework", kConst);
  In<const libsched_view> cluster(t, "cluster", kConst);
  In<libsched_workload> workload(t, "workload", kExclusive);
  Options<libsched_simulation_options> options(t, "options");
  Out<libsched_simulation> out(t, "out");
  Fault error(t, "error");
  // Hostile plugins would be asked again and again.
  const bool plain =
      world().plain_frameworks.contains(const_cast<libsched_framework*>(framework.get()));
  const libsched_framework* const profiles[] = {framework.get()};
  const size_t count = framework.get() == nullptr || plain ? 1 : 0;
  t.begin("libsched_simulation_create", Changes::kNothing, framework, cluster, workload, options,
          out, error);
  const libsched_rc rc = libsched_simulation_create(profiles, count, cluster.get(), workload.get(),
                                                    options.get(), out.get(), error.get());
  t.end_fallible(rc, framework, cluster, workload, options, out, error);
  if (count == 0 && rc == LIBSCHED_OK) fail("a simulation without a profile");
}

namespace {

// Returns true so many times. Without nodes a pod is tried again at once, as upstream does, so a
// simulation could go on for long.
bool hear_progress(void* data, const libsched_progress* p) {
  if (p->arrived > p->total || p->bound > p->arrived || p->ended > p->bound)
    fail("a progress that cannot be");
  auto* const left = static_cast<uint64_t*>(data);
  return *left != 0 && (*left)-- != 0;
}
bool hear_piece(void* data, libsched_str piece) {
  if (piece.len == 0) fail("an empty piece of a table");
  return *static_cast<const bool*>(data);
}

}  // namespace

void call_libsched_simulation_run(Turn& t) {
  In<libsched_simulation> simulation(t, "simulation", kExclusive);
  In<const libsched_cancel> cancel(t, "cancel", kConst | kMayBeNull);
  Fault error(t, "error");
  uint64_t told = t.choose.one_in(4) ? 0 : 10;
  const int64_t until =
      t.choose.one_in(2) ? -1 : static_cast<int64_t>(t.choose.below(1000)) * 1'000'000'000;
  t.begin("libsched_simulation_run", Changes::kNothing, simulation, cancel, error);
  const libsched_rc rc = libsched_simulation_run(simulation.get(), until, cancel.get(),
                                                 hear_progress, &told, error.get());
  t.end_fallible(rc, simulation, cancel, error);
}

void call_libsched_table_write(Turn& t) {
  In<const libsched_table> table(t, "table", kConst);
  Number<uint32_t> format(t, "format");
  Fault error(t, "error");
  const bool goes_on = !t.choose.one_in(4);
  bool* const told = const_cast<bool*>(&goes_on);
  const uint32_t which =
      t.choose.one_in(8) ? format.get() : static_cast<uint32_t>(t.choose.below(2));
  t.begin("libsched_table_write", Changes::kNothing, table, format, error);
  const libsched_rc rc = libsched_table_write(table.get(), which, hear_piece, told, error.get());
  t.end_fallible(rc, table, format, error);
}

void call_libsched_table_export(Turn& t) {
  In<const libsched_table> table(t, "table", kConst);
  Fault error(t, "error");
  ArrowArrayStream stream{};
  t.begin("libsched_table_export", Changes::kNothing, table, error);
  const libsched_rc rc = libsched_table_export(table.get(), &stream, error.get());
  t.end_fallible(rc, table, error);
  if (rc != LIBSCHED_OK) return;
  ArrowSchema schema{};
  ArrowArray batch{};
  const bool there =
      stream.get_schema(&stream, &schema) == 0 && stream.get_next(&stream, &batch) == 0;
  if (!there) fail("a stream without a batch");
  if (batch.n_children != schema.n_children) fail("a batch of another schema");
  stream.release(&stream);
  batch.release(&batch);
  schema.release(&schema);
}

}  // namespace fuzz
