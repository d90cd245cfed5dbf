// The queue of 1.36 and pods of PodGroups: which pods are members, and how members come back.
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

}  // namespace libsched::groups_test
