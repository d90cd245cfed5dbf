// Selectors of claims: each release has its own expressions.
#include "libsched/plugins/trial_test.hpp"

namespace libsched::selectors_test {

// The verdict on a node with a device that has a list, about a claim with this selector.
std::string verdict(const std::string& selector, Release release, const std::string& gates = "") {
  const std::string objects =
      "---\nkind: Node\nmetadata: {name: a}\n"
      "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {}\n"
      "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\n"
      "spec: {driver: d, pool: {name: a, generation: 1, resourceSliceCount: 1}, nodeName: a, "
      "devices: [{name: d0, attributes: {sizes: {ints: [1, 2]}}}]}\n"
      "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\n"
      "metadata: {name: c, namespace: default, uid: u-c}\n"
      "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, allocationMode: "
      "ExactCount, count: 1, selectors: [{cel: {expression: \"" +
      selector + "\"}}]}}]}}\n";
  TrialOptions options;
  options.release = release;
  options.gates = gates;
  Trial t("DynamicResources", objects, options);
  return t.filter(*Trial::pod("{resourceClaims: [{name: e, resourceClaimName: c}]}",
                              "name: p, namespace: default, uid: u-p"),
                  "a");
}

TEST_CASE("a device with a list has selectors by the gate, and in 1.37") {
  const std::string unseen = "attribute sizes: unsupported attribute value";
  const std::string sizes = "device.attributes['d'].sizes.exists(x, x == 2)";
  CHECK(verdict("true", Release::k1_36).find(unseen) != std::string::npos);
  CHECK(verdict("true", Release::k1_35).find(unseen) != std::string::npos);
  CHECK(verdict(sizes, Release::k1_36).find("cannot be range of a comprehension") !=
        std::string::npos);
  CHECK(verdict(sizes, Release::k1_36, "DRAListTypeAttributes=true") == "Success");
  CHECK(verdict(sizes, Release::k1_37) == "Success");
  CHECK(verdict(sizes, Release::k1_37, "DRAListTypeAttributes=false") == "Success");
}

TEST_CASE("includes() came with 1.36") {
  const std::string includes = "[1, 2].includes(1) || device.driver == ''";
  CHECK(verdict(includes, Release::k1_35).find("undeclared reference to 'includes'") !=
        std::string::npos);
  CHECK(verdict(includes, Release::k1_36, "DRAListTypeAttributes=true") == "Success");
  CHECK(verdict(includes, Release::k1_37) == "Success");
}

}  // namespace libsched::selectors_test
