// DynamicResources: what devices take of their node's own resources, as 1.36 and 1.37 count it.
#include "libsched/plugins/trial_test.hpp"

namespace libsched::allocatable_test {

const char* const kOld = "nodeAllocatableResourceMappings";
const char* const kNew = "nodeAllocatableResources";
const std::string kUsing =
    "{containers: [{name: a, resources: {requests: {cpu: 1}, claims: [{name: e}]}}], "
    "resourceClaims: [{name: e, resourceClaimName: c}]}";

std::string claim(const std::string& name, const std::string& status = "") {
  return "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: " + name +
         ", namespace: default, uid: u-" + name +
         "}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: any, allocationMode: "
         "ExactCount, count: 1}}]}}\n" +
         status;
}
std::string allocated(const std::string& more = "") {
  return "status: {allocation: {devices: {results: [{request: r, driver: d, pool: 'n', device: d0" +
         more + "}]}}}\n";
}
// A node with 4 cpus, and a device that has these fields.
std::string world(const std::string& device, const std::string& claims = claim("c")) {
  return "---\nkind: Node\nmetadata: {name: 'n'}\nstatus: {allocatable: {cpu: 4, memory: 8Gi, "
         "hugepages-2Mi: 8Mi, pods: 9}}\n"
         "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: any}\n"
         "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec: "
         "{driver: d, pool: {name: 'n', generation: 1, resourceSliceCount: 1}, nodeName: 'n', "
         "devices: "
         "[{name: d0, " +
         device + "}]}\n" + claims;
}
TrialOptions with_gate(Release release, bool on = true) {
  TrialOptions out;
  out.release = release;
  if (on) out.gates = "DRANodeAllocatableResources=true";
  return out;
}
PodRef pod(const std::string& spec = kUsing, const std::string& name = "p") {
  return Trial::pod(spec, "namespace: default, name: " + name + ", uid: u-" + name);
}
std::string verdict(Release release, const std::string& device, const std::string& spec = kUsing,
                    const std::string& claims = claim("c"), bool gate = true) {
  Trial t("DynamicResources", world(device, claims), with_gate(release, gate));
  return t.filter(*pod(spec), "n");
}
std::string of_old(const std::string& uses) { return std::string(kOld) + ": {" + uses + "}"; }
std::string of_new(const std::string& uses) { return std::string(kNew) + ": {" + uses + "}"; }

const std::string kShort = "UnschedulableAndUnresolvable: Insufficient cpu";

TEST_CASE("devices add to the requests of the pod, in the form of the release") {
  const std::string old_form = of_old("cpu: {allocationMultiplier: '3500m'}");
  const std::string new_form = of_new("cpu: {mapping: {deviceMultiplier: '3500m'}}");
  CHECK(verdict(Release::k1_36, old_form) == kShort);
  CHECK(verdict(Release::k1_36, old_form, kUsing, claim("c"), false) == "Success");
  CHECK(verdict(Release::k1_36, new_form) == "Success");
  CHECK(verdict(Release::k1_37, new_form) == kShort);
  CHECK(verdict(Release::k1_37, new_form, kUsing, claim("c"), false) == "Success");
  CHECK(verdict(Release::k1_37, old_form) == "Success");
  CHECK(verdict(Release::k1_36, of_old("cpu: {allocationMultiplier: '3'}")) == "Success");
  CHECK(verdict(Release::k1_36, of_old("hugepages-2Mi: {allocationMultiplier: 10Mi}")) ==
        "UnschedulableAndUnresolvable: Insufficient hugepages-2Mi");
}

TEST_CASE("overheads of 1.37 count for the pod, and for each container that uses the claim") {
  const auto on = [](const std::string& overhead, const std::string& containers) {
    return verdict(Release::k1_37, of_new("cpu: {overhead: {" + overhead + "}}"),
                   "{containers: [" + containers +
                       "], resourceClaims: [{name: e, "
                       "resourceClaimName: c}]}");
  };
  const std::string one = "{name: a, resources: {claims: [{name: e}]}}";
  const std::string two = one + ", {name: b, resources: {claims: [{name: e}]}}";
  CHECK(on("perPod: '3', perContainer: '1'", one) == "Success");
  CHECK(on("perPod: '3', perContainer: '1'", two) == kShort);
  CHECK(on("perPod: '3', perContainer: '9'", "{name: a}") == "Success");
}

TEST_CASE("amounts follow the capacity that a share consumes") {
  const std::string shared =
      "allowMultipleAllocations: true, capacity: {mem: {value: 8Gi, requestPolicy: {default: "
      "2Gi}}}, ";
  const auto on = [&](Release release, const std::string& uses) {
    return verdict(release, shared + uses);
  };
  CHECK(on(Release::k1_36, of_old("memory: {capacityKey: mem, allocationMultiplier: '4'}")) ==
        "Success");
  CHECK(on(Release::k1_36, of_old("memory: {capacityKey: mem, allocationMultiplier: '4.5'}")) ==
        "UnschedulableAndUnresolvable: Insufficient memory");
  CHECK(on(Release::k1_36, of_old("memory: {capacityKey: gone, allocationMultiplier: '9'}")) ==
        "Success");
  CHECK(on(Release::k1_37,
           of_new("memory: {mapping: {capacityKey: mem, capacityMultiplier: '4.5'}}")) ==
        "UnschedulableAndUnresolvable: Insufficient memory");
  const std::string whole = "capacity: {mem: {value: 2Gi}}, ";
  CHECK(verdict(Release::k1_36, whole + of_old("memory: {capacityKey: mem}"))
            .ends_with("claim default/c, device d0: ConsumedCapacity is nil, but Capacity key "
                       "'mem' is set in NodeAllocatableResourceMappings for resource memory"));
}

TEST_CASE("in 1.36 some container has to use the claim") {
  const std::string spec =
      "{containers: [{name: a}], resourceClaims: [{name: e, "
      "resourceClaimName: c}]}";
  CHECK(verdict(Release::k1_36, of_old("cpu: {allocationMultiplier: '1'}"), spec) ==
        "UnschedulableAndUnresolvable: claim c: node-allocatable resource claim not referenced by "
        "any container within the pod");
  CHECK(verdict(Release::k1_37, of_new("cpu: {mapping: {deviceMultiplier: '1'}}"), spec) ==
        "Success");
}

TEST_CASE("pod-level requests and limits cover the devices") {
  const auto spec = [](const std::string& resources, const std::string& limit = "") {
    return "{resources: {" + resources +
           "}, containers: [{name: a, resources: {requests: {cpu: "
           "1}, claims: [{name: e}]" +
           limit +
           "}}], resourceClaims: [{name: e, "
           "resourceClaimName: c}]}";
  };
  const std::string device = of_old("cpu: {allocationMultiplier: '2'}") + ", " +
                             of_new("cpu: {mapping: {deviceMultiplier: '2'}}");
  for (const Release release : {Release::k1_36, Release::k1_37}) {
    CHECK(verdict(release, device, spec("requests: {cpu: 3}")) == "Success");
    CHECK(verdict(release, device, spec("requests: {cpu: 2}")) ==
          "UnschedulableAndUnresolvable: pod level request for cpu is insufficient to cover the "
          "aggregated container and node-allocatable DRA requests");
  }
  const std::string limits = spec("limits: {cpu: 3}", ", limits: {cpu: 2}");
  CHECK(verdict(Release::k1_36, device, limits) == "Success");
  CHECK(verdict(Release::k1_37, device, limits) ==
        "UnschedulableAndUnresolvable: pod level limit for cpu is insufficient to cover the limit "
        "and DRA overhead for container a");
  CHECK(verdict(Release::k1_37, of_new("hugepages-2Mi: {overhead: {perPod: 4Mi}}"),
                spec("limits: {hugepages-2Mi: 2Mi}")) ==
        "UnschedulableAndUnresolvable: pod level limit for hugepages-2Mi is insufficient to cover "
        "the aggregated container and node-allocatable DRA limits");
}

TEST_CASE("claims that are allocated count since 1.37, and mapped ones have one pod") {
  const std::string device = of_old("cpu: {allocationMultiplier: '9'}") + ", " +
                             of_new("cpu: {mapping: {deviceMultiplier: '9'}}");
  CHECK(verdict(Release::k1_36, device, kUsing, claim("c", allocated())) == "Success");
  CHECK(verdict(Release::k1_37, device, kUsing, claim("c", allocated())) == kShort);
  const auto reserved = [](const std::string& uid) {
    std::string status = allocated();
    status.insert(status.size() - 2,
                  ", reservedFor: [{resource: pods, name: x, uid: " + uid + "}]");
    return claim("c", status);
  };
  const std::string small = of_new("cpu: {mapping: {deviceMultiplier: '1'}}");
  CHECK(verdict(Release::k1_37, small, kUsing, reserved("u-p")) == "Success");
  CHECK(verdict(Release::k1_37, small, kUsing, reserved("other")) ==
        "UnschedulableAndUnresolvable: node allocatable resource claim c has a mapped device and "
        "cannot be shared across pods");
  CHECK(verdict(Release::k1_37, of_new("cpu: {overhead: {perPod: '1'}}"), kUsing,
                reserved("other")) == "Success");

  // 1.36 asks the pods of the node.
  const auto user = [](const std::string& name) {
    return "---\nkind: Pod\nmetadata: {name: " + name + ", namespace: default, uid: u-" + name +
           "}\nspec: {nodeName: 'n'}\nstatus: {nodeAllocatableResourceClaimStatuses: "
           "[{resourceClaimName: c, resources: {cpu: 1}}]}\n";
  };
  CHECK(verdict(Release::k1_36, device, kUsing, claim("c", allocated()) + user("x")) ==
        "UnschedulableAndUnresolvable: node allocatable resource claim c is already used by "
        "another pod");
  CHECK(verdict(Release::k1_36, device, kUsing, claim("c", allocated()) + user("x") + user("z")) ==
        "UnschedulableAndUnresolvable: node allocatable resource claim c shared by multiple pods");
}

TEST_CASE("what the status of a pod says counts on its node") {
  const std::string users =
      "---\nkind: Pod\nmetadata: {name: x, namespace: default}\nspec: {nodeName: 'n'}\nstatus: "
      "{nodeAllocatableResourceClaimStatuses: [{resourceClaimName: z, containers: [a, b], "
      "resources: {cpu: 3}, mapping: [{name: cpu, quantity: 1}], overhead: [{name: cpu, perPod: "
      "1, perContainer: 500m}]}]}\n";
  const auto left = [&](Release release, bool gate) {
    Trial t("DynamicResources", world("bindsToNode: false", users), with_gate(release, gate));
    REQUIRE(t.pre_filter(*pod("{}")) == "Skip");  // counts the pods as the framework does
    return NodeView(t.cluster().view(), 0).left("cpu");
  };
  CHECK(left(Release::k1_36, false) == 4000);
  CHECK(left(Release::k1_36, true) == 1000);
  CHECK(left(Release::k1_37, true) == 1000);  // 1 + 1 + 2 * 0.5
  CHECK(left(Release::k1_37, false) == 4000);
}

TEST_CASE("since 1.37 an allocated alternative scores where its devices take something") {
  std::string chosen = claim("c", allocated());
  chosen.replace(chosen.find("{name: r, exactly: {"), 20, "{name: r, firstAvailable: [{name: s, ");
  chosen.replace(chosen.find("count: 1}}]"), 11, "count: 1}]}]");
  chosen.replace(chosen.find("request: r"), 10, "request: r/s");
  const auto scores = [&](const std::string& device) {
    Trial t("DynamicResources",
            world(device, chosen) +
                "---\nkind: Node\nmetadata: {name: o}\nstatus: {allocatable: "
                "{cpu: 4, memory: 8Gi, pods: 9}}\n",
            with_gate(Release::k1_37));
    return t.scores(*pod());
  };
  CHECK(scores(of_new("cpu: {overhead: {perPod: '1'}}")) == "n 8/100, o 0/0");
  CHECK(scores("bindsToNode: false") == "n 0/0, o 0/0");
}

// Keeps the status that is patched.
class Patches final : public ApiClient {
 public:
  Result<void> bind(const Pod&, Str) override { return {}; }
  Result<void> delete_pod(const Pod&) override { return {}; }
  Result<void> patch_pod_status(const Pod&, const PodStatusPatch& patch) override {
    if (patch.allocatable_claims) seen.push_back(patch.allocatable_claims->json);
    if (fails) return Error{Rc::kIo, "down"};
    return {};
  }
  Result<void> update_object(StoredKind kind, const ObjectRef& object, Str) override {
    return cluster->put_object(kind, object);
  }
  void event(const Pod&, Str, Str, Str, Str) override {}

  Cluster* cluster = nullptr;
  bool fails = false;
  std::vector<std::string> seen;
};

TEST_CASE("the assumed pod takes it, PreBind writes it, and Unreserve takes it back") {
  const std::string device =
      of_old("cpu: {allocationMultiplier: 1500m}, memory: {allocationMultiplier: 1024Mi}") + ", " +
      of_new(
          "cpu: {mapping: {deviceMultiplier: 1500m}}, memory: {overhead: {perPod: 1024Mi, "
          "perContainer: 1}}");
  for (const Release release : {Release::k1_36, Release::k1_37}) {
    CAPTURE(release_name(release));
    Trial t("DynamicResources", world(device), with_gate(release));
    const Ref<Patches> api = make_ref<Patches>();
    api->cluster = &t.cluster();
    const Ref<Services> services =
        make_ref<Services>(make_ref<VirtualClock>(VirtualClock::kStart), api);
    REQUIRE(t.evaluator().use(services).ok());
    const PodRef p = pod();
    const Ref<CycleState> state = make_ref<CycleState>();
    t.prepare(*state, *p);
    Status fits;
    REQUIRE(t.evaluator().run_filter(*state, *p, 0, &fits).ok());
    REQUIRE(fits.success());
    const Result<Status> assumed = t.evaluator().assume(*state, *p, 0);
    REQUIRE(assumed.ok());
    REQUIRE(assumed->success());
    const View& view = t.cluster().view();
    CHECK(NodeView(view, 0).left("cpu") == 1500);
    const PodRef there = view.slot(view.find_pod("default", "p")).pod;
    REQUIRE(there->status.allocatable_claims.size() == 1);
    CHECK(there->requests.milli_cpu == 1000);

    const Result<Status> bound = t.evaluator().run_pre_bind(*state, *p, "n");
    REQUIRE(bound.ok());
    CHECK_MESSAGE(bound->success(), bound->message());
    REQUIRE(api->seen.size() == 1);
    CHECK(
        api->seen[0] ==
        (release == Release::k1_36
             ? R"([{"resourceClaimName":"c","containers":["a"],"resources":{"cpu":"1500m","memory":"1Gi"}}])"
             : R"([{"resourceClaimName":"c","containers":["a"],"mapping":[{"name":"cpu","quantity":"1500m"}],"overhead":[{"name":"memory","perPod":"1Gi","perContainer":"1"}]}])"));

    REQUIRE(t.evaluator().forget(*state, *p).ok());
    CHECK(NodeView(view, 0).left("cpu") == 4000);
    REQUIRE(api->seen.size() == 2);
    CHECK(api->seen[1] == (release == Release::k1_36 ? "null" : "[]"));
  }
}

TEST_CASE("a claim whose devices skip operations needs nodes that declare so, since 1.37") {
  const std::string skips = claim("c", allocated(", skipNodeOperations: [NodePrepareResources]"));
  const auto on = [&](Release release, const std::string& declared) {
    TrialOptions options;
    options.release = release;
    std::string objects = world("bindsToNode: false", skips);
    objects.replace(objects.find("status: {"), 9,
                    "status: {declaredFeatures: [" + declared + "], ");
    Trial t("DynamicResources", objects, options);
    return t.filter(*pod(), "n");
  };
  CHECK(on(Release::k1_36, "") == "Success");
  CHECK(on(Release::k1_37, "") ==
        "UnschedulableAndUnresolvable: resourceclaim not available on the node");
  CHECK(on(Release::k1_37, "DRAOptionalNodeOperations") == "Success");
}

}  // namespace libsched::allocatable_test
