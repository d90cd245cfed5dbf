// Sets of host ports: small sets are compared pairwise, large ones by lookup.
#include "libsched/cluster/used_ports.hpp"

#include <algorithm>
#include <unordered_set>

namespace libsched {
namespace {

constexpr size_t kFewPairs = 1024;

struct Hash {
  size_t operator()(const HostPort& p) const {
    return hash_str(p.ip, hash_str(p.protocol, static_cast<uint32_t>(p.port)));
  }
};
struct Same {
  bool operator()(const HostPort& a, const HostPort& b) const { return same_port(a, b); }
};
using PortSet = std::unordered_set<HostPort, Hash, Same>;

bool few(const Pod& pod, const std::vector<View::UsedPort>& ports) {
  return pod.host_ports.size() * (pod.host_ports.size() + ports.size()) <= kFewPairs;
}

}  // namespace

void add_ports(const PodRef& pod, std::vector<View::UsedPort>* ports) {
  if (few(*pod, *ports)) {
    for (const HostPort& port : pod->host_ports) {
      const bool there = std::any_of(ports->begin(), ports->end(), [&](const View::UsedPort& u) {
        return same_port(u.port, port);
      });
      if (!there) ports->push_back({pod, port});
    }
    return;
  }
  PortSet seen;
  for (const View::UsedPort& u : *ports) seen.insert(u.port);
  for (const HostPort& port : pod->host_ports)
    if (seen.insert(port).second) ports->push_back({pod, port});
}

void remove_ports(const Pod& pod, std::vector<View::UsedPort>* ports) {
  if (few(pod, *ports)) {
    for (const HostPort& port : pod.host_ports)
      std::erase_if(*ports, [&](const View::UsedPort& u) { return same_port(u.port, port); });
    return;
  }
  const PortSet gone(pod.host_ports.begin(), pod.host_ports.end());
  std::erase_if(*ports, [&](const View::UsedPort& u) { return gone.contains(u.port); });
}

}  // namespace libsched
