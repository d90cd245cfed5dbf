// Cluster events: labels, and what a registration covers.
#include "libsched/framework/events.hpp"

#include <doctest/doctest.h>

namespace libsched::events_test {

TEST_CASE("events have upstream's names") {
  CHECK(ClusterEvent{"Node", kAdd, {}}.label() == "NodeAdd");
  CHECK(ClusterEvent{"Pod", kUpdatePodScaleDown, {}}.label() == "PodUpdatePodScaleDown");
  CHECK(ClusterEvent{"Node", kUpdate, {}}.label() == "NodeUpdate");
  CHECK(ClusterEvent{"*", kAllActions, {}}.label() == "*All");
  CHECK(ClusterEvent{"Pod", kAdd | kDelete, {}}.label() == "Pod");
  CHECK(ClusterEvent{"Pod", kAdd, "Mine"}.label() == "Mine");
  CHECK(kAllActions == 8191);
  CHECK(kUpdate == 8188);
}

TEST_CASE("a registration covers equal and more specific events") {
  const ClusterEvent node_label{"Node", kUpdateNodeLabel, {}};
  CHECK(matches({"Node", kUpdate, {}}, node_label));
  CHECK(matches(node_label, node_label));
  CHECK_FALSE(matches(node_label, {"Node", kUpdate, {}}));
  CHECK_FALSE(matches({"Node", kUpdateNodeTaint, {}}, node_label));
  CHECK_FALSE(matches({"Pod", kUpdate, {}}, node_label));
  CHECK(matches({"*", kAllActions, {}}, node_label));
  CHECK(matches({"*", kUpdate, {}}, node_label));
  CHECK_FALSE(matches({"*", kAdd, {}}, node_label));
  // By number, not by bits: a larger number is not covered even where the bits overlap.
  CHECK_FALSE(matches({"Node", kAdd, {}}, {"Node", kAdd | kDelete, {}}));
  CHECK(matches({"Node", kAdd | kUpdateNodeTaint, {}}, {"Node", kAdd | kDelete, {}}));
  CHECK_FALSE(matches({"Node", kAllActions, {}}, {"*", kAllActions, {}}));
  CHECK(matches({"*", kAllActions, {}}, {"*", kAllActions, {}}));
  CHECK(matches({"Pod", kAdd, {}}, {"AssignedPod", kAdd, {}}));
  CHECK(matches({"Pod", kAdd, {}}, {"UnschedulablePod", kAdd, {}}));
  CHECK_FALSE(matches({"Node", kAdd, {}}, {"AssignedPod", kAdd, {}}));
}

TEST_CASE("events of pods with Behaviours::target_pod_events") {
  const Behaviours older, newer{.target_pod_events = true};
  CHECK(waiting_pods(older) == "UnschedulablePod");
  CHECK(updated_pod(older) == "UnschedulablePod");
  CHECK(waiting_pods(newer) == "UnscheduledPod");
  CHECK(updated_pod(newer) == "TargetPod");
  for (const char* resource : {"AssignedPod", "UnscheduledPod", "TargetPod"}) {
    CHECK(is_about_pods(resource));
    CHECK(matches({"Pod", kAdd, {}}, {resource, kAdd, {}}));
  }
  CHECK_FALSE(is_about_pods("Pod"));
  CHECK_FALSE(is_about_pods("Node"));
  CHECK_FALSE(matches({"AssignedPod", kAdd, {}}, {"TargetPod", kAdd, {}}));

  const ClusterEvent grown{"TargetPod", kUpdatePodScaleUp, {}};
  CHECK(grown.label() == "TargetPodUpdatePodScaleUp");
  CHECK(matches({"Pod", kUpdatePodScaleUp, {}}, grown));
  CHECK(matches({"Pod", kUpdate, {}}, grown));
  CHECK(matches({"TargetPod", kAllActions, {}}, grown));
  CHECK_FALSE(matches({"Pod", kUpdatePodScaleDown, {}}, grown));
  CHECK_FALSE(
      matches({"Pod", kUpdatePodScaleUp | kUpdatePodLabel, {}}, {"TargetPod", kUpdate, {}}));
  CHECK(matches({"Pod", kUpdate, {}}, {"TargetPod", kUpdate, {}}));
  // By 1.37's numbers, where the action follows kUpdatePodScaleDown.
  const ClusterEvent both{"TargetPod", kUpdatePodScaleDown | kUpdatePodScaleUp, {}};
  CHECK_FALSE(matches({"TargetPod", kUpdatePodScaleDown, {}}, both));
  CHECK(matches({"TargetPod", kUpdatePodScaleDown | kUpdatePodToleration, {}}, both));

  const ClusterEvent policy{"Node", kUpdateNodePreemptionPolicy, {}};
  CHECK(policy.label() == "NodeUpdateNodePreemptionPolicy");
  CHECK(matches({"Node", kUpdate, {}}, policy));
  CHECK(matches({"Node", kAdd | kUpdateNodePreemptionPolicy, {}}, policy));
  CHECK_FALSE(matches({"Node", kUpdateNodeDeclaredFeature, {}}, policy));
  CHECK_FALSE(matches({"Node", kUpdateNodePreemptionPolicy, {}}, {"Node", kUpdate, {}}));
}

TEST_CASE("a plugin without registrations gets every resource that is watched by default") {
  const std::vector<ClusterEventWithHint> events = default_events({});
  REQUIRE(events.size() == 10);
  CHECK(events[0].event == ClusterEvent{"Pod", kAllActions, {}});
  CHECK(events[9].event.resource == "resource.k8s.io/DeviceClass");
  for (const ClusterEventWithHint& e : events) {
    CHECK(e.event.actions == kAllActions);
    CHECK(e.event.resource != "storage.k8s.io/VolumeAttachment");
    CHECK_FALSE(e.has_hint);
  }
  const auto groups = default_events(*FeatureGates::parse("GenericWorkload=true"));
  REQUIRE(groups.size() == 11);
  CHECK(groups[10].event == ClusterEvent{"scheduling.k8s.io/PodGroup", kAllActions, {}});
}

}  // namespace libsched::events_test
