// VolumeBinding: PreFilter's statuses for claims, the nodes that can have their volumes, and the
// objects that Reserve assumes.
#include "libsched/plugins/volumebinding/volumes_test.hpp"

namespace libsched::volume_binding_test {

using namespace volumes_test;

const char* const kAffinity = "node(s) didn't match PersistentVolume's node affinity";
const char* const kNoVolume = "node(s) didn't find available persistent volumes to bind";
const char* const kNoSpace = "node(s) did not have enough free storage";
const char* const kGone =
    "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";

std::string no(const std::string& why, const std::string& more = "") {
  return "UnschedulableAndUnresolvable: " + why + (more.empty() ? "" : "; " + more);
}

std::string with_volume(const std::string& source) {
  return "{volumes: [{name: first, emptyDir: {}}, {name: v, " + source + "}]}";
}

TEST_CASE("pods without such a volume are skipped") {
  Trial t("VolumeBinding", node_n());
  CHECK(t.pre_filter(*Trial::pod("{}")) == "Skip");
  CHECK(t.filter("{}") == "Success");
  for (const char* source : {
           "emptyDir: {}",
           "csi: {driver: d}",
           "gcePersistentDisk: {pdName: x}",
           "awsElasticBlockStore: {volumeID: x}",
           "image: {reference: x}",
       }) {
    CAPTURE(source);
    CHECK(t.pre_filter(*Trial::pod(with_volume(source))) == "Skip");
    CHECK(t.filter(with_volume(source)) == "Success");
  }
}

TEST_CASE("claims that PreFilter rejects") {
  const auto text = [](const std::string& objects, const std::string& volumes = uses("c")) {
    Trial t("VolumeBinding", node_n() + objects);
    return t.pre_filter(*Trial::pod(spec(volumes), "name: p, namespace: default, uid: u-p"));
  };
  const std::string eph = "{name: e, ephemeral: {volumeClaimTemplate: {spec: {}}}}";
  CHECK(text("") == no("persistentvolumeclaim \"c\" not found"));
  CHECK(text("", eph) == no("waiting for ephemeral volume controller to create the "
                            "persistentvolumeclaim \"p-e\""));
  CHECK(text(claim("c", "volumeName: v", "", "Lost")) ==
        no("persistentvolumeclaim \"c\" bound to non-existent persistentvolume \"v\""));
  CHECK(text(claim("c", "volumeName: v", ", deletionTimestamp: '2026-01-01T00:00:00Z'")) ==
        no("persistentvolumeclaim \"c\" is being deleted"));
  CHECK(text(claim("p-e", asks("1Gi", "local")), eph) ==
        no("PVC default/p-e was not created for pod default/p (pod is not owner)"));
  const std::string owner =
      ", ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: u-p, controller: true}]";
  CHECK(text(local_class() + claim("p-e", asks("1Gi", "local"), owner), eph) == "Success");
  const std::string unbound = no("pod has unbound immediate PersistentVolumeClaims");
  CHECK(text(claim("c", "volumeName: ''")) == unbound);
  CHECK(text(claim("c", asks("1Gi", "gone"))) == unbound);
  CHECK(text(storage_class("s", "x", "Immediate") + claim("c", asks("1Gi", "s"))) == unbound);
  CHECK(text(local_class() + claim("c", asks("1Gi", "local"))) == "Success");
  // Bound in advance, but not completely.
  CHECK(text(local_class() + claim("c", asks("1Gi", "local") + ", volumeName: v")) == unbound);
  CHECK(text(bound("c", "v")) == "Success");
  CHECK(text(storage_class("s", "x", "") + claim("c", asks("1Gi", "s"))) ==
        "Error: running PreFilter plugin \"VolumeBinding\": VolumeBindingMode not set for "
        "StorageClass \"s\"");
  // A class matters only for an unbound claim; the first missing class ends the search.
  CHECK(text(claim("c", asks("1Gi", "gone")), uses("c") + ", " + uses("d")) ==
        no("persistentvolumeclaim \"d\" not found"));
}

TEST_CASE("bound volumes") {
  Trial t("VolumeBinding", node("n", "zone: a") + node("m", "zone: b") + bound("c", "v") +
                               bound("d", "w") + bound("gone", "x") +
                               volume("v", "1Gi", in_zone("a"), "", "Bound") +
                               volume("w", "1Gi", in_zone("a, b"), "", "Bound"));
  CHECK(t.filter(spec(uses("c") + ", " + uses("d"))) == "Success");
  CHECK(t.filter(spec(uses("c") + ", " + uses("d")), "m") == no(kAffinity));
  CHECK(t.filter(spec(uses("gone"))) == no(kGone));
  // The first claim that fails gives the reason.
  CHECK(t.filter(spec(uses("gone") + ", " + uses("c")), "m") == no(kGone));
  CHECK(t.filter(spec(uses("c") + ", " + uses("gone")), "m") == no(kAffinity));
  CHECK(t.filter(spec(uses("c") + ", " + uses("gone"))) == no(kGone));
}

TEST_CASE("bound volumes that have been migrated") {
  const auto csi_node = [](const std::string& name, const std::string& plugins) {
    return object("storage.k8s.io/v1\nkind: CSINode",
                  "name: '" + name +
                      "', annotations: {storage.alpha.kubernetes.io/migrated-plugins: '" + plugins +
                      "'}",
                  "spec: {drivers: []}");
  };
  const auto disk = [](const std::string& name, const std::string& id,
                       const std::string& more = "") {
    return object("v1\nkind: PersistentVolume",
                  "name: " + name + ", labels: {topology.kubernetes.io/zone: a}",
                  "spec: {awsElasticBlockStore: {volumeID: '" + id + "'}" + more + "}");
  };
  Trial t("VolumeBinding",
          node("old", "zone: x") + node("in", "topology.ebs.csi.aws.com/zone: a") +
              node("out", "topology.ebs.csi.aws.com/zone: b") + node("other", "zone: x") +
              csi_node("in", "kubernetes.io/gce-pd,kubernetes.io/aws-ebs") +
              csi_node("out", "kubernetes.io/aws-ebs") + csi_node("other", "kubernetes.io/gce-pd") +
              bound("c", "v") + disk("v", "vol-1") + bound("d", "w") + disk("w", "aws:///bad") +
              bound("e", "x") + disk("x", "vol-2", ", csi: {driver: d, volumeHandle: h}"));
  CHECK(t.filter(spec(uses("c")), "old") == "Success");
  CHECK(t.filter(spec(uses("c")), "in") == "Success");
  CHECK(t.filter(spec(uses("c")), "out") == no(kAffinity));
  CHECK(t.filter(spec(uses("c")), "other") == "Success");
  // Another source beside the migrated one does not prevent the translation.
  CHECK(t.filter(spec(uses("e")), "old") == "Success");
  CHECK(t.filter(spec(uses("e")), "in") == "Success");
  CHECK(t.filter(spec(uses("e")), "out") == no(kAffinity));
  CHECK(t.filter(spec(uses("d")), "in") ==
        "Error: running \"VolumeBinding\" filter plugin: could not translate pv: failed to "
        "translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (aws:///bad)");
}

TEST_CASE("which volume a claim gets") {
  struct Case {
    std::string volumes, claim;
    bool found;
  } const cases[] = {
      {"", "", false},
      {volume("v", "1Gi"), "", true},
      {volume("v", "2Gi"), "", true},
      {volume("v", "1023Mi"), "", false},
      {volume("v", "1Gi", "", "", "Bound"), "", false},
      {volume("v", "1Gi", "", ", deletionTimestamp: '2026-01-01T00:00:00Z'"), "", false},
      {volume("v", "1Gi", in_zone("a")), "", true},
      {volume("v", "1Gi", in_zone("b")), "", false},
      {volume("v", "1Gi", "volumeMode: Block"), "", false},
      {volume("v", "1Gi", "volumeMode: Block"), ", volumeMode: Block", true},
      {volume("v", "1Gi", "volumeMode: Filesystem"), "", true},
      {volume("v", "1Gi", "volumeAttributesClassName: a"), "", false},
      {volume("v", "1Gi", "volumeAttributesClassName: a"), ", volumeAttributesClassName: a", true},
      {volume("v", "1Gi"), ", volumeAttributesClassName: ''", true},
      {volume("v", "1Gi"), ", selector: {matchLabels: {x: z}}", false},
      {volume("v", "1Gi", "", ", labels: {x: z}"), ", selector: {matchLabels: {x: z}}", true},
      {volume("v", "1Gi"), ", selector: {}", true},
      {volume("v", "1Gi", "claimRef: {namespace: default, name: other}"), "", false},
      // Bound to the claim in advance: phase, selector and access modes do not matter.
      {volume("v", "1Gi", "claimRef: {namespace: default, name: c}", "", "Pending"), "", true},
      {volume("v", "1Gi", "claimRef: {namespace: default, name: c, uid: u-c}"), "", true},
      {volume("v", "1Gi", "claimRef: {namespace: default, name: c, uid: u-x}"), "", false},
      {volume("v", "1Gi", "claimRef: {namespace: other, name: c}"), "", false},
      // And no other volume is chosen if it cannot be used here.
      {volume("v", "1Gi", "claimRef: {namespace: default, name: c}, " + in_zone("b")) +
           volume("w", "1Gi"),
       "", false},
  };
  for (const auto& c : cases) {
    CAPTURE(c.volumes);
    CAPTURE(c.claim);
    Trial t("VolumeBinding", node("n", "zone: a") + local_class() + c.volumes +
                                 claim("c", asks("1Gi", "local") + c.claim));
    CHECK(t.filter(spec(uses("c"))) == (c.found ? "Success" : no(kNoVolume)));
  }
}

TEST_CASE("access modes, and an empty selector") {
  uint64_t errors = 0;
  const auto text = [&](const std::string& more) {
    Trial t("VolumeBinding",
            node("n", "zone: a") + local_class() + volume("v", "1Gi") +
                object("v1\nkind: PersistentVolumeClaim", "name: c, namespace: default",
                       "spec: {" + asks("1Gi", "local") + ", " + more + "}"));
    std::string out = t.filter(spec(uses("c")));
    errors = t.evaluator().services().metrics().volume_stage_errors[0].value();
    return out;
  };
  CHECK(text("accessModes: [ReadWriteOnce, ReadOnlyMany]") == "Success");
  CHECK(text("accessModes: [ReadWriteOnce, ReadWriteMany]") == no(kNoVolume));
  CHECK(errors == 0);
  CHECK(text("selector: {matchLabels: {x: '_'}}")
            .starts_with("Error: running \"VolumeBinding\" filter plugin: error creating internal "
                         "label selector for "
                         "claim: default/c: "));
  CHECK(errors != 0);
}

TEST_CASE("several claims share the volumes of a node, the smallest first") {
  const std::string world = node("n", "zone: a") + node("m", "zone: b") + local_class() +
                            claim("small", asks("1Gi", "local")) +
                            claim("large", asks("4Gi", "local"));
  const std::string both = spec(uses("large") + ", " + uses("small"));
  Trial t("VolumeBinding", world + volume("v", "5Gi"));
  CHECK(t.filter(spec(uses("large"))) == "Success");
  CHECK(t.filter(both) == no(kNoVolume));
  t.apply(volume("w", "6Gi", in_zone("a")));
  CHECK(t.filter(both) == "Success");
  CHECK(t.filter(both, "m") == no(kNoVolume));
}

TEST_CASE("provisioning") {
  const std::string zones =
      "allowedTopologies: [{matchLabelExpressions: [{key: zone, values: [a, c]}]}]";
  const auto capacity = [](const std::string& name, const std::string& more) {
    return object("storage.k8s.io/v1\nkind: CSIStorageCapacity", "name: " + name + ", namespace: k",
                  "storageClassName: tracked\n" + more);
  };
  Trial t("VolumeBinding",
          node("n", "zone: a") + node("m", "zone: b") + node("o", "zone: c") +
              storage_class("wait", "d") +
              storage_class("here", "d", "WaitForFirstConsumer", zones) +
              storage_class("tracked", "csi") + local_class() +
              object("storage.k8s.io/v1\nkind: CSIDriver", "name: csi",
                     "spec: {storageCapacity: true}") +
              capacity("x", "capacity: 10Gi\nnodeTopology: {matchLabels: {zone: a}}") +
              capacity("y1",
                       "capacity: 10Gi\nmaximumVolumeSize: 1Gi\nnodeTopology: {matchLabels: "
                       "{zone: b}}") +
              capacity("z", "capacity: 10Gi") + claim("any", asks("1Gi", "wait")) +
              claim("zonal", asks("1Gi", "here")) + claim("five", asks("5Gi", "tracked")) +
              claim("none", "storageClassName: tracked") + claim("local", asks("1Gi", "local")) +
              claim("chosen", asks("1Gi", "wait"),
                    ", annotations: {volume.kubernetes.io/selected-node: m}") +
              bound("gone", "x"));
  const auto of = [&](const std::string& claims, const char* node) {
    return t.filter(spec(claims), node);
  };
  CHECK(of(uses("any"), "n") == "Success");
  CHECK(of(uses("zonal"), "n") == "Success");
  CHECK(of(uses("zonal"), "m") == no(kNoVolume));
  CHECK(of(uses("five"), "n") == "Success");
  CHECK(of(uses("five"), "m") == no(kNoSpace));
  CHECK(of(uses("five"), "o") == no(kNoSpace));
  CHECK(of(uses("none"), "o") == "Success");
  CHECK(of(uses("local"), "n") == no(kNoVolume));
  CHECK(of(uses("chosen"), "m") == "Success");
  CHECK(of(uses("chosen"), "n") == no(kNoVolume));
  // Unbound claims give a single reason, that of the first claim, beside that of bound claims.
  CHECK(of(uses("five") + ", " + uses("zonal"), "m") == no(kNoVolume));  // zonal is smaller
  CHECK(of(uses("five") + ", " + uses("chosen"), "m") == no(kNoSpace));
  CHECK(of(uses("gone") + ", " + uses("five"), "m") == no(kNoSpace, kGone));
  CHECK(of(uses("gone") + ", " + uses("zonal"), "m") == no(kNoVolume, kGone));
}

TEST_CASE("Reserve assumes volumes and nodes, Unreserve reverts that") {
  Trial t("VolumeBinding", node("n", "zone: a") + node("m", "zone: b") + local_class() +
                               storage_class("wait", "d") + volume("v", "1Gi") +
                               volume("w", "2Gi") + claim("c", asks("1Gi", "local")) +
                               claim("d", asks("1Gi", "wait")) + claim("e", asks("1Gi", "local")));
  const PodRef pod = Trial::pod(spec(uses("c") + ", " + uses("d")));
  const View& view = t.cluster().view();
  const auto& volumes = view.objects();
  CycleState state;
  REQUIRE(t.evaluator().run_pre_filter(state, *pod)->success());
  REQUIRE(t.cluster().fork().ok());
  Result<Status> assumed = t.evaluator().assume(state, *pod, view.find_node("m"));
  REQUIRE(assumed.ok());
  CHECK(assumed->success());
  const auto* v = volumes.find<PersistentVolume>("v");
  REQUIRE(v->claim_ref);
  CHECK(v->claim_ref->name == "c");
  CHECK(v->claim_ref->ns == "default");
  CHECK(v->claim_ref->uid == "u-c");
  REQUIRE(find_annotation(v->meta, kBoundByControllerAnnotation) != nullptr);
  CHECK(*find_annotation(v->meta, kBoundByControllerAnnotation) == "yes");
  CHECK_FALSE(volumes.find<PersistentVolume>("w")->claim_ref);
  const auto* d = volumes.find<PersistentVolumeClaim>("default", "d");
  REQUIRE(find_annotation(d->meta, kSelectedNodeAnnotation) != nullptr);
  CHECK(*find_annotation(d->meta, kSelectedNodeAnnotation) == "m");
  // A pod with the same claims must go there, too, and another claim gets another volume.
  CHECK(t.filter(spec(uses("d")), "n") == no(kNoVolume));
  CHECK(t.filter(spec(uses("d")), "m") == "Success");
  CHECK(t.filter(spec(uses("e")), "n") == "Success");
  REQUIRE(t.cluster().fork().ok());
  REQUIRE(t.cluster().fork().ok());
  REQUIRE(t.evaluator().forget(state, *pod).ok());
  CHECK_FALSE(volumes.find<PersistentVolume>("v")->claim_ref);
  CHECK(t.filter(spec(uses("d")), "n") == "Success");
  REQUIRE(t.evaluator().forget(state, *pod).ok());
  REQUIRE(t.cluster().revert().ok());
  CHECK(volumes.find<PersistentVolume>("v")->claim_ref);
  REQUIRE(t.cluster().revert().ok());
  REQUIRE(t.cluster().revert().ok());
  CHECK_FALSE(volumes.find<PersistentVolume>("v")->claim_ref);
}

TEST_CASE("Reserve does nothing if all claims are bound, or the pod does not fit") {
  Trial t("VolumeBinding", node("n", "zone: a") + node("m", "zone: b") + local_class() +
                               volume("v", "1Gi", in_zone("a")) + claim("c", asks("1Gi", "local")));
  const PodRef pod = Trial::pod(spec(uses("c")));
  CycleState state;
  REQUIRE(t.evaluator().run_pre_filter(state, *pod)->success());
  const View& view = t.cluster().view();
  CHECK(t.evaluator().assume(state, *pod, view.find_node("m"))->success());
  CHECK_FALSE(view.objects().find<PersistentVolume>("v")->claim_ref);
}

TEST_CASE("Filter without PreFilter is upstream's Error") {
  TrialOptions options;
  options.profile =
      "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
      "DefaultBinder}]}, filter: {enabled: [{name: VolumeBinding}]}}";
  Trial t("VolumeBinding", node_n(), options);
  CHECK(t.filter("{}") == "Error: running \"VolumeBinding\" filter plugin: not found");
}

TEST_CASE("up to 1.32 a volume that the node cannot reach has another text") {
  const auto said = [](Release release) {
    TrialOptions options;
    options.release = release;
    Trial t("VolumeBinding",
            node("n", "zone: b") + bound("c", "v") + volume("v", "1Gi", in_zone("a"), "", "Bound"),
            options);
    return t.filter(spec(uses("c")));
  };
  CHECK(said(Release::k1_31) == no("node(s) had volume node affinity conflict"));
  CHECK(said(Release::k1_32) == no("node(s) had volume node affinity conflict"));
  CHECK(said(Release::k1_33) == no(kAffinity));
}

}  // namespace libsched::volume_binding_test
