// The API server in memory: objects and their watches, binding and its conflicts, graceful
// deletion, ended pods, faults.
#include "libsched/scheduler/api_memory/api_server.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "doctest/doctest.h"
#include "libsched/ingest/ingest.hpp"

namespace libsched::api_server_test {

constexpr int64_t kSecond = 1'000'000'000;

PodRef pod_of(const std::string& name, const std::string& uid = "", const std::string& more = "") {
  Result<PodRef> pod = parse_pod(
      "{metadata: {name: " + name + ", namespace: ns, uid: '" + uid + "'}, spec: {}" + more + "}",
      {});
  REQUIRE_MESSAGE(pod.ok(), pod.error().text());
  return *pod;
}
NodeRef node_of(const std::string& name) {
  Result<NodeRef> node = parse_node("{metadata: {name: " + name + "}}", {});
  REQUIRE(node.ok());
  return *node;
}

// Writes down what it is told.
struct Log final : WatchSink {
  void deliver(WatchEvent e) override {
    constexpr const char* kVerbs[] = {"+", "~", "-"};
    const Object& o = e.after ? *e.after : *e.before;
    text += (text.empty() ? "" : " ") + std::string(kVerbs[static_cast<size_t>(e.verb)]) +
            std::string(o.meta.name);
    if (e.kind != WatchEvent::Kind::kPod || !e.after) return;
    const Pod& pod = static_cast<const Pod&>(*e.after);
    if (!pod.spec.node_name.empty()) text += "@" + std::string(pod.spec.node_name);
    if (pod.meta.terminating()) text += "!";
    if (!pod.status.nominated_node_name.empty())
      text += "?" + std::string(pod.status.nominated_node_name);
  }
  std::string take() { return std::exchange(text, {}); }
  std::string text;
};

struct Served {
  explicit Served(ApiServerOptions options = {}) {
    server = make_ref<ApiServer>(clock, options);
    server->watch(&log);
  }
  ~Served() { server->unwatch(&log); }
  static std::string message(const Result<void>& done) {
    return done.ok() ? "ok" : done.error().message;
  }

  Ref<VirtualClock> clock = make_ref<VirtualClock>(100 * kSecond);
  Ref<ApiServer> server;
  Log log;
};

TEST_CASE("a watch gets what is there, then each change") {
  Served t;
  ApiServer& s = *t.server;
  REQUIRE(s.create(node_of("n1")).ok());
  REQUIRE(s.create(pod_of("b")).ok());
  REQUIRE(s.create(pod_of("a")).ok());
  Log late;
  s.watch(&late);
  CHECK(late.take() == "+n1 +b +a");
  CHECK(t.log.take() == "+n1 +b +a");
  REQUIRE(s.update(pod_of("b")).ok());
  REQUIRE(s.update(node_of("n1")).ok());
  REQUIRE(s.remove_pod("ns", "b").ok());
  REQUIRE(s.remove_node("n1").ok());
  CHECK(t.log.take() == "~b ~n1 -b -n1");
  CHECK(late.take() == "~b ~n1 -b -n1");
  s.unwatch(&late);
  REQUIRE(s.create(pod_of("c")).ok());
  CHECK(late.take().empty());
  CHECK(s.version() == 8);
  CHECK(s.pods().size() == 2);
  CHECK(Served::message(s.create(pod_of("c"))) == "pods \"c\" already exists");
  CHECK(Served::message(s.update(pod_of("x"))) == "pods \"x\" not found");
  CHECK(Served::message(s.remove_node("n1")) == "nodes \"n1\" not found");
  CHECK(t.log.take() == "+c");
}

TEST_CASE("a set of objects is created whole or not at all") {
  Served t;
  const auto objects = [](const char* yaml) {
    Result<ObjectSet> set = parse_objects(yaml, {});
    REQUIRE_MESSAGE(set.ok(), set.error().text());
    return std::move(*set);
  };
  const char* all = R"(
- {kind: Pod, apiVersion: v1, metadata: {name: p}}
- {kind: Node, apiVersion: v1, metadata: {name: n1}}
- {kind: Namespace, apiVersion: v1, metadata: {name: default}}
- {kind: StorageClass, apiVersion: storage.k8s.io/v1, metadata: {name: sc}, provisioner: x}
)";
  REQUIRE(t.server->create(objects(all)).ok());
  CHECK(t.log.take() == "+default +sc +n1 +p");
  CHECK(Served::message(t.server->create(
            objects("[{kind: Pod, apiVersion: v1, metadata: {name: q}},"
                    "{kind: StorageClass, apiVersion: storage.k8s.io/v1, metadata: {name: sc}, "
                    "provisioner: z}]"))) == "storageclasses \"sc\" already exists");
  CHECK(t.log.take().empty());
  CHECK(!t.server->pod("default", "q"));
  REQUIRE(t.server->remove_object(StoredKind::kStorageClass, {}, "sc").ok());
  CHECK(Served::message(t.server->remove_object(StoredKind::kStorageClass, {}, "sc")) ==
        "storageclasses \"sc\" not found");
}

TEST_CASE("binding sets node, phase and condition, once") {
  Served t;
  ApiServer& s = *t.server;
  const PodRef p = pod_of("p", "u1", ", status: {nominatedNodeName: m}");
  REQUIRE(s.create(p).ok());
  CHECK(
      Served::message(s.bind(*pod_of("p", "u2"), "n")) ==
      "Operation cannot be fulfilled on pods \"p\": Precondition failed: UID in precondition: u2, "
      "UID in object meta: u1");
  CHECK(Served::message(s.bind(*pod_of("x"), "n")) == "pods \"x\" not found");
  REQUIRE(s.bind(*p, "n").ok());
  CHECK(t.log.take() == "+p?m ~p@n");
  const PodRef bound = s.pod("ns", "p");
  CHECK(bound->spec.node_name == "n");
  CHECK(bound->status.phase == "Running");
  REQUIRE(bound->status.conditions.size() == 1);
  CHECK(bound->status.conditions[0].type == "PodScheduled");
  CHECK(bound->status.conditions[0].status == "True");
  CHECK(Served::message(s.assign("ns", "p", "n2")) ==
        "Operation cannot be fulfilled on pods \"p\": pod p is already assigned to node \"n\"");
}

TEST_CASE("patches of the status make new versions that stand alone") {
  Served t;
  ApiServer& s = *t.server;
  REQUIRE(s.create(pod_of("p")).ok());
  PodStatusPatch patch;
  patch.conditions = {{"PodScheduled", "False", "Unschedulable", "no room"}};
  patch.set_nominated_node = true;
  patch.nominated_node = "n";
  REQUIRE(s.patch_pod_status(*s.pod("ns", "p"), patch).ok());
  PodStatusPatch other;
  other.conditions = {{"DisruptionTarget", "True", "PreemptionByScheduler", ""}};
  REQUIRE(s.patch_pod_status(*s.pod("ns", "p"), other).ok());
  CHECK(t.log.take() == "+p ~p?n ~p?n");
  PodRef latest = s.pod("ns", "p");
  REQUIRE(latest->status.conditions.size() == 2);
  CHECK(latest->status.conditions[0].reason == "Unschedulable");
  CHECK(latest->status.conditions[1].type == "DisruptionTarget");
  patch.conditions[0].reason = "SchedulerError";
  patch.nominated_node = "";
  REQUIRE(s.patch_pod_status(*latest, patch).ok());
  CHECK(s.pod("ns", "p")->status.conditions.size() == 2);
  CHECK(s.pod("ns", "p")->status.conditions[0].reason == "SchedulerError");
  CHECK(s.pod("ns", "p")->status.nominated_node_name.empty());
}

TEST_CASE("with a grace period a bound pod terminates first") {
  ApiServerOptions options;
  options.grace_ns = 30 * kSecond;
  Served t(options);
  ApiServer& s = *t.server;
  REQUIRE(s.create(pod_of("bound", "u")).ok());
  REQUIRE(s.create(pod_of("waiting")).ok());
  REQUIRE(s.assign("ns", "bound", "n").ok());
  t.log.take();
  REQUIRE(s.remove_pod("ns", "waiting").ok());
  REQUIRE(s.delete_pod(*s.pod("ns", "bound")).ok());
  REQUIRE(s.delete_pod(*s.pod("ns", "bound")).ok());  // once more changes nothing
  CHECK(t.log.take() == "-waiting ~bound@n!");
  CHECK(s.next_due() == 130 * kSecond);
  CHECK(!s.run_due(129 * kSecond));
  CHECK(s.run_due(130 * kSecond));
  CHECK(t.log.take() == "-bound");
  CHECK(!s.next_due());
  // A terminating pod takes no binding, and one that ended early is not deleted twice.
  REQUIRE(s.create(pod_of("bound", "u2")).ok());
  REQUIRE(s.assign("ns", "bound", "n").ok());
  REQUIRE(s.remove_pod("ns", "bound").ok());
  REQUIRE(s.finish_pod("ns", "bound").ok());
  REQUIRE(s.create(pod_of("bound", "u3")).ok());
  CHECK(s.run_due(200 * kSecond));
  CHECK(s.pod("ns", "bound")->meta.uid == "u3");
}

TEST_CASE("an ended pod leaves the watches") {
  Served t;
  ApiServer& s = *t.server;
  REQUIRE(s.create(pod_of("done", "", ", status: {phase: Succeeded}")).ok());
  REQUIRE(s.create(pod_of("p")).ok());
  REQUIRE(s.update(pod_of("p", "", ", status: {phase: Failed}")).ok());
  REQUIRE(s.update(pod_of("p", "", ", status: {phase: Failed}")).ok());
  CHECK(t.log.take() == "+p -p");
  Log late;
  s.watch(&late);
  CHECK(late.take().empty());
  REQUIRE(s.remove_pod("ns", "p").ok());
  CHECK(t.log.take().empty());
  CHECK(s.pods().size() == 1);
  s.unwatch(&late);
}

TEST_CASE("faults make calls fail, for so many times, and be slow") {
  ApiServerOptions options;
  options.keep_calls = true;
  options.keep_events = true;
  Served t(options);
  ApiServer& s = *t.server;
  REQUIRE(s.create(pod_of("p")).ok());
  REQUIRE(s.create(pod_of("q")).ok());
  CHECK(!s.may_wait());
  s.add_fault({ApiVerb::kBind, "ns/p", "conflict", 0, 1});
  s.add_fault({ApiVerb::kBind, "ns/p", "timeout", 5, 1});
  s.add_fault({{}, "ns/p", "notFound", 0, 0});
  CHECK(s.may_wait());
  const PodRef p = s.pod("ns", "p");
  CHECK(Served::message(s.bind(*p, "n")) ==
        "Operation cannot be fulfilled on pods \"p\": the object has been modified");
  // A call that has begun meets the fault that was chosen then.
  CHECK(s.begin({ApiVerb::kBind, p->meta}) == 5);
  const Result<void> late = s.bind(*p, "n");
  CHECK(Served::message(late) == "Timeout: request did not complete");
  const Result<void> gone = s.delete_pod(*p);
  CHECK(Served::message(gone) == "pods \"p\" not found");
  CHECK(gone.error().rc == Rc::kNotFound);
  CHECK(s.bind(*s.pod("ns", "q"), "n").ok());
  s.clear_faults();
  s.add_fault({ApiVerb::kPatchPodStatus, "", "broken", 0, 0});
  CHECK(s.bind(*p, "n").ok());
  CHECK(Served::message(s.patch_pod_status(*p, {})) == "broken");
  s.event(*p, "Normal", "Scheduled", "Binding", "done");
  const std::vector<ApiCall> calls = s.take_calls();
  REQUIRE(calls.size() == 6);
  CHECK(calls[3].key == "ns/q");
  CHECK(calls[3].node == "n");
  CHECK(calls[3].error.empty());
  CHECK(calls[5].error == "broken");
  CHECK(calls[5].at_ns == 100 * kSecond);
  CHECK(s.take_calls().empty());
  REQUIRE(s.take_events().size() == 1);
}

TEST_CASE("a call meets its own fault, though a later one about the same object overtakes it") {
  Served t;
  ApiServer& s = *t.server;
  REQUIRE(s.create(pod_of("p")).ok());
  s.add_fault({ApiVerb::kPatchPodStatus, "ns/p", "timeout", 5, 1});
  s.add_fault({ApiVerb::kPatchPodStatus, "ns/p", "conflict", 0, 1});
  const PodRef p = s.pod("ns", "p");
  CHECK(s.begin({ApiVerb::kPatchPodStatus, p->meta}) == 5);
  std::string fast;
  std::thread([&] {
    CHECK(s.begin({ApiVerb::kPatchPodStatus, p->meta}) == 0);
    fast = Served::message(s.patch_pod_status(*p, {}));
  }).join();
  CHECK(fast == "Operation cannot be fulfilled on pods \"p\": the object has been modified");
  CHECK(Served::message(s.patch_pod_status(*p, {})) == "Timeout: request did not complete");
  CHECK(s.patch_pod_status(*p, {}).ok());
}

TEST_CASE("random faults follow their seed and rate") {
  const auto errors = [](uint64_t seed) {
    ApiServerOptions options;
    options.faults = {seed, 0.25, 0, 0};
    Served t(options);
    REQUIRE(t.server->create(pod_of("p")).ok());
    const PodRef p = t.server->pod("ns", "p");
    std::string out;
    for (int i = 0; i < 400; ++i) out += t.server->patch_pod_status(*p, {}).ok() ? '.' : 'x';
    return out;
  };
  const std::string one = errors(1);
  CHECK(one == errors(1));
  CHECK(one != errors(2));
  const auto failed = std::count(one.begin(), one.end(), 'x');
  CHECK(failed > 60);
  CHECK(failed < 140);
}

}  // namespace libsched::api_server_test
