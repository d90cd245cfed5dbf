// SchedulingQueue: events that move pods, activation, and time.
#include <doctest/doctest.h>

#include "libsched/scheduler/queue/queue_trial_test.hpp"

namespace libsched::moves_test {

const ClusterEvent kNodeAdd{"Node", kAdd, {}};

TEST_CASE("an event that no plugin registered for has no effect") {
  QueueTrial t({rejector("F", {kNodeAdd})});
  t.add(queue_pod("a"));
  t.pop();
  t.move("Node", kDelete);
  CHECK(t.flying() == "a");
  CHECK(t.queue->move_request_cycle() == -1);
  t.move("Node", kAdd);  // no pod waits, but one in flight might come back
  CHECK(t.flying() == "a NodeAdd");
  CHECK(t.queue->move_request_cycle() == 1);
}

TEST_CASE("an event without pods in flight is not kept") {
  QueueTrial t({rejector("F", {kNodeAdd})});
  t.move("Node", kAdd);
  CHECK(t.flying().empty());
  CHECK(t.queue->move_request_cycle() == 0);
}

TEST_CASE("only the hints of a pod's rejectors run, and only for their registrations") {
  std::string asked;
  const auto hint = [&](const std::string& name, QueueingHint says) {
    return hinting(name, kNodeAdd, [&asked, name, says](const Pod& pod, const ObjectChange&) {
      asked += name + "(" + std::string(pod.meta.name) + ") ";
      return says;
    });
  };
  QueueTrial t({hint("Good", QueueingHint::kQueue), hint("Bad", QueueingHint::kQueueSkip)});
  t.rejected(queue_pod("a"), {"Good"});
  t.rejected(queue_pod("b"), {"Bad"});
  t.rejected(queue_pod("c"), {"Unknown"});
  t.move("Node", kAdd);
  CHECK(asked == "Good(a) Bad(b) ");
  CHECK(t.show() == "|a || b c");
}

TEST_CASE("an error of a hint counts as Queue") {
  QueueTrial t({hinting("F", kNodeAdd, [](const Pod&, const ObjectChange&) -> Result<QueueingHint> {
    return Error{Rc::kPlugin, "no idea"};
  })});
  t.rejected(queue_pod("a"), {"F"});
  t.move("Node", kAdd);
  CHECK(t.show() == "|a ||");
}

TEST_CASE("a pending plugin's Queue wins, and skips the backoff") {
  QueueTrial t({rejector("First", {kNodeAdd}), rejector("Last", {kNodeAdd})});
  t.rejected(queue_pod("a"), {"First"}, {"Last"});
  t.rejected(queue_pod("b"), {"Last"}, {"First"});
  t.rejected(queue_pod("c"), {"First", "Last"});
  t.move("Node", kAdd);
  CHECK(t.show() == "a b |c ||");
}

TEST_CASE("a wildcard event moves all pods, unless it concerns another pod only") {
  QueueTrial t({rejector("F", {})});
  const PodRef a = queue_pod("a");
  t.rejected(a, {"F"});
  t.rejected(queue_pod("b"), {"F"});
  t.move("*", kAllActions, {"Pod", {}, a});
  CHECK(t.show() == "|a || b");
  t.move("*", kAllActions, {"Node", {}, fake_node("node")});
  CHECK(t.show() == "|a || b");
  t.move("*", kAllActions);
  CHECK(t.show() == "|a b ||");
}

TEST_CASE("a check excludes pods") {
  QueueTrial t({rejector("F", {kNodeAdd})});
  t.rejected(queue_pod("high", 10), {"F"});
  t.rejected(queue_pod("low", 1), {"F"});
  t.move("Node", kAdd, {}, [](const Pod& pod) { return pod.priority() <= 5; });
  CHECK(t.show() == "|low || high");
}

TEST_CASE("a gated pod moves by an event of the plugin that gates it, not by one of another's") {
  const auto closed = std::make_shared<std::vector<std::string>>(1, "a");
  QueueTrial t({gate("Gate", closed, {{"Pod", kDelete, {}}}), rejector("F", {kNodeAdd})});
  t.add(queue_pod("a"));
  closed->clear();
  t.move("Node", kAdd);
  CHECK(t.show() == "||| (a)");
  t.move("AssignedPod", kDelete);
  CHECK(t.show() == "a |||");
  CHECK(t.incoming(QueuePart::kActive, "AssignedPodDelete") == 1);
}

TEST_CASE("a pod that stays gated is counted again, but keeps its time of entry") {
  const auto closed = std::make_shared<std::vector<std::string>>(1, "a");
  QueueTrial t({gate("Gate", closed, {kNodeAdd})});
  t.add(queue_pod("a"));
  t.move("Node", kAdd);
  CHECK(t.show() == "||| (a)");
  CHECK(t.incoming(QueuePart::kUnschedulable, "NodeAdd") == 1);
  CHECK(t.queue->unschedulable(true)[0]->timestamp_ns == kBegin);
}

TEST_CASE("generic updates reach only plugins that registered for all of them") {
  QueueTrial t({rejector("Label", {{"Pod", kUpdatePodLabel, {}}}),
                rejector("All", {{"Pod", kAllActions, {}}}),
                rejector("Deletes", {{"*", kDelete, {}}})});
  t.rejected(queue_pod("a"), {"Label"});
  t.rejected(queue_pod("b"), {"All"});
  t.rejected(queue_pod("c"), {"Deletes"});
  t.move("AssignedPod", kUpdate);
  CHECK(t.show() == "|b || a c");
  t.move("Foo", kDelete);
  CHECK(t.show() == "|b c || a");
}

TEST_CASE("a plugin that registers for new nodes is notified of removed taints, too, up to 1.36") {
  for (const Release release : {Release::k1_36, Release::k1_37}) {
    QueueTrial t(
        {hinting("F", kNodeAdd,
                 [](const Pod&, const ObjectChange&) { return QueueingHint::kQueueSkip; })},
        "", {}, release);
    t.rejected(queue_pod("a"), {"F"});
    t.move("Node", kAdd);
    CHECK(t.show() == "||| a");
    t.move("Node", kUpdateNodeTaint);
    CHECK(t.show() == (release == Release::k1_36 ? "|a ||" : "||| a"));
  }
}

TEST_CASE("a pod of an unknown profile has no gates, and any event is worth a retry") {
  QueueTrial t({rejector("F", {kNodeAdd})});
  const Result<PodRef> stray =
      parse_pod("metadata: {name: s, namespace: d, uid: s}\nspec: {schedulerName: other}", {});
  REQUIRE(stray.ok());
  t.rejected(*stray, {"G"});
  t.move("Node", kAdd);
  CHECK(t.show() == "|s ||");
}

TEST_CASE("an update of a node is an event for each changed property") {
  QueueTrial t({rejector("Taint", {{"Node", kUpdateNodeTaint, {}}}),
                rejector("Label", {{"Node", kUpdateNodeLabel, {}}})});
  t.add(queue_pod("p"));
  t.pop();
  t.rejected(queue_pod("a"), {"Taint"});
  t.rejected(queue_pod("b"), {"Label"});
  const auto node = [](const std::string& text) {
    Result<NodeRef> parsed = parse_node(text, {});
    REQUIRE(parsed.ok());
    return *parsed;
  };
  const NodeRef before = node("metadata: {name: node}\nspec: {unschedulable: true}");
  REQUIRE(t.queue->node_updated(before, before, {}).ok());
  CHECK(t.flying() == "p");
  REQUIRE(
      t.queue
          ->node_updated(before,
                         node("metadata: {name: node, labels: {a: b}}\nspec: {taints: [{key: t, "
                              "effect: NoSchedule}]}"),
                         {})
          .ok());
  CHECK(t.flying() == "p NodeUpdateNodeTaint NodeUpdateNodeLabel NodeUpdateNodeTaint");
  CHECK(t.show() == "|a b ||");
}

TEST_CASE("assigned pods move pods that spread or have affinity to them") {
  QueueTrial t({rejector("PodTopologySpread", {{"Pod", kAllActions, {}}}),
                rejector("F", {{"Pod", kAllActions, {}}})});
  const std::string affine =
      "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
      "[{topologyKey: z, labelSelector: {matchLabels: {app: web}}}]}}";
  t.rejected(queue_pod("spread"), {"PodTopologySpread"});
  t.rejected(queue_pod("affine", 0, "", affine), {"F"});
  t.rejected(queue_pod("plain"), {"F"});
  REQUIRE(t.queue->assigned_pod_added(queue_pod("x", 0, "uid: x, labels: {app: db}")).ok());
  CHECK(t.show() == "|spread || affine plain");
  const PodRef web = queue_pod("w", 0, "uid: w, labels: {app: web}", "nodeName: node");
  REQUIRE(t.queue->assigned_pod_added(web).ok());
  CHECK(t.show() == "|spread affine || plain");
  const auto sized = [](const std::string& cpu) {
    return queue_pod("w", 0, "uid: w",
                     "nodeName: node, containers: [{name: c, resources: {requests: "
                     "{cpu: '" +
                         cpu + "'}}}]");
  };
  REQUIRE(t.queue->assigned_pod_updated(sized("2"), sized("3")).ok());
  CHECK(t.show() == "|spread affine || plain");
  REQUIRE(t.queue->assigned_pod_updated(sized("2"), sized("1")).ok());  // frees room for any pod
  CHECK(t.show() == "|spread affine plain ||");
}

TEST_CASE("activated pods ignore their backoff; for pods in flight the event is kept") {
  QueueTrial t({rejector("F", {})});
  const PodRef a = queue_pod("a"), b = queue_pod("b"), c = queue_pod("c"), d = queue_pod("d");
  t.rejected(a, {"F"});
  t.rejected(b, {});
  t.add(c);
  const QueuedPodRef flying = t.pop();
  const PodRef pods[] = {a, b, c, d, a};
  REQUIRE(t.queue->activate(pods).ok());
  CHECK(t.show() == "a b |||");
  CHECK(t.flying() == "c ForceActivate");
  CHECK(t.queue->move_request_cycle() == 3);
  t.fail(flying, {"F"});
  CHECK(t.show() == "a b |c ||");
}

TEST_CASE("the event of an activation concerns its pod alone") {
  QueueTrial t({rejector("F", {})});
  const PodRef a = queue_pod("a");
  t.add(a);
  t.add(queue_pod("b"));
  const QueuedPodRef first = t.pop(), second = t.pop();
  REQUIRE(t.queue->activate({&a, 1}).ok());
  t.fail(second, {"F"});
  t.fail(first, {"F"});
  CHECK(t.show() == "|a || b");
}

TEST_CASE("without SchedulerPopFromBackoffQ gates are checked when pods leave the backoff") {
  const auto closed = std::make_shared<std::vector<std::string>>();
  QueueTrial t({gate("Gate", closed)}, kNoPop);
  const PodRef a = queue_pod("a"), b = queue_pod("b");
  t.rejected(a, {});
  t.rejected(b, {});
  *closed = {"a", "b"};
  REQUIRE(t.queue->activate({&a, 1}).ok());
  CHECK(t.show() == "||b | (a)");
  t.pass(3000);
  t.flush_backoff();
  CHECK(t.show() == "||| (a) (b)");
}

TEST_CASE("with SchedulerPopFromBackoffQ gates are checked before the backoff") {
  const auto closed = std::make_shared<std::vector<std::string>>();
  QueueTrial t({gate("Gate", closed)});
  t.rejected(queue_pod("a"), {});
  *closed = {"a"};
  t.pass(3000);
  t.flush_backoff();
  CHECK(t.show() == "a |||");
  CHECK(t.incoming(QueuePart::kActive, "BackoffComplete") == 1);
}

TEST_CASE("the flush takes the pods whose windows are over, from both heaps") {
  QueueTrial t({rejector("F", {kNodeAdd})});
  t.rejected(queue_pod("error"), {});
  t.rejected(queue_pod("a"), {"F"});
  t.pass(500);  // 1000.8: one second later is still in the next window
  t.rejected(queue_pod("b", 10), {"F"});
  t.move("Node", kAdd);
  CHECK(t.show() == "|b a |error |");  // one window: by priority
  t.pass(1000);
  t.flush_backoff();
  CHECK(t.show() == "|b a |error |");
  t.pass(300);
  t.flush_backoff();
  CHECK(t.show() == "b error a |||");
}

TEST_CASE("without SchedulerPopFromBackoffQ a pod is active after its exact expiration") {
  QueueTrial t({rejector("F", {kNodeAdd})}, kNoPop);
  const QueuedPodRef info = t.rejected(queue_pod("a"), {"F"});
  t.move("Node", kAdd);
  CHECK(info->backoff_expiration_ns == info->timestamp_ns + kSecondNs);
  t.clock->advance_to(info->backoff_expiration_ns);
  t.flush_backoff();
  CHECK(t.show() == "|a ||");
  t.clock->advance_to(info->backoff_expiration_ns + 1);
  t.flush_backoff();
  CHECK(t.show() == "a |||");
}

TEST_CASE("a pod whose backoff is over skips the backoff heaps") {
  QueueTrial t({rejector("F", {kNodeAdd})});
  t.rejected(queue_pod("a"), {"F"});
  t.pass(1500);
  t.move("Node", kAdd);  // 1001.8: its window is not over
  CHECK(t.show() == "|a ||");
  t.rejected(queue_pod("b"), {"F"});
  t.pass(2500);
  t.move("Node", kAdd);
  CHECK(t.show() == "b |a ||");
}

TEST_CASE("without a maximum there is no backoff") {
  QueueOptions options;
  options.max_backoff_ns = 0;
  QueueTrial t({rejector("F", {kNodeAdd})}, "", options);
  t.rejected(queue_pod("a"), {"F"});
  t.rejected(queue_pod("b"), {});
  t.move("Node", kAdd);
  CHECK(t.show() == "a b |||");
}

TEST_CASE("pods that wait too long are flushed and marked until they fail again") {
  const auto closed = std::make_shared<std::vector<std::string>>(1, "g");
  QueueOptions options;
  options.max_in_unschedulable_ns = 5 * kSecondNs;
  options.max_backoff_ns = 3600 * kSecondNs;
  options.initial_backoff_ns = 10 * kSecondNs;
  QueueTrial t({gate("Gate", closed), rejector("F", {})}, "", options);
  t.add(queue_pod("g"));
  const QueuedPodRef a = t.rejected(queue_pod("a"), {"F"});
  t.clock->advance_to(a->timestamp_ns + 5 * kSecondNs);
  t.flush_unschedulable();  // strictly longer
  CHECK(t.show() == "||| a (g)");
  t.tick();
  t.flush_unschedulable();
  CHECK(t.show() == "|a || (g)");  // it still backs off
  CHECK(a->was_flushed);
  CHECK_FALSE(t.queue->unschedulable(true)[0]->was_flushed);  // its gate is still closed
  CHECK(t.incoming(QueuePart::kBackoff, "UnschedulableTimeout") == 1);
  t.fail(t.pop(), {"F"});
  CHECK_FALSE(a->was_flushed);
}

TEST_CASE("a flush without pods is no event") {
  QueueTrial t({rejector("F", {})});
  t.rejected(queue_pod("a"), {"F"});
  t.flush_unschedulable();
  CHECK(t.queue->move_request_cycle() == -1);
}

TEST_CASE("the timers are due at full seconds and every 30 seconds from the start") {
  QueueTrial t({rejector("F", {kNodeAdd})});
  CHECK_FALSE(t.queue->next_due());
  REQUIRE(t.queue->run_due().ok());
  REQUIRE(t.queue->run().ok());
  CHECK(t.queue->run().error().rc == Rc::kState);
  CHECK(t.queue->next_due() == kBegin);
  REQUIRE(t.queue->run_due().ok());
  CHECK(t.queue->next_due() == 1001 * kSecondNs);
  t.rejected(queue_pod("a"), {"F"});
  t.move("Node", kAdd);
  int runs = 0;
  while (*t.queue->next_due() <= 1030 * kSecondNs + 300 * kMs) {
    t.clock->advance_to(*t.queue->next_due());
    REQUIRE(t.queue->run_due().ok());
    ++runs;
    CHECK(t.show() == (t.clock->now_ns() < 1002 * kSecondNs ? "|a ||" : "a |||"));
  }
  CHECK(runs == 31);
  t.clock->advance_to(1100 * kSecondNs + 1);  // missed ticks are dropped
  REQUIRE(t.queue->run_due().ok());
  CHECK(t.queue->next_due() == 1101 * kSecondNs);
}

TEST_CASE("flushes that find no pod can be skipped, and the timers keep their times") {
  QueueTrial waits({rejector("F", {kNodeAdd})}), skips({rejector("F", {kNodeAdd})});
  CHECK_FALSE(skips.queue->next_flush());
  for (QueueTrial* t : {&waits, &skips}) REQUIRE(t->queue->run().ok());
  CHECK_FALSE(skips.queue->next_flush());  // there is no pod
  const int64_t later = kBegin + 95 * kSecondNs + 1;
  while (*waits.queue->next_due() < later) {
    waits.clock->advance_to(*waits.queue->next_due());
    REQUIRE(waits.queue->run_due().ok());
  }
  for (QueueTrial* t : {&waits, &skips}) t->clock->advance_to(later);
  skips.queue->skip_flushes(later);
  CHECK(skips.queue->next_due() == waits.queue->next_due());
  for (QueueTrial* t : {&waits, &skips}) {
    t->rejected(queue_pod("a"), {"F"});
    CHECK(t->queue->next_flush() == kBegin + 120 * kSecondNs);
    t->move("Node", kAdd);
    CHECK(t->queue->next_flush() == t->queue->next_due());
  }
  CHECK(skips.queue->next_due() == waits.queue->next_due());
}

TEST_CASE("without SchedulerPopFromBackoffQ the first tick is one second after the start") {
  QueueTrial t({rejector("F", {})}, kNoPop);
  REQUIRE(t.queue->run().ok());
  REQUIRE(t.queue->run_due().ok());
  CHECK(t.queue->next_due() == kBegin + kSecondNs);
}

}  // namespace libsched::moves_test
