// EventMap: which plugins take part, added events, watches. The plugins are fakes.
#include "libsched/framework/event_map.hpp"

#include <doctest/doctest.h>

#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::event_map_test {

Fake wants(const std::string& name, std::vector<ClusterEventWithHint> events) {
  Fake f = filter_rejects(name, {}, {});
  f.events = [events = std::move(events)]() -> Result<std::vector<ClusterEventWithHint>> {
    return events;
  };
  return f;
}
Fake fails(const std::string& name) {
  Fake f = filter_rejects(name, {}, {});
  f.events = []() -> Result<std::vector<ClusterEventWithHint>> {
    return Error{Rc::kInvalid, "no events"};
  };
  return f;
}

std::string show(const EventMap& map) {
  std::string out;
  for (const EventRegistration& r : map.registrations)
    out += r.name + ":" + r.event.label() + (r.has_hint ? "#" + std::to_string(r.hint) : "") + " ";
  return out;
}

TEST_CASE(
    "registrations are by plugin; in 1.36 a node's addition implies the removal of its taints") {
  const std::vector<Fake> fakes = {
      wants("B", {{{"Pod", kDelete, {}}, false}, {{"Node", kAdd, {}}, true}}),
      wants("A", {{{"Node", kUpdateNodeTaint, {}}, true}, {{"Node", kAdd, {}}, true}}),
      wants("None", {})};
  const EventMap map = *event_map(*fake_framework(fakes, FeatureGates(Release::k1_36)));
  CHECK(show(map) ==
        "A:NodeUpdateNodeTaint#0 A:NodeAdd#1 B:PodDelete B:NodeAdd#1 "
        "B:NodeUpdateNodeTaint ");
  const std::map<std::string, ActionType> watched = map.watched();
  REQUIRE(watched.size() == 2);
  CHECK(watched.at("Node") == (kAdd | kUpdateNodeTaint));
  CHECK(watched.at("Pod") == kDelete);
}

TEST_CASE("in 1.37 a node's addition implies nothing") {
  const std::vector<Fake> fakes = {wants("A", {{{"Node", kAdd, {}}, true}})};
  CHECK(show(*event_map(*fake_framework(fakes, FeatureGates(Release::k1_36)))) ==
        "A:NodeAdd#0 A:NodeUpdateNodeTaint ");
  CHECK(show(*event_map(*fake_framework(fakes, FeatureGates(Release::k1_37)))) == "A:NodeAdd#0 ");
}

TEST_CASE("plugins without registrations get all events, if they can reject a pod") {
  Fake scores;
  scores.name = "Scores";
  scores.score = [](const Node&, int64_t*) { return Status(); };
  const std::vector<Fake> fakes = {filter_rejects("F", {}, {}), scores};
  const EventMap map = *event_map(*fake_framework(fakes));
  REQUIRE(map.registrations.size() == 10);
  for (const EventRegistration& r : map.registrations) {
    CHECK(r.name == "F");
    CHECK(r.event.actions == kAllActions);
    CHECK_FALSE(r.has_hint);
  }
}

TEST_CASE("errors of plugins that cannot name their events are joined") {
  const std::vector<Fake> fakes = {fails("A"), wants("B", {}), fails("C")};
  CHECK(event_map(*fake_framework(fakes)).error().message == "no events\nno events");
}

}  // namespace libsched::event_map_test
