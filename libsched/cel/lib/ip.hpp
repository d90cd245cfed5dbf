// IP addresses as Go's netip reads them, and what Kubernetes' CEL library says of them.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"

namespace libsched::cel {

struct Ip {
  std::array<uint8_t, 16> bytes{};  // the first four of an IPv4 address, the others are zero
  uint8_t size = 16;                // in bytes: 4 or 16

  int family() const { return size == 4 ? 4 : 6; }
  bool is_unspecified() const;
  bool is_loopback() const;
  bool is_link_local_multicast() const;
  bool is_link_local_unicast() const;
  bool is_global_unicast() const;
  bool is_mapped() const;  // ::ffff:a.b.c.d
  friend bool operator==(const Ip&, const Ip&) = default;
};

// An address with the zone behind '%', which points into the parsed text.
struct ZonedIp {
  Ip ip;
  Str zone;
};

Result<ZonedIp> parse_zoned_ip(Str text);  // netip.ParseAddr
Result<Ip> parse_ip(Str text);             // ip(): without zones and mapped addresses
Result<bool> is_canonical_ip(Str text);
std::string to_string(const Ip& ip);

}  // namespace libsched::cel
