// What plugins say of themselves, and the place of what is wrong with it.
#include "net/src/remote/description.hpp"

#include <doctest/doctest.h>

namespace libsched::description_test {

using remote::description_of;
using remote::object_of;
using remote::Point;

TEST_CASE("a whole description") {
  const auto made = description_of(*object_of(
      R"({"protocol": 1, "points": ["preFilter", "addPod", "removePod", "queueingHint"], "reasons": ["a", "b"],
          "wants": ["node", "podKeys"], "state": true, "instanceName": "N", "more": 1,
          "events": [{"resource": "Node", "actions": ["Add", "UpdateNodeTaint"], "hint": true},
                     {"resource": "*", "actions": ["All"]}]})"));
  REQUIRE(made.ok());
  CHECK(made->has(Point::kAddPod));
  CHECK(!made->has(Point::kFilter));
  CHECK(made->reasons.size() == 2);
  CHECK(made->wants.node);
  CHECK(made->wants.of_pods());
  CHECK(!made->wants.pods);
  CHECK(made->state);
  CHECK(made->instance_name == "N");
  REQUIRE(made->events.size() == 2);
  CHECK(made->events[0].actions == 17);
  CHECK(made->events[0].hint);
  CHECK(made->events[1].actions == 8191);
  std::string names;
  remote::append_actions(&names, 17);
  CHECK(names == R"(["Add","UpdateNodeTaint"])");
}

TEST_CASE("mistakes have a place") {
  struct Case {
    const char* text;
    const char* path;
  };
  for (
      const Case& c : {
          Case{R"({})", "protocol"},
          Case{R"({"protocol": "1"})", "protocol"},
          Case{R"({"protocol": 2})", "protocol"},
          Case{R"({"protocol": 1, "points": 1})", "points"},
          Case{R"({"protocol": 1, "points": ["filter", "filtre"]})", "points[1]"},
          Case{R"({"protocol": 1, "points": ["preFilter", "addPod"]})", "points"},
          Case{R"({"protocol": 1, "points": ["addPod", "removePod"]})", "points"},
          Case{R"({"protocol": 1, "points": ["normalizeScore"]})", "points"},
          Case{R"({"protocol": 1, "wants": ["nodes"]})", "wants[0]"},
          Case{R"({"protocol": 1, "reasons": ["a", 1]})", "reasons[1]"},
          Case{R"({"protocol": 1, "state": 1})", "state"},
          Case{R"({"protocol": 1, "instanceName": 1})", "instanceName"},
          Case{R"({"protocol": 1, "events": {}})", "events"},
          Case{R"({"protocol": 1, "events": [{}]})", "events[0].resource"},
          Case{R"({"protocol": 1, "events": [{"resource": "Pod", "actions": []}]})",
               "events[0].actions"},
          Case{R"({"protocol": 1, "events": [{"resource": "Pod", "actions": ["Go"]}]})",
               "events[0].actions"},
          Case{
              R"({"protocol": 1, "events": [{"resource": "Pod", "actions": ["Add"], "hint": true}]})",
              "events[0].hint"},
      }) {
    CAPTURE(c.text);
    const auto made = description_of(*object_of(c.text));
    REQUIRE(!made.ok());
    CHECK(made.error().path == c.path);
  }
}

TEST_CASE("a plugin may refuse its arguments") {
  const auto made = description_of(*object_of(R"({"code": "Error", "reasons": ["no", "never"]})"));
  REQUIRE(!made.ok());
  CHECK(made.error().rc == Rc::kPlugin);
  CHECK(made.error().message == "no, never");
}

}  // namespace libsched::description_test
