// Tests that each release has its selectors.
#include "libsched/config/selector_options.hpp"

#include <doctest/doctest.h>

namespace libsched::selector_options_test {

cel::Options options_of(Release release, bool list_attributes = false) {
  return selector_options(behaviours_of(release), list_attributes);
}

TEST_CASE("selectors by release") {
  for (const Release release : {Release::k1_31, Release::k1_34, Release::k1_35}) {
    CHECK(options_of(release).dialect.no_includes);
    CHECK_FALSE(options_of(release).dialect.cel_go_29);
  }
  const cel::Options today = options_of(Release::k1_36);
  CHECK_FALSE(today.dialect.no_includes);
  CHECK_FALSE(today.dialect.cel_go_29);
  const cel::Options newer = options_of(Release::k1_37);
  CHECK_FALSE(newer.dialect.no_includes);
  CHECK(newer.dialect.cel_go_29);
}

TEST_CASE("attributes may be lists by the gate, and in 1.37 without it") {
  CHECK_FALSE(options_of(Release::k1_36).takes_lists());
  CHECK(options_of(Release::k1_36, true).takes_lists());
  CHECK(options_of(Release::k1_37).takes_lists());
}

}  // namespace libsched::selector_options_test
