// Pods with ResourceClaims placed, counted, moved and tried in forks: devices are taken
// once, and are free again when their pods go.
#include <doctest/doctest.h>

#include "libsched/config/config.hpp"
#include "libsched/ingest/ingest.hpp"
#include "libsched/objects/resource_claim.hpp"
#include "libsched/objects/resource_slice.hpp"
#include "libsched/objects/storage.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/scheduler/capacity.hpp"
#include "libsched/scheduler/compare.hpp"
#include "libsched/scheduler/drain.hpp"
#include "libsched/scheduler/sim/sim.hpp"
#include "libsched/scheduler/simulation/simulation.hpp"
#include "libsched/scheduler/why/why.hpp"

namespace libsched::devices_in_tree_test {

constexpr int64_t kSecond = 1'000'000'000;

// Nodes a and b with a device each, and c without.
constexpr Str kCluster = R"(
{apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {cpu: 9, memory: 9Gi, pods: 9}}}
---
{apiVersion: v1, kind: Node, metadata: {name: b}, status: {allocatable: {cpu: 9, memory: 9Gi, pods: 9}}}
---
{apiVersion: v1, kind: Node, metadata: {name: c}, status: {allocatable: {cpu: 9, memory: 9Gi, pods: 9}}}
---
{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {}}
---
{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s-a}, spec: {driver: d, nodeName: a, pool: {name: a, resourceSliceCount: 1}, devices: [{name: x}]}}
---
{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s-b}, spec: {driver: d, nodeName: b, pool: {name: b, resourceSliceCount: 1}, devices: [{name: x}]}}
---
{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: one, namespace: default}, spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1}}]}}}}
---
{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: shared, namespace: default}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1}}]}}}
)";

ObjectSet parsed(Str text) {
  Result<ObjectSet> set = parse_objects(text, {});
  REQUIRE_MESSAGE(set.ok(), set.error().text());
  return std::move(*set);
}
// A pod with its own device, or (`claim`) with that of the shared claim.
PodRef pod_of(const std::string& name, Str claim = "resourceClaimTemplateName: one",
              const std::string& more = "") {
  return parsed("{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", namespace: default" +
                more + "}, spec: {resourceClaims: [{name: card, " + std::string(claim) +
                "}], containers: [{name: k, resources: {claims: [{name: card}]}}]}}")
      .pods.at(0);
}
constexpr Str kShared = "resourceClaimName: shared";
FrameworkRef framework() {
  const Result<ConfigRef> config = parse_config(
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n", {});
  REQUIRE(config.ok());
  Result<FrameworkRef> made =
      Framework::create(*config, "default-scheduler", in_tree_registry(), {});
  REQUIRE_MESSAGE(made.ok(), made.error().text());
  return *made;
}

struct World {
  World() : cluster(make_ref<Cluster>()) {
    REQUIRE(cluster->apply(parsed(kCluster)).ok());
    evaluator.emplace(framework(), cluster);
    all[0] = &*evaluator;
  }
  // "pod@node" or "pod: text" of each placement.
  std::vector<std::string> place(const PodRef& pod, size_t replicas, const PlaceOptions& how = {}) {
    const PlaceRequest request{pod, replicas, {}};
    std::vector<std::string> told;
    const Result<void> done =
        libsched::place({all, 1}, {&request, 1}, how, [&](const Placement& p) {
          told.push_back(p.node.empty() ? p.text + " x" + std::to_string(p.count)
                                        : std::string(p.pod->meta.name) + "@" + p.node);
          return true;
        });
    REQUIRE_MESSAGE(done.ok(), done.error().text());
    return told;
  }
  size_t claims() const {
    return cluster->view().objects().count(StoredKind::kResourceClaim) - 1;  // but the shared one
  }
  size_t allocated() const {
    size_t n = 0;
    cluster->view().objects().for_each<ResourceClaim>(
        [&](const ResourceClaim& c) { n += c.allocation ? 1 : 0; });
    return n;
  }

  Ref<Cluster> cluster;
  std::optional<Evaluator> evaluator;
  Evaluator* all[1];
};

TEST_CASE("replicas take a device each, and those that are not placed leave no claim") {
  World w;
  const std::vector<std::string> told = w.place(pod_of("web"), 4);
  REQUIRE(told.size() == 3);
  CHECK(told[0].starts_with("web-0@"));
  CHECK(told[1].starts_with("web-1@"));
  CHECK(told[0].back() != told[1].back());
  CHECK(told[2] == "0/3 nodes are available: 3 cannot allocate all claims. x2");
  CHECK(w.claims() == 2);
  CHECK(w.allocated() == 2);
}

TEST_CASE("without claims from templates the scheduler waits for them") {
  World w;
  PlaceOptions how;
  how.claims_from_templates = false;
  CHECK(w.place(pod_of("web"), 1, how) ==
        std::vector<std::string>{"pod \"default/web\": ResourceClaim not created yet x1"});
  CHECK(w.claims() == 0);
}

TEST_CASE("pods that share a claim are on its node") {
  World w;
  const std::vector<std::string> told = w.place(pod_of("web", kShared), 3);
  REQUIRE(told.size() == 3);
  for (const std::string& t : told) CHECK(t.back() == told[0].back());
  CHECK(w.allocated() == 1);
}

TEST_CASE("capacity counts devices and gives them back") {
  World w;
  const PodRef pods[] = {pod_of("web")};
  const Result<Capacity> found = capacity({w.all, 1}, {pods, 1}, {});
  REQUIRE(found.ok());
  CHECK(found->count == 2);
  CHECK(found->next.text == "0/3 nodes are available: 3 cannot allocate all claims.");
  REQUIRE(found->decision);
  CHECK(found->decision->feasible_count == 0);
  CHECK(w.claims() == 0);
  CHECK(w.allocated() == 0);
}

TEST_CASE("why tells what a pod with a claim lacks, and one node more helps") {
  World w;
  REQUIRE(w.place(pod_of("web"), 2).size() == 2);
  const Result<Why> found = why({w.all, 1}, pod_of("late"), {});
  REQUIRE_MESSAGE(found.ok(), found.error().text());
  CHECK(found->decision->details().fit_error.find("cannot allocate all claims") != Str::npos);
  REQUIRE(!found->suggestions.empty());
  CHECK(found->suggestions[0].text.starts_with("add 1 node like "));
  CHECK(w.claims() == 2);
}

TEST_CASE("a drained pod leaves its device, also that of a claim of its own name") {
  for (const Str claim : {Str("resourceClaimTemplateName: one"), kShared}) {
    World w;
    const std::string owned =
        ", uid: u, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: rs, uid: r, "
        "controller: true}]";
    const std::vector<std::string> told = w.place(pod_of("web", claim, owned), 1);
    REQUIRE(told.size() == 1);
    const std::string from = told[0].substr(told[0].size() - 1);
    const Str nodes[] = {from};
    const Result<Drain> drained = drain({w.all, 1}, {nodes, 1}, {});
    REQUIRE(drained.ok());
    REQUIRE(drained->pods.size() == 1);
    CHECK(drained->pods[0].outcome == DrainOutcome::kMoved);
    CHECK(drained->pods[0].placement.node == (from == "a" ? "b" : "a"));
    CHECK(w.allocated() == 1);
  }
}

TEST_CASE("all pods are placed anew with their devices") {
  World w;
  REQUIRE(w.place(pod_of("web"), 2).size() == 2);
  Comparison made;
  CompareOptions how;
  how.all = true;
  REQUIRE(made.place(CompareSide::kBefore, {w.all, 1}, {}, how).ok());
  REQUIRE(made.pods().size() == 2);
  for (const ComparedPod& p : made.pods()) CHECK(p.outcome[0]->outcome == Outcome::kPlaced);
  CHECK(w.claims() == 2);
  CHECK(w.allocated() == 2);
}

TEST_CASE("in a simulation a pod waits for the device of one that ends") {
  World w;
  for (const Str claim : {Str("resourceClaimTemplateName: one"), kShared}) {
    const auto timed = make_ref<TimedWorkload>();
    Timing timing;
    timing.duration_ns = 60 * kSecond;
    REQUIRE(timed->add_series(pod_of("job", claim), 3, timing).ok());
    Result<Ref<Simulation>> made =
        Simulation::create({framework()}, w.cluster->view(), timed, SimulationOptions());
    REQUIRE_MESSAGE(made.ok(), made.error().text());
    Simulation& s = **made;
    REQUIRE(s.run(30 * kSecond, {}, {}).ok());
    size_t running = 0;
    for (uint32_t slot = 0; slot < s.view().slot_count(); ++slot)
      running += s.view().slot(slot).pod ? 1 : 0;
    CHECK(running == (claim == kShared ? 3 : 2));
    REQUIRE(s.run({}, {}, {}).ok());
    CHECK(s.quiet());
    CHECK(s.summary_json().find("\"finished\":3") != std::string::npos);
    CHECK(s.now_ns() >= (claim == kShared ? 60 : 120) * kSecond);
    // All claims are free, and those of the pods are gone.
    size_t left = 0;
    s.view().objects().for_each<ResourceClaim>([&](const ResourceClaim& c) {
      ++left;
      CHECK(!c.allocation);
      CHECK(c.reserved_for.empty());
    });
    CHECK(left == 1);
  }
}

TEST_CASE("a simulated cluster allocates in forks, and gives devices back") {
  const auto catalog = make_ref<Catalog>();
  Result<Ref<Sim>> made = Sim::create(framework(), catalog);
  REQUIRE(made.ok());
  Sim& sim = **made;
  REQUIRE(sim.load(parsed(kCluster)).ok());
  const auto allocated = [&] {
    size_t n = 0;
    sim.view().objects().for_each<ResourceClaim>(
        [&](const ResourceClaim& c) { n += c.allocation ? 1 : 0; });
    return n;
  };
  // Two pods with claims of their own, and two that share one.
  const auto own = [&](const std::string& name) {
    const std::string claim = name + "-card";
    ObjectSet set =
        parsed("{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: " + claim +
               ", namespace: default, ownerReferences: [{apiVersion: v1, kind: Pod, name: " + name +
               ", uid: u-" + name +
               ", controller: true}]}, spec: {devices: {requests: [{name: r, exactly: "
               "{allocationMode: ExactCount, count: 1, deviceClassName: "
               "gpu}}]}}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: " +
               name + ", namespace: default, uid: u-" + name +
               "}, spec: {resourceClaims: [{name: card, resourceClaimTemplateName: one}]}, status: "
               "{resourceClaimStatuses: [{name: card, resourceClaimName: " +
               claim + "}]}}");
    const Pod* const pod = set.pods.at(0).get();
    uint64_t ref = 0;
    REQUIRE(catalog->add({&pod, 1}, true, nullptr, &ref).ok());
    REQUIRE(sim.put_objects(set).ok());
    return ref;
  };
  const uint64_t one = own("one"), two = own("two"), three = own("three");
  CHECK(one != two);
  SimQuery query;
  query.place = true;
  SimVerdict verdict;
  REQUIRE(sim.fork().ok());
  Result<SimHit> hit = sim.first(one, query, &verdict);
  REQUIRE_MESSAGE(hit.ok(), hit.error().text());
  CHECK(hit->node != 0);
  const uint64_t first = hit->pod;
  CHECK(allocated() == 1);
  REQUIRE(sim.fork().ok());
  hit = sim.first(two, query, &verdict);
  REQUIRE(hit.ok());
  CHECK(hit->node != 0);
  CHECK(allocated() == 2);
  hit = sim.first(three, query, &verdict);
  REQUIRE(hit.ok());
  CHECK(hit->node == 0);
  CHECK(verdict.stage == SimStage::kNoNode);
  // A pod that is only removed keeps its device; one that is taken back does not.
  REQUIRE(sim.unplace_pods({&first, 1}).ok());
  CHECK(allocated() == 1);
  hit = sim.first(three, query, &verdict);
  REQUIRE(hit.ok());
  CHECK(hit->node != 0);
  CHECK(allocated() == 2);
  REQUIRE(sim.remove_pods({&hit->pod, 1}).ok());
  CHECK(allocated() == 2);
  REQUIRE(sim.revert().ok());
  CHECK(allocated() == 1);
  const uint64_t both[] = {two, three};
  SimHit hits[2];
  const Result<SimPlaced> placed = sim.place_many(both, {}, {}, hits);
  REQUIRE(placed.ok());
  CHECK(placed->placed == 1);
  CHECK(allocated() == 2);
  REQUIRE(sim.revert().ok());
  CHECK(allocated() == 0);
}

TEST_CASE("each new node of packing has the devices and the CSINode of the template") {
  const auto catalog = make_ref<Catalog>();
  Result<Ref<Sim>> made = Sim::create(framework(), catalog);
  REQUIRE(made.ok());
  Sim& sim = **made;
  REQUIRE(sim.load(parsed(kCluster)).ok());
  const ObjectSet set = parsed(R"(
{apiVersion: v1, kind: Node, metadata: {name: t}, status: {allocatable: {cpu: 9, memory: 9Gi, pods: 9}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: two, namespace: default}, spec: {containers: [{name: k, resources: {requests: {example.com/card: 2}}}]}}
)");
  const ObjectSet of_template = parsed(R"(
{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: card}, spec: {extendedResourceName: example.com/card}}
---
{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s-t}, spec: {driver: e, nodeName: t, pool: {name: t, resourceSliceCount: 1}, devices: [{name: d0}, {name: d1}, {name: d2}]}}
---
{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: t}, spec: {drivers: [{name: e, nodeID: t, topologyKeys: []}]}}
)");
  REQUIRE(sim.put_objects(of_template).ok());
  const Pod* const pod = set.pods.at(0).get();
  const Node* const node = set.nodes.at(0).get();
  uint64_t ref = 0, like = 0;
  REQUIRE(catalog->add({&pod, 1}, true, nullptr, &ref).ok());
  REQUIRE(catalog->add({&node, 1}, nullptr, &like).ok());
  const SimGroup group = {ref, 3};
  SimPackOptions options;
  options.prefix = "t-";
  const auto packed = [&] {
    const Result<const SimPacking*> done = sim.bin_pack({&group, 1}, like, options);
    REQUIRE_MESSAGE(done.ok(), done.error().text());
    return *done;
  };
  CHECK(packed()->placed == 0);  // new nodes have no devices
  REQUIRE(sim.revert().ok());
  options.objects_of = "t";
  const SimPacking* const done = packed();
  CHECK(done->placed == 3);
  CHECK(done->on_node == std::vector<int32_t>{0, 1, 2});
  const ObjectStore& objects = sim.view().objects();
  const ResourceSlice* const slice = objects.find<ResourceSlice>("s-t-t-2");
  REQUIRE(slice != nullptr);
  CHECK(slice->node_name == "t-2");
  CHECK(slice->pool == "t-2");
  REQUIRE(objects.find<CsiNode>("t-2") != nullptr);
  CHECK(objects.find<CsiNode>("t-2")->drivers.size() == 1);
  REQUIRE(sim.revert().ok());
  CHECK(objects.count(StoredKind::kResourceSlice) == 3);
  CHECK(objects.count(StoredKind::kCsiNode) == 1);
}

TEST_CASE("a node is removed on trial with the devices of its pods") {
  const auto catalog = make_ref<Catalog>();
  Result<Ref<Sim>> made = Sim::create(framework(), catalog);
  REQUIRE(made.ok());
  Sim& sim = **made;
  REQUIRE(sim.load(parsed(kCluster)).ok());
  ObjectSet set;
  set.pods.push_back(pod_of("web", kShared, ", uid: u"));
  const Pod* const asked = set.pods[0].get();
  uint64_t ref = 0;
  REQUIRE(catalog->add({&asked, 1}, true, nullptr, &ref).ok());
  SimQuery query;
  query.place = true;
  SimVerdict verdict;
  const Result<SimHit> hit = sim.first(ref, query, &verdict);
  REQUIRE(hit.ok());
  REQUIRE(hit->node != 0);
  SimHit moved;
  SimRemoveOptions options;
  const Result<bool> goes = sim.remove(hit->node, {&hit->pod, 1}, {}, options, &moved);
  REQUIRE_MESSAGE(goes.ok(), goes.error().text());
  CHECK(*goes);
  CHECK(moved.node != 0);
  CHECK(moved.node != hit->node);
  CHECK(sim.has_pod(hit->pod));
}

}  // namespace libsched::devices_in_tree_test
