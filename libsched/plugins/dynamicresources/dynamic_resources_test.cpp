// DynamicResources: which pods need devices, what nodes have for them, and what becomes of their
// claims. The allocator has tests of its own.
#include "libsched/plugins/trial_test.hpp"

namespace libsched::dynamic_resources_test {

const StoredKind kClaimKind = StoredKind::kResourceClaim;

std::string asking(const std::string& name, const char* amount) {
  return "{containers: [{name: c, resources: {requests: {" + name + ": " + amount + "}}}]}";
}
const char* const kClass =
    "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\n"
    "spec: {extendedResourceName: example.com/gpu}\n";

std::string node(const std::string& name) {
  return "---\nkind: Node\nmetadata: {name: " + name + "}\n";
}
// Devices d0, d1, ... of a node's own pool.
std::string slice(const std::string& name, int devices, const std::string& more = "") {
  std::string list;
  for (int i = 0; i < devices; ++i) list += "{name: d" + std::to_string(i) + more + "}, ";
  return "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s-" + name +
         "}\nspec: {driver: d, pool: {name: " + name +
         ", generation: 1, resourceSliceCount: 1}, nodeName: " + name + ", devices: [" + list +
         "]}\n";
}
const std::string kOne =
    "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, allocationMode: "
    "ExactCount, count: 1}}]}}";
std::string claim(const std::string& name, const std::string& body = kOne,
                  const std::string& meta = "") {
  return "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: " + name +
         ", namespace: default, uid: u-" + name + meta + "}\n" + body + "\n";
}
// The status of a claim that has d0 of the pool.
std::string allocated(const std::string& pool, const std::string& result = "",
                      const std::string& status = "", const std::string& allocation = "") {
  return "\nstatus: {allocation: {devices: {results: [{request: r, driver: d, pool: " + pool +
         ", device: d0" + result +
         "}]}, nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: "
         "In, values: [" +
         pool + "]}]}]}" + allocation + "}" + status + "}";
}
std::string naming(const std::vector<std::string>& claims) {
  std::string out = "{resourceClaims: [";
  for (const std::string& c : claims) out += "{name: e-" + c + ", resourceClaimName: " + c + "}, ";
  return out + "]}";
}
PodRef pod_naming(const std::vector<std::string>& claims) {
  return Trial::pod(naming(claims), "name: p, namespace: default, uid: u-p");
}
const std::string kNodes = node("a") + node("b") + kClass + slice("a", 1) + slice("b", 2);

const ResourceClaim& stored(Trial& t, const std::string& name) {
  return *t.cluster().view().objects().find<ResourceClaim>("default", name);
}
// "d0@a u-p": the devices of a claim, and its consumers.
std::string state_of(const ResourceClaim& c) {
  std::string out;
  if (c.allocation)
    for (const AllocatedDevice& d : c.allocation->results)
      out += std::string(d.device) + "@" + std::string(d.pool) + " ";
  for (const ClaimConsumer& r : c.reserved_for) out += std::string(r.uid) + " ";
  return out + (c.in_flight ? "in flight" : "");
}

// An API server that accepts writes of claims, or answers with an error.
class Writes final : public ApiClient {
 public:
  Result<void> bind(const Pod&, Str) override { return {}; }
  Result<void> delete_pod(const Pod&) override { return {}; }
  Result<void> patch_pod_status(const Pod&, const PodStatusPatch&) override { return {}; }
  Result<void> update_object(StoredKind, const ObjectRef& object, Str patch) override {
    patches.emplace_back(patch);
    if (!errors.empty()) {
      const std::string error = errors.front();
      errors.erase(errors.begin());
      if (conflicting && error.starts_with("Operation cannot")) {
        REQUIRE(cluster->put_object(kClaimKind, conflicting).ok());
        conflicting = {};
      }
      if (!error.empty()) return Error{Rc::kExists, error};
    }
    written = object;
    if (cluster != nullptr) REQUIRE(cluster->put_object(kClaimKind, object).ok());
    return {};
  }
  Result<void> delete_object(StoredKind, Str ns, Str name) override {
    if (!errors.empty()) return Error{Rc::kIo, errors.front()};
    deleted.push_back(std::string(ns) + "/" + std::string(name));
    return {};
  }
  void event(const Pod&, Str, Str reason, Str, Str note) override {
    events.push_back(std::string(reason) + ": " + std::string(note));
  }

  Cluster* cluster = nullptr;
  std::vector<std::string> errors;  // of the next writes; "": none
  ObjectRef conflicting;            // what the claim is by the first conflict
  std::vector<std::string> patches, events, deleted;
  ObjectRef written;
};

// One pod on its way to a node.
class Journey {
 public:
  Journey(Trial& t, PodRef pod, const Ref<Writes>& api = {})
      : t_(t), pod_(std::move(pod)), api_(api) {
    if (api) {
      api->cluster = &t.cluster();
      services_ = make_ref<Services>(make_ref<VirtualClock>(VirtualClock::kStart), api);
      REQUIRE(t.evaluator().use(services_).ok());
    }
    t.prepare(*state_, *pod_);
  }
  std::string filter(const std::string& node) {
    Status s;
    REQUIRE(
        t_.evaluator().run_filter(*state_, *pod_, t_.cluster().view().find_node(node), &s).ok());
    return text_of(s);
  }
  std::string assume(const std::string& node) {
    CHECK(filter(node) == "Success");
    node_ = node;
    const auto done = t_.evaluator().assume(*state_, *pod_, t_.cluster().view().find_node(node));
    REQUIRE(done.ok());
    return text_of(*done);
  }
  std::string pre_bind() {
    const auto done = t_.evaluator().run_pre_bind(*state_, *pod_, node_);
    REQUIRE(done.ok());
    return text_of(*done);
  }
  void forget() { REQUIRE(t_.evaluator().forget(*state_, *pod_).ok()); }
  std::string post_filter() {
    if (api_) api_->cluster = nullptr;  // which may not change inside of a call
    std::optional<Nomination> nomination;
    return text_of(t_.evaluator().run_post_filter(*state_, *pod_, {}, &nomination).value());
  }

 private:
  Trial& t_;
  PodRef pod_;
  Ref<Writes> api_;
  Ref<Services> services_;
  Ref<CycleState> state_ = make_ref<CycleState>();
  std::string node_;
};

const std::string kPreBind = "Error: running PreBind plugin \"DynamicResources\": ";

TEST_CASE("PreFilter: claims must exist, belong to the pod and name classes that exist") {
  Trial t("DynamicResources", node_n());
  CHECK(t.pre_filter(*Trial::pod("{}")) == "Skip");
  CHECK(t.pre_filter(*Trial::pod("{resourceClaims: []}")) == "Skip");
  const auto of = [&](const std::string& spec, const std::string& status = "") {
    Result<PodRef> pod =
        parse_pod("metadata: {name: p, namespace: default, uid: u-p}\nspec: " + spec +
                      (status.empty() ? "" : "\nstatus: " + status),
                  {});
    REQUIRE(pod.ok());
    CHECK(t.evaluator().run_pre_enqueue(**pod).code ==
          (t.pre_filter(**pod).find("device class") != std::string::npos ||
                   t.pre_filter(**pod).find("request type") != std::string::npos ||
                   t.pre_filter(**pod) == "Skip"
               ? Code::kSuccess
               : Code::kUnschedulableAndUnresolvable));
    return t.pre_filter(**pod);
  };
  const std::string uau = "UnschedulableAndUnresolvable: ";
  CHECK(of(naming({"b"})) == uau + "could not find ResourceClaim \"default/b\"");
  CHECK(of("{resourceClaims: [{name: e}]}") ==
        uau + "pod \"default/p\", spec.resourceClaim \"e\": none of the supported fields are set");
  CHECK(of("{resourceClaims: [{name: e, resourceClaimName: null}]}").find("none of the") !=
        std::string::npos);
  CHECK(of("{resourceClaims: [{name: e, resourceClaimName: ''}]}") ==
        uau + "could not find ResourceClaim \"default/\"");
  const std::string made = "{resourceClaims: [{name: e, resourceClaimTemplateName: t}]}";
  CHECK(of(made) == uau + "pod \"default/p\": ResourceClaim not created yet");
  CHECK(of(made, "{resourceClaimStatuses: [{name: e}]}") == "Skip");
  t.apply(claim("c"));
  CHECK(of(made, "{resourceClaimStatuses: [{name: e, resourceClaimName: c}]}") ==
        uau + "ResourceClaim default/c was not created for Pod default/p (Pod is not owner)");
  CHECK(of(naming({"c"})) == uau + "request r: device class gpu does not exist");
  t.apply(claim("none", "spec: {devices: {requests: [{name: r}]}}"));
  CHECK(of(naming({"none"})) ==
        uau + "resource claim default/none, request r: unknown request type");
  t.apply(claim("gone", kOne, ", deletionTimestamp: '2020-01-01T00:00:00Z'"));
  CHECK(of(naming({"gone"})) == uau + "resourceclaim \"gone\" is being deleted");
}

TEST_CASE("a node needs free devices, or those that a claim has") {
  Trial t("DynamicResources",
          kNodes + claim("one") + claim("two") + claim("at-b", kOne + allocated("b")));
  CHECK(t.filter(naming({"one"}), "a") == "Success");
  const std::string uau = "UnschedulableAndUnresolvable: ";
  CHECK(t.filter(naming({"one", "two"}), "a") == uau + "cannot allocate all claims");
  CHECK(t.filter(naming({"one", "two"}), "b") == uau + "cannot allocate all claims");
  CHECK(t.filter(naming({"one"}), "b") == "Success");
  CHECK(t.filter(naming({"at-b"}), "b") == "Success");
  CHECK(t.filter(naming({"at-b"}), "a") == uau + "resourceclaim not available on the node");
  CHECK(t.filter(naming({"at-b", "one"}), "a") == uau + "resourceclaim not available on the node");
}

TEST_CASE("selectors choose devices, and their errors are the pod's") {
  const auto filtered = [](const std::string& expression) {
    Trial t("DynamicResources",
            node("a") + slice("a", 2, ", attributes: {model: {string: x}}") +
                "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\n"
                "spec: {selectors: [{cel: {expression: '" +
                expression + "'}}]}\n" + claim("c"));
    return t.filter(naming({"c"}), "a");
  };
  const std::string error = "Error: running \"DynamicResources\" filter plugin: class gpu: ";
  CHECK(filtered("device.attributes[\"d\"].model == \"x\"") == "Success");
  CHECK(filtered("device.attributes[\"d\"].model == \"y\"") ==
        "UnschedulableAndUnresolvable: cannot allocate all claims");
  CHECK(filtered("device.attributes[\"d\"].other == \"y\"") ==
        error +
            "selector #0 on device d/a/d0: CEL runtime error: no such key: other. consider "
            "using CEL optional chaining (.? followed by orValue()) or guarding the check with "
            "has() for optional fields");
  CHECK(filtered("1").starts_with(error + "selector #0: CEL compile error: "));
}

TEST_CASE("a DeviceClass may provide an extended resource") {
  Trial t("DynamicResources", node("a") + node("b") + slice("a", 2) +
                                  "---\nkind: Node\nmetadata: {name: own}\nstatus: {allocatable: "
                                  "{example.com/gpu: 1}}\n");
  CHECK(t.pre_filter(*Trial::pod(asking("example.com/gpu", "1"))) == "Skip");
  t.apply(kClass);
  for (const char* name : {"example.com/gpu", "deviceclass.resource.kubernetes.io/gpu"}) {
    CAPTURE(name);
    CHECK(t.filter(asking(name, "2"), "a") == "Success");
    CHECK(t.filter(asking(name, "3"), "a") ==
          "UnschedulableAndUnresolvable: cannot allocate all claims");
    CHECK(t.filter(asking(name, "1"), "b") ==
          "UnschedulableAndUnresolvable: cannot allocate all claims");
    CHECK(t.pre_filter(*Trial::pod(asking(name, "0"))) == "Skip");
  }
  CHECK(t.filter(asking("example.com/gpu", "5"), "own") ==
        "Success");  // NodeResourcesFit's business
  CHECK(t.filter("{containers: [{name: c, resources: {requests: {example.com/gpu: 1, "
                 "example.com/other: 1}}}]}",
                 "a") == "UnschedulableAndUnresolvable: cannot fit resource");
  for (const char* name : {"cpu", "hugepages-2Mi", "kubernetes.io/thing", "example.com/other",
                           "deviceclass.resource.kubernetes.io/other"})
    CHECK(t.pre_filter(*Trial::pod(asking(name, "1"))) == "Skip");
}

TEST_CASE("a pod's claim for extended resources is assumed, created and taken away") {
  Trial t("DynamicResources", node("a") + slice("a", 1) + kClass);
  const PodRef pod =
      Trial::pod(asking("example.com/gpu", "1"), "name: p, namespace: default, uid: u-p");
  Journey journey(t, pod);
  CHECK(journey.assume("a") == "Success");
  CHECK(state_of(stored(t, assumed_extended_name("p"))) == "d0@a u-p ");
  CHECK(t.filter(asking("example.com/gpu", "1"), "a") ==
        "UnschedulableAndUnresolvable: cannot allocate all claims");
  CHECK(journey.pre_bind() == "Success");
  auto& api = static_cast<MemoryApi&>(t.evaluator().services().api());
  REQUIRE(api.requests().size() == 3);
  CHECK(api.requests()[2].patch.extended_claim->mappings.size() == 1);
  REQUIRE(api.deliver(t.cluster()).ok());
  CHECK(t.cluster().view().objects().count(kClaimKind) == 1);
  CHECK(state_of(stored(t, "p-extended-resources-1")) == "d0@a u-p ");
  journey.forget();
  REQUIRE(api.deliver(t.cluster()).ok());
  CHECK(t.cluster().view().objects().count(kClaimKind) == 0);
}

TEST_CASE("with nobody at the API, Reserve assumes claims as they will be") {
  Trial t("DynamicResources", kNodes + claim("c"));
  Journey journey(t, pod_naming({"c"}));
  CHECK(journey.assume("a") == "Success");
  CHECK(state_of(stored(t, "c")) == "d0@a u-p ");
  CHECK(stored(t, "c").finalizers.size() == 1);
  CHECK(!stored(t, "c").allocation->timestamp.present);  // which PreBind sets
  CHECK(t.filter(naming({"c"}), "b") ==
        "UnschedulableAndUnresolvable: resourceclaim not available on the node");
  CHECK(journey.pre_bind() == "Success");
  journey.forget();
  CHECK(state_of(stored(t, "c")) == "");
}

TEST_CASE("an allocation is in flight until PreBind has written it") {
  Trial t("DynamicResources", kNodes + claim("c") + claim("other"));
  const Ref<Writes> api = make_ref<Writes>();
  Journey journey(t, pod_naming({"c"}), api);
  CHECK(journey.assume("a") == "Success");
  CHECK(state_of(stored(t, "c")) == "d0@a in flight");
  CHECK(t.pre_filter(*Trial::pod(naming({"c"}), "name: q, namespace: default, uid: u-q")) ==
        "UnschedulableAndUnresolvable: resource claim default/c is in the process of being "
        "allocated");
  CHECK(t.filter(naming({"other"}), "a") ==
        "UnschedulableAndUnresolvable: cannot allocate all claims");
  CHECK(journey.pre_bind() == "Success");
  CHECK(state_of(stored(t, "c")) == "d0@a u-p ");
  CHECK(stored(t, "c").finalizers.size() == 1);
  CHECK(stored(t, "c").allocation->timestamp.present);
  REQUIRE(api->patches.size() == 1);
  CHECK(api->patches[0].find("\"reservedFor\":[{\"resource\":\"pods\",\"name\":\"p\",\"uid\":"
                             "\"u-p\"}]") != std::string::npos);
  journey.forget();  // the allocation stays
  CHECK(state_of(stored(t, "c")) == "d0@a ");
}

TEST_CASE("Unreserve before PreBind takes the devices back") {
  Trial t("DynamicResources", kNodes + claim("c"));
  const Ref<Writes> api = make_ref<Writes>();
  Journey journey(t, pod_naming({"c"}), api);
  CHECK(journey.assume("a") == "Success");
  journey.forget();
  CHECK(state_of(stored(t, "c")) == "");
  CHECK(api->patches.empty());
}

TEST_CASE("PreBind writes a claim again after a conflict, unless it has changed too much") {
  const std::string conflict = "Operation cannot be fulfilled on resourceclaims \"c\": modified";
  const auto bound = [&](const std::string& body, const std::string& later,
                         std::vector<std::string> errors, const std::string& meta = "") {
    Trial t("DynamicResources", kNodes + claim("c", body));
    const Ref<Writes> api = make_ref<Writes>();
    api->errors = std::move(errors);
    const Result<ObjectSet> set = parse_objects(claim("c", later, meta), {});
    REQUIRE(set.ok());
    api->conflicting = set->stored[0].object;
    Journey journey(t, pod_naming({"c"}), api);
    CHECK(journey.assume("a") == "Success");
    const std::string result = journey.pre_bind();
    return result.starts_with("Success") ? state_of(stored(t, "c")) : result;
  };
  CHECK(bound(kOne, kOne, {}) == "d0@a u-p ");
  CHECK(bound(kOne, kOne, {conflict}) == "d0@a u-p ");
  CHECK(bound(kOne, kOne + allocated("b"), {conflict}) ==
        kPreBind + "claim default/c got allocated elsewhere in the meantime");
  CHECK(bound(kOne + allocated("a"), kOne, {conflict}) ==
        kPreBind + "claim default/c got deallocated elsewhere in the meantime");
  CHECK(bound(kOne, kOne, {conflict}, ", deletionTimestamp: '2020-01-01T00:00:00Z'") ==
        kPreBind + "claim default/c got deleted in the meantime");
  CHECK(bound(kOne, kOne, {"it rains"}) ==
        kPreBind + "add allocation and reservation to claim default/c: it rains");
  CHECK(bound(kOne + allocated("a"), kOne, {"it rains"}) ==
        kPreBind + "add reservation to claim default/c: it rains");
  CHECK(bound(kOne, kOne, {conflict, conflict, conflict, conflict, conflict}) ==
        kPreBind + "add allocation and reservation to claim default/c: " + conflict);
}

TEST_CASE("a claim that a pod names twice is written once") {
  Trial t("DynamicResources", kNodes + claim("c"));
  const Ref<Writes> api = make_ref<Writes>();
  Journey journey(t, pod_naming({"c", "c"}), api);
  CHECK(journey.assume("b") == "Success");
  CHECK(state_of(stored(t, "c")) == "d0@b in flight");
  CHECK(journey.pre_bind() == kPreBind + "claim default/c got allocated elsewhere in the meantime");
  journey.forget();
  CHECK(state_of(stored(t, "c")) == "d0@b ");
}

TEST_CASE("PreBind waits for binding conditions") {
  const std::string condition =
      ", bindingConditions: [Attached], bindingFailureConditions: [Failed]";
  const auto bound = [&](const std::string& status, const std::string& allocation = "") {
    Trial t("DynamicResources",
            kNodes + claim("c", kOne + allocated("a", condition, status, allocation)));
    const Ref<Writes> api = make_ref<Writes>();
    Journey journey(t, pod_naming({"c"}), api);
    const std::string filtered = journey.filter("a");
    if (filtered != "Success") return filtered + " / " + journey.post_filter();
    CHECK(journey.assume("a") == "Success");
    const std::string result = journey.pre_bind();
    CHECK(api->events == std::vector<std::string>{"BindingConditionsPending: waiting for binding "
                                                  "conditions for device on node a"});
    return result;
  };
  const auto with = [](const std::string& type) {
    return ", devices: [{driver: d, pool: a, device: d0, conditions: [{type: " + type +
           ", status: 'True', reason: R, message: M}]}]";
  };
  CHECK(bound(with("Attached")) == "Success");
  CHECK(bound("") == kPreBind + "device binding timeout: context deadline exceeded");
  const std::string elsewhere =
      "UnschedulableAndUnresolvable: resourceclaim not available on the node / Unschedulable: "
      "deallocation of ResourceClaim completed";
  CHECK(bound(with("Failed")) == elsewhere);
  CHECK(bound("", ", allocationTimestamp: '2020-01-01T00:00:00Z'") == elsewhere);
}

TEST_CASE("Filter without PreFilter is upstream's Error") {
  TrialOptions options;
  options.profile =
      "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
      "DefaultBinder}]}, filter: {enabled: [{name: DynamicResources}]}}";
  Trial t("DynamicResources", node_n(), options);
  CHECK(t.filter("{}") == "Error: running \"DynamicResources\" filter plugin: not found");
}

TEST_CASE("PostFilter takes the devices from a claim that nobody else uses") {
  const auto after = [](const std::string& consumers) {
    Trial t("DynamicResources", kNodes + claim("c", kOne + allocated("b", "", consumers)));
    const Ref<Writes> api = make_ref<Writes>();
    Journey journey(t, pod_naming({"c"}), api);
    CHECK(journey.filter("a") ==
          "UnschedulableAndUnresolvable: resourceclaim not available on the node");
    const std::string said = journey.post_filter();
    return said + " / " +
           (api->written ? state_of(static_cast<const ResourceClaim&>(*api->written))
                         : "as it was");
  };
  CHECK(after("") == "Unschedulable: deallocation of ResourceClaim completed / ");
  CHECK(after(", reservedFor: [{resource: pods, name: p, uid: u-p}]") ==
        "Unschedulable: deallocation of ResourceClaim completed / ");
  CHECK(after(", reservedFor: [{resource: pods, name: x, uid: u-x}]") ==
        "Unschedulable / as it was");
}

TEST_CASE("PostFilter takes away a claim for extended resources of an earlier cycle") {
  const std::string stale =
      "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: p-old, "
      "namespace: default, annotations: {resource.kubernetes.io/extended-resource-claim: 'true'}, "
      "ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: u-p, controller: true}]}\nspec: "
      "{devices: {requests: [{name: container-0-request-0, exactly: {deviceClassName: gpu}}]}}\n";
  Trial t("DynamicResources", node("a") + slice("a", 1) + kClass + stale);
  const PodRef pod =
      Trial::pod(asking("example.com/gpu", "1"), "name: p, namespace: default, uid: u-p");
  const Ref<Writes> api = make_ref<Writes>();
  Journey journey(t, pod, api);
  CHECK(journey.filter("a") ==
        "UnschedulableAndUnresolvable: cannot schedule extended resource claim");
  CHECK(journey.post_filter() == "Unschedulable: deletion of ResourceClaim completed");
  CHECK(api->deleted == std::vector<std::string>{"default/p-old"});
  api->errors = {"it rains"};
  CHECK(journey.post_filter().starts_with("Error"));
}

TEST_CASE("with nothing to do the PostFilter of 1.37 says nothing") {
  TrialOptions options;
  options.release = Release::k1_37;
  Trial t("DynamicResources",
          kNodes + claim("c", kOne + allocated("b", "",
                                               ", reservedFor: [{resource: pods, name: x, uid: "
                                               "u-x}]")),
          options);
  for (const PodRef& pod : {Trial::pod("{}"), pod_naming({"none"}), pod_naming({"c"})}) {
    CycleState state;
    REQUIRE(t.evaluator().run_pre_filter(state, *pod).ok());
    std::optional<Nomination> nomination;
    CHECK(text_of(t.evaluator().run_post_filter(state, *pod, {}, &nomination).value()) ==
          "Unschedulable");
  }
}

TEST_CASE("PostFilter of 1.36 has no claims to give back") {
  TrialOptions options;
  options.release = Release::k1_36;
  Trial t("DynamicResources", node_n(), options);
  const PodRef pod = Trial::pod("{}");
  CycleState state;
  std::optional<Nomination> nomination;
  const auto post_filter = [&](CycleState& s) {
    return t.evaluator().run_post_filter(s, *pod, {}, &nomination).value();
  };
  REQUIRE(t.evaluator().run_pre_filter(state, *pod).ok());
  CHECK(text_of(post_filter(state)) == "Unschedulable: no new claims to deallocate");
  const PodRef rejected = pod_naming({"none"});
  CycleState other;
  REQUIRE(t.evaluator().run_pre_filter(other, *rejected).ok());
  CHECK(text_of(t.evaluator().run_post_filter(other, *rejected, {}, &nomination).value()) ==
        "Unschedulable: no new claims to deallocate");
  CycleState without;  // another plugin's PreFilter has rejected the pod before
  CHECK(post_filter(without).code == Code::kError);
  CHECK(post_filter(without).message() == "not found");
}

TEST_CASE("nodes whose devices are a better alternative score higher") {
  const std::string first =
      "spec: {devices: {requests: [{name: r, firstAvailable: [{name: two, deviceClassName: gpu, "
      "allocationMode: ExactCount, count: 2}, {name: one, deviceClassName: gpu, allocationMode: "
      "ExactCount, count: 1}]}]}}";
  Trial t("DynamicResources", kNodes + claim("c", first));
  CHECK(t.scores(naming({"c"})) == "a 7/87, b 8/100");
}

TrialOptions of_release(Release release) {
  TrialOptions options;
  options.release = release;
  return options;
}

TEST_CASE("in 1.35 nodes have no score for devices if some claim was allocated earlier") {
  const std::string free = "\nstatus: {allocation: {devices: {results: []}}}";
  const std::string world = kNodes + claim("c") + claim("old", kOne + free);
  Trial now("DynamicResources", world),
      before("DynamicResources", world, of_release(Release::k1_35));
  CHECK(now.scores(naming({"old", "c"})) == "a 0/0, b 0/0");
  CHECK(before.scores(naming({"c"})) == "a 0/0, b 0/0");
  CHECK(before.scores(naming({"old"})) == "a 0/0, b 0/0");
  CHECK(before.scores(naming({"old", "c"})) ==
        "error: running Score plugins: plugin \"DynamicResources\" failed with: number of "
        "allocations 1 is smaller than number of claims");
  TrialOptions without_filter = of_release(Release::k1_35);
  without_filter.profile =
      "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: DynamicResources}]}, "
      "queueSort: {enabled: [{name: PrioritySort}]}, bind: {enabled: [{name: DefaultBinder}]}, "
      "filter: {disabled: [{name: DynamicResources}]}}";
  Trial unfiltered("DynamicResources", world, without_filter);
  CHECK(unfiltered.scores(naming({"old", "c"})) == "a 0/0, b 0/0");
}

TEST_CASE("a node that takes too long is rejected, or an error") {
  class Hurrying final : public Clock {
   public:
    int64_t now_ns() const override { return now_ += 1'000'000'000; }
    void wait(Signal&, std::unique_lock<Mutex>&, int64_t) override {}

   private:
    mutable std::atomic<int64_t> now_ = VirtualClock::kStart;
  };
  const auto verdict = [](Release release) {
    TrialOptions options = of_release(release);
    options.args = "{kind: DynamicResourcesArgs, filterTimeout: 1s}";
    Trial t("DynamicResources", kNodes + claim("c"), options);
    REQUIRE(t.evaluator().use(make_ref<Services>(make_ref<Hurrying>())).ok());
    return t.filter(*pod_naming({"c"}), "a");
  };
  CHECK(verdict(Release::k1_36) ==
        "Error: running \"DynamicResources\" filter plugin: node a: timed out trying to allocate "
        "devices");
  CHECK(verdict(Release::k1_35) ==
        "UnschedulableAndUnresolvable: timed out trying to allocate devices");
}

TEST_CASE("a DeviceTaintRule without a selector concerns every device, in 1.37 none") {
  const auto verdict = [](const std::string& selector, TrialOptions options) {
    if (options.release == Release::k1_36) options.gates = "DRADeviceTaintRules=true";
    Trial t("DynamicResources",
            kNodes + claim("c") +
                "---\napiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nmetadata: {name: t}\n"
                "spec: {" +
                selector + "taint: {key: k, effect: NoSchedule}}\n",
            options);
    return t.filter(*pod_naming({"c"}), "a");
  };
  const std::string none = "UnschedulableAndUnresolvable: cannot allocate all claims";
  for (const Release release : {Release::k1_36, Release::k1_37}) {
    CHECK(verdict("deviceSelector: {}, ", of_release(release)) == none);
    CHECK(verdict("deviceSelector: {pool: a}, ", of_release(release)) == none);
    CHECK(verdict("deviceSelector: {pool: b}, ", of_release(release)) == "Success");
  }
  CHECK(verdict("", of_release(Release::k1_36)) == none);
  CHECK(verdict("", of_release(Release::k1_37)) == "Success");
}

TEST_CASE("amounts of less than a unit need a gate of 1.37") {
  const auto consumed = [](const std::string& gates) {
    TrialOptions options = of_release(Release::k1_37);
    options.gates = gates;
    Trial t(
        "DynamicResources",
        node("a") + kClass +
            slice("a", 1,
                  ", allowMultipleAllocations: true, capacity: {m: {value: 8, requestPolicy: "
                  "{validRange: {min: 500m, step: 500m}}}}") +
            claim("c",
                  "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, "
                  "allocationMode: ExactCount, count: 1, capacity: {requests: {m: 1500m}}}}]}}"),
        options);
    Journey journey(t, pod_naming({"c"}));
    CHECK(journey.assume("a") == "Success");
    return stored(t, "c").allocation->results[0].consumed_capacity[0].amount.text();
  };
  CHECK(consumed("") == "2");
  CHECK(consumed("DRAFractionalCapacityRange=true") == "1500m");
}

TEST_CASE("a pod without claims has nothing to do before it is bound") {
  Trial t("DynamicResources", node_n());
  const PodRef pod = Trial::pod("{}");
  CycleState state;
  REQUIRE(t.evaluator().run_pre_filter(state, *pod).ok());
  CHECK(t.evaluator().run_pre_bind_pre_flights(state, *pod, "n")->code == Code::kSkip);
  CHECK(t.evaluator().run_pre_bind(state, *pod, "n")->success());
  CycleState without;  // PreFilter did not run
  CHECK(t.evaluator().run_pre_bind_pre_flights(without, *pod, "n")->message() ==
        "running PreBindPreFlight \"DynamicResources\": not found");
}

}  // namespace libsched::dynamic_resources_test
