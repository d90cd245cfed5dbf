// VolumeZone: PreFilter's statuses for claims, and the nodes in a volume's zone.
#include "libsched/plugins/trial_test.hpp"

namespace libsched::volume_zone_test {

const char* const kNo = "UnschedulableAndUnresolvable: node(s) had no available volume zone";

std::string object(const std::string& kind, const std::string& meta, const std::string& rest) {
  std::string out = "---\n";
  if (kind != "Node")
    out += kind == "StorageClass" ? "apiVersion: storage.k8s.io/v1\n" : "apiVersion: v1\n";
  return out + "kind: " + kind + "\nmetadata: {" + meta + "}\n" + rest + "\n";
}

// A volume "pv" with these labels, and the claim "c" that is bound to it.
std::string bound_claim(const std::string& labels) {
  return object("PersistentVolume", "name: pv, labels: {" + labels + "}", "spec: {}") +
         object("PersistentVolumeClaim", "name: c, namespace: default", "spec: {volumeName: pv}");
}

const char* const kUse = "{volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]}";

std::string with_volume(const std::string& source) {
  return "{volumes: [{name: first, emptyDir: {}}, {name: v, " + source + "}]}";
}

TEST_CASE("pods without such a volume are skipped") {
  Trial t("VolumeZone", node_n());
  CHECK(t.pre_filter(*Trial::pod("{}")) == "Skip");
  CHECK(t.filter("{}") == "Success");
  for (const char* source : {
           "emptyDir: {}",
           "ephemeral: {volumeClaimTemplate: {spec: {}}}",
           "csi: {driver: d}",
           "gcePersistentDisk: {pdName: x}",
           "awsElasticBlockStore: {volumeID: x}",
       }) {
    CAPTURE(source);
    CHECK(t.pre_filter(*Trial::pod(with_volume(source))) == "Skip");
    CHECK(t.filter(with_volume(source)) == "Success");
  }
}

TEST_CASE("zones") {
  const std::string zone = "topology.kubernetes.io/zone: ";
  const std::string region = "topology.kubernetes.io/region: ";
  const std::string beta_zone = "failure-domain.beta.kubernetes.io/zone: ";
  const std::string beta_region = "failure-domain.beta.kubernetes.io/region: ";
  struct Case {
    std::string volume, node;
    bool fits;
  } const cases[] = {
      {zone + "a", zone + "a", true},
      {zone + "a", zone + "b", false},
      {zone + "a", "k: v", true},         // a node without any zone takes everything
      {zone + "a", region + "r", false},  // but here one label is missing
      {zone + "a__b", zone + "b", true},
      {zone + "'a__ b '", zone + "b", true},
      {zone + "a__b", zone + "c", false},
      {zone + "a____b", zone + "c", true},  // not a list: ignored
      {zone + "''", zone + "c", true},
      {zone + "a, " + region + "r", zone + "a, " + region + "r", true},
      {zone + "a, " + region + "r", zone + "a, " + region + "s", false},
      {zone + "a, " + region + "r", zone + "a", false},
      {beta_zone + "a", beta_zone + "a", true},
      {beta_zone + "a", zone + "a", true},  // the node has the new label
      {beta_zone + "a", zone + "b", false},
      {beta_zone + "a", beta_zone + "b, " + zone + "a", false},
      {zone + "a", beta_zone + "a", false},  // not the other way round
      {beta_region + "r", region + "r", true},
      {beta_region + "r", beta_region + "s", false},
      {zone + "a", zone + "''", false},
  };
  for (const auto& c : cases) {
    CAPTURE(c.volume);
    CAPTURE(c.node);
    Trial t("VolumeZone", object("Node", "name: 'n', labels: {" + c.node + "}", "") +
                              object("Node", "name: other, labels: {a: b}", "") +
                              bound_claim(c.volume));
    CHECK(t.filter(kUse) == std::string(c.fits ? "Success" : kNo));
    CHECK(t.filter(kUse, "other") == "Success");
  }
}

TEST_CASE("claims without a volume") {
  const auto text = [](const std::string& objects, const std::string& spec = kUse) {
    Trial t("VolumeZone", node_n() + objects);
    return t.filter(spec);
  };
  const auto no = [](const std::string& why) {
    return "PreFilter UnschedulableAndUnresolvable: " + why;
  };
  const auto claim = [](const std::string& spec) {
    return object("PersistentVolumeClaim", "name: c, namespace: default", "spec: {" + spec + "}");
  };
  const auto storage_class = [](const std::string& rest) {
    return object("StorageClass", "name: s", "provisioner: p\n" + rest);
  };
  CHECK(text("") == no("persistentvolumeclaim \"c\" not found"));
  CHECK(text("", "{volumes: [{name: v, persistentVolumeClaim: {claimName: ''}}]}") ==
        no("PersistentVolumeClaim had no name"));
  CHECK(text(claim("volumeName: pv")) == no("persistentvolume \"pv\" not found"));
  CHECK(text(claim("")) == no("PersistentVolumeClaim had no pv name and storageClass name"));
  CHECK(text(claim("storageClassName: s")) == no("storageclass.storage.k8s.io \"s\" not found"));
  CHECK(text(claim("storageClassName: s") + storage_class("")) ==
        no("VolumeBindingMode not set for StorageClass \"s\""));
  CHECK(text(claim("storageClassName: s") + storage_class("volumeBindingMode: Immediate")) ==
        no("PersistentVolume had no name"));
  Trial t("VolumeZone", node_n() + claim("storageClassName: s") +
                            storage_class("volumeBindingMode: WaitForFirstConsumer"));
  CHECK(t.pre_filter(*Trial::pod(kUse)) == "Skip");
  t.apply(bound_claim("a: b"));
  CHECK(t.pre_filter(*Trial::pod(kUse)) == "Skip");
}

TEST_CASE("Filter without PreFilter computes the zones itself") {
  TrialOptions options;
  options.profile =
      "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
      "DefaultBinder}]}, filter: {enabled: [{name: VolumeZone}]}}";
  Trial t("VolumeZone", object("Node", "name: 'n', labels: {topology.kubernetes.io/zone: a}", ""),
          options);
  CHECK(t.filter("{}") == "Success");
  CHECK(t.filter(kUse) == "UnschedulableAndUnresolvable: persistentvolumeclaim \"c\" not found");
  t.apply(bound_claim("topology.kubernetes.io/zone: b"));
  CHECK(t.filter(kUse) == kNo);
  t.apply(bound_claim("topology.kubernetes.io/zone: a"));
  CHECK(t.filter(kUse) == "Success");
}

}  // namespace libsched::volume_zone_test
