// PrioritySort: priority before time, an absent priority is 0, and equals are not less.
#include "libsched/plugins/trial_test.hpp"

namespace libsched::priority_sort_test {

TEST_CASE("higher priorities come first, then those that have waited longer") {
  Trial t("NodeName", "");
  const Framework& framework = t.evaluator().framework();
  const PodRef none = Trial::pod("{}"), zero = Trial::pod("{priority: 0}");
  const PodRef high = Trial::pod("{priority: 7}"), low = Trial::pod("{priority: -7}");
  const auto less = [&](const PodRef& a, int64_t since_a, const PodRef& b, int64_t since_b) {
    return framework.queue_less({*a, since_a}, {*b, since_b});
  };
  CHECK(less(high, 9, none, 1));
  CHECK_FALSE(less(none, 1, high, 9));
  CHECK(less(none, 9, low, 1));
  CHECK(less(none, 1, zero, 2));
  CHECK_FALSE(less(zero, 2, none, 1));
  CHECK_FALSE(less(none, 1, zero, 1));
  CHECK_FALSE(less(zero, 1, none, 1));
}

}  // namespace libsched::priority_sort_test
