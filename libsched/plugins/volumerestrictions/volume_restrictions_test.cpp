// VolumeRestrictions: the volumes that upstream's PreFilter skips, and those that give an error for
// now.
#include "libsched/plugins/trial.hpp"

namespace libsched {
namespace {

std::string with_volume(const std::string& source) {
  return "{volumes: [{name: first, emptyDir: {}}, {name: v, " + source + "}]}";
}

TEST_CASE("pods without such a volume are skipped") {
  Trial t("VolumeRestrictions", node_n());
  CHECK(t.pre_filter(*Trial::pod("{}")) == "Skip");
  CHECK(t.filter("{}") == "Success");
  for (const char* source : {
           "emptyDir: {}",
           "ephemeral: {volumeClaimTemplate: {spec: {}}}",
           "azureDisk: {diskName: x, diskURI: u}",
           "csi: {driver: d}",
           "hostPath: {path: /x}",
           "configMap: {name: x}",
       }) {
    CAPTURE(source);
    CHECK(t.pre_filter(*Trial::pod(with_volume(source))) == "Skip");
    CHECK(t.filter(with_volume(source)) == "Success");
  }
}

TEST_CASE("a pod with one needs the plugin, and the error names both") {
  Trial t("VolumeRestrictions", node_n());
  for (const char* source : {
           "persistentVolumeClaim: {claimName: x}",
           "gcePersistentDisk: {pdName: x}",
           "awsElasticBlockStore: {volumeID: x}",
           "rbd: {image: x, monitors: [m]}",
           "iscsi: {iqn: x}",
       }) {
    CAPTURE(source);
    const PodRef pod = Trial::pod(with_volume(source));
    CHECK(t.pre_filter(*pod) ==
          "error: pod \"default/p\" needs plugin \"VolumeRestrictions\" (for volume \"v\"), which "
          "this version of libsched does not have yet");
    const auto decided = t.evaluator().check(*pod, "", false);
    REQUIRE_FALSE(decided.ok());
    CHECK(decided.error().rc == Rc::kUnsupported);
    CHECK(decided.error().plugin == "VolumeRestrictions");
  }
}

}  // namespace
}  // namespace libsched
