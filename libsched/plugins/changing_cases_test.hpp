// For tests: the recorded cases of the conformance test, and clusters that change at random between
// two of them.
//
// LIBSCHED_CASES=n takes n times as many cases.
#pragma once

#include <doctest/doctest.h>
#include <simdjson.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "libsched/framework/framework.hpp"
#include "libsched/ingest/ingest.hpp"
#include "libsched/ingest/unpack.hpp"
#include "libsched/objects/pod_class.hpp"
#include "libsched/objects/pod_parts.hpp"
#include "libsched/plugins/in_tree.hpp"

namespace libsched {

struct Case {
  std::string name, config;
  std::vector<ObjectSet> objects;  // one each
  std::vector<PodRef> pods;
};

inline std::vector<Case> read_cases(const std::string& kind, size_t first, size_t step) {
  std::ifstream file(LIBSCHED_SOURCE_DIR "/tests/goldens/1.36/" + kind + ".evaluate.jsonl.xz",
                     std::ios::binary);
  REQUIRE_MESSAGE(file.good(), kind);
  const std::string packed((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
  const Result<Unpacked> text = unpack(packed, size_t{256} << 20);
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

inline FrameworkRef framework_of(const Case& c) {
  const Result<ConfigRef> config =
      parse_config(c.config.empty() ? "apiVersion: kubescheduler.config.k8s.io/v1\n"
                                      "kind: KubeSchedulerConfiguration\n"
                                    : c.config);
  if (!config.ok()) return nullptr;
  const Str profile = (*config)->profiles[0].scheduler_name;
  const auto made = Framework::create(*config, profile, in_tree_registry(), FeatureGates());
  return made.ok() ? *made : nullptr;
}

// Objects that are rare or absent in the recorded cases.
inline const char* const kMoreObjects = R"(
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
inline std::vector<ObjectSet> more_objects() {
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

inline const char* const kKinds[] = {"basic",         "changes",     "config", "csilimit",
                                     "defaultspread", "images",      "mixed",  "mutated",
                                     "nodeaffinity",  "podaffinity", "ports",  "spread",
                                     "preempt",       "taints",      "volumes"};

// A pod of the same class with another name and uid and one more volume, which no plugin looks
// into; null if name and uid are a part of the class.
inline PodRef twin_of(const Pod& pod) {
  const Ref<Pod> twin = copy_pod(pod, "twin", pod.meta.ns, "twin-uid", pod.spec.node_name);
  std::vector<Volume> volumes(pod.spec.volumes.begin(), pod.spec.volumes.end());
  volumes.insert(volumes.begin(), Volume())->name = "kube-api-access-twin";
  twin->spec.volumes = twin->arena.copy(volumes);
  note_parts(*twin);
  return pod_class(*twin) == pod_class(pod) ? PodRef(twin) : nullptr;
}
inline size_t factor() {
  const char* const given = std::getenv("LIBSCHED_CASES");
  return given == nullptr ? 1 : static_cast<size_t>(std::max(1L, std::atol(given)));
}

}  // namespace libsched
