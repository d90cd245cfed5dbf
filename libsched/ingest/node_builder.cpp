// Nodes.
#include "libsched/ingest/defaults.hpp"
#include "libsched/ingest/object_builder.hpp"

namespace libsched {
namespace {

constexpr KeyTable kNode("apiVersion", "kind", "metadata", "spec", "status");
constexpr KeyTable kSpec("podCIDR", "podCIDRs", "providerID", "unschedulable", "taints",
                         "configSource", "externalID");
constexpr KeyTable kTaint("key", "value", "effect", "timeAdded");
constexpr KeyTable kStatus("capacity", "allocatable", "phase", "conditions", "addresses",
                           "daemonEndpoints", "nodeInfo", "images", "volumesInUse",
                           "volumesAttached", "config", "runtimeHandlers", "features",
                           "declaredFeatures");
constexpr KeyTable kImage("names", "sizeBytes");

}  // namespace

bool ObjectBuilder::taint(Taint& taint) {
  return object(kTaint, [&](int field) {
    switch (field) {
      case kTaint["key"]: return string(taint.key);
      case kTaint["value"]: return string(taint.value);
      case kTaint["effect"]:
        if (!string(taint.effect_text)) return false;
        taint.effect = to_taint_effect(taint.effect_text);
        return true;
      default: return skip();
    }
  });
}

bool ObjectBuilder::node_spec(Node& node) {
  return object(kSpec, [&](int field) {
    switch (field) {
      case kSpec["unschedulable"]: return boolean(node.unschedulable);
      case kSpec["taints"]: return list(node.taints, [&](Taint& t) { return taint(t); });
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
  return object(kStatus, [&](int field) {
    switch (field) {
      case kStatus["allocatable"]:
        capacity.allocatable_present = !reader_.is_null();
        return resource_list(node.allocatable_list);
      case kStatus["capacity"]: return resource_list(capacity.list);
      case kStatus["images"]: return list(node.images, [&](ContainerImage& i) { return image(i); });
      case kStatus["declaredFeatures"]: return string_list(node.declared_features);
      default: return skip();
    }
  });
}

Ref<Node> ObjectBuilder::node(Str api_version, Str kind) {
  auto node = make_ref<Node>(arena_estimate_);
  start(node->arena);
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
  derive_node(*node);
  remember_document(*node, begin);
  learn_size(node->arena);
  return node;
}

}  // namespace libsched
