// The API server in memory when memory runs out: a patch of a claim happens whole, or not at all.
#include "doctest/doctest.h"
#include "libsched/base/failing_operators_test.hpp"
#include "libsched/ingest/ingest.hpp"
#include "libsched/ingest/write/write.hpp"
#include "libsched/scheduler/api_memory/api_server.hpp"

namespace libsched::claim_memory_test {

constexpr StoredKind kKind = StoredKind::kResourceClaim;

TEST_CASE("a patch of a claim happens whole, or memory has run out") {
  Result<ObjectSet> set = parse_objects(
      "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c, namespace: ns}, "
      "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}",
      {});
  REQUIRE_MESSAGE(set.ok(), set.error().text());
  const Ref<ApiServer> server =
      make_ref<ApiServer>(make_ref<VirtualClock>(1'000'000'000), ApiServerOptions());
  REQUIRE(server->create(kKind, set->stored.at(0).object).ok());
  const auto text = [&] {
    JsonText json;
    write_stored(json, kKind, *server->object(kKind, "ns", "c"));
    return json.take();
  };
  const std::string before = text();
  const Ref<ResourceClaim> changed =
      copy_resource_claim(static_cast<const ResourceClaim&>(*server->object(kKind, "ns", "c")));
  const ClaimConsumer consumer = {"", "pods", "p", "u"};
  changed->reserved_for = changed->arena.copy(std::vector<ClaimConsumer>{consumer});
  const ObjectRef object{ResourceClaimRef(changed)};
  long failed = 0;
  bool halved = false;
  failed = run_out_of_memory([&] {
    const long left = std::exchange(allocations_left, -1);
    halved = halved || text() != before;
    allocations_left = left;
    return server->update_object(kKind, object, R"({"status":{"reservedFor":[{"uid":"u"}]}})").ok();
  });
  CHECK(failed > 3);
  CHECK_FALSE(halved);
  CHECK(text().find(R"("reservedFor":[{"resource":"pods","name":"p","uid":"u"}])") !=
        std::string::npos);
}

}  // namespace libsched::claim_memory_test
