// The hints of upstream's volumebinding/volume_binding.go, by kind of object.
#include "libsched/plugins/volumebinding/requeue.hpp"

#include <algorithm>

#include "libsched/plugins/hints.hpp"
#include "libsched/plugins/volumes/claims.hpp"

namespace libsched {
namespace {

bool same_topologies(Span<TopologySelectorTerm> a, Span<TopologySelectorTerm> b) {
  const auto same_requirement = [](const TopologySelectorRequirement& x,
                                   const TopologySelectorRequirement& y) {
    return x.key == y.key &&
           std::equal(x.values.begin(), x.values.end(), y.values.begin(), y.values.end());
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](const TopologySelectorTerm& x, const TopologySelectorTerm& y) {
                      return std::equal(x.requirements.begin(), x.requirements.end(),
                                        y.requirements.begin(), y.requirements.end(),
                                        same_requirement);
                    });
}

Str migrated_plugins(const CsiNode& node) {
  const Str* list = find_annotation(node.meta, kMigratedPluginsAnnotation);
  return list == nullptr ? Str() : *list;
}

const std::optional<Quantity>& limit_of(const CsiStorageCapacity& c) {
  return c.maximum_volume_size ? c.maximum_volume_size : c.capacity;
}

bool has_more(const CsiStorageCapacity& before, const CsiStorageCapacity& after) {
  const std::optional<Quantity>&was = limit_of(before), &is = limit_of(after);
  return is && (!was || is->value() > was->value());
}

// Whether an inline volume's driver no longer depends on tracked capacity.
bool stopped_tracking(const Pod& pod, const CsiDriver& before, const CsiDriver& after) {
  return before.storage_capacity && !after.storage_capacity &&
         std::any_of(pod.spec.volumes.begin(), pod.spec.volumes.end(), [&](const Volume& v) {
           return v.kind == VolumeKind::kCsi && v.id == after.meta.name;
         });
}

}  // namespace

Result<QueueingHint> hint_of_volumes(const Pod& pod, const ObjectChange& change) {
  if (change.resource == kVolumeEvents || change.resource == kNodeEvents)
    return QueueingHint::kQueue;
  if (!change.after) return no_object(change);
  if (change.resource == kClaimEvents)
    return queue_if(uses_claim(pod, *object_of<PersistentVolumeClaim>(change.after)));
  if (!change.before)
    return change.resource == kCsiDriverEvents ? Result<QueueingHint>(no_object(change))
                                               : QueueingHint::kQueue;
  if (change.resource == kStorageClassEvents)
    return queue_if(!same_topologies(object_of<StorageClass>(change.before)->allowed_topologies,
                                     object_of<StorageClass>(change.after)->allowed_topologies));
  if (change.resource == kCsiNodeEvents)
    return queue_if(migrated_plugins(*object_of<CsiNode>(change.before)) !=
                    migrated_plugins(*object_of<CsiNode>(change.after)));
  if (change.resource == kCsiDriverEvents)
    return queue_if(stopped_tracking(pod, *object_of<CsiDriver>(change.before),
                                     *object_of<CsiDriver>(change.after)));
  return queue_if(has_more(*object_of<CsiStorageCapacity>(change.before),
                           *object_of<CsiStorageCapacity>(change.after)));
}

}  // namespace libsched
