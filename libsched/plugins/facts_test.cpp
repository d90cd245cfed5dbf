// What facts say beyond the numbers of a verdict: the object, label, volume, taint or device that
// leads to the cause. tests/evaluate computes facts of the golden cases naively.
#include <doctest/doctest.h>

#include <string>

#include "libsched/config/config.hpp"
#include "libsched/ingest/ingest.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/run/evaluator.hpp"

namespace libsched::facts_test {

FrameworkRef framework() {
  static const FrameworkRef made = [] {
    const ConfigRef config = default_config();
    Result<FrameworkRef> fw =
        Framework::create(config, config->profiles[0].scheduler_name, in_tree_registry(), {});
    REQUIRE(fw.ok());
    return *fw;
  }();
  return made;
}

std::string text_of(const Fact::Value& value) {
  if (const auto* n = std::get_if<int64_t>(&value)) return std::to_string(*n);
  if (const auto* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
  if (const auto* s = std::get_if<std::string>(&value)) return *s;
  std::string out;
  for (const std::string& s : std::get<std::vector<std::string>>(value))
    out += (out.empty() ? "" : ",") + s;
  return "[" + out + "]";
}

// "a=1 b=c; d=true"
std::string text_of(std::span<const Fact> facts) {
  std::string out;
  for (const Fact& f : facts) {
    std::string one;
    for (const Fact::Field& field : f.fields)
      one += (one.empty() ? "" : " ") + std::string(field.name) + "=" + text_of(field.value);
    out += (out.empty() ? "" : "; ") + one;
  }
  return out;
}

struct Told {
  std::string pod, node;  // the facts of the pod, and of the first node by name
};

Told told(const std::string& objects, const std::string& pod_spec) {
  const Ref<Cluster> cluster = make_ref<Cluster>();
  ParseOptions options;
  options.defaults = true;
  const Result<ObjectSet> parsed = parse_objects(objects, options);
  REQUIRE_MESSAGE(parsed.ok(), parsed.error().text());
  REQUIRE(cluster->apply(*parsed).ok());
  const Result<PodRef> pod =
      parse_pod("metadata: {name: p, namespace: d, labels: {app: a}}\nspec: " + pod_spec, options);
  REQUIRE_MESSAGE(pod.ok(), pod.error().text());
  Evaluator evaluator(framework(), cluster);
  CycleState state;
  CheckOptions how;
  how.facts = true;
  const Result<Ref<const Decision>> d = evaluator.check(state, **pod, {}, how);
  REQUIRE(d.ok());
  const Decision::Details& details = (*d)->details();
  return {text_of((*d)->pod_facts.list()),
          details.facts.empty() ? std::string() : text_of(details.facts[0].list())};
}

const std::string kNode =
    "---\napiVersion: v1\nkind: Node\nmetadata: {name: m, labels: {kubernetes.io/hostname: m, "
    "beta.kubernetes.io/os: linux, zone: a}}\n"
    "status: {capacity: {dev/x: 8}, allocatable: {cpu: 4, memory: 4Gi, pods: 9, dev/x: 0}}\n";

std::string object(const std::string& version, const std::string& kind, const std::string& name,
                   const std::string& rest, const std::string& meta = "") {
  return "---\napiVersion: " + version + "\nkind: " + kind + "\nmetadata: {name: " + name + meta +
         "}\n" + rest + "\n";
}
std::string claim(const std::string& spec, const std::string& meta = "") {
  return object("v1", "PersistentVolumeClaim", "data",
                "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 2Gi}}, " +
                    spec + "}\nstatus: {phase: Pending}",
                ", namespace: d" + meta);
}
std::string volume(const std::string& name, const std::string& spec,
                   const std::string& phase = "Available") {
  return object("v1", "PersistentVolume", name,
                "spec: {accessModes: [ReadWriteOnce], storageClassName: c, " + spec +
                    "}\nstatus: {phase: " + phase + "}");
}
std::string storage_class(const std::string& rest) {
  return object("storage.k8s.io/v1", "StorageClass", "c", rest);
}
const std::string kLater = "volumeBindingMode: WaitForFirstConsumer";
const std::string kUses =
    "{containers: [{name: c}], volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]}";

TEST_CASE("A claim that PreFilter refuses is named, with what keeps it from its volume") {
  const std::string fast = "storageClassName: c";
  const std::string begun = "volume=v claim=d/data phase=Pending ";
  CHECK(told(kNode + claim(fast), kUses).pod == begun + "storageClass=c problem=class missing");
  CHECK(told(kNode + claim(fast) + storage_class("provisioner: x"), kUses).pod ==
        begun + "storageClass=c volumeBindingMode=Immediate problem=immediate");
  CHECK(told(kNode + claim("storageClassName: ''"), kUses).pod ==
        begun + "storageClass= problem=no class");
  CHECK(told(kNode + claim(fast + ", volumeName: pv"), kUses).pod ==
        begun + "storageClass=c persistentVolume=pv problem=volume missing");
  CHECK(told(kNode + claim(fast + ", volumeName: pv") +
                 volume("pv", "capacity: {storage: 2Gi}, claimRef: {namespace: e, name: other}"),
             kUses)
            .pod == begun + "storageClass=c persistentVolume=pv problem=not bound boundTo=e/other");
}

TEST_CASE("Each volume of a claim's class is told with what keeps it from the claim") {
  const std::string none = storage_class("provisioner: kubernetes.io/no-provisioner\n" + kLater);
  const std::string begun =
      "claim=d/data phase=Pending storageClass=c requested=2147483648 "
      "provisioner=kubernetes.io/no-provisioner persistentVolumes=";
  const std::string end = "; claim=d/data problem=no provisioner";
  const auto of = [&](const std::string& volumes, const std::string& more = "") {
    return told(kNode + none + claim("storageClassName: c" + more) + volumes, kUses).node;
  };
  const std::string room = "capacity: {storage: 2Gi}";
  const auto one = [&](const std::string& problem, const std::string& rest = "") {
    return begun + "0; claim=d/data problem=" + problem + rest + " count=1 volumes=[pv]";
  };
  CHECK(of("") == begun + "0" + end);
  CHECK(of(volume("pv", room + ", claimRef: {namespace: d, name: other}")) ==
        one("claimed") + " claims=[d/other]" + end);
  CHECK(of(volume("pv", "capacity: {storage: 1Gi}")) == one("size", " largest=1073741824") + end);
  CHECK(of(volume("pv", room + ", volumeMode: Block")) == one("volume mode") + end);
  CHECK(of(volume("pv", room), ", selector: {matchLabels: {a: b}}") == one("selector") + end);
  CHECK(of(volume("pv", room, "Released")) == one("phase") + end);
  CHECK(of(object("v1", "PersistentVolume", "pv",
                  "spec: {accessModes: [ReadOnlyMany], storageClassName: c, " + room +
                      "}\nstatus: {phase: Available}")) == one("access modes") + end);
  CHECK(of(object("v1", "PersistentVolume", "pv",
                  "spec: {accessModes: [ReadWriteOnce], storageClassName: other, " + room +
                      "}\nstatus: {phase: Available}")) == one("class") + end);
  CHECK(
      of(volume("pv", room + ", nodeAffinity: {required: {nodeSelectorTerms: "
                             "[{matchExpressions: [{key: zone, operator: In, values: [b]}]}]}}")) ==
      begun + "1; claim=d/data problem=node count=1 volumes=[pv]" + end);
  std::string many;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"})
    many += volume(name, "capacity: {storage: 1Gi}");
  CHECK(of(many) == begun +
                        "0; claim=d/data problem=size largest=1073741824 count=10 "
                        "volumes=[a,b,c,d,e,f,g,h]" +
                        end);
}

TEST_CASE("Allowed topologies, a missing capacity and a selected node that is gone are told") {
  const std::string begun =
      "claim=d/data phase=Pending storageClass=c requested=2147483648 provisioner=x";
  CHECK(told(kNode + claim("storageClassName: c") +
                 storage_class("provisioner: x\n" + kLater +
                               "\nallowedTopologies: [{matchLabelExpressions: [{key: zone, "
                               "values: [b, c]}]}]"),
             kUses)
            .node == begun +
                         " persistentVolumes=0; claim=d/data problem=topology term=0 key=zone "
                         "operator=In values=[b,c] found=a");
  CHECK(told(kNode + claim("storageClassName: c") + storage_class("provisioner: x\n" + kLater) +
                 object("storage.k8s.io/v1", "CSIDriver", "x", "spec: {storageCapacity: true}"),
             kUses)
            .node == begun + " problem=no capacity");
  CHECK(told(kNode + storage_class("provisioner: x\n" + kLater) +
                 claim("storageClassName: c",
                       ", annotations: {volume.kubernetes.io/selected-node: gone}"),
             kUses)
            .node == "claim=d/data phase=Pending storageClass=c selectedNode=gone exists=false");
}

TEST_CASE("Labels that are nearly right, and nodes that are not there, are named") {
  const auto selecting = [](const std::string& label) {
    return told(kNode, "{containers: [{name: c}], nodeSelector: {" + label + "}}").node;
  };
  CHECK(selecting("kubernetes.io/os: linux") ==
        "source=nodeSelector key=kubernetes.io/os operator=In values=[linux] "
        "near=beta.kubernetes.io/os=linux");
  CHECK(selecting("kubernetes.io/host-name: m") ==
        "source=nodeSelector key=kubernetes.io/host-name operator=In values=[m] "
        "near=kubernetes.io/hostname=m");
  CHECK(selecting("beta.kubernetes.io/os: Linux") ==
        "source=nodeSelector key=beta.kubernetes.io/os operator=In values=[Linux] found=linux "
        "near=beta.kubernetes.io/os=linux");
  CHECK(selecting("disk: ssd") == "source=nodeSelector key=disk operator=In values=[ssd]");
  CHECK(selecting("zone: b") == "source=nodeSelector key=zone operator=In values=[b] found=a");
  const std::string gone =
      "{containers: [{name: c}], affinity: {nodeAffinity: "
      "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchFields: [{key: "
      "metadata.name, operator: In, values: [gone]}]}]}}}}";
  CHECK(told(kNode, gone).pod == "plugins=[NodeAffinity] missing=[gone]");
}

TEST_CASE("A request is split, and what a node does not give is told") {
  const std::string used = " used=0 free=0 allocatable=0";
  CHECK(told(kNode,
             "{initContainers: [{name: i, restartPolicy: Always, resources: {limits: {dev/x: 2}, "
             "requests: {dev/x: 2}}}], containers: [{name: c, resources: {limits: {dev/x: 1}, "
             "requests: {dev/x: 1}}}]}")
            .node == "resource=dev/x requested=3" + used + " containers=1 sidecars=2 capacity=8");
  const std::string old = object(
      "v1", "Pod", "old",
      "spec: {nodeName: m, containers: [{name: c, resources: {requests: {cpu: 3}}}]}\nstatus: "
      "{conditions: [{type: PodResizePending, status: 'True', reason: Deferred}], "
      "containerStatuses: [{name: c, allocatedResources: {cpu: 1}, resources: {requests: {cpu: "
      "500m}}}]}",
      ", namespace: d, deletionTimestamp: '2026-01-01T00:00:00Z'");
  CHECK(told(kNode + old, "{containers: [{name: c, resources: {requests: {cpu: 2}}}]}").node ==
        "resource=cpu requested=2000 used=3000 free=1000 allocatable=4000 terminating=3000 "
        "terminatingPods=[d/old]; resource=cpu pod=d/old resize=Deferred held=3000 wanted=3000 "
        "allocated=1000 actual=500");
}

TEST_CASE("A pod in the way is told to be going, and a toleration to need a feature gate") {
  const std::string port = "containers: [{name: c, ports: [{containerPort: 1, hostPort: 80}]}]";
  CHECK(told(kNode + object("v1", "Pod", "old", "spec: {nodeName: m, " + port + "}",
                            ", namespace: d, deletionTimestamp: '2026-01-01T00:00:00Z'"),
             "{" + port + "}")
            .node ==
        "port=80 protocol=TCP hostIP=0.0.0.0 usedIP=0.0.0.0 pod=d/old terminating=true");
  CHECK(told(object("v1", "Node", "m",
                    "spec: {taints: [{key: level, value: '5', effect: NoSchedule}]}\n"
                    "status: {allocatable: {cpu: 4, pods: 9}}"),
             "{containers: [{name: c}], tolerations: [{key: level, operator: Gt, value: '3', "
             "effect: NoSchedule}]}")
            .node ==
        "key=level value=5 effect=NoSchedule "
        "featureGate=TaintTolerationComparisonOperators");
}

TEST_CASE("The emptiest domain of a spread is named, with the taint of its node") {
  const std::string tainted = object("v1", "Node", "t",
                                     "spec: {taints: [{key: k, effect: NoSchedule}]}\n"
                                     "status: {allocatable: {cpu: 4, pods: 9}}",
                                     ", labels: {kubernetes.io/hostname: t}");
  const std::string old = object("v1", "Pod", "old", "spec: {nodeName: m, containers: [{name: c}]}",
                                 ", namespace: d, labels: {app: a}");
  const std::string spread =
      "{containers: [{name: c}], topologySpreadConstraints: [{maxSkew: 1, topologyKey: "
      "kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: "
      "{app: a}}}]}";
  const std::string begun =
      "topologyKey=kubernetes.io/hostname selector=app=a maxSkew=1 domain=m pods=1 fewest=0 "
      "self=true skew=2 domains=";
  CHECK(told(kNode + tainted + old, spread).node ==
        begun + "2 minDomains=1 emptiest=[t] emptiestNode=t emptiestTaint=k:NoSchedule");
  // A domain with a node that the pod tolerates comes first: it would stay the emptiest.
  const std::string free = object("v1", "Node", "u", "status: {allocatable: {cpu: 4, pods: 9}}",
                                  ", labels: {kubernetes.io/hostname: u}");
  CHECK(told(kNode + tainted + free + old, spread).node ==
        begun + "3 minDomains=1 emptiest=[u,t] emptiestNode=u");
}

const std::string kDevice =
    object("resource.k8s.io/v1", "DeviceClass", "g", "spec: {}") +
    object("resource.k8s.io/v1", "ResourceSlice", "s",
           "spec: {driver: d, nodeName: m, pool: {name: m, generation: 2, resourceSliceCount: 1}, "
           "devices: [{name: x, attributes: {model: {string: m}}}]}");

std::string device_claim(const std::string& request) {
  return object("resource.k8s.io/v1", "ResourceClaim", "r",
                "spec: {devices: {requests: [{name: q, exactly: {" + request + "}}]}}",
                ", namespace: d");
}
const std::string kWants =
    "{containers: [{name: c}], resourceClaims: [{name: e, resourceClaimName: r}]}";

TEST_CASE("Devices of a selector's error, pools that are not whole and a missing class are named") {
  const std::string begun = "resourceClaim=d/r request=q ";
  CHECK(told(kNode + kDevice +
                 device_claim("deviceClassName: g, selectors: [{cel: {expression: "
                              "'device.attributes[\"d\"].rdma'}}]"),
             kWants)
            .node == begun +
                         "problem=selector fails selector=device.attributes[\"d\"].rdma "
                         "error=CEL runtime error: no such key: rdma count=1 devices=[d/m/x]");
  std::string incomplete = kDevice;
  incomplete.replace(incomplete.find("Count: 1"), 8, "Count: 3");
  CHECK(told(kNode + incomplete + device_claim("deviceClassName: g"), kWants).node ==
        begun + "wanted=1 seen=0 suitable=0; " + begun +
            "problem=incomplete pool pool=d/m generation=2 slices=1 wantedSlices=3");
  const std::string newer =
      object("resource.k8s.io/v1", "ResourceSlice", "t",
             "spec: {driver: d, nodeName: elsewhere, pool: {name: m, generation: 3, "
             "resourceSliceCount: 2}, devices: []}");
  std::string of_two = kDevice;
  of_two.replace(of_two.find("Count: 1"), 8, "Count: 2");
  CHECK(told(kNode + of_two + newer + device_claim("deviceClassName: g"), kWants).node ==
        begun + "wanted=1 seen=0 suitable=0; " + begun +
            "problem=outdated pool pool=d/m generation=3 slices=1 wantedSlices=2 nodeGeneration=2");
  CHECK(told(kNode + kDevice + device_claim("count: 1"), kWants).pod == begun + "problem=no class");
  CHECK(told(kNode + kDevice + device_claim("deviceClassName: h"), kWants).pod ==
        "entry=e resourceClaim=d/r exists=true; " + begun + "problem=class missing deviceClass=h");
}

}  // namespace libsched::facts_test
