// An overlay is at every step what a real cluster would be after the same pods came and went.
#include "libsched/cluster/node_overlay.hpp"
#include "libsched/ingest/ingest.hpp"

#include <doctest/doctest.h>

#include <random>

#include "libsched/cluster/cluster.hpp"

namespace libsched {
namespace {

PodRef pod(int i, uint64_t bits) {
  const auto pick = [&](std::initializer_list<const char*> list) {
    const size_t k = bits % list.size();
    bits /= list.size();
    return std::string(list.begin()[k]);
  };
  const std::string resources = pick({"cpu: 1", "cpu: 300m, memory: 1Gi", "a.b/x: 3", "a.b/z: 2",
                                      "ephemeral-storage: 5, a.b/y: 1, a.b/x: -4"});
  const std::string port = pick({"", "hostPort: 80", "hostPort: 80, hostIP: 10.0.0.1",
                                 "hostPort: 81, protocol: UDP", "containerPort: 82"});
  const std::string n = std::to_string(i);
  Result<PodRef> made =
      parse_pod("metadata: {name: p" + n + ", namespace: d, uid: u" + n +
                    "}\nspec: {nodeName: 'n', containers: [{name: c, resources: {requests: {" +
                    resources + "}}, ports: [" + (port.empty() ? "" : "{" + port + "}") + "]}]}",
                {});
  REQUIRE_MESSAGE(made.ok(), made.error().text());
  return *made;
}

Ref<Cluster> cluster() {
  Ref<Cluster> c = make_ref<Cluster>();
  Result<NodeRef> node = parse_node(
      "metadata: {name: 'n'}\nstatus: {allocatable: {cpu: 8, memory: 9Gi, pods: 5, a.b/x: 7, "
      "a.b/y: 1}}",
      {});
  REQUIRE(node.ok());
  REQUIRE(c->update_node(*node).ok());
  return c;
}

void check_same(const NodeOverlay& overlay, const Cluster& real) {
  const View& v = real.view();
  const uint32_t r = v.find_node("n");
  std::string want, have;
  for (const uint32_t s : v.row(r).pods) want += std::string(v.slot(s).pod->meta.name) + " ";
  for (const PodRef& p : overlay.pods()) have += std::string(p->meta.name) + " ";
  CHECK(have == want);
  for (uint32_t id = 0; id < v.columns().count(); ++id) {
    const Columns::Resource& column = v.columns().resource(id);
    CAPTURE(column.name);
    CHECK(overlay.left(Str(column.name)) == column.left[r]);
    const uint32_t mine = overlay.view().columns().find(column.name);
    if (mine == kNoId) continue;
    CHECK(overlay.left(mine) == column.left[r]);
    CHECK(overlay.requested(mine) == v.columns().requested(id, r));
  }
  const auto ports = [](const std::vector<State::UsedPort>& list) {
    std::multiset<std::string> out;
    for (const State::UsedPort& u : list)
      out.insert(std::string(u.port.ip) + " " + std::string(u.port.protocol) + " " +
                 std::to_string(u.port.port));
    return out;
  };
  CHECK(ports(overlay.ports()) == ports(v.row(r).ports));
}

TEST_CASE("overlays follow a real cluster") {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const Ref<Cluster> base = cluster(), real = cluster();
    std::vector<PodRef> there;
    int next = 0;
    for (; next < static_cast<int>(seed % 5); ++next) {
      there.push_back(pod(next, random()));
      REQUIRE(base->update_pod(there.back(), "n").ok());
      REQUIRE(real->update_pod(there.back(), "n").ok());
    }
    NodeOverlay overlay(base->view(), base->view().find_node("n"));
    const uint64_t version = base->view().version();
    check_same(overlay, *real);
    for (int step = 0; step < 12; ++step) {
      if (there.empty() || random() % 2 == 0) {
        there.push_back(pod(next++, random()));
        overlay.add(there.back());
        REQUIRE(real->update_pod(there.back(), "n").ok());
      } else {
        const size_t i = random() % there.size();
        CHECK(overlay.remove(*there[i]));
        CHECK_FALSE(overlay.remove(*there[i]));
        REQUIRE(real->remove_pod("d", there[i]->meta.name).ok());
        there.erase(there.begin() + static_cast<std::ptrdiff_t>(i));
      }
      check_same(overlay, *real);
    }
    CHECK(base->view().version() == version);
  }
}

TEST_CASE("an overlay removes by uid, by name only where there is none") {
  const Ref<Cluster> base = cluster();
  NodeOverlay overlay(base->view(), 0);
  const auto named = [](const std::string& meta) {
    Result<PodRef> made = parse_pod("metadata: {" + meta + "}", {});
    REQUIRE(made.ok());
    return *made;
  };
  overlay.add(named("name: a, namespace: d, uid: one"));
  CHECK_FALSE(overlay.remove(*named("name: a, namespace: d, uid: two")));
  CHECK_FALSE(overlay.remove(*named("name: a, namespace: d")));
  CHECK(overlay.remove(*named("name: other, namespace: d, uid: one")));
  overlay.add(named("name: a, namespace: d"));
  CHECK_FALSE(overlay.remove(*named("name: a, namespace: e")));
  CHECK(overlay.remove(*named("name: a, namespace: d")));
  CHECK(overlay.pods().empty());
}

}  // namespace
}  // namespace libsched
