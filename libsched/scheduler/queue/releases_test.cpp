// SchedulingQueue: where 1.37 differs from 1.36. Each test asks both.
#include <doctest/doctest.h>

#include "libsched/scheduler/queue/queue_trial_test.hpp"

namespace libsched::queue_releases_test {

using Names = std::vector<std::string>;
constexpr Release kReleases[] = {Release::k1_36, Release::k1_37};

std::shared_ptr<Names> closed_for(const std::string& name) {
  return std::make_shared<Names>(1, name);
}

std::string nominated(const QueueTrial& t) {
  std::string out;
  t.services->nominator().for_each_node(
      [&](const std::string& node, const std::vector<PodRef>& pods) {
        for (const PodRef& p : pods) out += node + ":" + std::string(p->meta.name) + " ";
      });
  return out;
}

TEST_CASE("the update of a pod is an event of a pod that waits, or of the pod itself") {
  for (const Release release : kReleases) {
    const bool newer = release == Release::k1_37;
    const std::string mine = newer ? "TargetPod" : "UnschedulablePod";
    QueueTrial t({rejector("Mine", {{mine, kUpdatePodLabel, {}}}),
                  rejector("Assigned", {{"AssignedPod", kUpdatePodLabel, {}}}),
                  rejector("All", {{"Pod", kUpdatePodLabel, {}}})},
                 "", {}, release);
    for (const char* name : {"Mine", "Assigned", "All"}) {
      const PodRef a = queue_pod("a");
      t.rejected(a, {name});
      t.update(a, queue_pod("a", 0, "uid: a, labels: {k: v}"));
      CHECK(t.show() == (Str(name) == "Assigned" ? "||| a" : "|a ||"));
      REQUIRE(t.queue->remove(*a).ok());
    }
    CHECK(t.incoming(QueuePart::kBackoff, mine + "UpdatePodLabel") == 2);
    CHECK(t.incoming(QueuePart::kActive, newer ? "UnscheduledPodAdd" : "UnschedulablePodAdd") == 3);
  }
}

TEST_CASE("the growth of a request is an event of its own in 1.37") {
  for (const Release release : kReleases) {
    const std::string mine = release == Release::k1_37 ? "TargetPod" : "UnschedulablePod";
    QueueTrial t({rejector("Any", {{"Pod", kUpdate, {}}}),
                  rejector("Grown", {{"Pod", kUpdatePodScaleUp, {}}})},
                 "", {}, release);
    const auto asks = [](const std::string& cpu) {
      return queue_pod("a", 0, "",
                       "containers: [{name: c, resources: {requests: {cpu: " + cpu + "}}}]");
    };
    t.rejected(asks("1"), {"Grown"});
    t.update(asks("1"), asks("2"));
    CHECK(t.show() == (release == Release::k1_37 ? "|a ||" : "||| a"));
    REQUIRE(t.queue->remove(*asks("1")).ok());
    t.rejected(asks("1"), {"Any"});
    t.update(asks("1"), asks("2"));
    CHECK(t.show() == "|a ||");
  }
}

TEST_CASE("a flush reaches a gated pod in 1.37, and counts as the begin of its stay") {
  for (const Release release : kReleases) {
    const bool newer = release == Release::k1_37;
    const auto closed = closed_for("g");
    QueueOptions options;
    options.max_in_unschedulable_ns = 5 * kSecondNs;
    QueueTrial t({gate("Gate", closed)}, "", options, release);
    t.add(queue_pod("g"));
    t.pass(6000);
    t.flush_unschedulable();
    CHECK(t.show() == "||| (g)");
    const QueuedPodInfo& g = *t.queue->unschedulable(true)[0];
    CHECK(g.was_flushed == !newer);  // the gate, which is asked again, takes the mark away
    CHECK(g.flushed_ns == (newer ? t.clock->now_ns() : kNoTime));
    closed->clear();
    t.pass(4000);
    t.flush_unschedulable();  // its stay began anew
    CHECK(t.show() == "||| (g)");
    t.pass(2000);
    t.flush_unschedulable();
    CHECK(t.show() == (newer ? "g |||" : "||| (g)"));
    if (!newer) continue;
    const QueuedPodRef popped = t.pop();
    CHECK(popped->was_flushed);
    t.fail(popped, {"Gate"});
    CHECK_FALSE(popped->was_flushed);
    CHECK(popped->flushed_ns == kNoTime);
  }
}

TEST_CASE("a pod that is gated while it backs off waits for its gate, too, in 1.37") {
  for (const Release release : kReleases) {
    const bool newer = release == Release::k1_37;
    const std::string mine = newer ? "TargetPod" : "UnschedulablePod";
    const auto closed = std::make_shared<Names>();
    QueueTrial t(
        {rejector("Labels", {{mine, kUpdatePodLabel, {}}}),
         rejector("Tolerations", {{mine, kUpdatePodToleration, {}}}), gate("Gate", closed)},
        kNoPop, {}, release);
    const PodRef a = queue_pod("a");
    t.rejected(a, {"Labels"}, {"Tolerations"});
    closed->push_back("a");
    // The labels send it into the backoff; the toleration would make it active at once.
    t.update(a, queue_pod("a", 0, "uid: a, labels: {k: v}", "tolerations: [{operator: Exists}]"));
    CHECK(t.show() == (newer ? "|a || (a)" : "|a ||"));
  }
}

TEST_CASE("an update with another uid is another pod in 1.37") {
  for (const Release release : kReleases) {
    const bool newer = release == Release::k1_37;
    QueueTrial t({rejector("F", {})}, "", {}, release);
    const PodRef before = queue_pod("a", 0, "uid: before"), after = queue_pod("a", 0, "uid: after");
    t.rejected(before, {"F"});
    t.update(before, after);
    CHECK(t.show() == (newer ? "a |||" : "||| a"));
    const QueuedPodInfo& a = newer ? *t.queue->active()[0] : *t.queue->unschedulable(false)[0];
    CHECK(a.pod->meta.uid == "after");
    CHECK(a.attempts == (newer ? 0 : 1));
  }
}

TEST_CASE("an event that concerns all plugins reaches a gated pod in 1.37") {
  for (const Release release : kReleases) {
    const auto closed = closed_for("g");
    QueueTrial t({gate("Gate", closed)}, "", {}, release);
    t.add(queue_pod("g"));
    closed->clear();
    t.move("Node", kAdd);
    CHECK(t.show() == "||| (g)");
    t.move("*", kAllActions);
    CHECK(t.show() == (release == Release::k1_37 ? "g |||" : "||| (g)"));
  }
}

TEST_CASE("a pod is nominated when it is added, or when it becomes active") {
  const std::string status = "nominatedNodeName: node";
  for (const Release release : kReleases) {
    const bool newer = release == Release::k1_37;
    const auto closed = closed_for("g");
    QueueTrial t({gate("Gate", closed, {{"Pod", kUpdatePodLabel, {}}})}, "", {}, release);
    t.add(queue_pod("g", 0, "", "", status));
    CHECK(nominated(t) == (newer ? "node:g " : ""));
    // An update that adds a pod counts as its addition.
    t.update(queue_pod("u"), queue_pod("u", 0, "", "", status));
    CHECK(nominated(t) == (newer ? "node:g node:u " : "node:u "));
    CHECK(t.incoming(QueuePart::kActive, "UnscheduledPodAdd") == (newer ? 1 : 0));
    CHECK(t.incoming(QueuePart::kActive, "UnschedulablePodUpdate") == (newer ? 0 : 1));
  }
}

TEST_CASE("a nomination that was cleared is not listed in 1.37") {
  for (const Release release : kReleases) {
    QueueTrial t({rejector("F", {})}, "", {}, release);
    t.add(queue_pod("a"));
    t.services->nominator().add(queue_pod("a"), Nomination{true, ""});
    CHECK(nominated(t) == (release == Release::k1_37 ? "" : ":a "));
  }
}

TEST_CASE("a pod that is deleted while it backs off counts for its plugins, or not") {
  for (const Release release : kReleases) {
    QueueTrial t({rejector("F", {{"Node", kAdd, {}}})}, "", {}, release);
    const PodRef a = queue_pod("a");
    t.rejected(a, {"F"});
    t.move("Node", kAdd);
    CHECK(t.show() == "|a ||");
    REQUIRE(t.queue->remove(*a).ok());
    CHECK(t.blamed("F") == (release == Release::k1_37 ? 0 : 1));
  }
}

}  // namespace libsched::queue_releases_test
