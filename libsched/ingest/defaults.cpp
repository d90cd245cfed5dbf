// The order is upstream's: container requests from limits first, then pod-level resources from the
// containers' requests, then every amount rounded up to thousandths.
#include "libsched/ingest/defaults.hpp"

#include <unordered_set>

#include "libsched/objects/pod_parts.hpp"
#include "libsched/objects/quantity_sums.hpp"

namespace libsched {
namespace {

bool is_huge_page(Str name) { return name.starts_with("hugepages-"); }
bool is_pod_level_resource(Str name) {
  return name == "cpu" || name == "memory" || is_huge_page(name);
}

ResourceList sorted_copy(std::vector<NamedQuantity> list, Arena& arena) {
  std::sort(list.begin(), list.end(),
            [](const NamedQuantity& a, const NamedQuantity& b) { return a.name < b.name; });
  return arena.copy(list);
}

// Returns `list` plus the wanted entries of `more` whose names it lacks.
template <typename Wanted>
ResourceList with_missing(ResourceList list, ResourceList more, Wanted&& wanted, Arena& arena) {
  std::vector<NamedQuantity> merged(list.begin(), list.end());
  for (const NamedQuantity& item : more) {
    if (find_quantity(list, item.name) == nullptr && wanted(item.name)) merged.push_back(item);
  }
  return merged.size() == list.size() ? list : sorted_copy(std::move(merged), arena);
}

// The containers' largest total at any time: AggregateContainerRequests and -Limits.
void aggregate(const PodSpec& spec, ResourceList Container::* amounts, QuantitySums& total) {
  for (const Container& c : spec.containers) total.add(c.*amounts);
  QuantitySums sidecars, init;
  for (const Container& c : spec.init_containers) {
    init.raise(c.*amounts, sidecars);  // other resources stay as after the last sidecar
    if (!c.always_restarts) continue;
    total.add(c.*amounts);
    sidecars.add(c.*amounts);
  }
  total.raise(init.list());
}

void default_pod_level_resources(PodSpec& spec, Arena& arena) {
  if (!spec.resources_present) return;
  if (!spec.pod_limits.empty() || !spec.pod_requests.empty()) {
    QuantitySums limits;
    aggregate(spec, &Container::limits, limits);
    const auto wanted = [&](Str name) {
      return is_huge_page(name) && find_quantity(spec.pod_requests, name) == nullptr;
    };
    spec.pod_limits = with_missing(spec.pod_limits, limits.list(), wanted, arena);
  }
  if (spec.pod_limits.empty()) return;
  QuantitySums requests;
  aggregate(spec, &Container::requests, requests);
  const auto overcommittable = [](Str name) {
    return is_pod_level_resource(name) && !is_huge_page(name);
  };
  spec.pod_requests = with_missing(spec.pod_requests, requests.list(), overcommittable, arena);
  spec.pod_requests =
      with_missing(spec.pod_requests, spec.pod_limits, is_pod_level_resource, arena);
}

// Amounts finer than thousandths are rounded up to them.
void round_up(ResourceList& list, Arena& arena) {
  const auto is_whole = [](const NamedQuantity& item) {
    return Quantity::from_milli(item.quantity.milli_value()).compare(item.quantity) == 0;
  };
  if (std::all_of(list.begin(), list.end(), is_whole)) return;
  std::vector<NamedQuantity> rounded(list.begin(), list.end());
  for (NamedQuantity& item : rounded) item.quantity.round_up_to_milli();
  list = arena.copy(rounded);
}

void default_containers(Span<Container>& containers, bool host_network, Arena& arena) {
  std::vector<Container> filled(containers.begin(), containers.end());
  for (Container& c : filled) {
    c.requests = with_missing(c.requests, c.limits, [](Str) { return true; }, arena);
    std::vector<ContainerPort> ports(c.ports.begin(), c.ports.end());
    for (ContainerPort& p : ports) {
      if (p.protocol.empty()) p.protocol = "TCP";
      if (host_network && p.host_port == 0) p.host_port = p.container_port;
    }
    c.ports = arena.copy(ports);
  }
  containers = arena.copy(filled);
}

template <typename T>
void round_all(Span<T>& items, ResourceList T::* a, ResourceList T::* b, Arena& arena) {
  std::vector<T> rounded(items.begin(), items.end());
  for (T& item : rounded) {
    round_up(item.*a, arena);
    round_up(item.*b, arena);
  }
  items = arena.copy(rounded);
}

// The keys that the API server has put into the selector already.
std::unordered_set<Str> merged_keys(const LabelSelector& selector, SelectorOp op) {
  std::unordered_set<Str> keys;
  for (const Requirement& r : selector.match_expressions) {
    if (r.op == op && r.values.size() == 1) keys.insert(r.key);
  }
  return keys;
}

// matchLabelKeys and mismatchLabelKeys: the pod's own values become requirements of the selector.
void merge_label_keys(PodAffinityTerm& term, Labels labels, Arena& arena) {
  LabelSelector& selector = term.selector;
  if (!selector.present) return;
  std::vector<Requirement> merged(selector.match_expressions.begin(),
                                  selector.match_expressions.end());
  const auto merge = [&](Span<Str> keys, SelectorOp op, Str op_text) {
    if (keys.empty()) return;
    const std::unordered_set<Str> already = merged_keys(selector, op);
    for (const Str key : keys) {
      const Label* label = find_label(labels, key);
      if (label == nullptr || already.contains(key)) continue;
      Requirement& r = merged.emplace_back();
      r.key = label->key;
      r.key_hash = label->key_hash;
      r.op = op;
      r.op_text = op_text;
      r.values = {&label->value, 1};
      r.values_present = true;
    }
  };
  merge(term.match_label_keys, SelectorOp::kIn, "In");
  merge(term.mismatch_label_keys, SelectorOp::kNotIn, "NotIn");
  if (merged.size() != selector.match_expressions.size())
    selector.match_expressions = arena.copy(merged);
}

void merge_label_keys(Span<PodAffinityTerm>& terms, Labels labels, Arena& arena) {
  const auto has_keys = [](const PodAffinityTerm& t) {
    return !t.match_label_keys.empty() || !t.mismatch_label_keys.empty();
  };
  if (std::none_of(terms.begin(), terms.end(), has_keys)) return;
  std::vector<PodAffinityTerm> merged(terms.begin(), terms.end());
  for (PodAffinityTerm& t : merged) merge_label_keys(t, labels, arena);
  terms = arena.copy(merged);
}

}  // namespace

void set_pod_defaults(Pod& pod) {
  PodSpec& spec = pod.spec;
  Arena& arena = pod.arena;
  default_containers(spec.containers, spec.host_network, arena);
  default_containers(spec.init_containers, spec.host_network, arena);
  default_pod_level_resources(spec, arena);
  round_all(spec.containers, &Container::requests, &Container::limits, arena);
  round_all(spec.init_containers, &Container::requests, &Container::limits, arena);
  round_up(spec.overhead, arena);
  round_up(spec.pod_requests, arena);
  round_up(spec.pod_limits, arena);
  PodStatus& status = pod.status;
  round_all(status.containers, &ContainerStatus::requests, &ContainerStatus::allocated, arena);
  round_all(status.init_containers, &ContainerStatus::requests, &ContainerStatus::allocated, arena);
  round_up(status.pod_requests, arena);
  round_up(status.pod_allocated, arena);

  if (spec.scheduler_name.empty()) spec.scheduler_name = "default-scheduler";
  std::vector<Volume> volumes(spec.volumes.begin(), spec.volumes.end());
  for (Volume& v : volumes) {
    if (v.kind == VolumeKind::kRbd && v.pool.empty()) v.pool = "rbd";
    if (v.kind == VolumeKind::kAzureDisk && !v.disk_kind) v.disk_kind = "Shared";
  }
  spec.volumes = arena.copy(volumes);

  for (PodAffinity* a : {&spec.pod_affinity, &spec.pod_anti_affinity}) {
    merge_label_keys(a->required, pod.meta.labels, arena);
    merge_label_keys(a->preferred, pod.meta.labels, arena);
  }
}

void set_node_defaults(Node& node, const NodeCapacity& capacity) {
  if (!capacity.allocatable_present) node.allocatable_list = capacity.list;
  round_up(node.allocatable_list, node.arena);
}

void set_namespace_defaults(Namespace& ns) {
  std::vector<Label> labels;
  const Label name = make_label("kubernetes.io/metadata.name", ns.meta.name);
  for (const Label& label : ns.meta.labels) {
    if (label.key != name.key) labels.push_back(label);
  }
  labels.push_back(name);
  std::sort(labels.begin(), labels.end(),
            [](const Label& a, const Label& b) { return a.key < b.key; });
  ns.meta.labels = ns.arena.copy(labels);
}

void set_volume_defaults(PersistentVolume& pv) {
  if (pv.phase.empty()) pv.phase = "Pending";
  if (!pv.volume_mode) pv.volume_mode = "Filesystem";
  if (pv.capacity) pv.capacity->round_up_to_milli();
  for (VolumeSource* source : {&pv.source, &pv.in_tree})
    if (source->kind == VolumeKind::kAzureDisk && !source->disk_kind) source->disk_kind = "Shared";
}

void set_claim_defaults(PersistentVolumeClaim& claim) {
  if (claim.phase.empty()) claim.phase = "Pending";
  if (!claim.volume_mode) claim.volume_mode = "Filesystem";
  if (claim.request) claim.request->round_up_to_milli();
}

void set_limit_range_defaults(LimitRange& range) {
  const auto any = [](Str) { return true; };
  std::vector<LimitRangeItem> items(range.limits.begin(), range.limits.end());
  for (LimitRangeItem& item : items) {
    for (ResourceList* list : {&item.max, &item.min, &item.defaults, &item.default_requests,
                               &item.max_limit_request_ratio})
      round_up(*list, range.arena);
    if (item.type != "Container") continue;
    item.defaults = with_missing(item.defaults, item.max, any, range.arena);
    item.default_requests = with_missing(item.default_requests, item.defaults, any, range.arena);
    item.default_requests = with_missing(item.default_requests, item.min, any, range.arena);
  }
  range.limits = range.arena.copy(items);
}

void set_controller_defaults(Controller& controller, Labels template_labels) {
  LabelSelector& selector = controller.selector;
  if (template_labels.empty() || !selector.empty()) return;
  selector.present = true;
  selector.match_labels = template_labels;
}

PriorityClasses::PriorityClasses(const std::vector<PriorityClassRef>& own,
                                 const std::vector<PriorityClassRef>& more) {
  for (const auto* classes : {&own, &more}) {
    for (const PriorityClassRef& c : *classes) {
      by_name_.emplace(c->meta.name, c.get());
      if (c->global_default && (default_ == nullptr || c->value < default_->value)) {
        default_ = c.get();
      }
    }
  }
}

const PriorityClass* PriorityClasses::find(Str name) const {
  if (name.empty()) return default_;
  const auto at = by_name_.find(name);
  return at != by_name_.end() ? at->second : nullptr;
}

namespace {

// Returns false if there is no class of the pod's name.
bool set_priority(Pod& pod, const PriorityClasses& classes) {
  PodSpec& spec = pod.spec;
  const PriorityClass* found = classes.find(spec.priority_class_name);
  spec.priority = found != nullptr ? found->value : 0;
  if (pod.content_hash != 0) {  // with another class, the same document is another pod
    pod.content_hash = hash_mix(pod.content_hash, static_cast<uint32_t>(*spec.priority)) | 1;
    if (found != nullptr) {
      pod.content_hash = hash_str(found->preemption_policy, pod.content_hash) | 1;
      pod.content_hash = hash_str(found->meta.name, pod.content_hash) | 1;
    }
  }
  if (found == nullptr) return spec.priority_class_name.empty();
  spec.priority_class_name = pod.arena.copy(found->meta.name);
  if (spec.preemption_policy.empty()) {
    spec.preemption_policy = pod.arena.copy(found->preemption_policy);
  }
  return true;
}

}  // namespace

bool admit_priority(Pod& pod, const PriorityClasses& classes) {
  if (pod.spec.priority) return true;
  const bool known = set_priority(pod, classes);
  note_parts(pod);
  return known;
}

}  // namespace libsched
