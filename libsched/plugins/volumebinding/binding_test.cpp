// Binding of volumes: PreBindPreFlight, PreBind's requests to the API, and how its waiting ends.
#include <thread>

#include "libsched/plugins/trial_test.hpp"
#include "tests/unit/fast_clock.hpp"

namespace libsched::binding_test {

std::string claim(const std::string& name, const std::string& annotations = "",
                  const std::string& spec = "", const std::string& storage_class = "local") {
  return "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: " + name +
         ", namespace: default, uid: u-" + name + ", annotations: {" + annotations +
         "}}\nspec: {accessModes: [ReadWriteOnce], storageClassName: " + storage_class +
         ", resources: {requests: {storage: 1Gi}}" + spec + "}\n";
}

std::string volume(const std::string& more = "") {
  return "---\napiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v}\nspec: {accessModes: "
         "[ReadWriteOnce], storageClassName: local, capacity: {storage: 1Gi}" +
         more + "}\nstatus: {phase: Available}\n";
}

std::string in_zone(const std::string& zone) {
  return ", nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: zone, "
         "operator: In, values: [" +
         zone + "]}]}]}}";
}

const std::string kClaimed = ", claimRef: {namespace: default, name: c, uid: u-c}";
const std::string kCompleted = "pv.kubernetes.io/bind-completed: 'yes'";
const std::string kSelected = "volume.kubernetes.io/selected-node: 'n'";

const std::string kCluster =
    "---\nkind: Node\nmetadata: {name: 'n', labels: {zone: a}}\n"
    "---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: local}\nprovisioner: "
    "kubernetes.io/no-provisioner\nvolumeBindingMode: WaitForFirstConsumer\n"
    "---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: wait}\nprovisioner: "
    "d\nvolumeBindingMode: WaitForFirstConsumer\n";

PodRef pod_with(const std::vector<std::string>& claims) {
  std::string spec = "{volumes: [";
  for (const std::string& c : claims)
    spec += "{name: " + c + ", persistentVolumeClaim: {claimName: " + c + "}}, ";
  return Trial::pod(spec + "]}");
}

// Runs a function whenever the clock advances.
struct ActingClock final : Clock {
  VirtualClock time;
  std::function<void(int64_t seconds)> act;
  int64_t now_ns() const override { return time.now_ns(); }
  void wait(Signal& changed, std::unique_lock<Mutex>& lock, int64_t deadline_ns) override {
    time.wait(changed, lock, deadline_ns);
    if (act) act(seconds());
  }
  int64_t seconds() const { return (now_ns() - VirtualClock::kStart) / 1'000'000'000; }
};

// An API server that may refuse requests.
struct RealApi final : ApiClient {
  std::string refusal;
  int updates = 0;
  Result<void> bind(const Pod&, Str) override { return {}; }
  Result<void> delete_pod(const Pod&) override { return {}; }
  Result<void> patch_pod_status(const Pod&, const PodStatusPatch&) override { return {}; }
  Result<void> update_object(StoredKind, const ObjectRef&, Str) override {
    ++updates;
    if (!refusal.empty()) return Error{Rc::kState, refusal};
    return {};
  }
  void event(const Pod&, Str, Str, Str, Str) override {}
};

// A pod that has gone through PreFilter and been assumed on "n".
struct Assumed {
  Trial trial;
  PodRef pod;
  CycleState state;
  Ref<ActingClock> clock = make_ref<ActingClock>();
  Ref<RealApi> api = make_ref<RealApi>();
  Services services{clock, api};

  explicit Assumed(const std::string& objects, const std::vector<std::string>& claims,
                   const TrialOptions& options = {})
      : trial("VolumeBinding", kCluster + objects, options), pod(pod_with(claims)) {
    const Result<Status> filtered = trial.evaluator().run_pre_filter(state, *pod);
    REQUIRE(filtered->success());
    const Result<Status> assumed =
        trial.evaluator().assume(state, *pod, trial.cluster().view().find_node("n"));
    REQUIRE(assumed->success());
  }
  size_t index() {
    const auto& plugins = trial.evaluator().framework().plugins();
    for (size_t i = 0; i < plugins.size(); ++i)
      if (plugins[i].name == "VolumeBinding") return i;
    FAIL("no plugin");
    std::abort();
  }
  const Plugin& plugin() { return *trial.evaluator().framework().plugins()[index()].plugin; }
  BindingCall call(Services& with) { return call(with, state, "n"); }
  BindingCall call(Services& with, CycleState& of, Str node) {
    return {with, *pod, of, of.entries()[index()], node, trial.cluster().view().find_node(node)};
  }
  std::string pre_flight() {
    bool parallel = false;
    const Status s = plugin().pre_bind_pre_flight(call(services), &parallel);
    CHECK(parallel);
    return text_of(s);
  }
  std::string pre_bind() {
    const Status s = plugin().pre_bind(call(services)).now();
    if (s.code == Code::kError) CHECK(s.error == s.message());
    return text_of(s);
  }
  // After this many seconds these objects arrive from the API server.
  void answer(int64_t after, const std::string& objects) {
    clock->act = [this, after, objects](int64_t now) {
      if (now == after) trial.apply(objects);
    };
  }
};

TEST_CASE("PreBind has nothing to do where all claims are bound, or there are none") {
  Assumed bound(claim("c", kCompleted, ", volumeName: v") + volume(kClaimed), {"c"});
  CHECK(bound.pre_flight() == "Skip");
  CHECK(bound.pre_bind() == "Success");
  CHECK(bound.api->updates == 0);
  Assumed none("", {});
  CHECK(none.pre_flight() == "Skip");
  CHECK(none.pre_bind() == "Success");
}

TEST_CASE("PreBind asks for the reserved volumes; a simulation does not wait for them") {
  Assumed t(claim("c") + claim("d", "", "", "wait") + volume(), {"c", "d"});
  CHECK(t.pre_flight() == "Success");
  const Ref<MemoryApi> memory = make_ref<MemoryApi>();
  Services simulation(t.clock, memory);
  CHECK(t.plugin().pre_bind(t.call(simulation)).now() == Status());
  CHECK(t.clock->seconds() == 0);
  const auto requests = memory->requests();
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].kind == StoredKind::kPersistentVolume);
  CHECK(requests[0].object->meta.name == "v");
  CHECK(requests[0].object_patch ==
        R"({"metadata":{"annotations":{"pv.kubernetes.io/bound-by-controller":"yes"}},)"
        R"("spec":{"claimRef":{"kind":"PersistentVolumeClaim","namespace":"default","name":"c",)"
        R"("uid":"u-c","apiVersion":"v1"}}})");
  CHECK(requests[1].kind == StoredKind::kPersistentVolumeClaim);
  CHECK(requests[1].object->meta.name == "d");
  CHECK(requests[1].object_patch ==
        R"({"metadata":{"annotations":{"volume.kubernetes.io/selected-node":"n"}}})");
  REQUIRE(memory->deliver(t.trial.cluster()).ok());
  CHECK(t.trial.cluster().view().objects().find<PersistentVolume>("v")->claim_ref->name == "c");
}

TEST_CASE("PreBind returns the API's refusal") {
  Assumed t(claim("c") + claim("d", "", "", "wait") + volume(), {"c", "d"});
  t.api->refusal = "the object has been modified";
  CHECK(t.pre_bind() == "Error: the object has been modified");
  CHECK(t.api->updates == 1);
  CHECK(t.services.metrics().volume_stage_errors[2].value() == 1);
}

TEST_CASE("PreBind waits until the time is up") {
  Assumed t(claim("c") + volume(), {"c"});
  CHECK(t.pre_bind() == "Error: binding volumes: context deadline exceeded");
  CHECK(t.clock->seconds() == 600);
  TrialOptions options;
  options.args = "{bindTimeoutSeconds: 7}";
  Assumed short_wait(claim("c") + volume(), {"c"}, options);
  short_wait.answer(7, claim("c", kCompleted, ", volumeName: v") + volume(kClaimed));
  CHECK(short_wait.pre_bind() == "Error: binding volumes: context deadline exceeded");
  CHECK(short_wait.clock->seconds() == 7);
}

TEST_CASE("PreBind waits until the claims are bound") {
  Assumed t(claim("c") + volume(), {"c"});
  t.answer(3, claim("c", kCompleted, ", volumeName: v") + volume(kClaimed));
  CHECK(t.pre_bind() == "Success");
  CHECK(t.clock->seconds() == 3);
  Assumed made(claim("d", "", "", "wait"), {"d"});
  made.answer(5, claim("d", kCompleted + ", " + kSelected, ", volumeName: v", "wait") + volume());
  CHECK(made.pre_bind() == "Success");
  CHECK(made.clock->seconds() == 5);
}

TEST_CASE("PreBind gives up when the binding is undone") {
  const auto after = [](const std::string& objects, const std::vector<std::string>& claims,
                        const std::string& answer) {
    Assumed t(objects, claims);
    t.answer(2, answer);
    const std::string said = t.pre_bind();
    CHECK(t.clock->seconds() ==
          (said == "Success" || said.find("deadline") != Str::npos ? t.clock->seconds() : 2));
    return said;
  };
  const std::string c = claim("c"), d = claim("d", "", "", "wait");
  CHECK(after(c + volume(), {"c"}, volume(", volumeMode: Filesystem")) ==
        "Error: binding volumes: ClaimRef got reset for pv \"v\"");
  CHECK(after(c + volume(), {"c"}, volume(kClaimed + in_zone("b"))) ==
        "Error: binding volumes: pv \"v\" node affinity doesn't match node \"n\": no matching "
        "NodeSelectorTerms");
  CHECK(after(d, {"d"}, claim("d", "a: b", "", "wait")) ==
        "Error: binding volumes: provisioning failed for PVC \"d\"");
  CHECK(after(d, {"d"}, claim("d", "", ", volumeName: v", "wait")) ==
        "Error: binding volumes: selectedNode annotation reset for PVC \"d\"");
  CHECK(after(d, {"d"}, volume(in_zone("b")) + claim("d", kSelected, ", volumeName: v", "wait")) ==
        "Error: binding volumes: pv \"v\" node affinity doesn't match node \"n\": no matching "
        "NodeSelectorTerms");
  // The volume may arrive after the claim that names it.
  CHECK(after(d, {"d"}, claim("d", kSelected, ", volumeName: v", "wait")) ==
        "Error: binding volumes: context deadline exceeded");
}

TEST_CASE("PreBind asks the scheduler whether the pod still exists") {
  struct Nobody final : PodLister {
    const Pod* find_pod(Str, Str) const override { return nullptr; }
  };
  const Nobody nobody;
  Assumed t(claim("c") + volume(), {"c"});
  t.services.pods = &nobody;
  CHECK(t.pre_bind() == "Error: binding volumes: pod does not exist any more: pod \"p\" not found");
}

TEST_CASE("PreBind gives up when claim, pod or node are gone") {
  const auto after = [](const std::function<void(Cluster&)>& change) {
    Assumed t(claim("c") + volume(), {"c"});
    t.clock->act = [&](int64_t now) {
      if (now == 1) change(t.trial.cluster());
    };
    return t.pre_bind();
  };
  CHECK(after([](Cluster& c) {
          REQUIRE(c.remove_object(StoredKind::kPersistentVolumeClaim, "default", "c").ok());
        }) ==
        "Error: binding volumes: failed to check binding: persistentvolumeclaims "
        "\"default/c\" not found");
  CHECK(after([](Cluster& c) {
          REQUIRE(c.remove_object(StoredKind::kPersistentVolume, "", "v").ok());
        }) == "Error: binding volumes: failed to check binding: persistentvolumes \"v\" not found");
  CHECK(after([](Cluster& c) { REQUIRE(c.remove_pod("default", "p").ok()); }) ==
        "Error: binding volumes: pod does not exist any more: pod \"p\" not found");
  CHECK(after([](Cluster& c) { REQUIRE(c.remove_node("n").ok()); }) ==
        "Error: binding volumes: failed to get node \"n\": node \"n\" not found");
}

TEST_CASE("PreBind for a node without a reservation") {
  Assumed t(claim("c") + volume(in_zone("a")), {"c"});
  t.trial.apply("kind: Node\nmetadata: {name: 'm', labels: {zone: b}}\n");
  CycleState state;
  REQUIRE(t.trial.evaluator().run_pre_filter(state, *t.pod)->success());
  CHECK(text_of(t.plugin().pre_bind(t.call(t.services, state, "m")).now()) ==
        "Error: no pod volume found for node \"m\"");
  CHECK(text_of(t.plugin().pre_bind(t.call(t.services, state, "n")).now()) ==
        "Error: failed to get cached bindings for pod \"default/p\"");
  // PreFilter never ran.
  CycleState empty;
  empty.tie(FrameworkRef::share(&t.trial.evaluator().framework()),
            t.trial.evaluator().framework().plugins().size());
  CHECK(text_of(t.plugin().pre_bind(t.call(t.services, empty, "n")).now()) == "Error: not found");
}

TEST_CASE("PreBind after Unreserve has no requests, but still checks pod and node") {
  Assumed t(claim("c") + volume(), {"c"});
  REQUIRE(t.trial.evaluator().forget(t.state, *t.pod).ok());
  CHECK(t.pre_bind() == "Success");
  CHECK(t.api->updates == 0);
  REQUIRE(t.trial.cluster().remove_node("n").ok());
  const BindingCall there = t.call(t.services, t.state, "n");
  CHECK(there.row == kNoId);
  CHECK(text_of(t.plugin().pre_bind(there).now()) == "Error: no pod volume found for node \"n\"");
}

TEST_CASE("PreBind waits on its own thread while the writer continues") {
  for (const bool bound : {true, false}) {
    Assumed t(claim("c") + volume(), {"c"});
    Services services(make_ref<FastClock>(100), t.api);
    const BindingCall call = t.call(services);
    Status said;
    std::thread binder([&] { said = t.plugin().pre_bind(call).now(); });
    // Meanwhile pods and nodes are added and removed, and volumes of other pods change.
    for (int i = 0; i < 200; ++i) {
      const std::string name = "x" + std::to_string(i);
      t.trial.apply("kind: Node\nmetadata: {name: " + name + "}\n" + claim(name));
      REQUIRE(t.trial.cluster().remove_node(name).ok());
      const Result<Status> other = [&] {
        CycleState state;
        return t.trial.evaluator().run_pre_filter(state, *pod_with({name}));
      }();
      REQUIRE(other.ok());
    }
    if (bound) {
      t.trial.apply(claim("c", kCompleted, ", volumeName: v") + volume(kClaimed));
    } else {
      REQUIRE(t.trial.cluster().remove_pod("default", "p").ok());
    }
    binder.join();
    CHECK(text_of(said) ==
          (bound ? "Success"
                 : "Error: binding volumes: pod does not exist any more: pod \"p\" not found"));
  }
}

}  // namespace libsched::binding_test
