// ResourceClaims from templates: names, owners, pods that have some already, errors, and what
// happens once a pod is gone.
#include <doctest/doctest.h>

#include "libsched/ingest/ingest.hpp"
#include "libsched/ingest/write/write.hpp"
#include "libsched/objects/pod_claims.hpp"
#include "libsched/objects/resource_slice.hpp"
#include "libsched/scheduler/control_plane/claims.hpp"
#include "libsched/scheduler/what_if/edits.hpp"

namespace libsched::device_claims_test {

constexpr Str kTemplates = R"(
{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: gpu, namespace: ns}, spec: {
  metadata: {labels: {team: a}, annotations: {z: "1", a: "2", resource.kubernetes.io/pod-claim-name: wrong}},
  spec: {devices: {requests: [{name: one, exactly: {deviceClassName: gpu}}]}}}}
---
{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: shared, namespace: ns}, spec: {}}
)";
constexpr Str kPod =
    R"({apiVersion: v1, kind: Pod, metadata: {name: web, namespace: ns, uid: u1}, spec: {
  resourceClaims: [{name: card, resourceClaimTemplateName: gpu}, {name: net, resourceClaimName: shared}],
  containers: [{name: c}]}})";

ObjectSet parsed(Str text) {
  Result<ObjectSet> set = parse_objects(text, {});
  REQUIRE_MESSAGE(set.ok(), set.error().text());
  return std::move(*set);
}
PodRef pod_of(std::string text = std::string(kPod)) { return parsed(text).pods.at(0); }
std::string with_status(Str more) {
  std::string text(kPod);
  text.insert(text.size() - 1, ", status: {resourceClaimStatuses: [" + std::string(more) + "]}");
  return text;
}

struct Bench {
  explicit Bench(Str more = {}) {
    REQUIRE(cluster.apply(parsed(kTemplates)).ok());
    if (!more.empty()) REQUIRE(cluster.apply(parsed(more)).ok());
  }
  MissingClaims missing(const PodRef& pod) const {
    Result<MissingClaims> found = missing_claims(cluster.view(), pod);
    REQUIRE_MESSAGE(found.ok(), found.error().text());
    return std::move(*found);
  }
  const ResourceClaim* claim(Str name) const {
    return cluster.view().objects().find<ResourceClaim>("ns", name);
  }
  size_t count() const { return cluster.view().objects().count(StoredKind::kResourceClaim); }

  Cluster cluster;
};

std::string claim_of(const Pod& pod, Str entry) {
  for (const ResourceClaimStatus& s : pod.status.resource_claims)
    if (s.name == entry) return s.has_claim_name ? std::string(s.claim_name) : "(nil)";
  return "(none)";
}

TEST_CASE("A claim is owned by its pod, and has what the template says") {
  const Bench b;
  const PodRef pod = pod_of();
  const MissingClaims made = b.missing(pod);
  REQUIRE(made.devices.size() == 1);
  CHECK(made.volumes.empty());
  const ResourceClaim& claim = *made.devices[0];
  const Str name = claim.meta.name;
  CHECK(name.starts_with("web-card-"));
  CHECK(name.size() == 14);
  CHECK(name.find_first_not_of("bcdfghjklmnpqrstvwxz2456789", 9) == Str::npos);
  CHECK(claim_of(*made.pod, "card") == name);
  CHECK(claim_of(*made.pod, "net") == "(none)");
  CHECK(claim_of(*pod, "card") == "(none)");
  CHECK(owns_claim(*made.pod, claim));
  CHECK(find_label(claim.meta.labels, "team")->value == "a");
  JsonText json;
  write_stored(json, StoredKind::kResourceClaim, claim);
  CHECK(
      json.take() ==
      R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":")" +
          std::string(name) +
          R"(","namespace":"ns","labels":{"team":"a"},"annotations":{"a":"2","resource.kubernetes.io/pod-claim-name":"card","z":"1"},)"
          R"("ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"web","uid":"u1","controller":true}]},)"
          R"("spec":{"devices":{"requests":[{"name":"one","exactly":{"deviceClassName":"gpu"}}]}},"status":{}})");
  CHECK(b.missing(pod).devices[0]->meta.name == name);  // the same each time
}

TEST_CASE("Names differ by pod and entry, are free, and long ones are cut in proportion") {
  CHECK(claim_name_prefix("web", "card") == "web-card-");
  const std::string pod(100, 'p'), entry(50, 'e');
  // 57 of 151 bytes: 37 of the pod's, 18 of the entry's.
  CHECK(claim_name_prefix(pod, entry) == std::string(37, 'p') + "-" + std::string(18, 'e') + "-");
  CHECK(claim_name_prefix(std::string(28, 'p'), std::string(28, 'e')).size() == 58);
  // No character is cut.
  std::string umlauts;
  for (int i = 0; i < 40; ++i) umlauts += "\xc3\xbc";
  CHECK(claim_name_prefix(umlauts, "e").substr(0, 54) == umlauts.substr(0, 54));
  CHECK(claim_name_suffix("ns", "a", "bc", 0) != claim_name_suffix("ns", "ab", "c", 0));
  CHECK(claim_name_suffix("ns", "a", "b", 0) != claim_name_suffix("ns", "a", "b", 1));
  Bench b;
  const PodRef first = pod_of();
  const std::string name(b.missing(first).devices[0]->meta.name);
  REQUIRE(b.cluster
              .apply(parsed("{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: "
                            "{namespace: ns, name: " +
                            name + "}, spec: {}}"))
              .ok());
  const std::string second(b.missing(first).devices[0]->meta.name);
  CHECK(second != name);
  CHECK(second == "web-card-" + claim_name_suffix("ns", "web", "card", 1));
}

TEST_CASE("A pod keeps the claims that it has") {
  const std::string mine =
      "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {namespace: ns, name: %, "
      "annotations: {resource.kubernetes.io/pod-claim-name: card}, ownerReferences: [{apiVersion: "
      "v1, "
      "kind: Pod, name: web, uid: u1, controller: true}]}, spec: {}}";
  const auto named = [&](const std::string& name) {
    std::string text = mine;
    return text.replace(text.find('%'), 1, name);
  };
  SUBCASE("named by its status") {
    const Bench b(named("any"));
    const PodRef pod = pod_of(with_status("{name: card, resourceClaimName: any}"));
    const MissingClaims made = b.missing(pod);
    CHECK(made.devices.empty());
    CHECK(made.pod.get() == pod.get());
  }
  SUBCASE("made before its status was written") {
    const Bench b(named("web-card-zzzzz"));
    const MissingClaims made = b.missing(pod_of());
    CHECK(made.devices.empty());
    CHECK(claim_of(*made.pod, "card") == "web-card-zzzzz");
  }
  SUBCASE("made by an old release") {
    std::string text = named("web-card");
    text.replace(text.find("pod-claim-name"), 14, "other");
    const Bench b(text);
    CHECK(claim_of(*b.missing(pod_of()).pod, "card") == "web-card");
  }
  SUBCASE("needs none") {
    const Bench b;
    const PodRef pod = pod_of(with_status("{name: card}"));
    CHECK(b.missing(pod).devices.empty());
  }
  SUBCASE("has lost it") {
    const Bench b;
    const MissingClaims made =
        b.missing(pod_of(with_status("{name: other, resourceClaimName: o}, {name: card, "
                                     "resourceClaimName: gone}")));
    REQUIRE(made.devices.size() == 1);
    CHECK(claim_of(*made.pod, "card") == made.devices[0]->meta.name);
    CHECK(claim_of(*made.pod, "other") == "o");
  }
  SUBCASE("belongs to another pod of the name") {
    const Bench b(named("web-card-zzzzz"));
    std::string text(kPod);
    text.replace(text.find("u1"), 2, "u2");
    const MissingClaims made = b.missing(pod_of(text));
    REQUIRE(made.devices.size() == 1);
    CHECK(made.devices[0]->meta.name != "web-card-zzzzz");
    CHECK(made.devices[0]->meta.owners[0].uid == "u2");
  }
}

TEST_CASE("A missing template is an error with its place, and nothing is made") {
  Bench b;
  std::string text(kPod);
  text.replace(text.find("{name: net"), 1, "{name: x, resourceClaimTemplateName: tpu}, {");
  Result<PodRef> made = add_missing_claims(b.cluster, pod_of(text));
  REQUIRE(!made.ok());
  CHECK(made.error().rc == Rc::kNotFound);
  CHECK(made.error().text() ==
        "spec.resourceClaims[1].resourceClaimTemplateName: pod \"ns/web\": ResourceClaimTemplate "
        "\"ns/tpu\" is not in the cluster");
  CHECK(b.count() == 1);
  const Result<ObjectSet> wrong = parse_objects(
      R"({apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: t}, spec: {spec: {
          devices: {requests: [{name: r, exactly: {deviceClassName: c, count: many}}]}}}})",
      {});
  REQUIRE(!wrong.ok());
  CHECK(wrong.error().path == "spec.spec.devices.requests[0].exactly.count");
}

TEST_CASE("Copies of a pod with claims keep their names alive") {
  PodRef pod;
  {
    Bench b;
    Result<PodRef> made = add_missing_claims(b.cluster, pod_of());
    REQUIRE(made.ok());
    CHECK(b.count() == 2);
    pod = copy_pod(**made, "other", "ns", "u9", "node");
    CHECK(b.missing(*made).devices.empty());
    CHECK(b.missing(pod).devices.size() == 1);  // they are not its own
  }
  CHECK(claim_of(*pod, "card").starts_with("web-card-"));
}

TEST_CASE("Claims of a pod that is gone go or are free again") {
  const std::string allocated =
      "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: shared, namespace: "
      "ns, "
      "finalizers: [resource.kubernetes.io/delete-protection, mine]}, spec: {}, status: "
      "{allocation: "
      "{devices: {results: [{request: r, driver: d, pool: p, device: x}]}}, reservedFor: "
      "[{resource: "
      "pods, name: web, uid: u1}%]}}";
  const auto bench = [&](Str other) {
    std::string text = allocated;
    return Bench(text.replace(text.find('%'), 1, other));
  };
  SUBCASE("nobody else uses it") {
    Bench b = bench("");
    const Result<PodRef> pod = add_missing_claims(b.cluster, pod_of());
    REQUIRE(pod.ok());
    REQUIRE(release_claims(b.cluster, **pod).ok());
    CHECK(b.count() == 1);
    CHECK(!b.claim("shared")->allocation);
    CHECK(b.claim("shared")->reserved_for.empty());
    CHECK(b.claim("shared")->finalizers.size() == 1);
  }
  SUBCASE("another pod uses it") {
    Bench b = bench(", {resource: pods, name: web, uid: u2}");
    REQUIRE(release_claims(b.cluster, *pod_of()).ok());
    CHECK(b.claim("shared")->allocation);
    REQUIRE(b.claim("shared")->reserved_for.size() == 1);
    CHECK(b.claim("shared")->reserved_for[0].uid == "u2");
    const uint64_t version = b.cluster.view().version();
    REQUIRE(release_claims(b.cluster, *pod_of()).ok());  // again
    CHECK(b.cluster.view().objects().count(StoredKind::kResourceClaim) == 1);
    CHECK(b.claim("shared")->reserved_for.size() == 1);
    CHECK(version <= b.cluster.view().version());
  }
}

TEST_CASE("Nodes of what-ifs have devices of their own") {
  Bench b(R"(
{apiVersion: v1, kind: Node, metadata: {name: big}}
---
{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s}, spec: {driver: d, nodeName: big, pool: {name: big, generation: 3, resourceSliceCount: 2}, devices: [{name: x}]}}
---
{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: t}, spec: {driver: d, nodeName: big, pool: {name: other, resourceSliceCount: 1}, devices: [{name: z}]}}
---
{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: all}, spec: {driver: d, allNodes: true, pool: {name: all, resourceSliceCount: 1}}}
)");
  std::vector<AskedPod> none;
  const Str add[] = {"add-node big=2"};
  REQUIRE(apply_edits(b.cluster, {add, 1}, &none).ok());
  const ObjectStore& objects = b.cluster.view().objects();
  CHECK(objects.count(StoredKind::kResourceSlice) == 7);
  const ResourceSlice* const made = objects.find<ResourceSlice>("s-big-1");
  REQUIRE(made != nullptr);
  CHECK(made->node_name == "big-1");
  CHECK(made->pool == "big-1");
  CHECK(made->generation == 3);
  CHECK(made->slice_count == 2);
  CHECK(made->devices[0].name == "x");
  CHECK(objects.find<ResourceSlice>("t-big-0")->pool == "other-big-0");
  const Str remove[] = {"remove-node big-1"};
  REQUIRE(apply_edits(b.cluster, {remove, 1}, &none).ok());
  CHECK(objects.count(StoredKind::kResourceSlice) == 5);
  CHECK(objects.find<ResourceSlice>("s-big-1") == nullptr);
}

}  // namespace libsched::device_claims_test
