// WantedPorts: the same answers as comparing every pair, with less work.
#include "libsched/plugins/nodeports/wanted_ports.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <string>
#include <vector>

namespace libsched::wanted_ports_test {

TEST_CASE("any number of ports conflicts if one of them does") {
  std::mt19937 random(5);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  const std::vector<Str> ips = {"0.0.0.0", "10.0.0.1", "::1", "*", ""};
  const std::vector<Str> protocols = {"TCP", "UDP"};
  const auto port = [&](uint32_t numbers) {
    // Mostly of a single address: else all of them conflict.
    return HostPort{ips[below(4) == 0 ? below(5) : 1], protocols[below(2)],
                    static_cast<int32_t>(below(numbers))};
  };
  size_t conflicts = 0, none = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<HostPort> wanted(below(60));
    for (HostPort& p : wanted) p = port(200);
    const WantedPorts index({wanted.data(), wanted.size()});
    for (int i = 0; i < 50; ++i) {
      const HostPort used = port(200);
      const bool any = std::any_of(wanted.begin(), wanted.end(), [&](const HostPort& w) {
        return w.port == used.port && w.protocol == used.protocol &&
               (w.ip == used.ip || w.ip == "0.0.0.0" || used.ip == "0.0.0.0");
      });
      // "*" marks all addresses in the index, and is not an address.
      if (used.ip == "*") continue;
      CHECK(index.conflict_with(used) == any);
      ++(any ? conflicts : none);
    }
  }
  CHECK(conflicts > 500);
  CHECK(none > 500);
}

// Comparing all pairs would take ten thousand million comparisons.
TEST_CASE("a hundred thousand ports wanted and used") {
  constexpr int32_t kMany = 100'000;
  std::deque<std::string> ips;
  std::vector<HostPort> wanted(kMany);
  for (int32_t i = 0; i < kMany; ++i)
    wanted[static_cast<size_t>(i)] = {ips.emplace_back("10." + std::to_string(i)), "TCP", 80};
  const WantedPorts index({wanted.data(), wanted.size()});
  int32_t conflicts = 0;
  for (int32_t i = 0; i < kMany; ++i) {
    const std::string ip = "10." + std::to_string(2 * i);
    conflicts += index.conflict_with({ip, "TCP", 80}) ? 1 : 0;
  }
  CHECK(conflicts == kMany / 2);
  CHECK(index.conflict_with({"0.0.0.0", "TCP", 80}));
  CHECK_FALSE(index.conflict_with({"0.0.0.0", "UDP", 80}));
}

}  // namespace libsched::wanted_ports_test
