// Sets of host ports in use: the same result as comparing every pair, with less work.
#include "libsched/cluster/used_ports.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace libsched::used_ports_test {

// A pod with these ports, "number/protocol".
PodRef pod_of(const std::vector<std::pair<int32_t, Str>>& ports) {
  Ref<Pod> pod = make_ref<Pod>();
  std::vector<HostPort> list;
  for (const auto& [number, protocol] : ports) list.push_back({"0.0.0.0", protocol, number});
  pod->host_ports = pod->arena.copy(list);
  return pod;
}

std::string text(const std::vector<View::UsedPort>& ports) {
  std::string out;
  for (const View::UsedPort& u : ports)
    out += std::to_string(u.port.port) + std::string(u.port.protocol) + " ";
  return out;
}

TEST_CASE("a port is added once and removed at once, in small and large sets") {
  std::mt19937 random(3);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  const std::vector<Str> protocols = {"TCP", "UDP"};
  for (int round = 0; round < 60; ++round) {
    std::vector<View::UsedPort> ports, model;
    for (int i = 0; i < 12; ++i) {
      std::vector<std::pair<int32_t, Str>> list(below(4) == 0 ? below(90) : below(4));
      for (auto& [number, protocol] : list) {
        number = static_cast<int32_t>(below(120));
        protocol = protocols[below(2)];
      }
      const PodRef pod = pod_of(list);
      const auto is = [](const HostPort& p) {
        return [&p](const View::UsedPort& u) { return same_port(u.port, p); };
      };
      if (below(3) == 0) {
        remove_ports(*pod, &ports);
        for (const HostPort& p : pod->host_ports) std::erase_if(model, is(p));
      } else {
        add_ports(pod, &ports);
        for (const HostPort& p : pod->host_ports)
          if (std::none_of(model.begin(), model.end(), is(p))) model.push_back({pod, p});
      }
      CHECK(text(ports) == text(model));
    }
  }
}

// Pairwise this would need more than ten thousand million comparisons.
TEST_CASE("pods with a hundred thousand ports") {
  std::vector<std::pair<int32_t, Str>> list(100'000);
  for (size_t i = 0; i < list.size(); ++i) list[i] = {static_cast<int32_t>(i), "TCP"};
  const PodRef pod = pod_of(list);
  std::vector<View::UsedPort> ports;
  add_ports(pod, &ports);
  add_ports(pod, &ports);
  CHECK(ports.size() == list.size());
  remove_ports(*pod, &ports);
  CHECK(ports.empty());
}

}  // namespace libsched::used_ports_test
