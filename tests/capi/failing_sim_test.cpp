// Many pods of one change of a simulated cluster with each allocation of the change failing in
// turn: all of them come, or none.
#include <doctest/doctest.h>

#include <libsched.h>

#include <string>
#include <vector>

#include "failing_allocation.hpp"

namespace {

constexpr size_t kNodes = 3, kPods = 9000;  // more pods than the library puts at a time
constexpr uint64_t kUntouched = 7;

#undef OK
#define OK(call) REQUIRE((call) == LIBSCHED_OK)

struct World {
  World() {
    OK(libsched_catalog_create(&catalog, nullptr));
    OK(libsched_framework_create(nullptr, libsched_str_from(""), nullptr, nullptr, &framework,
                                 nullptr));
    OK(libsched_sim_create(framework, catalog, &sim, nullptr));
    const libsched_str node_text = libsched_str_from("{\"metadata\": {\"name\": \"x\"}}");
    const libsched_str pod_text = libsched_str_from(
        "{\"metadata\": {\"name\": \"p\"}, \"spec\": {\"containers\": [{\"name\": \"c\"}]}}");
    OK(libsched_catalog_add_nodes(catalog, &node_text, 1, nullptr, &node, nullptr));
    OK(libsched_catalog_add_pods(catalog, &pod_text, 1, nullptr, &pod, nullptr));
    pods.assign(kPods, pod);
    OK(libsched_sim_add_nodes(sim, node, names, kNodes, nodes, nullptr));
    OK(libsched_sim_add_pods(sim, &pod, nodes, 1, &first, nullptr));
    for (size_t i = 0; i < kPods; ++i) {
      on.push_back(nodes[i % kNodes]);
      on_node.push_back(static_cast<uint32_t>(i % kNodes));
    }
  }
  ~World() {
    libsched_sim_unref(sim);
    libsched_framework_unref(framework);
    libsched_catalog_unref(catalog);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  const libsched_str names[kNodes] = {libsched_str_from("a"), libsched_str_from("b"),
                                      libsched_str_from("c")};
  const libsched_str later[kNodes] = {libsched_str_from("d"), libsched_str_from("e"),
                                      libsched_str_from("f")};  // after a reset
  libsched_catalog* catalog = nullptr;
  libsched_framework* framework = nullptr;
  libsched_sim* sim = nullptr;
  uint64_t node = 0, pod = 0, nodes[kNodes] = {}, first = 0;
  std::vector<uint64_t> pods, on;
  std::vector<uint32_t> on_node;
};

libsched_rc add_all(World& w, uint64_t* ids) {
  return libsched_sim_add_pods(w.sim, w.pods.data(), w.on.data(), kPods, ids, nullptr);
}

libsched_rc reset_all(World& w, uint64_t* ids) {
  const uint64_t of[kNodes] = {w.node, w.node, w.node};
  return libsched_sim_reset(w.sim, of, w.later, kNodes, w.pods.data(), w.on_node.data(), kPods,
                            nullptr, ids, nullptr);
}

// Fails each allocation of the call in turn, on a new world each time.
void sweep(libsched_rc (*call)(World&, uint64_t*), size_t pods_then) {
  for (long nth = 1;; ++nth) {
    CAPTURE(nth);
    World w;
    std::vector<uint64_t> ids(kPods, kUntouched);
    failures = 0;
    left = nth;
    const libsched_rc rc = call(w, ids.data());
    left = 0;
    if (failures == 0) {
      REQUIRE(rc == LIBSCHED_OK);
      CHECK(nth > 10);
    } else {
      REQUIRE(rc == LIBSCHED_ERR_NO_MEMORY);
      REQUIRE(libsched_sim_pod_count(w.sim) == 1);
      REQUIRE(libsched_sim_node_count(w.sim) == kNodes);
      for (size_t i = 0; i < kNodes; ++i)
        REQUIRE(libsched_sim_find_node(w.sim, w.names[i]) == w.nodes[i]);
      REQUIRE(libsched_sim_pod_node(w.sim, w.first) == w.nodes[0]);
      REQUIRE(ids == std::vector<uint64_t>(kPods, kUntouched));
      OK(call(w, ids.data()));
    }
    REQUIRE(libsched_sim_pod_count(w.sim) == pods_then);
    bool right = true;
    for (size_t i = 0; i < kPods; ++i)
      right = right && libsched_sim_pod_node(w.sim, ids[i]) ==
                           libsched_sim_find_node(
                               w.sim, (call == reset_all ? w.later : w.names)[i % kNodes]);
    REQUIRE(right);
    if (failures == 0) break;
  }
}

TEST_CASE("whatever allocation fails, all pods of a change come or none") {
  sweep(add_all, kPods + 1);
  sweep(reset_all, kPods);
}

}  // namespace
