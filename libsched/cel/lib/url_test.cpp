// URLs and the formats of names.
#include "libsched/cel/lib/url.hpp"

#include <doctest/doctest.h>

#include "libsched/cel/lib/format.hpp"

namespace libsched::url_test {

using namespace cel;

using Texts = std::vector<std::string>;

Texts parts_of(Str text) {
  auto url = parse_url(text);
  if (!url) return {url.error().message};
  return {url->scheme, url->host, std::string(url->hostname()), std::string(url->port()),
          url->escaped_path()};
}

std::string refused(Str text) {
  auto checked = check_request_uri(text);
  return checked ? "" : checked.error().message;
}

TEST_CASE("URLs are taken apart as Go does it") {
  CHECK(parts_of("HTTPS://u:p@example.com:80/a b?x=1#f") ==
        Texts{"https", "example.com:80", "example.com", "80", "/a%20b"});
  CHECK(parts_of("http://[fe80::1%25en0]:8080/") ==
        Texts{"http", "[fe80::1%en0]:8080", "fe80::1%en0", "8080", "/"});
  CHECK(parts_of("/path/%2F/x?y") == Texts{"", "", "", "", "/path/%2F/x"});
  CHECK(parts_of("mailto:a@b") == Texts{"mailto", "", "", "", ""});
  CHECK(parts_of("postgres://a:1,b:2/") == Texts{"postgres", "a:1,b:2", "a:1,b", "2", "/"});
}

TEST_CASE("queries keep the order of values") {
  const auto query = parse_url("http://h/?b=1&a=%41+c&b=2&;x&=e&c&%zz=1")->query();
  REQUIRE(query.size() == 4);
  CHECK(query[0].first.empty());
  CHECK(query[1] == std::pair<std::string, Texts>{"a", {"A c"}});
  CHECK(query[2] == std::pair<std::string, Texts>{"b", {"1", "2"}});
  CHECK(query[3] == std::pair<std::string, Texts>{"c", {""}});
}

TEST_CASE("wrong URLs get Go's errors") {
  CHECK(refused("") == R"(parse "": empty url)");
  CHECK(refused("a/b") == R"(parse "a/b": invalid URI for request)");
  CHECK(refused(":x") == R"(parse ":x": missing protocol scheme)");
  CHECK(refused("/\x7f") == "parse \"/\\x7f\": net/url: invalid control character in URL");
  CHECK(refused("http://a:b/") == R"(parse "http://a:b/": invalid port ":b" after host)");
  CHECK(refused("http://h:1:2/") == R"(parse "http://h:1:2/": invalid port ":1:2" after host)");
  CHECK(refused("http://[::1/") == R"(parse "http://[::1/": missing ']' in host)");
  CHECK(refused("http://[1.2.3.4]/") == R"(parse "http://[1.2.3.4]/": invalid IP-literal)");
  CHECK(refused("http://a b/") == R"(parse "http://a b/": invalid character " " in host name)");
  CHECK(refused("/%zz") == R"(parse "/%zz": invalid URL escape "%zz")");
  CHECK(refused("http://u^@h/") == R"(parse "http://u^@h/": net/url: invalid userinfo)");
  CHECK(parts_of("/?x#%") ==
        Texts{R"(URL parse error during conversion from string: parse "/?x#%": )"
              R"(invalid URL escape "%")"});
}

TEST_CASE("a URL's text is that of Go's String") {
  for (const Str same : {"http://h", "http://h?", "x:y?z", "/a?b#c", "*", "http:///p", "x:/p"})
    CHECK(to_string(*parse_url(same)) == same);
  CHECK(to_string(*parse_url("HTTP://u:%41@\u00e9/\u00fc#\u00e4")) ==
        "http://u:A@%C3%A9/%C3%BC#%C3%A4");
}

TEST_CASE("formats are known by their names") {
  for (const FormatInfo& info : formats()) CHECK(format_named(info.name) == info.format);
  for (size_t i = 0; i < formats().size(); ++i)
    CHECK(formats()[i].format == static_cast<Format>(i));
  CHECK_FALSE(format_named("DNS1123Label"));
  CHECK_FALSE(format_named(""));
}

TEST_CASE("validators list their errors") {
  const auto count = [](Str name, Str text) { return validate(*format_named(name), text).size(); };
  CHECK(count("dns1123Label", "a-1") == 0);
  CHECK(validate(Format::kDns1123Label, "a.b") == Texts{"must not contain dots"});
  CHECK(count("dns1123Label", std::string(64, '-')) == 2);
  CHECK(validate(Format::kDns1123Label, std::string(64, 'a')) ==
        Texts{"must be no more than 63 characters"});
  CHECK(count("dns1123LabelPrefix", "a-") == 0);
  CHECK(count("dns1123LabelPrefix", "-") == 1);
  CHECK(count("dns1123Subdomain", "a.b-c.d") == 0);
  CHECK(count("dns1123Subdomain", "a..d") == 1);
  CHECK(count("dns1035Label", "1a") == 1);
  CHECK(count("qualifiedName", "example.com/MyName") == 0);
  CHECK(validate(Format::kQualifiedName, "/a") == Texts{"prefix part must be non-empty"});
  CHECK(count("qualifiedName", "/") == 3);
  CHECK(count("qualifiedName", "a/b/c") == 1);
  CHECK(count("labelValue", "") == 0);
  CHECK(count("labelValue", "-" + std::string(63, 'a')) == 2);
  CHECK(validate(Format::kUri, "x") == Texts{R"(parse "x": invalid URI for request)"});
  CHECK(count("uuid", "123e4567-E89b-12d3a456-426614174000") == 0);
  CHECK(validate(Format::kUuid, "123") == Texts{"does not match the UUID format"});
  CHECK(count("byte", "aGVsbG8=") == 0);
  CHECK(validate(Format::kByte, "") == Texts{"invalid base64"});
  CHECK(validate(Format::kByte, "a===") == Texts{"invalid base64"});
  CHECK(count("date", "2024-02-29") == 0);
  CHECK(validate(Format::kDate, "2023-02-29") == Texts{"invalid date"});
  CHECK(count("datetime", "2024-01-01t23:59:59x5+99:99") == 0);
  CHECK(validate(Format::kDatetime, "2024-01-01T24:00:00Z") == Texts{"invalid datetime"});
}

}  // namespace libsched::url_test
