// NodeResourcesFit: which shortages are reported and which of them are final, ignored resources,
// and amounts at the limits of 64 bits.
#include "libsched/plugins/trial_test.hpp"

namespace libsched::fit_test {

std::string container(const std::string& requests) {
  return "{containers: [{name: c, resources: {requests: {" + requests + "}}}]}";
}
std::string node(const std::string& allocatable) {
  return node_n("status: {allocatable: {" + allocatable + "}}");
}
std::string bound(const std::string& name, const std::string& spec) {
  return "---\nkind: Pod\nmetadata: {name: " + name + ", namespace: d}\nspec:\n  nodeName: 'n'\n" +
         spec + "\n";
}
std::string taking(const std::string& name, const std::string& requests) {
  return bound(name, "  containers: [{name: c, resources: {requests: {" + requests + "}}}]");
}

const char* const kU = "Unschedulable: ";
const char* const kUAU = "UnschedulableAndUnresolvable: ";

TEST_CASE("PreFilter never skips") {
  Trial t("NodeResourcesFit", node("pods: 1"));
  CHECK(t.pre_filter(*Trial::pod("{}")) == "Success");
  CHECK(t.filter("{}") == "Success");
}

TEST_CASE("fits and shortages") {
  struct Case {
    std::string allocatable, used, wanted;
    std::string expected;
  } const cases[] = {
      {"pods: 9, cpu: 2, memory: 1Gi", "cpu: 1", "cpu: 1", "Success"},
      {"pods: 9, cpu: 2, memory: 1Gi", "cpu: 1", "cpu: 1001m",
       std::string(kU) + "Insufficient cpu"},
      {"pods: 9, cpu: 2, memory: 1Gi", "cpu: 1", "cpu: 2001m",
       std::string(kUAU) + "Insufficient cpu"},
      {"pods: 9, cpu: 2, memory: 1Gi", "memory: 1Gi", "memory: 1",
       std::string(kU) + "Insufficient memory"},
      {"pods: 9, cpu: 2, memory: 1Gi", "cpu: 2, memory: 1Gi", "cpu: 1, memory: 1",
       std::string(kU) + "Insufficient cpu; Insufficient memory"},
      // A final shortage makes the status final.
      {"pods: 9, cpu: 2, memory: 1Gi", "cpu: 2, memory: 1Gi", "cpu: 1, memory: 2Gi",
       std::string(kUAU) + "Insufficient cpu; Insufficient memory"},
      {"pods: 9, cpu: 2", "", "memory: 1", std::string(kUAU) + "Insufficient memory"},
      {"pods: 9", "", "ephemeral-storage: 1", std::string(kUAU) + "Insufficient ephemeral-storage"},
      {"pods: 9, ephemeral-storage: 10", "ephemeral-storage: 5", "ephemeral-storage: 6",
       std::string(kU) + "Insufficient ephemeral-storage"},
      {"pods: 9, ephemeral-storage: 10", "ephemeral-storage: 5", "ephemeral-storage: 5", "Success"},
      // Too many pods can always be resolved.
      {"pods: 1", "", "", std::string(kU) + "Too many pods"},
      {"pods: 1, cpu: 1", "cpu: 1", "cpu: 1", std::string(kU) + "Too many pods; Insufficient cpu"},
      {"pods: 1, cpu: 1", "", "cpu: 2", std::string(kUAU) + "Too many pods; Insufficient cpu"},
      {"cpu: 1", "", "", std::string(kU) + "Too many pods"},  // no number of pods means 0
      {"pods: 2", "", "", "Success"},
      // Rounded up: 0.1m is a whole 1m.
      {"pods: 9, cpu: 1", "cpu: 999m", "cpu: 0.1m", "Success"},
      {"pods: 9, cpu: 1", "cpu: 999.1m", "cpu: 0.1m", std::string(kU) + "Insufficient cpu"},
      // A node may be overcommitted, which does not matter to a pod without requests.
      {"pods: 9, cpu: 1", "cpu: 3", "memory: 0", "Success"},
      {"pods: 9, cpu: 1", "cpu: 3", "cpu: 0", "Success"},
      {"pods: 9, cpu: 1", "cpu: 3", "cpu: 1m", std::string(kU) + "Insufficient cpu"},
      {"pods: 9, cpu: -1", "", "cpu: 0", "Success"},
      {"pods: -1", "", "", std::string(kU) + "Too many pods"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.allocatable);
    CAPTURE(c.used);
    CAPTURE(c.wanted);
    Trial t("NodeResourcesFit", node(c.allocatable) + taking("a", c.used));
    CHECK(t.filter(container(c.wanted)) == c.expected);
  }
}

TEST_CASE("scalar resources") {
  struct Case {
    std::string allocatable, used, wanted;
    std::string expected;
  } const cases[] = {
      {"pods: 9, example.com/gpu: 2", "example.com/gpu: 1", "example.com/gpu: 1", "Success"},
      {"pods: 9, example.com/gpu: 2", "example.com/gpu: 1", "example.com/gpu: 2",
       std::string(kU) + "Insufficient example.com/gpu"},
      {"pods: 9, example.com/gpu: 2", "example.com/gpu: 1", "example.com/gpu: 3",
       std::string(kUAU) + "Insufficient example.com/gpu"},
      {"pods: 9", "", "example.com/gpu: 1",
       std::string(kUAU) + "Insufficient example.com/gpu"},  // on no node
      {"pods: 9", "", "example.com/gpu: 0", "Success"},
      {"pods: 9, cpu: 1", "", "cpu: 2, example.com/gpu: 1",
       std::string(kUAU) + "Insufficient cpu; Insufficient example.com/gpu"},
      {"pods: 9, hugepages-2Mi: 4Mi", "hugepages-2Mi: 2Mi", "hugepages-2Mi: 4Mi",
       std::string(kU) + "Insufficient hugepages-2Mi"},
      {"pods: 9, hugepages-2Mi: 4Mi", "", "hugepages-1Gi: 1Gi",
       std::string(kUAU) + "Insufficient hugepages-1Gi"},
      {"pods: 9", "", "kubernetes.io/thing: 1",
       std::string(kUAU) + "Insufficient kubernetes.io/thing"},
      {"pods: 9", "", "attachable-volumes-x: 1",
       std::string(kUAU) + "Insufficient attachable-volumes-x"},
      {"pods: 9", "", "unknown: 1", "Success"},  // neither native nor extended: not counted
      {"pods: 9", "", "requests.example.com/gpu: 1", "Success"},
      {"pods: 9, example.com/gpu: -1", "", "example.com/gpu: 0", "Success"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.allocatable);
    CAPTURE(c.wanted);
    Trial t("NodeResourcesFit", node(c.allocatable) + taking("a", c.used));
    CHECK(t.filter(container(c.wanted)) == c.expected);
  }
}

TEST_CASE("a resource that no node has is looked up again when a node brings it") {
  Trial t("NodeResourcesFit", node("pods: 9"));
  const PodRef pod = Trial::pod(container("example.com/new: 1"));
  CycleState state;
  REQUIRE(t.evaluator().run_pre_filter(state, *pod).ok());
  Status s;
  REQUIRE(t.evaluator().run_filter(state, *pod, 0, &s).ok());
  CHECK(text_of(s) == std::string(kUAU) + "Insufficient example.com/new");
  t.apply(node("pods: 9, example.com/new: 1"));
  REQUIRE(t.evaluator().run_filter(state, *pod, 0, &s).ok());
  CHECK(s.success());
}

TEST_CASE("ignored resources and groups: extended ones only, by whole name or whole prefix") {
  const auto verdict = [](const std::string& args, const std::string& wanted) {
    TrialOptions options;
    options.args = args;
    return Trial("NodeResourcesFit", node("pods: 9"), options).filter(container(wanted));
  };
  CHECK(verdict("{ignoredResources: [example.com/gpu]}", "example.com/gpu: 1") == "Success");
  CHECK(verdict("{ignoredResources: [example.com/gpu]}", "example.com/gpu2: 1") ==
        std::string(kUAU) + "Insufficient example.com/gpu2");
  CHECK(verdict("{ignoredResources: [example.com/gpu]}", "example.com/gpu: 1, example.com/b: 1") ==
        std::string(kUAU) + "Insufficient example.com/b");
  CHECK(verdict("{ignoredResourceGroups: [example.com]}", "example.com/a: 1, example.com/b: 1") ==
        "Success");
  CHECK(verdict("{ignoredResourceGroups: [example.com]}", "sub.example.com/a: 1") ==
        std::string(kUAU) + "Insufficient sub.example.com/a");
  CHECK(verdict("{ignoredResources: [cpu]}", "cpu: 1") == std::string(kUAU) + "Insufficient cpu");
  CHECK(verdict("{ignoredResources: [hugepages-2Mi]}", "hugepages-2Mi: 2Mi") ==
        std::string(kUAU) + "Insufficient hugepages-2Mi");
  CHECK(verdict("{ignoredResourceGroups: [kubernetes.io]}", "kubernetes.io/thing: 1") ==
        std::string(kUAU) + "Insufficient kubernetes.io/thing");
}

TEST_CASE("a pod's requests: overhead, init containers, sidecars, pod-level resources") {
  const auto on = [](const char* cpu, const std::string& spec) {
    return Trial("NodeResourcesFit", node(std::string("pods: 9, cpu: ") + cpu)).filter(spec) ==
           "Success";
  };
  const auto needs = [&](const std::string& exactly, const std::string& below,
                         const std::string& spec) {
    return on(exactly.c_str(), spec) && !on(below.c_str(), spec);
  };
  CHECK(needs("1500m", "1499m",
              "{overhead: {cpu: 500m}, containers: [{name: c, resources: {requests: {cpu: 1}}}]}"));
  CHECK(needs("3", "2999m",
              "{containers: [{name: a, resources: {requests: {cpu: 1}}}, {name: b, resources: "
              "{requests: {cpu: 2}}}]}"));
  CHECK(needs("4", "3999m",
              "{initContainers: [{name: i, resources: {requests: {cpu: 4}}}], containers: [{name: "
              "c, resources: {requests: {cpu: 1}}}]}"));
  CHECK(needs("5", "4999m",
              "{initContainers: [{name: s, restartPolicy: Always, resources: {requests: {cpu: "
              "1}}}, {name: i, resources: {requests: {cpu: 4}}}], "
              "containers: [{name: c, resources: {requests: {cpu: 2}}}]}"));
  CHECK(needs("3", "2999m",
              "{initContainers: [{name: s, restartPolicy: Always, resources: {requests: {cpu: "
              "1}}}], containers: [{name: c, resources: {requests: {cpu: 2}}}]}"));
  CHECK(needs("1", "999m",
              "{resources: {requests: {cpu: 1}}, containers: [{name: c, resources: {requests: "
              "{cpu: 500m}}}]}"));
  CHECK(needs("1500m", "1499m",
              "{resources: {requests: {cpu: 1}}, overhead: {cpu: 500m}, containers: [{name: c}]}"));
}

TEST_CASE("running pods count with their resized amounts") {
  const std::string resized =
      "---\nkind: Pod\nmetadata: {name: a, namespace: d}\nspec:\n  nodeName: 'n'\n  containers: "
      "[{name: c, resources: {requests: {cpu: 1}}}]\n"
      "status: {containerStatuses: [{name: c, allocatedResources: {cpu: 2}, resources: {requests: "
      "{cpu: 3}}}]}\n";
  Trial t("NodeResourcesFit", node("pods: 9, cpu: 4") + resized);
  CHECK(t.filter(container("cpu: 1")) == "Success");
  CHECK(t.filter(container("cpu: 1001m")) == std::string(kU) + "Insufficient cpu");
}

TEST_CASE("amounts at the limits of 64 bits wrap around as upstream's do") {
  const std::string max = "9223372036854775807";
  struct Case {
    std::string allocatable, used_a, used_b, wanted, expected;
  } const cases[] = {
      {"memory: " + max, "", "", "memory: " + max, "Success"},
      {"memory: " + max, "memory: 1", "", "memory: " + max,
       std::string(kU) + "Insufficient memory"},
      {"memory: 1", "", "", "memory: " + max, std::string(kUAU) + "Insufficient memory"},
      // 0 - 2 * max wraps around to 2: upstream sees two bytes left.
      {"memory: 0", "memory: " + max, "memory: " + max, "memory: 1", std::string("Success")},
      {"memory: 0", "memory: " + max, "memory: " + max, "memory: 3",
       std::string(kUAU) + "Insufficient memory"},
      {"memory: -1", "memory: " + max, "", "memory: 1", std::string(kUAU) + "Insufficient memory"},
      {"memory: -2", "memory: " + max, "", "memory: 1", "Success"},
      // The number of pods is compared without a subtraction.
      {"memory: 0, pods: -" + max, "memory: 0", "memory: 0", "memory: 0",
       std::string(kU) + "Too many pods"},
      {"memory: 0, pods: " + max, "memory: 0", "memory: 0", "memory: 0", "Success"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.allocatable);
    CAPTURE(c.used_a);
    CAPTURE(c.wanted);
    const std::string allocatable = c.allocatable.find("pods") == std::string::npos
                                        ? "pods: 9, " + c.allocatable
                                        : c.allocatable;
    std::string objects = node(allocatable);
    if (!c.used_a.empty()) objects += taking("a", c.used_a);
    if (!c.used_b.empty()) objects += taking("b", c.used_b);
    CHECK(Trial("NodeResourcesFit", objects).filter(container(c.wanted)) == c.expected);
  }
}

TEST_CASE("many resources at once") {
  std::string allocatable = "pods: 9", wanted, short_by_one;
  std::string reasons;
  for (int i = 10; i < 50; ++i) {
    const std::string name = "example.com/r" + std::to_string(i);
    allocatable += ", " + name + ": 10";
    wanted += (i == 10 ? "" : ", ") + name + ": 10";
    short_by_one += (i == 10 ? "" : ", ") + name + (i == 49 ? ": 11" : ": 10");
  }
  Trial t("NodeResourcesFit", node(allocatable));
  CHECK(t.filter(container(wanted)) == "Success");
  CHECK(t.filter(container(short_by_one)) == std::string(kUAU) + "Insufficient example.com/r49");
}

TEST_CASE("extended resources that devices provide are left to DynamicResources") {
  const std::string device_class =
      "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: "
      "{extendedResourceName: example.com/gpu}\n";
  for (const char* name : {"example.com/gpu", "deviceclass.resource.kubernetes.io/gpu"}) {
    CAPTURE(name);
    const std::string two = container(std::string(name) + ": 2");
    CHECK(Trial("NodeResourcesFit", node("pods: 9") + device_class).filter(two) == "Success");
    const std::string there = std::string(name) + ": ";
    CHECK(Trial("NodeResourcesFit", node("pods: 9, " + there + "0") + device_class).filter(two) ==
          "Success");
    CHECK(Trial("NodeResourcesFit", node("pods: 9, " + there + "1") + device_class).filter(two) ==
          std::string(kUAU) + "Insufficient " + name);
    CHECK(Trial("NodeResourcesFit", node("pods: 9, " + there + "2") + device_class).filter(two) ==
          "Success");
    CHECK(Trial("NodeResourcesFit", node("pods: 9")).filter(two) ==
          std::string(kUAU) + "Insufficient " + name);
  }
}

TEST_CASE("Filter without PreFilter is upstream's Error") {
  TrialOptions options;
  options.profile =
      "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
      "DefaultBinder}]}, filter: {enabled: [{name: NodeResourcesFit}]}}";
  CHECK(Trial("NodeResourcesFit", node("pods: 9"), options).filter("{}") ==
        "Error: running \"NodeResourcesFit\" filter plugin: error reading "
        "\"PreFilterNodeResourcesFit\" from cycleState: not found");
}

TEST_CASE("up to 1.33 no shortage is final") {
  const auto said = [](Release release, const std::string& wanted) {
    TrialOptions options;
    options.release = release;
    return Trial("NodeResourcesFit", node("pods: 9, cpu: 2"), options).filter(container(wanted));
  };
  for (const Release release : {Release::k1_31, Release::k1_33}) {
    CHECK(said(release, "cpu: 3") == std::string(kU) + "Insufficient cpu");
    CHECK(said(release, "example.com/gpu: 1") == std::string(kU) + "Insufficient example.com/gpu");
  }
  CHECK(said(Release::k1_34, "cpu: 3") == std::string(kUAU) + "Insufficient cpu");
  CHECK(said(Release::k1_34, "example.com/gpu: 1") ==
        std::string(kUAU) + "Insufficient example.com/gpu");
}

TEST_CASE("up to 1.31 sidecars of running pods do not add to requests for scoring") {
  const auto scores = [](Release release) {
    TrialOptions options;
    options.release = release;
    Trial t("NodeResourcesFit",
            node("pods: 9, cpu: 10, memory: 1000Mi") +
                bound("a",
                      "  containers: [{name: c, resources: {requests: {cpu: 1, memory: "
                      "100Mi}}}]\n  initContainers: [{name: s, restartPolicy: Always, resources: "
                      "{requests: {cpu: 4, memory: 400Mi}}}]"),
            options);
    // Filter counts them in every release.
    CHECK(t.filter(container("cpu: 6")) == std::string(kU) + "Insufficient cpu");
    return t.scores(container("cpu: 1, memory: 100Mi"));
  };
  // The larger of container and sidecar, 4 and 400Mi, or their sum.
  CHECK(scores(Release::k1_31) == "n 50/50");
  CHECK(scores(Release::k1_32) == "n 40/40");
  CHECK(scores(Release::k1_36) == "n 40/40");
}

}  // namespace libsched::fit_test
