// See default_class.hpp.
#include "libsched/scheduler/control_plane/default_class.hpp"

namespace libsched {
namespace {

bool is_default(const StorageClass& c) {
  for (const Str key : {Str("storageclass.kubernetes.io/is-default-class"),
                        Str("storageclass.beta.kubernetes.io/is-default-class")}) {
    const Str* const value = find_annotation(c.meta, key);
    if (value != nullptr && *value == "true") return true;
  }
  return false;
}

}  // namespace

DefaultClass::DefaultClass(const ObjectStore& objects) {
  objects.for_each<StorageClass>([&](const StorageClass& c) { offer(c); });
}

void DefaultClass::offer(const StorageClass& cls) {
  if (!is_default(cls)) return;
  const ObjectMeta& meta = cls.meta;
  if (found_ == nullptr || meta.created.ns > found_->meta.created.ns ||
      (meta.created.ns == found_->meta.created.ns && meta.name < found_->meta.name))
    found_ = &cls;
}

bool DefaultClass::complete(PersistentVolumeClaim& claim) const {
  if (found_ == nullptr || claim.has_storage_class()) return false;
  claim.storage_class_name = claim.arena.copy(found_->meta.name);
  return true;
}

}  // namespace libsched
