// WantedPorts: the host ports of a pod, and whether a port in use conflicts with them. Few ports
// are compared one by one, many are looked up.
#pragma once

#include <unordered_set>

#include "libsched/objects/pod.hpp"

namespace libsched {

class WantedPorts {
 public:
  explicit WantedPorts(Span<HostPort> wanted);  // borrows them

  bool conflict_with(const HostPort& used) const {
    if (!exact_.empty()) return found(used);
    for (const HostPort& w : wanted_)
      if (w.port == used.port && conflict(w, used)) return true;
    return false;
  }

 private:
  struct Hash {
    size_t operator()(const HostPort& p) const;
  };
  struct Same {
    bool operator()(const HostPort& a, const HostPort& b) const { return same_port(a, b); }
  };

  static constexpr Str kAnyAddress = "0.0.0.0";

  static bool conflict(const HostPort& a, const HostPort& b) {
    return a.port == b.port && a.protocol == b.protocol &&
           (a.ip == b.ip || a.ip == kAnyAddress || b.ip == kAnyAddress);
  }
  bool found(const HostPort& used) const;

  Span<HostPort> wanted_;
  // Filled if there are many: all ports, and all once more with a mark for their addresses.
  std::unordered_set<HostPort, Hash, Same> exact_;
};

}  // namespace libsched
