// See node_objects.hpp.
#include "libsched/scheduler/what_if/node_objects.hpp"

#include <string>
#include <vector>

#include "libsched/objects/resource_slice.hpp"
#include "libsched/objects/storage.hpp"

namespace libsched {
namespace {

// They live on while others are added or removed.
std::vector<ResourceSliceRef> slices_of(const View& view, Str node) {
  std::vector<ResourceSliceRef> out;
  view.objects().for_each<ResourceSlice>([&](const ResourceSlice& s) {
    if (!node.empty() && s.node_name == node) out.push_back(ResourceSliceRef::share(&s));
  });
  return out;
}

Result<void> copy_csi_node(Cluster& cluster, Str of, Str node) {
  const ObjectStore& objects = cluster.view().objects();
  const auto* const there = objects.find<CsiNode>(of);
  if (there == nullptr || objects.find<CsiNode>(node) != nullptr) return {};
  const Ref<CsiNode> made = make_ref<CsiNode>();
  made->origin = there->origin ? there->origin : Ref<const Object>::share(there);
  made->meta = there->meta;
  made->meta.name = made->arena.copy(node);
  made->meta.uid = Str("", 0);
  made->meta.key_hash = object_key_hash({}, node);
  made->drivers = there->drivers;
  return cluster.put_object(StoredKind::kCsiNode, ObjectRef(made));
}

Result<void> copy_slices(Cluster& cluster, Str of, Str node) {
  const auto taken = [&](Str name) {
    return cluster.view().objects().find<ResourceSlice>(name) != nullptr;
  };
  for (const ResourceSliceRef& slice : slices_of(cluster.view(), of)) {
    const std::string wanted = std::string(slice->meta.name) + "-" + std::string(node);
    std::string name = wanted;
    for (size_t n = 0; taken(name); ++n) name = wanted + "-" + std::to_string(n);
    const Ref<ResourceSlice> made = make_ref<ResourceSlice>(256);
    Arena& arena = made->arena;
    made->origin = ObjectRef(slice);
    made->meta = slice->meta;
    made->meta.name = arena.copy(name);
    made->meta.uid = made->meta.resource_version = Str("", 0);
    made->meta.owners = {};
    made->meta.key_hash = object_key_hash({}, made->meta.name);
    made->driver = slice->driver;
    made->pool = arena.copy(slice->pool == of ? std::string(node)
                                              : std::string(slice->pool) + "-" + std::string(node));
    made->generation = slice->generation;
    made->slice_count = slice->slice_count;
    made->node_name = arena.copy(node);
    made->devices = slice->devices;
    made->shared_counters = slice->shared_counters;
    LIBSCHED_TRY(cluster.put_object(StoredKind::kResourceSlice, ObjectRef(made)));
  }
  return {};
}

}  // namespace

Result<void> copy_node_objects(Cluster& cluster, Str of, Str node) {
  LIBSCHED_TRY(copy_csi_node(cluster, of, node));
  return copy_slices(cluster, of, node);
}

Result<void> remove_node_slices(Cluster& cluster, Str node) {
  for (const ResourceSliceRef& slice : slices_of(cluster.view(), node))
    LIBSCHED_TRY(cluster.remove_object(StoredKind::kResourceSlice, {}, slice->meta.name));
  return {};
}

}  // namespace libsched
