// For a copy of a node that pods joined and left every Filter plugin has the same verdict as for
// the node in a cluster where the same pods really joined and left.
#include <map>
#include <random>
#include <set>

#include "libsched/plugins/trial_test.hpp"
#include "libsched/run/filter_pass.hpp"
#include "tests/unit/rounds.hpp"

namespace libsched::node_view_test {

constexpr int kMaxPods = 40;

class Random {
 public:
  explicit Random(uint64_t seed) : random_(seed) {}
  size_t below(size_t n) { return random_() % n; }
  std::string pick(std::initializer_list<const char*> list) {
    return list.begin()[below(list.size())];
  }

 private:
  std::mt19937_64 random_;
};

std::string object(const std::string& type, const std::string& meta, const std::string& rest) {
  return "---\napiVersion: " + type + "\nmetadata: {" + meta + "}\n" + rest + "\n";
}

// A volume of a CSI driver and a claim that is bound to it.
std::string claim(const std::string& name, const std::string& mode, const std::string& driver,
                  const std::string& labels = "") {
  const std::string modes = "accessModes: [" + mode + "]";
  return object("v1\nkind: PersistentVolume", "name: pv-" + name + ", labels: {" + labels + "}",
                "spec: {" + modes + ", claimRef: {namespace: default, name: " + name + ", uid: u-" +
                    name + "}, csi: {driver: " + driver + ", volumeHandle: h-" + name + "}}") +
         object("v1\nkind: PersistentVolumeClaim",
                "name: " + name + ", namespace: default, uid: u-" + name +
                    ", annotations: {pv.kubernetes.io/bind-completed: 'yes'}",
                "spec: {" + modes + ", volumeName: pv-" + name + "}\nstatus: {phase: Bound}");
}

// Four nodes in two zones; "n" is copied.
std::string nodes_and_volumes(Random& r) {
  std::string out;
  for (const std::string name : {"m", "n", "o", "p"}) {
    const std::string zone = name < "o" ? "z0" : "z1";
    const bool plain = name != "n";
    out += "---\nkind: Node\nmetadata: {name: '" + name + "', labels: {kubernetes.io/hostname: '" +
           name + "', topology.kubernetes.io/zone: " + zone + ", disk: " + r.pick({"ssd", "hdd"}) +
           "}}\nspec: {unschedulable: " + (plain ? "false" : r.pick({"false", "false", "true"})) +
           ", taints: [" + (plain ? "" : r.pick({"", "{key: t, value: v, effect: NoSchedule}"})) +
           "]}\nstatus: {allocatable: {cpu: 4, memory: 4Gi, ephemeral-storage: 10Gi, pods: 6, "
           "a.b/x: 3}, images: [{names: [" +
           r.pick({"one", "two"}) + "], sizeBytes: 50000000}]}\n" +
           object("storage.k8s.io/v1\nkind: CSINode", "name: '" + name + "'",
                  "spec: {drivers: [{name: d, nodeID: i, allocatable: {count: 2}}, {name: e, "
                  "nodeID: i}]}");
  }
  for (const char* name : {"c0", "c1", "c2", "c3"}) out += claim(name, "ReadWriteMany", "d");
  out += claim("e0", "ReadWriteMany", "e");
  out += claim("far", "ReadWriteMany", "d", "topology.kubernetes.io/zone: z1");
  out += object("v1\nkind: PersistentVolumeClaim",
                "name: lost, namespace: default, uid: u-lost, annotations: "
                "{pv.kubernetes.io/bind-completed: 'yes'}",
                "spec: {volumeName: pv-lost}\nstatus: {phase: Bound}");
  // A claim for each pod: upstream counts the users of such a claim only roughly.
  for (int i = 0; i < kMaxPods; ++i)
    out += claim("once-" + std::to_string(i), "ReadWriteOncePod", "e");
  return out;
}

std::string term(Random& r) {
  return "[{labelSelector: {matchLabels: {app: " + r.pick({"a", "b"}) +
         "}}, topologyKey: " + r.pick({"kubernetes.io/hostname", "topology.kubernetes.io/zone"}) +
         "}]";
}

std::string disk(Random& r) {
  return "{name: disk, " +
         r.pick({"gcePersistentDisk: {pdName: x", "awsElasticBlockStore: {volumeID: vol",
                 "gcePersistentDisk: {pdName: z, readOnly: true"}) +
         "}}";
}

std::string with_claim(const std::string& name) {
  return "{name: v-" + name + ", persistentVolumeClaim: {claimName: " + name + "}}";
}

// The fields that running pods and pods to place have in common.
std::string parts(Random& r) {
  const std::string port =
      r.pick({"", "", "{hostPort: 80}", "{hostPort: 80, hostIP: 10.0.0.1}",
              "{hostPort: 81, protocol: UDP}", "{hostPort: 80, hostIP: 10.0.0.2}"});
  return "containers: [{name: c, image: " + r.pick({"one", "two"}) + ", resources: {requests: {" +
         r.pick({"", "cpu: 1", "cpu: 700m, memory: 1Gi", "a.b/x: 1", "a.b/z: 1, cpu: 100m",
                 "ephemeral-storage: 4Gi"}) +
         "}}, ports: [" + port + "]}], ";
}

PodRef running(Random& r, int i) {
  std::string volumes;
  if (r.below(3) == 0) volumes += disk(r) + ", ";
  if (r.below(2) == 0) volumes += with_claim(r.pick({"c0", "c1", "c2", "c3", "e0"})) + ", ";
  if (r.below(3) == 0) volumes += with_claim("once-" + std::to_string(i)) + ", ";
  if (r.below(12) == 0) volumes += "{name: own, ephemeral: {volumeClaimTemplate: {spec: {}}}}";
  const std::string n = std::to_string(i);
  return Trial::pod(
      "{" + parts(r) + "volumes: [" + volumes + "], affinity: {podAntiAffinity: {" +
          (r.below(3) == 0 ? "requiredDuringSchedulingIgnoredDuringExecution: " + term(r) : "") +
          "}}}",
      "name: r" + n + ", namespace: default, uid: u-r" + n +
          ", labels: {app: " + r.pick({"a", "b", "c"}) + "}");
}

PodRef incoming(Random& r) {
  std::string volumes;
  if (r.below(3) == 0) volumes += disk(r) + ", ";
  if (r.below(2) == 0)
    volumes += with_claim(r.pick({"c0", "c1", "c2", "c3", "e0", "far", "lost"})) + ", ";
  // With its own disk, so that PreFilter never returns Skip.
  if (r.below(2) == 0)
    volumes += "{name: own, rbd: {image: i, monitors: [m]}}, " +
               with_claim("once-" + std::to_string(r.below(6))) + ", ";
  const std::string required = "requiredDuringSchedulingIgnoredDuringExecution: ";
  std::string affinity;
  if (r.below(2) == 0) affinity += "podAffinity: {" + required + term(r) + "}, ";
  if (r.below(2) == 0) affinity += "podAntiAffinity: {" + required + term(r) + "}, ";
  std::string spread;
  for (const char* key : {"kubernetes.io/hostname", "topology.kubernetes.io/zone"})
    if (r.below(2) == 0)
      spread += "{maxSkew: 1, topologyKey: " + std::string(key) +
                ", whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: " +
                r.pick({"a", "b"}) + "}}}, ";
  return Trial::pod(
      "{" + parts(r) + "volumes: [" + volumes + "], affinity: {" + affinity +
          "}, topologySpreadConstraints: [" + spread + "], nodeSelector: {" +
          r.pick({"", "", "disk: ssd"}) + "}, tolerations: [" +
          r.pick({"", "{key: t, operator: Exists}"}) + "]" + r.pick({"", "", ", nodeName: o"}) +
          r.pick({"", "", ", hostNetwork: true, hostUsers: false"}) + "}",
      "name: new, namespace: default, uid: u-new, labels: {app: " + r.pick({"a", "b"}) + "}");
}

struct Seen {
  size_t judged = 0, rejected = 0;
  size_t changed = 0;  // verdicts that differ from those of the node in the view
};

class Comparison {
 public:
  Comparison(const std::string& plugin, uint64_t seed, Seen* seen)
      : plugin_(plugin),
        random_(seed),
        objects_(nodes_and_volumes(random_)),
        base_(plugin, objects_),
        real_(plugin, objects_),
        seen_(seen) {}

  void run() {
    // The first pod has a term against every pod on "m": InterPodAffinity is never skipped.
    place(Trial::pod("{affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuring"
                     "Execution: [{labelSelector: {matchExpressions: [{key: app, operator: "
                     "Exists}]}, topologyKey: "
                     "kubernetes.io/hostname}]}}}",
                     "name: first, namespace: default, uid: u-first"),
          "m");
    for (size_t i = random_.below(10); i > 0; --i) {
      const PodRef pod = running(random_, next_++);
      const std::string node = random_.pick({"m", "n", "n", "o", "p"});
      place(pod, node);
      if (node == "n") there_.push_back(pod);
    }
    const PodRef pod = incoming(random_);
    CycleState state;
    const Result<Status> ran = base_.evaluator().run_pre_filter(state, *pod);
    REQUIRE(ran.ok());
    if (!ran->success()) return;
    const View& view = base_.cluster().view();
    const uint32_t row = view.find_node("n");
    Status before;
    REQUIRE(base_.evaluator().run_filter(state, *pod, row, &before).ok());
    const Call call{view, base_.evaluator().services(), nullptr, &base_.evaluator()};
    FilterPass pass(base_.evaluator().framework(), state, *pod, call);
    NodeOverlay copy(view, row);
    check(pass, copy, *pod, before);
    for (int step = 0; step < 8; ++step) {
      CAPTURE(step);
      change(pass, &copy);
      check(pass, copy, *pod, before);
    }
  }

 private:
  void place(const PodRef& pod, Str node) {
    REQUIRE(base_.cluster().update_pod(pod, node).ok());
    REQUIRE(real_.cluster().update_pod(pod, node).ok());
  }

  // A pod joins or leaves, on the copy and in the other cluster.
  void change(FilterPass& pass, NodeOverlay* copy) {
    const bool comes = there_.empty() || random_.below(2) == 0;
    PodRef other;
    if (comes) {
      other = running(random_, next_++);
      there_.push_back(other);
      copy->add(other);
      REQUIRE(real_.cluster().update_pod(other, "n").ok());
    } else {
      const size_t i = random_.below(there_.size());
      other = std::exchange(there_[i], there_.back());
      there_.pop_back();
      REQUIRE(copy->remove(*other));
      REQUIRE(real_.cluster().remove_pod("default", other->meta.name).ok());
    }
    const Result<Status> told = pass.change(
        comes ? FilterPass::Change::kAdd : FilterPass::Change::kRemove, *other, NodeView(*copy));
    REQUIRE(told.ok());
    CHECK(text_of(*told) == "Success");
  }

  void check(FilterPass& pass, const NodeOverlay& copy, const Pod& pod, const Status& before) {
    Status have, want;
    REQUIRE(pass.judge(NodeView(copy), &have).ok());
    CycleState state;
    const Result<Status> ran = real_.evaluator().run_pre_filter(state, pod);
    REQUIRE(ran.ok());
    REQUIRE(ran->success());
    const uint32_t row = real_.cluster().view().find_node("n");
    REQUIRE(real_.evaluator().run_filter(state, pod, row, &want).ok());
    CHECK(text_of(have) == text_of(want));
    CHECK(have.plugin == want.plugin);
    ++seen_->judged;
    if (!have.success()) ++seen_->rejected;
    if (!(have == before)) ++seen_->changed;
  }

  std::string plugin_;
  Random random_;
  std::string objects_;
  Trial base_, real_;
  Seen* seen_;
  std::vector<PodRef> there_;  // on "n"
  int next_ = 0;
};

TEST_CASE("every Filter plugin judges a copy of a node as the node itself") {
  // If pods on the node matter to the plugin, the verdict must have changed somewhere.
  const std::set<std::string> of_pods = {"InterPodAffinity",  "NodePorts",
                                         "NodeResourcesFit",  "NodeVolumeLimits",
                                         "PodTopologySpread", "VolumeRestrictions"};
  const std::set<std::string> never_rejects = {"DeferredPodScheduling", "DynamicResources"};
  const size_t seeds = rounds(40);  // for each plugin
  size_t plugins = 0, found = 0;
  for (const auto& [name, item] : in_tree_registry()->items()) {
    if ((item.points & point_bit(ExtensionPoint::kFilter)) == 0 || !item.factory) continue;
    if (!in_tree_points(name, kDefaultRelease)) continue;
    CAPTURE(name);
    ++plugins;
    Seen seen;
    for (uint64_t seed = 0; seed < seeds; ++seed) {
      CAPTURE(seed);
      Comparison(name, seed, &seen).run();
    }
    CHECK(seen.judged > seeds);
    found += of_pods.count(name);
    if (sanitized()) continue;  // a few seeds need not reject or change anything
    CHECK((seen.rejected != 0) != never_rejects.contains(name));
    CHECK((seen.changed != 0) == of_pods.contains(name));
  }
  CHECK(plugins >= 14);
  CHECK(found == of_pods.size());
}

}  // namespace libsched::node_view_test
