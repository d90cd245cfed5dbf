// URLs, IP addresses and networks.
#include "libsched/cel/functions.hpp"
#include "libsched/cel/lib/url.hpp"

namespace libsched::cel {
namespace {

Value of_ip(Machine& m, const Ip& ip) {
  Value v = Value::of_text(ValueKind::kIp, {});
  v.ip = m.memory().make(ip);
  return v;
}
Value of_cidr(Machine& m, const Cidr& cidr) {
  Value v = Value::of_text(ValueKind::kCidr, {});
  v.cidr = m.memory().make(cidr);
  return v;
}

Value url(const Call& c) {
  if (!c.m.spend(c.text(0).size() * 16)) return c.m.stop_value();
  const auto parsed = parse_url(c.text(0));
  if (!parsed.ok()) return c.m.fail(parsed.error().message);
  if (!c.m.memory().fits(c.text(0).size() * 12)) return c.m.stop(kCostError);
  Memory& memory = c.m.memory();
  Value v = Value::of_text(ValueKind::kUrl, {});
  v.url =
      memory.make(UrlValue{c.text(0), memory.copy(to_string(*parsed)), memory.copy(parsed->scheme),
                           memory.copy(parsed->host), memory.copy(parsed->hostname()),
                           memory.copy(parsed->port()), memory.copy(parsed->escaped_path())});
  return v;
}
Value is_url(const Call& c) {
  if (!c.m.spend(c.text(0).size() * 16)) return c.m.stop_value();
  return Value::boolean(check_request_uri(c.text(0)).ok());
}
Value scheme(const Call& c) { return Value::string(c[0].url->scheme); }
Value host(const Call& c) { return Value::string(c[0].url->host); }
Value hostname(const Call& c) { return Value::string(c[0].url->hostname); }
Value port(const Call& c) { return Value::string(c[0].url->port); }
Value escaped_path(const Call& c) { return Value::string(c[0].url->escaped_path); }
Value query(const Call& c) {
  if (!c.m.spend(c[0].url->source.size() * 32)) return c.m.stop_value();
  const auto entries = parse_url(c[0].url->source)->query();
  Map* const map = c.m.new_map(entries.size());
  for (const auto& [key, values] : entries) {
    if (map == nullptr) break;
    const Value name = c.m.string(key);
    const Value list = c.m.strings({values.begin(), values.end()});
    if (c.m.stopped() || !c.m.put(map, name, list)) break;
  }
  return c.m.stopped() ? c.m.stop_value() : Value::of_map(map);
}

Value ip(const Call& c) {
  const auto parsed = parse_ip(c.text(0));
  return parsed.ok() ? of_ip(c.m, *parsed) : c.m.fail(parsed.error().message);
}
Value is_ip(const Call& c) { return Value::boolean(parse_ip(c.text(0)).ok()); }
Value is_canonical(const Call& c) {
  const auto answer = is_canonical_ip(c.text(0));
  return answer.ok() ? Value::boolean(*answer) : c.m.fail(answer.error().message);
}
Value family(const Call& c) { return Value::of(c[0].ip->family()); }
template <bool (Ip::*test)() const>
Value ip_test(const Call& c) {
  return Value::boolean((c[0].ip->*test)());
}

Value cidr(const Call& c) {
  const auto parsed = parse_cidr(c.text(0));
  return parsed.ok() ? of_cidr(c.m, *parsed) : c.m.fail(parsed.error().message);
}
Value is_cidr(const Call& c) { return Value::boolean(parse_cidr(c.text(0)).ok()); }
Value cidr_ip(const Call& c) { return of_ip(c.m, c[0].cidr->ip); }
Value prefix_length(const Call& c) { return Value::of(c[0].cidr->bits); }
Value masked(const Call& c) { return of_cidr(c.m, c[0].cidr->masked()); }

// A text that is none makes upstream's conversion an error of another type.
Value contains_ip_text(const Call& c) {
  const auto other = parse_ip(c.text(1));
  return other.ok() ? Value::boolean(c[0].cidr->contains(*other)) : Value::error(kNoOverload);
}
Value contains_ip(const Call& c) { return Value::boolean(c[0].cidr->contains(*c[1].ip)); }
Value contains_cidr_text(const Call& c) {
  const auto other = parse_cidr(c.text(1));
  return other.ok() ? Value::boolean(c[0].cidr->contains(*other)) : c.m.fail(other.error().message);
}
Value contains_cidr(const Call& c) { return Value::boolean(c[0].cidr->contains(*c[1].cidr)); }

constexpr NamedBound kNetworkFunctions[] = {
    {"string_to_url", unary(url)},
    {"is_url_string", unary(is_url)},
    {"url_get_scheme", unary(scheme)},
    {"url_get_host", unary(host)},
    {"url_get_hostname", unary(hostname)},
    {"url_get_port", unary(port)},
    {"url_get_escaped_path", unary(escaped_path)},
    {"url_get_query", unary(query)},
    {"string_to_ip", unary(ip)},
    {"is_ip", unary(is_ip)},
    {"ip_is_canonical", unary(is_canonical)},
    {"ip_family", unary(family)},
    {"ip_is_unspecified", unary(ip_test<&Ip::is_unspecified>)},
    {"ip_is_loopback", unary(ip_test<&Ip::is_loopback>)},
    {"ip_is_link_local_multicast", unary(ip_test<&Ip::is_link_local_multicast>)},
    {"ip_is_link_local_unicast", unary(ip_test<&Ip::is_link_local_unicast>)},
    {"ip_is_global_unicast", unary(ip_test<&Ip::is_global_unicast>)},
    {"string_to_cidr", unary(cidr)},
    {"is_cidr", unary(is_cidr)},
    {"cidr_ip", unary(cidr_ip)},
    {"cidr_prefix_length", unary(prefix_length)},
    {"cidr_masked", unary(masked)},
    {"cidr_contains_ip_string", binary(contains_ip_text)},
    {"cidr_contains_ip_ip", binary(contains_ip)},
    {"cidr_contains_cidr_string", binary(contains_cidr_text)},
    {"cidr_contains_cidr", binary(contains_cidr)},
};

}  // namespace

Span<NamedBound> network_functions() { return kNetworkFunctions; }

}  // namespace libsched::cel
