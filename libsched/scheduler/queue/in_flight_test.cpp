// InFlight: pods and events in one list, which shrinks as pods are done.
#include "libsched/scheduler/queue/in_flight.hpp"

#include <doctest/doctest.h>

#include "libsched/scheduler/queue/queue_trial_test.hpp"

namespace libsched::in_flight_test {

struct Flight {
  EventPlan x, y;
  InFlight list;
  void pod(const PodRef& p) {
    list.reserve(1);
    list.push(p);
  }
  void event(const EventPlan& e) {
    list.reserve(1);
    list.push(e, {"Node", {}, {}});
  }
  std::string show() const {
    std::string out;
    list.for_each([&](const InFlight::Entry& e) {
      out += e.pod ? std::string(e.pod->meta.name) : e.event == &x ? "X" : "Y";
    });
    return out;
  }
  std::string since(const PodRef& p) const {
    std::string out;
    const bool there = list.any_since(*p, [&](const InFlight::Entry& e) {
      out += e.event == &x ? "X" : "Y";
      return false;
    });
    return there ? out : "none";
  }
};

TEST_CASE("a pod sees the events since it was popped, and none after it is done") {
  Flight f;
  const PodRef a = queue_pod("a"), b = queue_pod("b");
  f.pod(a);
  f.event(f.x);
  f.pod(b);
  f.event(f.y);
  CHECK(f.show() == "aXbY");
  CHECK(f.since(a) == "XY");
  CHECK(f.since(b) == "Y");
  CHECK(f.list.pod_count() == 2);
  CHECK(f.list.event_count() == 2);
  f.list.done(*a);
  CHECK(f.show() == "bY");
  CHECK(f.since(a) == "none");
  f.list.done(*a);  // done already: no effect
  f.list.done(*b);
  CHECK(f.show().empty());
  CHECK(f.list.empty());
}

TEST_CASE("a pod in the middle takes no events with it") {
  Flight f;
  const PodRef a = queue_pod("a"), b = queue_pod("b");
  f.pod(a);
  f.event(f.x);
  f.pod(b);
  f.event(f.y);
  f.list.done(*b);
  CHECK(f.show() == "aXY");
}

TEST_CASE("pods are identified by uid, even with slashes, or by name without one") {
  Flight f;
  f.pod(queue_pod("a", 0, "uid: Pod/d/a"));
  f.pod(queue_pod("a", 0, "uid: other"));
  f.pod(queue_pod("b", 0, "labels: {}"));
  f.list.done("Pod/d/a");
  CHECK(f.list.pod_count() == 2);
  f.list.done("d/a");  // the other pod has a uid
  CHECK(f.list.pod_count() == 2);
  f.list.done("d/b");
  CHECK(f.list.pod_count() == 1);
  f.list.done("unknown");
  f.list.clear();
  CHECK(f.list.empty());
  CHECK(f.show().empty());
}

TEST_CASE("free entries are used again") {
  Flight f;
  for (int i = 0; i < 1000; ++i) {
    const PodRef p = queue_pod("p" + std::to_string(i % 7));
    f.pod(p);
    f.event(f.x);
    f.list.done(*p);
  }
  CHECK(f.show().empty());
  CHECK(f.list.event_count() == 0);
}

}  // namespace libsched::in_flight_test
