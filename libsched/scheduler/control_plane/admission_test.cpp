// What admission makes of pods and claims. The texts of refusals are kube-apiserver's.
#include "libsched/scheduler/control_plane/admission.hpp"

#include <doctest/doctest.h>

#include "libsched/cluster/cluster.hpp"
#include "libsched/ingest/ingest.hpp"
#include "libsched/ingest/write/write.hpp"

namespace libsched::admission_test {
namespace {

ObjectSet parsed(const std::string& yaml) {
  ParseOptions options;
  options.defaults = true;
  Result<ObjectSet> set = parse_objects(yaml, options);
  REQUIRE_MESSAGE(set.ok(), set.error().text());
  return std::move(*set);
}

// A cluster of the objects, and what admission makes of others there.
struct Admitted {
  Admitted(const std::string& cluster_yaml, const std::string& made_yaml) {
    const ObjectSet objects = parsed(cluster_yaml);
    const Change change = PutObjects{&objects, PutMode::kApply, true, true};
    REQUIRE(cluster.apply(&change, 1).ok());
    set = admitted(cluster.view(), parsed(made_yaml), &report);
  }

  std::string pod(size_t i = 0) const {
    JsonText json;
    write_pod(json, *set.pods[i], {});
    return json.take();
  }
  static std::string lines(const std::vector<AdmissionRemark>& remarks) {
    std::string out;
    for (const AdmissionRemark& r : remarks)
      out += (out.empty() ? "" : "\n") + r.kind + " " + r.object + ": " + r.text;
    return out;
  }
  std::string notes() const { return lines(report.notes); }
  std::string refusals() const { return lines(report.refusals); }

  Cluster cluster;
  ObjectSet set;
  AdmissionReport report;
};

std::string pod_yaml(const std::string& spec, const std::string& name = "p") {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\nspec: " + spec + "\n";
}

constexpr const char* kNode = "{apiVersion: v1, kind: Node, metadata: {name: node}}\n";
constexpr const char* kClass = R"(---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: vm}
handler: vm
overhead: {podFixed: {cpu: 250m, memory: 1Gi}}
scheduling:
  nodeSelector: {vm: "yes", arch: x}
  tolerations: [{key: vm-only, operator: Exists, effect: NoSchedule}]
)";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("admission: a RuntimeClass adds overhead, node selector and tolerations") {
  const Admitted a(std::string(kNode) + kClass,
                   pod_yaml("{runtimeClassName: vm, containers: [{name: c}], nodeSelector: {arch: "
                            "x}, tolerations: [{key: other}]}"));
  CHECK(a.notes() ==
        "Pod default/p: RuntimeClass vm adds overhead cpu 250m, memory 1Gi, nodeSelector vm=yes "
        "and toleration vm-only:NoSchedule");
  CHECK(a.refusals().empty());
  const std::string pod = a.pod();
  CHECK(has(pod, R"("nodeSelector":{"arch":"x","vm":"yes"})"));
  CHECK(has(pod, R"("overhead":{"cpu":"0.25","memory":"1073741824"})"));
  CHECK(has(pod, R"({"key":"vm-only","operator":"Exists","effect":"NoSchedule"})"));
  CHECK(a.set.pods[0]->requests.milli_cpu == 250);
  CHECK(a.set.pods[0]->class_id != 0);
}

TEST_CASE("admission: what a RuntimeClass refuses") {
  const auto refusal = [](const std::string& spec) {
    return Admitted(std::string(kNode) + kClass, pod_yaml(spec)).refusals();
  };
  const std::string head = "Pod default/p: pods \"p\" is forbidden: ";
  CHECK(refusal("{runtimeClassName: kata, containers: [{name: c}]}") ==
        head + "pod rejected: RuntimeClass \"kata\" not found");
  CHECK(refusal("{runtimeClassName: vm, overhead: {cpu: 1}, containers: [{name: c}]}") ==
        head + "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  CHECK(refusal("{overhead: {cpu: 1}, containers: [{name: c}]}") ==
        head +
            "pod rejected: Pod Overhead set without corresponding RuntimeClass defined "
            "Overhead");
  CHECK(refusal("{runtimeClassName: vm, nodeSelector: {vm: no-}, containers: [{name: c}]}") ==
        head +
            "conflict: runtimeClass.scheduling.nodeSelector[vm] = yes; "
            "pod.spec.nodeSelector[vm] = no-");
  CHECK(refusal("{runtimeClassName: vm, overhead: {cpu: 0.25, memory: 1024Mi}, containers: "
                "[{name: c}]}")
            .empty());
}

TEST_CASE("admission: an admitted pod is admitted again without a change") {
  const Admitted once(std::string(kNode) + kClass,
                      pod_yaml("{runtimeClassName: vm, containers: [{name: c}]}"));
  AdmissionReport report;
  const Admission again(once.cluster.view());
  CHECK(again.pod(once.set.pods[0], "Pod", &report).get() == once.set.pods[0].get());
  CHECK(report.notes.empty());
}

TEST_CASE("admission: LimitRanges give containers what they lack") {
  const std::string ranges = R"(---
apiVersion: v1
kind: LimitRange
metadata: {name: b}
spec: {limits: [{type: Container, defaultRequest: {cpu: 1, memory: 1Gi}}]}
---
apiVersion: v1
kind: LimitRange
metadata: {name: a}
spec: {limits: [{type: Container, default: {memory: 2Gi}, min: {cpu: 100m}}, {type: Pod}]}
---
apiVersion: v1
kind: LimitRange
metadata: {name: a, namespace: elsewhere}
spec: {limits: [{type: Container, default: {cpu: 64}}]}
)";
  const Admitted a(kNode + ranges,
                   pod_yaml("{initContainers: [{name: i, resources: {requests: {cpu: 2}}}], "
                            "containers: [{name: c}, {name: d, resources: {limits: {cpu: 3, "
                            "memory: 3Gi}}}]}"));
  CHECK(a.notes() ==
        "Pod default/p: LimitRange a gives container c requests of cpu 100m, memory 2Gi and limits "
        "of memory 2Gi and container i requests of memory 2Gi and limits of memory 2Gi");
  CHECK(a.set.pods[0]->requests.milli_cpu == 3100);
  CHECK(a.set.pods[0]->requests.memory == int64_t{5} << 30);
}

TEST_CASE("admission: bounds of LimitRanges") {
  const auto refusal = [](const std::string& item, const std::string& resources) {
    return Admitted(std::string(kNode) +
                        "---\napiVersion: v1\nkind: LimitRange\nmetadata: {name: r}\nspec: "
                        "{limits: [" +
                        item + "]}\n",
                    pod_yaml("{containers: [{name: c, resources: " + resources + "}]}"))
        .refusals();
  };
  const std::string head = "Pod default/p: pods \"p\" is forbidden: ";
  CHECK(refusal("{type: Container, max: {cpu: 800m}}", "{limits: {cpu: 1500m}}") ==
        head + "maximum cpu usage per Container is 800m, but limit is 1500m");
  CHECK(refusal("{type: Container, min: {memory: 100Mi}, max: {cpu: 1}}",
                "{requests: {memory: 50Mi}, limits: {cpu: 2}}") ==
        head +
            "[minimum memory usage per Container is 100Mi, but request is 50Mi, maximum cpu "
            "usage per Container is 1, but limit is 2]");
  CHECK(refusal("{type: Pod, max: {cpu: 1}}", "{}") ==
        head + "maximum cpu usage per Pod is 1.  No limit is specified");
  CHECK(refusal("{type: Pod, min: {cpu: 1}}", "{}") ==
        head + "minimum cpu usage per Pod is 1.  No request is specified");
  CHECK(refusal("{type: Container, maxLimitRequestRatio: {cpu: 2}}",
                "{requests: {cpu: 1}, limits: {cpu: 3}}") ==
        head + "cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000");
  CHECK(refusal("{type: Container, max: {cpu: 1}}", "{}").empty());  // the maximum is the default
  // Amounts are compared in thousandths, rounded up.
  CHECK(refusal("{type: Container, min: {a.io/b: 1m}}", "{requests: {a.io/b: 100u}}").empty());
  CHECK(refusal("{type: Container, maxLimitRequestRatio: {a.io/b: 1}}",
                "{requests: {a.io/b: 900u}, limits: {a.io/b: 1m}}")
            .empty());
}

TEST_CASE("admission: bounds tell each text once, and count huge pages by containers") {
  const std::string range =
      "---\napiVersion: v1\nkind: LimitRange\nmetadata: {name: r}\nspec: {limits: [{type: "
      "Container, max: {cpu: 1}}, {type: Pod, max: {hugepages-2Mi: 2Mi}}]}\n";
  const std::string container = "resources: {limits: {cpu: 2, hugepages-2Mi: 2Mi}}}";
  const auto refusals = [&](const std::string& more) {
    return Admitted(kNode + range,
                    pod_yaml("{containers: [{name: c, " + container +
                             ", {name: d, resources: {limits: {cpu: 2}}}]" + more + "}"))
        .refusals();
  };
  const std::string want =
      "Pod default/p: pods \"p\" is forbidden: maximum cpu usage per Container is 1, but limit is "
      "2";
  CHECK(refusals("") == want);
  CHECK(refusals(", resources: {limits: {hugepages-2Mi: 4Mi}}") == want);
}

TEST_CASE("admission: LimitRanges bound the claims that controllers make") {
  const std::string range =
      "---\napiVersion: v1\nkind: LimitRange\nmetadata: {name: r}\nspec: {limits: [{type: "
      "PersistentVolumeClaim, max: {storage: 1Gi}}]}\n";
  const std::string claim =
      "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 2Gi}}}";
  const std::string set =
      "---\napiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: web}\nspec: {replicas: 3, "
      "selector: {matchLabels: {a: b}}, volumeClaimTemplates: [{metadata: {name: data}, " +
      claim + "}], template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c}]}}}\n";
  const std::string why =
      " is forbidden: maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi";
  CHECK(Admitted(kNode + range, set).refusals() ==
        "PersistentVolumeClaim default/data-web-0: persistentvolumeclaims \"data-web-0\"" + why);
  const std::string there =
      "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data-web-0}\n" + claim +
      "\n";
  CHECK(Admitted(kNode + range + there, set).refusals().empty());
  CHECK(Admitted(kNode + range, pod_yaml("{containers: [{name: c}], volumes: [{name: v, ephemeral: "
                                         "{volumeClaimTemplate: {" +
                                         claim + "}}}]}"))
            .refusals() ==
        "PersistentVolumeClaim default/p-v: persistentvolumeclaims \"p-v\"" + why);
}

TEST_CASE("admission: tolerations of failing nodes, told where they let a pod onto a node") {
  const std::string failing = R"(---
apiVersion: v1
kind: Node
metadata: {name: bad}
spec: {taints: [{key: node.kubernetes.io/not-ready, effect: NoExecute}]}
)";
  const std::string plain = pod_yaml("{containers: [{name: c}]}");
  const Admitted quiet(kNode, plain);
  CHECK(quiet.notes().empty());
  const std::string both =
      R"("tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists",)"
      R"("effect":"NoExecute","tolerationSeconds":300},{"key":"node.kubernetes.io/unreachable")";
  CHECK(has(quiet.pod(), both));
  CHECK(Admitted(kNode + failing, plain).notes() ==
        "Pod default/p: DefaultTolerationSeconds adds the toleration of "
        "node.kubernetes.io/not-ready:NoExecute and node.kubernetes.io/unreachable:NoExecute for "
        "300 s");
  const std::string closed = failing.substr(0, failing.rfind("]}")) +
                             ", {key: node.kubernetes.io/not-ready, effect: NoSchedule}]}\n";
  CHECK(Admitted(kNode + closed, plain).notes().empty());
  // A toleration of its own, of the effect or of all taints, stays as it is.
  const Admitted own(
      kNode + failing,
      pod_yaml("{containers: [{name: c}], tolerations: [{key: "
               "node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, "
               "tolerationSeconds: 5}]}") +
          "---\n" + pod_yaml("{containers: [{name: c}], tolerations: [{operator: Exists}]}", "q"));
  CHECK(own.notes() ==
        "Pod default/p: DefaultTolerationSeconds adds the toleration of "
        "node.kubernetes.io/unreachable:NoExecute for 300 s");
  CHECK(own.set.pods[1]->spec.tolerations.size() == 1);
}

TEST_CASE("admission: claims get the default class of the view or of their own document") {
  const auto cls = [](const std::string& name, const std::string& more) {
    return "---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: " + name +
           ", annotations: {storageclass.kubernetes.io/is-default-class: \"true\"}" + more +
           "}\nprovisioner: p\n";
  };
  const std::string claim =
      "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\nspec: {}\n";
  const std::string user =
      "---\n" + pod_yaml(
                    "{containers: [{name: c}], volumes: [{name: v, persistentVolumeClaim: "
                    "{claimName: data}}]}");
  const Admitted a(kNode + cls("old", ", creationTimestamp: \"2020-01-01T00:00:00Z\"") +
                       cls("new", ", creationTimestamp: \"2024-01-01T00:00:00Z\""),
                   claim + user);
  CHECK(a.notes() == "Pod default/p: PersistentVolumeClaim data gets the default StorageClass new");
  const Admitted own(kNode, cls("std", "") + claim);
  CHECK(own.notes() == "PersistentVolumeClaim default/data: gets the default StorageClass std");
  CHECK(Admitted(kNode + cls("std", "") + claim, claim + user).notes().empty());  // it is there
  CHECK(Admitted(kNode, claim + user).notes().empty());
}

TEST_CASE("admission: a workload's template, a DaemonSet's without the default tolerations") {
  const auto workload = [](const std::string& kind) {
    return "apiVersion: apps/v1\nkind: " + kind +
           "\nmetadata: {name: w}\nspec: {template: {spec: {runtimeClassName: vm, containers: "
           "[{name: c}]}}}\n";
  };
  const Admitted a(std::string(kNode) + kClass, workload("Deployment"));
  CHECK(has(a.notes(), "Deployment default/w: RuntimeClass vm adds overhead"));
  CHECK(a.set.workloads[0]->pod->spec.tolerations.size() == 3);
  CHECK(a.set.workloads[0]->kind == "Deployment");
  const Admitted daemons(std::string(kNode) + kClass, workload("DaemonSet"));
  CHECK(daemons.set.workloads[0]->pod->spec.tolerations.size() == 1);
}

TEST_CASE("admission: a level of Pod Security is warned of once for each namespace") {
  const std::string ns =
      "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: default, labels: "
      "{pod-security.kubernetes.io/enforce: restricted}}\n";
  const Admitted a(kNode + ns, pod_yaml("{containers: [{name: c}]}") + "---\n" +
                                   pod_yaml("{containers: [{name: c}]}", "q"));
  CHECK(Admitted::lines(a.report.warnings) ==
        "Namespace default: Pod Security admission is not imitated: it may refuse pods that break "
        "the level \"restricted\"");
}

TEST_CASE("admission: a copy of an admitted pod outlives it") {
  PodRef copy;
  {
    const Admitted a(std::string(kNode) + kClass,
                     pod_yaml("{runtimeClassName: vm, containers: [{name: c}]}"));
    copy = PodRef(copy_pod(*a.set.pods[0], "q", "default", {}, "n"));
  }
  CHECK(copy->spec.node_selector[1].value == "yes");
  CHECK(copy->spec.tolerations.back().key == "vm-only");
}

}  // namespace libsched::admission_test
