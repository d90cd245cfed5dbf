// The admission plugin RuntimeClass: a class's overhead, node selector and tolerations for pods.
#pragma once

#include <string>

#include "libsched/objects/admitting.hpp"
#include "libsched/scheduler/control_plane/pod_draft.hpp"

namespace libsched {

struct RuntimeClassOutcome {
  std::string note;   // what was done; "": nothing
  std::string error;  // why the API server refuses the pod, by upstream's text; "": it does not
};

// `cls`: the class that the pod names; null: there is none. A pod that is refused stays as far as
// upstream has come.
RuntimeClassOutcome apply_runtime_class(const RuntimeClass* cls, PodDraft* pod);

// As upstream: of a toleration and one that covers all of it only the latter is kept.
std::vector<Toleration> merged_tolerations(Span<Toleration> first, Span<Toleration> second);

}  // namespace libsched
