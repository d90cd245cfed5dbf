// Changes of a pod's fields by name.
//
//   requests.R, limits.R                  of the pod's only container
//   containers.C.requests.R, ...limits.R  of the container C, which may be an init container
//   nodeSelector.KEY, labels.KEY, priority, schedulerName
//
// R is cpu, memory, ephemeral-storage, a huge page or an extended resource. Where Kubernetes allows
// no overcommitment (huge pages, extended resources), request and limit change together. A request
// of the whole pod (spec.resources) takes the place of those of containers, if the pod has one.
#pragma once

#include <optional>

#include "libsched/base/result.hpp"
#include "libsched/objects/pod.hpp"

namespace libsched {

// A pod like `pod` with another value of the field; no value: without it. Status of a resize is
// dropped, and so is the kept document. Errors: kInvalid (no such field or container, a value that
// the API server refuses), kNotFound (a field to remove that is not there).
Result<Ref<Pod>> with_field(const Pod& pod, Str field, std::optional<Str> value);

}  // namespace libsched
