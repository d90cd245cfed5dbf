// Conflicts of host ports: the same port and protocol on the same address, or on all addresses.
#include "libsched/plugins/nodeports/wanted_ports.hpp"

#include "libsched/base/hash.hpp"

namespace libsched {
namespace {

constexpr Str kSomeAddress = "*";  // no port has it
constexpr size_t kFew = 16;

}  // namespace

size_t WantedPorts::Hash::operator()(const HostPort& p) const {
  return hash_str(p.ip, hash_str(p.protocol, static_cast<uint32_t>(p.port)));
}

WantedPorts::WantedPorts(Span<HostPort> wanted) : wanted_(wanted) {
  if (wanted_.size() <= kFew) return;
  exact_.reserve(2 * wanted_.size());
  for (HostPort p : wanted_) {
    exact_.insert(p);
    p.ip = kSomeAddress;
    exact_.insert(p);
  }
}

bool WantedPorts::found(const HostPort& used) const {
  const auto wants = [&](Str ip) {
    HostPort p = used;
    p.ip = ip;
    return exact_.contains(p);
  };
  return wants(used.ip == kAnyAddress ? kSomeAddress : used.ip) || wants(kAnyAddress);
}

}  // namespace libsched
