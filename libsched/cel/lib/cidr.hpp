// Networks such as 10.0.0.0/8, as Go's netip.Prefix and Kubernetes' CEL library have them.
#pragma once

#include <string>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"
#include "libsched/cel/lib/ip.hpp"

namespace libsched::cel {

// The address keeps the bits behind the prefix, and they count in comparisons.
struct Cidr {
  Ip ip;
  uint8_t bits = 0;

  bool contains(const Ip& other) const;
  bool contains(const Cidr& other) const;
  Cidr masked() const;
  int size() const { return (bits + 7) / 8; }  // of costs: bytes of the prefix
  friend bool operator==(const Cidr&, const Cidr&) = default;
};

// Errors are those of cidr(); is_cidr() is its success.
Result<Cidr> parse_cidr(Str text);
std::string to_string(const Cidr& cidr);

}  // namespace libsched::cel
