// Conditions of PodGroups: what is patched, and what is not.
#include "libsched/scheduler/loop/group_condition.hpp"

#include <doctest/doctest.h>

#include "libsched/ingest/ingest.hpp"

namespace libsched::group_condition_test {

Ref<const PodGroup> group(const std::string& conditions) {
  Result<ObjectSet> set = parse_objects(
      "apiVersion: scheduling.k8s.io/v1alpha2\nkind: PodGroup\nmetadata: {name: g, namespace: d}\n"
      "spec: {schedulingPolicy: {basic: {}}}\nstatus: {conditions: [" +
          conditions + "]}",
      {});
  REQUIRE_MESSAGE(set.ok(), set.error().text());
  return Ref<const PodGroup>::share(static_cast<const PodGroup*>(set->stored[0].object.get()));
}

std::string patch(const std::string& conditions, const PodGroup::Condition& wanted) {
  const Ref<MemoryApi> api = make_ref<MemoryApi>();
  set_condition(*group(conditions), wanted, 946'684'799'999'999'999, *api);
  const auto requests = api->requests();
  if (requests.empty()) return "none";
  CHECK(requests.size() == 1);
  CHECK(requests[0].kind == StoredKind::kPodGroup);
  const auto& sent = static_cast<const PodGroup&>(*requests[0].object);
  CHECK(sent.find_condition(wanted.type)->message == wanted.message);
  return requests[0].object_patch;
}

TEST_CASE("a group's condition is patched with the others") {
  const std::string other =
      "{type: A, status: 'True', reason: r, message: '', lastTransitionTime: "
      "'2001-02-03T04:05:06Z'}";
  CHECK(patch(other, {"B", "False", "s", "a \"m\""}) ==
        R"({"status":{"conditions":[{"type":"A","status":"True","lastTransitionTime":)"
        R"("2001-02-03T04:05:06Z","reason":"r","message":""},{"type":"B","status":"False",)"
        R"("lastTransitionTime":"1999-12-31T23:59:59Z","reason":"s","message":"a \"m\""}]}})");
  // The time stays as long as the status does.
  CHECK(patch(other, {"A", "True", "r", "m"}) ==
        R"({"status":{"conditions":[{"type":"A","status":"True","lastTransitionTime":)"
        R"("2001-02-03T04:05:06Z","reason":"r","message":"m"}]}})");
}

TEST_CASE("the time of a condition is a date of the calendar") {
  const std::pair<int64_t, const char*> dates[] = {{0, "1970-01-01T00:00:00Z"},
                                                   {-1, "1969-12-31T23:59:59Z"},
                                                   {951'782'400, "2000-02-29T00:00:00Z"},
                                                   {1'709'251'199, "2024-02-29T23:59:59Z"},
                                                   {7'258'118'400, "2200-01-01T00:00:00Z"}};
  for (const auto& [seconds, text] : dates) {
    const Ref<MemoryApi> api = make_ref<MemoryApi>();
    set_condition(*group(""), {"A", "True", "r", ""}, seconds * 1'000'000'000, *api);
    CHECK(static_cast<const PodGroup&>(*api->requests()[0].object).conditions[0].last_transition ==
          text);
  }
}

TEST_CASE("a condition that the group has, and a step back, are not patched") {
  CHECK(patch("{type: A, status: 'True', reason: r, message: m}", {"A", "True", "r", "m"}) ==
        "none");
  CHECK(patch("{type: A, status: 'True', reason: r}", {"A", "False", "s", "m"}) == "none");
  CHECK(patch("{type: A, status: 'False', reason: r}", {"A", "True", "s", ""}) != "none");
}

}  // namespace libsched::group_condition_test
