// Storage kinds and selecting kinds: every field, both forms of absence, defaults, checks, and bad
// input with its path.
#include <doctest/doctest.h>

#include "libsched/ingest/ingest.hpp"
#include "libsched/objects/device_class.hpp"
#include "libsched/objects/pod_group.hpp"

namespace libsched::storage_builder_test {

ObjectSet parse(const std::string& text, const ParseOptions& options = {}) {
  Result<ObjectSet> set = parse_objects(text, options);
  if (!set.ok()) FAIL(set.error().text());
  return std::move(*set);
}

// The only object of the input.
template <typename T>
Ref<const T> one(const std::string& text, const ParseOptions& options = {}) {
  const ObjectSet set = parse(text, options);
  REQUIRE(set.stored.size() == 1);
  CHECK(set.size() == 1);
  CHECK(set.unknown_fields == 0);
  return Ref<const T>::share(static_cast<const T*>(set.stored[0].object.get()));
}

ParseOptions with_defaults() {
  ParseOptions options;
  options.defaults = true;
  return options;
}

std::string error(const std::string& text) {
  const Result<ObjectSet> set = parse_objects(text, {});
  return set.ok() ? "accepted" : set.error().text();
}

std::string warnings(const std::string& text) {
  ParseOptions options;
  options.validate = true;
  std::string out;
  for (const IngestWarning& w : parse(text, options).warnings) {
    out.append(out.empty() ? "" : "; ").append(w.path).append(": ").append(w.message);
  }
  return out;
}

const std::string kVolume = "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: pv}\nspec:\n";
const std::string kClaim =
    "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c}\nspec:\n";

TEST_CASE("storage: a PersistentVolume") {
  const auto pv = one<PersistentVolume>(R"(
apiVersion: v1
kind: PersistentVolume
metadata:
  name: pv
  namespace: ignored
  resourceVersion: "12"
  labels: {zone: a}
  annotations: {z: "1", pv.kubernetes.io/bound-by-controller: "yes"}
  deletionTimestamp: 2026-01-02T03:04:05Z
spec:
  capacity: {storage: 10Gi, other: 1}
  accessModes: [ReadWriteOnce, ReadOnlyMany]
  volumeMode: Block
  storageClassName: fast
  volumeAttributesClassName: gold
  persistentVolumeReclaimPolicy: Retain
  claimRef: {kind: PersistentVolumeClaim, namespace: ns, name: c, uid: u, resourceVersion: "3"}
  nodeAffinity:
    required:
      nodeSelectorTerms:
      - matchExpressions: [{key: zone, operator: In, values: [a]}]
  csi: {driver: d.example.com, volumeHandle: h, fsType: ext4}
status: {phase: Bound, lastPhaseTransitionTime: null}
)");
  CHECK(pv->meta.name == "pv");
  CHECK(pv->meta.ns == "");
  CHECK(pv->meta.resource_version == "12");
  CHECK(pv->meta.terminating());
  CHECK(find_label(pv->meta.labels, "zone")->value == "a");
  REQUIRE(find_annotation(pv->meta, kBoundByControllerAnnotation) != nullptr);
  CHECK(*find_annotation(pv->meta, kBoundByControllerAnnotation) == "yes");
  CHECK(pv->capacity->value() == int64_t{10} << 30);
  CHECK(has_access_mode(pv->access_modes, "ReadOnlyMany"));
  CHECK_FALSE(has_access_mode(pv->access_modes, "ReadWriteMany"));
  CHECK(pv->volume_mode == "Block");
  CHECK(pv->storage_class() == "fast");
  CHECK(pv->volume_attributes_class == "gold");
  REQUIRE(pv->claim_ref);
  CHECK(pv->claim_ref->ns == "ns");
  CHECK(pv->claim_ref->name == "c");
  CHECK(pv->claim_ref->uid == "u");
  CHECK(pv->has_node_affinity);
  REQUIRE(pv->node_affinity.terms.size() == 1);
  CHECK(pv->node_affinity.terms[0].match_expressions[0].key == "zone");
  CHECK(pv->source.kind == VolumeKind::kCsi);
  CHECK(pv->source.driver == "d.example.com");
  CHECK(pv->source.id == "h");
  CHECK(pv->phase == "Bound");
}

TEST_CASE("storage: sources of a PersistentVolume") {
  const auto source = [](const std::string& spec) {
    return one<PersistentVolume>(kVolume + "  " + spec);
  };
  struct Case {
    const char* spec;
    VolumeKind kind;
    const char* id;
  };
  for (const Case& c :
       {Case{"gcePersistentDisk: {pdName: x, partition: 1}", VolumeKind::kGcePersistentDisk, "x"},
        Case{"awsElasticBlockStore: {volumeID: x, readOnly: true}",
             VolumeKind::kAwsElasticBlockStore, "x"},
        Case{"cinder: {volumeID: x}", VolumeKind::kCinder, "x"},
        Case{"vsphereVolume: {volumePath: x}", VolumeKind::kVsphere, "x"},
        Case{"portworxVolume: {volumeID: x}", VolumeKind::kPortworx, "x"},
        Case{"azureDisk: {diskName: n, diskURI: x}", VolumeKind::kAzureDisk, "x"},
        Case{"nfs: {server: s, path: p}", VolumeKind::kOther, ""},
        Case{"csi: null", VolumeKind::kOther, ""},
        Case{"local: {path: /x}", VolumeKind::kOther, ""}}) {
    CAPTURE(c.spec);
    CHECK(source(c.spec)->source.kind == c.kind);
    CHECK(source(c.spec)->source.id == c.id);
  }
  const auto file = source("azureFile: {secretName: s, shareName: x, secretNamespace: ''}");
  CHECK(file->source.secret_name == "s");
  CHECK(file->source.secret_namespace == "");
  CHECK_FALSE(source("azureFile: {shareName: x}")->source.secret_namespace);
  CHECK(source("azureDisk: {kind: Managed}")->source.disk_kind == "Managed");
  CHECK_FALSE(source("azureDisk: {diskURI: x}")->source.disk_kind);
  for (const char* spec :
       {"cinder: {volumeID: x}\n  csi: {driver: d}", "csi: {driver: d}\n  cinder: {volumeID: x}"}) {
    const auto both = source(spec);
    CHECK(both->source.kind == VolumeKind::kCsi);
    CHECK(both->source.id == "");
    CHECK(both->in_tree.kind == VolumeKind::kCinder);
    CHECK(both->in_tree.id == "x");
  }
}

TEST_CASE("storage: a PersistentVolumeClaim, and absent is not empty") {
  const auto full = one<PersistentVolumeClaim>(R"(
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: c
  uid: u
  annotations: {volume.kubernetes.io/selected-node: n1, pv.kubernetes.io/bind-completed: ""}
  ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: pu, controller: true}]
spec:
  accessModes: [ReadWriteOncePod]
  selector: {matchLabels: {a: b}}
  resources: {requests: {storage: 1500m}, limits: {storage: 7}}
  volumeName: pv
  storageClassName: ""
  volumeMode: Filesystem
  volumeAttributesClassName: ""
status: {phase: Lost, capacity: {storage: 3}}
)");
  CHECK(full->meta.ns == "default");
  CHECK(full->meta.uid == "u");
  CHECK(*find_annotation(full->meta, kSelectedNodeAnnotation) == "n1");
  CHECK(find_annotation(full->meta, kBindCompletedAnnotation) != nullptr);
  REQUIRE(full->meta.owners.size() == 1);
  CHECK(full->meta.owners[0].uid == "pu");
  CHECK(full->selector.present);
  CHECK(full->request->value() == 2);
  CHECK(full->volume_name == "pv");
  CHECK(full->has_storage_class());
  CHECK(full->storage_class_name == "");
  CHECK(full->volume_attributes_class == "");
  CHECK(full->phase == "Lost");

  const auto bare = one<PersistentVolumeClaim>(kClaim + "  storageClassName: null");
  CHECK_FALSE(bare->has_storage_class());
  CHECK_FALSE(bare->volume_mode);
  CHECK_FALSE(bare->volume_attributes_class);
  CHECK_FALSE(bare->request);
  CHECK_FALSE(bare->selector.present);
  CHECK(volume_mode_or_default(bare->volume_mode) == "Filesystem");
}

TEST_CASE("storage: classes, drivers, capacities and attachments") {
  const auto sc = one<StorageClass>(R"(
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: d.example.com
parameters: {a: b}
volumeBindingMode: WaitForFirstConsumer
allowedTopologies:
- matchLabelExpressions: [{key: zone, values: [a, b]}, {key: rack, values: []}]
- {}
)");
  CHECK(sc->provisioner == "d.example.com");
  CHECK(sc->binding_mode == "WaitForFirstConsumer");
  REQUIRE(sc->allowed_topologies.size() == 2);
  REQUIRE(sc->allowed_topologies[0].requirements.size() == 2);
  CHECK(sc->allowed_topologies[0].requirements[0].values[1] == "b");
  CHECK(sc->allowed_topologies[1].requirements.empty());

  const auto node = one<CsiNode>(R"(
apiVersion: storage.k8s.io/v1
kind: CSINode
metadata:
  name: n1
  annotations: {storage.alpha.kubernetes.io/migrated-plugins: "kubernetes.io/gce-pd"}
spec:
  drivers:
  - {name: b, nodeID: i, topologyKeys: [zone], allocatable: {count: 0}}
  - {name: a, nodeID: i, topologyKeys: null, allocatable: {}}
)");
  REQUIRE(node->drivers.size() == 2);
  CHECK(node->drivers[0].name == "b");
  CHECK(node->drivers[0].topology_keys[0] == "zone");
  CHECK(node->drivers[0].count == 0);
  CHECK_FALSE(node->drivers[1].count);
  CHECK(*find_annotation(node->meta, kMigratedPluginsAnnotation) == "kubernetes.io/gce-pd");

  const auto driver = one<CsiDriver>(
      "apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: d}\n"
      "spec: {storageCapacity: true, preventPodSchedulingIfMissing: true, attachRequired: false}");
  CHECK(driver->storage_capacity);
  CHECK(driver->prevent_pod_scheduling_if_missing);

  const std::string capacity =
      "apiVersion: storage.k8s.io/v1beta1\nkind: CSIStorageCapacity\n"
      "metadata: {name: c, namespace: kube-system}\nstorageClassName: fast\n";
  const auto full = one<CsiStorageCapacity>(
      capacity + "nodeTopology: {}\ncapacity: 5Gi\nmaximumVolumeSize: \"0\"\n");
  CHECK(full->meta.ns == "kube-system");
  CHECK(full->node_topology.present);
  CHECK(full->capacity->value() == int64_t{5} << 30);
  CHECK(full->maximum_volume_size->is_zero());
  const auto bare = one<CsiStorageCapacity>(capacity);
  CHECK_FALSE(bare->node_topology.present);
  CHECK_FALSE(bare->capacity);
  CHECK_FALSE(bare->maximum_volume_size);

  const std::string attachment =
      "apiVersion: storage.k8s.io/v1\nkind: VolumeAttachment\nmetadata: {name: va}\n"
      "spec: {attacher: d, nodeName: n1, source: ";
  CHECK(one<VolumeAttachment>(attachment + "{persistentVolumeName: pv}}")->volume_name == "pv");
  const auto in_line = one<VolumeAttachment>(attachment + "{inlineVolumeSpec: {csi: {}}}}");
  CHECK_FALSE(in_line->volume_name);
  CHECK(in_line->attacher == "d");
  CHECK(in_line->node_name == "n1");
}

TEST_CASE("selecting: services, controllers and device classes") {
  const std::string service =
      "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{port: 80}], selector: ";
  CHECK(one<Service>(service + "{a: b}}")->selector[0].value == "b");
  CHECK(one<Service>(service + "{}}")->selector_present);
  CHECK_FALSE(one<Service>(service + "null}")->selector_present);

  const std::string rc =
      "apiVersion: v1\nkind: ReplicationController\nmetadata: {name: rc}\n"
      "spec: {template: {metadata: {labels: {t: u}}, spec: {containers: []}}, selector: ";
  CHECK(one<Controller>(rc + "{a: b}}")->selector.match_labels[0].key == "a");
  CHECK(one<Controller>(rc + "{a: b}}")->kind == StoredKind::kReplicationController);
  CHECK_FALSE(one<Controller>(rc + "null}")->selector.present);
  CHECK(one<Controller>(rc + "{a: b}}", with_defaults())->selector.match_labels[0].key == "a");
  CHECK(one<Controller>(rc + "null}", with_defaults())->selector.match_labels[0].key == "t");
  CHECK(one<Controller>(rc + "{}}", with_defaults())->selector.match_labels[0].key == "t");

  const std::string classes =
      "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: d, creationTimestamp: "
      "2026-01-01T00:00:00Z}\nspec: ";
  const auto named = one<DeviceClass>(classes + "{extendedResourceName: example.com/gpu}");
  CHECK(named->extended_resource_name == "example.com/gpu");
  CHECK(named->meta.created.present);
  CHECK_FALSE(one<DeviceClass>(classes + "{selectors: []}")->extended_resource_name);
}

TEST_CASE("selecting: a PodDisruptionBudget") {
  const std::string head =
      "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b, namespace: ns}\n";
  const auto budget = one<PodDisruptionBudget>(
      head +
      "spec: {minAvailable: 50%, maxUnavailable: 1, unhealthyPodEvictionPolicy: AlwaysAllow, "
      "selector: {matchLabels: {a: b}, matchExpressions: [{key: c, operator: Exists}]}}\n"
      "status: {disruptionsAllowed: -2, currentHealthy: 1, desiredHealthy: 2, expectedPods: 3, "
      "observedGeneration: 4, conditions: [], disruptedPods: {two: '2026-01-02T03:04:05Z', one: "
      "null}}");
  CHECK(budget->meta.ns == "ns");
  CHECK(budget->selector.present);
  CHECK(budget->selector.match_labels[0].value == "b");
  CHECK(budget->selector.match_expressions[0].key == "c");
  CHECK(budget->disruptions_allowed == -2);
  REQUIRE(budget->disrupted_pods.size() == 2);
  CHECK(budget->disrupted_pods[0].key == "one");
  CHECK(budget->disrupted_pods[1].key == "two");
  CHECK(budget->always_allows_unhealthy);
  CHECK(budget->current_healthy == 1);
  CHECK(budget->desired_healthy == 2);
  CHECK_FALSE(budget->outdated);
  const std::string fifth = "metadata: {name: b, generation: 5}\n";
  const auto of = [&](const std::string& rest) {
    return one<PodDisruptionBudget>("apiVersion: policy/v1\nkind: PodDisruptionBudget\n" + rest);
  };
  CHECK(of(fifth + "status: {observedGeneration: 4}")->outdated);
  CHECK(of("status: {observedGeneration: 4}\n" + fifth)->outdated);
  CHECK_FALSE(of(fifth + "status: {observedGeneration: 5}")->outdated);
  CHECK_FALSE(of(fifth + "spec: {unhealthyPodEvictionPolicy: IfHealthyBudget}\n"
                         "status: {observedGeneration: 5}")
                  ->always_allows_unhealthy);
  const auto bare = one<PodDisruptionBudget>(head + "spec: {selector: null}\nstatus: null");
  CHECK_FALSE(bare->selector.present);
  CHECK(bare->disruptions_allowed == 0);
  CHECK(one<PodDisruptionBudget>(head + "spec: {selector: {}}")->selector.present);
  CHECK(error(head + "status: {disruptionsAllowed: 1.5}") ==
        "status.disruptionsAllowed: expected an integer, got the number 1.5");
  CHECK(error(head + "status: {disruptionsAllowed: 3000000000}") ==
        "status.disruptionsAllowed: the number 3000000000 does not fit into 32 bits");
  CHECK(error(head + "status: {disruptedPods: {x: never}}") ==
        "status.disruptedPods.x: \"never\" is not a time such as 2006-01-02T15:04:05Z");
  CHECK(error(head + "spec: {selector: 5}") ==
        "spec.selector: expected an object, got the number 5");
  CHECK(warnings(head + "spec: {selector: {matchExpressions: [{key: c, operator: Gt}]}}") ==
        "spec.selector.matchExpressions[0].operator: Invalid value: \"Gt\": not a valid selector "
        "operator");
}

TEST_CASE("a PodGroup: its policy and its conditions") {
  const std::string head =
      "apiVersion: scheduling.k8s.io/v1alpha2\nkind: PodGroup\nmetadata: {name: g, namespace: "
      "ns}\n";
  const auto gang = one<PodGroup>(
      head +
      "spec: {podGroupTemplateRef: {}, schedulingPolicy: {gang: {minCount: 3}}, resourceClaims: "
      "[], schedulingConstraints: {topology: [{key: rack}]}, disruptionMode: Pod, priority: 1, "
      "priorityClassName: c}\n"
      "status: {resourceClaimStatuses: [], conditions: [{type: PodGroupScheduled, status: 'True', "
      "reason: Scheduled, message: m, observedGeneration: 1, lastTransitionTime: null}]}");
  CHECK(gang->meta.ns == "ns");
  CHECK(gang->gang);
  CHECK_FALSE(gang->basic);
  CHECK(gang->min_count == 3);
  REQUIRE(gang->conditions.size() == 1);
  const PodGroup::Condition* c = gang->find_condition("PodGroupScheduled");
  REQUIRE(c != nullptr);
  CHECK(c->status == "True");
  CHECK(c->reason == "Scheduled");
  CHECK(c->message == "m");
  CHECK(gang->find_condition("Other") == nullptr);
  const auto newer = one<PodGroup>(
      "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: g, namespace: ns}\n"
      "spec: {workloadRef: {}, parentCompositePodGroupName: p, preemptionPolicy: Never, "
      "disruptionMode: {all: {}}, schedulingPolicy: {gang: {minCount: 4}}}\n");
  CHECK(newer->min_count == 4);
  CHECK(newer->parent == "p");
  CHECK(newer->preemption_policy == "Never");
  CHECK_FALSE(gang->disrupted_together);
  constexpr std::pair<const char*, bool> kModes[] = {{"PodGroup", true},
                                                     {"{all: {}}", true},
                                                     {"{single: {}}", false},
                                                     {"{all: null}", false},
                                                     {"null", false}};
  for (const auto& [mode, together] : kModes)
    CHECK(one<PodGroup>(head + "spec: {disruptionMode: " + mode + "}")->disrupted_together ==
          together);
  const auto basic = one<PodGroup>(head + "spec: {schedulingPolicy: {basic: {}, gang: null}}");
  CHECK(basic->basic);
  CHECK_FALSE(basic->gang);

  CHECK(with_condition(*newer, {"Other", "True", "s", ""})->parent == "p");

  PodGroupRef changed = with_condition(*gang, {"PodGroupScheduled", "False", "r", "n"});
  changed = with_condition(*changed, {"Other", "True", "s", ""});
  REQUIRE(changed->conditions.size() == 2);
  CHECK(changed->find_condition("PodGroupScheduled")->message == "n");
  CHECK(changed->find_condition("Other")->reason == "s");
  CHECK(changed->gang);
  CHECK(changed->min_count == 3);
  CHECK(with_condition(*newer, *c)->preemption_policy == "Never");
  CHECK(changed->meta.name == "g");
  CHECK(c->status == "True");

  CHECK(error(head + "spec: {schedulingPolicy: {gang: {minCount: two}}}") ==
        "spec.schedulingPolicy.gang.minCount: expected an integer, got a string");
  CHECK(error(head + "spec: {schedulingPolicy: {gang: {min: 2}}}") == "accepted");
  CHECK(error(head + "status: {conditions: [{type: a}, {type: 7}]}") ==
        "status.conditions[1].type: expected a string, got the number 7");
  CHECK(warnings(head + "spec: {schedulingPolicy: {gang: {minCount: 1}}}") == "");
  CHECK(warnings(head + "spec: {schedulingPolicy: {gang: {minCount: 0}}}") ==
        "spec.schedulingPolicy.gang.minCount: Invalid value: 0: must be greater than or equal to "
        "1");
  CHECK(warnings(head + "spec: {}") ==
        "spec.schedulingPolicy: Invalid value: \"\": must specify exactly one of: `basic`, `gang`");
}

TEST_CASE("a CompositePodGroup is a PodGroup whose members are groups") {
  const std::string head =
      "apiVersion: scheduling.k8s.io/v1alpha3\nkind: CompositePodGroup\nmetadata: {name: c, "
      "namespace: ns, creationTimestamp: '2026-01-01T00:00:00Z'}\n";
  const auto gang = one<CompositePodGroup>(
      head +
      "spec: {parentCompositePodGroupName: p, workloadRef: {}, schedulingPolicy: {gang: "
      "{minGroupCount: 2}}, schedulingConstraints: {topology: [{key: rack}]}, disruptionMode: "
      "{all: {}}, priorityClassName: c, priority: 7, preemptionPolicy: Never}\n"
      "status: {conditions: []}");
  CHECK(gang->composite);
  CHECK(gang->meta.created.present);
  CHECK(gang->gang);
  CHECK(gang->min_count == 2);
  CHECK(gang->priority == 7);
  CHECK(gang->parent == "p");
  CHECK(gang->topology_key == "rack");
  CHECK(gang->disrupted_together);
  const auto basic = one<CompositePodGroup>(
      head + "spec: {schedulingPolicy: {basic: {}}, disruptionMode: {single: {}}}");
  CHECK(basic->basic);
  CHECK_FALSE(basic->disrupted_together);
  CHECK(basic->parent == "");
  CHECK(error(head + "spec: {schedulingPolicy: {gang: {minCount: two}}}") == "accepted");
  CHECK(warnings(head + "spec: {schedulingPolicy: {gang: {minGroupCount: 0}}}") ==
        "spec.schedulingPolicy.gang.minGroupCount: Invalid value: 0: must be greater than or equal "
        "to 1");
}

TEST_CASE("selecting: a ReplicaSet or StatefulSet is a template and a selector") {
  const std::string spec =
      "\nmetadata: {name: w, namespace: ns, uid: u}\nspec:\n  selector: {matchExpressions: [{key: "
      "a, "
      "operator: Exists}]}\n  template: {metadata: {labels: {t: u}}}\n";
  for (const char* kind : {"ReplicaSet", "StatefulSet"}) {
    const ObjectSet set = parse(std::string("apiVersion: apps/v1\nkind: ") + kind + spec);
    CHECK(set.size() == 1);
    REQUIRE(set.workloads.size() == 1);
    REQUIRE(set.stored.size() == 1);
    CHECK(stored_kind_name(set.stored[0].kind) == kind);
    const auto& c = static_cast<const Controller&>(*set.stored[0].object);
    CHECK(c.kind == set.stored[0].kind);
    CHECK(c.meta.name == "w");
    CHECK(c.meta.ns == "ns");
    CHECK(c.meta.uid == "u");
    CHECK(c.selector.match_expressions[0].op == SelectorOp::kExists);
    CHECK(c.content_hash != 0);
  }
  CHECK(parse("apiVersion: apps/v1\nkind: Deployment" + spec).stored.empty());
  // Older versions take the selector from the template.
  const auto selector = [](const std::string& version) {
    const ObjectSet set = parse("apiVersion: " + version +
                                    "\nkind: StatefulSet\nmetadata: {name: w}\n"
                                    "spec: {template: {metadata: {labels: {t: u}}}}",
                                with_defaults());
    return static_cast<const Controller&>(*set.stored[0].object).selector.match_labels.size();
  };
  CHECK(selector("apps/v1") == 0);
  CHECK(selector("apps/v1beta1") == 1);
}

TEST_CASE("storage: API defaulting") {
  const auto pv = one<PersistentVolume>(
      kVolume + "  capacity: {storage: 100u}\n  azureDisk: {diskURI: x}", with_defaults());
  CHECK(pv->phase == "Pending");
  CHECK(pv->volume_mode == "Filesystem");
  CHECK(pv->capacity->milli_value() == 1);
  CHECK(pv->capacity->compare(Quantity::from_milli(1)) == 0);
  CHECK(pv->source.disk_kind == "Shared");
  const auto claim = one<PersistentVolumeClaim>(
      kClaim + "  volumeMode: Block\n  resources: {requests: {storage: 1u}}", with_defaults());
  CHECK(claim->phase == "Pending");
  CHECK(claim->volume_mode == "Block");
  CHECK(claim->request->compare(Quantity::from_milli(1)) == 0);
  const std::string sc =
      "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: s}\nprovisioner: p\n";
  CHECK(one<StorageClass>(sc, with_defaults())->binding_mode == "Immediate");
  CHECK_FALSE(one<StorageClass>(sc)->binding_mode);
}

TEST_CASE("storage: bad input is refused with its path") {
  CHECK(error(kVolume + "  capacity: {storage: x}") ==
        "spec.capacity.storage: \"x\": quantities must match the regular expression "
        "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  CHECK(error(kVolume + "  claimRef: {name: 5}") ==
        "spec.claimRef.name: expected a string, got the number 5");
  CHECK(error(kVolume + "  nodeAffinity: {required: {nodeSelectorTerms: {}}}") ==
        "spec.nodeAffinity.required.nodeSelectorTerms: expected an array, got an object");
  CHECK(error(kVolume + "  csi: {volumeHandle: [1]}") ==
        "spec.csi.volumeHandle: expected a string, got an array");
  CHECK(error("apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: a, annotations: {a: 1}}") ==
        "metadata.annotations.a: expected a string, got the number 1");
  CHECK(error("apiVersion: v1\nkind: PersistentVolume\nspec: {}") == "metadata.name: missing");
  CHECK(error(kVolume + "  {}\n---\n" + kVolume + "  {}") ==
        "documents[1]: duplicate PersistentVolume pv, the first is documents[0]");
  CHECK(error(kClaim + "  accessModes: ReadWriteOnce") ==
        "spec.accessModes: expected an array, got a string");
  CHECK(error(kClaim + "  storageClassName: true") ==
        "spec.storageClassName: expected a string, got a boolean");
  const std::string storage = "apiVersion: storage.k8s.io/v1\nmetadata: {name: a}\nkind: ";
  CHECK(error(storage +
              "StorageClass\nallowedTopologies: [{matchLabelExpressions: [{values: a}]}]") ==
        "allowedTopologies[0].matchLabelExpressions[0].values: expected an array, got a string");
  CHECK(error(storage + "CSINode\nspec: {drivers: [{allocatable: {count: 1.5}}]}") ==
        "spec.drivers[0].allocatable.count: expected an integer, got the number 1.5");
  CHECK(error(storage + "CSIDriver\nspec: {storageCapacity: 1}") ==
        "spec.storageCapacity: expected a boolean, got the number 1");
  CHECK(error(storage + "CSIStorageCapacity\nmaximumVolumeSize: []")
            .starts_with("maximumVolumeSize: expected a quantity"));
  CHECK(error(storage + "VolumeAttachment\nspec: {source: 1}") ==
        "spec.source: expected an object, got the number 1");
  CHECK(error("apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {selector: [a]}") ==
        "spec.selector: expected an object, got an array");
  CHECK(error("apiVersion: v1\nkind: ReplicationController\nmetadata: {name: a}\nspec: {selector: "
              "{a: 1}}") == "spec.selector.a: expected a string, got the number 1");
  CHECK(error("apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: a}\nspec: {selector: "
              "{matchLabels: {a: 1}}}") ==
        "spec.selector.matchLabels.a: expected a string, got the number 1");
  CHECK(error("apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\nspec: "
              "{extendedResourceName: {}}") ==
        "spec.extendedResourceName: expected a string, got an object");
  CHECK(error("apiVersion: v2\nkind: Service\nmetadata: {name: a}") ==
        "apiVersion: no kind \"Service\" is registered for version \"v2\"");
}

TEST_CASE("storage: what the API server would refuse is a warning") {
  CHECK(warnings(kVolume + "  {}") ==
        "spec.accessModes: Required value; spec.capacity: Required value");
  CHECK(warnings(kClaim + "  accessModes: [ReadWriteOncePod, ReadWriteOnce]\n  resources: "
                          "{requests: {storage: 1}}") ==
        "spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes");
  CHECK(warnings(kClaim + "  accessModes: [Read]\n  resources: {requests: {storage: 1}}") ==
        "spec.accessModes: Unsupported value: \"Read\": supported values: \"ReadOnlyMany\", "
        "\"ReadWriteMany\", \"ReadWriteOnce\", \"ReadWriteOncePod\"");
  CHECK(warnings("apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {selector: {a: b}}") ==
        "");
}

}  // namespace libsched::storage_builder_test
