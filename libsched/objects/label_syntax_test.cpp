// Upstream's syntax checks and their explanations.
#include <doctest/doctest.h>

#include "libsched/objects/selector.hpp"

namespace libsched::label_syntax_test {

std::string repeated(size_t n, char c) { return std::string(n, c); }

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : "; ") + part;
  return out;
}

TEST_CASE("qualified names") {
  for (const std::string& good :
       {std::string("simple"), std::string("1-starts-with-num"), std::string("1.2.3.4/5678"),
        std::string("Uppercase_Is_OK_123"), std::string("example.com/a_b.C-d"), repeated(63, 'k'),
        repeated(253, 'p') + "/" + repeated(63, 'k')}) {
    CAPTURE(good);
    CHECK(is_qualified_name(good));
    CHECK(qualified_name_errors(good).empty());
  }
  for (const std::string& bad :
       {std::string(), std::string("/"), std::string("/a"), std::string("a/"), std::string("a/b/c"),
        std::string("-a"), std::string("a-"), std::string(".a"), std::string("a b"),
        std::string("UPPER/x"), std::string("x..y/z"), std::string("x.-y/z"), std::string("x-/z"),
        std::string("\xc3\xbc"), repeated(64, 'k'), repeated(254, 'p') + "/k"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_qualified_name(bad));
    CHECK_FALSE(qualified_name_errors(bad).empty());
  }
}

TEST_CASE("explanations of bad names and values") {
  const std::string rule =
      "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
      "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
      "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  CHECK(joined(qualified_name_errors("bad key!")) == "name part " + rule);
  CHECK(joined(qualified_name_errors("/")) ==
        "prefix part must be non-empty; name part must be non-empty; name part " + rule);
  CHECK(joined(qualified_name_errors("a/b/c")) ==
        "a valid label key " + rule +
            " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
  CHECK(joined(qualified_name_errors(repeated(64, 'k'))) ==
        "name part must be no more than 63 bytes");
  CHECK(joined(qualified_name_errors(repeated(254, 'P') + "/a")) ==
        "prefix part must be no more than 253 bytes; prefix part a lowercase RFC 1123 subdomain "
        "must consist of lower case alphanumeric characters, '-' or '.', and must start and end "
        "with an alphanumeric character (e.g. 'example.com', regex used for validation is "
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
  CHECK(joined(label_value_errors(repeated(64, '!'))) ==
        "must be no more than 63 bytes; a valid label must be an empty string or consist of "
        "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
        "character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
        "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
}

TEST_CASE("label values and subdomains") {
  CHECK(is_label_value(""));
  CHECK(is_label_value("a_b.C-d"));
  CHECK(is_label_value(repeated(63, 'v')));
  CHECK_FALSE(is_label_value(repeated(64, 'v')));
  CHECK_FALSE(is_label_value("-5"));
  CHECK_FALSE(is_label_value("a/b"));
  CHECK(is_dns1123_subdomain("a--b.1.c"));
  CHECK_FALSE(is_dns1123_subdomain(""));
  CHECK_FALSE(is_dns1123_subdomain("."));
  CHECK_FALSE(is_dns1123_subdomain("a."));
  CHECK_FALSE(is_dns1123_subdomain("a_b"));
}

}  // namespace libsched::label_syntax_test
