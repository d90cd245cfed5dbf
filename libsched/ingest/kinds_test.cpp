// Tests the classification of kinds, and the perfect hash of field names.
#include "libsched/ingest/kinds.hpp"

#include <doctest/doctest.h>

#include "libsched/ingest/key_table.hpp"

namespace libsched::kinds_test {

TEST_CASE("kinds: what is read, skipped or refused") {
  const auto kind = [](const char* api_version, const char* name) {
    const Result<ObjectKind> found = classify({api_version, name});
    return found.ok() ? std::to_string(static_cast<int>(*found)) : found.error().text();
  };
  const auto is = [](ObjectKind k) { return std::to_string(static_cast<int>(k)); };
  CHECK(kind("v1", "Pod") == is(ObjectKind::kPod));
  CHECK(kind("v1", "PodList") == is(ObjectKind::kList));
  CHECK(kind("v1", "List") == is(ObjectKind::kList));
  CHECK(kind("apps/v1", "Deployment") == is(ObjectKind::kWorkload));
  CHECK(kind("extensions/v1beta1", "Deployment") == is(ObjectKind::kWorkload));
  CHECK(kind("batch/v1", "CronJobList") == is(ObjectKind::kList));
  CHECK(kind("v1", "Service") == is(ObjectKind::kStored));
  CHECK(kind("v1", "PersistentVolumeClaimList") == is(ObjectKind::kList));
  CHECK(kind("storage.k8s.io/v1alpha1", "CSIStorageCapacity") == is(ObjectKind::kStored));
  CHECK(kind("serving.knative.dev/v1", "Service") == is(ObjectKind::kOther));
  CHECK(kind("storage.k8s.io/v1alpha1", "CSINode") ==
        R"(.apiVersion: no kind "CSINode" is registered for version "storage.k8s.io/v1alpha1")");
  CHECK(kind("v1", "ResourceClaim") ==
        R"(.apiVersion: no kind "ResourceClaim" is registered for version "v1")");
  CHECK(kind("resource.k8s.io/v1beta1", "ResourceClaimList") == is(ObjectKind::kList));
  CHECK(kind("example.com/v1", "ThingList") == is(ObjectKind::kList));
  // Kinds of the same name in foreign groups.
  CHECK(kind("batch.volcano.sh/v1alpha1", "Job") == is(ObjectKind::kOther));
  CHECK(kind("management.cattle.io/v3", "Node") == is(ObjectKind::kOther));
  CHECK(kind("scheduling.x-k8s.io/v1alpha1", "PodGroup") == is(ObjectKind::kOther));
  for (const char* version :
       {"scheduling.k8s.io/v1alpha2", "scheduling.k8s.io/v1alpha3", "scheduling.k8s.io/v1beta1"})
    CHECK(kind(version, "PodGroup") == is(ObjectKind::kStored));
  for (const char* version :
       {"resource.k8s.io/v1alpha3", "resource.k8s.io/v1beta2", "resource.k8s.io/v1"})
    CHECK(kind(version, "DeviceTaintRule") == is(ObjectKind::kStored));
  for (const char* name :
       {"ResourceClaim", "ResourceClaimTemplate", "ResourceSlice", "DeviceClass"})
    CHECK(kind("resource.k8s.io/v1alpha3", name) == is(ObjectKind::kOther));
  CHECK(kind("resource.k8s.io/v1alpha3", "ResourceSliceList") == is(ObjectKind::kList));
  // The API's own in versions that do not exist.
  CHECK(kind("v2", "Pod") == R"(.apiVersion: no kind "Pod" is registered for version "v2")");
  CHECK(kind("apps/v1", "Pod") ==
        R"(.apiVersion: no kind "Pod" is registered for version "apps/v1")");
  CHECK(kind("apps/v9", "DeploymentList") ==
        R"(.apiVersion: no kind "DeploymentList" is registered for version "apps/v9")");
  CHECK(kind("v2", "List") == R"(.apiVersion: no kind "List" is registered for version "v2")");
  CHECK(kind("a/b/c", "Pod") == ".apiVersion: unexpected GroupVersion string: a/b/c");
  CHECK(kind("", "Pod") == ".apiVersion: missing; an object needs kind and apiVersion");
  CHECK(kind("v1", "") == ".kind: missing; an object needs kind and apiVersion");
}

TEST_CASE("kinds: items of lists") {
  CHECK(item_type({"v1", "PodList"}).kind == "Pod");
  CHECK(item_type({"v1", "List"}).kind == "");
}

TEST_CASE("key_table: finds its names and nothing else") {
  static constexpr KeyTable kTable("name", "namespace", "nodeName", "nodeSelector", "a",
                                   "volumeName", "volumeMode",
                                   "requiredDuringSchedulingIgnoredDuringExecution");
  static_assert(kTable["nodeName"] == 2);
  for (const Str name : {"name", "namespace", "nodeName", "nodeSelector", "a", "volumeName",
                         "volumeMode", "requiredDuringSchedulingIgnoredDuringExecution"}) {
    REQUIRE(kTable.find(name) >= 0);
    CHECK(kTable.find(std::string(name) + "X") == -1);
    std::string other(name);
    other[other.size() / 2] ^= 0x20;  // upper case
    CHECK(kTable.find(other) == -1);
    CHECK(kTable.find(Str(name).substr(1)) == -1);
  }
  CHECK(kTable.find("namespace") == kTable["namespace"]);
  CHECK(kTable.find("") == -1);
}

}  // namespace libsched::kinds_test
