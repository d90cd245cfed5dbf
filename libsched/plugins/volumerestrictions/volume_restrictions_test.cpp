// VolumeRestrictions: which volumes PreFilter skips, which disks conflict, and claims for one pod.
#include "libsched/plugins/trial_test.hpp"

namespace libsched::volume_restrictions_test {

const char* const kDisk = "Unschedulable: node(s) had no available disk";
const char* const kOnce =
    "Unschedulable: node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access "
    "mode already in-use by another pod";

std::string claim(const std::string& name, const std::string& mode) {
  return "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: " + name +
         ", namespace: default}\nspec: {accessModes: [" + mode + "]}\n";
}

std::string bound(const std::string& name, const std::string& volumes, const char* node = "n",
                  const char* ns = "default") {
  return "---\nkind: Pod\nmetadata: {name: " + name + ", namespace: " + ns +
         "}\nspec: {nodeName: '" + node + "', volumes: [" + volumes + "]}\n";
}

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
           "azureDisk: {diskName: x, diskURI: z}",
           "csi: {driver: d}",
           "hostPath: {path: /x}",
           "configMap: {name: x}",
       }) {
    CAPTURE(source);
    CHECK(t.pre_filter(*Trial::pod(with_volume(source))) == "Skip");
    CHECK(t.filter(with_volume(source)) == "Success");
  }
}

std::string uses(const std::string& claim) {
  return "{name: " + claim + ", persistentVolumeClaim: {claimName: " + claim + "}}";
}

TEST_CASE("disks that two pods of a node may share") {
  struct Case {
    std::string there, wanted;
    bool fits;
  } const cases[] = {
      {"gcePersistentDisk: {pdName: a}", "gcePersistentDisk: {pdName: a}", false},
      {"gcePersistentDisk: {pdName: a}", "gcePersistentDisk: {pdName: b}", true},
      {"gcePersistentDisk: {pdName: a, readOnly: true}", "gcePersistentDisk: {pdName: a}", false},
      {"gcePersistentDisk: {pdName: a, readOnly: true}",
       "gcePersistentDisk: {pdName: a, readOnly: true}", true},
      {"awsElasticBlockStore: {volumeID: a, readOnly: true}",
       "awsElasticBlockStore: {volumeID: a, readOnly: true}", false},
      {"awsElasticBlockStore: {volumeID: a}", "awsElasticBlockStore: {volumeID: b}", true},
      {"awsElasticBlockStore: {volumeID: a}", "gcePersistentDisk: {pdName: a}", true},
      {"iscsi: {iqn: a}", "iscsi: {iqn: a}", false},
      {"iscsi: {iqn: a, readOnly: true}", "iscsi: {iqn: a, readOnly: true}", true},
      {"iscsi: {iqn: a}", "iscsi: {iqn: b}", true},
      {"rbd: {image: i, pool: p, monitors: [a, b]}", "rbd: {image: i, pool: p, monitors: [b]}",
       false},
      {"rbd: {image: i, pool: p, monitors: [a, b]}", "rbd: {image: i, pool: p, monitors: [c]}",
       true},
      {"rbd: {image: i, pool: p, monitors: [a]}", "rbd: {image: i, pool: q, monitors: [a]}", true},
      {"rbd: {image: i, pool: p, monitors: [a]}", "rbd: {image: j, pool: p, monitors: [a]}", true},
      {"rbd: {image: i, monitors: [a], readOnly: true}",
       "rbd: {image: i, monitors: [a], readOnly: true}", true},
      {"azureDisk: {diskName: x, diskURI: z}", "azureDisk: {diskName: x, diskURI: z}", true},
  };
  for (const auto& c : cases) {
    CAPTURE(c.there);
    CAPTURE(c.wanted);
    Trial t("VolumeRestrictions",
            node_n() + "---\nkind: Node\nmetadata: {name: free}\n" +
                bound("a", "{name: e, emptyDir: {}}, {name: v, " + c.there + "}"));
    CHECK(t.filter(with_volume(c.wanted)) == std::string(c.fits ? "Success" : kDisk));
    CHECK(t.filter(with_volume(c.wanted), "free") == "Success");
  }
}

TEST_CASE("a claim for one pod") {
  const std::string world = node_n() + "---\nkind: Node\nmetadata: {name: other}\n" +
                            claim("once", "ReadWriteOncePod") +
                            claim("many", "ReadWriteOnce, ReadWriteMany");
  const std::string spec = "{volumes: [" + uses("once") + ", " + uses("many") + "]}";
  Trial t("VolumeRestrictions", world);
  CHECK(t.pre_filter(*Trial::pod(spec)) == "Skip");
  // No conflict in another namespace.
  t.apply(bound("a", uses("once"), "n", "elsewhere") + bound("c", uses("many")));
  CHECK(t.pre_filter(*Trial::pod(spec)) == "Skip");
  t.apply(bound("d", uses("once")));
  CHECK(t.pre_filter(*Trial::pod(spec)) == "Success");
  CHECK(t.filter(spec) == kOnce);
  CHECK(t.filter(spec, "other") == kOnce);
  CHECK(t.filter("{volumes: [" + uses("many") + "]}") == "Success");
  REQUIRE(t.cluster().remove_pod("default", "d").ok());
  CHECK(t.filter(spec) == "Success");
}

TEST_CASE("a claim of a pod whose node is not there, or comes again") {
  for (const Release release : {Release::k1_36, Release::k1_37}) {
    const bool by_changes = release == Release::k1_37;
    TrialOptions options;
    options.release = release;
    Trial t("VolumeRestrictions", node_n() + claim("once", "ReadWriteOncePod"), options);
    const PodRef pod = Trial::pod("{volumes: [" + uses("once") + "]}");
    CHECK(t.pre_filter(*pod) == "Skip");
    t.apply(bound("a", uses("once"), "gone"));
    CHECK(t.pre_filter(*pod) == (by_changes ? "Success" : "Skip"));
    REQUIRE(t.cluster().remove_pod("default", "a").ok());
    t.apply(bound("b", uses("once")));
    CHECK(t.pre_filter(*pod) == "Success");
    const NodeRef node = NodeRef::share(t.cluster().view().node(0));
    REQUIRE(t.cluster().remove_node("n").ok());
    REQUIRE(t.cluster().update_node(node).ok());
    CHECK(t.pre_filter(*pod) == (by_changes ? "Skip" : "Success"));
  }
}

TEST_CASE("the disk comes first; a missing claim ends the search") {
  const std::string disk = "{name: v, gcePersistentDisk: {pdName: a}}";
  Trial t("VolumeRestrictions", node_n() + "---\nkind: Node\nmetadata: {name: other}\n" +
                                    claim("once", "ReadWriteOncePod") + bound("a", disk) +
                                    bound("b", uses("once"), "other"));
  const std::string spec = "{volumes: [" + disk + ", " + uses("once") + "]}";
  CHECK(t.filter(spec) == kDisk);
  CHECK(t.filter(spec, "other") == kOnce);
  CHECK(t.filter("{volumes: [" + disk + ", " + uses("gone") + "]}") ==
        "PreFilter UnschedulableAndUnresolvable: persistentvolumeclaim \"gone\" not found");
}

TEST_CASE("Filter without PreFilter is upstream's Error, unless a disk conflicts") {
  TrialOptions options;
  options.profile =
      "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
      "DefaultBinder}]}, filter: {enabled: [{name: VolumeRestrictions}]}}";
  const std::string disk = "{name: v, gcePersistentDisk: {pdName: a}}";
  Trial t("VolumeRestrictions", node_n() + bound("a", disk), options);
  CHECK(t.filter("{}") ==
        "Error: running \"VolumeRestrictions\" filter plugin: cannot read "
        "\"PreFilterVolumeRestrictions\" from cycleState");
  CHECK(t.filter("{volumes: [" + disk + "]}") == kDisk);
}

TEST_CASE("pods that join and leave after PreFilter count by the names of claims") {
  Trial t("VolumeRestrictions",
          node_n() + claim("once", "ReadWriteOncePod") + bound("a", uses("once")));
  const PodRef pod = Trial::pod("{volumes: [" + uses("once") + "]}");
  const auto other = [](const std::string& volumes, const std::string& ns = "default") {
    return Trial::pod("{volumes: [" + volumes + "]}", "name: o, namespace: " + ns);
  };
  const std::string fits = "n Success; ", taken = std::string("n ") + kOnce + "; ";
  CycleState state;
  t.prepare(state, *pod);
  CHECK(t.verdicts(state, *pod) == taken);
  CHECK(t.change(state, *pod, *other(uses("once")), "n", -1) == "Success");
  CHECK(t.verdicts(state, *pod) == fits);
  t.change(state, *pod, *other(uses("another")), "n", 1);
  t.change(state, *pod, *other("{name: once, emptyDir: {}}"), "n", 1);
  CHECK(t.verdicts(state, *pod) == fits);
  // A claim of this name in another namespace counts here, though not in PreFilter.
  t.change(state, *pod, *other(uses("once"), "elsewhere"), "n", 1);
  CHECK(t.verdicts(state, *pod) == taken);
  t.change(state, *pod, *other(uses("once"), "elsewhere"), "n", -1);
  // A count below zero means free, and each volume counts.
  const std::string twice = uses("once") + ", {name: v, persistentVolumeClaim: {claimName: once}}";
  t.change(state, *pod, *other(twice), "n", -1);
  t.change(state, *pod, *other(uses("once")), "n", 1);
  t.change(state, *pod, *other(uses("once")), "n", 1);
  CHECK(t.verdicts(state, *pod) == fits);
  t.change(state, *pod, *other(uses("once")), "n", 1);
  CHECK(t.verdicts(state, *pod) == taken);
  // Without a state nothing changes.
  const PodRef lost = Trial::pod("{volumes: [" + uses("gone") + "]}");
  CycleState failed;
  REQUIRE(t.evaluator().run_pre_filter(failed, *lost).ok());
  CHECK(t.change(failed, *lost, *other(uses("once")), "n", 1) ==
        "Error: running AddPod on PreFilter plugin \"VolumeRestrictions\": cannot read "
        "\"PreFilterVolumeRestrictions\" from cycleState");
}

TEST_CASE("up to 1.33 the reason for a claim in use has another text") {
  const auto said = [](Release release) {
    TrialOptions options;
    options.release = release;
    Trial t("VolumeRestrictions", node_n() + claim("a", "ReadWriteOncePod") + bound("x", uses("a")),
            options);
    return t.filter("{volumes: [" + uses("a") + "]}");
  };
  for (const Release release : {Release::k1_31, Release::k1_33})
    CHECK(said(release) ==
          "Unschedulable: node has pod using PersistentVolumeClaim with the same name and "
          "ReadWriteOncePod access mode");
  CHECK(said(Release::k1_34) == kOnce);
}

}  // namespace libsched::volume_restrictions_test
