// Why with the plugins in tree: every suggestion helps, and one step less of it does not, as new
// clusters and pods show; each demand whose absence helps is suggested; and nothing is changed.
#include "libsched/scheduler/why/why.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "libsched/config/config.hpp"
#include "libsched/ingest/ingest.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "tests/unit/rounds.hpp"

namespace libsched::why_in_tree_test {

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

struct NodeText {
  std::string name, zone, taint, disk;
  int cpu = 1, memory = 1;

  std::string text(const std::string& as) const {
    return "---\napiVersion: v1\nkind: Node\nmetadata: {name: " + as +
           ", labels: {kubernetes.io/hostname: " + as + ", zone: " + zone + ", disk: " + disk +
           "}}\nspec: {" +
           (taint.empty() ? "" : "taints: [{key: " + taint + ", value: v, effect: NoSchedule}]") +
           "}\nstatus: {allocatable: {cpu: " + std::to_string(cpu) +
           ", memory: " + std::to_string(memory) + "Gi, pods: 8}}\n";
  }
};

struct PodText {
  std::string name = "p", node;
  int cpu = 100, memory = 64;  // thousandths, Mi
  int priority = 0;
  std::vector<std::string> tolerations, selector, spread, affinity, anti;
  std::set<size_t> honors;         // constraints that leave out nodes with taints
  std::vector<std::string> disks;  // keys of node affinity's only term

  std::string text() const {
    const auto list = [](const std::vector<std::string>& items, auto&& one) {
      std::string out;
      for (const std::string& i : items) out += (out.empty() ? "" : ", ") + one(i);
      return out;
    };
    const auto term = [](const std::string& key) {
      return "{topologyKey: " + key + ", labelSelector: {matchLabels: {app: a}}}";
    };
    return "apiVersion: v1\nkind: Pod\nmetadata: {namespace: default, name: " + name +
           ", labels: {app: a}}\nspec: {priority: " + std::to_string(priority) +
           (node.empty() ? "" : ", nodeName: " + node) +
           ", containers: [{name: c, image: i, resources: {requests: {cpu: " + std::to_string(cpu) +
           "m, memory: " + std::to_string(memory) + "Mi}}}], tolerations: [" +
           list(tolerations,
                [](const std::string& key) { return "{key: " + key + ", value: v}"; }) +
           "], nodeSelector: {" + list(selector, [](const std::string& s) { return s; }) +
           "}, topologySpreadConstraints: [" +
           list(spread,
                [&, i = size_t{0}](const std::string& key) mutable {
                  return "{maxSkew: 1, whenUnsatisfiable: DoNotSchedule, topologyKey: " + key +
                         (honors.contains(i++) ? ", nodeTaintsPolicy: Honor" : "") +
                         ", labelSelector: {matchLabels: {app: a}}}";
                }) +
           "], affinity: {" +
           (disks.empty() ? ""
                          : "nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                            "{nodeSelectorTerms: [{matchExpressions: [" +
                                list(disks,
                                     [](const std::string& key) {
                                       return "{key: " + key + ", operator: In, values: [a]}";
                                     }) +
                                "]}]}}, ") +
           "podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [" +
           list(affinity, term) +
           "]}, podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [" +
           list(anti, term) + "]}}}\n";
  }
  PodRef parsed() const {
    Result<PodRef> pod = parse_pod(text(), {});
    REQUIRE_MESSAGE(pod.ok(), pod.error().text());
    return *pod;
  }
};

struct World {
  std::vector<NodeText> nodes;
  std::vector<PodText> pods;

  Ref<Cluster> cluster(const std::string& more = "") const {
    std::string all;
    for (const NodeText& n : nodes) all += n.text(n.name);
    all += more;
    for (const PodText& p : pods) all += "---\n" + p.text();
    const Ref<Cluster> made = make_ref<Cluster>();
    const Result<ObjectSet> objects = parse_objects(all, {});
    REQUIRE_MESSAGE(objects.ok(), objects.error().text());
    REQUIRE(made->apply(*objects).ok());
    return made;
  }
  size_t takers(const PodText& pod, const std::string& more = "") const {
    Evaluator evaluator(framework(), cluster(more));
    const Result<Ref<const Decision>> d = evaluator.check(*pod.parsed(), {}, false);
    REQUIRE(d.ok());
    return (*d)->feasible_count;
  }
  std::string copies(const std::string& of, int64_t count) const {
    std::string out;
    for (int64_t i = 0; i < count; ++i)
      for (const NodeText& n : nodes)
        if (n.name == of) out += n.text(of + "-" + std::to_string(i));
    return out;
  }
};

class Draw {
 public:
  explicit Draw(uint64_t seed) : random_(seed) {}
  int to(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  bool chance(int n) { return to(n) == 0; }

  World world() {
    World w;
    const int nodes = 1 + to(5);
    for (int i = 0; i < nodes; ++i) {
      NodeText n;
      n.name = "n" + std::to_string(i);
      n.zone = "z" + std::to_string(to(2));
      n.disk = chance(2) ? "a" : "b";
      if (chance(3)) n.taint = "t" + std::to_string(to(2));
      n.cpu = 1 + to(3);
      n.memory = 1 + to(3);
      w.nodes.push_back(n);
    }
    for (int i = 0, n = to(2 * nodes + 1); i < n; ++i) {
      PodText p;
      p.name = "old" + std::to_string(i);
      p.node = "n" + std::to_string(to(nodes));
      p.cpu = 100 + to(1500);
      w.pods.push_back(p);
    }
    return w;
  }
  PodText pod() {
    PodText p;
    p.cpu = 200 + to(chance(3) ? 5000 : 1500);
    p.memory = 64 + to(chance(3) ? 5000 : 1000);
    p.priority = to(2);
    if (chance(4)) p.tolerations.push_back("t" + std::to_string(to(2)));
    if (chance(3)) p.selector.push_back("zone: z" + std::to_string(to(3)));
    if (chance(4)) p.selector.push_back("disk: a");
    if (chance(4)) p.disks.push_back("disk");
    if (chance(6)) p.disks.push_back("rack");
    if (chance(4)) p.spread.push_back("zone");
    if (chance(4)) p.spread.push_back("kubernetes.io/hostname");
    if (chance(6)) p.affinity.push_back("zone");
    if (chance(4)) p.anti.push_back(chance(2) ? "zone" : "kubernetes.io/hostname");
    return p;
  }

 private:
  std::mt19937_64 random_;
};

using Kind = SuggestionKind;

template <typename T>
std::vector<T> without(std::vector<T> list, size_t index) {
  list.erase(list.begin() + static_cast<ptrdiff_t>(index));
  return list;
}

// What a suggestion is about: its kind, subject and place.
using About = std::tuple<Kind, std::string, size_t>;

// Every demand without which the pod fits, found by rendering the pod without it.
std::set<About> that_help(const World& w, const PodText& pod) {
  std::set<About> out;
  const auto offer = [&](const PodText& changed, const About& about) {
    if (w.takers(changed) != 0) out.insert(about);
  };
  std::set<std::string> taints;
  for (const NodeText& n : w.nodes) taints.insert(n.taint);
  for (const std::string& key : taints) {
    if (key.empty() || std::ranges::find(pod.tolerations, key) != pod.tolerations.end()) continue;
    PodText p = pod;
    p.tolerations.push_back(key);
    offer(p, {Kind::kTolerate, key + "=v:NoSchedule", 0});
  }
  for (size_t i = 0; i < pod.selector.size(); ++i) {
    PodText p = pod;
    p.selector = without(p.selector, i);
    // Labels are kept sorted by key.
    const std::string key = pod.selector[i].substr(0, pod.selector[i].find(':'));
    size_t at = 0;
    for (const std::string& s : pod.selector) at += s < pod.selector[i] ? 1 : 0;
    offer(p, {Kind::kNodeSelector, key, at});
  }
  for (size_t i = 0; i < pod.disks.size(); ++i) {
    PodText p = pod;
    p.disks = without(p.disks, i);
    offer(p, {Kind::kNodeAffinity, pod.disks[i], 0});
  }
  const auto lists = [&](Kind kind, std::vector<std::string> PodText::* list) {
    for (size_t i = 0; i < (pod.*list).size(); ++i) {
      PodText p = pod;
      p.*list = without(p.*list, i);
      offer(p, {kind, (pod.*list)[i], i});
    }
  };
  lists(Kind::kPodAffinity, &PodText::affinity);
  lists(Kind::kPodAntiAffinity, &PodText::anti);
  lists(Kind::kTopologySpread, &PodText::spread);
  for (size_t i = 0; i < pod.spread.size(); ++i) {
    PodText p = pod;
    p.honors.insert(i);
    offer(p, {Kind::kSpreadTaints, pod.spread[i], i});
  }
  return out;
}

std::string explained(Evaluator& evaluator, const PodRef& pod) {
  const Result<Ref<const Decision>> d = evaluator.check(*pod, {}, true);
  REQUIRE(d.ok());
  return (*d)->explain_json();
}

TEST_CASE("Each suggestion helps, one step less does not, and no demand that helps is missing") {
  std::map<Kind, size_t> seen;
  const size_t pods = rounds(1000);
  size_t waiting = 0;
  for (uint64_t seed = 0; waiting < pods; ++seed) {
    CAPTURE(seed);
    Draw draw(seed);
    const World w = draw.world();
    const PodText pod = draw.pod();
    const PodRef parsed = pod.parsed();
    const Ref<Cluster> cluster = w.cluster();
    Evaluator evaluator(framework(), cluster);
    Evaluator* const judge = &evaluator;
    const std::string before = explained(evaluator, parsed);
    WhyOptions how;
    how.max_nodes = 4;
    const Result<Why> said = why({&judge, 1}, parsed, how);
    REQUIRE_MESSAGE(said.ok(), said.error().text());
    CHECK(explained(evaluator, parsed) == before);
    CHECK(cluster->view().node_count() == w.nodes.size());
    if (said->decision->feasible_count != 0) {
      CHECK(said->suggestions.empty());
      CHECK(said->nearest.empty());
      continue;
    }
    ++waiting;
    CHECK(said->decision->preemption.ran);
    REQUIRE_FALSE(said->nearest.empty());
    for (size_t i = 0; i < said->nearest.size(); ++i) {
      CHECK_FALSE(said->nearest[i].lacks.empty());
      if (i != 0) CHECK(said->nearest[i - 1].lacks.size() <= said->nearest[i].lacks.size());
      for (const Lack& lack : said->nearest[i].lacks) CHECK_FALSE(lack.facts.empty());
    }
    std::set<About> said_of;
    std::set<std::string> nodes_added;
    for (const Suggestion& s : said->suggestions) {
      CAPTURE(s.text);
      ++seen[s.kind];
      CHECK(s.nodes != 0);
      if (s.kind == Kind::kAddNodes) {
        CHECK(w.takers(pod, w.copies(s.subject, s.to)) == s.nodes);
        CHECK(w.takers(pod, w.copies(s.subject, s.to - 1)) == 0);
        CHECK(s.edit == "add-node " + s.subject + "=" + std::to_string(s.to));
        nodes_added.insert(s.subject);
        nodes_added.insert(s.alike.begin(), s.alike.end());
      } else if (s.kind == Kind::kLessResource) {
        PodText less = pod;
        int& amount = s.subject == "cpu" ? less.cpu : less.memory;
        const int64_t unit = s.subject == "cpu" ? 1 : 1 << 20;
        CHECK(s.from == amount * unit);
        amount = static_cast<int>(s.to / unit);
        CHECK(s.to % unit == 0);
        CHECK(w.takers(less) == s.nodes);
        ++amount;
        CHECK(w.takers(less) == 0);
      } else {
        said_of.insert({s.kind, s.subject, s.index});
        Evaluator other(framework(), w.cluster());
        const Result<Ref<const Decision>> d = other.check(*s.pod, {}, false);
        REQUIRE(d.ok());
        CHECK((*d)->feasible_count == s.nodes);
      }
    }
    CHECK(said_of == that_help(w, pod));
    // Copies of a node that no suggestion is about do not help.
    for (const NodeText& n : w.nodes) {
      CHECK((w.takers(pod, w.copies(n.name, 1)) == 0 || nodes_added.contains(n.name)));
    }
  }
  if (sanitized()) return;  // too few pods for all kinds
  for (const Kind kind : {Kind::kAddNodes, Kind::kTolerate, Kind::kNodeSelector,
                          Kind::kNodeAffinity, Kind::kPodAffinity, Kind::kPodAntiAffinity,
                          Kind::kTopologySpread, Kind::kLessResource, Kind::kSpreadTaints})
    CHECK_MESSAGE(seen[kind] != 0, static_cast<int>(kind));
}

TEST_CASE("The nearest nodes lack least, with numbers, and preemption is told") {
  World w;
  w.nodes = {
      {"big", "z", "t0", "a", 8, 8}, {"half", "z", "", "a", 2, 8}, {"small", "z", "", "b", 1, 8}};
  PodText low;
  low.name = "low";
  low.node = "half";
  low.cpu = 1500;
  low.priority = -1;
  w.pods = {low};
  PodText pod;
  pod.cpu = 1000;
  pod.disks = {"disk"};
  Evaluator evaluator(framework(), w.cluster());
  Evaluator* const judge = &evaluator;
  const Result<Why> said = why({&judge, 1}, pod.parsed(), {});
  REQUIRE(said.ok());
  REQUIRE(said->nearest.size() == 3);
  CHECK(said->nearest[0].node == "big");  // this and the next lack nothing of their resources
  CHECK(said->nearest[1].node == "small");
  CHECK(said->nearest[1].lacks[0].plugin == "NodeAffinity");
  CHECK(said->nearest[2].node == "half");
  CHECK(said->nearest[2].shortage == 0.5);
  CHECK(said->nearest[2].lacks[0].status.reasons[0] == "Insufficient cpu");
  CHECK(said->nearest[2].lacks[0].facts.list()[0].reason == "Insufficient cpu");
  REQUIRE(said->decision->nomination);
  CHECK(said->decision->preemption.nominated_node == "half");
  CHECK(said->plugins.size() == 3);
  std::string texts;
  for (const Suggestion& s : said->suggestions) texts += s.text + " on " + s.node + "; ";
  CHECK(texts ==
        "add 1 node like half on half-0; tolerate the taint t0=v:NoSchedule on big; "
        "drop the node affinity for disk (term 1) on small; "
        "request at most 500m of cpu instead of 1000m on half; ");
}

std::string suggested(const std::string& cluster_text, const std::string& pod_text) {
  const Ref<Cluster> cluster = make_ref<Cluster>();
  ParseOptions options;
  options.defaults = true;
  const Result<ObjectSet> objects = parse_objects(cluster_text, options);
  REQUIRE_MESSAGE(objects.ok(), objects.error().text());
  REQUIRE(cluster->apply(*objects).ok());
  Evaluator evaluator(framework(), cluster);
  Evaluator* const judge = &evaluator;
  Result<PodRef> pod =
      parse_pod("metadata: {name: p, namespace: d, labels: {app: a}}\n" + pod_text, {});
  REQUIRE_MESSAGE(pod.ok(), pod.error().text());
  const std::string before = explained(evaluator, *pod);
  const Result<Why> said = why({&judge, 1}, *pod, {});
  REQUIRE_MESSAGE(said.ok(), said.error().text());
  CHECK(explained(evaluator, *pod) == before);
  std::string out;
  for (const Beyond& b : said->beyond)
    out += b.resource + " " + std::to_string(b.requested) + " > " + std::to_string(b.largest) +
           " of " + b.node + "; ";
  for (const NodeLacks& n : said->nearest)
    if (!said->decision->error.empty())
      out += n.node + ": " + std::to_string(n.lacks[0].facts.list().size()) + " facts; ";
  for (const Suggestion& s : said->suggestions) {
    out += s.text;
    for (const std::string& name : s.alike) out += " | " + name;
    out += " on " + s.node + "; ";
  }
  return out;
}

std::string node_text(const std::string& name, const std::string& more,
                      const std::string& spec = "", int cpu = 4) {
  return "---\napiVersion: v1\nkind: Node\nmetadata: {name: " + name +
         ", labels: {kubernetes.io/hostname: " + name + more + "}}\nspec: {" + spec +
         "}\nstatus: {allocatable: {cpu: " + std::to_string(cpu) + ", memory: 8Gi, pods: 9}}\n";
}
std::string pod_text(const std::string& name, const std::string& node, int cpu) {
  return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
         ", namespace: d, labels: {app: a}}\nspec: {nodeName: " + node +
         ", containers: [{name: c, resources: {requests: {cpu: " + std::to_string(cpu) + "}}}]}\n";
}
std::string asking(int cpu, const std::string& more = "") {
  return "spec: {containers: [{name: c, resources: {requests: {cpu: " + std::to_string(cpu) +
         "}}}]" + more + "}";
}

TEST_CASE("Machines of one kind are one suggestion, with the others beside it") {
  std::string cluster;
  // Zones and the last bytes of memory differ.
  for (const char* name : {"m1", "m2", "m3"})
    cluster += node_text(name, std::string(", node.kubernetes.io/instance-type: big, "
                                           "topology.kubernetes.io/zone: z") +
                                   name) +
               pod_text(std::string("on-") + name, name, 3);
  cluster +=
      node_text("other", ", node.kubernetes.io/instance-type: small") + pod_text("o", "other", 4);
  CHECK(suggested(cluster, asking(2)) ==
        "add 1 node like m1 | m2 | m3 on m1-0; add 1 node like other on other-0; "
        "request at most 1000m of cpu instead of 2000m on m1; ");
}

TEST_CASE("What no node has is told, with the largest") {
  CHECK(suggested(node_text("a", "") + node_text("b", "", "", 8), asking(200)) ==
        "cpu 200000 > 8000 of b; request at most 8000m of cpu instead of 200000m on b; ");
}

TEST_CASE("A cordoned node is to be uncordoned, not tolerated") {
  const std::string cordon =
      "unschedulable: true, taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]";
  CHECK(suggested(node_text("a", "", cordon) + node_text("b", "", "unschedulable: true") +
                      node_text("c", "") + pod_text("o", "c", 4),
                  asking(2)) == "add 1 node like a | b | c on a-0; uncordon a | b on a; ");
}

TEST_CASE("A spread that tainted nodes hold up is to honour taints, before anything is given up") {
  const std::string cluster =
      node_text("cp", "",
                "taints: [{key: node-role.kubernetes.io/control-plane, effect: NoSchedule}]") +
      node_text("w", "") + pod_text("old", "w", 1);
  CHECK(suggested(cluster, asking(1,
                                  ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: "
                                  "kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, "
                                  "labelSelector: {matchLabels: {app: a}}}]")) ==
        "add 1 node like w on w-0; set nodeTaintsPolicy: Honor in the topology spread by "
        "kubernetes.io/hostname (constraint 1) on w; tolerate the taint "
        "node-role.kubernetes.io/control-plane:NoSchedule on cp; drop the topology spread by "
        "kubernetes.io/hostname (constraint 1) on w; ");
}

TEST_CASE("A claim is to lose the node that was selected for it") {
  const std::string cluster =
      node_text("a", "") +
      "---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: c}\nprovisioner: "
      "x\nvolumeBindingMode: WaitForFirstConsumer\n---\napiVersion: v1\nkind: "
      "PersistentVolumeClaim\nmetadata: {name: data, namespace: d, annotations: "
      "{volume.kubernetes.io/selected-node: gone}}\nspec: {storageClassName: c, resources: "
      "{requests: {storage: 1Gi}}}\n";
  CHECK(
      suggested(cluster, asking(1,
                                ", volumes: [{name: v, persistentVolumeClaim: {claimName: "
                                "data}}]")) ==
      "remove the annotation volume.kubernetes.io/selected-node=gone of the claim d/data (gone is "
      "not in the cluster) on a; ");
}

TEST_CASE("A claim is to tolerate the taint of devices, and a failing selector is told by node") {
  const auto cluster = [](const std::string& request) {
    return node_text("a", "") +
           "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: g}\nspec: {}\n"
           "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec: "
           "{driver: d, nodeName: a, pool: {name: a, generation: 1, resourceSliceCount: 1}, "
           "devices: "
           "[{name: x, taints: [{key: sick, value: v, effect: NoExecute}]}]}\n---\napiVersion: "
           "resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: r, namespace: d}\nspec: "
           "{devices: {requests: [{name: q, exactly: {deviceClassName: g" +
           request + "}}]}}\n";
  };
  const std::string pod = asking(1, ", resourceClaims: [{name: e, resourceClaimName: r}]");
  CHECK(suggested(cluster(""), pod) ==
        "tolerate the device taint sick=v:NoExecute in the claim d/r on a; ");
  CHECK(suggested(cluster(", selectors: [{cel: {expression: 'device.attributes[\"d\"].no'}}]"),
                  pod) == "a: 1 facts; ");
}

TEST_CASE("Budgets that preemption would violate are told") {
  const std::string cluster =
      node_text("a", "") + pod_text("low", "a", 4) +
      "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b, namespace: d}\n"
      "spec: {selector: {matchLabels: {app: a}}}\nstatus: {disruptionsAllowed: 0}\n";
  const Ref<Cluster> made = make_ref<Cluster>();
  const Result<ObjectSet> objects = parse_objects(cluster, {});
  REQUIRE(objects.ok());
  REQUIRE(made->apply(*objects).ok());
  Evaluator evaluator(framework(), made);
  Evaluator* const judge = &evaluator;
  Result<PodRef> pod =
      parse_pod("metadata: {name: p, namespace: d}\n" + asking(2, ", priority: 9"), {});
  REQUIRE(pod.ok());
  const Result<Why> said = why({&judge, 1}, *pod, {});
  REQUIRE(said.ok());
  CHECK(said->decision->preemption.budgets == std::vector<std::string>{"d/b"});
  CHECK(said->decision->preemption.budget_violations == 1);
  CHECK(said->json().find(R"("victims":["d/low"],"numPDBViolations":1,"budgets":["d/b"])") !=
        std::string::npos);
}

TEST_CASE("The largest request is brought down to what fits") {
  World w;
  w.nodes.push_back({"only", "z", "", "a", 1, 1});
  Evaluator evaluator(framework(), w.cluster());
  Evaluator* const judge = &evaluator;
  Result<PodRef> pod = parse_pod(
      "metadata: {name: p}\nspec: {schedulerName: default-scheduler, containers: [{name: c, "
      "resources: {requests: {memory: '9223372036854775807'}}}]}",
      {});
  REQUIRE(pod.ok());
  const Result<Why> said = why({&judge, 1}, *pod, {});
  REQUIRE(said.ok());
  REQUIRE(said->suggestions.size() == 1);
  CHECK(said->suggestions[0].to == int64_t{1} << 30);
}

TEST_CASE("Why refuses what it cannot judge") {
  World w;
  w.nodes.push_back({"only", "z", "", "a", 1, 1});
  Evaluator evaluator(framework(), w.cluster());
  Evaluator* const judge = &evaluator;
  CHECK(why({}, PodText().parsed(), {}).error().rc == Rc::kMisuse);
  Result<PodRef> other = parse_pod("metadata: {name: p}\nspec: {schedulerName: other}", {});
  REQUIRE(other.ok());
  CHECK(why({&judge, 1}, *other, {}).error().rc == Rc::kInvalid);
  std::atomic<bool> cancel{true};
  WhyOptions how;
  how.limits.cancel = &cancel;
  CHECK(why({&judge, 1}, PodText().parsed(), how).error().rc == Rc::kCancelled);
}

}  // namespace libsched::why_in_tree_test
