// NodeVolumeLimits: which volumes PreFilter skips, and which volumes count for a driver.
#include "libsched/plugins/trial_test.hpp"

namespace libsched::node_volume_limits_test {

const char* const kTooMany = "Unschedulable: node(s) exceed max volume count";

std::string object(const std::string& type, const std::string& meta, const std::string& rest) {
  return "---\napiVersion: " + type + "\nmetadata: {" + meta + "}\n" + rest + "\n";
}

// A volume "pv-NAME", and the claim NAME that is bound to it.
std::string claim(const std::string& name, const std::string& source) {
  return object("v1\nkind: PersistentVolume", "name: pv-" + name, "spec: {" + source + "}") +
         object("v1\nkind: PersistentVolumeClaim", "name: " + name + ", namespace: default",
                "spec: {volumeName: pv-" + name + "}");
}

std::string csi(const std::string& driver, const std::string& handle) {
  return "csi: {driver: " + driver + ", volumeHandle: " + handle + "}";
}

std::string unbound(const std::string& name, const std::string& storage_class,
                    const std::string& more = "") {
  return object("v1\nkind: PersistentVolumeClaim", "name: " + name + ", namespace: default" + more,
                "spec: {storageClassName: " + storage_class + "}");
}

std::string storage_class(const std::string& name, const std::string& provisioner) {
  return object("storage.k8s.io/v1\nkind: StorageClass", "name: " + name,
                "provisioner: " + provisioner);
}

std::string csi_node(const std::string& drivers) {
  return object("storage.k8s.io/v1\nkind: CSINode", "name: 'n'",
                "spec: {drivers: [" + drivers + "]}");
}

std::string limit(const std::string& driver, int count) {
  return "{name: " + driver + ", nodeID: n1, allocatable: {count: " + std::to_string(count) + "}}";
}

std::string uses(const std::string& claim) {
  return "{name: v-" + claim + ", persistentVolumeClaim: {claimName: " + claim + "}}";
}

std::string running(const std::string& name, const std::string& volumes) {
  return "---\nkind: Pod\nmetadata: {name: " + name + ", namespace: default, uid: u-" + name +
         "}\nspec: {nodeName: 'n', volumes: [" + volumes + "]}\n";
}

std::string spec(const std::string& volumes) { return "{volumes: [" + volumes + "]}"; }

std::string with_volume(const std::string& source) {
  return "{volumes: [{name: first, emptyDir: {}}, {name: v, " + source + "}]}";
}

TEST_CASE("pods without such a volume are skipped") {
  Trial t("NodeVolumeLimits", node_n());
  CHECK(t.pre_filter(*Trial::pod("{}")) == "Skip");
  CHECK(t.filter("{}") == "Success");
  for (const char* source : {
           "emptyDir: {}",
           "csi: {driver: d}",
           "rbd: {image: x, monitors: [m]}",
           "iscsi: {iqn: x}",
           "secret: {secretName: x}",
           "image: {reference: x}",
           "nfs: {server: s, path: /x}",
       }) {
    CAPTURE(source);
    CHECK(t.pre_filter(*Trial::pod(with_volume(source))) == "Skip");
    CHECK(t.filter(with_volume(source)) == "Success");
  }
}

TEST_CASE("volumes of pods count once, those of the node's attachments too") {
  Trial t("NodeVolumeLimits",
          node_n() + "---\nkind: Node\nmetadata: {name: free}\n" +
              csi_node(limit("d", 2) + ", " + limit("e", 0) + ", {name: f, nodeID: n1}") +
              claim("a", csi("d", "h1")) + claim("b", csi("d", "h2")) + claim("c", csi("d", "h3")) +
              claim("twin", csi("d", "h1")) + claim("e", csi("e", "h1")) +
              claim("f", csi("f", "h1")));
  CHECK(t.filter(spec(uses("a") + ", " + uses("b"))) == "Success");
  CHECK(t.filter(spec(uses("a") + ", " + uses("b") + ", " + uses("c"))) == kTooMany);
  CHECK(t.filter(spec(uses("a") + ", " + uses("b") + ", " + uses("c")), "free") == "Success");
  CHECK(t.filter(spec(uses("a") + ", " + uses("b") + ", " + uses("twin"))) == "Success");
  CHECK(t.filter(spec(uses("e"))) == kTooMany);
  CHECK(t.filter(spec(uses("f"))) == "Success");
  t.apply(running("x", uses("a") + ", " + uses("gone")) + running("z", uses("twin")));
  CHECK(t.filter(spec(uses("b"))) == "Success");
  CHECK(t.filter(spec(uses("b") + ", " + uses("a"))) == "Success");
  CHECK(t.filter(spec(uses("b") + ", " + uses("c"))) == kTooMany);
  const auto attached = [](const std::string& name, const std::string& driver,
                           const std::string& volume, const std::string& node) {
    return object("storage.k8s.io/v1\nkind: VolumeAttachment", "name: " + name,
                  "spec: {attacher: " + driver + ", nodeName: " + node +
                      ", source: {persistentVolumeName: " + volume + "}}");
  };
  t.apply(attached("va1", "d", "pv-a", "'n'") + attached("va2", "d", "pv-b", "free") +
          attached("va3", "d", "pv-gone", "'n'"));
  CHECK(t.filter(spec(uses("c"))) == "Success");
  t.apply(attached("va2", "d", "pv-b", "'n'"));
  CHECK(t.filter(spec(uses("c"))) == kTooMany);
  CHECK(t.filter(spec(uses("b"))) == kTooMany);  // counted once more, as upstream does
  CHECK(t.filter(spec(uses("a"))) == "Success");
}

TEST_CASE("claims without a volume count for the driver of their class") {
  Trial t("NodeVolumeLimits",
          node_n() + csi_node(limit("d", 1) + ", " + limit("ebs.csi.aws.com", 0)) +
              storage_class("s", "d") + storage_class("old", "kubernetes.io/aws-ebs") +
              storage_class("file", "kubernetes.io/azure-file") + unbound("a", "s") +
              unbound("b", "s") + unbound("o", "old") + unbound("p", "file") +
              unbound("q", "none"));
  CHECK(t.filter(spec(uses("a"))) == "Success");
  CHECK(t.filter(spec(uses("a") + ", " + uses("b"))) == kTooMany);
  CHECK(t.filter(spec(uses("o"))) == kTooMany);
  CHECK(t.filter(spec(uses("p") + ", " + uses("q"))) == "Success");
  t.apply(running("x", uses("a")));
  CHECK(t.filter(spec(uses("a"))) == "Success");
  CHECK(t.filter(spec(uses("b"))) == kTooMany);
}

TEST_CASE("in-tree volumes count as their CSI driver's, where there is a CSINode") {
  Trial t("NodeVolumeLimits",
          node_n() + "---\nkind: Node\nmetadata: {name: old}\n" +
              csi_node(limit("ebs.csi.aws.com", 1) + ", " + limit("file.csi.azure.com", 0)) +
              claim("a", "awsElasticBlockStore: {volumeID: 'aws:///vol-1'}") +
              claim("bad", "awsElasticBlockStore: {volumeID: 'aws:///x'}") +
              running("x", "{name: v, awsElasticBlockStore: {volumeID: vol-1}}"));
  const auto inline_volume = [](const std::string& id) {
    return spec("{name: v, awsElasticBlockStore: {volumeID: '" + id + "'}}");
  };
  CHECK(t.filter(spec(uses("a"))) == "Success");
  CHECK(t.filter(inline_volume("vol-1")) == "Success");
  CHECK(t.filter(inline_volume("vol-2")) == kTooMany);
  CHECK(t.filter(inline_volume("vol-2"), "old") == "Success");
  CHECK(t.filter(spec(uses("bad"))) ==
        "Success");  // a volume that can't be translated isn't counted
  CHECK(t.filter(inline_volume("aws:///x")) ==
        "Error: running \"NodeVolumeLimits\" filter plugin: converting volume(v) from inline to "
        "csi: failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume "
        "(aws:///x)");
  CHECK(Trial("NodeVolumeLimits", node_n()).filter(inline_volume("aws:///x")) == "Success");
  CHECK(t.filter(spec("{name: v, azureFile: {shareName: s, secretName: t}}")) == "Success");
}

TEST_CASE("claims that are missing or of another pod") {
  const std::string eph = "{name: e, ephemeral: {volumeClaimTemplate: {spec: {}}}}";
  Trial t("NodeVolumeLimits",
          node_n() + csi_node(limit("d", 1)) + storage_class("s", "d") + claim("a", csi("d", "h")));
  CHECK(t.filter(spec(uses("x1"))) ==
        "UnschedulableAndUnresolvable: looking up PVC default/x1: persistentvolumeclaim \"x1\" "
        "not found");
  CHECK(t.filter(spec("{name: v, persistentVolumeClaim: {claimName: ''}}")) ==
        "Error: running \"NodeVolumeLimits\" filter plugin: PersistentVolumeClaim had no name");
  t.apply(unbound("p-e", "s"));
  CHECK(t.filter(spec(eph)) ==
        "Error: running \"NodeVolumeLimits\" filter plugin: PVC default/p-e was not created for "
        "pod default/p (pod is not owner)");
  t.apply(unbound("q-e", "s",
                  ", ownerReferences: [{apiVersion: v1, kind: Pod, name: q, uid: u-q, "
                  "controller: true}]") +
          running("q", eph));
  CHECK(t.filter(spec(uses("a"))) == kTooMany);
  CHECK(t.filter(spec(uses("q-e"))) == "Success");
  t.apply(running("p", eph));
  CHECK(t.filter(spec(uses("a"))) ==
        "Error: running \"NodeVolumeLimits\" filter plugin: PVC default/p-e was not created for "
        "pod default/p (pod is not owner)");
}

TEST_CASE("VolumeLimitScaling keeps pods away from nodes without the driver") {
  const std::string world =
      node_n() + "---\nkind: Node\nmetadata: {name: bare}\n" + csi_node("{name: d, nodeID: n1}") +
      object("storage.k8s.io/v1\nkind: CSIDriver", "name: d",
             "spec: {preventPodSchedulingIfMissing: true}") +
      object("storage.k8s.io/v1\nkind: CSIDriver", "name: e",
             "spec: {preventPodSchedulingIfMissing: true}") +
      claim("a", csi("d", "h")) + claim("b", csi("e", "h")) + claim("c", csi("f", "h"));
  TrialOptions options;
  options.gates = "VolumeLimitScaling=true";
  Trial on("NodeVolumeLimits", world, options);
  const std::string missing = " CSI driver is not installed on the node";
  CHECK(on.filter(spec(uses("a"))) == "Success");
  CHECK(on.filter(spec(uses("a")), "bare") == "Unschedulable: d" + missing);
  CHECK(on.filter(spec(uses("b"))) == "Unschedulable: e" + missing);
  CHECK(on.filter(spec(uses("c")), "bare") == "Success");
  options.gates = "VolumeLimitScaling=false";
  Trial off("NodeVolumeLimits", world, options);
  CHECK(off.filter(spec(uses("a")), "bare") == "Success");
  CHECK(off.filter(spec(uses("b"))) == "Success");
}

TEST_CASE("up to 1.31 attachments do not count, and a node may have limits itself") {
  const std::string world =
      "kind: Node\nmetadata: {name: 'n'}\nstatus: {allocatable: {attachable-volumes-csi-d: 1, "
      "attachable-volumes-csi-e: 1}}\n---\nkind: Node\nmetadata: {name: bare}\nstatus: "
      "{allocatable: {attachable-volumes-csi-d: 0, attachable-volumes-csi-f: 5}}\n" +
      csi_node(limit("d", 2)) + claim("a", csi("d", "h1")) + claim("b", csi("d", "h2")) +
      claim("c", csi("d", "h3")) + claim("e", csi("e", "h1")) + claim("x", csi("e", "h2"));
  const std::string attachment =
      object("storage.k8s.io/v1\nkind: VolumeAttachment", "name: va",
             "spec: {attacher: d, nodeName: 'n', source: {persistentVolumeName: pv-c}}");
  const std::string two = spec(uses("a") + ", " + uses("b"));
  const std::string both = spec(uses("e") + ", " + uses("x"));
  TrialOptions options;
  options.release = Release::k1_31;
  Trial old("NodeVolumeLimits", world, options);
  CHECK(old.filter(two) == "Success");  // the CSINode's limit goes before the node's
  CHECK(old.filter(spec(uses("e"))) == "Success");
  CHECK(old.filter(both) == kTooMany);
  CHECK(old.filter(spec(uses("a")), "bare") == kTooMany);
  CHECK(old.filter(both, "bare") == "Success");
  old.apply(attachment);
  CHECK(old.filter(two) == "Success");
  old.apply(running("p1", uses("c")));
  CHECK(old.filter(two) == kTooMany);
  for (const Release release : {Release::k1_32, Release::k1_36}) {
    options.release = release;
    Trial t("NodeVolumeLimits", world, options);
    CHECK(t.filter(two) == "Success");
    CHECK(t.filter(both) == "Success");
    CHECK(t.filter(spec(uses("a")), "bare") == "Success");
    t.apply(attachment);
    CHECK(t.filter(two) == kTooMany);
  }
}

TEST_CASE("up to 1.35 a Portworx volume is a CSI volume where the CSINode says so") {
  const auto node_with = [](const std::string& name, const std::string& plugins) {
    return "---\nkind: Node\nmetadata: {name: '" + name + "'}\n" +
           object("storage.k8s.io/v1\nkind: CSINode",
                  "name: '" + name +
                      "', annotations: {storage.alpha.kubernetes.io/migrated-plugins: '" + plugins +
                      "'}",
                  "spec: {drivers: [" + limit("pxd.portworx.com", 0) + ", " +
                      limit("ebs.csi.aws.com", 0) + "]}");
  };
  const std::string world = node_with("n", "") +
                            node_with("on", "kubernetes.io/portworx-volume,kubernetes.io/gce-pd") +
                            claim("a", "portworxVolume: {volumeID: w}") + unbound("u", "s") +
                            storage_class("s", "kubernetes.io/portworx-volume");
  const std::string px = spec("{name: v, portworxVolume: {volumeID: w}}");
  const std::string ebs = spec("{name: v, awsElasticBlockStore: {volumeID: vol-1}}");
  for (const Release release : {Release::k1_31, Release::k1_35, Release::k1_36}) {
    TrialOptions options;
    options.release = release;
    Trial t("NodeVolumeLimits", world, options);
    for (const std::string& wants : {px, spec(uses("a")), spec(uses("u"))}) {
      CHECK(t.filter(wants, "on") == kTooMany);
      CHECK(t.filter(wants) == (release <= Release::k1_35 ? "Success" : kTooMany));
    }
    CHECK(t.filter(ebs) == kTooMany);
  }
}

TEST_CASE("in 1.35 VolumeLimitScaling asks for each driver with a CSIDriver") {
  const std::string world = node_n() +
                            object("storage.k8s.io/v1\nkind: CSIDriver", "name: d", "spec: {}") +
                            claim("a", csi("d", "h")) + claim("c", csi("f", "h"));
  for (const Release release : {Release::k1_35, Release::k1_36}) {
    TrialOptions options;
    options.gates = "VolumeLimitScaling=true";
    options.release = release;
    Trial t("NodeVolumeLimits", world, options);
    CHECK(t.filter(spec(uses("a"))) ==
          (release == Release::k1_35 ? "Unschedulable: d CSI driver is not installed on the node"
                                     : "Success"));
    CHECK(t.filter(spec(uses("c"))) == "Success");
  }
}

}  // namespace libsched::node_volume_limits_test
