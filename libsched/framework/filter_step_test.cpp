// KeptSteps: when steps are kept, and when they are forgotten.
#include "libsched/framework/filter_step.hpp"

#include <doctest/doctest.h>

namespace libsched::filter_step_test {

TEST_CASE("steps are kept from the second pass on, until the state or the ids change") {
  const std::vector<FilterStep> two{{1, nullptr, nullptr, false}, {4, nullptr, nullptr, true}};
  KeptSteps kept;
  CHECK(kept.find(7, 1) == nullptr);
  CHECK_FALSE(kept.due(7, 1));
  CHECK(kept.due(7, 1));
  CHECK_FALSE(kept.due(7, 1));  // data for one version of the view: not kept, and not tried again
  CHECK(kept.find(7, 1) == nullptr);

  kept.keep(7, 1, two);
  REQUIRE(kept.find(7, 1) != nullptr);
  CHECK(kept.find(7, 1)->at(1).index == 4);
  CHECK(kept.find(8, 1) == nullptr);
  CHECK(kept.find(7, 2) == nullptr);

  CHECK_FALSE(kept.due(8, 1));
  CHECK(kept.find(8, 1) == nullptr);
  CHECK(kept.find(7, 1) == nullptr);
}

TEST_CASE("a framework without filters keeps no steps, and that is known") {
  KeptSteps kept;
  kept.keep(1, 1, {});
  REQUIRE(kept.find(1, 1) != nullptr);
  CHECK(kept.find(1, 1)->empty());
}

}  // namespace libsched::filter_step_test
