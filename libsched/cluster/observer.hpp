// ClusterObserver: is notified of objects that are added to a cluster, changed and removed.
#pragma once

#include <memory>

#include "libsched/objects/stored_kind.hpp"

namespace libsched {

// An object that was added (no old version), changed, or removed (no new version). Pods and nodes
// have their C++ types; `resource` gives any other type by upstream's names for events.
struct ObjectChange {
  Str resource;
  ObjectRef before, after;
};

// Runs after the change, on the cluster's thread, while the cluster must not be changed.
class ClusterObserver {
 public:
  virtual ~ClusterObserver() = default;
  // Runs for changes from the API server: not for assumed pods, and not inside forks.
  virtual void changed(const ObjectChange& change) = 0;
  virtual void forked() = 0;
  virtual void reverted() = 0;  // ends the latest fork, as committed() does
  virtual void committed() = 0;
};

// "storage.k8s.io/CSINode", "PersistentVolume", "Namespace".
Str event_resource(StoredKind kind);

}  // namespace libsched
