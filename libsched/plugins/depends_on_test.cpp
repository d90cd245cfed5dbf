// The declarations of plugins (Plugin::depends_on) against what they read: answers that the change
// log keeps up to date equal fresh ones after every change, with forks, reverts and copies, on the
// recorded cases of the conformance test. A declaration with a missing kind of change fails.
//
// LIBSCHED_CASES=n takes n times as many cases.
#include <doctest/doctest.h>
#include <simdjson.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "libsched/framework/evaluator.hpp"
#include "libsched/ingest/gzip.hpp"
#include "libsched/ingest/ingest.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/plugins/kept_answers_test.hpp"

namespace libsched {
namespace {

struct Case {
  std::string name, config;
  std::vector<ObjectSet> objects;  // one each
  std::vector<PodRef> pods;
};

std::vector<Case> read_cases(const std::string& kind, size_t first, size_t step) {
  std::ifstream file(LIBSCHED_SOURCE_DIR "/tests/goldens/" + kind + ".evaluate.jsonl.gz",
                     std::ios::binary);
  REQUIRE_MESSAGE(file.good(), kind);
  const std::string packed((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
  const Result<Unpacked> text = gunzip(packed, size_t{256} << 20);
  REQUIRE(text.ok());
  std::vector<Case> out;
  simdjson::dom::parser parser;
  size_t number = 0;
  const Str all = text->text();
  for (size_t begin = 0; begin < all.size(); ++number) {
    const size_t end = std::min(all.find('\n', begin), all.size());
    const std::string line(all.substr(begin, end - begin));
    begin = end + 1;
    if (number % step != first % step) continue;
    simdjson::dom::element root;
    REQUIRE(parser.parse(simdjson::padded_string(line)).get(root) == simdjson::SUCCESS);
    const simdjson::dom::element whole = root["case"].value();
    Case c;
    c.name = std::string(std::string_view(whole["name"].value()));
    simdjson::dom::element config;
    if (whole["config"].get(config) == simdjson::SUCCESS)
      c.config =
          config.is_string() ? std::string(std::string_view(config)) : simdjson::minify(config);
    ParseOptions options;
    bool defaults = false;
    options.defaults = whole["defaults"].get(defaults) == simdjson::SUCCESS && defaults;
    const simdjson::dom::array objects = whole["objects"].get_array().value();
    for (const simdjson::dom::element object : objects) {
      Result<ObjectSet> set = parse_objects(simdjson::minify(object), options);
      if (set.ok()) c.objects.push_back(std::move(*set));
    }
    const simdjson::dom::array pods = whole["pods"].get_array().value();
    for (const simdjson::dom::element pod : pods) {
      const Result<PodRef> parsed = parse_pod(simdjson::minify(pod), options);
      if (parsed.ok()) c.pods.push_back(*parsed);
    }
    if (!c.pods.empty()) out.push_back(std::move(c));
  }
  return out;
}

FrameworkRef framework_of(const Case& c) {
  const Result<ConfigRef> config =
      parse_config(c.config.empty() ? "apiVersion: kubescheduler.config.k8s.io/v1\n"
                                      "kind: KubeSchedulerConfiguration\n"
                                    : c.config);
  if (!config.ok()) return nullptr;
  const Str profile = (*config)->profiles[0].scheduler_name;
  const auto made = Framework::create(*config, profile, in_tree_registry(), FeatureGates());
  return made.ok() ? *made : nullptr;
}

AskedAt asked_at(const Framework& framework, uint32_t plugin) {
  const auto at = [&](ExtensionPoint p) {
    const std::vector<uint32_t>& list = framework.at(p);
    return std::find(list.begin(), list.end(), plugin) != list.end();
  };
  return {at(ExtensionPoint::kPreFilter), at(ExtensionPoint::kFilter),
          at(ExtensionPoint::kPreScore), at(ExtensionPoint::kScore)};
}

// Objects that are rare or absent in the recorded cases.
const char* const kMoreObjects = R"(
{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: d},
 spec: {extendedResourceName: example.com/gpu}}
---
{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: e},
 spec: {extendedResourceName: example.com/none}}
---
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: default},
 spec: {selector: {app: web}}}
---
{apiVersion: v1, kind: Service, metadata: {name: db, namespace: default},
 spec: {selector: {app: db}}}
---
{apiVersion: v1, kind: Service, metadata: {name: cache, namespace: team-a},
 spec: {selector: {app: cache}}}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: wait},
 provisioner: lvm.csi.example.com, volumeBindingMode: WaitForFirstConsumer}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: tracked},
 provisioner: b.csi.example.com, volumeBindingMode: Immediate}
---
{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: b.csi.example.com},
 spec: {storageCapacity: true, preventPodSchedulingIfMissing: true}}
---
{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: ebs.csi.example.com},
 spec: {storageCapacity: true, preventPodSchedulingIfMissing: true}}
---
{apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity, metadata: {name: all, namespace: default},
 capacity: 100Gi, storageClassName: tracked, nodeTopology: {}}
---
{apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity, metadata: {name: more, namespace: default},
 capacity: 100Gi, storageClassName: wait, nodeTopology: {}}
---
{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: node-001},
 spec: {drivers: [{name: b.csi.example.com, nodeID: x, allocatable: {count: 1}}]}}
)";
std::vector<ObjectSet> more_objects() {
  std::vector<ObjectSet> out;
  std::string all = kMoreObjects;
  for (size_t begin = 0; begin < all.size();) {
    const size_t end = std::min(all.find("---", begin), all.size());
    Result<ObjectSet> set = parse_objects(all.substr(begin, end - begin), {});
    REQUIRE_MESSAGE(set.ok(), set.error().text());
    out.push_back(std::move(*set));
    begin = end + 3;
  }
  return out;
}

// A cluster that changes at random: objects of two cases with similar names are added, removed and
// replaced.
class Churn {
 public:
  Churn(const Case& c, const Case& other, unsigned seed) : rng_(seed) {
    for (const Case* of : {&c, &other})
      for (const ObjectSet& set : of->objects) objects_.push_back(&set);
    for (const ObjectSet& set : more_) objects_.push_back(&set);
    for (const ObjectSet& set : c.objects) static_cast<void>(cluster_->apply(set));
    pods_ = c.pods;
  }
  Cluster& cluster() { return *cluster_; }
  size_t below(size_t n) { return n == 0 ? 0 : rng_() % n; }

  void step() {
    switch (below(16)) {
      case 0: static_cast<void>(cluster_->fork()); return;
      case 1: static_cast<void>(cluster_->commit()); return;
      case 2:
      case 3: static_cast<void>(cluster_->revert()); return;
      case 4: {  // continues with a copy if no fork is open
        const Ref<Cluster> copy = cluster_->clone();
        if (cluster_->fork_depth() == 0) cluster_ = copy;
        return;
      }
      case 5:
      case 6: {
        const Pod& pod = *pods_[below(pods_.size())];
        if (const Str node = random_node(); !node.empty())
          static_cast<void>(cluster_->assume(pod, std::string(node)));
        return;
      }
      case 7: {
        const Pod& pod = *pods_[below(pods_.size())];
        static_cast<void>(cluster_->forget(pod.meta.ns, pod.meta.name));
        return;
      }
      case 8:
      case 9:
      case 10: remove(*objects_[below(objects_.size())]); return;
      default: static_cast<void>(cluster_->apply(*objects_[below(objects_.size())])); return;
    }
  }
  // Some of the nodes, and at times all.
  std::vector<uint32_t> some_rows() {
    std::vector<uint32_t> rows;
    const bool all = below(3) == 0;
    cluster_->view().live().for_each([&](size_t r) {
      if (all || below(2) == 0) rows.push_back(static_cast<uint32_t>(r));
    });
    return rows;
  }

 private:
  Str random_node() {
    const View& v = cluster_->view();
    return v.order().empty() ? Str() : Str(v.row(v.order()[below(v.order().size())]).name);
  }
  void remove(const ObjectSet& set) {
    for (const NodeRef& n : set.nodes) static_cast<void>(cluster_->remove_node(n->meta.name));
    for (const PodRef& p : set.pods)
      static_cast<void>(cluster_->remove_pod(p->meta.ns, p->meta.name));
    for (const StoredObject& o : set.stored)
      static_cast<void>(cluster_->remove_object(o.kind, o.object->meta.ns, o.object->meta.name));
    for (const NamespaceRef& n : set.namespaces)
      static_cast<void>(cluster_->remove_object(StoredKind::kNamespace, "", n->meta.name));
  }

  std::mt19937 rng_;
  const std::vector<ObjectSet> more_ = more_objects();
  Ref<Cluster> cluster_ = make_ref<Cluster>();
  std::vector<const ObjectSet*> objects_;
  std::vector<PodRef> pods_;
};

const char* const kKinds[] = {"basic",  "changes", "config",  "csilimit",     "defaultspread",
                              "images", "mixed",   "mutated", "nodeaffinity", "podaffinity",
                              "ports",  "spread",  "preempt", "taints",       "volumes"};

// All plugins that filter or score, each with two pods.
struct Asked {
  std::string name;
  const Plugin* plugin;
  AskedAt at;
  PodRef pod;
  PodRef twin;  // with another name and uid; null if its class would differ
};
PodRef twin_of(const Pod& pod) {
  PodRef twin(copy_pod(pod, "twin", pod.meta.ns, "twin-uid", pod.spec.node_name));
  return pod_class(*twin) == pod_class(pod) ? twin : nullptr;
}
std::vector<Asked> asked_of(const Framework& framework, const Case& c, size_t round) {
  std::vector<Asked> out;
  for (uint32_t i = 0; i < framework.plugins().size(); ++i) {
    const Plugin* plugin = framework.plugins()[i].plugin.get();
    const AskedAt at = asked_at(framework, i);
    if (plugin == nullptr || !(at.filter || at.score)) continue;
    for (size_t p = 0; p < std::min<size_t>(2, c.pods.size()); ++p) {
      const PodRef& pod = c.pods[(round + p) % c.pods.size()];
      out.push_back({framework.plugins()[i].name, plugin, at, pod, twin_of(*pod)});
    }
  }
  return out;
}

// Calls f(framework, case, churn) for `factor` times a few cases of every kind: all of them in each
// round, with other changes in the next.
template <typename F>
void for_each_case(size_t factor, F&& f) {
  for (const char* kind : kKinds)
    for (size_t round = 0; round < factor; ++round) {
      const std::vector<Case> cases = read_cases(kind, round, 40);
      for (size_t k = 0; k < cases.size(); ++k) {
        CAPTURE(cases[k].name);
        const FrameworkRef framework = framework_of(cases[k]);
        if (!framework) continue;
        Churn churn(cases[k], cases[(k + 1) % cases.size()],
                    static_cast<unsigned>(round * 1000 + k));
        f(asked_of(*framework, cases[k], round), &churn);
      }
    }
}

size_t factor() {
  const char* const given = std::getenv("LIBSCHED_CASES");
  return given == nullptr ? 1 : static_cast<size_t>(std::max(1L, std::atol(given)));
}

TEST_CASE("answers that are kept by what plugins declare equal fresh ones") {
  size_t judged = 0, live = 0, steps = 0, twins = 0;
  for_each_case(factor(), [&](const std::vector<Asked>& asked, Churn* churn) {
    std::vector<KeptAnswers> kept;
    for (const Asked& a : asked) kept.emplace_back(*a.plugin, a.at, a.pod);
    for (int step = 0; step < 40; ++step, ++steps) {
      CAPTURE(step);
      if (step != 0) churn->step();
      churn->cluster().refresh();
      const View& view = churn->cluster().view();
      for (size_t i = 0; i < kept.size(); ++i) {
        if (churn->below(3) == 0) continue;  // sees several changes at once later
        CAPTURE(asked[i].name);
        CAPTURE(asked[i].pod->meta.name);
        kept[i].bring_up_to_date(view);
        const std::vector<uint32_t> some = churn->some_rows();
        REQUIRE(kept[i].difference(view, some) == "");
        // Another pod of the class gets the same answers.
        if (!asked[i].twin) continue;
        ++twins;
        REQUIRE(kept[i].difference(view, *asked[i].twin, some) == "");
      }
    }
    for (const KeptAnswers& k : kept) {
      judged += k.judged();
      live += k.live();
    }
  });
  MESSAGE(steps, " changes; ", judged, " of ", live, " rows judged again");
  CHECK(steps > 1000);
  CHECK(twins > 10000);
  CHECK(judged * 3 < live);
}

// Removes one bit of a plugin's declaration.
struct Less {
  bool score = false, any = false;
  ChangeKinds bit = 0;

  void operator()(Dependencies* reads) const {
    Reads& of = score ? reads->score : reads->filter;
    (any ? of.any : of.row) &= ~bit;
  }
};
std::vector<Less> all_less(const Dependencies& reads) {
  std::vector<Less> out;
  for (const bool score : {false, true})
    for (const bool any : {false, true})
      for (uint32_t b = 0; b < 32; ++b) {
        const Reads& of = score ? reads.score : reads.filter;
        const Less less{score, any, 1U << b};
        // A new node is judged anyway, as are all nodes if others count.
        if (!any && less.bit == kNodeChanged) continue;
        if (score && of.others) continue;
        if (((any ? of.any : of.row) & less.bit) != 0) out.push_back(less);
      }
  return out;
}

TEST_CASE("a plugin with a kind of change missing in its declaration is found") {
  std::map<std::string, bool> found;  // by plugin, point and kind of change
  for_each_case(2 * factor(), [&](const std::vector<Asked>& asked, Churn* churn) {
    struct Liar {
      std::string name;
      KeptAnswers kept;
    };
    std::vector<Liar> liars;
    for (const Asked& a : asked)
      for (const Less& less : all_less(a.plugin->depends_on(churn->cluster().view(), *a.pod))) {
        const std::string name = a.name + (less.score ? " score" : " filter") +
                                 (less.any ? " any " : " row ") + std::to_string(less.bit);
        if (!found.try_emplace(name).first->second)
          liars.push_back({name, KeptAnswers(*a.plugin, a.at, a.pod, less)});
      }
    for (int step = 0; step < 60; ++step) {
      if (step != 0) churn->step();
      churn->cluster().refresh();
      const View& view = churn->cluster().view();
      const std::vector<uint32_t> some = churn->some_rows();
      for (Liar& liar : liars) {
        if (found[liar.name]) continue;
        liar.kept.bring_up_to_date(view);
        found[liar.name] = !liar.kept.difference(view, some).empty();
      }
    }
  });
  // A single kind may be rare, but each plugin must be caught at least once.
  std::map<std::string, bool> plugins;
  size_t caught = 0;
  std::string missed;
  for (const auto& [name, yes] : found) {
    caught += yes;
    if (!yes) missed += "; " + name;
    bool& any = plugins[name.substr(0, name.find(' '))];
    any = any || yes;
  }
  MESSAGE(caught, " of ", found.size(), " found out; not", missed);
  CHECK(plugins.size() >= 13);
  for (const auto& [name, any] : plugins) CHECK_MESSAGE(any, name);
  CHECK(caught * 2 > found.size());
}

TEST_CASE("signatures that are kept by class equal fresh ones") {
  size_t compared = 0, signable = 0;
  for (const char* kind : {"basic", "taints", "ports", "nodeaffinity", "images", "volumes"}) {
    std::vector<Case> cases = read_cases(kind, 0, 40);
    for (size_t k = 0; k < cases.size(); ++k) {
      // With default spread constraints pods are not signed.
      cases[k].config =
          "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
          "profiles: [{pluginConfig: [{name: PodTopologySpread, args: {defaultingType: List}}]}]";
      const FrameworkRef framework = framework_of(cases[k]);
      REQUIRE(framework);
      Churn churn(cases[k], cases[(k + 1) % cases.size()], static_cast<unsigned>(k));
      std::optional<Evaluator> kept;
      for (int step = 0; step < 60; ++step) {
        if (step != 0) churn.step();
        if (!kept || kept->cluster() != &churn.cluster())
          kept.emplace(framework, Ref<Cluster>::share(&churn.cluster()));
        for (const PodRef& pod : cases[k].pods) {
          Evaluator fresh(framework, Ref<Cluster>::share(&churn.cluster()));
          const std::string signature = fresh.sign_pod(*pod);
          REQUIRE(kept->sign_pod(*pod) == signature);
          if (const PodRef twin = twin_of(*pod)) REQUIRE(kept->sign_pod(*twin) == signature);
          ++compared;
          signable += !signature.empty();
        }
      }
    }
  }
  CHECK(compared > 500);
  CHECK(signable > 200);
}

TEST_CASE("a new plain pod concerns only its node, for any plain pod") {
  const Case c;
  const FrameworkRef framework = framework_of(c);
  Ref<Cluster> cluster = make_ref<Cluster>();
  const auto apply = [&](const std::string& text) {
    const Result<ObjectSet> set = parse_objects(text, {});
    REQUIRE_MESSAGE(set.ok(), set.error().text());
    REQUIRE(cluster->apply(*set).ok());
  };
  apply(
      "{apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {cpu: 9}}}\n---\n"
      "{apiVersion: v1, kind: Node, metadata: {name: b}, status: {allocatable: {cpu: 9}}}\n---\n"
      "{apiVersion: v1, kind: Pod, metadata: {name: anti}, spec: {nodeName: b, affinity: "
      "{podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
      "[{topologyKey: zone, labelSelector: {}}]}}}}\n---\n"
      "{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {selector: {app: other}}}");
  const Result<PodRef> pod = parse_pod(
      "{metadata: {name: p, labels: {app: web}}, spec: {tolerations: [{operator: Exists}], "
      "containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]}}",
      {});
  REQUIRE(pod.ok());
  // Whether a plugin's answers about all nodes, or about this row, may have changed.
  const auto hits = [&](const ChangeLog::Cursor& cursor, bool any) {
    std::set<std::string> out;
    const View& view = cluster->view();
    for (const Framework::Instance& i : framework->plugins()) {
      if ((i.points & (point_bit(ExtensionPoint::kFilter) | point_bit(ExtensionPoint::kScore))) ==
          0)
        continue;
      const Dependencies reads = i.plugin->depends_on(view, **pod);
      REQUIRE(view.log().for_each_since(cursor, [&](uint32_t row, ChangeKinds kinds) {
        for (const Reads& r : {reads.filter, reads.score})
          if (any ? r.others || r.any_hit(kinds) : row != kNoId && r.row_hit(kinds))
            out.insert(i.name);
      }));
    }
    return out;
  };
  using Names = std::set<std::string>;
  ChangeLog::Cursor at = cluster->view().log().cursor();
  apply(
      "{apiVersion: v1, kind: Pod, metadata: {name: q, labels: {app: web}}, spec: {nodeName: a}}");
  cluster->refresh();
  CHECK(hits(at, true) == Names{});
  CHECK(hits(at, false) == Names{"NodeResourcesBalancedAllocation", "NodeResourcesFit"});
  at = cluster->view().log().cursor();
  apply("{apiVersion: v1, kind: Node, metadata: {name: c}, status: {allocatable: {cpu: 9}}}");
  cluster->refresh();
  CHECK(hits(at, true) == Names{"ImageLocality"});  // the number of nodes
  at = cluster->view().log().cursor();
  apply("{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {selector: {app: web}}}");
  CHECK(hits(at, true) == Names{"PodTopologySpread"});
  at = cluster->view().log().cursor();
  REQUIRE(cluster->remove_pod("default", "anti").ok());
  CHECK(hits(at, true) == Names{"InterPodAffinity", "PodTopologySpread"});
}

}  // namespace
}  // namespace libsched
