// See daemon_pods.hpp.
#include "libsched/scheduler/control_plane/daemon_pods.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "libsched/objects/own_parts.hpp"
#include "libsched/objects/toleration_index.hpp"
#include "libsched/scheduler/instance.hpp"

namespace libsched {
namespace {

Toleration exists(Str key, TaintEffect effect, Str effect_text) {
  Toleration t;
  t.key = key;
  t.op = TolerationOp::kExists;
  t.op_text = "Exists";
  t.effect = effect;
  t.effect_text = effect_text;
  return t;
}

// What the controller adds, in its order; the last one only to pods on the host's network.
std::array<Toleration, 7> added_tolerations() {
  const auto no_execute = [](Str key) { return exists(key, TaintEffect::kNoExecute, "NoExecute"); };
  const auto no_schedule = [](Str key) {
    return exists(key, TaintEffect::kNoSchedule, "NoSchedule");
  };
  return {no_execute("node.kubernetes.io/not-ready"),
          no_execute("node.kubernetes.io/unreachable"),
          no_schedule("node.kubernetes.io/disk-pressure"),
          no_schedule("node.kubernetes.io/memory-pressure"),
          no_schedule("node.kubernetes.io/pid-pressure"),
          no_schedule("node.kubernetes.io/unschedulable"),
          no_schedule("node.kubernetes.io/network-unavailable")};
}
size_t added_count(const Pod& pod) { return pod.spec.host_network ? 7 : 6; }

bool tolerated(const Pod& pod, const Taint& taint) {
  const auto covers = [&](const Toleration& t) { return tolerates(t, taint, false); };
  if (std::ranges::any_of(pod.spec.tolerations, covers)) return true;
  const std::array<Toleration, 7> added = added_tolerations();
  return std::any_of(added.begin(), added.begin() + static_cast<ptrdiff_t>(added_count(pod)),
                     covers);
}

bool selected(const Pod& pod, const Node& node) {
  const Labels labels = node.meta.labels;
  for (const Label& wanted : pod.spec.node_selector) {
    const Label* const have = find_label(labels, wanted.key);
    if (have == nullptr || have->value != wanted.value) return false;
  }
  const NodeSelector& required = pod.spec.node_affinity.required;
  return !pod.spec.affinity_present || !pod.spec.node_affinity.present || !required.present ||
         node_selector_matches(required, labels, node.meta.name);
}

bool has_pod_of(const View& view, uint32_t row, const Pod& pod_template) {
  return std::ranges::any_of(view.row(row).pods, [&](uint32_t slot) {
    const ObjectMeta& meta = view.slot(slot).pod->meta;
    return meta.ns == pod_template.meta.ns &&
           std::ranges::any_of(meta.owners, [&](const OwnerReference& o) {
             return o.controller && o.kind == "DaemonSet" && o.name == pod_template.meta.name;
           });
  });
}

// As AddOrUpdateTolerationInPod: an equal toleration is replaced, another one is added at the end.
Span<Toleration> with_added(const Pod& pod, Arena& arena) {
  std::vector<Toleration> all(pod.spec.tolerations.begin(), pod.spec.tolerations.end());
  const std::array<Toleration, 7> added = added_tolerations();
  for (size_t i = 0; i < added_count(pod); ++i) {
    const Toleration& t = added[i];
    const auto same = std::ranges::find_if(all, [&](const Toleration& o) {
      return o.key == t.key && o.effect == t.effect && o.op == t.op && o.value == t.value;
    });
    if (same != all.end())
      *same = t;
    else
      all.push_back(t);
  }
  return arena.copy(all);
}

NodeSelector only_node(Str node, Arena& arena) {
  const Str values[] = {arena.copy(node)};
  Requirement name;
  name.key = "metadata.name";
  name.key_hash = hash_str(name.key);
  name.op = SelectorOp::kIn;
  name.op_text = "In";
  name.values = arena.copy(values, 1);
  name.values_present = true;
  NodeSelectorTerm term;
  term.match_fields = arena.copy(&name, 1);
  NodeSelector selector;
  selector.present = selector.terms_present = true;
  selector.terms = arena.copy(&term, 1);
  return selector;
}

}  // namespace

bool daemon_wants(const View& view, uint32_t row, const Pod& pod_template) {
  const Node* const node = view.node(row);
  if (node == nullptr) return false;
  const Str wanted = pod_template.spec.node_name;
  if (!wanted.empty() && wanted != node->meta.name) return false;
  if (!selected(pod_template, *node)) return false;
  for (const Taint& taint : node->taints) {
    const bool counts =
        taint.effect == TaintEffect::kNoSchedule || taint.effect == TaintEffect::kNoExecute;
    if (counts && !tolerated(pod_template, taint)) return false;
  }
  return !has_pod_of(view, row, pod_template);
}

Ref<Pod> daemon_pod(const Pod& pod_template, Str node, Str name) {
  const Ref<Pod> made = new_instance(pod_template, name);
  Arena& arena = made->arena;
  made->raw = {};
  made->spec.node_name = arena.copy(pod_template.spec.node_name);
  made->spec.tolerations = with_added(pod_template, arena);
  // The name of a copy of a template is not kept alive by copies of that copy.
  const OwnerReference owner{"apps/v1", "DaemonSet", arena.copy(pod_template.meta.name), Str("", 0),
                             true};
  made->meta.owners = arena.copy(&owner, 1);
  if (!node.empty()) {
    made->spec.affinity_present = made->spec.node_affinity.present = true;
    made->spec.node_affinity.required = only_node(node, arena);
  }
  derive_pod(*made);
  return with_own_parts(made);
}

}  // namespace libsched
