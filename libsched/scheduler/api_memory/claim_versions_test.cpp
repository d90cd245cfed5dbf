// The API server in memory keeps versions of ResourceClaims: stale changes are conflicts that
// change nothing, the subresource status is apart, and finalizers hold what is deleted.
#include "doctest/doctest.h"
#include "libsched/ingest/ingest.hpp"
#include "libsched/ingest/write/write.hpp"
#include "libsched/scheduler/api_memory/api_server.hpp"

namespace libsched::claim_versions_test {

constexpr int64_t kSecond = 1'000'000'000;
constexpr StoredKind kKind = StoredKind::kResourceClaim;
constexpr Str kStale =
    "Operation cannot be fulfilled on resourceclaims.resource.k8s.io \"c\": the object has been "
    "modified; please apply your changes to the latest version and try again";

ObjectRef parsed(const std::string& more = "") {
  Result<ObjectSet> set = parse_objects(
      "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c, namespace: ns" +
          more + "}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}",
      {});
  REQUIRE_MESSAGE(set.ok(), set.error().text());
  return set->stored.at(0).object;
}
std::string text_of(const ObjectRef& claim) {
  JsonText json;
  write_stored(json, kKind, *claim);
  return json.take();
}

// Writes down what it is told.
struct Log final : WatchSink {
  void deliver(WatchEvent e) override {
    constexpr const char* kVerbs[] = {"+", "~", "-"};
    const Object& o = e.after ? *e.after : *e.before;
    text += kVerbs[static_cast<size_t>(e.verb)] + std::string(o.meta.resource_version) + " ";
  }
  std::string text;
};

struct Served {
  Served() {
    server->watch(&log);
    REQUIRE(server->create(kKind, parsed()).ok());
  }
  ~Served() { server->unwatch(&log); }

  Ref<ResourceClaim> read() const {
    const ObjectRef found = server->object(kKind, "ns", "c");
    REQUIRE(found);
    return copy_resource_claim(static_cast<const ResourceClaim&>(*found));
  }
  std::string write(const Ref<ResourceClaim>& claim, Str patch) const {
    const Result<void> done = server->update_object(kKind, ObjectRef(claim), patch);
    return done.ok() ? "ok" : done.error().message;
  }
  std::string text() const { return text_of(server->object(kKind, "ns", "c")); }

  Ref<VirtualClock> clock = make_ref<VirtualClock>(100 * kSecond);
  Ref<ApiServer> server = make_ref<ApiServer>(clock, ApiServerOptions());
  Log log;
};

void add_finalizer(ResourceClaim& claim, Str name) {
  std::vector<Str> all(claim.finalizers.begin(), claim.finalizers.end());
  all.push_back(claim.arena.copy(name));
  claim.finalizers = claim.arena.copy(all);
}
void reserve(ResourceClaim& claim, Str uid) {
  std::vector<ClaimConsumer> all(claim.reserved_for.begin(), claim.reserved_for.end());
  all.push_back({"", "pods", claim.arena.copy(uid), claim.arena.copy(uid)});
  claim.reserved_for = claim.arena.copy(all);
}

TEST_CASE("each change of a claim has a version, and a claim a uid") {
  Served t;
  const Ref<ResourceClaim> first = t.read();
  CHECK(first->meta.resource_version == "1");
  CHECK(first->meta.uid == "00000000-0000-4000-8000-000000000001");
  REQUIRE(t.server->update(kKind, parsed()).ok());
  CHECK(t.read()->meta.resource_version == "2");
  CHECK(t.read()->meta.uid == first->meta.uid);
  // What a dump says of another server's version does not count.
  REQUIRE(t.server->remove_object(kKind, "ns", "c").ok());
  REQUIRE(t.server->create(kKind, parsed(", uid: mine, resourceVersion: '77'")).ok());
  CHECK(t.read()->meta.resource_version == "4");
  CHECK(t.read()->meta.uid == "mine");
  CHECK(t.log.text == "+1 ~2 -2 +4 ");
  CHECK(t.server->remove_object(kKind, "ns", "x").error().message ==
        "resourceclaims.resource.k8s.io \"x\" not found");
}

TEST_CASE("the finalizer and the status are written one after the other, as the scheduler does") {
  Served t;
  Ref<ResourceClaim> claim = t.read();
  add_finalizer(*claim, kClaimFinalizer);
  reserve(*claim, "u1");  // not of this request
  claim->spec.requests = {};
  CHECK(t.write(claim, R"({"metadata":{"finalizers":["x"]}})") == "ok");
  const Ref<ResourceClaim> second = t.read();
  CHECK(second->finalizers.size() == 1);
  CHECK(second->reserved_for.empty());
  CHECK(second->spec.requests.size() == 1);  // it never changes
  CHECK(second->meta.resource_version == "2");
  claim = t.read();
  claim->allocation.emplace();
  claim->finalizers = {};  // not of this request
  reserve(*claim, "u1");
  CHECK(t.write(claim, R"({"status":{"allocation":{}}})") == "ok");
  const Ref<ResourceClaim> third = t.read();
  CHECK(third->allocation);
  CHECK(third->finalizers.size() == 1);
  CHECK(third->reserved_for_uid("u1"));
  // Preconditions in the patch are no request to the claim itself.
  claim = t.read();
  claim->finalizers = {};
  CHECK(t.write(claim, R"({"metadata":{"uid":"u","resourceVersion":"3"},"status":{}})") == "ok");
  CHECK(t.read()->finalizers.size() == 1);
  // Both at once, and without a version.
  claim = t.read();
  claim->meta.resource_version = {};
  claim->finalizers = {};
  claim->reserved_for = {};
  claim->allocation.reset();
  CHECK(t.write(claim, R"({"metadata":{"finalizers":null},"status":null})") == "ok");
  CHECK(t.text().ends_with("\"status\":{}}"));
  CHECK(t.text().find("finalizers") == std::string::npos);
  CHECK(t.log.text == "+1 ~2 ~3 ~4 ~5 ");
}

TEST_CASE("a change of an old version is a conflict and changes nothing") {
  Served t;
  const Ref<ResourceClaim> old = t.read();
  REQUIRE(t.server->update(kKind, parsed()).ok());
  const std::string before = t.text();
  const uint64_t version = t.server->version();
  reserve(*old, "u1");
  add_finalizer(*old, "f");
  for (const Str patch :
       {R"({"status":{}})", R"({"metadata":{}})", R"({"metadata":{},"status":{}})"})
    CHECK(t.write(old, patch) == kStale);
  CHECK(t.server->update_object(kKind, ObjectRef(old), R"({"status":{}})").error().rc ==
        Rc::kExists);
  CHECK(t.server->update(kKind, ObjectRef(old)).error().message == kStale);
  ObjectSet set;
  Result<PodRef> pod = parse_pod("{metadata: {name: p}}", {});
  REQUIRE(pod.ok());
  set.stored.push_back({kKind, ObjectRef(old)});
  REQUIRE(t.server->create(*pod).ok());
  set.pods.push_back(*pod);
  CHECK(t.server->update(set).error().message == kStale);
  CHECK(t.text() == before);
  CHECK(t.server->version() == version + 1);  // the pod
  CHECK(t.log.text == "+1 ~2 + ");
  // The claim that was read again may be changed.
  const Ref<ResourceClaim> fresh = t.read();
  reserve(*fresh, "u1");
  CHECK(t.write(fresh, R"({"status":{}})") == "ok");
  CHECK(t.write(fresh, R"({"status":{}})") == kStale);  // by its own change
}

TEST_CASE("a claim of the name with another uid is a conflict") {
  Served t;
  const Ref<ResourceClaim> old = t.read();
  REQUIRE(t.server->remove_object(kKind, "ns", "c").ok());
  CHECK(t.write(old, "{\"status\":{}}") == "resourceclaims.resource.k8s.io \"c\" not found");
  REQUIRE(t.server->create(kKind, parsed()).ok());
  const std::string before = t.text();
  CHECK(
      t.write(old, "{\"status\":{}}") ==
      "Operation cannot be fulfilled on resourceclaims.resource.k8s.io \"c\": Precondition failed: "
      "UID in precondition: 00000000-0000-4000-8000-000000000001, UID in object meta: "
      "00000000-0000-4000-8000-000000000002");
  CHECK(t.text() == before);
  CHECK(t.write(t.read(), "not JSON") == "the patch of a ResourceClaim is no JSON object");
  CHECK(t.write(t.read(), "[1]") == "the patch of a ResourceClaim is no JSON object");
  CHECK(t.text() == before);
}

TEST_CASE("finalizers hold a claim that is deleted") {
  Served t;
  Ref<ResourceClaim> claim = t.read();
  add_finalizer(*claim, kClaimFinalizer);
  CHECK(t.write(claim, "{\"metadata\":{}}") == "ok");
  REQUIRE(t.server->remove_object(kKind, "ns", "c").ok());
  claim = t.read();
  CHECK(claim->meta.deleted.ns == 100 * kSecond);
  CHECK(claim->meta.resource_version == "3");
  REQUIRE(t.server->remove_object(kKind, "ns", "c").ok());  // again: nothing happens
  claim->meta.deleted = {};                                 // cannot be taken back
  CHECK(t.write(claim, "{\"metadata\":{}}") == "ok");
  claim = t.read();
  CHECK(claim->meta.terminating());
  claim->finalizers = {};
  CHECK(t.write(claim, "{\"metadata\":{\"finalizers\":null}}") == "ok");
  CHECK(!t.server->object(kKind, "ns", "c"));
  CHECK(t.log.text == "+1 ~2 ~3 ~4 -4 ");
}

TEST_CASE("a fault of a call on a claim changes nothing") {
  Served t;
  const std::string before = t.text();
  t.server->add_fault({ApiVerb::kUpdateObject, "ns/c", "conflict", 0, 1});
  const Ref<ResourceClaim> claim = t.read();
  reserve(*claim, "u1");
  CHECK(t.write(claim, "{\"status\":{}}").find("the object has been modified") !=
        std::string::npos);
  CHECK(t.text() == before);
  CHECK(t.write(claim, "{\"status\":{}}") == "ok");
}

}  // namespace libsched::claim_versions_test
