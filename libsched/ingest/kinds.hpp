// The kinds of objects that are read, and how.
#pragma once

#include <string>

#include "libsched/base/result.hpp"

namespace libsched {

enum class ObjectKind : uint8_t {
  kPod,
  kNode,
  kNamespace,
  kPriorityClass,
  kWorkload,  // Deployment, StatefulSet, DaemonSet, ReplicaSet, ReplicationController, Job, CronJob
  kStored,    // those of objects/stored_kind.hpp, by their names
  kList,
  kOther,  // skipped and counted
};

struct TypeName {
  std::string api_version, kind;
};

// Decides how an object of this type is read. The error, without a path, says that the kind or
// apiVersion is missing, or that the API has the kind but not in this version.
Result<ObjectKind> classify(const TypeName& type);

// The type of the items of a typed list ("PodList" gives "Pod"); kind is "" for "List".
TypeName item_type(const TypeName& list);

}  // namespace libsched
