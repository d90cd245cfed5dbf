// The kinds of resource.k8s.io: every field, the differences of the API's versions, defaults, bad
// input with its path, and documents that are written and read again.
#include <doctest/doctest.h>

#include "libsched/ingest/ingest.hpp"
#include "libsched/ingest/write/write.hpp"
#include "libsched/objects/device_class.hpp"
#include "libsched/objects/resource_claim.hpp"
#include "libsched/objects/resource_slice.hpp"

namespace libsched::resource_builder_test {

template <typename T>
Ref<const T> one(const std::string& text, bool defaults = false) {
  ParseOptions options;
  options.defaults = defaults;
  options.strict = true;
  Result<ObjectSet> set = parse_objects(text, options);
  if (!set.ok()) FAIL(set.error().text());
  REQUIRE(set->stored.size() == 1);
  REQUIRE(set->stored[0].kind == T::kStoredKind);
  return Ref<const T>::share(static_cast<const T*>(set->stored[0].object.get()));
}

std::string error(const std::string& text) {
  ParseOptions options;
  options.strict = true;
  const Result<ObjectSet> set = parse_objects(text, options);
  return set.ok() ? "accepted" : set.error().text();
}

template <typename T>
std::string written(const Ref<const T>& object) {
  JsonText json;
  write_stored(json, T::kStoredKind, *object);
  return json.take();
}

std::string head(const char* kind, const char* version = "v1") {
  return std::string("apiVersion: resource.k8s.io/") + version + "\nkind: " + kind +
         "\nmetadata: {name: o, uid: u}\n";
}

const char* const kDeviceFields =
    R"(attributes: {model: {string: a}, k: {int: -3}, b: {bool: true}, v: {version: 1.2.3},
        e: {}, li: {ints: [1, 2]}, lb: {bools: [true, false]}, ls: {strings: [x]},
        lv: {versions: []}},
      capacity: {memory: {value: 1Gi, requestPolicy: {default: 1, validRange: {min: 1, max: 10,
        step: 2}}}, plain: {value: 3}, listed: {value: "4", requestPolicy: {validValues: [1, 2]}}},
      consumesCounters: [{counterSet: s, counters: {c: {value: 2}}, compatibilityGroups: [g]}],
      nodeName: w,
      nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In,
        values: [w]}]}]}, allNodes: true,
      taints: [{key: k, value: v, effect: NoSchedule, timeAdded: "2026-01-01T00:00:00Z"}],
      bindsToNode: true, bindingConditions: [ready], bindingFailureConditions: [broken],
      allowMultipleAllocations: true, nodeAllocatableResourceMappings: {cpu: {capacityKey: x}},
      nodeAllocatableResources: {cpu: {mapping: {}}})";

std::string slice(const char* version, const std::string& device) {
  return head("ResourceSlice", version) +
         "spec:\n  driver: d\n  pool: {name: p, generation: 2, resourceSliceCount: 3}\n"
         "  nodeName: w\n  allNodes: true\n  perDeviceNodeSelection: true\n"
         "  partitionTypeAttribute: d/a\n  skipNodeOperations: [All]\n"
         "  nodeSelector: {nodeSelectorTerms: []}\n"
         "  sharedCounters: [{name: s, counters: {c: {value: 8}}}]\n  devices: [" +
         device + "]\n";
}

TEST_CASE("a ResourceSlice, in all versions of the API") {
  const std::string plain = std::string("{name: x, ") + kDeviceFields + "}";
  const std::string basic = std::string("{name: x, basic: {") + kDeviceFields + "}}";
  const auto first = one<ResourceSlice>(slice("v1", plain));
  CHECK(first->driver == "d");
  CHECK(first->pool == "p");
  CHECK(first->generation == 2);
  CHECK(first->slice_count == 3);
  CHECK(first->node_name == "w");
  CHECK(first->all_nodes);
  CHECK(first->per_device_node_selection);
  CHECK(first->node_selector.present);
  REQUIRE(first->shared_counters.size() == 1);
  CHECK(first->shared_counters[0].set == "s");
  CHECK(first->shared_counters[0].counters[0].quantity.value() == 8);
  REQUIRE(first->devices.size() == 1);
  const Device& d = first->devices[0];
  CHECK(d.name == "x");
  REQUIRE(d.attributes.size() == 9);
  CHECK(d.attributes[0].boolean == true);
  CHECK(d.attributes[1].name == "e");
  CHECK(d.attributes[2].number == -3);
  CHECK(d.attributes[3].booleans.size() == 2);
  CHECK(d.attributes[4].numbers[1] == 2);
  CHECK(d.attributes[5].texts[0] == "x");
  CHECK(d.attributes[6].versions_present);
  CHECK(d.attributes[7].text == Str("a"));
  CHECK(d.attributes[8].version == Str("1.2.3"));
  REQUIRE(d.capacity.size() == 3);
  CHECK(d.capacity[0].policy.valid_values.size() == 2);
  CHECK(d.capacity[0].value.written == "4");
  CHECK(d.capacity[1].value.written == "1Gi");
  CHECK(d.capacity[1].value.value() == int64_t{1} << 30);
  CHECK(d.capacity[1].policy.default_value->value() == 1);
  CHECK(d.capacity[1].policy.step->value() == 2);
  CHECK_FALSE(d.capacity[2].has_policy);
  CHECK(d.consumes[0].set == "s");
  CHECK(d.consumes[0].compatibility_groups[0] == "g");
  CHECK(d.node_name == "w");
  CHECK(d.node_selector.terms.size() == 1);
  CHECK(d.all_nodes);
  CHECK(d.taints[0].effect == "NoSchedule");
  CHECK(d.taints[0].added.present);
  CHECK(d.binds_to_node);
  CHECK(d.binding_conditions[0] == "ready");
  CHECK(d.binding_failure_conditions[0] == "broken");
  CHECK(d.allow_multiple_allocations);
  // The versions differ in form only, and what is written reads the same.
  const std::string text = written(first);
  CHECK(written(one<ResourceSlice>(slice("v1beta2", plain))) == text);
  CHECK(written(one<ResourceSlice>(slice("v1beta1", basic))) == text);
  CHECK(written(one<ResourceSlice>(text)) == text);
  CHECK(error(slice("v1", basic)) == "spec.devices[0].basic: unknown field");
}

const char* const kAsks =
    R"(deviceClassName: c, selectors: [{cel: {expression: "true"}}, {}], allocationMode: All,
      count: 2, tolerations: [{key: k, operator: Exists, effect: NoExecute,
      tolerationSeconds: 9}], capacity: {requests: {memory: 1Gi}})";

std::string claim(const char* version, const std::string& request) {
  return "apiVersion: resource.k8s.io/" + std::string(version) +
         R"(
kind: ResourceClaim
metadata: {name: o, namespace: a, resourceVersion: "7", finalizers: [f], annotations: {x: "y"}}
spec:
  devices:
    constraints: [{requests: [r], matchAttribute: d/a}, {distinctAttribute: d/b}]
    config: [{requests: [r], opaque: {driver: d, parameters: {a: [1, {b: null}]}}}]
    requests: [)" +
         request + R"(]
status:
  allocation:
    allocationTimestamp: "2026-01-01T00:00:00Z"
    nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Exists}]}]}
    devices:
      config: [{source: FromClass, requests: [], opaque: {driver: d, parameters: {}}}]
      results: [{request: r/s, driver: d, pool: p, device: x, adminAccess: false, shareID: "12",
        tolerations: [{operator: Exists}], bindingConditions: [b], bindingFailureConditions: [f],
        consumedCapacity: {memory: 1Gi}}]
  reservedFor: [{apiGroup: g, resource: pods, name: p, uid: u}]
  devices: [{driver: d, pool: p, device: x, shareID: "12", data: {z: 1}, networkData: {ips: []},
    conditions: [{type: b, status: "True", reason: R, message: m, observedGeneration: 3,
      lastTransitionTime: "2026-01-01T00:00:00Z"}]}]
)";
}

TEST_CASE("a ResourceClaim, in all versions of the API") {
  const std::string both = std::string("{name: r, exactly: {adminAccess: true, ") + kAsks +
                           "}}, {name: l, firstAvailable: [{name: s, " + kAsks + "}]}, {name: m}";
  const std::string flat = std::string("{name: r, adminAccess: true, ") + kAsks +
                           "}, {name: l, firstAvailable: [{name: s, " + kAsks + "}]}, {name: m}";
  const auto c = one<ResourceClaim>(claim("v1", both));
  CHECK(c->meta.resource_version == "7");
  CHECK(c->finalizers[0] == "f");
  CHECK(*find_annotation(c->meta, "x") == "y");
  REQUIRE(c->spec.requests.size() == 3);
  const DeviceRequest& r = c->spec.requests[0];
  CHECK(r.exact);
  CHECK(r.exactly.device_class == "c");
  CHECK(r.exactly.selectors[0].expression == "true");
  CHECK_FALSE(r.exactly.selectors[1].cel);
  CHECK(r.exactly.allocation_mode == "All");
  CHECK(r.exactly.count == 2);
  CHECK(r.exactly.admin_access);
  CHECK(r.exactly.tolerations[0].seconds == 9);
  CHECK(r.exactly.capacity[0].amount.value() == int64_t{1} << 30);
  CHECK(c->spec.requests[1].first_available[0].name == "s");
  CHECK_FALSE(c->spec.requests[1].exact);
  CHECK_FALSE(c->spec.requests[2].exact);
  CHECK(c->spec.constraints[0].match_attribute == Str("d/a"));
  CHECK(c->spec.constraints[1].distinct_attribute == Str("d/b"));
  CHECK(c->spec.config[0].driver == "d");
  REQUIRE(c->allocation);
  CHECK(c->allocation->results[0].share_id == Str("12"));
  CHECK(c->allocation->results[0].admin_access == false);
  CHECK(c->allocation->config[0].source == "FromClass");
  CHECK(c->reserved_for_uid("u"));
  CHECK_FALSE(c->reserved_for_uid("v"));
  CHECK(c->devices[0].find_condition("b")->reason == "R");
  CHECK(c->devices[0].find_condition("c") == nullptr);
  const std::string text = written(c);
  CHECK(written(one<ResourceClaim>(claim("v1beta2", both))) == text);
  CHECK(written(one<ResourceClaim>(claim("v1beta1", flat))) == text);
  CHECK(written(one<ResourceClaim>(text)) == text);
  CHECK(written<ResourceClaim>(copy_resource_claim(*c)) == text);
  CHECK(error(claim("v1", flat)) == "spec.devices.requests[0].adminAccess: unknown field");
  CHECK(error(claim("v1", "{name: r, firstAvailable: [{adminAccess: true}]}")) ==
        "spec.devices.requests[0].firstAvailable[0].adminAccess: unknown field");
  CHECK(error(claim("v1", "{name: r, exactly: {count: many}}")) ==
        "spec.devices.requests[0].exactly.count: expected an integer, got a string");
}

TEST_CASE("defaults of requests are set on demand") {
  const auto request = [](const char* version, const char* r, bool defaults) {
    return one<ResourceClaim>(
        head("ResourceClaim", version) + "spec: {devices: {requests: [" + r + "]}}", defaults);
  };
  CHECK(request("v1", "{exactly: {}}", false)->spec.requests[0].exactly.allocation_mode == "");
  for (const char* version : {"v1", "v1beta1"}) {
    const auto c = request(
        version,
        version == std::string("v1") ? "{exactly: {deviceClassName: a}}" : "{deviceClassName: a}",
        true);
    CHECK(c->spec.requests[0].exact);
    CHECK(c->spec.requests[0].exactly.allocation_mode == "ExactCount");
    CHECK(c->spec.requests[0].exactly.count == 1);
  }
  const auto all =
      request("v1", "{firstAvailable: [{allocationMode: All, tolerations: [{}]}]}", true);
  CHECK(all->spec.requests[0].first_available[0].count == 0);
  CHECK(all->spec.requests[0].first_available[0].tolerations[0].op == "Equal");
}

TEST_CASE("templates, classes and rules") {
  const auto t = one<ResourceClaimTemplate>(
      head("ResourceClaimTemplate") +
      "spec: {metadata: {labels: {a: b}, annotations: {c: d}}, spec: {devices: {requests: [{name: "
      "r, exactly: {deviceClassName: x}}]}}}");
  CHECK(t->claim_labels[0].value == "b");
  CHECK(t->claim_annotations[0].value == "d");
  CHECK(t->spec.requests[0].exactly.device_class == "x");
  CHECK(written(one<ResourceClaimTemplate>(written(t))) == written(t));
  const auto c = one<DeviceClass>(
      head("DeviceClass", "v1beta1") +
      "spec: {selectors: [{cel: {expression: e}}], config: [{opaque: {driver: d, parameters: "
      "[1]}}, {opaque: {parameters: 'x\"'}}, {opaque: {parameters: 1.5}}], extendedResourceName: "
      "a/b}");
  CHECK(c->selectors[0].expression == "e");
  CHECK(c->config[0].parameters == "[1]");
  CHECK(c->config[1].parameters == "\"x\\\"\"");
  CHECK(c->config[2].parameters == "1.5");
  CHECK(written(one<DeviceClass>(written(c))) == written(c));
  const auto r = one<DeviceTaintRule>(
      head("DeviceTaintRule", "v1alpha3") +
      "spec: {deviceSelector: {driver: d, pool: '', device: x}, taint: {key: k, effect: None}}");
  CHECK(r->driver == Str("d"));
  CHECK(r->pool == Str(""));
  CHECK(r->taint.effect == "None");
  CHECK(r->has_selector);
  CHECK(written(one<DeviceTaintRule>(written(r))) == written(r));
  for (const bool empty : {false, true}) {
    const auto all = one<DeviceTaintRule>(head("DeviceTaintRule", "v1") + "spec: {" +
                                          (empty ? "deviceSelector: {}, " : "") +
                                          "taint: {key: k, effect: None}}");
    CHECK(all->has_selector == empty);
    CHECK(one<DeviceTaintRule>(written(all))->has_selector == empty);
  }
  CHECK(error(head("DeviceTaintRule", "v1alpha3") +
              "spec: {deviceSelector: {deviceClassName: c}, taint: {}}") ==
        "spec.deviceSelector.deviceClassName: deviceClassName of a DeviceTaintRule is not "
        "supported: upstream dropped it after v1alpha3");
  // What only releases have that do not read it is passed over, whatever it holds.
  const Result<ObjectSet> older =
      parse_objects(head("ResourceClaim", "v1alpha3") + "spec: {devices: 1}", {});
  REQUIRE(older.ok());
  REQUIRE(older->skipped.size() == 1);
  CHECK(older->skipped[0].kind == "resource.k8s.io/v1alpha3 ResourceClaim");
  CHECK(error(head("ResourceClaim", "v1alpha1")) ==
        "apiVersion: no kind \"ResourceClaim\" is registered for version "
        "\"resource.k8s.io/v1alpha1\"");
}

}  // namespace libsched::resource_builder_test
