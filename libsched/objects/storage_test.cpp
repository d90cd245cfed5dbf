// Storage classes by annotation, annotations, and copies of volumes and claims.
#include "libsched/objects/storage.hpp"

#include <doctest/doctest.h>

#include "libsched/objects/device_class.hpp"
#include "libsched/objects/selecting.hpp"

namespace libsched::storage_test {

TEST_CASE("storage: the beta annotation names the class before the field does") {
  auto pv = make_ref<PersistentVolume>();
  pv->storage_class_name = "field";
  CHECK(pv->storage_class() == "field");
  set_annotation(*pv, kStorageClassBetaAnnotation, "annotated");
  CHECK(pv->storage_class() == "annotated");

  auto claim = make_ref<PersistentVolumeClaim>();
  CHECK_FALSE(claim->has_storage_class());
  CHECK(claim->storage_class() == "");
  claim->storage_class_name = "";
  CHECK(claim->has_storage_class());
  set_annotation(*claim, kStorageClassBetaAnnotation, "");
  claim->storage_class_name = "field";
  CHECK(claim->storage_class() == "");
}

TEST_CASE("storage: annotations stay sorted and are found") {
  auto claim = make_ref<PersistentVolumeClaim>();
  for (const Str key : {"m", "a", "z", "b"}) set_annotation(*claim, key, key);
  set_annotation(*claim, "m", "changed");
  remove_annotation(*claim, "a");
  remove_annotation(*claim, "no such key");
  REQUIRE(claim->meta.annotations.size() == 3);
  CHECK(claim->meta.annotations[0].key == "b");
  REQUIRE(find_annotation(claim->meta, "m") != nullptr);
  CHECK(*find_annotation(claim->meta, "m") == "changed");
  CHECK(find_annotation(claim->meta, "a") == nullptr);
}

TEST_CASE("storage: a copy outlives its original, whose fields don't change with it") {
  auto pv = make_ref<PersistentVolume>();
  pv->meta.name = pv->arena.copy("volume-1");
  pv->capacity = Quantity::from_int(10);
  set_annotation(*pv, "k", "v");
  Ref<PersistentVolume> copy = copy_volume(*pv);
  copy->claim_ref = ClaimRef{copy->arena.copy("ns"), copy->arena.copy("claim"), "u"};
  set_annotation(*copy, kBoundByControllerAnnotation, "yes");
  CHECK_FALSE(pv->claim_ref);
  CHECK(pv->meta.annotations.size() == 1);
  Ref<PersistentVolume> second = copy_volume(*copy);
  pv = nullptr;
  copy = nullptr;
  CHECK(second->meta.name == "volume-1");
  CHECK(second->capacity->value() == 10);
  CHECK(second->claim_ref->name == "claim");
  CHECK(*find_annotation(second->meta, kBoundByControllerAnnotation) == "yes");
}

TEST_CASE("storage: names of the stored kinds") {
  CHECK(stored_kind_name(CsiStorageCapacity::kStoredKind) == "CSIStorageCapacity");
  CHECK(stored_kind_name(DeviceClass::kStoredKind) == "DeviceClass");
  CHECK(stored_kind_name(Controller().kind) == "ReplicaSet");
  CHECK(is_namespaced(Service::kStoredKind));
  CHECK_FALSE(is_namespaced(PersistentVolume::kStoredKind));
}

}  // namespace libsched::storage_test
