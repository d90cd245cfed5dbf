// The names of the codes, which of them reject, and how statuses are printed.
#include "libsched/framework/status.hpp"

#include <doctest/doctest.h>

namespace libsched::status_test {

TEST_CASE("codes have upstream's numbers and names") {
  const char* names[] = {"Success", "Error", "Unschedulable", "UnschedulableAndUnresolvable",
                         "Wait",    "Skip",  "Pending"};
  for (int32_t i = 0; i < 7; ++i) {
    CAPTURE(i);
    CHECK(std::string(code_name(static_cast<Code>(i))) == names[i]);
  }
  for (const int32_t unknown : {-1, 7, INT32_MAX, INT32_MIN})
    CHECK(code_name(static_cast<Code>(unknown)) == nullptr);
}

TEST_CASE("three codes reject") {
  for (int32_t i = 0; i < 7; ++i) {
    CAPTURE(i);
    CHECK(Status(static_cast<Code>(i)).rejected() == (i == 2 || i == 3 || i == 6));
    CHECK(Status(static_cast<Code>(i)).success() == (i == 0));
  }
}

TEST_CASE("the message joins the reasons") {
  Status s(Code::kUnschedulable);
  CHECK(s.message().empty());
  s.reasons = {"one"};
  CHECK(s.message() == "one");
  s.reasons = {"one", "two, and a half", "three"};
  CHECK(s.message() == "one, two, and a half, three");
  s.reasons = {"", "after nothing", ""};
  CHECK(s.message() == ", after nothing, ");
}

TEST_CASE("statuses are equal only with equal code, plugin and reasons, and reset() clears all") {
  const Status a(Code::kUnschedulable, "why");
  Status b = a;
  CHECK(a == b);
  b.plugin = "X";
  CHECK_FALSE(a == b);
  b = a;
  b.reasons.push_back("more");
  CHECK_FALSE(a == b);
  b = a;
  b.code = Code::kPending;
  CHECK_FALSE(a == b);
  b.reset();
  CHECK(b == Status());
}

TEST_CASE("set() leaves nothing of the status before but the plugin") {
  for (Status s : {Status(), Status(Code::kPending, "one"), Status::from_error("failed")}) {
    s.plugin = "P";
    s.reasons.push_back("more");
    s.set(Code::kUnschedulable, "full");
    Status want(Code::kUnschedulable, "full");
    want.plugin = "P";
    CHECK(s == want);
  }
}

TEST_CASE("errors: upstream's AsStatus, AsError and WithError, and how the runtime wraps them") {
  Status s = Status::from_error("broken");
  CHECK(s.code == Code::kError);
  CHECK(s.reasons == std::vector<std::string>{"broken"});
  CHECK(s.as_error() == "broken");
  s = Status(Code::kUnschedulable, "why");
  CHECK(s.as_error() == "why");
  s.set_error("cause");
  CHECK(s.message() == "cause, why");
  CHECK(s.as_error() == "cause");
  s.set_error("other");
  CHECK(s.message() == "other, why");
  CHECK_FALSE(s == Status(Code::kUnschedulable, "why"));
  const Status wrapped = Status::wrap("running it: ", s);
  CHECK(wrapped == Status::from_error("running it: other"));
  for (const Code none : {Code::kSuccess, Code::kWait, Code::kSkip}) {
    const Status no_error(none, "text");
    CHECK_FALSE(no_error.as_error().has_value());
    CHECK(Status::wrap("x: ", no_error).message() == "x: %!w(<nil>)");
  }
}

TEST_CASE("lists print as Go prints them") {
  CHECK(go_list({}) == "[]");
  CHECK(go_list({"a"}) == "[a]");
  CHECK(go_list({"a", "b c", ""}) == "[a b c ]");
  CHECK(go_list({"", ""}) == "[ ]");
}

}  // namespace libsched::status_test
