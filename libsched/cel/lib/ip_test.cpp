// Addresses and networks.
#include "libsched/cel/lib/ip.hpp"

#include <doctest/doctest.h>

#include "libsched/cel/lib/cidr.hpp"

namespace libsched::ip_test {

using namespace cel;

std::string parsed(Str text) {
  auto ip = parse_ip(text);
  return ip ? to_string(*ip) : ip.error().message;
}

std::string parsed_cidr(Str text) {
  auto cidr = parse_cidr(text);
  return cidr ? to_string(*cidr) : cidr.error().message;
}

bool contains(Str outer, Str inner) {
  const Cidr cidr = *parse_cidr(outer);
  if (inner.find('/') == Str::npos) return cidr.contains(*parse_ip(inner));
  return cidr.contains(*parse_cidr(inner));
}

TEST_CASE("addresses are written in their canonical form") {
  CHECK(parsed("192.168.0.1") == "192.168.0.1");
  CHECK(parsed("::") == "::");
  CHECK(parsed("2001:DB8:0:0:1:0:0:1") == "2001:db8::1:0:0:1");
  CHECK(parsed("1:0:2:3:4:5:6:7") == "1:0:2:3:4:5:6:7");
  CHECK(parsed("::1.2.3.4") == "::102:304");
  CHECK(*is_canonical_ip("::1"));
  CHECK_FALSE(*is_canonical_ip("0::1"));
}

TEST_CASE("wrong addresses get upstream's errors") {
  constexpr Str kPrefix = " parse error during conversion from string: ParseAddr(";
  const auto refused = [&](const std::string& text, const char* why) {
    CHECK(parsed(text) ==
          "IP Address \"" + text + "\"" + std::string(kPrefix) + "\"" + text + "\"): " + why);
  };
  refused("", "unable to parse IP");
  refused("1.2.3", "IPv4 address too short");
  refused("1.2.3.4.5", "IPv4 address too long");
  refused("01.2.3.4", "IPv4 field has octet with leading zero");
  refused("1.2.3.256", "IPv4 field has value >255");
  refused("1..3.4", R"(IPv4 field must have at least one digit (at ".3.4"))");
  refused("1.2.3.x", R"(unexpected character (at "x"))");
  refused("1:2", "address string too short");
  refused("1::2::3", R"(multiple :: in address (at ":3"))");
  refused("12345::", R"(each group must have 4 or less digits (at "12345::"))");
  refused("1:2:3:4:5:6:7:8:9", R"(trailing garbage after address (at "9"))");
  refused("1:2:3:4:5:6:7::8", "the :: must expand to at least one field of zeros");
  refused("::1%", "zone must be a non-empty string");
  CHECK(parsed("fe80::1%eth0") == R"(IP address "fe80::1%eth0" with zone value is not allowed)");
  CHECK(parsed("::ffff:1.2.3.4") == R"(IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed)");
}

TEST_CASE("addresses know what they are for") {
  CHECK(parse_ip("127.0.0.1")->is_loopback());
  CHECK(parse_ip("::1")->is_loopback());
  CHECK(parse_ip("0.0.0.0")->is_unspecified());
  CHECK(parse_ip("224.0.0.9")->is_link_local_multicast());
  CHECK_FALSE(parse_ip("224.0.1.9")->is_link_local_multicast());
  CHECK(parse_ip("ff02::1")->is_link_local_multicast());
  CHECK(parse_ip("169.254.3.4")->is_link_local_unicast());
  CHECK(parse_ip("febf::1")->is_link_local_unicast());
  CHECK(parse_ip("10.0.0.1")->is_global_unicast());
  CHECK(parse_ip("fd00::1")->is_global_unicast());
  for (const Str other : {"255.255.255.255", "239.1.1.1", "::", "::1", "fe80::1", "ff0e::1"})
    CHECK_FALSE(parse_ip(other)->is_global_unicast());
}

TEST_CASE("networks keep the bits behind the prefix until they are masked") {
  CHECK(parsed_cidr("10.1.2.3/8") == "10.1.2.3/8");
  CHECK(to_string(parse_cidr("10.1.2.3/9")->masked()) == "10.0.0.0/9");
  CHECK(to_string(parse_cidr("2001:db8:ffff::1/33")->masked()) == "2001:db8:8000::/33");
  CHECK(contains("10.0.0.0/8", "10.255.0.1"));
  CHECK_FALSE(contains("10.0.0.0/8", "11.0.0.1"));
  CHECK_FALSE(contains("0.0.0.0/0", "::1"));
  CHECK(contains("10.0.0.0/8", "10.9.0.0/16"));
  CHECK_FALSE(contains("10.9.0.0/16", "10.0.0.0/8"));
  CHECK(parse_cidr("10.0.0.0/9")->size() == 2);
}

TEST_CASE("wrong networks get upstream's errors") {
  const std::string prefix = "network address parse error during conversion from string: ";
  const std::string twice = prefix + prefix + "netip.ParsePrefix(";
  CHECK(parsed_cidr("10.0.0.0") == twice + R"("10.0.0.0"): no '/')");
  CHECK(parsed_cidr("1.2.3.4/33") == twice + R"("1.2.3.4/33"): prefix length out of range)");
  CHECK(parsed_cidr("1.2.3.4/08") == twice + R"("1.2.3.4/08"): bad bits after slash: "08")");
  CHECK(parsed_cidr("1.2.3.4/") == twice + R"("1.2.3.4/"): bad bits after slash: "")");
  CHECK(parsed_cidr("fe80::1%a/64") ==
        twice + R"("fe80::1%a/64"): IPv6 zones cannot be present in a prefix)");
  CHECK(parsed_cidr("::ffff:1.2.3.4/99") ==
        prefix + R"(IPv4-mapped IPv6 address "::ffff:1.2.3.4/99" is not allowed)");
}

}  // namespace libsched::ip_test
