// Objects of dynamic resource allocation in the forks of a simulated cluster: they are added,
// replaced and removed, and a revert restores them, also after the reverts of forks within.
#include <doctest/doctest.h>

#include <string>

#include "libsched/ingest/ingest.hpp"
#include "libsched/ingest/write/write.hpp"
#include "libsched/run/fake_plugin_test.hpp"
#include "libsched/scheduler/sim/sim.hpp"

namespace libsched::device_objects_test {

constexpr StoredKind kKinds[] = {StoredKind::kResourceClaim, StoredKind::kResourceClaimTemplate,
                                 StoredKind::kResourceSlice, StoredKind::kDeviceClass,
                                 StoredKind::kDeviceTaintRule};

struct World {
  World() : fakes({}, {}) {
    Result<Ref<Sim>> made =
        Sim::create(FrameworkRef::share(&fakes.evaluator.framework()), make_ref<Catalog>());
    REQUIRE(made.ok());
    sim = *made;
  }
  void put(const std::string& yaml) const {
    const Result<ObjectSet> set = parse_objects(yaml, {});
    REQUIRE_MESSAGE(set.ok(), set.error().text());
    const Result<void> done = sim->put_objects(*set);
    REQUIRE_MESSAGE(done.ok(), done.error().text());
  }
  // All that is there.
  std::string all() const {
    std::string out;
    for (const StoredKind kind : kKinds)
      sim->view().objects().for_each_object(kind, [&](const Object& o) {
        JsonText json;
        write_stored(json, kind, o);
        out += json.take() + "\n";
      });
    return out;
  }

  FakeWorld fakes;
  Ref<Sim> sim;
};

// One of each kind, with a part that differs.
std::string objects(const std::string& name, const std::string& part) {
  const std::string head = "{apiVersion: resource.k8s.io/v1, kind: ";
  const std::string named = ", metadata: {name: " + name;
  const std::string asks =
      "{devices: {requests: [{name: r, exactly: {deviceClassName: " + part + "}}]}}";
  return head + "ResourceClaim" + named + ", namespace: ns}, spec: " + asks +
         ", status: {allocation: {devices: {results: [{request: r, driver: d, pool: p, device: " +
         part + "}]}}}}\n---\n" + head + "ResourceClaimTemplate" + named +
         ", namespace: ns}, spec: {spec: " + asks + "}}\n---\n" + head + "ResourceSlice" + named +
         "}, spec: {driver: d, allNodes: true, pool: {name: p, resourceSliceCount: 1}, devices: "
         "[{name: " +
         part + "}]}}\n---\n" + head + "DeviceClass" + named +
         "}, spec: {selectors: [{cel: {expression: \"device.driver == '" + part +
         "'\"}}]}}\n---\n" + "{apiVersion: resource.k8s.io/v1beta2, kind: DeviceTaintRule" + named +
         "}, spec: {taint: {key: " + part + ", effect: NoSchedule}}}";
}

TEST_CASE("objects of devices are added, replaced and removed in forks, and come back") {
  const World w;
  w.put(objects("a", "one"));
  const std::string first = w.all();
  CHECK(first.find("\"device\":\"one\"") != std::string::npos);
  REQUIRE(w.sim->fork().ok());
  w.put(objects("b", "two"));
  const std::string second = w.all();
  CHECK(second.size() > first.size());
  REQUIRE(w.sim->fork().ok());
  w.put(objects("a", "three"));
  for (const StoredKind kind : kKinds) {
    const Str ns = is_namespaced(kind) ? "ns" : "";
    REQUIRE(w.sim->remove_object(kind, ns, "b").ok());
    CHECK(w.sim->remove_object(kind, ns, "b").error().rc == Rc::kNotFound);
    CHECK(w.sim->view().objects().count(kind) == 1);
  }
  CHECK(w.all().find("two") == std::string::npos);
  CHECK(w.all().find("one") == std::string::npos);
  REQUIRE(w.sim->revert().ok());
  CHECK(w.all() == second);
  REQUIRE(w.sim->fork().ok());
  w.put(objects("b", "four"));
  REQUIRE(w.sim->commit().ok());
  CHECK(w.all().find("two") == std::string::npos);
  REQUIRE(w.sim->revert().ok());
  CHECK(w.all() == first);
  CHECK(w.sim->fork_depth() == 0);
}

}  // namespace libsched::device_objects_test
