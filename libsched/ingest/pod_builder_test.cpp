// Every typed field of pods, nodes and the smaller kinds.
#include <doctest/doctest.h>

#include "libsched/ingest/ingest.hpp"

namespace libsched::pod_builder_test {

PodRef pod(const std::string& spec, const std::string& rest = "") {
  const Result<PodRef> pod = parse_pod(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":)" + spec + rest + "}", {});
  REQUIRE_MESSAGE(pod.ok(), pod.error().text());
  return *pod;
}

NodeRef node(const std::string& rest) {
  const Result<NodeRef> node = parse_node(R"({"metadata":{"name":"n"},)" + rest + "}", {});
  REQUIRE_MESSAGE(node.ok(), node.error().text());
  return *node;
}

int64_t amount(ResourceList list, Str name) {
  const Quantity* q = find_quantity(list, name);
  REQUIRE(q != nullptr);
  return q->milli_value();
}

TEST_CASE("pod: metadata") {
  const Result<PodRef> p = parse_pod(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a",
      "namespace":"x","uid":"u-1","labels":{"z":"1","b":"\u00e9","a":null},
      "creationTimestamp":"2026-01-01T00:00:00Z","deletionTimestamp":"2026-01-01T00:00:01Z",
      "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"r","uid":"u-2","controller":true},
      {"kind":"Job","name":"j"}],"annotations":{"k":"v"},"managedFields":[{"f":{}}]}})",
                                     {});
  REQUIRE(p.ok());
  const ObjectMeta& m = (*p)->meta;
  CHECK(m.ns == "x");
  CHECK(m.uid == "u-1");
  CHECK(m.key_hash == object_key_hash("x", "a"));
  REQUIRE(m.labels.size() == 3);
  CHECK(m.labels[0].key == "a");
  CHECK(m.labels[0].value == "");
  CHECK(m.labels[1].value == "\xc3\xa9");
  CHECK(m.labels[2].key == "z");
  CHECK(m.labels[2].pair_hash == make_label("z", "1").pair_hash);
  CHECK(m.created.ns == 1767225600LL * 1'000'000'000);
  CHECK(m.terminating());
  REQUIRE(m.owners.size() == 2);
  CHECK(m.owners[0].kind == "ReplicaSet");
  CHECK(m.owners[0].api_version == "apps/v1");
  CHECK(m.owners[0].uid == "u-2");
  CHECK(m.owners[0].controller);
  CHECK_FALSE(m.owners[1].controller);
}

TEST_CASE("pod: plain fields of the spec, absent and null") {
  const PodRef p = pod(R"({"nodeName":"n","schedulerName":"s","priorityClassName":"pc",
      "preemptionPolicy":"Never","priority":-5,"nodeSelector":{"b":"1","a":"2"},"hostNetwork":true,
      "hostUsers":false,"schedulingGroup":{"podGroupName":"g"},"schedulingGates":[{"name":"x"},{"name":"y"}],
      "overhead":{"cpu":"10m"},"resourceClaims":[{"name":"c","resourceClaimName":"r"},
      {"name":"d","resourceClaimTemplateName":"t"}],"resources":{"requests":{"cpu":2},"limits":{"memory":"1Gi"}}})");
  CHECK(p->spec.node_name == "n");
  CHECK(p->spec.scheduler_name == "s");
  CHECK(p->spec.priority_class_name == "pc");
  CHECK(p->spec.preemption_policy == "Never");
  CHECK(p->spec.priority == -5);
  CHECK(p->spec.node_selector_present);
  CHECK(p->spec.node_selector[0].key == "a");
  CHECK(p->spec.host_network);
  CHECK(p->spec.host_users == false);
  CHECK(p->spec.scheduling_group == "g");
  REQUIRE(p->spec.scheduling_gates.size() == 2);
  CHECK(p->spec.scheduling_gates[1] == "y");
  CHECK(amount(p->spec.overhead, "cpu") == 10);
  REQUIRE(p->spec.resource_claims.size() == 2);
  CHECK(p->spec.resource_claims[0].claim_name == "r");
  CHECK(p->spec.resource_claims[1].template_name == "t");
  CHECK(p->spec.resources_present);
  CHECK(amount(p->spec.pod_requests, "cpu") == 2000);
  CHECK(find_quantity(p->spec.pod_limits, "memory")->value() == int64_t{1} << 30);

  const PodRef empty = pod(R"({"nodeName":null,"priority":null,"nodeSelector":null,"hostUsers":null,
      "affinity":null,"tolerations":null,"containers":null,"resources":null,"volumes":[]})");
  CHECK(empty->spec.node_name == "");
  CHECK(empty->spec.scheduler_name == "default-scheduler");
  CHECK_FALSE(empty->spec.priority);
  CHECK_FALSE(empty->spec.node_selector_present);
  CHECK_FALSE(empty->spec.host_users);
  CHECK_FALSE(empty->spec.affinity_present);
  CHECK_FALSE(empty->spec.resources_present);
  CHECK(pod(R"({"nodeSelector":{},"affinity":{},"resources":{}})")->spec.node_selector_present);
  CHECK(pod(R"({"affinity":{}})")->spec.affinity_present);
  CHECK(pod(R"({"resources":{}})")->spec.resources_present);
}

TEST_CASE("pod: containers") {
  const PodRef p =
      pod(R"({"containers":[{"name":"c","image":"i:1","resources":{"requests":{"memory":"1Gi",
      "cpu":"250m"},"limits":{"cpu":1.5},"claims":[{"name":"gpu"},{"name":"x","request":"y"}]},
      "ports":[{"containerPort":80,"hostPort":8080,"hostIP":"10.0.0.1","protocol":"UDP"},{"containerPort":81}]},
      null],"initContainers":[{"name":"s","restartPolicy":"Always",
      "restartPolicyRules":[{"action":"Restart"},{"action":"RestartAllContainers"}]},{"name":"i","restartPolicy":"Never"}]})");
  REQUIRE(p->spec.containers.size() == 2);
  const Container& c = p->spec.containers[0];
  CHECK(c.name == "c");
  CHECK(c.image == "i:1");
  CHECK(amount(c.requests, "cpu") == 250);
  CHECK(c.requests[0].name == "cpu");  // sorted
  CHECK(amount(c.limits, "cpu") == 1500);
  REQUIRE(c.claims.size() == 2);
  CHECK(c.claims[0] == "gpu");
  REQUIRE(c.ports.size() == 2);
  CHECK(c.ports[0].host_port == 8080);
  CHECK(c.ports[0].host_ip == "10.0.0.1");
  CHECK(c.ports[0].protocol == "UDP");
  CHECK(c.ports[1].container_port == 81);
  CHECK(c.ports[1].protocol == "");
  CHECK(p->spec.containers[1].name == "");
  REQUIRE(p->spec.init_containers.size() == 2);
  CHECK(p->spec.init_containers[0].always_restarts);
  CHECK(p->spec.init_containers[0].restarts_all_containers);
  CHECK_FALSE(p->spec.init_containers[1].always_restarts);
  CHECK(p->requests.milli_cpu == 250);
}

TEST_CASE("pod: quantities are read from their text") {
  const PodRef p = pod(R"({"overhead":{"a":1,"b":"1","c":1e3,"d":" 5 ","e":0.10000000000000000001,
      "f":100000000000000000000,"g":null,"h":-0.0}})");
  CHECK(amount(p->spec.overhead, "a") == 1000);
  CHECK(amount(p->spec.overhead, "b") == 1000);
  CHECK(amount(p->spec.overhead, "c") == 1000000);
  CHECK(amount(p->spec.overhead, "d") == 5000);
  CHECK(amount(p->spec.overhead, "e") == 101);  // rounded up at nano, then at milli
  CHECK(find_quantity(p->spec.overhead, "f")->to_string() == "100000000000000000000");
  CHECK(amount(p->spec.overhead, "g") == 0);
  CHECK(amount(p->spec.overhead, "h") == 0);
}

TEST_CASE("pod: tolerations") {
  const PodRef p = pod(
      R"({"tolerations":[{"key":"k","operator":"Exists","effect":"NoExecute","tolerationSeconds":5},
      {"key":"k","value":"v"},{"operator":"Gt","value":"5","effect":"NoSchedule"},
      {"operator":"Other","effect":"Nope"},{"operator":"Lt","effect":"PreferNoSchedule"}]})");
  const Span<Toleration> t = p->spec.tolerations;
  REQUIRE(t.size() == 5);
  CHECK(t[0].op == TolerationOp::kExists);
  CHECK(t[0].effect == TaintEffect::kNoExecute);
  CHECK(t[1].op == TolerationOp::kEqual);
  CHECK(t[1].effect == TaintEffect::kNone);
  CHECK(t[1].value == "v");
  CHECK(t[2].op == TolerationOp::kGt);
  CHECK(t[3].op == TolerationOp::kOther);
  CHECK(t[3].op_text == "Other");
  CHECK(t[3].effect == TaintEffect::kOther);
  CHECK(t[3].effect_text == "Nope");
  CHECK(t[4].op == TolerationOp::kLt);
  CHECK(t[4].effect == TaintEffect::kPreferNoSchedule);
}

TEST_CASE("pod: affinity") {
  const PodRef p =
      pod(R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
      {"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"In","values":["x","y"]},
      {"key":"b","operator":"Gt","values":["z"]},{"key":"-","operator":"Exists"},{"key":"c","operator":"Bad"}],
      "matchFields":[{"key":"metadata.name","operator":"In","values":["n"]},{"key":"metadata.name","operator":"Exists"}]},{}]},
      "preferredDuringSchedulingIgnoredDuringExecution":[{"weight":7,"preference":{"matchExpressions":
      [{"key":"d","operator":"DoesNotExist","values":[]}]}}]},
      "podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":{"matchLabels":{"b":"1","a":"2"},
      "matchExpressions":[{"key":"k","operator":"NotIn","values":["v"]},{"key":"k","operator":"Gt","values":["1"]}]},
      "namespaces":["x","y"],"topologyKey":"zone","namespaceSelector":{},"matchLabelKeys":["m"],"mismatchLabelKeys":["q"]}]},
      "podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":100,"podAffinityTerm":
      {"topologyKey":"host"}}]}}})");
  const PodSpec& s = p->spec;
  CHECK(s.node_affinity.present);
  CHECK(s.node_affinity.required.present);
  REQUIRE(s.node_affinity.required.terms.size() == 2);
  const NodeSelectorTerm& term = s.node_affinity.required.terms[0];
  REQUIRE(term.match_expressions.size() == 4);
  CHECK(term.match_expressions[0].values.size() == 2);
  CHECK(term.match_expressions[0].valid);
  CHECK(term.match_expressions[0].key_hash == hash_str("a"));
  CHECK_FALSE(term.match_expressions[1].valid);  // "z" is no integer
  CHECK_FALSE(term.match_expressions[2].valid);  // "-" is no label key
  CHECK_FALSE(term.match_expressions[3].valid);
  CHECK(term.match_expressions[3].op == SelectorOp::kUnknown);
  CHECK(term.match_expressions[3].op_text == "Bad");
  REQUIRE(term.match_fields.size() == 2);
  CHECK(term.match_fields[0].valid);
  CHECK_FALSE(term.match_fields[1].valid);
  CHECK(s.node_affinity.required.terms[1].empty());
  CHECK(s.node_affinity.preferred_present);
  REQUIRE(s.node_affinity.preferred.size() == 1);
  CHECK(s.node_affinity.preferred[0].weight == 7);
  CHECK(s.node_affinity.preferred[0].preference.match_expressions[0].values_present);

  REQUIRE(s.pod_affinity.required.size() == 1);
  const PodAffinityTerm& t = s.pod_affinity.required[0];
  CHECK(t.selector.present);
  CHECK(t.selector.match_labels[0].key == "a");
  CHECK(t.selector.match_expressions[0].valid);
  CHECK_FALSE(t.selector.match_expressions[1].valid);  // label selectors have no Gt
  CHECK(t.namespaces.size() == 2);
  CHECK(t.topology_key == "zone");
  CHECK(t.namespace_selector.present);
  CHECK(t.namespace_selector.empty());
  CHECK(t.match_label_keys[0] == "m");
  CHECK(t.mismatch_label_keys[0] == "q");
  CHECK(s.pod_anti_affinity.required.empty());
  REQUIRE(s.pod_anti_affinity.preferred.size() == 1);
  CHECK(s.pod_anti_affinity.preferred[0].weight == 100);
  CHECK_FALSE(s.pod_anti_affinity.preferred[0].selector.present);
  CHECK(p->has_pod_affinity);

  CHECK(
      pod(R"({"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[]}}})")
          ->spec.node_affinity.preferred_present);
  CHECK_FALSE(
      pod(R"({"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":null}}})")
          ->spec.node_affinity.preferred_present);
}

TEST_CASE("pod: topology spread constraints") {
  const PodRef p =
      pod(R"({"topologySpreadConstraints":[{"maxSkew":2,"minDomains":3,"topologyKey":"zone",
      "whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"a":"b"}},"matchLabelKeys":["k"],
      "nodeAffinityPolicy":"Honor","nodeTaintsPolicy":"Ignore"},{"topologyKey":"x"}]})");
  REQUIRE(p->spec.spread.size() == 2);
  const TopologySpreadConstraint& c = p->spec.spread[0];
  CHECK(c.max_skew == 2);
  CHECK(c.min_domains == 3);
  CHECK(c.topology_key == "zone");
  CHECK(c.when_unsatisfiable == "DoNotSchedule");
  CHECK(c.selector.match_labels.size() == 1);
  CHECK(c.match_label_keys[0] == "k");
  CHECK(c.node_affinity_policy == "Honor");
  CHECK(c.node_taints_policy == "Ignore");
  CHECK_FALSE(p->spec.spread[1].min_domains);
}

TEST_CASE("pod: volumes") {
  const PodRef p =
      pod(R"({"volumes":[{"name":"a","persistentVolumeClaim":{"claimName":"c","readOnly":true}},
      {"name":"b","gcePersistentDisk":{"pdName":"pd","partition":1}},{"name":"c","awsElasticBlockStore":{"volumeID":"v"}},
      {"name":"d","rbd":{"monitors":["m1","m2"],"image":"i","pool":"p","readOnly":true}},
      {"name":"e","iscsi":{"iqn":"q","readOnly":true}},{"name":"f","azureDisk":{"diskURI":"d"}},
      {"name":"g","azureFile":{"shareName":"s"}},{"name":"h","cinder":{"volumeID":"ci"}},
      {"name":"i","vsphereVolume":{"volumePath":"vp"}},{"name":"j","portworxVolume":{"volumeID":"px"}},
      {"name":"k","csi":{"driver":"drv","readOnly":true}},{"name":"l","image":{"reference":"r"}},
      {"name":"m","ephemeral":{"volumeClaimTemplate":{"metadata":{},"spec":{"storageClassName":"fast"}}}},
      {"name":"n","configMap":{"name":"x"}},{"name":"o","csi":null,"secret":{}}]})");
  const Span<Volume> v = p->spec.volumes;
  REQUIRE(v.size() == 15);
  const VolumeKind kinds[] = {VolumeKind::kPersistentVolumeClaim,
                              VolumeKind::kGcePersistentDisk,
                              VolumeKind::kAwsElasticBlockStore,
                              VolumeKind::kRbd,
                              VolumeKind::kIscsi,
                              VolumeKind::kAzureDisk,
                              VolumeKind::kAzureFile,
                              VolumeKind::kCinder,
                              VolumeKind::kVsphere,
                              VolumeKind::kPortworx,
                              VolumeKind::kCsi,
                              VolumeKind::kImage,
                              VolumeKind::kEphemeral,
                              VolumeKind::kOther,
                              VolumeKind::kOther};
  const Str ids[] = {"c", "pd", "v", "i", "q", "d", "s", "ci", "vp", "px", "drv", "r", "", "", ""};
  for (size_t i = 0; i < v.size(); ++i) {
    CHECK(v[i].kind == kinds[i]);
    CHECK(v[i].id == ids[i]);
    CHECK(v[i].read_only == (i == 0 || i == 3 || i == 4 || i == 10));
  }
  CHECK(v[3].pool == "p");
  CHECK(v[3].monitors.size() == 2);
  CHECK(v[12].storage_class == "fast");
  REQUIRE(p->claim_names.size() == 1);
  CHECK(p->claim_names[0] == "c");
}

TEST_CASE("pod: status") {
  const PodRef p = pod(
      "{}",
      R"(,"status":{"phase":"Running","nominatedNodeName":"n","startTime":"2026-01-01T00:00:00Z",
      "conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","lastProbeTime":null}],
      "containerStatuses":[{"name":"c","resources":{"requests":{"cpu":"1"}},"allocatedResources":{"cpu":"2"}},{"name":"d"}],
      "initContainerStatuses":[{"name":"i"}],"resources":{"requests":{"cpu":"3"}},"allocatedResources":{"cpu":"4"},
      "resourceClaimStatuses":[{"name":"x","resourceClaimName":"y"},{"name":"z"}],
      "extendedResourceClaimStatus":{"resourceClaimName":"e","requestMappings":[]}})");
  const PodStatus& s = p->status;
  CHECK(s.phase == "Running");
  CHECK(s.nominated_node_name == "n");
  CHECK(s.start_time.present);
  REQUIRE(s.conditions.size() == 1);
  CHECK(s.conditions[0].reason == "Unschedulable");
  REQUIRE(s.containers.size() == 2);
  CHECK(s.containers[0].has_resources);
  CHECK(amount(s.containers[0].requests, "cpu") == 1000);
  CHECK(amount(s.containers[0].allocated, "cpu") == 2000);
  CHECK_FALSE(s.containers[1].has_resources);
  CHECK(s.init_containers[0].name == "i");
  CHECK(s.has_resources);
  CHECK(amount(s.pod_requests, "cpu") == 3000);
  CHECK(amount(s.pod_allocated, "cpu") == 4000);
  REQUIRE(s.resource_claims.size() == 2);
  CHECK(s.resource_claims[0].has_claim_name);
  CHECK_FALSE(s.resource_claims[1].has_claim_name);
  CHECK(s.extended_resource_claim == "e");
}

TEST_CASE("node: all fields") {
  const NodeRef n =
      node(R"("spec":{"unschedulable":true,"taints":[{"key":"k","value":"v","effect":"NoSchedule",
      "timeAdded":null},{"key":"x","effect":"Odd"}]},"status":{"capacity":{"cpu":"8"},
      "allocatable":{"memory":"4Gi","cpu":"7","pods":110,"nvidia.com/gpu":"2"},
      "images":[{"names":["a","b"],"sizeBytes":5000000000},{"names":null}],"declaredFeatures":["F"],
      "nodeInfo":{"osImage":"Linux","kubeletVersion":"v1.36.1"}})");
  CHECK(n->unschedulable);
  REQUIRE(n->taints.size() == 2);
  CHECK(n->taints[0].effect == TaintEffect::kNoSchedule);
  CHECK(n->taints[1].effect == TaintEffect::kOther);
  CHECK(n->taints[1].effect_text == "Odd");
  CHECK(n->allocatable.milli_cpu == 7000);
  CHECK(n->allocatable.pods == 110);
  REQUIRE(n->allocatable.scalars.size() == 1);
  CHECK(n->allocatable.scalars[0].value == 2);
  REQUIRE(n->images.size() == 2);
  CHECK(n->images[0].names[1] == "b");
  CHECK(n->images[0].size_bytes == 5000000000);
  CHECK(n->declared_features[0] == "F");
  CHECK(n->kubelet_version == "v1.36.1");
  CHECK(n->meta.ns == "");
}

}  // namespace libsched::pod_builder_test
