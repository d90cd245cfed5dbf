// DynamicResources: claims that the pods of a PodGroup share (gate DRAWorkloadResourceClaims).
#include "libsched/plugins/trial_test.hpp"

namespace libsched::group_claims_test {

const char* const kGates = "GenericWorkload=true,DRAWorkloadResourceClaims=true";

std::string claim(const std::string& more, const std::string& status = "") {
  return "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c, namespace: "
         "default, uid: u-c" +
         more +
         "}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: any, allocationMode: "
         "ExactCount, count: 1}}]}}\n" +
         status;
}
std::string allocated_on(const std::string& node, const std::string& reserved) {
  return "status: {allocation: {devices: {results: [{request: r, driver: d, pool: 'n', device: "
         "d0}]}, "
         "nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, "
         "values: [" +
         node + "]}]}]}}, reservedFor: [" + reserved + "]}\n";
}
const std::string kOfGroup =
    "{apiGroup: scheduling.k8s.io, resource: podgroups, name: g, uid: u-g}";
std::string group(const std::string& entry) {
  return "---\napiVersion: scheduling.k8s.io/v1alpha2\nkind: PodGroup\nmetadata: {name: g, "
         "namespace: default, uid: u-g}\nspec: {schedulingPolicy: {basic: {}}, resourceClaims: [" +
         entry + "]}\n";
}
std::string world(const std::string& more) {
  return "---\nkind: Node\nmetadata: {name: 'n'}\n"
         "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: any}\n"
         "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec: "
         "{driver: d, pool: {name: 'n', generation: 1, resourceSliceCount: 1}, nodeName: 'n', "
         "devices: "
         "[{name: d0}]}\n" +
         more;
}
TrialOptions with_gates(const char* gates = kGates) {
  TrialOptions out;
  out.release = Release::k1_36;
  out.gates = gates;
  return out;
}
const std::string kShared = "{name: e, resourceClaimName: c}";
const std::string kMade = "{name: e, resourceClaimTemplateName: t}";
PodRef pod(const std::string& name, const std::string& entry = kShared) {
  const std::string status =
      entry == kMade ? "\nstatus: {resourceClaimStatuses: [{name: e, resourceClaimName: c}]}" : "";
  Result<PodRef> out =
      parse_pod("metadata: {namespace: default, name: " + name + ", uid: u-" + name +
                    "}\nspec: {schedulingGroup: {podGroupName: g}, "
                    "resourceClaims: [" +
                    entry + "]}" + status,
                {});
  REQUIRE_MESSAGE(out.ok(), out.error().text());
  return *out;
}
std::string consumers(Trial& t) {
  std::string out;
  for (const ClaimConsumer& c :
       t.cluster().view().objects().find<ResourceClaim>("default", "c")->reserved_for)
    out += std::string(c.api_group) + " " + std::string(c.resource) + " " + std::string(c.name) +
           " " + std::string(c.uid) + "; ";
  return out;
}
void assume(Trial& t, const PodRef& p) {
  const Ref<CycleState> state = make_ref<CycleState>();
  t.prepare(*state, *p);
  Status fits;
  REQUIRE(t.evaluator().run_filter(*state, *p, 0, &fits).ok());
  REQUIRE(fits.success());
  const Result<Status> done = t.evaluator().assume(*state, *p, 0);
  REQUIRE(done.ok());
  REQUIRE(done->success());
}

TEST_CASE("a claim of the group is reserved for the group, once") {
  Trial t("DynamicResources", world(claim("") + group(kShared)), with_gates());
  assume(t, pod("a"));
  CHECK(consumers(t) == "scheduling.k8s.io podgroups g u-g; ");
  assume(t, pod("b"));
  CHECK(consumers(t) == "scheduling.k8s.io podgroups g u-g; ");

  Trial off("DynamicResources", world(claim("") + group(kShared)), with_gates(""));
  assume(off, pod("a"));
  assume(off, pod("b"));
  CHECK(consumers(off) == " pods a u-a;  pods b u-b; ");

  // The pod's own, though the group has a claim under this name.
  const std::string other = "{name: e, resourceClaimName: d}";
  Trial own("DynamicResources", world(claim("") + group(other)), with_gates());
  assume(own, pod("a"));
  CHECK(consumers(own) == " pods a u-a; ");
}

TEST_CASE("a claim may have been made for the group") {
  const auto owned_by = [](const std::string& owner, const char* gates) {
    Trial t("DynamicResources",
            world(claim(", ownerReferences: [{controller: true, " + owner + "}]") + group(kMade)),
            with_gates(gates));
    return t.pre_filter(*pod("a", kMade));
  };
  const std::string of_group =
      "apiVersion: scheduling.k8s.io/v1alpha2, kind: PodGroup, name: g, uid: u-g";
  CHECK(owned_by(of_group, kGates) == "Success");
  CHECK(owned_by(of_group, "") ==
        "UnschedulableAndUnresolvable: ResourceClaim default/c was not created for Pod default/a "
        "(Pod is not owner)");
  CHECK(owned_by("apiVersion: v1, kind: Pod, name: x, uid: u-x", kGates) ==
        "UnschedulableAndUnresolvable: ResourceClaim default/c was not created for Pod default/a "
        "(neither Pod nor PodGroup g is the owner)");
  CHECK(owned_by("apiVersion: v1, kind: Pod, name: a, uid: u-a", kGates) == "Success");
}

TEST_CASE("the group must be there") {
  Trial t("DynamicResources", world(claim("")), with_gates());
  CHECK(t.pre_filter(*pod("a")) ==
        "UnschedulableAndUnresolvable: podgroup.scheduling.k8s.io \"g\" not found");
  Trial off("DynamicResources", world(claim("")), with_gates(""));
  CHECK(off.pre_filter(*pod("a")) == "Success");
}

TEST_CASE("PostFilter lets go of the group's claims if no pod of it has a node") {
  const auto after = [](const std::string& reserved, const std::string& more = "") {
    Trial t("DynamicResources",
            world(claim("", allocated_on("m", reserved)) + group(kShared) + more), with_gates());
    const Ref<CycleState> state = make_ref<CycleState>();
    const PodRef p = pod("a");
    t.prepare(*state, *p);
    Status no;
    REQUIRE(t.evaluator().run_filter(*state, *p, 0, &no).ok());
    CHECK_FALSE(no.success());
    std::optional<Nomination> nomination;
    const Result<Status> s = t.evaluator().run_post_filter(*state, *p, {}, &nomination);
    REQUIRE(s.ok());
    return text_of(*s);
  };
  CHECK(after(kOfGroup) == "UnschedulableAndUnresolvable: ResourceClaim unreserved for PodGroup");
  CHECK(after("{resource: pods, name: x, uid: u-x}") == "Unschedulable: still not schedulable");
  CHECK(after(kOfGroup,
              "---\nkind: Pod\nmetadata: {name: b, namespace: default}\nspec: {nodeName: 'n', "
              "schedulingGroup: {podGroupName: g}}\n") == "Unschedulable: still not schedulable");
}

TEST_CASE("podGroupPostFilter of 1.37 lets go of the group's claims") {
  const auto after = [](const std::string& reserved, const char* gates = kGates,
                        const std::string& more = "") {
    TrialOptions options = with_gates(gates);
    options.release = Release::k1_37;
    Trial t("DynamicResources",
            world(claim("", allocated_on("m", reserved)) + group(kShared) + more), options);
    const Ref<CycleState> state = make_ref<CycleState>();
    const auto cycle = std::make_shared<GroupCycle>();
    GroupCycle::begin(*state, cycle);
    const std::vector<PodRef> pods = {pod("a")};
    t.prepare(*state, *pods[0]);
    Status no;
    REQUIRE(t.evaluator().run_filter(*state, *pods[0], 0, &no).ok());
    CHECK_FALSE(no.success());
    const View& view = t.cluster().view();
    const GroupPostFilterCall call{{{view, t.evaluator().services(), nullptr, &t.evaluator()},
                                    *view.objects().find<PodGroup>("default", "g"),
                                    pods,
                                    cycle.get()},
                                   {}};
    std::string said;
    std::vector<GroupNomination> none;
    for (const Framework::Instance& instance : t.evaluator().framework().plugins()) {
      if (instance.name != "DynamicResources") continue;
      const Result<Status> s = instance.plugin->pod_group_post_filter(call, &none);
      REQUIRE(s.ok());
      said = text_of(*s);
    }
    return said;
  };
  const std::string done = "Unschedulable: deallocation and deletion of ResourceClaims completed";
  CHECK(after("") == done);  // which is that of the pod
  CHECK(after(kOfGroup) == "Unschedulable: deallocation of PodGroup ResourceClaim completed");
  CHECK(after(kOfGroup + ", {resource: pods, name: x, uid: u-x}") ==
        "UnschedulableAndUnresolvable: ResourceClaim unreserved for PodGroup");
  CHECK(after("{resource: pods, name: x, uid: u-x}") == done);
  CHECK(after(kOfGroup, "GenericWorkload=true") == done);
  CHECK(after(kOfGroup, kGates,
              "---\nkind: Pod\nmetadata: {name: b, namespace: default}\nspec: {nodeName: 'n', "
              "schedulingGroup: {podGroupName: g}}\n") == done);
}

}  // namespace libsched::group_claims_test
