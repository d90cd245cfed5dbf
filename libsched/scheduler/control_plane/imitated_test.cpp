// Kinds that have no imitation, by the types that documents name.
#include "libsched/scheduler/control_plane/imitated.hpp"

#include <doctest/doctest.h>

namespace libsched::imitated_test {

TEST_CASE("imitated: kinds that change or refuse pods are found by group and kind") {
  const NotImitated* const quota = find_not_imitated("v1 ResourceQuota");
  REQUIRE(quota != nullptr);
  CHECK(quota->namespaced);
  const NotImitated* const webhook =
      find_not_imitated("admissionregistration.k8s.io/v1 MutatingWebhookConfiguration");
  REQUIRE(webhook != nullptr);
  CHECK(webhook->effect == "may change pods");
  CHECK(find_not_imitated("example.com/v1 ResourceQuota") == nullptr);
  CHECK(find_not_imitated("v1 ConfigMap") == nullptr);
  CHECK(find_not_imitated("") == nullptr);
}

}  // namespace libsched::imitated_test
