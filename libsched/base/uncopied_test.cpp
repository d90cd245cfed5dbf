// Uncopied: a copy begins without the value, a moved one has it.
#include "libsched/base/uncopied.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

namespace libsched::uncopied_test {

TEST_CASE("copies begin without the value") {
  Uncopied<std::vector<int>> one;
  one->push_back(1);
  Uncopied<std::vector<int>> two = one;
  CHECK(two->empty());
  CHECK(one->size() == 1);
  two->push_back(2);
  two = one;
  CHECK(two->empty());
  Uncopied<std::vector<int>> three = std::move(one);
  CHECK((*three)[0] == 1);
  two = std::move(three);
  CHECK((*two)[0] == 1);
}

}  // namespace libsched::uncopied_test
