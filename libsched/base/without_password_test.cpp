// Passwords of URLs, and what only looks like one.
#include "libsched/base/without_password.hpp"

#include <doctest/doctest.h>

namespace libsched::without_password_test {

TEST_CASE("the password of a URL is not shown") {
  CHECK(without_password("http://user:secret@host:80/x?y") == "http://user:***@host:80/x?y");
  CHECK(without_password("https://user:@host") == "https://user:***@host");
  CHECK(without_password("http://:secret@[::1]:8/x") == "http://:***@[::1]:8/x");
  CHECK(without_password("http://user:se:cr@et@host/x") == "http://user:***@host/x");
  // A password with a slash ends the host, so the URL is invalid; it may be in a message all the
  // same.
  CHECK(without_password("http://user:sec/ret@host/x") == "http://user:***@host/x");
  CHECK(without_password("http://user:p?2#3@host/x") == "http://user:***@host/x");
}

TEST_CASE("a URL without a password stays as it is") {
  for (const char* url : {"http://host", "http://host:80/a@b:c", "http://user@host:80/x",
                          "http://[::1]:80/a@b", "http://[::1]/a:b@c", "host:80", "unix:/run/a:b@c",
                          "http://", "", "mailto:a:b@c", "http://host/a:b@c"})
    CHECK(without_password(url) == url);
}

}  // namespace libsched::without_password_test
