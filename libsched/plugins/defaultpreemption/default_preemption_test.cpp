// DefaultPreemption: eligible pods, victims, the choice of the node, and the requests to the API
// server.
#include <deque>

#include "libsched/plugins/trial_test.hpp"

namespace libsched::default_preemption_test {

const std::string kProfile =
    "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: DefaultBinder}, "
    "{name: NodeResourcesFit}, {name: NodeName}, {name: DefaultPreemption}]}}";

TrialOptions options(const std::string& args = "", const std::string& gates = "") {
  TrialOptions out;
  out.profile = kProfile;
  out.args = args;
  out.gates = gates;
  return out;
}

std::string node(const std::string& name, int cpu = 4) {
  return "---\nkind: Node\nmetadata: {name: " + name +
         "}\nstatus: {allocatable: {cpu: " + std::to_string(cpu) + ", pods: 20}}\n";
}
// `start`: seconds of a minute in 2026.
std::string on(const std::string& node, const std::string& name, int priority, int cpu, int start,
               const std::string& meta = "", const std::string& status = "") {
  return "---\nkind: Pod\nmetadata: {name: " + name + ", namespace: default, uid: u-" + name +
         meta + "}\nspec: {nodeName: " + node + ", priority: " + std::to_string(priority) +
         ", containers: [{name: c, resources: {requests: {cpu: " + std::to_string(cpu) +
         "}}}]}\nstatus: {startTime: '2026-01-01T00:00:" + (start < 10 ? "0" : "") +
         std::to_string(start) + "Z'" + status + "}\n";
}
PodRef wants(int cpu, int priority, const std::string& more = "",
             const std::string& status = "{}") {
  Result<PodRef> parsed = parse_pod(
      "metadata: {name: p, namespace: default, uid: u-p}\nspec: {schedulerName: s, "
      "priority: " +
          std::to_string(priority) + more +
          ", containers: [{name: c, resources: {requests: {cpu: " + std::to_string(cpu) +
          "}}}]}\nstatus: " + status,
      {});
  REQUIRE_MESSAGE(parsed.ok(), parsed.error().text());
  return *parsed;
}
std::string budget(const std::string& name, int allowed, const std::string& selector,
                   const std::string& more = "") {
  return "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: " + name +
         ", namespace: default}\nspec: {selector: " + selector +
         "}\nstatus: {disruptionsAllowed: " + std::to_string(allowed) + more + "}\n";
}

Ref<const Decision> decide(Trial& t, const Pod& pod) {
  CycleState state;
  CheckOptions check;
  check.post_filter = true;
  Result<Ref<const Decision>> decided = t.evaluator().check(state, pod, "", check);
  REQUIRE_MESSAGE(decided.ok(), decided.error().text());
  return *decided;
}
// A cycle that carries out PostFilter's decision.
CycleOutcome preempt(Trial& t, const Pod& pod) {
  CycleState state;
  CycleOptions options;
  options.post_filter = true;
  Result<CycleOutcome> done = t.evaluator().run_cycle(state, pod, options);
  REQUIRE_MESSAGE(done.ok(), done.error().text());
  REQUIRE(done->post_filter);
  return *done;
}
// "a: x y (1); b: z (0) -> a".
std::string outcome(const Decision& d) {
  std::string out;
  for (const PreemptionReport::Candidate& c : d.preemption.candidates) {
    out += (out.empty() ? "" : "; ") + c.node + ":";
    for (const PodRef& p : c.victims) out += " " + std::string(p->meta.name);
    out += " (" + std::to_string(c.budget_violations) + ")";
  }
  return out + " -> " + d.preemption.nominated_node;
}
std::string outcome(Trial& t, const Pod& pod) { return outcome(*decide(t, pod)); }

// Records requests as texts; deletions of `refuses` fail.
class RecordingApi final : public ApiClient {
 public:
  std::vector<std::string> log;
  std::string refuses;
  Rc rc = Rc::kInternal;
  std::function<void()> on_delete;

  Result<void> bind(const Pod&, Str) override { return {}; }
  Result<void> delete_pod(const Pod& pod) override {
    log.push_back("delete " + std::string(pod.meta.name));
    if (on_delete) on_delete();
    if (pod.meta.name == refuses) return Error{rc, "the server says no"};
    return {};
  }
  Result<void> patch_pod_status(const Pod& pod, const PodStatusPatch& patch) override {
    std::string text = "patch " + std::string(pod.meta.name);
    for (const auto& c : patch.conditions)
      text += " " + c.type + "=" + c.status + " " + c.reason + ": " + c.message;
    if (patch.set_nominated_node) text += " nominated '" + patch.nominated_node + "'";
    log.push_back(text);
    return {};
  }
  Result<void> update_object(StoredKind, const ObjectRef&, Str) override { return {}; }
  void event(const Pod& pod, Str type, Str reason, Str action, Str note) override {
    log.push_back("event " + std::string(pod.meta.name) + " " + std::string(type) + " " +
                  std::string(reason) + " " + std::string(action) + ": " + std::string(note));
  }
};
const std::string kCondition =
    " DisruptionTarget=True PreemptionByScheduler: s: preempting to accommodate a higher priority "
    "pod";

TEST_CASE("as few of the least important pods as possible are evicted") {
  Trial t("DefaultPreemption",
          node("a") + on("a", "old", 1, 1, 1) + on("a", "new", 1, 1, 2) + on("a", "low", 0, 1, 3) +
              on("a", "high", 9, 1, 4),
          options());
  CHECK(outcome(t, *wants(1, 5)) == "a: low (0) -> a");
  CHECK(outcome(t, *wants(2, 5)) == "a: new low (0) -> a");
  CHECK(outcome(t, *wants(3, 5)) == "a: old new low (0) -> a");
  CHECK(outcome(t, *wants(2, 1)) == " -> ");  // only strictly lower ones are victims
  CHECK(outcome(t, *wants(1, 1)) == "a: low (0) -> a");
  const Ref<const Decision> d = decide(t, *wants(4, 5));
  CHECK(d->fit_error_with_post_filter ==
        "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 "
        "Insufficient cpu.");
  CHECK(text_of(*d->post_filter) ==
        "Unschedulable: preemption: 0/1 nodes are available: 1 Insufficient cpu.");
  CHECK(d->preemption.clears_nomination);
  REQUIRE(d->nomination);
  CHECK(d->nomination->override_node);
}

TEST_CASE("pods that may not preempt") {
  Trial t("DefaultPreemption",
          node("a") + node("b", 2) +
              on("a", "goes", 0, 4, 1, ", deletionTimestamp: '2026-01-02T00:00:00Z'",
                 ", conditions: [{type: DisruptionTarget, status: 'True', reason: "
                 "PreemptionByScheduler}]"),
          options());
  const auto says = [&](const std::string& more, const std::string& status) {
    const Ref<const Decision> d = decide(t, *wants(3, 5, more, status));
    return text_of(d->preemption.status) + (d->nomination ? " (nomination)" : "");
  };
  CHECK(says(", preemptionPolicy: Never", "{}") ==
        "Unschedulable: preemption: not eligible due to preemptionPolicy=Never.");
  CHECK(says("", "{nominatedNodeName: a}") ==
        "Unschedulable: preemption: not eligible due to a terminating pod on the nominated node.");
  const std::string room =
      "Success: preemption: found a potential placement for pod on node a, preempting 1 victims "
      "(nomination)";
  // b is too small whichever pods leave it.
  CHECK(says("", "{nominatedNodeName: b}") == room);
  CHECK(says("", "{nominatedNodeName: gone}") == room);
  CHECK(says(", preemptionPolicy: PreemptLowerPriority", "{}") == room);
}

TEST_CASE("nodes where preemption would not help are only counted") {
  Trial t("DefaultPreemption", node("a", 1) + node("b", 1) + node("c") + on("c", "x", 7, 4, 1),
          options());
  CHECK(decide(t, *wants(2, 5))->preemption.status.message() ==
        "preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 "
        "Preemption is not helpful for scheduling.");
}

TEST_CASE("budgets are respected as long as possible") {
  const std::string pods = node("a") + on("a", "x", 1, 1, 1, ", labels: {app: x}") +
                           on("a", "yy", 2, 1, 2, ", labels: {app: x, b: yy}") +
                           on("a", "z", 3, 1, 3, ", labels: {app: z}") + on("a", "bare", 4, 1, 4);
  const auto victims = [&](const std::string& budgets, int cpu) {
    Trial t("DefaultPreemption", pods + budgets, options());
    return outcome(t, *wants(cpu, 5));
  };
  CHECK(victims("", 1) == "a: x (0) -> a");
  // Of the two selected pods the more important one is counted first.
  CHECK(victims(budget("m", 1, "{matchLabels: {app: x}}"), 1) == "a: yy (0) -> a");
  CHECK(victims(budget("m", 0, "{matchLabels: {app: x}}"), 1) == "a: z (0) -> a");
  CHECK(victims(budget("m", 0, "{matchLabels: {app: x}}"), 3) == "a: bare z x (1) -> a");
  CHECK(victims(budget("m", -1, "{matchLabels: {app: x}}"), 4) == "a: bare z yy x (2) -> a");
  // Every budget is charged, and a single one suffices for a violation.
  CHECK(
      victims(budget("m", 9, "{matchLabels: {app: x}}") + budget("q", 0, "{matchLabels: {b: yy}}"),
              1) == "a: x (0) -> a");
  CHECK(victims(budget("m", 1, "{matchLabels: {app: x}}") +
                    budget("q", 0, "{matchExpressions: [{key: b, operator: Exists}]}"),
                4) == "a: bare z yy x (2) -> a");
  // Already counted by the API server.
  CHECK(victims(budget("m", 0, "{matchLabels: {app: x}}",
                       ", disruptedPods: {x: '2026-01-01T00:00:00Z'}"),
                1) == "a: x (0) -> a");
  // These select nothing.
  for (const char* selector : {"{}", "null", "{matchExpressions: [{key: app, operator: Near}]}"})
    CHECK(victims(budget("m", 0, selector), 1) == "a: x (0) -> a");
}

TEST_CASE("1.37 counts a victim against budgets up to the first that it violates") {
  const std::string pods = node("a") + on("a", "x", 2, 2, 1, ", labels: {l: x, m: x}") +
                           on("a", "yy", 1, 2, 1, ", labels: {m: x}") + node("b") +
                           on("b", "z", 2, 2, 1, ", labels: {n: x}") +
                           on("b", "zz", 1, 2, 1, ", labels: {n: x}");
  const std::string budgets = budget("b1", 0, "{matchLabels: {l: x}}") +
                              budget("b2", 1, "{matchLabels: {m: x}}") +
                              budget("b3", 1, "{matchLabels: {n: x}}");
  const auto found = [&](Release release) {
    TrialOptions o = options();
    o.release = release;
    Trial t("DefaultPreemption", pods + budgets, o);
    const Ref<const Decision> d = decide(t, *wants(4, 5));
    std::string out = outcome(*d);
    for (const PreemptionReport::Candidate& c : d->preemption.candidates)
      for (const std::string& b : c.budgets) out += " " + b;
    return out;
  };
  // x violates b1. Only in 1.36 b2 is charged with x, too, and has nothing left for yy.
  CHECK(found(Release::k1_36) == "a: x yy (2); b: z zz (1) -> b default/b1 default/b2 default/b3");
  CHECK(found(Release::k1_37) == "a: x yy (1); b: z zz (1) -> a default/b1 default/b3");
}

TEST_CASE("1.37 says where preemption has made room") {
  const auto says = [](Release release) {
    TrialOptions o = options();
    o.release = release;
    Trial t("DefaultPreemption", node("a") + on("a", "x", 1, 2, 1) + on("a", "yy", 1, 2, 2), o);
    const PodRef pod = wants(4, 5);
    CycleState state;
    CycleOptions how;
    how.post_filter = how.fit_error = true;
    const Result<CycleOutcome> done = t.evaluator().run_cycle(state, *pod, how);
    REQUIRE(done.ok());
    CHECK(text_of(*done->post_filter) == text_of(decide(t, *pod)->preemption.status));
    return text_of(*done->post_filter) + "\n" + text_of(done->status);
  };
  const std::string failed = "Unschedulable: 0/1 nodes are available: 1 Insufficient cpu.";
  const std::string placed =
      "preemption: found a potential placement for pod on node a, preempting 2 victims";
  CHECK(says(Release::k1_36) == "Success\n" + failed);
  CHECK(says(Release::k1_37) == "Success: " + placed + "\n" + failed + " " + placed);
}

TEST_CASE("the best node") {
  const auto best = [](const std::string& pods) {
    Trial t("DefaultPreemption", node("a") + node("b") + pods, options());
    const Ref<const Decision> d = decide(t, *wants(4, 5));
    std::string tied;
    for (const std::string& n : d->preemption.tied) tied += n;
    return tied;
  };
  const std::string a = on("a", "x", 2, 4, 1);
  CHECK(best(a + on("b", "yy", 2, 4, 1)) == "ab");
  CHECK(best(a + on("b", "yy", 1, 4, 1)) == "b");
  CHECK(best(a + on("b", "yy", 2, 4, 2)) == "b");  // its victim started last
  CHECK(best(a + on("b", "yy", 2, 4, 0)) == "a");
  CHECK(best(a + on("b", "yy", 2, 3, 9) + on("b", "z", -5, 1, 9)) == "a");  // the sum of priorities
  CHECK(best(a + on("b", "yy", 1, 2, 1) + on("b", "z", 1, 2, 1)) == "b");
  CHECK(best(a + on("b", "yy", 1, 4, 1, ", labels: {l: m}") +
             budget("q", 0, "{matchLabels: {l: m}}")) == "a");
}

TEST_CASE("requests to the API server") {
  const std::string objects = node("a") + on("a", "x", 1, 2, 1) + on("a", "yy", 1, 2, 2) +
                              on("a", "z", 0, 0, 3, ", deletionTimestamp: '2026-01-02T00:00:00Z'");
  const PodRef lower = Trial::pod("{priority: 3}", "name: m, namespace: default, uid: u-m");
  const auto run = [&](const std::string& gates, const std::string& refuses, Rc rc) {
    Trial t("DefaultPreemption", objects, options("", gates));
    const Ref<RecordingApi> api = make_ref<RecordingApi>();
    api->refuses = refuses;
    api->rc = rc;
    CHECK(t.evaluator().use(make_ref<Services>(Ref<Clock>(), api)).ok());
    Result<PodRef> nominated = parse_pod(
        "metadata: {name: l, namespace: default, uid: u-l}\nspec: {priority: 3}\nstatus: "
        "{nominatedNodeName: a}",
        {});
    REQUIRE(nominated.ok());
    t.evaluator().services().nominator().add(*nominated, std::nullopt);
    t.evaluator().services().nominator().add(lower, Nomination{true, "b"});
    const PodRef pod = wants(4, 5);
    int gated = 0;
    api->on_delete = [&] { gated += t.evaluator().run_pre_enqueue(*pod).success() ? 0 : 1; };
    const uint64_t version = t.cluster().view().version();
    std::string out = text_of(*preempt(t, *pod).post_filter) + "\n";
    for (const std::string& line : api->log) out += line + "\n";
    for (const auto& [key, p] : t.evaluator().services().take_activated()) out += key + "\n";
    CHECK(t.cluster().view().version() == version);
    CHECK(t.evaluator().run_pre_enqueue(*pod).success());
    return out + std::to_string(gated);
  };
  const auto goes = [](const std::string& name) {
    return "patch " + name + kCondition + "\ndelete " + name + "\n";
  };
  const auto told = [](const std::string& name) {
    return "event " + name + " Normal Preempted Preempting: Preempted by pod u-p on node a\n";
  };
  const std::string clear = "patch l nominated ''\n";
  const std::string room =
      "Success: preemption: found a potential placement for pod on node a, preempting 2 victims\n";
  const std::string off = "SchedulerAsyncPreemption=false";
  CHECK(run("", "", Rc::kOk) ==
        room + clear + goes("x") + told("x") + goes("yy") + told("yy") + "1");
  CHECK(run(off, "", Rc::kOk) ==
        room + goes("x") + told("x") + goes("yy") + told("yy") + clear + "0");
  // A pod that is already gone is no failure.
  CHECK(run("", "x", Rc::kNotFound) == room + clear + goes("x") + goes("yy") + told("yy") + "1");
  CHECK(run("", "x", Rc::kInternal) == room + clear + goes("x") + "default/p\n1");
  CHECK(run(off, "x", Rc::kInternal) ==
        "Error: preemption: the server says no\n" + goes("x") + "0");
}

TEST_CASE("evictions within the cycle are calls outside of it") {
  struct Outside final : Tasks {
    int depth = 0;
    void start(Steps<> task) override { std::move(task).now(); }
    void outside_cycle(const std::function<void()>& calls) override {
      ++depth;
      calls();
      --depth;
    }
  };
  for (const bool asynchronous : {false, true}) {
    Trial t("DefaultPreemption", node("a") + on("a", "x", 1, 4, 1),
            options("", asynchronous ? "" : "SchedulerAsyncPreemption=false"));
    const Ref<RecordingApi> api = make_ref<RecordingApi>();
    const Ref<Outside> tasks = make_ref<Outside>();
    CHECK(t.evaluator().use(make_ref<Services>(Ref<Clock>(), api, Ref<Clock>(), tasks)).ok());
    int outside = -1;
    const Counter& attempts = t.evaluator().services().metrics().preemption_attempts;
    api->on_delete = [&] {
      outside = tasks->depth;
      CHECK(attempts.value() == 0);  // it counts when it has ended
    };
    const PodRef pod = wants(4, 5);
    CHECK(preempt(t, *pod).post_filter->success());
    CHECK(outside == (asynchronous ? 0 : 1));
    CHECK(attempts.value() == 1);
  }
}

TEST_CASE("a preemption that begins while another one of the pod waits for its last victim") {
  struct Later final : Tasks {
    std::deque<Steps<>> tasks;
    void start(Steps<> task) override { tasks.push_back(std::move(task)); }
  };
  Trial t("DefaultPreemption", node("a") + on("a", "x", 1, 4, 1), options());
  const Ref<RecordingApi> api = make_ref<RecordingApi>();
  const Ref<Later> later = make_ref<Later>();
  REQUIRE(t.evaluator().use(make_ref<Services>(Ref<Clock>(), api, Ref<Clock>(), later)).ok());
  const PodRef pod = wants(4, 5);
  CHECK(preempt(t, *pod).post_filter->success());
  CHECK(!t.evaluator().run_pre_enqueue(*pod).success());
  bool open = false, first = true;
  api->on_delete = [&] {
    if (!std::exchange(first, false)) return;
    CHECK(preempt(t, *pod).post_filter->success());
    open = t.evaluator().run_pre_enqueue(*pod).success();  // nobody knows the last victim
  };
  REQUIRE(later->tasks.size() == 1);
  std::move(later->tasks[0]).now();
  CHECK(open);
  REQUIRE(later->tasks.size() == 2);
  CHECK(t.evaluator().run_pre_enqueue(*pod).success());
  std::move(later->tasks[1]).now();
  CHECK(t.evaluator().run_pre_enqueue(*pod).success());
  later->tasks.clear();  // they hold the services
}

TEST_CASE("a question makes no room, and a report changes no answer") {
  // By the order of the nodes "b" comes first; by name, as for a question, "a".
  const std::string objects =
      node("b") + node("a") + on("a", "x", 1, 4, 1) + on("b", "yy", 1, 4, 1);
  for (const char* gates : {"", "SchedulerAsyncPreemption=false"}) {
    Trial t("DefaultPreemption", objects, options("", gates));
    const Ref<RecordingApi> api = make_ref<RecordingApi>();
    REQUIRE(t.evaluator().use(make_ref<Services>(Ref<Clock>(), api)).ok());
    t.evaluator().services().preemption_seed = 7;
    CHECK(outcome(t, *wants(4, 5)) == "a: x (0); b: yy (0) -> a");
    CHECK(api->log.empty());
    CHECK(t.evaluator().services().preemption_seed == 7);
    CHECK(t.evaluator().services().metrics().preemption_attempts.value() == 0);
    CHECK(preempt(t, *wants(4, 5)).post_filter->success());
    CHECK_FALSE(api->log.empty());
    const FrameworkMetrics& metrics = t.evaluator().services().metrics();
    CHECK(metrics.preemption_attempts.value() == 1);
    CHECK(metrics.preemption_victims.count() == 1);
    CHECK(metrics.preemption_victims.sum() == 1);
    CHECK(metrics.preemption_goroutines.count() == (*gates == '\0' ? 1 : 0));
  }
}

TEST_CASE("victims that are not bound yet are cancelled in memory") {
  Trial t("DefaultPreemption", node("a") + on("a", "x", 1, 2, 1) + on("a", "yy", 1, 2, 2),
          options());
  const Ref<RecordingApi> api = make_ref<RecordingApi>();
  CHECK(t.evaluator().use(make_ref<Services>(Ref<Clock>(), api)).ok());
  Services& services = t.evaluator().services();
  const PodRef x = Trial::pod("{}", "name: x, namespace: default, uid: u-x");
  const auto waiting = services.waiting_pods().add(x, {{"P", 1'000'000'000}}, services.clock_ref());
  services.pods_in_pre_bind().add("u-yy");
  CHECK(outcome(t, *wants(4, 5)) == "a: x yy (0) -> a");
  CHECK_FALSE(waiting->decided());
  CHECK(preempt(t, *wants(4, 5)).nomination->node == "a");
  CHECK(api->log == std::vector<std::string>{
                        "event x Normal Preempted Preempting: Preempted by pod u-p on node a (in "
                        "kube-scheduler memory).",
                        "event yy Normal Preempted Preempting: Preempted by pod u-p on node a (in "
                        "kube-scheduler memory)."});
  REQUIRE(waiting->decided());
  CHECK(waiting->decided()->code == Code::kError);
  CHECK(services.pods_in_pre_bind().cancelled("u-yy") == "preempted by DefaultPreemption");
}

TEST_CASE("a preemptor whose last victim left in memory is tried again at once in 1.37") {
  const auto activated = [](Release release, const std::string& in_memory) {
    TrialOptions of_release = options();
    of_release.release = release;
    Trial t("DefaultPreemption", node("a") + on("a", "x", 1, 2, 1) + on("a", "yy", 1, 2, 2),
            of_release);
    const Ref<RecordingApi> api = make_ref<RecordingApi>();
    CHECK(t.evaluator().use(make_ref<Services>(Ref<Clock>(), api)).ok());
    Services& services = t.evaluator().services();
    services.pods_in_pre_bind().add(in_memory);
    CHECK(preempt(t, *wants(4, 5)).nomination->node == "a");
    std::string names;
    for (const auto& [name, pod] : services.take_activated()) names += name;
    return names;
  };
  CHECK(activated(Release::k1_36, "u-yy").empty());
  CHECK(activated(Release::k1_37, "u-yy") == "default/p");
  CHECK(activated(Release::k1_37, "u-x").empty());  // the last one was deleted
}

TEST_CASE("a cycle tries no more nodes than necessary, and starts by the seed") {
  std::string objects;
  for (int i = 0; i < 20; ++i) {
    const std::string n = std::string("w") + static_cast<char>('a' + i);
    objects += node(n) + on(n, "p" + n, 20 - i, 4, 1);
  }
  const auto taken = [&](const std::string& args, std::optional<uint64_t> seed) {
    Trial t("DefaultPreemption", objects, options(args));
    t.evaluator().services().preemption_seed = seed;
    CycleState state;
    CycleOptions cycle;
    cycle.post_filter = true;
    const Result<CycleOutcome> done = t.evaluator().run_cycle(state, *wants(1, 30), cycle);
    REQUIRE(done.ok());
    CHECK(done->row == kNoId);
    REQUIRE(done->nomination);
    CHECK(done->post_filter->success());
    return done->nomination->node;
  };
  const std::string few = "{minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 1}";
  CHECK(taken("", std::nullopt) == "wt");   // the lowest priority of all
  CHECK(taken(few, std::nullopt) == "wb");  // of the first two
  std::set<std::string> seen;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    CHECK(taken("", seed) == "wt");
    CHECK(taken(few, seed) == taken(few, seed));
    seen.insert(taken(few, seed));
  }
  CHECK(seen.size() > 5);
}

TEST_CASE("preemption leaves room for nominated pods of the same priority") {
  Trial t("DefaultPreemption", node("a") + on("a", "x", 1, 1, 1) + on("a", "z", 1, 1, 2),
          options());
  const PodRef other =
      Trial::pod("{priority: 5, containers: [{name: c, resources: {requests: {cpu: 2}}}]}",
                 "name: o, namespace: default, uid: u-o");
  CHECK(decide(t, *wants(2, 5))->feasible_count == 1);
  t.evaluator().services().nominator().add(other, Nomination{true, "a"});
  CHECK(outcome(t, *wants(2, 5)) == "a: x z (0) -> a");
  CHECK(decide(t, *wants(2, 6))->feasible_count == 1);
  CHECK(outcome(t, *wants(3, 5)) == " -> ");
}

TEST_CASE("up to 1.31 a nominated node that PreFilter excludes counts as one that fits") {
  for (const Release release : {Release::k1_31, Release::k1_32, Release::k1_36}) {
    TrialOptions o = options();
    o.release = release;
    o.profile =
        "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
        "DefaultBinder}, {name: NodeResourcesFit}, {name: NodeAffinity}, {name: "
        "DefaultPreemption}]}}";
    Trial t("DefaultPreemption",
            node("a") + node("b") + on("b", "x", 1, 4, 1) +
                on("a", "goes", 0, 1, 1, ", deletionTimestamp: '2026-01-02T00:00:00Z'",
                   ", conditions: [{type: DisruptionTarget, status: 'True', reason: "
                   "PreemptionByScheduler}]"),
            o);
    const PodRef pod =
        wants(3, 5,
              ", affinity: {nodeAffinity: "
              "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
              "[{matchFields: [{key: metadata.name, operator: In, values: [b]}]}]}}}",
              "{nominatedNodeName: a}");
    const std::string said = text_of(decide(t, *pod)->preemption.status);
    CHECK(said == (release == Release::k1_31
                       ? "Unschedulable: preemption: not eligible due to a terminating pod on the "
                         "nominated node."
                       : "Success"));
  }
}

TEST_CASE("up to 1.31 nodes that wait for a plugin are not among those of the message") {
  for (const Release release : {Release::k1_31, Release::k1_32}) {
    TrialOptions o = options();
    o.release = release;
    Trial t("DefaultPreemption", node("a") + node("b") + node("c"), o);
    const View& view = t.cluster().view();
    const PodRef pod = wants(1, 5);
    CycleState state;
    t.prepare(state, *pod);
    NodeStatuses statuses;
    statuses.set(view.find_node("a"), Status(Code::kPending, "waits"));
    statuses.set(view.find_node("b"), Status(Code::kUnschedulableAndUnresolvable, "no"));
    std::optional<Nomination> nomination;
    const Result<Status> said = t.evaluator().run_post_filter(state, *pod, statuses, &nomination);
    REQUIRE(said.ok());
    CHECK(said->message() ==
          (release == Release::k1_31
               ? "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."
               : "preemption: 0/3 nodes are available: 3 Preemption is not helpful for "
                 "scheduling."));
  }
}

}  // namespace libsched::default_preemption_test
