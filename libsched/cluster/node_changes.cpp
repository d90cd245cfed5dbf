// node_changes: comparing nodes part by part.
#include "libsched/cluster/node_changes.hpp"

#include <algorithm>

namespace libsched {
namespace {

bool same_labels(Labels a, Labels b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Label& x, const Label& y) {
    return x.key == y.key && x.value == y.value;
  });
}

bool same_taints(const Node& a, const Node& b) {
  return a.unschedulable == b.unschedulable &&
         std::equal(a.taints.begin(), a.taints.end(), b.taints.begin(), b.taints.end(),
                    [](const Taint& x, const Taint& y) {
                      return x.key == y.key && x.value == y.value && x.effect == y.effect &&
                             x.effect_text == y.effect_text;
                    });
}

bool same_resources(const Resources& a, const Resources& b) {
  return a.milli_cpu == b.milli_cpu && a.memory == b.memory &&
         a.ephemeral_storage == b.ephemeral_storage && a.pods == b.pods &&
         std::equal(a.scalars.begin(), a.scalars.end(), b.scalars.begin(), b.scalars.end(),
                    [](const ScalarAmount& x, const ScalarAmount& y) {
                      return x.name == y.name && x.value == y.value;
                    });
}

}  // namespace

ChangeKinds node_changes(const Node& before, const Node& after) {
  ChangeKinds kinds = 0;
  if (!before.images.empty() || !after.images.empty()) kinds |= kImagesChanged;
  if (&before == &after) return kinds;
  kinds |= kDetailsChanged;
  if (!same_labels(before.meta.labels, after.meta.labels)) kinds |= kLabelsChanged;
  if (!same_taints(before, after)) kinds |= kTaintsChanged;
  if (!same_resources(before.allocatable, after.allocatable)) kinds |= kAllocatableChanged;
  return kinds;
}

}  // namespace libsched
