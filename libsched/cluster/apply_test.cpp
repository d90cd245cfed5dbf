// Lists of changes: the effect of each mode, and that all changes happen or none, also inside
// forks.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "libsched/cluster/cluster.hpp"
#include "libsched/ingest/ingest.hpp"

namespace libsched::apply_test {

ObjectSet objects(const std::string& documents) {
  Result<ObjectSet> set = parse_objects(documents, {.keep_raw = true});
  REQUIRE_MESSAGE(set.ok(), set.error().text());
  return std::move(*set);
}
std::string pod(const std::string& name, const std::string& spec, const std::string& more = "") {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", namespace: d}, spec: {" +
         spec + "}" + more + "}\n";
}
std::string node(const std::string& name, const std::string& more = "") {
  return "---\n{apiVersion: v1, kind: Node, metadata: {name: " + name + more + "}}\n";
}
std::string kind(const std::string& api, const std::string& kind, const std::string& meta,
                 const std::string& more = "") {
  return "---\n{apiVersion: " + api + ", kind: " + kind + ", metadata: {" + meta + "}" + more +
         "}\n";
}
// An object of every kind that a cluster keeps.
std::string every_kind(const std::string& label) {
  const std::string l = ", labels: {x: " + label + "}", d = "name: o, namespace: d" + l,
                    n = "name: o" + l;
  const std::string template_ =
      ", spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {}}}";
  return kind("v1", "PersistentVolume", n, ", spec: {capacity: {storage: 1Gi}}") +
         kind("v1", "PersistentVolumeClaim", d, ", spec: {accessModes: [ReadWriteOnce]}") +
         kind("storage.k8s.io/v1", "StorageClass", n, ", provisioner: p") +
         kind("storage.k8s.io/v1", "CSINode", n, ", spec: {drivers: []}") +
         kind("storage.k8s.io/v1", "CSIDriver", n, ", spec: {}") +
         kind("storage.k8s.io/v1", "CSIStorageCapacity", d, ", storageClassName: c") +
         kind("storage.k8s.io/v1", "VolumeAttachment", n,
              ", spec: {attacher: a, nodeName: 'n', source: {}}") +
         kind("v1", "Service", d, ", spec: {}") +
         kind("v1", "ReplicationController", d,
              ", spec: {selector: {a: b}, template: {metadata: {labels: {a: b}}, spec: {}}}") +
         kind("apps/v1", "ReplicaSet", d, template_) +
         kind("apps/v1", "StatefulSet", d, template_) +
         kind("resource.k8s.io/v1", "DeviceClass", n, ", spec: {}") + kind("v1", "Namespace", n) +
         kind("scheduling.k8s.io/v1", "PriorityClass", n, ", value: 7") +
         kind("policy/v1", "PodDisruptionBudget", d, ", spec: {}") +
         kind("scheduling.k8s.io/v1alpha2", "PodGroup", d, ", spec: {}") +
         kind("resource.k8s.io/v1", "ResourceClaim", d, ", spec: {}") +
         kind("resource.k8s.io/v1", "ResourceClaimTemplate", d, ", spec: {}") +
         kind("resource.k8s.io/v1", "ResourceSlice", n, ", spec: {}") +
         kind("resource.k8s.io/v1beta2", "DeviceTaintRule", n, ", spec: {}") +
         kind("node.k8s.io/v1", "RuntimeClass", n, ", handler: h") +
         kind("scheduling.k8s.io/v1alpha3", "CompositePodGroup", d, ", spec: {}") +
         kind("v1", "LimitRange", d, ", spec: {limits: []}") + kind("v1", "Node", n) +
         kind("v1", "Pod", d, ", spec: {nodeName: o}");
}

// Everything that a part can change.
std::string show(const View& v) {
  std::string out;
  for (uint32_t r = 0; r < v.row_count(); ++r) {
    if (!v.row(r).used) continue;
    out += " " + v.row(r).name + (v.row(r).node ? "" : "?") + ":";
    if (v.row(r).node) out += std::string(v.node(r)->raw.substr(0, 80));
    for (const uint32_t s : v.row(r).pods)
      out += "+" + std::string(v.slot(s).pod->meta.name) + (v.slot(s).assumed ? "(assumed)" : "");
  }
  for (size_t k = 0; k < kStoredKinds; ++k)
    v.objects().for_each_object(static_cast<StoredKind>(k),
                                [&](const Object& o) { out += "\n" + std::string(o.raw); });
  return out;
}

size_t make(Cluster& c, const std::vector<Change>& parts) {
  const Result<size_t> n = c.apply(parts.data(), parts.size());
  REQUIRE_MESSAGE(n.ok(), n.error().text());
  return *n;
}
Error refused(Cluster& c, const std::vector<Change>& parts) {
  const std::string before = show(c.view());
  const uint64_t version = c.view().version();
  const Result<size_t> n = c.apply(parts.data(), parts.size());
  REQUIRE_FALSE(n.ok());
  CHECK(show(c.view()) == before);
  CHECK(c.view().version() == version);
  return n.error();
}
std::vector<Change> removals_of_every_kind() {
  std::vector<Change> parts = {RemovePod{"d", "o"}, RemoveNode{"o"}};
  for (size_t k = 0; k < kStoredKinds; ++k) {
    const auto kind = static_cast<StoredKind>(k);
    parts.push_back(RemoveObject{kind, is_namespaced(kind) ? "d" : "", "o"});
  }
  return parts;
}

TEST_CASE("every kind comes, changes and goes, in a fork as outside of one") {
  const ObjectSet first = objects(every_kind("a")), second = objects(every_kind("b"));
  constexpr size_t kAll = kStoredKinds + 2;
  for (const bool forked : {false, true}) {
    CAPTURE(forked);
    Ref<Cluster> c = make_ref<Cluster>();
    if (forked) REQUIRE(c->fork().ok());
    CHECK(make(*c, {PutObjects{&first}}) == kAll);
    const uint64_t version = c->view().version();
    const std::string before = show(c->view());
    for (size_t k = 0; k < kStoredKinds; ++k)
      CHECK(c->view().objects().count(static_cast<StoredKind>(k)) == 1);
    CHECK(make(*c, {PutObjects{&first}}) == 0);  // the same documents
    CHECK(make(*c, {PutObjects{&second, PutMode::kMissing}}) == 0);
    CHECK(make(*c, {PutNode{first.nodes[0]}, PutPod{first.pods[0]}, PutPod{first.pods[0], "o"}}) ==
          0);
    CHECK(c->view().version() == version);
    CHECK(show(c->view()) == before);
    CHECK(make(*c, {PutObjects{&second}}) == kAll);
    CHECK(show(c->view()) != before);
    CHECK(make(*c, {PutObjects{&second, PutMode::kUpdate}}) == kAll);
    CHECK(make(*c, {PutObjects{&first, PutMode::kUpdate, false, true}}) == kAll - 1);
    CHECK(make(*c, {PutObjects{&first, PutMode::kUpdate, true, false}}) == kAll - 1);
    CHECK(show(c->view()) == before);
    CHECK(refused(*c, {PutObjects{&first, PutMode::kNew}}).rc == Rc::kExists);
    CHECK(make(*c, removals_of_every_kind()) == kAll);
    CHECK(show(c->view()).empty());
    CHECK(make(*c, {PutObjects{&second, PutMode::kNew}}) == kAll);
    if (!forked) continue;
    REQUIRE(c->revert().ok());
    CHECK(show(c->view()).empty());
  }
}

TEST_CASE("a part sees the effects of earlier parts") {
  Ref<Cluster> c = make_ref<Cluster>();
  const ObjectSet set = objects(node("a") + node("b") + pod("p", "nodeName: a"));
  CHECK(make(*c, {PutPod{set.pods[0], "b"}, PutNode{set.nodes[0]}, PutNode{set.nodes[1]},
                  RemoveNode{"a"}, PutPod{set.pods[0], "b"}, PutPod{set.pods[0]},
                  RemovePod{"d", "p"}, PutPod{set.pods[0], "c", PutMode::kNew}}) == 7);
  CHECK(c->view().node_count() == 1);
  CHECK(c->view().row(c->view().slot(c->view().find_pod("d", "p")).row).name == "c");
}

TEST_CASE("the first invalid part undoes the earlier ones") {
  Ref<Cluster> c = make_ref<Cluster>();
  const ObjectSet set = objects(every_kind("a")), other = objects(every_kind("b"));
  const ObjectSet pods = objects(pod("lost", "") + pod("p", "nodeName: o"));
  CHECK(make(*c, {PutObjects{&set}}) == kStoredKinds + 2);
  for (const bool forked : {false, true}) {
    if (forked) REQUIRE(c->fork().ok());
    const auto after_all = [&](const Change& wrong) {
      std::vector<Change> parts = removals_of_every_kind();
      parts.insert(parts.begin(), {PutObjects{&other}, PutPod{pods.pods[1], "elsewhere"}});
      parts.push_back(PutObjects{&other});
      parts.push_back(wrong);
      return refused(*c, parts);
    };
    CHECK(after_all(RemoveNode{"x"}).message == "node \"x\" is not in the cluster");
    CHECK(after_all(RemovePod{"d", "x"}).message == "pod \"d/x\" is not in the cluster");
    CHECK(after_all(RemoveObject{StoredKind::kService, "d", "x"}).rc == Rc::kNotFound);
    CHECK(after_all(PutNode{set.nodes[0], PutMode::kNew}).message == "node \"o\" is there already");
    CHECK(after_all(PutPod{set.pods[0], "", PutMode::kNew}).rc == Rc::kExists);
    CHECK(after_all(PutObjects{&set, PutMode::kNew}).message == "Namespace \"o\" is there already");
    for (const PutMode mode : {PutMode::kNew, PutMode::kUpdate})
      CHECK(after_all(PutPod{pods.pods[0], "", mode}).message ==
            "pod \"d/lost\" has no nodeName, and none was given");
    CHECK(c->fork_depth() == (forked ? 1 : 0));
  }
}

TEST_CASE("pods that have ended or have no node leave the cluster, as text and as objects") {
  const ObjectSet runs = objects(node("a") + pod("p", "nodeName: a"));
  const ObjectSet ended = objects(pod("p", "nodeName: a", ", status: {phase: Succeeded}"));
  const ObjectSet unbound = objects(pod("p", ""));
  for (const ObjectSet* gone : {&ended, &unbound})
    for (const Change& part : {Change(PutObjects{gone}), Change(PutPod{gone->pods[0]})}) {
      Ref<Cluster> c = make_ref<Cluster>();
      CHECK(make(*c, {part}) == 0);
      CHECK(c->view().version() == 1);
      CHECK(make(*c, {PutObjects{&runs}, part}) == 3);
      CHECK(c->view().pod_count() == 0);
    }
  // An explicit update stores even a pod that has ended.
  Ref<Cluster> c = make_ref<Cluster>();
  CHECK(make(*c, {PutPod{ended.pods[0], "", PutMode::kUpdate}}) == 1);
  CHECK(c->view().pod_count() == 1);
  CHECK(make(*c, {PutObjects{&unbound, PutMode::kMissing}}) == 0);
  CHECK(c->view().pod_count() == 1);
}

TEST_CASE("a document is stored already only if each byte, the uid and the options are the same") {
  const std::string same =
      R"({"kind":"Node","metadata":{"name":"n","uid":"u","labels":{"zone":"a"},"annotations":{"note":)"
      R"("long enough for every lane of the hash, and a tail"}},"spec":{"taints":[{"key":"k","effect":)"
      R"("NoSchedule"}]},"status":{"allocatable":{"cpu":"8","memory":"16Gi","pods":"110"}}})";
  const auto node_of = [](const std::string& document, const ParseOptions& options) {
    return parse_node(document, options);
  };
  const Ref<Cluster> c = make_ref<Cluster>();
  const auto put = [&](const NodeRef& n) {  // whether it counted as a change
    const Change part = PutNode{n, PutMode::kApply};
    const Result<size_t> changed = c->apply(&part, 1);
    REQUIRE(changed.ok());
    return *changed == 1;
  };
  const NodeRef first = *node_of(same, {});
  REQUIRE(put(first));
  CHECK_FALSE(put(*node_of(same, {})));
  size_t others = 0;
  for (size_t i = 0; i < same.size(); ++i) {
    std::string other = same;
    other[i] = other[i] == 'x' ? 'y' : 'x';
    const Result<NodeRef> parsed = node_of(other, {});
    if (!parsed.ok() || (*parsed)->meta.name != "n") continue;
    CAPTURE(other);
    CHECK(put(*parsed));
    CHECK(put(first));
    ++others;
  }
  CHECK(others > 100);
  const NodeRef copy = copy_node(*first, "n", "v");  // has no document
  CHECK(put(copy));
  CHECK_FALSE(put(copy));
  CHECK(put(copy_node(*first, "n", "v")));
  CHECK(put(first));
  CHECK(put(*node_of(same, {.keep_raw = true})));
}

TEST_CASE("the same document confirms a pod that was assumed") {
  Ref<Cluster> c = make_ref<Cluster>();
  const ObjectSet set = objects(node("a") + pod("p", "nodeName: a"));
  make(*c, {PutNode{set.nodes[0]}});
  REQUIRE(c->assume(*set.pods[0], "").ok());
  CHECK(show(c->view()).ends_with("+p(assumed)"));
  CHECK(make(*c, {PutPod{set.pods[0]}}) == 1);
  CHECK(show(c->view()).ends_with("+p"));
}

}  // namespace libsched::apply_test
