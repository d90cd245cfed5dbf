// The kinds of objects: which are read, which are known but not read, and who would read them.
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

// What to do with an object of this type. An error, without a path: the kind or apiVersion is
// missing, or the API has the kind but not in this version.
Result<ObjectKind> classify(const TypeName& type);

// The type of the items of a typed list ("PodList" gives "Pod"); kind is "" for "List".
TypeName item_type(const TypeName& list);

// The plugin that would read objects of a skipped kind, "" if none does.
std::string needed_by(const TypeName& type);

}  // namespace libsched
