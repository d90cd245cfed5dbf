// ClusterObserver: who hears of the objects that come to a cluster, change and leave it.
#pragma once

#include <memory>

#include "libsched/objects/stored_kind.hpp"

namespace libsched {

// An object that came, changed or went: null before it came and after it went. Pods and nodes are
// of their C++ types; `resource` tells which other type it is, by upstream's names for events.
struct ObjectChange {
  Str resource;
  ObjectRef before, after;
};

// Told after the change, on the cluster's thread, while nobody may change the cluster.
class ClusterObserver {
 public:
  virtual ~ClusterObserver() = default;
  // What the API server says, that is not of pods that are assumed, nor of what a fork tries.
  virtual void changed(const ObjectChange& change) = 0;
  virtual void forked() = 0;
  virtual void reverted() = 0;  // the latest fork, as committed()
  virtual void committed() = 0;
};

// "storage.k8s.io/CSINode", "PersistentVolume", "Namespace".
Str event_resource(StoredKind kind);

}  // namespace libsched
