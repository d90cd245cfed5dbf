// The events of pods for which plugins register in 1.36 and in 1.37, and the hints that differ.
#include "libsched/plugins/hints.hpp"
#include "libsched/plugins/trial_test.hpp"

namespace libsched::hints_releases_test {

// A plugin of a release, and objects.
struct Asked {
  Asked(Release release, const std::string& name, const std::string& objects = "")
      : trial(name, objects, of(release)), plugin(found(name)) {}

  static TrialOptions of(Release release) {
    TrialOptions out;
    out.release = release;
    return out;
  }
  const Plugin& found(const std::string& name) {
    for (const Framework::Instance& i : trial.evaluator().framework().plugins())
      if (i.name == name) return *i.plugin;
    FAIL(name);
    return *trial.evaluator().framework().plugins()[0].plugin;
  }

  // "Resource: Action Action": the registrations for a resource whose name contains `part`.
  std::string registered(Str part) const {
    std::string out;
    const auto events = *plugin.events_to_register();
    for (const ClusterEventWithHint& e : events) {
      if (e.event.resource.find(part) == std::string::npos) continue;
      out += (out.empty() ? "" : "; ") + e.event.resource + (e.has_hint ? ":" : "!");
      for (ActionType bit = 1; bit <= kUpdatePodScaleUp; bit <<= 1)
        if ((e.event.actions & bit) != 0) out += " " + ClusterEvent{"", bit, {}}.label();
    }
    return out;
  }
  // The hint of the first registration that covers the event: 'q', 's' or 'e'; '-': there is none.
  char hint(const std::string& resource, ActionType action, const PodRef& pod,
            const ObjectRef& before, const ObjectRef& after) {
    const auto events = *plugin.events_to_register();
    for (size_t i = 0; i < events.size(); ++i) {
      if (!matches(events[i].event, {resource, action, {}})) continue;
      const Result<QueueingHint> said =
          plugin.hint(i, trial.cluster().view(), *pod, {resource, before, after});
      return !said.ok() ? 'e' : *said == QueueingHint::kQueue ? 'q' : 's';
    }
    return '-';
  }

  Trial trial;
  const Plugin& plugin;
};

PodRef pod(const std::string& name, const std::string& spec = "{}", const std::string& more = "") {
  return Trial::pod(spec, "namespace: default, name: " + name + ", uid: u-" + name + more);
}

TEST_CASE("registrations for pods") {
  const struct {
    const char *plugin, *older, *newer;
  } kRows[] = {
      {"NodeResourcesFit", "Pod: Delete UpdatePodScaleDown",
       "AssignedPod: Delete UpdatePodScaleDown; TargetPod: UpdatePodScaleDown"},
      {"NodePorts", "Pod: Delete", "AssignedPod: Delete"},
      {"VolumeRestrictions", "Pod: Delete", "AssignedPod: Delete"},
      {"NodeVolumeLimits", "Pod: Delete", "AssignedPod: Delete"},
      {"DefaultPreemption", "Pod: Delete", "AssignedPod: Delete"},
      {"InterPodAffinity", "Pod: Add Delete UpdatePodLabel",
       "AssignedPod: Add Delete UpdatePodLabel; TargetPod: UpdatePodLabel"},
      {"PodTopologySpread", "Pod: Add Delete UpdatePodLabel UpdatePodToleration",
       "AssignedPod: Add Delete UpdatePodLabel; TargetPod: UpdatePodLabel UpdatePodToleration"},
      {"TaintToleration", "Pod: UpdatePodToleration", "TargetPod: UpdatePodToleration"},
      {"NodeUnschedulable", "Pod: UpdatePodToleration", "TargetPod: UpdatePodToleration"},
      {"SchedulingGates", "Pod: UpdatePodSchedulingGatesEliminated",
       "TargetPod: UpdatePodSchedulingGatesEliminated"},
      {"DynamicResources", "Pod: UpdatePodGeneratedResourceClaim",
       "TargetPod: UpdatePodGeneratedResourceClaim"},
  };
  for (const auto& row : kRows) {
    CAPTURE(row.plugin);
    CHECK(Asked(Release::k1_36, row.plugin).registered("Pod") == row.older);
    CHECK(Asked(Release::k1_37, row.plugin).registered("Pod") == row.newer);
  }
  for (const Release release : {Release::k1_36, Release::k1_37}) {
    Asked features(release, "NodeDeclaredFeatures");
    const auto events = *features.plugin.events_to_register();
    REQUIRE(events.size() == 2);
    CHECK(events[1].event ==
          ClusterEvent{release == Release::k1_37 ? "TargetPod" : "Pod", kUpdate, {}});
    const std::string claims = Asked(release, "DynamicResources").registered("ResourceClaim");
    const bool deleted = claims.find(" Delete") != std::string::npos;
    CHECK(deleted == (release == Release::k1_37));
  }
}

TEST_CASE("hints of own updates do not look at the pod in 1.37") {
  const PodRef a = pod("a"), tolerant = pod("b", "{tolerations: [{operator: Exists}]}");
  const struct {
    const char* plugin;
    ActionType action;
  } kRows[] = {{"TaintToleration", kUpdatePodToleration},
               {"NodeUnschedulable", kUpdatePodToleration},
               {"SchedulingGates", kUpdatePodSchedulingGatesEliminated},
               {"DynamicResources", kUpdatePodGeneratedResourceClaim},
               {"InterPodAffinity", kUpdatePodLabel},
               {"NodeResourcesFit", kUpdatePodScaleDown}};
  for (const auto& row : kRows) {
    CAPTURE(row.plugin);
    Asked older(Release::k1_36, row.plugin), newer(Release::k1_37, row.plugin);
    CHECK(older.hint("UnschedulablePod", row.action, tolerant, pod("b"), tolerant) == 'q');
    CHECK(older.hint("UnschedulablePod", row.action, a, pod("b"), tolerant) == 's');
    CHECK(newer.hint("TargetPod", row.action, a, pod("b"), tolerant) == 'q');
    CHECK(newer.hint("UnscheduledPod", row.action, a, pod("b"), tolerant) == '-');
  }
  CHECK(Asked(Release::k1_37, "NodeUnschedulable")
            .hint("TargetPod", kUpdatePodToleration, a, tolerant, pod("b")) == 's');
}

TEST_CASE("PodTopologySpread: own updates of labels and tolerations") {
  const std::string spread =
      "{topologySpreadConstraints: [{maxSkew: 1, topologyKey: k, whenUnsatisfiable: DoNotSchedule, "
      "nodeTaintsPolicy: Honor, labelSelector: {matchLabels: {a: b}}}]";
  const PodRef plain = pod("a", spread + "}");
  const PodRef labelled = pod("a", spread + "}", ", labels: {a: b}");
  const PodRef tolerant = pod("a", spread + ", tolerations: [{operator: Exists}]}");
  for (const Release release : {Release::k1_36, Release::k1_37}) {
    const std::string mine = release == Release::k1_37 ? "TargetPod" : "UnschedulablePod";
    Asked t(release, "PodTopologySpread");
    CHECK(t.hint(mine, kUpdatePodLabel, plain, plain, labelled) == 'q');
    CHECK(t.hint(mine, kUpdatePodLabel, plain, plain, plain) == 's');
    CHECK(t.hint(mine, kUpdatePodToleration, plain, plain, tolerant) == 'q');
  }
}

TEST_CASE("InterPodAffinity: one anti-affinity term is enough in 1.37") {
  const auto term = [](const std::string& label) {
    return "{topologyKey: k, labelSelector: {matchLabels: {" + label + "}}}";
  };
  const std::string avoiding =
      "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [" +
      term("a: b") + ", " + term("c: d") + "]}}";
  const PodRef waits = pod("a", "{" + avoiding + "}");
  const auto there = [](const std::string& labels, const std::string& more = "") {
    return pod("t", "{nodeName: node" + more + "}", ", labels: {" + labels + "}");
  };
  for (const Release release : {Release::k1_36, Release::k1_37}) {
    const char any = release == Release::k1_37 ? 'q' : 's';
    Asked t(release, "InterPodAffinity");
    CHECK(t.hint("AssignedPod", kDelete, waits, there("a: b"), {}) == any);
    CHECK(t.hint("AssignedPod", kDelete, waits, there("a: b, c: d"), {}) == 'q');
    CHECK(t.hint("AssignedPod", kDelete, waits, there("e: f"), {}) == 's');
    CHECK(t.hint("AssignedPod", kUpdatePodLabel, waits, there("a: b"), there("e: f")) == any);
    // It still matches the other term.
    CHECK(t.hint("AssignedPod", kUpdatePodLabel, waits, there("a: b, c: d"), there("a: b")) ==
          (release == Release::k1_37 ? 's' : 'q'));
    CHECK(t.hint("AssignedPod", kDelete, pod("a", "{}", ", labels: {a: b}"),
                 there("k: v", ", " + avoiding), {}) == any);
  }
}

TEST_CASE("DynamicResources: a deleted claim counts in 1.37 if it was allocated") {
  const auto claim = [](const std::string& status) {
    const Result<ObjectSet> set = parse_objects(
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c, namespace: d}\n"
        "status: {" +
            status + "}\n",
        {});
    REQUIRE_MESSAGE(set.ok(), set.error().text());
    return set->stored[0].object;
  };
  const std::string kClaim = "resource.k8s.io/ResourceClaim";
  Asked older(Release::k1_36, "DynamicResources"), newer(Release::k1_37, "DynamicResources");
  CHECK(older.hint(kClaim, kDelete, pod("a"), claim("allocation: {}"), {}) == '-');
  CHECK(newer.hint(kClaim, kDelete, pod("a"), claim("allocation: {}"), {}) == 'q');
  CHECK(newer.hint(kClaim, kDelete, pod("a"), claim(""), {}) == 's');
}

}  // namespace libsched::hints_releases_test
