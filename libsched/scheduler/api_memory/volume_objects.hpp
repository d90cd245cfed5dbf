// VolumeObjects: the objects of an API server as the volume controller reads and writes them.
#pragma once

#include <vector>

#include "libsched/objects/node.hpp"
#include "libsched/objects/pod.hpp"
#include "libsched/objects/storage.hpp"
#include "libsched/scheduler/control_plane/default_class.hpp"

namespace libsched {

// Pointers are borrowed until the next put().
class VolumeObjects {
 public:
  virtual ~VolumeObjects() = default;
  virtual const PersistentVolumeClaim* claim(Str ns, Str name) const = 0;
  virtual const PersistentVolume* volume(Str name) const = 0;
  virtual const StorageClass* storage_class(Str name) const = 0;
  virtual DefaultClass default_class() const = 0;
  virtual const Pod* pod(Str ns, Str name) const = 0;
  virtual const CsiNode* csi_node(Str name) const = 0;
  virtual const Node* node(Str name) const = 0;
  virtual std::vector<NodeRef> nodes() const = 0;  // in the order of their creation
  // Creates the object, or replaces the one of this name.
  virtual void put(const Ref<PersistentVolume>& volume) = 0;
  virtual void put(const Ref<PersistentVolumeClaim>& claim) = 0;
  virtual void remove(const PersistentVolumeClaim& claim) = 0;
};

}  // namespace libsched
