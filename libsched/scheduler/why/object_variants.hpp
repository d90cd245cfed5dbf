// Changes of objects that the pod needs, which may let it fit: each still has to be tried.
#pragma once

#include <utility>
#include <vector>

#include "libsched/scheduler/why/why.hpp"

namespace libsched {

struct ObjectVariant {
  Suggestion suggestion;
  // As they would be.
  std::vector<std::pair<StoredKind, ObjectRef>> objects;
  NodeRef node;
};

// Claims without the node that was selected for them, and with a toleration of a taint of devices.
std::vector<ObjectVariant> object_variants(const View& view, const Pod& pod,
                                           const Rejections& rejections);

// Cordoned nodes as they are once they are uncordoned.
std::vector<ObjectVariant> uncordoned_nodes(const View& view, const Rejections& rejections);

}  // namespace libsched
