// NodeResourcesFit's scores: the three strategies, which requests count, and which resources take
// part.
#include "libsched/plugins/trial_test.hpp"

namespace libsched::fit_score_test {

std::string container(const std::string& requests) {
  return "{containers: [{name: c, resources: {requests: {" + requests + "}}}]}";
}
std::string node(const std::string& name, const std::string& allocatable) {
  return "---\nkind: Node\nmetadata: {name: " + name + "}\nstatus: {allocatable: {pods: 9, " +
         allocatable + "}}\n";
}
std::string bound(const std::string& name, const std::string& on, const std::string& more) {
  return "---\nkind: Pod\nmetadata: {name: " + name + ", namespace: d}\nspec:\n  nodeName: " + on +
         "\n" + more + "\n";
}
std::string taking(const std::string& name, const std::string& on, const std::string& requests) {
  return bound(name, on, "  containers: [{name: c, resources: {requests: {" + requests + "}}}]");
}
TrialOptions strategy(const std::string& text) {
  TrialOptions options;
  options.args = "{scoringStrategy: {" + text + "}}";
  return options;
}

TEST_CASE("LeastAllocated of cpu and memory") {
  Trial t("NodeResourcesFit", node("a", "cpu: 4, memory: 8Gi") + node("b", "cpu: 8, memory: 8Gi") +
                                  taking("p", "b", "cpu: 1, memory: 1Gi"));
  CHECK(t.scores(container("cpu: 1, memory: 2Gi")) == "a 75/75, b 68/68");  // 75 and 62
  // Absent requests count as 100m and 200Mi; an explicit zero stays zero.
  CHECK(t.scores("{containers: [{name: c}]}") == "a 97/97, b 85/85");
  CHECK(t.scores(container("cpu: 0, memory: 0")) == "a 100/100, b 87/87");
  CHECK(t.scores("{containers: [{name: c}, {name: d}]}") == "a 95/95, b 83/83");
  // Overhead counts, pod-level requests do not.
  CHECK(t.scores("{overhead: {cpu: 1}, containers: [{name: c, resources: {requests: {cpu: 0, "
                 "memory: 0}}}]}") == "a 87/87, b 81/81");
  CHECK(t.scores("{resources: {requests: {cpu: 2, memory: 4Gi}}, containers: [{name: c}]}") ==
        "a 97/97, b 85/85");
}

TEST_CASE("existing pods count with the amounts they don't ask for") {
  Trial t("NodeResourcesFit",
          node("a", "cpu: 1, memory: 2000Mi") + bound("p", "a", "  containers: [{name: c}]"));
  CHECK(t.scores(container("cpu: 0, memory: 0")) == "a 90/90");
}

TEST_CASE("resources that take part, and their weights") {
  const std::string nodes = node("a", "cpu: 4, example.com/gpu: 4, ephemeral-storage: 100") +
                            node("b", "cpu: 4, ephemeral-storage: 0") +
                            taking("p", "a", "cpu: 1, example.com/gpu: 1, ephemeral-storage: 50");
  Trial gpu("NodeResourcesFit", nodes,
            strategy("type: LeastAllocated, resources: [{name: cpu}, {name: example.com/gpu, "
                     "weight: 3}]"));
  CHECK(gpu.scores(container("cpu: 1")) == "a 50/50, b 75/75");
  CHECK(gpu.scores(container("cpu: 1, example.com/gpu: 1")) == "a 50/50");
  CHECK(gpu.scores(container("cpu: 1, example.com/gpu: 3")) == "a 12/12");
  // Requested, not the non-zero variant; a node without the resource leaves it out.
  Trial disk("NodeResourcesFit", nodes,
             strategy("type: LeastAllocated, resources: [{name: cpu, weight: 2}, {name: "
                      "ephemeral-storage, weight: 5}]"));
  CHECK(disk.scores(container("cpu: 1")) == "a 50/50, b 75/75");
  // Names that are not resources of a node are ignored.
  Trial odd("NodeResourcesFit", nodes,
            strategy("type: LeastAllocated, resources: [{name: pods}, {name: cpu}, {name: "
                     "example.com/none}]"));
  CHECK(odd.scores(container("cpu: 1")) == "a 50/50, b 75/75");
}

TEST_CASE("MostAllocated") {
  Trial t("NodeResourcesFit",
          node("a", "cpu: 4, memory: 8Gi") + node("b", "cpu: 8, memory: 8Gi") +
              node("c", "cpu: 50m, memory: 8Gi") + taking("p", "b", "cpu: 1, memory: 1Gi"),
          strategy("type: MostAllocated, resources: [{name: cpu, weight: 3}, {name: memory}]"));
  CHECK(t.scores(container("cpu: 1, memory: 2Gi")) == "a 25/25, b 28/28");
  CHECK(t.scores("{containers: [{name: c}]}") == "a 2/2, b 13/13, c 75/75");  // capped at 100
}

TEST_CASE("RequestedToCapacityRatio") {
  const std::string shape =
      "type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape: [{utilization: 0, score: "
      "0}, {utilization: 100, score: 10}]}";
  const std::string nodes = node("a", "cpu: 4, memory: 100") + node("b", "cpu: 1, memory: 100");
  Trial t("NodeResourcesFit", nodes, strategy(shape));
  CHECK(t.scores(container("cpu: 1, memory: 37")) == "a 31/31, b 69/69");  // 68.5 rounds away
  CHECK(t.scores(container("cpu: 1, memory: 38")) == "a 32/32, b 69/69");
  // A resource with a score of 0 does not count.
  CHECK(t.scores(container("cpu: 0, memory: 38")) == "a 38/38, b 38/38");
  CHECK(t.scores(container("cpu: 0, memory: 0")) == "a 0/0, b 0/0");
  Trial bent("NodeResourcesFit", nodes,
             strategy("type: RequestedToCapacityRatio, resources: [{name: memory}], "
                      "requestedToCapacityRatio: {shape: [{utilization: 10, score: 9}, "
                      "{utilization: 40, score: 2}, {utilization: 70, score: 3}]}"));
  CHECK(bent.scores(container("cpu: 1, memory: 5")) == "a 90/90, b 90/90");
  CHECK(bent.scores(container("cpu: 1, memory: 11")) == "a 88/88, b 88/88");  // 90 - 2.33
  CHECK(bent.scores(container("cpu: 1, memory: 55")) == "a 25/25, b 25/25");
  CHECK(bent.scores(container("cpu: 1, memory: 100")) == "a 30/30, b 30/30");
}

TEST_CASE("Score without PreScore gives the same") {
  TrialOptions options;
  options.profile =
      "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
      "DefaultBinder}]}, score: {enabled: [{name: NodeResourcesFit}]}}";
  Trial t("NodeResourcesFit", node("a", "cpu: 4, memory: 8Gi") + node("b", "cpu: 2, memory: 8Gi"),
          options);
  CHECK(t.scores(container("cpu: 1, memory: 2Gi")) == "a 75/75, b 62/62");
}

TEST_CASE("many rows, some without a node") {
  std::string nodes;
  for (int i = 0; i < 200; ++i)
    nodes += node("n" + std::to_string(i), "cpu: " + std::to_string(1 + i % 7) + ", memory: 1Gi");
  Trial t("NodeResourcesFit", nodes);
  for (int i = 0; i < 200; i += 3) REQUIRE(t.cluster().remove_node("n" + std::to_string(i)).ok());
  const auto decided =
      t.evaluator().check(*Trial::pod(container("cpu: 1, memory: 512Mi")), "", false, true);
  REQUIRE(decided.ok());
  const Decision& d = **decided;
  REQUIRE(d.scores.rows.size() == 133);
  for (size_t i = 0; i < d.scores.rows.size(); ++i) {
    const int64_t cpu = d.details().names->nodes[d.scores.rows[i]]->allocatable.milli_cpu;
    CHECK(d.scores.columns[0].raw[i] == ((cpu - 1000) * 100 / cpu + 50) / 2);
  }
}

}  // namespace libsched::fit_score_test
