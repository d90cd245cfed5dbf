// Nodes as documents.
#include "libsched/ingest/write/parts.hpp"
#include "libsched/ingest/write/write.hpp"

namespace libsched {

void write_node(JsonText& json, const Node& node) {
  json.object([&] {
    write_head(json, "v1", "Node", node.meta);
    json.object("spec", [&] {
      json.true_if("unschedulable", node.unschedulable);
      json.objects_if("taints", node.taints, [&](const Taint& t) {
        json.field("key", t.key);
        json.field_if("value", t.value);
        json.field("effect", t.effect_text);
      });
      if (node.preemption_policy_present)
        json.object("podPreemptionPolicy",
                    [&] { json.strings_if("disableResizePreemption", node.no_resize_preemption); });
    });
    json.object("status", [&] {
      if (!node.capacity_list.empty()) json.amounts("capacity", node.capacity_list);
      json.amounts("allocatable", node.allocatable_list);
      json.objects_if("images", node.images, [&](const ContainerImage& image) {
        json.strings_if("names", image.names);
        json.number_if("sizeBytes", image.size_bytes);
      });
      json.strings_if("declaredFeatures", node.declared_features);
      if (!node.kubelet_version.empty())
        json.object("nodeInfo", [&] { json.field("kubeletVersion", node.kubelet_version); });
    });
  });
}

}  // namespace libsched
