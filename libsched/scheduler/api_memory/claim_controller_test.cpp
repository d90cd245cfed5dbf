// ResourceClaims once their pods are gone: reservations, devices, finalizers, and claims that were
// made for pods.
#include "doctest/doctest.h"
#include "libsched/ingest/ingest.hpp"
#include "libsched/scheduler/api_memory/api_server.hpp"

namespace libsched::claim_controller_test {

constexpr StoredKind kKind = StoredKind::kResourceClaim;

struct World {
  World() {
    ApiServerOptions options;
    options.release_claims = true;
    options.grace_ns = 10;
    server = make_ref<ApiServer>(clock, options);
  }
  void create(const std::string& yaml) const {
    Result<ObjectSet> set = parse_objects(yaml, {});
    REQUIRE_MESSAGE(set.ok(), set.error().text());
    const Result<void> done = server->create(*set);
    REQUIRE_MESSAGE(done.ok(), done.error().text());
  }
  void pod(const std::string& name, const std::string& claims, const std::string& more = "") const {
    create("{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", uid: u-" + name +
           "}, spec: {nodeName: host, resourceClaims: [" + claims + "]}" + more + "}");
  }
  // A claim with a device and the finalizer.
  void claim(const std::string& name, const std::string& reserved,
             const std::string& more = "") const {
    create(
        "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: " + name +
        ", finalizers: [resource.kubernetes.io/delete-protection]" + more +
        "}, spec: {}, status: {allocation: {devices: {results: [{request: r, driver: d, pool: p, "
        "device: x}]}}, devices: [{driver: d, pool: p, device: x}], reservedFor: [" +
        reserved + "]}}");
  }
  static std::string by(const std::string& pod) {
    return "{resource: pods, name: " + pod + ", uid: u-" + pod + "}";
  }
  // "allocated", the finalizers and the consumers; "gone".
  std::string state(Str name) const {
    const ObjectRef found = server->object(kKind, "default", name);
    if (!found) return "gone";
    const auto& c = static_cast<const ResourceClaim&>(*found);
    std::string out = c.allocation ? "allocated" : "free";
    if (c.devices.empty() == c.allocation.has_value()) out += " (devices?)";
    for (const Str f : c.finalizers) out += " +" + std::string(f.substr(f.find('/') + 1));
    for (const ClaimConsumer& by : c.reserved_for) out += " " + std::string(by.name);
    return out + (c.meta.terminating() ? "!" : "");
  }
  // How often it has changed something.
  uint64_t run() const {
    const uint64_t before = server->version();
    size_t steps = 0;
    while (server->run_due(clock->now_ns())) REQUIRE(++steps < 100);
    return server->version() - before;
  }

  Ref<VirtualClock> clock = make_ref<VirtualClock>(100);
  Ref<ApiServer> server;
};

const std::string kOwned =
    ", ownerReferences: [{apiVersion: v1, kind: Pod, name: a, uid: u-a, controller: true}]";

TEST_CASE("a claim is free once the last of its pods is gone") {
  const World w;
  w.claim("c", World::by("a") + ", " + World::by("b"));
  w.pod("a", "{name: x, resourceClaimName: c}");
  w.pod("b", "{name: x, resourceClaimName: c}");
  CHECK(w.server->run_due(0));  // it has looked at something, and changed nothing
  CHECK(w.run() == 0);
  CHECK(w.state("c") == "allocated +delete-protection a b");
  REQUIRE(w.server->finish_pod("default", "a").ok());
  CHECK(w.server->next_due() == 0);
  CHECK(w.run() == 1);
  CHECK(w.state("c") == "allocated +delete-protection b");
  REQUIRE(w.server->remove_pod("default", "b").ok());  // terminating
  CHECK(w.run() == 0);
  w.clock->advance_to(110);
  CHECK(w.run() == 2);
  CHECK(w.state("c") == "free");
  CHECK(w.run() == 0);
}

TEST_CASE("a claim that was made for a pod goes with it") {
  const World w;
  w.claim("c", World::by("a"), kOwned);
  w.pod("a", "{name: x, resourceClaimTemplateName: t}",
        ", status: {resourceClaimStatuses: [{name: x, resourceClaimName: c}]}");
  CHECK(w.run() == 0);
  SUBCASE("finished") { REQUIRE(w.server->finish_pod("default", "a").ok()); }
  SUBCASE("ended") {
    Result<PodRef> ended = parse_pod(
        "{metadata: {name: a, uid: u-a}, spec: {nodeName: host}, status: {phase: Failed, "
        "resourceClaimStatuses: [{name: x, resourceClaimName: c}]}}",
        {});
    REQUIRE(ended.ok());
    REQUIRE(w.server->update(*ended).ok());
  }
  CHECK(w.run() >= 1);
  CHECK(w.state("c") == "gone");
}

TEST_CASE("pods that are not there reserve nothing, others keep what they have") {
  const World w;
  w.pod("a", "{name: x, resourceClaimName: c}");
  w.claim("other-uid", "{resource: pods, name: a, uid: old}");
  w.claim("no-pod", World::by("nobody"));
  w.claim("no-pods", "{apiGroup: x.io, resource: jobs, name: j, uid: u}");
  w.claim("unused", "");
  w.claim("owned", "", kOwned);
  w.run();
  CHECK(w.state("other-uid") == "free");
  CHECK(w.state("no-pod") == "free");
  CHECK(w.state("no-pods") == "allocated +delete-protection j");
  // Upstream does not take back what nobody has reserved.
  CHECK(w.state("unused") == "allocated +delete-protection");
  CHECK(w.state("owned") == "allocated +delete-protection");
}

TEST_CASE("a claim waits for its pod") {
  const World w;
  w.claim("c", "", kOwned);
  CHECK(w.run() == 0);
  CHECK(w.state("c") == "allocated +delete-protection");
}

TEST_CASE("a claim in use that is deleted goes with the last pod") {
  const World w;
  w.pod("a", "{name: x, resourceClaimName: c}");
  w.claim("c", World::by("a"));
  w.claim("unused", "");
  REQUIRE(w.server->remove_object(kKind, "default", "c").ok());
  REQUIRE(w.server->remove_object(kKind, "default", "unused").ok());
  w.run();
  CHECK(w.state("c") == "allocated +delete-protection a!");
  CHECK(w.state("unused") == "gone");
  REQUIRE(w.server->finish_pod("default", "a").ok());
  w.run();
  CHECK(w.state("c") == "gone");
}

TEST_CASE("without the controller claims stay as they are") {
  const Ref<ApiServer> server =
      make_ref<ApiServer>(make_ref<VirtualClock>(100), ApiServerOptions());
  Result<ObjectSet> set = parse_objects(
      "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c}, status: "
      "{reservedFor: [{resource: pods, name: a, uid: u}]}}",
      {});
  REQUIRE(set.ok());
  REQUIRE(server->create(*set).ok());
  CHECK(!server->next_due());
  CHECK(!server->run_due(1000));
}

}  // namespace libsched::claim_controller_test
