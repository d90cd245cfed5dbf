// Pods in a resize, as each release counts them on a node.
#include "libsched/objects/pod_requests.hpp"
#include "libsched/plugins/trial_test.hpp"

namespace libsched::resized_pods_test {

std::string cpu(const std::string& amount) { return "{requests: {cpu: " + amount + "}}"; }

// A pod on node n with containers c0, c1, ... that ask for these amounts.
std::string resized(const std::vector<std::string>& asked, const std::string& status,
                    const std::string& spec = "") {
  std::string out =
      "---\nkind: Pod\nmetadata: {name: e, namespace: default}\nspec: {nodeName: 'n', containers: "
      "[";
  for (size_t i = 0; i < asked.size(); ++i)
    out += (i == 0 ? "" : ", ") + ("{name: c" + std::to_string(i)) +
           ", resources: " + cpu(asked[i]) + "}";
  return out + "]" + spec + "}\nstatus: {" + status + "}\n";
}
// Of a container: set and allocated amounts; "": none.
std::string said(const std::string& name, const std::string& set, const std::string& allocated) {
  return "{name: " + name + (set.empty() ? "" : ", resources: " + cpu(set)) +
         (allocated.empty() ? "" : ", allocatedResources: {cpu: " + allocated + "}") + "}";
}

const char* const kInfeasible =
    ", conditions: [{type: PodResizePending, status: 'True', reason: Infeasible}]";

struct Case {
  const char* name;
  std::string pod;
  int by_container, by_pod;  // cpus that are in use
};
std::vector<Case> cases() {
  const std::string both = "containerStatuses: [";
  return {
      {"one grows and one shrinks",
       resized({"1", "3"}, both + said("c0", "3", "3") + ", " + said("c1", "1", "1") + "]"), 6, 4},
      {"only allocated", resized({"1"}, both + said("c0", "", "2") + "]"), 1, 2},
      {"only set", resized({"1"}, both + said("c0", "2", "") + "]"), 2, 2},
      {"infeasible",
       resized({"3", "1"},
               both + said("c0", "1", "1") + ", " + said("c1", "2", "2") + "]" + kInfeasible),
       3, 3},
      {"infeasible, one container without a status",
       resized({"3", "1"}, both + said("c0", "1", "1") + "]" + kInfeasible), 2, 1},
      {"infeasible without any status", resized({"3"}, kInfeasible + 2), 3, 0},
      {"an init container",
       resized(
           {"1"},
           both + said("c0", "1", "1") + "], initContainerStatuses: [" + said("i", "3", "3") + "]",
           ", initContainers: [{name: i, resources: " + cpu("1") + "}]"),
       1, 3},
      {"totals in the status",
       resized({"1", "1"}, both + said("c0", "1", "1") + ", " + said("c1", "1", "1") +
                               "], resources: " + cpu("3") + ", allocatedResources: {cpu: 3}"),
       2, 3},
      {"no resize", resized({"1"}, both + said("c0", "1", "1") + "]"), 1, 1},
  };
}

TrialOptions of(Release release) {
  TrialOptions out;
  out.release = release;
  return out;
}

// How many cpus of 8 are in use, by Filter.
int used(Trial& t) {
  int free = 0;
  while (t.filter("{containers: [{name: x, resources: " + cpu(std::to_string(free + 1)) + "}]}") ==
         "Success")
    ++free;
  return 8 - free;
}

TEST_CASE("1.37 counts a resize by pod") {
  const std::string node = node_n("status: {allocatable: {cpu: 8, pods: 20}}");
  for (const Case& c : cases())
    for (const Release release : {Release::k1_36, Release::k1_37}) {
      CAPTURE(c.name);
      const int uses = release == Release::k1_37 ? c.by_pod : c.by_container;
      Trial there("NodeResourcesFit", node + c.pod, of(release));
      CHECK(used(there) == uses);
      // The pod comes to a cluster that counts so, and leaves it.
      Trial empty("NodeResourcesFit", node, of(release));
      CHECK(used(empty) == 0);
      empty.apply(c.pod);
      CHECK(used(empty) == uses);
      REQUIRE(empty.cluster().remove_pod("default", "e").ok());
      CHECK(used(empty) == 0);
    }
}

TEST_CASE("pod-level requests in a resize") {
  const std::string pod =
      resized({"1"},
              "containerStatuses: [" + said("c0", "1", "1") +
                  "], resources: {requests: {cpu: 3, memory: 1Gi}}, allocatedResources: {cpu: 2}",
              ", resources: " + cpu("1"));
  const std::string node = node_n("status: {allocatable: {cpu: 8, memory: 1Gi, pods: 20}}");
  const auto takes = [&](Release release, const std::string& asked) {
    return Trial("NodeResourcesFit", node + pod, of(release))
        .filter("{containers: [{name: x, resources: {requests: {" + asked + "}}}]}");
  };
  CHECK(takes(Release::k1_36, "cpu: 5, memory: 1Gi") == "Success");
  CHECK(takes(Release::k1_37, "cpu: 5") == "Success");
  CHECK(takes(Release::k1_37, "memory: 1Mi") == "Unschedulable: Insufficient memory");
}

TEST_CASE("an update scales a pod down as the release counts") {
  const auto parsed = [](const std::string& text) {
    return parse_objects(text.substr(0, 4) + "apiVersion: v1\n" + text.substr(4), {})->pods[0];
  };
  const PodRef before = parsed(cases()[1].pod), after = parsed(cases()[8].pod);
  CHECK_FALSE(requests_scaled_down(*after, *before, {.resizes_by_pod = false}));
  CHECK(requests_scaled_down(*after, *before, {.resizes_by_pod = true}));
}

}  // namespace libsched::resized_pods_test
