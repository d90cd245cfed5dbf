// SchedulingQueue: pods are added, changed, deleted, popped and returned.
#include "libsched/scheduler/queue/queue.hpp"

#include <doctest/doctest.h>

#include "libsched/scheduler/queue/queue_trial_test.hpp"

namespace libsched::queue_test {

const Fake kPlain = rejector("F", {{"Node", kAdd, {}}});

TEST_CASE("pods are popped by QueueSort, and counted") {
  QueueTrial t({kPlain});
  t.add(queue_pod("low"));
  t.add(queue_pod("high", 10));
  t.add(queue_pod("low2"));
  CHECK(t.show() == "high low low2 |||");
  CHECK(t.incoming(QueuePart::kActive, "UnscheduledPodAdd") == 3);
  const QueuedPodRef high = t.pop();
  CHECK(high->pod->meta.name == "high");
  CHECK(high->attempts == 1);
  CHECK(high->initial_attempt_ns == kBegin + 1000);
  CHECK(high->timestamp_ns == kBegin + 1000);
  CHECK(t.queue->scheduling_cycle() == 1);
  CHECK(t.flying() == "high");
  t.pop();
  t.pop();
  CHECK_FALSE(t.pop());
}

TEST_CASE("an added pod replaces a pod of its name in the active queue, in its place") {
  QueueTrial t({kPlain});
  t.add(queue_pod("a", 0, "uid: old"));
  t.add(queue_pod("b", 1));
  t.add(queue_pod("a", 5, "uid: new"));
  CHECK(t.show() == "a b |||");
  CHECK(t.pop()->pod->meta.uid == "new");
  t.pop();
  CHECK_FALSE(t.pop());
}

TEST_CASE("an added pod replaces a pod of its name that waits or backs off") {
  QueueTrial t({kPlain});
  t.rejected(queue_pod("a"), {"F"});
  t.rejected(queue_pod("b"), {});
  CHECK(t.show() == "||b | a");
  t.add(queue_pod("a", 0, "uid: new"));
  t.add(queue_pod("b", 0, "uid: new"));
  CHECK(t.show() == "a b |||");
  CHECK(t.pop()->attempts == 1);
}

TEST_CASE("a gated pod waits, and a pod of its name in a heap stays") {
  const auto closed = std::make_shared<std::vector<std::string>>(1, "a");
  QueueTrial t({gate("Gate", closed)});
  t.add(queue_pod("a"));
  CHECK(t.show() == "||| (a)");
  CHECK(t.queue->unschedulable_pods().gated() == 1);
  CHECK(t.incoming(QueuePart::kUnschedulable, "UnscheduledPodAdd") == 1);
  CHECK(t.blamed("Gate") == 1);
  t.add(queue_pod("a", 0, "uid: new"));  // again: replaces it, and is not counted
  CHECK(t.show() == "||| (a)");
  CHECK(t.queue->unschedulable(true)[0]->pod->meta.uid == "new");
  CHECK(t.incoming(QueuePart::kUnschedulable, "UnscheduledPodAdd") == 1);
  CHECK(t.queue->unschedulable(true)[0]->initial_attempt_ns == kNoTime);

  closed->clear();
  t.add(queue_pod("a"));
  *closed = {"a"};
  t.add(queue_pod("a", 0, "uid: newer"));
  CHECK(t.show() == "a |||");
  CHECK(t.queue->active()[0]->pod->meta.uid == "a");
}

TEST_CASE("the plugin that gated a pod is tried first, and stays among its rejectors") {
  const auto one = std::make_shared<std::vector<std::string>>(1, "a");
  const auto two = std::make_shared<std::vector<std::string>>();
  QueueTrial t(
      {gate("One", one, {{"*", kAllActions, {}}}), gate("Two", two, {{"*", kAllActions, {}}})});
  const PodRef a = queue_pod("a");
  t.add(a);
  QueuedPodInfo* const info = t.queue->unschedulable(true)[0];
  CHECK(t.queue->plugins().name(info->gating) == "One");
  one->clear();
  *two = {"a"};
  REQUIRE(t.queue->activate({&a, 1}).ok());
  CHECK(t.queue->plugins().name(info->gating) == "Two");
  *one = {"a"};  // One would come first
  REQUIRE(t.queue->activate({&a, 1}).ok());
  CHECK(t.queue->plugins().name(info->gating) == "Two");
  one->clear();
  two->clear();
  REQUIRE(t.queue->activate({&a, 1}).ok());
  CHECK(t.show() == "a |||");
  CHECK_FALSE(info->gated());
  CHECK(t.rejectors(*info) == "One Two");
}

TEST_CASE("an Error of PreEnqueue gates, too") {
  Fake broken = rejector("Broken", {});
  broken.pre_enqueue = [](const Pod&) { return Status(Code::kError, "broken"); };
  QueueTrial t({broken});
  t.add(queue_pod("a"));
  CHECK(t.show() == "||| (a)");
}

TEST_CASE("an update in the active queue sorts again and runs no PreEnqueue") {
  const auto closed = std::make_shared<std::vector<std::string>>();
  QueueTrial t({gate("Gate", closed)});
  const PodRef a = queue_pod("a"), b = queue_pod("b", 1);
  t.add(a);
  t.add(b);
  *closed = {"a", "b"};
  const PodRef urgent = queue_pod("a", 9);
  t.update(a, urgent);
  CHECK(t.show() == "a b |||");
  CHECK(t.pop()->pod == urgent);
}

TEST_CASE("an update of a pod that backs off keeps its expiration") {
  QueueTrial t({kPlain});
  const PodRef a = queue_pod("a");
  const QueuedPodRef info = t.rejected(a, {});
  const int64_t expiration = info->backoff_expiration_ns;
  CHECK(expiration == 1001 * kSecondNs);
  t.pass(400);
  const PodRef changed = queue_pod("a", 3, "uid: a, labels: {x: z}");
  t.update(a, changed);
  CHECK(t.show() == "||a |");
  CHECK(info->pod == changed);
  CHECK(info->backoff_expiration_ns == expiration);
}

TEST_CASE("an update of a pod in flight is kept as events until it comes back") {
  int asked = 0;
  const Fake hinted =
      hinting("F", {"Pod", kUpdatePodLabel, {}}, [&](const Pod&, const ObjectChange& change) {
        ++asked;
        CHECK(change.before);
        CHECK(change.after);
        return QueueingHint::kQueue;
      });
  QueueTrial t({hinted});
  const PodRef a = queue_pod("a");
  t.add(a);
  const QueuedPodRef popped = t.pop();
  const PodRef changed = queue_pod("a", 0, "uid: a, labels: {x: z}", "tolerations: [{key: k}]");
  t.update(a, changed);
  CHECK(t.flying() == "a TargetPodUpdatePodLabel TargetPodUpdatePodToleration");
  CHECK(popped->pod == a);
  CHECK(asked == 0);
  const Str names[] = {"F"};
  REQUIRE(t.queue->add_unschedulable(*popped, changed, {names, {}}).ok());
  CHECK(asked == 1);
  CHECK(t.show() == "|a ||");
  CHECK(t.flying().empty());
}

TEST_CASE("an update of a waiting pod is an event for its rejectors") {
  const Fake labels = rejector("Labels", {{"Pod", kUpdatePodLabel, {}}});
  QueueTrial t({labels, rejector("Any", {{"Pod", kUpdate, {}}})});
  const PodRef a = queue_pod("a"), b = queue_pod("b");
  t.rejected(a, {"Labels"});
  t.rejected(b, {"Any"});
  t.update(a, queue_pod("a", 5));  // a generic update: only for plugins that registered for all
  t.update(b, queue_pod("b", 5));
  CHECK(t.show() == "|b || a");
  CHECK(t.queue->unschedulable(false)[0]->pod->priority() == 5);
  t.pass(5000);
  t.update(a, queue_pod("a", 0, "uid: a, labels: {x: z}"));
  CHECK(t.show() == "a |b ||");
}

TEST_CASE(
    "without SchedulerPopFromBackoffQ an update goes on after the backoff, and may leave the "
    "pod in two places") {
  QueueTrial t({rejector("Labels", {{"Pod", kUpdatePodLabel, {}}})}, kNoPop);
  const PodRef a = queue_pod("a");
  t.rejected(a, {"Labels"});
  t.update(a, queue_pod("a", 0, "uid: a, labels: {x: z}", "tolerations: [{key: k}]"));
  CHECK(t.show() == "|a || a");
  REQUIRE(t.queue->remove(*a).ok());  // from the heap only
  CHECK(t.show() == "||| a");
  REQUIRE(t.queue->remove(*a).ok());
  CHECK(t.show() == "|||");
}

TEST_CASE("an update of an unknown pod adds it") {
  QueueTrial t({kPlain});
  t.update(queue_pod("a"), queue_pod("a", 1));
  CHECK(t.show() == "a |||");
  CHECK(t.incoming(QueuePart::kActive, "UnscheduledPodAdd") == 1);
}

TEST_CASE("an update does not change a pod's name") {
  QueueTrial t({kPlain});
  CHECK(t.queue->update(queue_pod("a"), queue_pod("b")).error().rc == Rc::kMisuse);
  CHECK(t.show() == "|||");
}

TEST_CASE("a deleted pod leaves the queue, but stays in flight, and its nomination is removed") {
  QueueTrial t({kPlain});
  const PodRef a = queue_pod("a", 0, "", "", "nominatedNodeName: node"), b = queue_pod("b");
  t.add(a);
  CHECK(t.services->nominator().on("node").size() == 1);
  REQUIRE(t.queue->remove(*a).ok());
  CHECK(t.services->nominator().on("node").empty());
  CHECK(t.show() == "|||");
  t.add(b);
  t.pop();
  REQUIRE(t.queue->remove(*b).ok());
  CHECK(t.flying() == "b");
  t.move("Node", kAdd);
  CHECK(t.flying() == "b NodeAdd");
  REQUIRE(t.queue->done("b").ok());
  CHECK(t.flying().empty());
}

TEST_CASE("a waiting pod that is deleted is no longer counted as unschedulable") {
  QueueTrial t({kPlain});
  const PodRef a = queue_pod("a");
  t.rejected(a, {"F"});
  CHECK(t.blamed("F") == 1);
  REQUIRE(t.queue->remove(*a).ok());
  CHECK(t.blamed("F") == 0);
}

TEST_CASE("only an entry by add, or up to 1.36 a generic update, nominates by status") {
  for (const Release release : {Release::k1_36, Release::k1_37}) {
    QueueTrial t({rejector("F", {{"*", kAllActions, {}}})}, "", {}, release);
    const PodRef a = queue_pod("a");
    const QueuedPodRef info = t.rejected(a, {"F"});
    t.services->nominator().add(a, Nomination{true, "m"});
    t.pass(5000);
    t.update(a, queue_pod("a", 0, "uid: a, labels: {x: z}"));
    CHECK(t.show() == "a |||");
    CHECK(t.services->nominator().node_of(*a) == "m");  // kept: neither document has one
    QueuedPodRef popped = t.pop();
    t.fail(popped, {"F"});
    t.pass(5000);
    t.update(popped->pod, queue_pod("a", 7, "uid: a, labels: {x: z}"));
    CHECK(t.show() == "a |||");
    CHECK(t.services->nominator().node_of(*a) == (release == Release::k1_36 ? "" : "m"));
  }
}

TEST_CASE("with an idle scheduler rejected pods do not wait for their backoff, failed ones do") {
  QueueTrial t({kPlain});
  t.rejected(queue_pod("error"), {});
  const QueuedPodRef info = t.rejected(queue_pod("rejected"), {"F"});
  t.move("Node", kAdd);
  CHECK(t.show() == "|rejected |error |");
  CHECK(t.pop() == info);
  CHECK(t.incoming(QueuePart::kActive, "PopFromBackoffQ") == 1);
  CHECK_FALSE(t.pop());
}

TEST_CASE("without SchedulerPopFromBackoffQ the backoff is never popped from") {
  QueueTrial t({kPlain}, kNoPop);
  t.rejected(queue_pod("a"), {"F"});
  t.move("Node", kAdd);
  CHECK(t.show() == "|a ||");
  CHECK_FALSE(t.pop());
}

TEST_CASE("a popped pod keeps its rejectors, but is no longer counted as unschedulable") {
  QueueTrial t({kPlain});
  const QueuedPodRef info = t.rejected(queue_pod("a"), {"F"});
  t.move("Node", kAdd);
  CHECK(t.blamed("F") == 1);
  t.pop();
  CHECK(t.rejectors(*info) == "F");
  CHECK(info->backoff_expiration_ns == 1001 * kSecondNs);
  CHECK(info->attempts == 2);
  CHECK(t.blamed("F") == 0);
}

TEST_CASE("a pod that is already in flight is dropped, and the next one is popped") {
  QueueTrial t({kPlain});
  t.add(queue_pod("a"));
  t.pop();
  t.add(queue_pod("a", 5));
  t.add(queue_pod("b"));
  CHECK(t.pop()->pod->meta.name == "b");
  CHECK(t.queue->scheduling_cycle() == 2);
  CHECK(t.flying() == "a b");
  CHECK(t.show() == "|||");
}

TEST_CASE("a specific pod is popped from any part, but not past a gate") {
  const auto closed = std::make_shared<std::vector<std::string>>(1, "g");
  QueueTrial t({gate("Gate", closed), kPlain});
  const PodRef g = queue_pod("g"), a = queue_pod("a"), b = queue_pod("b"), c = queue_pod("c");
  t.add(g);
  t.rejected(a, {"F"});
  t.rejected(b, {});
  t.add(c);
  const auto specific = [&](const PodRef& pod) {
    const Result<QueuedPodRef> out = t.queue->pop_specific(*pod);
    REQUIRE(out.ok());
    return *out ? std::string((*out)->pod->meta.name) : "none";
  };
  CHECK(specific(g) == "none");
  CHECK(specific(a) == "a");
  CHECK(specific(b) == "b");
  CHECK(specific(c) == "c");
  CHECK(specific(c) == "none");
  CHECK(t.incoming(QueuePart::kActive, "ForceActivate") == 2);
  CHECK(t.flying() == "a b c");
  CHECK(t.show() == "||| (g)");
}

TEST_CASE("a pod that returns while a pod of its name is in the queue is an error, and done") {
  const auto closed = std::make_shared<std::vector<std::string>>();
  QueueTrial t({gate("Gate", closed), kPlain});
  const PodRef a = queue_pod("a");
  const auto error = [&](const QueuedPodRef& back) {
    const Result<void> done = t.queue->add_unschedulable(*back, back->pod, {});
    REQUIRE_FALSE(done.ok());
    CHECK(done.error().rc == Rc::kExists);
    CHECK(t.flying().empty());
    return done.error().message;
  };
  t.add(a);
  QueuedPodRef flying = t.pop();
  t.add(queue_pod("a", 0, "uid: b"));
  CHECK(error(flying) == "Pod d/a is already present in the active queue");
  t.fail(t.pop(), {});
  CHECK(error(flying) == "Pod d/a is already present in the backoff queue");
  *closed = {"a"};
  REQUIRE(t.queue->remove(*a).ok());
  t.add(a);
  CHECK(error(flying) == "Pod d/a is already present in unschedulable queue");
  CHECK(flying->consecutive_errors_count == 0);
}

TEST_CASE("a pod of another queue, or of another name, is refused") {
  QueueTrial t({kPlain}), other({kPlain});
  other.add(queue_pod("a"));
  const QueuedPodRef foreign = other.pop();
  CHECK(t.queue->add_unschedulable(*foreign, foreign->pod, {}).error().rc == Rc::kMisuse);
  t.add(queue_pod("b"));
  const QueuedPodRef mine = t.pop();
  CHECK(t.queue->add_unschedulable(*mine, queue_pod("c"), {}).error().rc == Rc::kMisuse);
  CHECK(t.flying() == "b");
}

TEST_CASE("rejections and errors are counted separately, and select the heap") {
  QueueTrial t({rejector("F", {{"*", kAllActions, {}}})});
  const PodRef a = queue_pod("a");
  const QueuedPodRef info = t.rejected(a, {"F"});
  CHECK(info->unschedulable_count == 1);
  CHECK(info->consecutive_errors_count == 0);
  CHECK(info->backoff_expiration_ns == kNoTime);
  CHECK(t.blamed("F") == 1);
  const auto again = [&](std::vector<Str> names) {
    REQUIRE(t.queue->activate({&a, 1}).ok());
    t.fail(t.pop(), std::move(names));
  };
  again({"F"});
  CHECK(info->unschedulable_count == 2);
  again({});
  CHECK(info->unschedulable_count == 2);
  CHECK(info->consecutive_errors_count == 1);
  CHECK(t.show() == "||a |");
  CHECK(info->backoff_expiration_ns == 1001 * kSecondNs);  // as the first failure
  again({});
  CHECK(info->backoff_expiration_ns == 1002 * kSecondNs);
  again({"F"});
  CHECK(info->consecutive_errors_count == 0);
  t.move("Node", kAdd);
  CHECK(t.show() == "|a ||");
  CHECK(info->backoff_expiration_ns == 1004 * kSecondNs);  // as the third
  CHECK(info->timestamp_ns == t.clock->now_ns() - 2000);
}

TEST_CASE("a pod that returns considers the events since it was popped") {
  const Fake pending =
      hinting("Pending", {"Node", kDelete, {}},
              [](const Pod&, const ObjectChange&) { return QueueingHint::kQueue; });
  QueueTrial t({kPlain, pending, rejector("Other", {{"Pod", kAdd, {}}})});
  t.move("Node", kAdd);  // before
  for (const char* name : {"a", "b", "c", "d"}) t.add(queue_pod(name));
  const QueuedPodRef a = t.pop(), b = t.pop(), c = t.pop(), d = t.pop();
  t.move("Node", kAdd);
  t.move("Node", kDelete);
  t.fail(a, {"F"});
  t.fail(b, {"Other"});
  t.fail(c, {"F"}, {"Pending"});  // immediately
  t.fail(d, {}, {"Pending"});
  CHECK(t.show() == "c d |a || b");
}

TEST_CASE("a pod that is not in flight returns after its backoff") {
  QueueTrial t({kPlain});
  t.add(queue_pod("a"));
  const QueuedPodRef a = t.pop();
  REQUIRE(t.queue->done("a").ok());
  t.fail(a, {"F"});
  CHECK(t.show() == "|a ||");
}

TEST_CASE("a pod that is gated on its way into the backoff waits, and changes its heap later") {
  const auto closed = std::make_shared<std::vector<std::string>>(1, "b");
  QueueTrial t({gate("Gate", closed, {{"*", kAllActions, {}}})});
  const PodRef b = queue_pod("b");
  closed->clear();
  t.add(b);
  const QueuedPodRef info = t.pop();
  *closed = {"b"};
  t.fail(info, {});
  CHECK(t.show() == "||| (b)");
  CHECK(t.rejectors(*info) == "Gate");
  CHECK(info->consecutive_errors_count == 1);
  closed->clear();
  t.move("Node", kAdd);
  CHECK(t.show() == "|b ||");  // no longer an error
}

TEST_CASE("a closed queue forgets pods in flight and still returns its pods") {
  QueueTrial t({kPlain});
  t.add(queue_pod("a"));
  t.add(queue_pod("b"));
  t.pop();
  REQUIRE(t.queue->run().ok());
  REQUIRE(t.queue->close().ok());
  CHECK(t.queue->closed());
  CHECK(t.flying().empty());
  CHECK_FALSE(t.queue->next_due());
  CHECK(t.pop()->pod->meta.name == "b");
  CHECK_FALSE(t.pop());
  CHECK(t.queue->close().error().rc == Rc::kState);
  CHECK(t.queue->run().error().rc == Rc::kState);
}

TEST_CASE("plugins may read the queue that calls them, but change neither it nor the cluster") {
  QueueTrial* trial = nullptr;
  int asked = 0;
  const auto refused = [&] {
    ++asked;
    const PodRef other = queue_pod("other");
    CHECK(trial->queue->add(other).error().rc == Rc::kMisuse);
    CHECK(trial->queue->pop().error().rc == Rc::kMisuse);
    CHECK(trial->queue->done("x").error().rc == Rc::kMisuse);
    CHECK(trial->queue->close().error().rc == Rc::kMisuse);
    const Node* const nodes[] = {fake_node("node").release()};
    CHECK(trial->cluster->add_nodes(nodes, 1).error().rc == Rc::kMisuse);
    nodes[0]->unref();
    CHECK(trial->show().size() >= 3);
    CHECK(trial->queue->add(other).error().rc == Rc::kMisuse);  // still, after a look
  };
  Fake nosy = hinting("Nosy", {"Node", kAdd, {}}, [&](const Pod&, const ObjectChange&) {
    refused();
    return QueueingHint::kQueue;
  });
  nosy.pre_enqueue = [&](const Pod&) {
    refused();
    return Status();
  };
  QueueTrial t({nosy});
  trial = &t;
  t.rejected(queue_pod("a"), {"Nosy"});
  t.move("Node", kAdd);
  CHECK(asked == 3);
  CHECK(t.show() == "|a ||");
}

TEST_CASE("a queue needs one cluster, one order and one set of services") {
  QueueTrial t({kPlain}), other({kPlain});
  Evaluator* const two[] = {t.evaluator.get(), other.evaluator.get()};
  CHECK(SchedulingQueue::create(two, {}).error().rc == Rc::kMisuse);
  Evaluator* const one[] = {t.evaluator.get()};
  QueueOptions negative;
  negative.max_backoff_ns = -1;
  CHECK(SchedulingQueue::create(one, negative).error().rc == Rc::kInvalid);
  CHECK(SchedulingQueue::create({}, {}).error().rc == Rc::kMisuse);
}

TEST_CASE("too many names of plugins are an error without effect") {
  QueueTrial t({kPlain});
  t.add(queue_pod("a"));
  const QueuedPodRef a = t.pop();
  std::vector<std::string> names;
  for (int i = 0; i < 200; ++i) names.push_back("P" + std::to_string(i));
  const std::vector<Str> many(names.begin(), names.end());
  const Result<void> done = t.queue->add_unschedulable(*a, a->pod, {many, {}});
  CHECK(done.error().rc == Rc::kLimit);
  CHECK(t.flying() == "a");
  CHECK(t.show() == "|||");
}

}  // namespace libsched::queue_test
