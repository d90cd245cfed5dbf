// At every step a NodeView of a copy shows the same as the node of a real cluster after adding and
// removing the same pods.
#include "libsched/cluster/node_view.hpp"
#include "libsched/ingest/ingest.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>

#include "libsched/cluster/cluster.hpp"

namespace libsched::node_view_test {

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
  const std::string volume =
      pick({"", "persistentVolumeClaim: {claimName: c}", "ephemeral: {}", "emptyDir: {}",
            "csi: {driver: d}", "persistentVolumeClaim: {claimName: ''}"});
  const std::string n = std::to_string(i);
  Result<PodRef> made =
      parse_pod("metadata: {name: p" + n + ", namespace: d, uid: u" + n +
                    "}\nspec: {nodeName: 'n', containers: [{name: c, resources: {requests: {" +
                    resources + "}}, ports: [" + (port.empty() ? "" : "{" + port + "}") +
                    "]}], volumes: [" + (volume.empty() ? "" : "{name: v, " + volume + "}") + "]}",
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

std::string names(const NodeView& node) {
  std::string out;
  for (size_t i = 0; i < node.pod_count(); ++i) out += std::string(node.pod(i).meta.name) + " ";
  std::string walked;
  CHECK_FALSE(node.any_pod([&](const Pod& p) {
    walked += std::string(p.meta.name) + " ";
    return false;
  }));
  CHECK(walked == out);
  if (node.pod_count() != 0) CHECK(node.any_pod([](const Pod&) { return true; }));
  return out;
}

std::multiset<std::string> ports(const NodeView& node) {
  std::multiset<std::string> out;
  for (const UsedPorts::Port& u : node.ports())
    out.insert(std::string(u.port.ip) + " " + std::string(u.port.protocol) + " " +
               std::to_string(u.port.port));
  return out;
}

void check_same(const NodeView& have, const Cluster& real) {
  const View& v = real.view();
  const NodeView want(v, v.find_node("n"));
  CHECK(have.name() == want.name());
  CHECK(&have.node() == have.view().node(have.row()));
  CHECK(names(have) == names(want));
  CHECK(ports(have) == ports(want));
  CHECK(have.volumes().claiming_pods == want.volumes().claiming_pods);
  CHECK(have.volumes().driver_volumes == want.volumes().driver_volumes);
  CHECK(have.volumes().inline_pods == want.volumes().inline_pods);
  for (uint32_t id = 0; id < v.columns().count(); ++id) {
    const Str name = v.columns().resource(id).name;
    CAPTURE(name);
    const auto check_all = [&](const NodeView& node) {
      CHECK(node.left(name) == v.columns().left(id, want.row()));
      CHECK(node.allocatable(name) == v.columns().allocatable(id, want.row()));
      CHECK(node.requested(name) == v.columns().requested(id, want.row()));
      const uint32_t mine = node.view().columns().find(name);
      if (mine == kNoId) return;
      CHECK(node.left(mine) == node.left(name));
      CHECK(node.allocatable(mine) == node.allocatable(name));
    };
    check_all(have);
    check_all(want);
  }
  CHECK(have.left("a.b/nobody") == 0);
  CHECK(have.allocatable("a.b/nobody") == 0);
  CHECK(have.requested("a.b/nobody") == 0);
}

TEST_CASE("copies of a node follow a real cluster") {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const Ref<Cluster> base = cluster(), real = cluster(), untouched = cluster();
    std::vector<PodRef> there;
    int next = 0;
    for (; next < static_cast<int>(seed % 5); ++next) {
      there.push_back(pod(next, random()));
      REQUIRE(base->update_pod(there.back(), "n").ok());
      REQUIRE(real->update_pod(there.back(), "n").ok());
      REQUIRE(untouched->update_pod(there.back(), "n").ok());
    }
    NodeOverlay overlay(base->view(), base->view().find_node("n"));
    const uint64_t version = base->view().version();
    const NodeView row(base->view(), base->view().find_node("n"));
    CHECK_FALSE(row.is_copy());
    CHECK(NodeView(overlay).is_copy());
    check_same(row, *real);
    check_same(NodeView(overlay), *real);
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
      check_same(NodeView(overlay), *real);
      check_same(NodeView(NodeView(overlay).copy()), *real);
    }
    check_same(NodeView(row.copy()), *untouched);
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

}  // namespace libsched::node_view_test
