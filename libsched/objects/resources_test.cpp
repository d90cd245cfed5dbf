// Resource names and the conversion of lists.
#include "libsched/objects/resources.hpp"

#include <doctest/doctest.h>

#include <string>

namespace libsched::resources_test {

TEST_CASE("which names are extended and which are scalars") {
  struct Case {
    std::string name;
    bool extended, scalar;
  };
  const Case cases[] = {
      {"cpu", false, false},
      {"foo", false, false},
      {"", false, false},
      {"example.com/gpu", true, true},
      {"example.com/", false, false},
      {"example.com/a/b", false, false},
      {"Example.com/a", false, false},
      {"/a", false, false},
      {"requests.example.com/a", false, false},
      {"kubernetes.io/x", false, true},
      {"not.kubernetes.io/x", false, true},
      {"my-kubernetes.io/x y", false, true},
      {"hugepages-2Mi", false, true},
      {"hugepages-", false, true},
      {"attachable-volumes-aws-ebs", false, true},
      {std::string(244, 'a') + "/b", true, true},  // "requests." makes it 253
      {std::string(245, 'a') + "/b", false, false},
      {"a.b/" + std::string(63, 'n'), true, true},
      {"a.b/" + std::string(64, 'n'), false, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(is_extended_resource_name(c.name) == c.extended);
    CHECK(is_scalar_resource_name(c.name) == c.scalar);
  }
}

TEST_CASE("to_resources rounds up, in milli for cpu, and drops unknown names") {
  const auto q = [](Str text) { return *Quantity::parse(text); };
  const std::vector<NamedQuantity> list = {
      {"attachable-volumes-x", q("25")},
      {"cpu", q("1500100u")},
      {"ephemeral-storage", q("100m")},
      {"example.com/gpu", q("1500m")},
      {"foo", q("7")},
      {"memory", q("1.5Gi")},
      {"pods", q("110")},
      {"storage", q("1")},
  };
  Arena arena;
  const Resources r = to_resources(list, arena);
  CHECK(r.milli_cpu == 1501);
  CHECK(r.memory == 1610612736);
  CHECK(r.ephemeral_storage == 1);
  CHECK(r.pods == 110);
  REQUIRE(r.scalars.size() == 2);
  CHECK(r.scalars[0].name == "attachable-volumes-x");
  CHECK(r.scalars[0].value == 25);
  CHECK(r.scalars[1].name == "example.com/gpu");
  CHECK(r.scalars[1].value == 2);
  CHECK(r.scalars[1].name_hash == hash_str("example.com/gpu"));

  CHECK(find_quantity(list, "pods")->value() == 110);
  CHECK(find_quantity(list, "pod") == nullptr);
  CHECK(to_resources({}, arena).scalars.empty());
}

}  // namespace libsched::resources_test
