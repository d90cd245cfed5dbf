// Migration to CSI: handles and errors as upstream's csi-translation-lib returns them, and node
// affinity before and after.
#include "libsched/plugins/volumes/csi_translation.hpp"

#include "libsched/plugins/trial_test.hpp"

namespace libsched::csi_translation_test {

std::string volume(const std::string& labels, const std::string& spec) {
  return "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: pv, labels: {" + labels +
         "}}\nspec: {" + spec + "}\n";
}

const PersistentVolume& stored(Trial& t, const std::string& labels, const std::string& spec) {
  t.apply(volume(labels, spec));
  return *t.cluster().view().objects().find<PersistentVolume>("pv");
}

TEST_CASE("handles of volumes") {
  const std::string zone = "topology.kubernetes.io/zone: ";
  const std::string beta = "failure-domain.beta.kubernetes.io/zone: ";
  const std::string gce = "gcePersistentDisk: {pdName: d}";
  struct Case {
    std::string labels, spec, handle, error;
  } const cases[] = {
      {"", gce, "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d", ""},
      {zone + "us-east1-a", gce, "projects/UNSPECIFIED/zones/us-east1-a/disks/d", ""},
      {zone + "a, " + beta + "b", gce, "projects/UNSPECIFIED/zones/b/disks/d", ""},
      {zone + "a, " + beta + "''", gce, "projects/UNSPECIFIED/zones/a/disks/d", ""},
      {zone + "us-east1-a__us-east1-b", gce, "projects/UNSPECIFIED/regions/us-east1/disks/d", ""},
      {zone + "a__b", gce, "",
       "failed to get region from zones: zone in unexpected format, expected: "
       "{locale}-{region}-{zone}, got: a"},
      {zone + "us-west1-a__us-east1-b", gce, "",
       "failed to get region from zones: multiple or no regions gotten from zones, got: "
       "map[us-east1:{} us-west1:{}]"},
      {"", "awsElasticBlockStore: {volumeID: anything}", "anything", ""},
      {"", "awsElasticBlockStore: {volumeID: 'aws://us-east-1a/vol-1'}", "vol-1", ""},
      {"", "awsElasticBlockStore: {volumeID: 'aws:///vol-1/'}", "vol-1", ""},
      {"", "awsElasticBlockStore: {volumeID: 'aws:///vol%2D1?x#y'}", "vol-1", ""},
      {"", "awsElasticBlockStore: {volumeID: 'aws:///disk-1'}", "",
       "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume "
       "(aws:///disk-1)"},
      {"", "awsElasticBlockStore: {volumeID: 'aws:///vol-1/x'}", "",
       "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume "
       "(aws:///vol-1/x)"},
      {"", "awsElasticBlockStore: {volumeID: 'aws:///vol-%zz'}", "",
       "failed to translate Kubernetes ID to EBS Volume ID Invalid disk name (aws:///vol-%zz): "
       "parse \"aws:///vol-%zz\": invalid URL escape \"%zz\""},
      {"", "azureDisk: {diskName: d, diskURI: /uri}", "/uri", ""},
      {"", "azureDisk: {diskName: d, diskURI: /uri, kind: mAnaged}", "/uri", ""},
      {"", "azureDisk: {diskName: d, diskURI: /uri, kind: Shared}", "",
       "kind(Shared) is not supported in csi migration"},
      {"", "cinder: {volumeID: c}", "c", ""},
      {"", "portworxVolume: {volumeID: p}", "p", ""},
  };
  for (const auto& c : cases) {
    CAPTURE(c.labels);
    CAPTURE(c.spec);
    Trial t("VolumeZone", "");
    const CsiHandle got = translated_handle(stored(t, c.labels, c.spec));
    CHECK(got.handle == c.handle);
    CHECK(got.error == c.error);
  }
}

TEST_CASE("node affinity, and that of the translated volume") {
  const std::string zone = "topology.kubernetes.io/zone";
  const std::string ebs_zone = "topology.ebs.csi.aws.com/zone";
  const auto term = [](const std::string& key, const std::string& values) {
    return "nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: " + key +
           ", operator: In, values: [" + values + "]}]}]}}, ";
  };
  const std::string fields =
      "nodeAffinity: {required: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, "
      "operator: In, values: [nobody]}]}]}}, ";
  struct Case {
    std::string labels, affinity, node;
    bool fits, fits_translated;
  } const cases[] = {
      {"", "", zone + ": a", true, true},
      {"", "nodeAffinity: {}, ", zone + ": a", true, true},
      {"", "nodeAffinity: {required: {nodeSelectorTerms: []}}, ", zone + ": a", false, false},
      {"", fields, zone + ": a", true, true},  // fields do not matter: upstream's node has no name
      {"", term(zone, "a"), zone + ": a", true, false},
      {"", term(zone, "a"), ebs_zone + ": a", false, true},
      {"", term("other", "a"), "other: a", true, true},
      {zone + ": a__b", "", ebs_zone + ": b", true, true},
      {zone + ": a__b", "", zone + ": b", true, false},
      {zone + ": a__b", "", ebs_zone + ": c", true, false},
      {zone + ": ''", "", zone + ": c", true, true},
      {zone + ": a", term("other", "a"), "other: a, " + ebs_zone + ": a", true, true},
      {zone + ": a", term("other", "a"), "other: a, " + ebs_zone + ": b", true, false},
      {"failure-domain.beta.kubernetes.io/zone: a", "", ebs_zone + ": a", true, true},
      {"", term("failure-domain.beta.kubernetes.io/zone", "a"), ebs_zone + ": a", false, true},
      {"failure-domain.beta.kubernetes.io/zone: a",
       term("failure-domain.beta.kubernetes.io/region", "r"),
       "topology.kubernetes.io/region: r, " + ebs_zone + ": a", false, true},
  };
  for (const auto& c : cases) {
    CAPTURE(c.labels);
    CAPTURE(c.affinity);
    CAPTURE(c.node);
    Trial t("VolumeZone", "kind: Node\nmetadata: {name: 'n', labels: {" + c.node + "}}\n");
    const PersistentVolume& pv =
        stored(t, c.labels, c.affinity + "awsElasticBlockStore: {volumeID: v}");
    const View& view = t.cluster().view();
    const MigratedPlugin* plugin = migrated_plugin(pv.source.kind);
    REQUIRE(plugin != nullptr);
    CHECK(plugin == migrated_plugin("kubernetes.io/aws-ebs"));
    CHECK(volume_match(view, pv).matches(view, 0) == c.fits);
    CHECK(translated_volume_match(view, pv, *plugin).matches(view, 0) == c.fits_translated);
  }
}

}  // namespace libsched::csi_translation_test
