// NodePorts: conflicts of addresses and protocols, the containers that count, and released
// ports.
#include "libsched/plugins/trial_test.hpp"

namespace libsched::node_ports_test {

const char* const kNo = "Unschedulable: node(s) didn't have free ports for the requested pod ports";

std::string containers(const std::string& ports) {
  return "{containers: [{name: c, ports: [" + ports + "]}]}";
}

std::string bound(const std::string& name, const std::string& ports) {
  return "---\nkind: Pod\nmetadata: {name: " + name +
         ", namespace: d}\nspec:\n  nodeName: 'n'\n  containers: [{name: c, ports: [" + ports +
         "]}]\n";
}

TEST_CASE("PreFilter skips pods without host ports") {
  Trial t("NodePorts", node_n());
  const auto pre_filter = [&](const std::string& spec) { return t.pre_filter(*Trial::pod(spec)); };
  CHECK(pre_filter("{}") == "Skip");
  CHECK(pre_filter(containers("{containerPort: 80}")) == "Skip");
  CHECK(pre_filter(containers("{containerPort: 80, hostPort: 0}")) == "Skip");
  CHECK(pre_filter(containers("{hostPort: 80}")) == "Success");
  // Plain init containers have ended when the others run; sidecars keep running.
  CHECK(pre_filter("{initContainers: [{name: i, ports: [{hostPort: 80}]}]}") == "Skip");
  CHECK(
      pre_filter("{initContainers: [{name: i, restartPolicy: Always, ports: [{hostPort: 80}]}]}") ==
      "Success");
}

TEST_CASE("conflicts") {
  struct Case {
    std::string used, wanted;
    bool fits;
  } const cases[] = {
      {"", "{hostPort: 80}", true},
      {"{hostPort: 80}", "{hostPort: 80}", false},
      {"{hostPort: 80}", "{hostPort: 81}", true},
      {"{hostPort: 80}", "{hostPort: 80, protocol: UDP}", true},
      {"{hostPort: 80}", "{hostPort: 80, protocol: TCP}", false},  // TCP is the default
      {"{hostPort: 80, protocol: SCTP}", "{hostPort: 80, protocol: UDP}", true},
      {"{hostPort: 80}", "{hostPort: 80, hostIP: 0.0.0.0}", false},  // the default address
      {"{hostPort: 80, hostIP: 10.0.0.1}", "{hostPort: 80, hostIP: 10.0.0.2}", true},
      {"{hostPort: 80, hostIP: 10.0.0.1}", "{hostPort: 80, hostIP: 10.0.0.1}", false},
      {"{hostPort: 80, hostIP: 10.0.0.1}", "{hostPort: 80}", false},  // all addresses
      {"{hostPort: 80}", "{hostPort: 80, hostIP: 10.0.0.1}", false},
      {"{hostPort: 80, hostIP: 10.0.0.1}", "{hostPort: 80, hostIP: 0.0.0.0, protocol: UDP}", true},
      {"{hostPort: 80, hostIP: '::'}", "{hostPort: 80, hostIP: '::1'}",
       true},  // :: is an address like any other
      {"{hostPort: 80, hostIP: '::'}", "{hostPort: 80}", false},
      {"{hostPort: 1}, {hostPort: 2}", "{hostPort: 3}, {hostPort: 2}", false},
      {"{hostPort: 1}, {hostPort: 2}", "{hostPort: 3}, {hostPort: 4}", true},
      {"{containerPort: 80}", "{hostPort: 80}", true},
  };
  for (const auto& c : cases) {
    CAPTURE(c.used);
    CAPTURE(c.wanted);
    Trial t("NodePorts",
            node_n() + bound("a", c.used) + "---\nkind: Node\nmetadata: {name: free}\n");
    CHECK(t.filter(containers(c.wanted)) == std::string(c.fits ? "Success" : kNo));
    CHECK(t.filter(containers(c.wanted), "free") == "Success");
  }
}

TEST_CASE("sidecars of running pods take ports, plain init containers do not") {
  const auto world = [](const char* policy) {
    return node_n() +
           "---\nkind: Pod\nmetadata: {name: a, namespace: d}\nspec:\n  nodeName: 'n'\n  "
           "initContainers: [{name: i, " +
           policy + " ports: [{hostPort: 80}]}]\n";
  };
  CHECK(Trial("NodePorts", world("restartPolicy: Always,")).filter(containers("{hostPort: 80}")) ==
        kNo);
  CHECK(Trial("NodePorts", world("")).filter(containers("{hostPort: 80}")) == "Success");
}

TEST_CASE("a port of two pods is free when the first leaves, as in upstream's set") {
  Trial t("NodePorts",
          node_n() + bound("a", "{hostPort: 80}") + bound("b", "{hostPort: 80}, {hostPort: 90}"));
  CHECK(t.filter(containers("{hostPort: 80}")) == kNo);
  REQUIRE(t.cluster().fork().ok());
  REQUIRE(t.cluster().remove_pod("d", "a").ok());
  CHECK(t.filter(containers("{hostPort: 80}")) == "Success");
  CHECK(t.filter(containers("{hostPort: 90}")) == kNo);
  REQUIRE(t.cluster().revert().ok());
  CHECK(t.filter(containers("{hostPort: 80}")) == kNo);
  REQUIRE(t.cluster().remove_pod("d", "b").ok());
  REQUIRE(t.cluster().remove_pod("d", "a").ok());
  CHECK(t.filter(containers("{hostPort: 90}")) == "Success");
}

TEST_CASE("the same state sees ports that are used later") {
  Trial t("NodePorts", node_n());
  const PodRef pod = Trial::pod(containers("{hostPort: 80}"));
  CycleState state;
  REQUIRE(t.evaluator().run_pre_filter(state, *pod).ok());
  Status s;
  REQUIRE(t.evaluator().run_filter(state, *pod, 0, &s).ok());
  CHECK(s.success());
  t.apply(bound("a", "{hostPort: 80}"));
  REQUIRE(t.evaluator().run_filter(state, *pod, 0, &s).ok());
  CHECK(text_of(s) == kNo);
}

TEST_CASE("Filter without PreFilter is upstream's Error") {
  TrialOptions options;
  options.profile =
      "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
      "DefaultBinder}]}, filter: {enabled: [{name: NodePorts}]}}";
  Trial t("NodePorts", node_n(), options);
  CHECK(t.filter("{}") ==
        "Error: running \"NodePorts\" filter plugin: reading \"PreFilterNodePorts\" from "
        "cycleState: not found");
}

TEST_CASE("up to 1.32 sidecars neither take nor want ports") {
  const std::string sidecar =
      "{initContainers: [{name: i, restartPolicy: Always, ports: [{hostPort: 80}]}]}";
  for (const Release release : {Release::k1_31, Release::k1_32, Release::k1_33, Release::k1_36}) {
    CAPTURE(release_name(release));
    const bool count = release >= Release::k1_33;
    TrialOptions options;
    options.release = release;
    Trial t("NodePorts", node_n(), options);
    CHECK(t.pre_filter(*Trial::pod(sidecar)) == (count ? "Success" : "Skip"));
    t.apply(
        "kind: Pod\nmetadata: {name: a, namespace: d}\nspec:\n  nodeName: 'n'\n  "
        "initContainers: [{name: i, restartPolicy: Always, ports: [{hostPort: 80}]}]\n");
    CHECK(t.filter(containers("{hostPort: 80}")) == (count ? kNo : "Success"));
    t.apply(bound("b", "{hostPort: 81}"));
    CHECK(t.filter(containers("{hostPort: 81}")) == kNo);
    // Pods that are assumed or nominated count in the same way.
    const PodRef assumed =
        Trial::pod("{initContainers: [{name: i, restartPolicy: Always, ports: [{hostPort: 82}]}]}",
                   "name: c, namespace: d");
    REQUIRE(t.cluster().assume(*assumed, "n").ok());
    CHECK(t.filter(containers("{hostPort: 82}")) == (count ? kNo : "Success"));
    REQUIRE(t.cluster().forget("d", "c").ok());
    CHECK(t.filter(containers("{hostPort: 82}")) == "Success");
  }
}

TEST_CASE("frameworks of two releases ask about one cluster in turn") {
  TrialOptions options;
  options.release = Release::k1_32;
  Trial old("NodePorts", node_n(), options), now("NodePorts", "");
  const auto framework = [](Trial& t) { return FrameworkRef::share(&t.evaluator().framework()); };
  const Ref<Cluster> cluster = Ref<Cluster>::share(&old.cluster());
  Evaluator of_now(framework(now), cluster);
  const PodRef pod = Trial::pod(containers("{hostPort: 80}"));
  const auto fits = [&](Evaluator& evaluator) {
    const Result<Ref<const Decision>> decided = evaluator.check(*pod, "", false);
    REQUIRE_MESSAGE(decided.ok(), decided.error().text());
    return (*decided)->feasible_count == 1;
  };
  // Without pods that count otherwise a snapshot serves both.
  const SnapshotRef empty = cluster->snapshot();
  for (Trial* t : {&old, &now}) {
    Evaluator on_snapshot(framework(*t), empty);
    CHECK(fits(on_snapshot));
  }
  old.apply(
      "kind: Pod\nmetadata: {name: a, namespace: d}\nspec:\n  nodeName: 'n'\n  "
      "initContainers: [{name: i, restartPolicy: Always, ports: [{hostPort: 80}]}]\n");
  for (int i = 0; i < 3; ++i) {
    CHECK(fits(old.evaluator()));
    CHECK_FALSE(fits(of_now));
  }
  REQUIRE(cluster->fork().ok());
  CHECK(fits(old.evaluator()));
  REQUIRE(cluster->revert().ok());
  CHECK_FALSE(fits(of_now));
  const SnapshotRef as_now = cluster->snapshot();
  Evaluator on_snapshot(framework(old), as_now);
  const Result<Ref<const Decision>> refused = on_snapshot.check(*pod, "", false);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().rc == Rc::kState);
  CHECK(fits(old.evaluator()));
  Evaluator on_another(framework(old), cluster->snapshot());
  CHECK(fits(on_another));
}

}  // namespace libsched::node_ports_test
