// Scores of extended resources that DeviceClasses provide: the devices of a node count, and those
// of them that are allocated.
#include "libsched/plugins/trial_test.hpp"

namespace libsched::device_totals_test {

std::string node(const std::string& name, const std::string& more = "",
                 const std::string& labels = "") {
  return "---\nkind: Node\nmetadata: {name: " + name + ", labels: {" + labels +
         "}}\nstatus: {allocatable: {pods: 9, cpu: 4, memory: 8Gi" + more + "}}\n";
}
std::string slice(const std::string& name, const std::string& where, const std::string& devices,
                  const std::string& pool = "") {
  return "---\nkind: ResourceSlice\napiVersion: resource.k8s.io/v1\nmetadata: {name: " + name +
         "}\nspec: {driver: d, pool: {name: " + (pool.empty() ? name : pool) +
         ", generation: 1, resourceSliceCount: 7}, " + where + ", devices: [" + devices + "]}\n";
}
std::string allocated(const std::string& name, const std::string& pool, const std::string& device,
                      const std::string& more = "") {
  return "---\nkind: ResourceClaim\napiVersion: resource.k8s.io/v1\nmetadata: {name: " + name +
         ", namespace: default}\nspec: {}\nstatus: {allocation: {devices: {results: [{request: r, "
         "driver: d, pool: " +
         pool + ", device: " + device + more + "}]}}}\n";
}
const char* const kClass =
    "---\nkind: DeviceClass\napiVersion: resource.k8s.io/v1\nmetadata: {name: gpu}\nspec: "
    "{extendedResourceName: example.com/gpu, selectors: [{cel: {expression: "
    "'device.attributes[\"d\"].real'}}]}\n";
const char* const kReal = "attributes: {real: {bool: true}}";
const char* const kOther = "attributes: {real: {bool: false}}";
std::string devices(int n, const std::string& more = kReal) {
  std::string out;
  for (int i = 0; i < n; ++i) out += "{name: x" + std::to_string(i) + ", " + more + "}, ";
  return out;
}
std::string asking(int n, const std::string& name = "example.com/gpu") {
  return "{containers: [{name: c, resources: {requests: {cpu: 1, " + name + ": " +
         std::to_string(n) + "}}}]}";
}
TrialOptions least(const std::string& name = "example.com/gpu") {
  TrialOptions options;
  options.args =
      "{scoringStrategy: {type: LeastAllocated, resources: [{name: " + name + ", weight: 1}]}}";
  return options;
}
std::string scores(Trial& t, const std::string& spec) { return t.scores(*Trial::pod(spec)); }

TEST_CASE("devices of the class count, and those that are allocated") {
  Trial t("NodeResourcesFit",
          node("a") + node("b", ", example.com/gpu: 4") + node("c") + kClass +
              slice("a", "nodeName: a", devices(4) + "{name: z, " + kOther + "}") +
              allocated("one", "a", "x0") + allocated("two", "a", "z") +
              "---\nkind: Pod\nmetadata: {name: q, namespace: d}\nspec: {nodeName: b, containers: "
              "[{name: c, resources: {requests: {example.com/gpu: 2}}}]}\n",
          least());
  CHECK(scores(t, asking(1)) == "a 50/50, b 25/25, c 0/0");
  CHECK(scores(t, asking(2)) == "a 25/25, b 0/0, c 0/0");
  // A share is an allocated device; admin access is none.
  t.apply(allocated("three", "a", "x1", ", shareID: 11111111-1111-4111-8111-111111111111") +
          allocated("four", "a", "x2", ", adminAccess: true"));
  CHECK(scores(t, asking(1)) == "a 25/25, b 25/25, c 0/0");
  REQUIRE(t.cluster().remove_object(StoredKind::kResourceClaim, "default", "one").ok());
  CHECK(scores(t, asking(1)) == "a 50/50, b 25/25, c 0/0");
  // Another slice of the node counts at once.
  t.apply(slice("c", "nodeName: c", devices(2)));
  CHECK(scores(t, asking(1)) == "a 50/50, b 25/25, c 50/50");
}

TEST_CASE("the implicit name of a class is scored like the other") {
  const std::string name = "deviceclass.resource.kubernetes.io/gpu";
  Trial t("NodeResourcesFit", node("a") + kClass + slice("a", "nodeName: a", devices(4)),
          least(name));
  CHECK(scores(t, asking(1, name)) == "a 75/75");
}

TEST_CASE("slices and devices are those of the nodes that they select") {
  const std::string zone =
      "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: "
      "[a]}]}]}";
  const std::string nodes = node("a", "", "zone: a") + node("b");
  const auto of = [&](const std::string& slices) {
    Trial t("NodeResourcesFit", nodes + kClass + slices, least());
    return scores(t, asking(1));
  };
  CHECK(of(slice("s", "allNodes: true", devices(2))) == "a 50/50, b 50/50");
  CHECK(of(slice("s", zone, devices(2))) == "a 50/50, b 0/0");
  CHECK(of(slice("s", "nodeName: b", devices(2))) == "a 0/0, b 50/50");
  CHECK(of(slice("s", "nodeName: gone", devices(2))) == "a 0/0, b 0/0");
  CHECK(of(slice("s", "perDeviceNodeSelection: true",
                 std::string("{name: x, allNodes: true, ") + kReal + "}, {name: v, nodeName: a, " +
                     kReal + "}, {name: z, " + zone + ", " + kReal + "}, {name: w, " + kReal +
                     "}")) == "a 66/66, b 0/0");
}

TEST_CASE("a selector that fails leaves nothing on the nodes of its slice") {
  Trial t("NodeResourcesFit",
          node("a") + node("b") + kClass + slice("a", "nodeName: a", devices(3) + "{name: bad}") +
              slice("b", "nodeName: b", devices(2)),
          least());
  CHECK(scores(t, asking(1)) == "a 0/0, b 50/50");
}

TEST_CASE("a class without selectors has all devices, and one that is not shared") {
  const std::string any =
      "---\nkind: DeviceClass\napiVersion: resource.k8s.io/v1\nmetadata: "
      "{name: gpu}\nspec: {extendedResourceName: example.com/gpu";
  const std::string where = node("a") + slice("a", "nodeName: a", "{name: x}, {name: z}");
  Trial all("NodeResourcesFit", where + any + "}\n", least());
  CHECK(scores(all, asking(1)) == "a 50/50");
  // Upstream's scorer tells selectors that no device may be shared.
  const std::string shared = "{name: x, allowMultipleAllocations: true}, {name: z}";
  Trial one("NodeResourcesFit",
            node("a") + slice("a", "nodeName: a", shared) + any +
                ", selectors: [{cel: {expression: 'device.allowMultipleAllocations'}}]}\n",
            least());
  CHECK(scores(one, asking(1)) == "a 0/0");
}

TEST_CASE("NodeResourcesBalancedAllocation counts devices as well") {
  TrialOptions options;
  options.args = "{resources: [{name: cpu, weight: 1}, {name: example.com/gpu, weight: 1}]}";
  Trial t("NodeResourcesBalancedAllocation",
          node("a") + node("b") + kClass + slice("a", "nodeName: a", devices(4)) +
              slice("b", "nodeName: b", devices(4)) + allocated("one", "b", "x0") +
              allocated("two", "b", "x1"),
          options);
  // Node a stays even; node b, where devices are used and cpu is not, gets a little more even.
  CHECK(scores(t, asking(1)) == "a 75/75, b 75/75");
  CHECK(scores(t, "{containers: [{name: c, resources: {requests: {example.com/gpu: 1}}}]}") ==
        "a 68/68, b 68/68");
}

TEST_CASE("with the gate off, which 1.37 has no more, a class provides nothing") {
  TrialOptions off = least();
  off.release = Release::k1_36;
  off.gates = "DRAExtendedResource=false";
  Trial t("NodeResourcesFit", node("a", ", example.com/gpu: 2") + kClass, off);
  CHECK(scores(t, asking(1)) == "a 50/50");
}

}  // namespace libsched::device_totals_test
