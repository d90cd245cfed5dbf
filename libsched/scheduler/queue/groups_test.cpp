// The queue and pods of PodGroups: which pods are members, and how members and groups come back.
#include "libsched/scheduler/queue/queue_trial_test.hpp"

namespace libsched::groups_test {

PodRef member(const std::string& name) {
  return queue_pod(name, 0, "", "schedulingGroup: {podGroupName: g}");
}

TEST_CASE("pods that the queue knows are members of their groups, if groups are enabled") {
  for (const char* gates : {"GenericWorkload=true", ""}) {
    CAPTURE(gates);
    QueueTrial t({rejector("F", {})}, gates, {}, Release::k1_36);
    const auto known = [&] {
      return t.services->pod_groups().state(t.cluster->view(), "d", "g").all();
    };
    const size_t one = *gates != 0 ? 1 : 0;
    REQUIRE(t.queue->add(member("a")).ok());
    CHECK(known() == one);
    REQUIRE(t.queue->update(member("a"), member("a")).ok());
    CHECK(known() == one);
    REQUIRE(t.queue->update(member("b"), member("b")).ok());  // not known: as new
    CHECK(known() == 2 * one);
    REQUIRE(t.queue->pop().ok());
    CHECK(known() == 2 * one);
    for (const char* name : {"a", "b"}) REQUIRE(t.queue->remove(*member(name)).ok());
    CHECK(known() == 0);
  }
}

TEST_CASE("a rejected member of a group is retried by time alone") {
  QueueTrial t({rejector("F", {{"Node", kAdd, {}}})}, "GenericWorkload=true", {}, Release::k1_36);
  REQUIRE(t.queue->add(member("a")).ok());
  t.fail(t.pop(), {"F"});
  CHECK(t.queue->backoff_count() == 1);
  REQUIRE(t.queue->add(queue_pod("alone")).ok());
  t.fail(t.pop(), {"F"});
  CHECK(t.queue->backoff_count() == 1);
  CHECK(t.queue->unschedulable(false).size() == 1);
}

// The same where a group is one entity of the queue.
struct Entities : QueueTrial {
  explicit Entities(std::vector<Fake> given, const QueueOptions& options = {},
                    const std::string& more_gates = "")
      : QueueTrial(std::move(given), "GenericWorkload=true" + more_gates, options, Release::k1_37) {
  }

  void group(ActionType action, int priority = 0) {
    object(action, "PodGroup", "g", "priority: " + std::to_string(priority));
  }
  void object(ActionType action, const std::string& kind, const std::string& name,
              const std::string& spec) {
    const Result<ObjectSet> set = parse_objects(
        "apiVersion: scheduling.k8s.io/v1alpha3\nkind: " + kind + "\nmetadata: {name: " + name +
            ", namespace: d}\nspec: {schedulingPolicy: {basic: {}}, " + spec + "}",
        {});
    REQUIRE(set.ok());
    const auto& [stored, object] = set->stored.at(0);
    if (action == kDelete)
      REQUIRE(cluster->remove_object(stored, "d", name).ok());
    else
      REQUIRE(cluster->put_object(stored, object).ok());
    const Str resource = event_resource(stored);
    move(std::string(resource), action,
         {resource, action == kAdd ? ObjectRef() : object,
          action == kDelete ? ObjectRef() : object});
  }
  // "a b": the members of the group that is popped.
  std::string pop_group() {
    popped = pop();
    REQUIRE(popped);
    REQUIRE(popped->members);
    std::string out;
    for (const QueuedPodRef& m : *popped->members)
      out += (out.empty() ? "" : " ") + std::string(m->pod->meta.name);
    return out;
  }
  void end(const Status& status) {
    REQUIRE(queue->end_group(popped, status).ok());
    tick();
  }
  QueuedPodRef popped;
};

TEST_CASE(
    "the pods of a group wait for it, and are popped together before a pod of less priority") {
  Entities t({rejector("F", {})});
  t.add(member("a"));
  t.add(queue_pod("alone", 1));
  CHECK(t.show() == "alone |||");
  t.group(kAdd, 2);
  t.add(member("b"));
  CHECK(t.show() == "a b alone |||");
  CHECK(t.pop_group() == "a b");
  CHECK(t.flying() == "a b");
  CHECK(t.queue->scheduling_cycle() == 1);
  t.add(member("c"));  // for the next cycle
  CHECK(t.show() == "alone |||");
  for (const char* uid : {"a", "b"}) REQUIRE(t.queue->done(uid).ok());
  t.end({});
  CHECK(t.show() == "c alone |||");
  CHECK(t.pop_group() == "c");
  t.end({});
  CHECK(t.show() == "alone |||");
}

TEST_CASE("a group that failed backs off as a whole, the longer the more pods it has") {
  QueueOptions options;
  options.initial_backoff_ns = 5 * kSecondNs;
  options.max_backoff_ns = 4 * kSecondNs;
  Entities t({rejector("F", {{"Node", kAdd, {}}})}, options);
  t.group(kAdd);
  for (const char* name : {"a", "b", "c", "d"}) t.add(member(name));
  CHECK(t.pop_group() == "a b c d");
  for (const QueuedPodRef& m : *t.popped->members) t.fail(m, {"F"});
  CHECK(t.show() == "|||");
  t.end(Status(Code::kUnschedulable));
  CHECK(t.show() == "||a b c d |");  // 4 s times 2 is more than 5 s
  t.move("Node", kAdd);
  CHECK(t.show() == "||a b c d |");
  CHECK_FALSE(t.pop());
  t.pass(5000);
  t.flush_backoff();
  CHECK(t.show() == "||a b c d |");
  t.pass(1000);
  t.flush_backoff();
  CHECK(t.pop_group() == "a b c d");
  CHECK(t.popped->members->front()->attempts == 2);
  for (const QueuedPodRef& m : *t.popped->members) t.fail(m, {"F"});
  t.end({});  // others of the group have found nodes: no backoff
  CHECK(t.show() == "a b c d |||");
}

TEST_CASE("one gated pod holds its group back, until an event of its gate") {
  const auto names = std::make_shared<std::vector<std::string>>(std::vector<std::string>{"b"});
  Entities t({gate("G", names, {{"Node", kAdd, {}}}), rejector("F", {})});
  t.group(kAdd);
  t.add(member("a"));
  CHECK(t.show() == "a |||");
  t.add(member("b"));
  CHECK(t.show() == "||| a (b)");
  CHECK(t.queue->unschedulable_count(true) == 2);
  names->clear();
  t.move("Node", kUpdateNodeLabel);
  CHECK(t.show() == "||| a (b)");
  t.move("Node", kAdd);
  CHECK(t.show() == "a b |||");
}

TEST_CASE("pods and PodGroups that go leave their entity") {
  Entities t({rejector("F", {})});
  t.group(kAdd);
  for (const char* name : {"a", "b"}) t.add(member(name));
  REQUIRE(t.queue->remove(*member("a")).ok());
  CHECK(t.show() == "b |||");
  t.group(kDelete);
  CHECK(t.show() == "|||");
  CHECK_FALSE(t.pop());
  t.group(kAdd);
  CHECK(t.pop_group() == "b");
  t.fail(t.popped->members->front(), {});
  t.group(kDelete);  // during its cycle
  t.end(Status(Code::kUnschedulable));
  CHECK(t.show() == "|||");
  t.group(kAdd);
  CHECK(t.show() == "b |||");
  REQUIRE(t.queue->remove(*member("b")).ok());
  CHECK(t.show() == "|||");
}

TEST_CASE("a pod that fails during a group's cycle separates the pods that come back after it") {
  Entities t({rejector("F", {})});
  t.group(kAdd);
  for (const char* name : {"a", "b"}) t.add(member(name));
  t.add(queue_pod("alone", 1));
  const QueuedPodRef alone = t.pop();
  CHECK(t.pop_group() == "a b");
  t.fail(t.popped->members->at(0), {});
  t.fail(alone, {"F"});
  t.fail(t.popped->members->at(1), {});
  CHECK(t.show() == "b ||| alone");
  CHECK(t.queue->end_group(t.popped, Status(Code::kUnschedulable)).error().message ==
        "pod group d/g is already present in the active queue");
  t.group(kUpdate);
  CHECK(t.show() == "b ||| alone");  // as upstream: the other pod waits for the end of a cycle
  CHECK(t.pop_group() == "b");
  t.end({});
  CHECK(t.show() == "a ||| alone");
}

TEST_CASE(
    "a nominated pod that is pending beside its group's entity counts as one without a spec") {
  Entities t({rejector("F", {})});
  t.group(kAdd);
  for (const char* name : {"a", "b"}) t.add(member(name));
  t.add(queue_pod("alone", 1));
  const QueuedPodRef alone = t.pop();
  CHECK(t.pop_group() == "a b");
  t.fail(t.popped->members->at(0), {});
  t.services->nominator().add(member("a"), Nomination{true, "n"});
  const auto bare = [&] {
    const std::vector<PodRef>& on = t.services->nominator().on("n");
    REQUIRE(on.size() == 1);
    CHECK(on[0]->meta.name == "a");
    return on[0]->spec.scheduling_group.empty();
  };
  CHECK_FALSE(bare());
  t.fail(alone, {"F"});
  CHECK_FALSE(bare());
  t.fail(t.popped->members->at(1), {});
  CHECK(t.show() == "b ||| alone");
  CHECK(bare());
  CHECK(t.pop_group() == "b");
  CHECK_FALSE(bare());
  t.end({});
  CHECK(t.show() == "a ||| alone");
  CHECK_FALSE(bare());
}

TEST_CASE("an update reaches a member in its place, and activation takes the whole group") {
  const auto names = std::make_shared<std::vector<std::string>>(std::vector<std::string>{"b"});
  Entities t({gate("G", names), rejector("F", {})});
  t.group(kAdd);
  for (const char* name : {"a", "b"}) t.add(member(name));
  const PodRef changed =
      queue_pod("a", 0, "uid: a, labels: {x: z}", "schedulingGroup: {podGroupName: g}");
  t.update(member("a"), changed);
  CHECK(t.show() == "||| a (b)");
  names->clear();
  const PodRef pods[] = {changed, member("b")};
  REQUIRE(t.queue->activate(pods).ok());
  CHECK(t.show() == "a b |||");
  CHECK(t.pop_group() == "a b");
  CHECK(t.popped->members->front()->pod.get() == changed.get());
}

// A member of the group that its name begins with.
PodRef pod_of(const std::string& name) {
  return queue_pod(name, 0, "", "schedulingGroup: {podGroupName: " + name.substr(0, 1) + "}");
}

// Groups a and b below r, and c below s, which is below r.
struct Trees : Entities {
  explicit Trees(const QueueOptions& options = {})
      : Entities({rejector("F", {})}, options,
                 ",TopologyAwareWorkloadScheduling=true,CompositePodGroup=true") {}
  void composite(ActionType action, const std::string& name, const std::string& parent = "") {
    object(action, "CompositePodGroup", name,
           parent.empty() ? "priority: 5" : "parentCompositePodGroupName: " + parent);
  }
  void leaf(ActionType action, const std::string& name, const std::string& parent) {
    object(action, "PodGroup", name, "parentCompositePodGroupName: " + parent);
  }
  void grow() {
    composite(kAdd, "r");
    composite(kAdd, "s", "r");
    leaf(kAdd, "a", "r");
    leaf(kAdd, "b", "r");
    leaf(kAdd, "c", "s");
  }
  void add_all() {
    for (const char* name : {"c1", "b1", "a1", "a2"}) add(pod_of(name));
  }
};

TEST_CASE("the pods of a tree wait until no group above them is missing") {
  Trees t;
  t.add_all();
  t.add(queue_pod("alone", 1));
  CHECK(t.show() == "alone |||");
  t.leaf(kAdd, "c", "s");
  t.leaf(kAdd, "a", "r");
  t.composite(kAdd, "s", "r");
  CHECK(t.show() == "alone |||");
  CHECK(t.queue->groups()->waiting(true) == 4);
  t.composite(kAdd, "r");
  CHECK(t.show() == "a1 a2 c1 alone |||");  // the root's priority
  t.leaf(kAdd, "b", "r");
  CHECK(t.show() == "a1 a2 b1 c1 alone |||");
  CHECK(t.queue->groups()->waiting(true) == 0);
  CHECK(t.queue->active_count() == 5);
  CHECK(t.pop_group() == "a1 a2 b1 c1");
}

TEST_CASE("pods of all groups of a tree come back as one") {
  Trees t;
  t.grow();
  t.add_all();
  CHECK(t.pop_group() == "a1 a2 b1 c1");
  t.add(pod_of("b2"));  // for the next cycle
  CHECK(t.show() == "|||");
  CHECK(t.queue->groups()->waiting(false) == 1);
  t.fail(t.popped->members->at(0), {"F"});
  t.fail(t.popped->members->at(3), {"F"});
  t.end({});
  CHECK(t.show() == "a1 b2 c1 |||");
  CHECK(t.pop_group() == "a1 b2 c1");
  t.end({});
  CHECK(t.show() == "|||");
  CHECK(t.queue->groups()->waiting(false) == 0);
}

TEST_CASE("a PodGroup is another group than a CompositePodGroup of its name") {
  Trees t;
  t.grow();
  t.object(kAdd, "PodGroup", "r", "priority: 7");  // of no tree
  t.leaf(kAdd, "s", "s");                          // below the other group of its name
  for (const char* name : {"r1", "s1"}) t.add(pod_of(name));
  t.add_all();
  CHECK(t.show() == "r1 a1 a2 b1 c1 s1 |||");
  CHECK(t.pop_group() == "r1");
  t.add(pod_of("r2"));
  t.add(pod_of("b2"));
  CHECK(t.show() == "a1 a2 b1 b2 c1 s1 |||");
  t.end({});
  CHECK(t.show() == "r2 a1 a2 b1 b2 c1 s1 |||");
  t.object(kDelete, "PodGroup", "r", "priority: 7");
  CHECK(t.show() == "a1 a2 b1 b2 c1 s1 |||");
  CHECK(t.pop_group() == "a1 a2 b1 b2 c1 s1");
  t.fail(t.popped->members->at(5), {"F"});
  t.end({});
  CHECK(t.show() == "s1 |||");
  t.leaf(kDelete, "s", "s");
  CHECK(t.show() == "|||");
  CHECK(t.queue->groups()->waiting(true) == 2);  // r2 and s1
}

TEST_CASE("a group that goes takes the pods below it out of the tree") {
  Trees t;
  t.grow();
  t.add_all();
  t.composite(kDelete, "s", "r");
  CHECK(t.show() == "a1 a2 b1 |||");
  t.leaf(kDelete, "a", "r");
  CHECK(t.show() == "b1 |||");
  t.composite(kAdd, "s", "r");
  CHECK(t.show() == "b1 c1 |||");
  t.composite(kDelete, "r");
  CHECK(t.show() == "|||");
  CHECK(t.queue->groups()->waiting(true) == 4);
  t.composite(kAdd, "r");
  CHECK(t.show() == "b1 c1 |||");
  REQUIRE(t.queue->remove(*pod_of("b1")).ok());
  REQUIRE(t.queue->remove(*pod_of("c1")).ok());
  CHECK(t.show() == "|||");
  CHECK_FALSE(t.pop());
}

TEST_CASE("pods that wait for the end of a cycle wait for a group that goes meanwhile") {
  Trees t;
  t.grow();
  t.add_all();
  t.pop_group();
  for (const QueuedPodRef& m : *t.popped->members) t.fail(m, {"F"});
  CHECK(t.queue->groups()->waiting(false) == 4);
  t.composite(kDelete, "s", "r");
  CHECK(t.queue->groups()->waiting(true) == 1);
  t.end(Status(Code::kUnschedulable));
  CHECK(t.show() == "||a1 a2 b1 |");
}

TEST_CASE("a pod of a tree that is activated takes the whole tree along") {
  Trees t;
  t.grow();
  t.add_all();
  t.pop_group();
  for (const QueuedPodRef& m : *t.popped->members) t.fail(m, {"F"});
  t.end(Status(Code::kUnschedulable));
  CHECK(t.show() == "||a1 a2 b1 c1 |");
  const PodRef pods[] = {pod_of("c1"), pod_of("a1")};
  REQUIRE(t.queue->activate(pods).ok());
  CHECK(t.show() == "a1 a2 b1 c1 |||");
}

}  // namespace libsched::groups_test
