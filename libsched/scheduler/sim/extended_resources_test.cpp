// Extended resources that DeviceClasses provide, in simulated clusters: equal pods without names
// get devices of their own, and give them back when they go.
#include <doctest/doctest.h>

#include <set>

#include "libsched/config/config.hpp"
#include "libsched/ingest/ingest.hpp"
#include "libsched/objects/resource_claim.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/scheduler/sim/sim.hpp"

namespace libsched::extended_resources_test {

// Nodes a and b with two devices each, c with one that its device plugin has.
constexpr Str kCluster = R"(
{apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {cpu: 9, memory: 9Gi, pods: 9}}}
---
{apiVersion: v1, kind: Node, metadata: {name: b}, status: {allocatable: {cpu: 9, memory: 9Gi, pods: 9}}}
---
{apiVersion: v1, kind: Node, metadata: {name: c}, status: {allocatable: {cpu: 9, memory: 9Gi, pods: 9, example.com/gpu: 1}}}
---
{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {extendedResourceName: example.com/gpu}}
---
{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s-a}, spec: {driver: d, nodeName: a, pool: {name: a, resourceSliceCount: 1}, devices: [{name: x}, {name: z}]}}
---
{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s-b}, spec: {driver: d, nodeName: b, pool: {name: b, resourceSliceCount: 1}, devices: [{name: x}, {name: z}]}}
)";
constexpr Str kSlicesOfNewNodes = R"(
{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s-n0}, spec: {driver: d, nodeName: n0, pool: {name: n0, resourceSliceCount: 1}, devices: [{name: x}, {name: z}]}}
---
{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s-n1}, spec: {driver: d, nodeName: n1, pool: {name: n1, resourceSliceCount: 1}, devices: [{name: x}, {name: z}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: like}, status: {allocatable: {cpu: 9, memory: 9Gi, pods: 9}}}
)";

ObjectSet parsed(Str text) {
  Result<ObjectSet> set = parse_objects(text, {});
  REQUIRE_MESSAGE(set.ok(), set.error().text());
  return std::move(*set);
}

struct World {
  explicit World(Str objects = kCluster) : catalog(make_ref<Catalog>()) {
    const Result<ConfigRef> config = parse_config(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n", {});
    REQUIRE(config.ok());
    const Result<FrameworkRef> framework =
        Framework::create(*config, "default-scheduler", in_tree_registry(), {});
    REQUIRE(framework.ok());
    Result<Ref<Sim>> made = Sim::create(*framework, catalog);
    REQUIRE(made.ok());
    sim = *made;
    REQUIRE(sim->load(parsed(objects)).ok());
  }
  uint64_t pod(const std::string& amount = "1", const std::string& more = "") const {
    const ObjectSet set = parsed(
        "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default, uid: u}, spec: "
        "{containers: [{name: c, resources: {requests: {example.com/gpu: " +
        amount + "}, limits: {example.com/gpu: " + amount + "}}}]" + more + "}}");
    const Pod* const asked = set.pods.at(0).get();
    uint64_t ref = 0;
    REQUIRE(catalog->add({&asked, 1}, true, nullptr, &ref).ok());
    return ref;
  }
  // The pod, placed; 0: nowhere.
  SimHit place(uint64_t ref) const {
    SimQuery query;
    query.place = true;
    SimVerdict verdict;
    const Result<SimHit> hit = sim->first(ref, query, &verdict);
    REQUIRE_MESSAGE(hit.ok(), hit.error().text());
    return *hit;
  }
  // The devices in use, and the number of claims.
  std::pair<std::set<std::string>, size_t> devices() const {
    std::set<std::string> out;
    size_t claims = 0;
    sim->view().objects().for_each<ResourceClaim>([&](const ResourceClaim& c) {
      ++claims;
      if (c.allocation)
        for (const AllocatedDevice& d : c.allocation->results)
          CHECK(out.insert(std::string(d.pool) + "/" + std::string(d.device)).second);
    });
    return {out, claims};
  }

  Ref<Catalog> catalog;
  Ref<Sim> sim;
};

TEST_CASE("equal pods get devices of their own, and give them back") {
  const World w;
  const uint64_t ref = w.pod();
  CHECK(w.pod() == ref);
  REQUIRE(w.sim->fork().ok());
  std::vector<SimHit> hits;
  for (int i = 0; i < 5; ++i) {
    hits.push_back(w.place(ref));
    CHECK(hits.back().node != 0);
  }
  CHECK(w.place(ref).node == 0);
  const auto all = w.devices();
  CHECK(all.first == std::set<std::string>{"a/x", "a/z", "b/x", "b/z"});
  CHECK(all.second == 4);  // node c has what the fifth asks for
  REQUIRE(w.sim->fork().ok());
  REQUIRE(w.sim->remove_pods({&hits[1].pod, 1}).ok());
  CHECK(w.devices().second == 3);
  REQUIRE(w.sim->unplace_pods({&hits[0].pod, 1}).ok());
  CHECK(w.devices().second == 2);
  CHECK(w.place(ref).node != 0);
  REQUIRE(w.sim->revert().ok());
  CHECK(w.devices() == all);
  // A pod of the second generation has the claim of its place alone.
  REQUIRE(w.sim->remove_node(hits[0].node).ok());
  CHECK(w.devices().second == 2);
  REQUIRE(w.sim->revert().ok());
  CHECK(w.devices().second == 0);
}

TEST_CASE("a claim goes with its pod, although the class has gone before") {
  const World w;
  const SimHit hit = w.place(w.pod("2"));
  REQUIRE(hit.node != 0);
  CHECK(w.devices().first.size() == 2);
  REQUIRE(w.sim->remove_object(StoredKind::kDeviceClass, "", "gpu").ok());
  REQUIRE(w.sim->remove_pods({&hit.pod, 1}).ok());
  CHECK(w.devices().second == 0);
}

TEST_CASE("pods with devices move from a node that is removed on trial") {
  const World w;
  const uint64_t ref = w.pod();
  const SimHit one = w.place(ref), two = w.place(ref);
  REQUIRE(two.node != 0);
  const uint64_t move[] = {one.pod, two.pod};
  const bool together = one.node == two.node;
  SimHit hits[2];
  const auto before = w.devices();
  const Result<bool> goes =
      w.sim->remove(one.node, {move, together ? size_t{2} : size_t{1}}, {}, {}, hits);
  REQUIRE_MESSAGE(goes.ok(), goes.error().text());
  CHECK(*goes);
  CHECK(w.devices() == before);
  SimRemoveOptions keep;
  keep.keep = true;
  REQUIRE(w.sim->remove(one.node, {move, together ? size_t{2} : size_t{1}}, {}, keep, hits).ok());
  CHECK(hits[0].node != one.node);
  CHECK(w.devices().second == before.second);
  CHECK(w.devices().first != before.first);
}

TEST_CASE("pods with devices are packed onto new nodes that have some") {
  const World w(kSlicesOfNewNodes);
  const ObjectSet set = parsed(kSlicesOfNewNodes);
  const Node* const node = set.nodes.at(0).get();
  uint64_t like = 0;
  REQUIRE(w.catalog->add({&node, 1}, nullptr, &like).ok());
  REQUIRE(w.sim
              ->put_objects(parsed(
                  "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, "
                  "spec: {extendedResourceName: example.com/gpu}}"))
              .ok());
  const SimGroup groups[] = {{w.pod(), 6}};
  SimPackOptions options;
  options.prefix = "n";
  options.max_nodes = 4;
  const Result<const SimPacking*> packed = w.sim->bin_pack(groups, like, options);
  REQUIRE_MESSAGE(packed.ok(), packed.error().text());
  CHECK((*packed)->placed == 4);
  CHECK((*packed)->nodes.size() == 3);  // the last one stays empty
  CHECK(w.devices().first == std::set<std::string>{"n0/x", "n0/z", "n1/x", "n1/z"});
  REQUIRE(w.sim->revert().ok());
  CHECK(w.devices().second == 0);
}

TEST_CASE("the claim of a pod that runs already goes when the pod is moved") {
  const World w;
  const ObjectSet set = parsed(R"(
{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: p-1, namespace: default, uid: c, annotations: {resource.kubernetes.io/extended-resource-claim: "true"}, ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: u, controller: true}]}, spec: {devices: {requests: [{name: container-0-request-0, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1}}]}}, status: {allocation: {devices: {results: [{request: container-0-request-0, driver: d, pool: a, device: x}]}}, reservedFor: [{resource: pods, name: p, uid: u}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default, uid: u}, spec: {nodeName: a, containers: [{name: c, resources: {requests: {example.com/gpu: 1}, limits: {example.com/gpu: 1}}}]}, status: {extendedResourceClaimStatus: {resourceClaimName: p-1, requestMappings: [{containerName: c, resourceName: example.com/gpu, requestName: container-0-request-0}]}}}
)");
  REQUIRE(w.sim->put_objects(set).ok());
  const Pod* const asked = set.pods.at(0).get();
  uint64_t ref = 0, id = 0;
  REQUIRE(w.catalog->add({&asked, 1}, true, nullptr, &ref).ok());
  const uint64_t a = w.sim->find_node("a"), b = w.sim->find_node("b");
  REQUIRE(w.sim->add_pods({&ref, 1}, &a, &id).ok());
  CHECK(w.devices().first == std::set<std::string>{"a/x"});
  SimHit hit;
  SimQuery query;
  query.order = {&b, 1};
  query.order_given = true;
  SimRemoveOptions keep;
  keep.keep = true;
  const Result<bool> goes = w.sim->remove(a, {&id, 1}, query, keep, &hit);
  REQUIRE_MESSAGE(goes.ok(), goes.error().text());
  CHECK(*goes);
  CHECK(hit.node == b);
  CHECK(w.devices().first == std::set<std::string>{"b/x"});
  CHECK(w.devices().second == 1);
}

}  // namespace libsched::extended_resources_test
