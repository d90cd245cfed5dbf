// Claims of StatefulSets: each replica that is placed has its own, and others leave none.
// ResourceClaims are in device_claims_test.cpp.
#include "libsched/scheduler/control_plane/claims.hpp"

#include <doctest/doctest.h>

#include "libsched/config/config.hpp"
#include "libsched/ingest/ingest.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/scheduler/capacity.hpp"

namespace libsched::claims_in_tree_test {

// Two nodes with a local volume each.
constexpr Str kCluster = R"(
{apiVersion: v1, kind: Node, metadata: {name: a, labels: {host: a}}, status: {allocatable: {cpu: 9, memory: 9Gi, pods: 9}}}
---
{apiVersion: v1, kind: Node, metadata: {name: b, labels: {host: b}}, status: {allocatable: {cpu: 9, memory: 9Gi, pods: 9}}}
---
{apiVersion: v1, kind: PersistentVolume, metadata: {name: on-a}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: local, local: {path: /a}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: host, operator: In, values: [a]}]}]}}}, status: {phase: Available}}
---
{apiVersion: v1, kind: PersistentVolume, metadata: {name: on-b}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: local, local: {path: /b}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: host, operator: In, values: [b]}]}]}}}, status: {phase: Available}}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: old, creationTimestamp: "2020-01-01T00:00:00Z", annotations: {storageclass.kubernetes.io/is-default-class: "true"}}, provisioner: x, volumeBindingMode: Immediate}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: local, creationTimestamp: "2021-01-01T00:00:00Z", annotations: {storageclass.beta.kubernetes.io/is-default-class: "true"}}, provisioner: kubernetes.io/no-provisioner, volumeBindingMode: WaitForFirstConsumer}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: new, creationTimestamp: "2022-01-01T00:00:00Z"}, provisioner: x}
)";
constexpr Str kSet = R"({apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {
  ordinals: {start: 4}, replicas: 3,
  template: {spec: {containers: [{name: c}], volumes: [{name: data, emptyDir: {}}, {name: tmp, emptyDir: {}}]}},
  volumeClaimTemplates: [{metadata: {name: data, labels: {tier: fast}},
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]}})";

ObjectSet parsed(Str text) {
  Result<ObjectSet> set = parse_objects(text, {});
  REQUIRE_MESSAGE(set.ok(), set.error().message);
  return std::move(*set);
}

struct Bench {
  Bench() : kept(make_ref<Cluster>()), cluster(*kept), set(parsed(kSet)) {
    REQUIRE(cluster.apply(parsed(kCluster)).ok());
    const Result<ConfigRef> config = parse_config(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n", {});
    Result<FrameworkRef> made =
        Framework::create(*config, "default-scheduler", in_tree_registry(), {});
    REQUIRE(made.ok());
    evaluator.emplace(*made, kept);
  }
  PodRef pod() const { return set.workloads.front()->pod; }
  size_t claims() const {
    return cluster.view().objects().count(StoredKind::kPersistentVolumeClaim);
  }

  Ref<Cluster> kept;
  Cluster& cluster;
  ObjectSet set;
  std::optional<Evaluator> evaluator;
};

TEST_CASE("A claim is named after its pod and has the newest default class") {
  Bench b;
  const auto missing = [&](const PodRef& pod) {
    Result<MissingClaims> found = missing_claims(b.cluster.view(), pod);
    REQUIRE(found.ok());
    CHECK(found->pod.get() == pod.get());
    CHECK(found->devices.empty());
    return std::move(found->volumes);
  };
  const auto made = missing(b.pod());
  REQUIRE(made.size() == 1);
  CHECK(made[0]->meta.name == "data-db-4");
  CHECK(made[0]->storage_class() == "local");
  CHECK(made[0]->meta.labels.size() == 1);
  CHECK(made[0]->volume_name == "");
  const Ref<Pod> seventh = copy_pod(*b.pod(), "db-7", "default", {}, {});
  const Ref<Pod> again = copy_pod(*seventh, "db-8", "default", {}, {});
  CHECK(missing(seventh)[0]->meta.name == "data-db-7");
  CHECK(again->claim_names[0] == "data-db-8");
  CHECK(again->spec.volumes.size() == 2);
  REQUIRE(add_missing_claims(b.cluster, seventh).ok());
  CHECK(b.claims() == 1);
  CHECK(missing(seventh).empty());
}

TEST_CASE("A template that names a class keeps it, also the empty one") {
  Bench b;
  std::string text(kSet);
  text.insert(text.find("accessModes"), "storageClassName: \"\", ");
  const auto made = missing_claims(b.cluster.view(), parsed(text).workloads.front()->pod);
  REQUIRE(made.ok());
  CHECK((made->volumes[0]->has_storage_class() && made->volumes[0]->storage_class() == ""));
}

TEST_CASE("Replicas take a volume each, and those that are not placed leave no claim") {
  Bench b;
  Evaluator* const all[] = {&*b.evaluator};
  std::vector<std::string> told;
  const PlaceRequest request{b.pod(), 3, {}};
  REQUIRE(place({all, 1}, {&request, 1}, {}, [&](const Placement& p) {
            told.push_back(p.node.empty() ? p.text : std::string(p.pod->meta.name));
            return true;
          }).ok());
  CHECK(told == std::vector<std::string>{"db-0", "db-1",
                                         "0/2 nodes are available: 2 node(s) didn't find available "
                                         "persistent volumes to bind."});
  CHECK(b.claims() == 2);
}

// A pod with an ephemeral volume; `more` continues the claim's spec.
std::string with_scratch(const std::string& more = "") {
  return R"({apiVersion: v1, kind: Pod, metadata: {name: job, uid: u}, spec: {containers: [{name: c}],
  volumes: [{name: tmp, emptyDir: {}}, {name: scratch, ephemeral: {volumeClaimTemplate: {
    metadata: {labels: {tier: fast}}, spec: {accessModes: [ReadWriteOnce])" +
         more + ", resources: {requests: {storage: 1Gi}}}}}}]}}";
}

TEST_CASE("A claim of an ephemeral volume is owned by its pod") {
  Bench b;
  const PodRef pod = parsed(with_scratch()).pods.front();
  CHECK(has_made_claims(*pod));
  Result<MissingClaims> missing = missing_claims(b.cluster.view(), pod);
  REQUIRE(missing.ok());
  REQUIRE(missing->volumes.size() == 1);
  const PersistentVolumeClaim& claim = *missing->volumes[0];
  CHECK(claim.meta.name == "job-scratch");
  CHECK(claim.meta.ns == "default");
  CHECK(claim.storage_class() == "local");
  CHECK(claim.meta.labels.size() == 1);
  CHECK(claim.request->value() == int64_t{1} << 30);
  CHECK(claim.phase == "Pending");
  REQUIRE(claim.meta.owners.size() == 1);
  CHECK(claim.meta.owners[0].uid == "u");
  CHECK(claim.meta.owners[0].controller);
  // It outlives the pod, and goes with it when the pod is gone.
  REQUIRE(add_missing_claims(b.cluster, pod).ok());
  CHECK(b.claims() == 1);
  CHECK(missing_claims(b.cluster.view(), pod)->volumes.empty());
  REQUIRE(release_claims(b.cluster, *copy_pod(*pod, "job", "default", "other", {})).ok());
  CHECK(b.claims() == 1);  // it is another pod's
  REQUIRE(release_claims(b.cluster, *pod).ok());
  CHECK(b.claims() == 0);
}

TEST_CASE("A claim of another pod that has the name of an ephemeral volume's stays") {
  Bench b;
  REQUIRE(b.cluster
              .apply(parsed("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: "
                            "job-scratch}, spec: {storageClassName: local}}"))
              .ok());
  const PodRef pod = parsed(with_scratch()).pods.front();
  CHECK(missing_claims(b.cluster.view(), pod)->volumes.empty());
  Evaluator* const all[] = {&*b.evaluator};
  const PlaceRequest request{pod, 1, {}};
  std::string told;
  REQUIRE(place({all, 1}, {&request, 1}, {}, [&](const Placement& p) {
            told = p.text;
            return true;
          }).ok());
  CHECK(told.find("PVC default/job-scratch was not created for pod default/job (pod is not "
                  "owner)") != std::string::npos);
}

TEST_CASE("A claim template that is no claim is an error with its place") {
  Bench b;
  const PodRef pod = parsed(with_scratch(", volumeMode: [1]")).pods.front();
  const Result<MissingClaims> missing = missing_claims(b.cluster.view(), pod);
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().path == "spec.volumes[1].ephemeral.volumeClaimTemplate.spec.volumeMode");
}

TEST_CASE("Pods with ephemeral volumes take a volume each, by count and by place") {
  Bench b;
  Evaluator* const all[] = {&*b.evaluator};
  const PodRef pods[] = {parsed(with_scratch()).pods.front()};
  const Result<Capacity> found = capacity({all, 1}, {pods, 1}, {});
  REQUIRE(found.ok());
  CHECK(found->count == 2);
  CHECK(b.claims() == 0);
}

TEST_CASE("Without claims from templates a pod is judged as it is") {
  Bench b;
  Evaluator* const all[] = {&*b.evaluator};
  const PlaceRequest request{b.pod(), 3, {}};
  PlaceOptions options;
  options.claims_from_templates = false;
  std::vector<std::string> told;
  REQUIRE(place({all, 1}, {&request, 1}, options, [&](const Placement& p) {
            told.push_back(p.text + " x" + std::to_string(p.count));
            return true;
          }).ok());
  CHECK(told == std::vector<std::string>{
                    "0/2 nodes are available: persistentvolumeclaim \"data-db-0\" not found. x3"});
  CHECK(b.claims() == 0);
}

TEST_CASE("Capacity makes the claims of its copies and takes them back") {
  Bench b;
  Evaluator* const all[] = {&*b.evaluator};
  const PodRef pods[] = {b.pod()};
  const Result<Capacity> found = capacity({all, 1}, {pods, 1}, {});
  REQUIRE(found.ok());
  CHECK(found->count == 2);
  REQUIRE(found->decision);
  CHECK(found->next.text.find("persistent volumes to bind") != std::string::npos);
  CHECK(found->decision->details().fit_error.find("persistent volumes to bind") != Str::npos);
  CHECK(b.claims() == 0);
}

TEST_CASE("A claim template that is wrong is an error with its place") {
  std::string text(kSet);
  text.replace(text.find("1Gi"), 3, "1Gx");
  const Result<ObjectSet> set = parse_objects(text, {});
  REQUIRE(!set.ok());
  CHECK(set.error().path == "spec.volumeClaimTemplates[0].spec.resources.requests.storage");
}

}  // namespace libsched::claims_in_tree_test
