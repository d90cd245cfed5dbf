// NodeResourcesBalancedAllocation: how a pod changes the balance of a node, which requests count,
// and when PreScore skips.
#include "libsched/plugins/trial_test.hpp"

namespace libsched::balanced_allocation_test {

const char* const kPlugin = "NodeResourcesBalancedAllocation";

std::string container(const std::string& requests) {
  return "{containers: [{name: c, resources: {requests: {" + requests + "}}}]}";
}
std::string node(const std::string& name, const std::string& allocatable) {
  return "---\nkind: Node\nmetadata: {name: " + name + "}\nstatus: {allocatable: {pods: 9, " +
         allocatable + "}}\n";
}
std::string taking(const std::string& name, const std::string& on, const std::string& requests) {
  return "---\nkind: Pod\nmetadata: {name: " + name + ", namespace: d}\nspec:\n  nodeName: " + on +
         "\n  containers: [{name: c, resources: {requests: {" + requests + "}}}]\n";
}

TEST_CASE("the change of the balance") {
  Trial t(kPlugin, node("a", "cpu: 1, memory: 2000") + node("b", "cpu: 1, memory: 2000") +
                       taking("p", "a", "cpu: 500m, memory: 1000") +
                       taking("q", "b", "memory: 1000"));
  CHECK(t.scores(container("cpu: 100m")) == "a 72/72, b 77/77");
  CHECK(t.scores(container("cpu: 500m")) == "a 62/62, b 87/87");
  CHECK(t.scores(container("cpu: 100m, memory: 200")) == "a 75/75, b 75/75");
  // Existing pods count with their requests: q's cpu is 0, not 100m.
  CHECK(t.scores(container("memory: 1000")) == "a 62/62, b 62/62");
}

TEST_CASE("a pod without requests for listed resources") {
  Trial t(kPlugin, node("a", "cpu: 1, memory: 2000, example.com/gpu: 1"));
  CHECK(t.scores("{containers: [{name: c}]}") == "Skip");
  CHECK(t.scores(container("cpu: 0, example.com/gpu: 1")) == "Skip");
  CHECK(t.scores("{overhead: {cpu: 1m}}") != "Skip");
  CHECK(t.scores("{resources: {requests: {cpu: 500m}}, containers: [{name: c}]}") == "a 62/62");
}

TEST_CASE("other resources") {
  TrialOptions options;
  options.args =
      "{resources: [{name: cpu, weight: 1}, {name: memory, weight: 1}, {name: example.com/gpu, "
      "weight: 1}]}";
  Trial t(
      kPlugin,
      node("a", "cpu: 10m, memory: 10, example.com/gpu: 10") + node("b", "cpu: 10m, memory: 10"),
      options);
  CHECK(t.scores(container("cpu: 3m, example.com/gpu: 6")) == "a 62/62, b 67/67");
  CHECK(t.scores(container("cpu: 3m")) == "a 67/67, b 67/67");
}

TEST_CASE("sums of scores up to and beyond 32 bits") {
  for (const char* weight : {"1", "21474836", "21474837", "2147483647"}) {
    CAPTURE(weight);
    TrialOptions options;
    options.profile =
        "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
        "DefaultBinder}]}, preScore: {enabled: [{name: NodeResourcesBalancedAllocation}]}, score: "
        "{enabled: [{name: NodeResourcesBalancedAllocation, weight: " +
        std::string(weight) + "}]}}";
    Trial t(kPlugin,
            node("a", "cpu: 1, memory: 2000") + node("b", "cpu: 1, memory: 2000") +
                taking("p", "a", "cpu: 500m, memory: 1000") + taking("q", "b", "memory: 1000"),
            options);
    CHECK(t.scores(container("cpu: 100m")) == "a 72/72, b 77/77");
    CHECK(t.scores(container("cpu: 500m")) == "a 62/62, b 87/87");
  }
}

TEST_CASE("Score without PreScore") {
  TrialOptions options;
  options.profile =
      "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
      "DefaultBinder}]}, score: {enabled: [{name: NodeResourcesBalancedAllocation}]}}";
  Trial t(kPlugin, node("a", "cpu: 1, memory: 2000") + node("b", "cpu: 2, memory: 2000"), options);
  CHECK(t.scores("{containers: [{name: c}]}") == "a 0/0, b 0/0");
  CHECK(t.scores(container("cpu: 500m")) == "a 62/62, b 68/68");
}

TEST_CASE("up to 1.32 a pod without requests is scored by what is in use") {
  const auto scores = [](Release release, const std::string& profile) {
    TrialOptions options;
    options.release = release;
    options.profile = profile;
    Trial t(kPlugin,
            node("a", "cpu: 1, memory: 2000") + node("b", "cpu: 1, memory: 2000") +
                taking("p", "a", "cpu: 500m, memory: 1000") + taking("q", "b", "memory: 1000"),
            options);
    return t.scores("{containers: [{name: c}]}");
  };
  const std::string without_pre_score =
      "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
      "DefaultBinder}]}, score: {enabled: [{name: NodeResourcesBalancedAllocation}]}}";
  for (const Release release : {Release::k1_31, Release::k1_32}) {
    CHECK(scores(release, "") == "a 100/100, b 75/75");
    CHECK(scores(release, without_pre_score) == "a 100/100, b 75/75");
  }
  for (const Release release : {Release::k1_33, Release::k1_36}) {
    CHECK(scores(release, "") == "Skip");
    CHECK(scores(release, without_pre_score) == "a 0/0, b 0/0");
  }
}

}  // namespace libsched::balanced_allocation_test
