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

// A port that several pods use is shown with the pod that it belongs to.
std::string text(const UsedPorts& ports, const std::vector<PodRef>& pods) {
  std::string out;
  for (const UsedPorts::Port& u : ports) {
    const auto owner = std::find(pods.begin(), pods.end(), u.owner) - pods.begin();
    out += std::to_string(u.port.port) + std::string(u.port.protocol) + "@" +
           std::to_string(owner) + " ";
  }
  return out;
}

void add(const PodRef& pod, std::vector<UsedPorts::Port>* model) {
  for (const HostPort& p : pod->host_ports)
    if (std::none_of(model->begin(), model->end(),
                     [&](const UsedPorts::Port& u) { return same_port(u.port, p); }))
      model->push_back({pod, p});
}

void remove(const Pod& pod, std::vector<UsedPorts::Port>* model) {
  for (const HostPort& p : pod.host_ports) {
    const auto it = std::find_if(model->begin(), model->end(),
                                 [&](const UsedPorts::Port& u) { return same_port(u.port, p); });
    if (it == model->end()) continue;
    *it = model->back();
    model->pop_back();
  }
}

TEST_CASE("a port is added once and removed at once, in small and large sets, and undone exactly") {
  std::mt19937 random(3);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  const std::vector<Str> protocols = {"TCP", "UDP"};
  for (int round = 0; round < 200; ++round) {
    struct Step {
      bool added;
      uint32_t count;
      std::string before;
    };
    UsedPorts ports;
    std::vector<UsedPorts::Port> model;
    std::vector<UsedPorts::Removed> removed;
    std::vector<PodRef> pods;
    std::vector<Step> steps;
    const auto undo = [&](size_t left) {
      for (; steps.size() > left; steps.pop_back()) {
        const Step& step = steps.back();
        if (step.added) ports.take_back(step.count);
        for (uint32_t i = 0; !step.added && i < step.count; ++i) {
          ports.put_back(removed.back());
          removed.pop_back();
        }
        CHECK(text(ports, pods) == step.before);
      }
    };
    for (int i = 0; i < 30; ++i) {
      std::vector<std::pair<int32_t, Str>> list(below(4) == 0 ? below(90) : below(4));
      for (auto& [number, protocol] : list) {
        number = static_cast<int32_t>(below(120));
        protocol = protocols[below(2)];
      }
      const PodRef& pod = pods.emplace_back(pod_of(list));
      Step step{below(3) != 0, 0, text(ports, pods)};
      if (step.added) {
        ports.reserve(list.size());
        step.count = ports.add(pod);
        add(pod, &model);
      } else {
        removed.reserve(removed.size() + list.size());
        step.count = ports.remove(*pod, &removed);
        remove(*pod, &model);
      }
      steps.push_back(std::move(step));
      REQUIRE(ports.size() == model.size());
      CHECK(std::equal(ports.begin(), ports.end(), model.begin(),
                       [](const UsedPorts::Port& a, const UsedPorts::Port& b) {
                         return a.owner == b.owner && same_port(a.port, b.port);
                       }));
      if (below(6) != 0) continue;
      undo(below(static_cast<uint32_t>(steps.size()) + 1));
      model.assign(ports.begin(), ports.end());
    }
    // A copy has no index until it changes.
    UsedPorts copy = ports;
    CHECK(text(copy, pods) == text(ports, pods));
    copy.remove(*pods[0], nullptr);
    remove(*pods[0], &model);
    CHECK(copy.size() == model.size());
    undo(0);
    CHECK(ports.empty());
  }
}

// Pairwise this would need more than ten thousand million comparisons.
TEST_CASE("pods with a hundred thousand ports") {
  std::vector<std::pair<int32_t, Str>> list(100'000);
  for (size_t i = 0; i < list.size(); ++i) list[i] = {static_cast<int32_t>(i), "TCP"};
  const PodRef pod = pod_of(list);
  UsedPorts ports;
  for (int i = 0; i < 2; ++i) {
    ports.reserve(list.size());
    ports.add(pod);
  }
  CHECK(ports.size() == list.size());
  ports.remove(*pod, nullptr);
  CHECK(ports.empty());
}

// With a copy of the set for each change this would need more than ten thousand megabytes.
TEST_CASE("a change takes memory by its own ports, however many ports the node has") {
  constexpr int32_t kPods = 30'000;
  std::vector<PodRef> pods;
  UsedPorts ports;
  for (int32_t i = 0; i < kPods; ++i) {
    pods.push_back(pod_of({{i, "TCP"}}));
    ports.reserve(1);
    REQUIRE(ports.add(pods.back()) == 1);
  }
  std::vector<UsedPorts::Removed> removed;
  removed.reserve(kPods);
  for (const PodRef& pod : pods) REQUIRE(ports.remove(*pod, &removed) == 1);
  CHECK(ports.empty());
  for (; !removed.empty(); removed.pop_back()) ports.put_back(removed.back());
  CHECK(ports.size() == kPods);
}

}  // namespace libsched::used_ports_test
