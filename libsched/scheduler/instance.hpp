// New pods like existing ones.
#pragma once

#include "libsched/objects/pod.hpp"

namespace libsched {

// A pod that a controller could make from the same template as `pod`: another name, no uid, node,
// times or status. `pod` stays alive as long as the new one.
inline Ref<Pod> new_instance(const Pod& pod, Str name) {
  Ref<Pod> made = copy_pod(pod, name, pod.meta.ns, {}, {});
  const bool resized = pod.status.has_resources || pod.status.containers.size() != 0 ||
                       pod.status.init_containers.size() != 0;
  made->status = {};
  made->meta.created = made->meta.deleted = {};
  if (resized) derive_pod(*made);
  return made;
}

}  // namespace libsched
