// Nodes.
#include "libsched/ingest/defaults.hpp"
#include "libsched/ingest/object_builder.hpp"

namespace libsched {
namespace {

constexpr KeyTable kNode("apiVersion", "kind", "metadata", "spec", "status");
constexpr KeyTable kNodeSpec("podCIDR", "podCIDRs", "providerID", "unschedulable", "taints",
                             "configSource", "externalID", "podPreemptionPolicy");
constexpr KeyTable kPreemptionPolicy("disableResizePreemption");
constexpr KeyTable kTaint("key", "value", "effect", "timeAdded");
constexpr KeyTable kNodeStatus("capacity", "allocatable", "phase", "conditions", "addresses",
                               "daemonEndpoints", "nodeInfo", "images", "volumesInUse",
                               "volumesAttached", "config", "runtimeHandlers", "features",
                               "declaredFeatures");
constexpr KeyTable kImage("names", "sizeBytes");
constexpr KeyTable kNodeInfo("machineID", "systemUUID", "bootID", "kernelVersion", "osImage",
                             "containerRuntimeVersion", "kubeletVersion", "kubeProxyVersion",
                             "operatingSystem", "architecture", "swap");
constexpr KeyTable kNodeCondition("type", "status", "lastHeartbeatTime", "lastTransitionTime",
                                  "reason", "message");

void keep_capacity(Node& node, ResourceList capacity) {
  std::vector<NamedQuantity> kept;
  for (const NamedQuantity& q : capacity) {
    if (!is_extended_resource_name(q.name)) continue;
    const Quantity* usable = find_quantity(node.allocatable_list, q.name);
    if (q.quantity.compare(usable == nullptr ? Quantity() : *usable) > 0) kept.push_back(q);
  }
  node.capacity_list = node.arena.copy(kept);
}

}  // namespace

bool ObjectBuilder::taint(Taint& taint, Time& added) {
  return object(kTaint, [&](int field) {
    switch (field) {
      case kTaint["key"]: return string(taint.key);
      case kTaint["value"]: return string(taint.value);
      case kTaint["effect"]:
        if (!string(taint.effect_text)) return false;
        taint.effect = to_taint_effect(taint.effect_text);
        return true;
      default: return time(added);
    }
  });
}

bool ObjectBuilder::taints(Node& node) {
  uint64_t hash = 0, place = 0;
  const bool ok = list(node.taints, [&](Taint& t) {
    Time added;
    if (!taint(t, added)) return false;
    ++place;
    if (added.present) hash += hash_mix(place, static_cast<uint64_t>(added.ns));
    return true;
  });
  node.taint_times_hash = hash;
  return ok;
}

// The last status of a repeated type counts, as in upstream's map.
bool ObjectBuilder::node_conditions(uint64_t& hash) {
  if (reader_.is_null()) return null();
  if (!reader_.enter('[')) return false;
  conditions_.clear();
  if (!reader_.take(']')) {
    do {
      Str type, status;
      const bool ok = object(kNodeCondition, [&](int field) {
        if (field == kNodeCondition["type"]) return passing_string(key_text_, type);
        return field == kNodeCondition["status"] ? passing_string(value_text_, status) : skip();
      });
      if (!ok) return false;
      const uint64_t of_type = hash_str(type);
      conditions_.emplace_back(of_type, hash_str(status, of_type));
    } while (reader_.take(','));
    if (!reader_.expect(']')) return false;
  }
  reader_.leave();
  std::stable_sort(conditions_.begin(), conditions_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < conditions_.size(); ++i)
    if (i + 1 == conditions_.size() || conditions_[i + 1].first != conditions_[i].first)
      hash += conditions_[i].second;
  return true;
}

bool ObjectBuilder::node_spec(Node& node) {
  return object(kNodeSpec, [&](int field) {
    switch (field) {
      case kNodeSpec["unschedulable"]: return boolean(node.unschedulable);
      case kNodeSpec["taints"]: return taints(node);
      case kNodeSpec["podPreemptionPolicy"]:
        node.preemption_policy_present = !reader_.is_null();
        return object(kPreemptionPolicy,
                      [&](int) { return string_list(node.no_resize_preemption); });
      default: return skip();
    }
  });
}

bool ObjectBuilder::image(ContainerImage& image) {
  return object(kImage, [&](int field) {
    return field == kImage["names"] ? string_list(image.names) : int64(image.size_bytes);
  });
}

bool ObjectBuilder::node_status(Node& node, NodeCapacity& capacity) {
  return object(kNodeStatus, [&](int field) {
    switch (field) {
      case kNodeStatus["allocatable"]:
        capacity.allocatable_present = !reader_.is_null();
        return resource_list(node.allocatable_list);
      case kNodeStatus["capacity"]: return resource_list(capacity.list);
      case kNodeStatus["images"]:
        return list(node.images, [&](ContainerImage& i) { return image(i); });
      case kNodeStatus["conditions"]: return node_conditions(node.conditions_hash);
      case kNodeStatus["declaredFeatures"]: return string_list(node.declared_features);
      case kNodeStatus["nodeInfo"]:
        return object(kNodeInfo, [&](int field) {
          return field == kNodeInfo["kubeletVersion"] ? string(node.kubelet_version) : skip();
        });
      default: return skip();
    }
  });
}

Ref<Node> ObjectBuilder::node(Str api_version, Str kind) {
  auto node = make_ref<Node>(arena_estimate_);
  start(node->arena);
  keep_annotations(/*hash=*/true);
  NodeCapacity capacity;
  const size_t begin = reader_.offset();
  const bool ok = object(kNode, [&](int field) {
    switch (field) {
      case kNode["apiVersion"]: return type_field(api_version);
      case kNode["kind"]: return type_field(kind);
      case kNode["metadata"]: return metadata(node->meta);
      case kNode["spec"]: return node_spec(*node);
      case kNode["status"]: return node_status(*node, capacity);
      default: return skip();
    }
  });
  if (!ok || !finish_meta(node->meta, /*namespaced=*/false, begin)) return nullptr;
  if (options_.defaults) set_node_defaults(*node, capacity);
  keep_capacity(*node, capacity.list);
  node->annotations_hash = annotations_hash_;
  derive_node(*node);
  remember_document(*node, begin);
  learn_size(node->arena);
  return node;
}

}  // namespace libsched
