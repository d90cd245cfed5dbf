// Ids, references, errors and packing of a simulated cluster, with a plugin that counts cpu alone.
#include "libsched/scheduler/sim/sim.hpp"

#include <doctest/doctest.h>

#include <string>
#include <thread>

#include "libsched/ingest/ingest.hpp"
#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::sim_test {

Fake cpu() {
  Fake fake;
  fake.name = "Cpu";
  fake.filter = [](const FilterCall& call, const Node& node) {
    const NodeView there = call.node(call.view.find_node(node.meta.name));
    return call.pod.requests.milli_cpu <= there.left(kCpu)
               ? Status()
               : Status(Code::kUnschedulable, "Insufficient cpu");
  };
  return fake;
}

struct World {
  World() : fakes({cpu()}, {}) {
    Result<Ref<Sim>> made = Sim::create(FrameworkRef::share(&fakes.evaluator.framework()), catalog);
    REQUIRE(made.ok());
    sim = *made;
  }
  uint64_t node(int cpus, const std::string& labels = "") {
    return add_node("{metadata: {name: x, labels: {" + labels +
                    "}}, status: {allocatable: {cpu: " + std::to_string(cpus) + ", pods: 110}}}");
  }
  uint64_t add_node(const std::string& document) {
    const Str text = document;
    uint64_t ref = 0;
    const Result<void> done = catalog->parse_nodes({&text, 1}, {}, nullptr, &ref);
    REQUIRE_MESSAGE(done.ok(), done.error().text());
    return ref;
  }
  uint64_t pod(int milli, const std::string& name = "p", bool placed = true,
               const std::string& spec = "") {
    const std::string document =
        "{metadata: {name: " + name + ", namespace: d}, spec: {" + spec +
        "containers: [{name: c, resources: {requests: {cpu: " + std::to_string(milli) + "m}}}]}}";
    const Str text = document;
    uint64_t ref = 0;
    const Result<void> done = catalog->parse_pods({&text, 1}, {}, placed, nullptr, &ref);
    REQUIRE_MESSAGE(done.ok(), done.error().text());
    return ref;
  }
  uint64_t add(uint64_t like, const std::string& name) {
    const Str text = name;
    uint64_t id = 0;
    const Result<void> done = sim->add_nodes(like, {&text, 1}, &id);
    REQUIRE_MESSAGE(done.ok(), done.error().text());
    return id;
  }
  uint64_t place(uint64_t ref, uint64_t on) {
    uint64_t id = 0;
    const Result<void> done = sim->add_pods({&ref, 1}, &on, &id);
    REQUIRE_MESSAGE(done.ok(), done.error().text());
    return id;
  }

  FakeWorld fakes;
  Ref<Catalog> catalog = make_ref<Catalog>();
  Ref<Sim> sim;
};

TEST_CASE("Equal contents have equal references; names and nodes of placed pods are no part") {
  World w;
  CHECK(w.pod(100, "a") == w.pod(100, "b"));
  CHECK(w.pod(100) != w.pod(200));
  CHECK(w.pod(100, "a", true, "nodeName: n1, ") == w.pod(100));
  CHECK(w.pod(100, "a", false, "nodeName: n1, ") != w.pod(100));
  CHECK(w.catalog->pods().size() == 3);
  CHECK(w.node(2) == w.node(2));
  CHECK(w.node(2) != w.node(3));
  CHECK(w.node(2, "kubernetes.io/hostname: x") != w.node(2));
  CHECK(w.node(2, "kubernetes.io/hostname: other") != w.node(2, "kubernetes.io/hostname: x"));
  // Volumes that no plugin looks into are no part, nor is the spelling of the others.
  CHECK(
      w.pod(100, "a", true,
            "volumes: [{name: kube-api-access-x1, projected: {sources: []}}, {name: c, configMap: "
            "{name: m}}], ") == w.pod(100));
  const uint64_t claim =
      w.pod(100, "a", true, "volumes: [{name: v, persistentVolumeClaim: {claimName: c}}], ");
  CHECK(claim != w.pod(100));
  CHECK(claim == w.pod(100, "a", true,
                       "volumes: [{persistentVolumeClaim: {readOnly: false, claimName: c}, name: "
                       "v}], "));
  // A reference to a node is none to a pod.
  CHECK(!w.catalog->pods().has(w.node(2)));
  CHECK(!w.catalog->nodes().has(w.pod(100)));
}

TEST_CASE("Further bytes make contents different") {
  World w;
  const std::string document = "{metadata: {name: a}, spec: {containers: [{name: c}]}}";
  const Str texts[] = {document, document, document};
  const Str extras[] = {"gold", "", "gold"};
  uint64_t refs[3] = {};
  REQUIRE(w.catalog->parse_pods(texts, {}, true, extras, refs).ok());
  CHECK(refs[0] == refs[2]);
  CHECK(refs[0] != refs[1]);
}

TEST_CASE("A document that is wrong is named by its index, and nothing is added") {
  World w;
  const std::string good = "{metadata: {name: a}, spec: {containers: [{name: c}]}}";
  const std::string bad =
      "{metadata: {name: a}, spec: {containers: [{resources: {requests: {cpu: x}}}]}}";
  const Str texts[] = {good, bad};
  uint64_t refs[2] = {7, 7};
  const Result<void> done = w.catalog->parse_pods(texts, {}, true, nullptr, refs);
  REQUIRE(!done.ok());
  CHECK(done.error().path == "[1].spec.containers[0].resources.requests.cpu");
  CHECK(w.catalog->pods().size() == 0);
  CHECK(refs[0] == 7);
}

TEST_CASE("The hostname follows the name where it did") {
  World w;
  const uint64_t id = w.add(w.node(2, "kubernetes.io/hostname: x"), "n7");
  const View& v = w.sim->view();
  CHECK(find_label(v.node(index_of(id))->meta.labels, "kubernetes.io/hostname")->value == "n7");
  const uint64_t other = w.add(w.node(2, "kubernetes.io/hostname: other"), "n8");
  CHECK(find_label(v.node(index_of(other))->meta.labels, "kubernetes.io/hostname")->value ==
        "other");
}

TEST_CASE("Ids of what is gone are stale, also when the place is taken again, and come back") {
  World w;
  const uint64_t shape = w.node(4), small = w.pod(100);
  const uint64_t n1 = w.add(shape, "n1"), p1 = w.place(small, n1);
  REQUIRE(w.sim->fork().ok());
  REQUIRE(w.sim->remove_node(n1).ok());
  CHECK(!w.sim->has_node(n1));
  CHECK(!w.sim->has_pod(p1));
  const uint64_t n2 = w.add(shape, "n2"), p2 = w.place(small, n2);
  CHECK(n2 != n1);
  CHECK(p2 != p1);
  CHECK(w.sim->check(small, n1, {}).error().rc == Rc::kStale);
  CHECK(w.sim->remove_pods({&p1, 1}).error().rc == Rc::kStale);
  REQUIRE(w.sim->revert().ok());
  CHECK(w.sim->has_node(n1));
  CHECK(w.sim->has_pod(p1));
  CHECK(!w.sim->has_node(n2));
  CHECK(!w.sim->has_pod(p2));
  CHECK(w.sim->pod_node(p1) == n1);
  // Ids of a fork that was reverted are not given again.
  const uint64_t n3 = w.add(shape, "n3");
  CHECK(n3 != n2);
}

TEST_CASE("A change that fails leaves all as it was") {
  World w;
  const uint64_t shape = w.node(4), small = w.pod(100);
  const uint64_t n1 = w.add(shape, "n1");
  const uint64_t version = w.sim->view().version();
  const Str names[] = {"n2", "n1"};
  const Result<void> twice = w.sim->add_nodes(shape, names, nullptr);
  REQUIRE(!twice.ok());
  CHECK(twice.error().rc == Rc::kExists);
  CHECK(twice.error().path == "names[1]");
  const Str empty[] = {Str()};
  CHECK(w.sim->add_nodes(shape, empty, nullptr).error().rc == Rc::kInvalid);
  CHECK(w.sim->add_nodes(small, {&names[0], 1}, nullptr).error().rc == Rc::kStale);
  const uint64_t pods[] = {small, shape}, on[] = {n1, n1};
  CHECK(w.sim->add_pods(pods, on, nullptr).error().path == "pods[1]");
  const uint64_t bad[] = {n1, n1 + 5};
  const uint64_t two[] = {small, small};
  CHECK(w.sim->add_pods(two, bad, nullptr).error().path == "nodes[1]");
  CHECK(w.sim->commit().error().rc == Rc::kState);
  CHECK(w.sim->revert().error().rc == Rc::kState);
  const uint64_t p = w.place(small, n1);
  const uint64_t same[] = {p, p};
  CHECK(w.sim->remove_pods(same).error().rc == Rc::kStale);
  CHECK(w.sim->has_pod(p));
  REQUIRE(w.sim->remove_pods({&p, 1}).ok());
  CHECK(w.sim->order().size() == 1);
  CHECK(w.sim->view().pod_count() == 0);
  CHECK(version != w.sim->view().version());
}

TEST_CASE("Resetting ends forks; a wrong one changes nothing") {
  World w;
  const uint64_t shape = w.node(4), small = w.pod(100);
  const uint64_t old = w.add(shape, "old");
  REQUIRE(w.sim->fork().ok());
  const uint64_t nodes[] = {shape, shape}, pods[] = {small, small, small};
  const Str names[] = {"a", "b"};
  uint32_t on[] = {0, 1, 2};
  uint64_t node_ids[2] = {}, pod_ids[3] = {};
  Sim::Reset to;
  to.nodes = nodes;
  to.names = names;
  to.pods = pods;
  to.on_node = on;
  to.node_ids = node_ids;
  to.pod_ids = pod_ids;
  CHECK(w.sim->reset(to).error().path == "on_node[2]");
  CHECK(w.sim->has_node(old));
  CHECK(w.sim->fork_depth() == 1);
  on[2] = 1;
  REQUIRE(w.sim->reset(to).ok());
  CHECK(w.sim->fork_depth() == 0);
  CHECK(!w.sim->has_node(old));
  CHECK(w.sim->pod_node(pod_ids[2]) == node_ids[1]);
  CHECK(w.sim->position(node_ids[1]) == 1);
}

TEST_CASE("Many pods of one change come or stay away together") {
  constexpr size_t kMany = 10'000;  // more than one piece of put_pods()
  World w;
  const uint64_t shape = w.node(4), small = w.pod(100), other = w.pod(200);
  std::string document =
      "{metadata: {name: p}, spec: {containers: [{name: c, resources: {requests: {";
  for (int i = 0; i < 1025; ++i) document += "example.com/r" + std::to_string(i) + ": 1, ";
  document += "}}}]}}";
  const Str text = document;
  uint64_t too_many_resources = 0;
  REQUIRE(w.catalog->parse_pods({&text, 1}, {}, true, nullptr, &too_many_resources).ok());
  const uint64_t n1 = w.add(shape, "n1"), n2 = w.add(shape, "n2");
  const uint64_t first = w.place(small, n1);
  std::vector<uint64_t> pods(kMany, small), on(kMany, n1), ids(kMany, 7);
  std::vector<uint32_t> on_node(kMany, 0);
  for (size_t i = 1; i < kMany; i += 2) on[i] = n2;
  const auto as_before = [&] {
    CHECK(w.sim->view().pod_count() == 1);
    CHECK(w.sim->has_pod(first));
    CHECK(w.sim->view().row(index_of(n1)).pods.size() == 1);
    CHECK(w.sim->view().row(index_of(n2)).pods.empty());
    CHECK(w.sim->order().size() == 2);
    CHECK(ids == std::vector<uint64_t>(kMany, 7));
  };
  const Str names[] = {"a", "b"};
  const uint64_t nodes[] = {shape, shape};
  Sim::Reset to;
  to.nodes = nodes;
  to.names = names;
  to.pods = pods;
  to.on_node = on_node.data();
  to.pod_ids = ids.data();
  for (const uint64_t bad : {too_many_resources, shape}) {
    pods.back() = bad;
    const Rc expected = bad == shape ? Rc::kStale : Rc::kLimit;
    CHECK(w.sim->add_pods(pods, on.data(), ids.data()).error().rc == expected);
    as_before();
    CHECK(w.sim->reset(to).error().rc == expected);
    as_before();
    CHECK(w.sim->has_node(n1));
    CHECK(w.sim->find_node("a") == 0);
  }
  for (size_t i = 0; i < kMany; i += 3) pods[i] = other;
  pods.back() = small;
  REQUIRE(w.sim->fork().ok());
  // The first round takes new slots, the second one those that some pods have left.
  for (int round = 0; round < 2; ++round) {
    REQUIRE(w.sim->add_pods(pods, on.data(), ids.data()).ok());
    bool right = true;
    for (size_t i = 0; i < kMany; ++i)
      right = right && w.sim->pod_node(ids[i]) == on[i] && w.sim->pod_ref(ids[i]) == pods[i];
    CHECK(right);
    if (round == 0) {
      std::vector<uint64_t> some;
      for (size_t i = 0; i < kMany; i += 2) some.push_back(ids[i * 7 % kMany]);
      REQUIRE(w.sim->remove_pods(some).ok());
    }
  }
  CHECK(w.sim->view().pod_count() == 1 + kMany + kMany / 2);
  const std::vector<uint64_t> gone = ids;
  REQUIRE(w.sim->revert().ok());
  for (const uint64_t id : gone) REQUIRE(!w.sim->has_pod(id));
  ids.assign(kMany, 7);
  as_before();
}

TEST_CASE("A catalog forgets what was not looked up, but nothing that is placed") {
  World w;
  const uint64_t shape = w.node(4), placed = w.pod(100), unused = w.pod(200);
  const uint64_t n1 = w.add(shape, "n1");
  const uint64_t p = w.place(placed, n1);
  CHECK(w.catalog->age(0) == 0);  // all were added in this age
  CHECK(w.catalog->age(0) == 1);
  CHECK(!w.catalog->pods().has(unused));
  CHECK(w.catalog->pods().has(placed));
  CHECK(w.catalog->nodes().has(shape));
  CHECK(w.sim->check(unused, n1, {}).error().rc == Rc::kStale);
  CHECK(w.pod(200) != unused);
  // What is touched counts as looked up.
  const uint64_t kept = w.pod(300);
  w.catalog->age(0);
  w.catalog->touch_pods({&kept, 1});
  w.catalog->touch_pods({&unused, 1});
  CHECK(w.catalog->age(0) == 1);
  CHECK(w.catalog->pods().has(kept));
  // A revert may bring it back.
  REQUIRE(w.sim->fork().ok());
  REQUIRE(w.sim->remove_node(n1).ok());
  w.catalog->age(0);
  w.catalog->age(0);
  CHECK(w.catalog->pods().has(placed));
  CHECK(w.catalog->nodes().has(shape));
  REQUIRE(w.sim->revert().ok());
  CHECK(w.sim->has_pod(p));
  REQUIRE(w.sim->remove_node(n1).ok());
  w.catalog->age(0);
  CHECK(!w.catalog->pods().has(placed));
  CHECK(!w.catalog->nodes().has(shape));
}

TEST_CASE("Packing fills new nodes with the largest pods first, and stays in a fork") {
  World w;
  const uint64_t shape = w.node(4);
  const SimGroup groups[] = {{w.pod(1000), 5}, {w.pod(3000), 3}};
  SimPackOptions options;
  options.prefix = "new-";
  const Result<const SimPacking*> packed = w.sim->bin_pack(groups, shape, options);
  REQUIRE(packed.ok());
  const SimPacking& p = **packed;
  // Three nodes have a large pod and a small pod each, the fourth two small ones.
  CHECK(p.nodes.size() == 4);
  CHECK(p.placed == 8);
  CHECK(p.on_node == std::vector<int32_t>{0, 1, 2, 3, 3, 0, 1, 2});
  CHECK(p.stop == SimStop::kNone);
  CHECK(w.sim->fork_depth() == 1);
  CHECK(w.sim->view().row(index_of(p.nodes[3])).name == "new-3");
  CHECK(w.sim->pod_node(p.pod_ids[0]) == p.nodes[0]);
  REQUIRE(w.sim->revert().ok());
  CHECK(w.sim->order().empty());
}

TEST_CASE("Packing ends at its limits, and stops adding nodes that would not help") {
  World w;
  const uint64_t shape = w.node(4);
  const SimGroup groups[] = {{w.pod(3000), 10}, {w.pod(500), 4}};
  SimPackOptions options;
  options.prefix = "new-";
  options.max_nodes = 2;
  const SimPacking* p = *w.sim->bin_pack(groups, shape, options);
  CHECK(p->nodes.size() == 2);
  CHECK(p->stop == SimStop::kNodes);
  CHECK(p->placed == 6);  // two large ones and the small ones beside them
  REQUIRE(w.sim->revert().ok());
  options.max_nodes = 0;
  int left = 1;
  options.user_data = &left;
  options.permit = [](void* data) { return (*static_cast<int*>(data))-- > 0; };
  p = *w.sim->bin_pack(groups, shape, options);
  CHECK(p->nodes.size() == 1);
  CHECK(p->stop == SimStop::kPermit);
  REQUIRE(w.sim->revert().ok());
  const SimGroup too_large[] = {{w.pod(5000), 10}};
  p = *w.sim->bin_pack(too_large, shape, {});
  CHECK(p->nodes.size() == 1);
  CHECK(p->placed == 0);
  REQUIRE(w.sim->revert().ok());
  std::atomic<bool> cancel{true};
  SimPackOptions cancelled;
  cancelled.limits.cancel = &cancel;
  p = *w.sim->bin_pack(groups, shape, cancelled);
  CHECK(p->stop == SimStop::kDeadline);
  CHECK(p->placed == 0);
  REQUIRE(w.sim->revert().ok());
  const SimGroup stale[] = {{shape, 1}};
  CHECK(w.sim->bin_pack(stale, shape, {}).error().rc == Rc::kStale);
  CHECK(w.sim->fork_depth() == 0);
}

TEST_CASE("Pods of new nodes count, and names that exist are left out") {
  World w;
  const uint64_t shape = w.node(4), daemon = w.pod(2000);
  w.add(w.node(1), "new-0");
  const SimGroup groups[] = {{w.pod(1000), 4}};
  SimPackOptions options;
  options.prefix = "new-";
  options.node_pods = {&daemon, 1};
  const SimPacking* p = *w.sim->bin_pack(groups, shape, options);
  CHECK(p->nodes.size() == 2);
  CHECK(w.sim->view().row(index_of(p->nodes[0])).name == "new-1");
  CHECK(w.sim->view().row(index_of(p->nodes[0])).pods.size() == 3);
  REQUIRE(w.sim->revert().ok());
  options.existing_too = true;
  p = *w.sim->bin_pack(groups, shape, options);
  CHECK(p->on_node[0] == SimPacking::kOnOther);
  CHECK(p->nodes.size() == 2);
  REQUIRE(w.sim->revert().ok());
}

TEST_CASE("Packing goes by what containers request, without init containers") {
  World w;
  const uint64_t starts =
      w.pod(1000, "p", true, "initContainers: [{name: i, resources: {requests: {cpu: 4000m}}}], ");
  const SimGroup groups[] = {{starts, 1}, {w.pod(2000), 1}};
  const SimPacking* p = *w.sim->bin_pack(groups, w.node(4), {});
  CHECK(p->on_node == std::vector<int32_t>{1, 0});
  REQUIRE(w.sim->revert().ok());
}

TEST_CASE("Packing searches no nodes with spec.unschedulable, but tries the latest one") {
  World w;
  const uint64_t closed = w.add_node(
      "{metadata: {name: x}, spec: {unschedulable: true}, status: {allocatable: {cpu: 4, pods: "
      "110}}}");
  const SimGroup groups[] = {{w.pod(3000), 2}, {w.pod(1000), 2}};
  const SimPacking* p = *w.sim->bin_pack(groups, closed, {});
  CHECK(p->on_node == std::vector<int32_t>{0, 1, 1, 2});
  REQUIRE(w.sim->revert().ok());
}

TEST_CASE("A pod that found no node is passed over until another call") {
  World w;
  w.add(w.node(2), "n1");
  const uint64_t large = w.pod(3000), small = w.pod(500);
  const uint64_t pods[] = {large, small, large, small};
  SimHit hits[4];
  SimPlaceOptions options;
  const Result<SimPlaced> placed = w.sim->place_many(pods, {}, options, hits);
  REQUIRE(placed.ok());
  CHECK(placed->placed == 2);
  CHECK(hits[0].node == 0);
  CHECK(hits[3].pod != 0);
  options.stop_at_failure = true;
  CHECK(w.sim->place_many(pods, {}, options, hits)->placed == 0);
  CHECK(hits[1].node == 0);
  const uint64_t wrong[] = {small, 12345};
  const size_t before = w.sim->view().pod_count();
  CHECK(w.sim->place_many(wrong, {}, {}, hits).error().rc == Rc::kStale);
  CHECK(w.sim->view().pod_count() == before);
}

TEST_CASE("As by the autoscaler, priorities and then hints decide whose turn it is") {
  World w;
  const uint64_t n0 = w.add(w.node(1), "n0"), n1 = w.add(w.node(1), "n1");
  const uint64_t cordoned = w.add(
      w.add_node("{metadata: {name: x}, spec: {unschedulable: true}, status: {allocatable: {cpu: "
                 "1, pods: 110}}}"),
      "n2");
  const uint64_t low = w.pod(1000), high = w.pod(1000, "p", true, "priority: 7, ");
  const uint64_t pods[] = {low, low, high, high};
  const uint64_t hints[] = {0, n0, 0, cordoned};
  SimQuery query;
  query.skip_unschedulable = true;
  SimPlaceOptions options;
  options.hints = hints;
  SimHit hits[4];
  REQUIRE(w.sim->fork().ok());
  CHECK(w.sim->place_many(pods, query, options, hits)->placed == 2);
  CHECK(hits[0].node == n0);
  CHECK(hits[1].node == n1);
  REQUIRE(w.sim->revert().ok());
  options.as_autoscaler = true;
  REQUIRE(w.sim->fork().ok());
  CHECK(w.sim->place_many(pods, query, options, hits)->placed == 3);
  CHECK(hits[3].node == cordoned);
  CHECK(hits[2].node == n0);
  CHECK(hits[0].node == n1);
  CHECK(hits[1].node == 0);
  REQUIRE(w.sim->revert().ok());
  // A failure ends its priority alone.
  const uint64_t huge = w.pod(5000, "p", true, "priority: 7, ");
  const uint64_t mixed[] = {low, huge, high, low};
  options.hints = nullptr;
  options.stop_at_failure = true;
  REQUIRE(w.sim->fork().ok());
  CHECK(w.sim->place_many(mixed, query, options, hits)->placed == 2);
  CHECK(hits[1].node == 0);
  CHECK(hits[2].node == 0);
  CHECK(hits[0].node == n0);
  CHECK(hits[3].node == n1);
  REQUIRE(w.sim->revert().ok());
}

TEST_CASE("Searches take an order, a set, cordoned nodes and a part of the ring") {
  World w;
  const uint64_t shape = w.node(4);
  const uint64_t cordoned = w.add_node(
      "{metadata: {name: x}, spec: {unschedulable: true}, status: {allocatable: {cpu: 4, pods: "
      "9}}}");
  const uint64_t ids[] = {w.add(cordoned, "a"), w.add(shape, "b"), w.add(shape, "c")};
  const uint64_t small = w.pod(100);
  SimVerdict why;
  const auto first = [&](const SimQuery& q) { return w.sim->first(small, q, &why)->node; };
  SimQuery query;
  CHECK(first(query) == ids[0]);  // the profile has no plugin for it
  query.skip_unschedulable = true;
  CHECK(first(query) == ids[1]);
  const uint64_t order[] = {ids[2], ids[0]};
  query.order = order;
  query.order_given = true;
  CHECK(first(query) == ids[2]);
  query = {};
  query.start = 2;
  CHECK(first(query) == ids[2]);
  query.start = 4;
  CHECK(first(query) == ids[1]);
  const uint64_t accept = uint64_t{1} << index_of(ids[2]);
  query.accept = {&accept, 1};
  query.accept_given = true;
  CHECK(first(query) == ids[2]);
  query.count = 1;
  CHECK(first(query) == 0);
  CHECK(why.stage == SimStage::kNoNode);
  query = {};
  query.place = true;
  const Result<SimHit> hit = w.sim->first(small, query, &why);
  CHECK(w.sim->pod_node(hit->pod) == ids[0]);
  const uint64_t stale[] = {ids[0], ids[1] + (uint64_t{9} << 32)};
  query = {};
  query.order = stale;
  query.order_given = true;
  CHECK(w.sim->first(small, query, &why).error().rc == Rc::kStale);
}

TEST_CASE("Ids and references of another Sim and Catalog are stale") {
  World a, b;
  const uint64_t shape = a.node(4), pod = a.pod(100);
  const uint64_t there = a.add(shape, "n");
  uint64_t on = 0;
  REQUIRE(a.sim->add_pods({&pod, 1}, &there, &on).ok());
  const uint64_t shape_b = b.node(4), pod_b = b.pod(100);
  const uint64_t there_b = b.add(shape_b, "n");
  uint64_t on_b = 0;
  REQUIRE(b.sim->add_pods({&pod_b, 1}, &there_b, &on_b).ok());
  const Str name = "m";
  uint64_t id = 0;
  CHECK(b.sim->add_nodes(shape, {&name, 1}, &id).error().rc == Rc::kStale);
  CHECK(b.sim->add_pods({&pod, 1}, &there_b, &id).error().rc == Rc::kStale);
  CHECK(b.sim->add_pods({&pod_b, 1}, &there, &id).error().rc == Rc::kStale);
  CHECK(b.sim->remove_node(there).error().rc == Rc::kStale);
  CHECK(b.sim->remove_pods({&on, 1}).error().rc == Rc::kStale);
  CHECK(b.sim->has_node(there_b));
  CHECK(b.sim->remove_pods({&on_b, 1}).ok());
}

TEST_CASE("What a plugin of another origin says is never kept") {
  size_t filtered = 0, pre_filtered = 0;
  Fake fake;
  fake.name = "Mine";
  fake.pre_filter = [&](const PreFilterCall&, PreFilterResult*) {
    ++pre_filtered;
    return Status();
  };
  fake.filter = [&](const FilterCall&, const Node&) {
    ++filtered;
    return Status(Code::kUnschedulable, "no");
  };
  FakeWorld fakes({fake}, {});
  World w;
  w.sim = *Sim::create(FrameworkRef::share(&fakes.evaluator.framework()), w.catalog);
  constexpr size_t kMany = 300;  // enough nodes for verdicts to be kept
  const uint64_t shape = w.node(4), pod = w.pod(100);
  for (size_t i = 0; i < kMany; ++i) w.add(shape, "n" + std::to_string(i));
  SimVerdict why;
  for (size_t question = 1; question < 5; ++question) {
    CHECK(w.sim->first(pod, {}, &why)->node == 0);
    CHECK(pre_filtered == question);
    CHECK(filtered == question * kMany);
  }
}

TEST_CASE("A plugin that asks the Sim that is asking it is refused, and the search goes on") {
  Sim* asking = nullptr;
  uint64_t pod = 0, first = 0;
  size_t refused = 0;
  Fake fake;
  fake.name = "Curious";
  fake.filter = [&](const FilterCall&, const Node& node) {
    SimQuery other;
    other.order = {&first, 1};
    other.order_given = true;
    SimVerdict why;
    refused += asking->first(pod, other, &why).error().rc == Rc::kMisuse ? 1 : 0;
    return node.meta.name == "n2" ? Status() : Status(Code::kUnschedulable, "no");
  };
  FakeWorld fakes({fake}, {});
  World w;
  w.sim = *Sim::create(FrameworkRef::share(&fakes.evaluator.framework()), w.catalog);
  asking = w.sim.get();
  pod = w.pod(100);
  std::vector<uint64_t> order;
  for (const char* name : {"n0", "n1", "n2"}) order.push_back(w.add(w.node(4), name));
  first = order[0];
  SimQuery query;
  query.order = order;
  query.order_given = true;
  SimVerdict why;
  const Result<SimHit> hit = w.sim->first(pod, query, &why);
  REQUIRE_MESSAGE(hit.ok(), hit.error().text());
  CHECK(hit->node == order[2]);
  CHECK(hit->position == 2);
  CHECK(refused == 3);
}

TEST_CASE("Texts of verdicts are kept once, and the oldest go") {
  VerdictTexts texts;
  Status no(Code::kUnschedulable, "no");
  no.plugin = "P";
  const uint32_t first = texts.of(no);
  CHECK(texts.of(no) == first);
  CHECK(texts.of_excluders({"P"}) != first);
  for (uint32_t i = 0; i < VerdictTexts::kValid - 2; ++i)
    texts.of(Status(Code::kUnschedulable, std::to_string(i)));
  CHECK(texts.find(texts.of(no))->reasons[0] == "no");
  CHECK(texts.find(first) != nullptr);
  for (uint32_t i = 0; i < 3 * VerdictTexts::kValid; ++i)
    texts.of(Status(Code::kUnschedulable, "x" + std::to_string(i)));
  CHECK(texts.find(first) == nullptr);
  const uint32_t again = texts.of(no);
  CHECK(texts.find(again)->plugin == "P");
  CHECK(texts.find(0) == nullptr);
}

TEST_CASE("Threads share a catalog") {
  World w;
  std::vector<std::thread> threads;
  std::vector<std::vector<uint64_t>> refs(4);
  for (size_t t = 0; t < refs.size(); ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const std::string document =
            "{metadata: {name: a}, spec: {containers: [{name: c, resources: {requests: {cpu: " +
            std::to_string(i) + "m}}}]}}";
        const Str text = document;
        uint64_t ref = 0;
        if (w.catalog->parse_pods({&text, 1}, {}, true, nullptr, &ref).ok()) refs[t].push_back(ref);
        w.catalog->age(4 * 50);  // as many ages as there are: nothing is forgotten
      }
    });
  for (std::thread& t : threads) t.join();
  for (const std::vector<uint64_t>& mine : refs) CHECK(mine == refs[0]);
  CHECK(w.catalog->pods().size() == 50);
}

}  // namespace libsched::sim_test
