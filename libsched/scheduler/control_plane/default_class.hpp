// DefaultClass: the StorageClass that the API server gives a claim that names none.
#pragma once

#include "libsched/cluster/object_store.hpp"
#include "libsched/objects/storage.hpp"

namespace libsched {

class DefaultClass {
 public:
  DefaultClass() = default;
  explicit DefaultClass(const ObjectStore& objects);

  // Considers one more class: of several default classes the newest counts, then the first by name.
  void offer(const StorageClass& cls);
  // Null: no class is the default.
  const StorageClass* found() const { return found_; }

  // Names the class in a claim that is not shared yet and has none. Returns whether it did.
  bool complete(PersistentVolumeClaim& claim) const;

 private:
  const StorageClass* found_ = nullptr;
};

}  // namespace libsched
