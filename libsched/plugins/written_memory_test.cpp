// Documents that the library writes when memory runs out: each call fails, and the next one answers
// as if nothing had been.
#include "libsched/base/failing_new_test.hpp"
#include "libsched/config/config_json.hpp"
#include "libsched/ingest/write/write.hpp"
#include "libsched/plugins/dynamicresources/claim_writes.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/plugins/signature/signature.hpp"
#include "libsched/plugins/trial_test.hpp"

namespace libsched::written_memory_test {

constexpr Str kConfig = R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders:
- {urlPrefix: 'http://a:b@c', filterVerb: f, tlsConfig: {insecure: true, keyData: a2V5}, managedResources: [{name: x.io/y}]}
profiles:
- plugins: {score: {disabled: [{name: ImageLocality}, {name: Gone}]}, filter: {enabled: [{name: NodePorts}]}}
  pluginConfig:
  - name: NodeAffinity
    args:
      addedAffinity:
        requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: In, values: [v]}]}]}
        preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {matchFields: [{key: metadata.name, operator: In, values: [node]}]}}]
  - name: PodTopologySpread
    args: {defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: ScheduleAnyway}]}
  - {name: NodeResourcesFit, args: {ignoredResources: [a.io/b], scoringStrategy: {type: RequestedToCapacityRatio, resources: [{name: cpu, weight: 2}], requestedToCapacityRatio: {shape: [{utilization: 0, score: 1}]}}}}
  - {name: Custom, args: {a: [1, {b: c}]}}
)";

ConfigRef parsed_config() {
  Result<ConfigRef> config = parse_config(kConfig);
  REQUIRE_MESSAGE(config.ok(), config.error().text());
  return *config;
}

ResourceClaimRef claim() {
  Result<ObjectSet> set = parse_objects(R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c, namespace: d, uid: u, resourceVersion: "7", finalizers: [f, g]}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}
status:
  allocation: {devices: {results: [{request: r, driver: d, pool: p, device: x}]}}
  reservedFor: [{resource: pods, name: p, uid: u}, {resource: pods, name: q, uid: v}]
)",
                                        {});
  REQUIRE_MESSAGE(set.ok(), set.error().text());
  return ResourceClaimRef::share(static_cast<const ResourceClaim*>(set->stored.at(0).object.get()));
}

// Tells what a function answers, once it has failed at each of its allocations.
template <typename F>
void check_answers(long least, F&& answer) {
  const std::string want = answer();
  std::string got;
  CHECK(run_out_of_memory([&] {
          got = answer();
          return true;
        }) >= least);
  CHECK(got == want);
}

TEST_CASE("a configuration is read and written, or memory has run out") {
  const std::string want = config_to_json(*parsed_config());
  ConfigRef got;
  CHECK(run_out_of_memory([&] {
          Result<ConfigRef> config = parse_config(kConfig);
          if (config.ok()) got = *config;
          return config.ok();
        }) > 100);
  CHECK(config_to_json(*got) == want);
  check_answers(20, [&] { return config_to_json(*got); });
  check_answers(20, [&] { return *check_config_json(*got, in_tree_catalog()); });
  check_answers(3, [&] { return extender_to_json(got->extenders.at(0)); });
  for (const PluginArgs& args : got->profiles.at(0).plugin_config)
    check_answers(1, [&] { return args_to_json(args); });
}

TEST_CASE("writes of a claim are complete, or memory has run out") {
  const ResourceClaimRef full = claim();
  const Ref<Pod> pod = make_ref<Pod>();
  pod->meta.uid = "u";
  const auto sent = [&](auto&& steps) {
    const Ref<MemoryApi> api = make_ref<MemoryApi>();
    Services services({}, api);
    steps(services);
    REQUIRE(api->requests().size() == 1);
    return std::string(api->requests()[0].object_patch);
  };
  const auto write = [&](Services& services) {
    static_cast<void>(write_claim(services, full).now());
  };
  const auto release = [&](Services& services) {
    static_cast<void>(release_consumer(services, *full, pod->meta.uid).now());
  };
  CHECK(sent(write) ==
        R"({"metadata":{"resourceVersion":"7","finalizers":["f","g"]},"status":{"allocation":)"
        R"({"devices":{"results":[{"request":"r","driver":"d","pool":"p","device":"x"}]}},)"
        R"("reservedFor":[{"resource":"pods","name":"p","uid":"u"},)"
        R"({"resource":"pods","name":"q","uid":"v"}]}})");
  check_answers(10, [&] { return sent(write); });
  check_answers(10, [&] { return sent(release); });
  check_answers(2, [&] { return std::string(same_status(*full, *full) ? "same" : "other"); });
  check_answers(5, [&] {
    JsonText json;
    write_new_claim(json, *full, "p-c-");
    return json.take();
  });
}

TEST_CASE("a new claim has no name and no uid, and a merge patch takes away what a claim has not") {
  const ResourceClaimRef full = claim();
  JsonText json;
  write_new_claim(json, *full, "p-c-");
  const std::string text = json.take();
  CHECK(text.find(R"("metadata":{"generateName":"p-c-","namespace":"d","resourceVersion":"7",)") !=
        std::string::npos);
  const Ref<ResourceClaim> none = copy_resource_claim(*full);
  none->allocation.reset();
  none->reserved_for = {};
  none->finalizers = {};
  const Ref<MemoryApi> api = make_ref<MemoryApi>();
  Services services({}, api);
  CHECK(write_claim(services, none).now().ok());
  CHECK(api->requests().at(0).object_patch ==
        R"({"metadata":{"resourceVersion":"7","finalizers":null},)"
        R"("status":{"allocation":null,"reservedFor":null}})");
}

TEST_CASE("the signature of a volume is complete, or memory has run out") {
  check_answers(10, [] {
    return volume_source_json(
        R"({"name":"v","ephemeral":{"volumeClaimTemplate":{"metadata":{"labels":{"b":"1","a":"2","a":"3"}},)"
        R"("spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1024Mi"}}}}}})");
  });
}

TEST_CASE("the last of equal names counts in a volume, and null is no value") {
  CHECK(volume_source_json(R"({"csi":{"volumeAttributes":{"b":"1","a":"2","a":"<"},"driver":"d"},)"
                           R"("hostPath":null,"emptyDir":{"sizeLimit":"1024Mi"}})") ==
        R"({"emptyDir":{"sizeLimit":"1Gi"},)"
        R"("csi":{"driver":"d","volumeAttributes":{"a":"\u003c","b":"1"}}})");
}

}  // namespace libsched::written_memory_test
