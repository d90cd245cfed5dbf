// Addresses: the form that each means, and those that are refused.
#include <doctest/doctest.h>

#include "net/src/remote/channel.hpp"

namespace libsched::address_test {

using remote::Address;
using remote::address_of;
using Form = Address::Form;

TEST_CASE("each address has a form") {
  struct Case {
    const char* text;
    Form form;
    const char* url;
    const char* target;
  };
  for (const Case& c : {Case{"unix:/run/a.sock", Form::kUnix, "", "/run/a.sock"},
                        Case{"tcp:host:1", Form::kTcp, "", "host:1"},
                        Case{"tcp://[::1]:9", Form::kTcp, "", "[::1]:9"},
                        Case{"tls:host:443", Form::kTls, "", "host:443"},
                        Case{"http://h:1/x//", Form::kHttp, "http://h:1/x", ""},
                        Case{"https://h", Form::kHttp, "https://h", ""},
                        Case{"http+unix:/a b", Form::kHttp, "http://plugin", "/a b"}}) {
    CAPTURE(c.text);
    const auto address = address_of(c.text);
    REQUIRE(address.ok());
    CHECK(address->form == c.form);
    CHECK(address->url == c.url);
    CHECK(address->target == c.target);
  }
}

TEST_CASE("other addresses are refused") {
  for (const char* text : {"", "unix:", "tcp:", "tcp:host", "tcp::9", "tls:host:1/x", "http://",
                           "http+unix:", "ftp://h", "/run/a.sock"}) {
    CAPTURE(text);
    const auto address = address_of(text);
    REQUIRE(!address.ok());
    CHECK(address.error().rc == Rc::kInvalid);
    CHECK(address.error().message.find(text) != std::string::npos);
  }
}

}  // namespace libsched::address_test
