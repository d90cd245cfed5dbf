// Which pods, as they are written, are of one class (objects/pod_class), and that whatever a filter
// or a score reads makes another.
#include "libsched/objects/pod_class.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "libsched/ingest/ingest.hpp"
#include "libsched/objects/pod_class_id.hpp"
#include "libsched/objects/pod_parts.hpp"

namespace libsched::pod_class_test {

// Of a document, where a name may be left out.
std::string class_of(std::string document) {
  const size_t meta = document.find("metadata: {");
  if (meta == std::string::npos) document.insert(1, "metadata: {name: p}, ");
  if (meta != std::string::npos && document.find("{name: ") != meta + 10)
    document.insert(meta + 11, "name: p, ");
  const Result<PodRef> pod = parse_pod(document, {});
  REQUIRE_MESSAGE(pod.ok(), document, ": ", pod.error().text());
  return pod_class(**pod);
}

TEST_CASE("what no plugin reads does not make another class") {
  const std::string one = class_of(
      "{metadata: {name: a, uid: u1, annotations: {a: b}}, spec: {containers: [{name: c, image: i, "
      "resources: {requests: {cpu: 1500m, memory: 1Gi}}}]}}");
  CHECK(one == class_of("{metadata: {name: b, uid: u2, creationTimestamp: '2026-01-01T00:00:00Z', "
                        "ownerReferences: [{apiVersion: v1, kind: X, name: z, uid: u}]}, "
                        "spec: {hostname: h, containers: [{name: d, image: i, command: [x], "
                        "resources: {requests: {memory: 1024Mi, cpu: '1.5'}}}]}, "
                        "status: {phase: Pending, startTime: '2026-01-01T00:00:00Z'}}"));
}

TEST_CASE(
    "volumes that no plugin looks into are no part of a class, nor is the spelling of others") {
  const auto with = [](const std::string& volumes) {
    return class_of("{spec: {volumes: [" + volumes + "]}}");
  };
  const std::string none = class_of("{}");
  for (const char* volumes :
       {"{name: a, configMap: {name: x}}", "{name: b, secret: {secretName: y}}",
        "{name: c, emptyDir: {medium: Memory}}", "{name: d, hostPath: {path: /d}}",
        "{name: e, nfs: {server: s, path: /e}}",
        "{name: kube-api-access-x7k2p, projected: {sources: [{serviceAccountToken: {path: t}}]}}",
        "{name: f, downwardAPI: {}}, {name: g, emptyDir: {}}"})
    CHECK_MESSAGE(with(volumes) == none, volumes);
  const std::string others =
      "{name: v, persistentVolumeClaim: {claimName: a}}, {name: d, gcePersistentDisk: {pdName: "
      "p}}, "
      "{name: r, rbd: {image: i, monitors: [m]}}";
  CHECK(with(others) !=
        with("{name: v, persistentVolumeClaim: {claimName: a}}, {name: r, rbd: {image: i, "
             "monitors: [m]}}"));
  CHECK(with(others) ==
        with("{persistentVolumeClaim: {claimName: a, readOnly: false}, name: w}, "
             "{name: e, emptyDir: {}}, {gcePersistentDisk: {fsType: ext4, pdName: p}, name: d}, "
             "{name: s, rbd: {fsType: xfs, monitors: [m], image: i}}"));
  // The API server takes no volume with two sources.
  CHECK(with("{name: v, configMap: {name: x}, persistentVolumeClaim: {claimName: a}}") !=
        with("{name: v, configMap: {name: x}, persistentVolumeClaim: {claimName: b}}"));
}

// Each differs from every other in something that a filter or a score reads.
const char* const kDifferent[] = {
    "{}",
    "{metadata: {namespace: other}}",
    "{metadata: {labels: {a: b}}}",
    "{metadata: {labels: {a: c}}}",
    "{metadata: {labels: {ab: ''}}}",
    "{metadata: {deletionTimestamp: '2026-01-01T00:00:00Z'}}",
    "{metadata: {ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: u, "
    "controller: true}]}}",
    "{metadata: {ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: s, uid: u, "
    "controller: true}]}}",
    "{spec: {nodeName: nn}}",
    "{spec: {schedulerName: s}}",
    "{spec: {priority: 0}}",
    "{spec: {priority: 1}}",
    "{spec: {preemptionPolicy: Never}}",
    "{spec: {nodeSelector: {}}}",
    "{spec: {nodeSelector: {a: b}}}",
    "{spec: {affinity: {}}}",
    "{spec: {affinity: {nodeAffinity: {}}}}",
    "{spec: {affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: []}}}}",
    "{spec: {affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
    "[{weight: 1, preference: {matchExpressions: [{key: a, operator: Exists}]}}]}}}}",
    "{spec: {affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
    "[{weight: 2, preference: {matchExpressions: [{key: a, operator: Exists}]}}]}}}}",
    "{spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "{nodeSelectorTerms: [{matchExpressions: [{key: a, operator: In, values: [b, c]}]}]}}}}}",
    "{spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "{nodeSelectorTerms: [{matchExpressions: [{key: a, operator: In, values: [bc]}]}]}}}}}",
    "{spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "{nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [b]}]}]}}}}}",
    "{spec: {affinity: {podAffinity: {}}}}",
    "{spec: {affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "[{topologyKey: k, labelSelector: {}}]}}}}",
    "{spec: {affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "[{topologyKey: k}]}}}}",
    "{spec: {affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "[{topologyKey: k, labelSelector: {}, namespaces: [nn]}]}}}}",
    "{spec: {affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "[{topologyKey: k, labelSelector: {}, namespaceSelector: {}}]}}}}",
    "{spec: {affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "[{topologyKey: k, labelSelector: {}}]}}}}",
    "{spec: {affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
    "[{weight: 1, podAffinityTerm: {topologyKey: k, labelSelector: {}}}]}}}}",
    "{spec: {affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
    "[{weight: 2, podAffinityTerm: {topologyKey: k, labelSelector: {}}}]}}}}",
    "{spec: {tolerations: [{}]}}",
    "{spec: {tolerations: [{key: a}]}}",
    "{spec: {tolerations: [{value: a}]}}",
    "{spec: {tolerations: [{operator: Exists}]}}",
    "{spec: {tolerations: [{effect: NoExecute}]}}",
    "{spec: {tolerations: [{effect: NoExecute, tolerationSeconds: 1}]}}",
    "{spec: {topologySpreadConstraints: [{maxSkew: 1, topologyKey: k, "
    "whenUnsatisfiable: DoNotSchedule}]}}",
    "{spec: {topologySpreadConstraints: [{maxSkew: 2, topologyKey: k, "
    "whenUnsatisfiable: DoNotSchedule}]}}",
    "{spec: {topologySpreadConstraints: [{maxSkew: 1, topologyKey: k, minDomains: 1, "
    "whenUnsatisfiable: DoNotSchedule}]}}",
    "{spec: {topologySpreadConstraints: [{maxSkew: 1, topologyKey: k, labelSelector: {}, "
    "whenUnsatisfiable: DoNotSchedule}]}}",
    "{spec: {topologySpreadConstraints: [{maxSkew: 1, topologyKey: k, nodeTaintsPolicy: Honor, "
    "whenUnsatisfiable: DoNotSchedule}]}}",
    "{spec: {topologySpreadConstraints: [{maxSkew: 1, topologyKey: k, nodeAffinityPolicy: Ignore, "
    "whenUnsatisfiable: DoNotSchedule}]}}",
    "{spec: {topologySpreadConstraints: [{maxSkew: 1, topologyKey: k, matchLabelKeys: [a], "
    "whenUnsatisfiable: DoNotSchedule}]}}",
    "{spec: {containers: [{name: c}]}}",
    "{spec: {containers: [{name: c, image: i}]}}",
    "{spec: {initContainers: [{name: c, image: i}]}}",
    "{spec: {initContainers: [{name: c, image: i, restartPolicy: Always}]}}",
    "{spec: {containers: [{name: c, ports: [{containerPort: 1}]}]}}",
    "{spec: {containers: [{name: c, ports: [{containerPort: 1, hostPort: 1}]}]}}",
    "{spec: {containers: [{name: c, ports: [{containerPort: 1, hostPort: 1, protocol: UDP}]}]}}",
    "{spec: {containers: [{name: c, ports: [{containerPort: 1, hostPort: 1, hostIP: 1.1.1.1}]}]}}",
    "{spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}",
    "{spec: {containers: [{name: c, resources: {requests: {cpu: 100m}}}]}}",
    "{spec: {containers: [{name: c, resources: {requests: {memory: 1}}}]}}",
    "{spec: {containers: [{name: c, resources: {requests: {example.com/a: 1}}}]}}",
    "{spec: {containers: [{name: c, resources: {requests: {example.com/b: 1}}}]}}",
    "{spec: {containers: [{name: c}], resources: {requests: {cpu: 1}}}}",
    "{spec: {containers: [{name: c}], overhead: {cpu: 1}}}",
    "{spec: {volumes: [{name: v, persistentVolumeClaim: {claimName: a}}]}}",
    "{spec: {volumes: [{name: v, persistentVolumeClaim: {claimName: b}}]}}",
    "{spec: {volumes: [{name: v, gcePersistentDisk: {pdName: a}}]}}",
    "{spec: {volumes: [{name: v, gcePersistentDisk: {pdName: a, readOnly: true}}]}}",
    "{spec: {volumes: [{name: v, ephemeral: {volumeClaimTemplate: {spec: {}}}}]}}",
    "{metadata: {name: q}, spec: {volumes: [{name: v, ephemeral: {volumeClaimTemplate: "
    "{spec: {}}}}]}}",
    "{spec: {volumes: [{name: v, image: {reference: a}}]}}",
    "{spec: {schedulingGates: [{name: g}]}}",
    "{spec: {hostNetwork: true}}",
    "{spec: {hostUsers: false}}",
    "{spec: {resourceClaims: [{name: a, resourceClaimName: b}]}}",
    "{status: {nominatedNodeName: nn}}",
};

TEST_CASE("what a plugin reads makes another class") {
  std::set<std::string> classes;
  for (const char* document : kDifferent)
    CHECK_MESSAGE(classes.insert(class_of(document)).second, document);
}

PodRef pod_of(std::string document) {
  document.insert(1, "kind: Pod, ");
  const Result<PodRef> pod = parse_pod(document, {});
  REQUIRE_MESSAGE(pod.ok(), document, ": ", pod.error().text());
  return *pod;
}

TEST_CASE("pods of one class have one number, those of different classes never") {
  std::map<uint64_t, std::string> classes;
  for (int time = 0; time < 3; ++time) {
    for (std::string document : kDifferent) {
      CAPTURE(document);
      if (document.find("metadata: {") == std::string::npos)
        document.insert(1, "metadata: {name: a}, ");
      else if (document.find("metadata: {name:") == std::string::npos)
        document.insert(document.find("metadata: {") + 11, "name: a, ");
      const PodRef pod = pod_of(document);
      document.replace(document.find("name: "), 7, "name: b");
      const PodRef other = pod_of(document);
      if (pod->class_id == 0) {
        CHECK(other->class_id == 0);
        const uint32_t parts = parts_of(*pod);
        const bool may_lack = name_is_read(*pod) || (parts & pod_part::kPartsOfCopies) != 0;
        CHECK(may_lack);
        continue;
      }
      CHECK(pod->class_id == other->class_id);
      CHECK(pod_class(*pod) == pod_class(*other));
      const auto [known, fresh] = classes.emplace(pod->class_id, pod_class(*pod));
      CHECK((fresh || known->second == pod_class(*pod)));
    }
  }
  CHECK(classes.size() >= 60);
}

TEST_CASE("pods of a few classes in turn keep the numbers of these, in all threads") {
  for (int time = 0; time < 50; ++time) {
    const auto numbers = [&] {
      std::vector<uint64_t> out;
      for (int i = 0; i < 8; ++i) {
        const std::string app = std::to_string(time) + "-" + std::to_string(i);
        out.push_back(pod_of("{metadata: {name: a, labels: {app: x" + app + "}}}")->class_id);
      }
      return out;
    };
    const std::vector<uint64_t> first = numbers();
    std::vector<uint64_t> second;
    std::thread([&] { second = numbers(); }).join();
    CHECK(first == second);
  }
}

TEST_CASE("a class that is met again after very many others has a new number, or its own") {
  const auto number = [](size_t i, size_t size) {
    const std::string label = "of-" + std::to_string(i) + std::string(size, 'x');
    return pod_of("{metadata: {name: a, labels: {app: " + label + "}}}")->class_id;
  };
  std::set<uint64_t> numbers;
  const uint64_t first = number(0, 0);
  for (size_t i = 1; i < 600; ++i) {
    CHECK(numbers.insert(number(i, 10'000)).second);
    CHECK(number(i, 10'000) == *numbers.rbegin());
  }
  CHECK(number(0, 0) > first);  // all that was remembered has been forgotten
  CHECK(number(0, 0) == number(0, 0));
  CHECK(!numbers.contains(number(0, 0)));
  // One that is too large to be remembered.
  const uint64_t large = number(0, 1'000'000);
  CHECK(large > number(0, 0));
  CHECK(number(0, 1'000'000) != number(1, 1'000'000));
}

TEST_CASE("each pod has a class with a number, which is its own where it has one") {
  const PodRef waits = pod_of("{metadata: {name: p}}");
  CHECK(class_number(*waits) == waits->class_id);
  CHECK(class_number(*copy_pod(*waits, "")) == waits->class_id);
  const PodRef bound = pod_of("{metadata: {name: p}, spec: {nodeName: nn}}");
  CHECK(class_number(*bound) != 0);
  CHECK(class_number(*bound) != waits->class_id);
  CHECK(class_number(*bound) == class_number(*copy_pod(*waits, "nn")));
}

TEST_CASE("only pods that wait and need no claims have the number of a class") {
  for (const char* rest :
       {"spec: {nodeName: nn}", "status: {phase: Failed}", "status: {phase: Succeeded}",
        "status: {nominatedNodeName: nn}", "spec: {resourceClaims: [{name: a}]}",
        "spec: {volumes: [{name: v, ephemeral: {volumeClaimTemplate: {spec: {}}}}]}"})
    CHECK_MESSAGE(pod_of(std::string("{metadata: {name: p}, ") + rest + "}")->class_id == 0, rest);
  CHECK(pod_of("{metadata: {name: p, deletionTimestamp: '2026-01-01T00:00:00Z'}}")->class_id == 0);
  const PodRef pod = pod_of("{metadata: {name: p}}");
  CHECK(pod->class_id != 0);
  // What differs in a copy may be a part of its class.
  const Ref<Pod> copy = copy_pod(*pod, "");
  CHECK(copy->class_id == 0);
  number_class(*copy);
  CHECK(copy->class_id == pod->class_id);
  note_parts(*copy);
  CHECK(copy->class_id == 0);
  number_class(*copy);
  derive_pod(*copy);
  CHECK(copy->class_id == 0);
}

// What is noted of a pod decides how a cluster counts it.
TEST_CASE("a node counts a plain pod by numbers alone") {
  const auto pod_of = [](const std::string& spec) {
    Result<PodRef> pod = parse_pod("{metadata: {name: p}, spec: " + spec + "}", {});
    REQUIRE_MESSAGE(pod.ok(), spec, ": ", pod.error().text());
    return *pod;
  };
  for (const char* spec :
       {"{}", "{containers: [{name: c, resources: {requests: {cpu: 1, ephemeral-storage: 1Gi}}}]}",
        "{containers: [{name: c, ports: [{containerPort: 80}]}], nodeSelector: {a: b}}",
        "{volumes: [{name: v, configMap: {name: x}}], tolerations: [{operator: Exists}]}",
        "{affinity: {nodeAffinity: {}}, priority: 5}"})
    CHECK_MESSAGE(pod_of(spec)->plain, spec);
  for (const char* spec : {"{containers: [{name: c, ports: [{containerPort: 80, hostPort: 80}]}]}",
                           "{volumes: [{name: v, persistentVolumeClaim: {claimName: x}}]}",
                           "{volumes: [{name: v, awsElasticBlockStore: {volumeID: x}}]}",
                           "{volumes: [{name: v, ephemeral: {volumeClaimTemplate: {spec: {}}}}]}",
                           "{affinity: {podAntiAffinity: {}}}", "{affinity: {podAffinity: {}}}",
                           "{schedulingGroup: {podGroupName: g}}",
                           "{containers: [{name: c, resources: {requests: {a.b/gpu: 1}}}]}"}) {
    const PodRef pod = pod_of(spec);
    CHECK_MESSAGE(!pod->plain, spec);
    CHECK_MESSAGE(!copy_pod(*pod, "n")->plain, spec);
  }
}

TEST_CASE("copies have the parts of their pod and what has come to them") {
  const Result<PodRef> pod = parse_pod("{metadata: {name: p}, spec: {priority: 5}}", {});
  REQUIRE(pod.ok());
  CHECK(parts_of(**pod) == pod_part::kPriority);
  const Ref<Pod> copy = copy_pod(**pod, "n");
  copy->status.nominated_node_name = "m";
  copy->status.extended_claim_hash = 1;
  CHECK(parts_of(*copy) == (pod_part::kPriority | pod_part::kNodeName | pod_part::kNominated |
                            pod_part::kExtendedClaim));
}

// They get their priorities after all documents have been read.
TEST_CASE("pods that differ in the class of their priority are of different classes") {
  const char* const classes =
      "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\n"
      "value: 1000\n---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\n"
      "metadata: {name: low}\nvalue: 0\npreemptionPolicy: Never\n";
  std::string documents = classes;
  for (const char* spec : {"{priorityClassName: high}", "{priorityClassName: low}", "{}"})
    documents += std::string("---\napiVersion: v1\nkind: Pod\nmetadata: {name: p") +
                 std::to_string(documents.size()) + "}\nspec: " + spec + "\n";
  Result<ObjectSet> set = parse_objects(documents, {.defaults = true});
  REQUIRE_MESSAGE(set.ok(), set.error().text());
  REQUIRE(set->pods.size() == 3);
  std::set<std::string> names;
  std::set<uint64_t> numbers;
  for (const PodRef& pod : set->pods) {
    CHECK(pod->class_id != 0);
    numbers.insert(pod->class_id);
    CHECK((parts_of(*pod) & pod_part::kPriority) != 0);
    names.insert(pod_class(*pod));
  }
  CHECK(names.size() == 3);
  CHECK(numbers.size() == 3);
}

}  // namespace libsched::pod_class_test
