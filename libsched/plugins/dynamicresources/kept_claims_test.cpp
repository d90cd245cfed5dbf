// What the plugin keeps from cycle to cycle has no influence: a framework that has judged all
// states of a cluster answers as one that was just made.
#include <array>
#include <random>
#include <thread>

#include "libsched/ingest/write/write.hpp"
#include "libsched/plugins/dynamicresources/claim_shape.hpp"
#include "libsched/plugins/dynamicresources/device_state.hpp"
#include "libsched/plugins/trial_test.hpp"

namespace libsched::kept_claims_test {

constexpr int kNodes = 9;

std::string number(size_t i) { return std::to_string(i); }

std::string node(size_t i, size_t zone) {
  return "---\napiVersion: v1\nkind: Node\nmetadata: {name: n" + number(i) + ", labels: {zone: z" +
         number(zone) + "}}\nstatus: {allocatable: {pods: 10}}\n";
}

// Random documents of a small world, most of them valid.
class Writer {
 public:
  // Of even seeds without counters.
  explicit Writer(uint64_t seed) : random_(seed), counts_(seed % 2 != 0) {}

  size_t below(size_t n) { return random_() % n; }
  bool chance(size_t one_in) { return below(one_in) == 0; }

  std::string device(size_t i) {
    std::string out = "{name: d" + number(i) +
                      ", attributes: {model: {string: " + (chance(2) ? "a" : "b") +
                      "}}, capacity: {memory: {value: 8Gi}}";
    if (chance(3)) out += ", allowMultipleAllocations: true";
    if (chance(6)) out += ", taints: [{key: k, value: v, effect: NoSchedule}]";
    if (counting_)
      out += ", consumesCounters: [{counterSet: c, counters: {slots: {value: '" +
             number(1 + below(2)) + "'}}}]";
    if (by_device_) out += chance(2) ? ", allNodes: true" : ", nodeName: n" + number(below(kNodes));
    return out + "}";
  }
  // The slices of one pool: of a node, of all nodes, of a zone, or device by device.
  std::string pool(size_t i) {
    const std::string name = chance(8) ? "p1" : "p" + number(i);
    counting_ = counts_ && chance(3);
    by_device_ = false;
    const std::string head =
        "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s" + number(i) +
        "}\nspec: {driver: " + (chance(30) ? "other" : "d") + ", pool: {name: " + name +
        ", generation: " + number(1 + below(8) / 7) +
        ", resourceSliceCount: " + (counting_ || chance(30) ? "2" : "1") + "}, ";
    std::string where = "nodeName: n" + number(i % kNodes);
    switch (below(6)) {
      case 0: where = "allNodes: true"; break;
      case 1:
        where =
            "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, "
            "values: [z0, z2]}]}]}";
        break;
      case 2:
        where = "perDeviceNodeSelection: true";
        by_device_ = true;
        break;
      default: break;
    }
    std::string out = head + where + ", devices: [";
    for (size_t d = 0, n = 1 + below(4); d < n; ++d) out += device(d) + ", ";
    out += "]}\n";
    if (counting_)
      out += std::string(head).replace(head.find("{name: s"), 8, "{name: c") + where +
             ", sharedCounters: [{name: c, counters: {slots: {value: '" + number(2 + below(3)) +
             "'}}}]}\n";
    return out;
  }
  std::string exactly(bool alternative = false) {
    std::string out = "deviceClassName: " + std::string(chance(3) ? "a" : "any");
    out += chance(9) ? ", allocationMode: All"
                     : ", allocationMode: ExactCount, count: " + number(1 + below(5) / 3);
    if (chance(4))
      out +=
          ", selectors: [{cel: {expression: \"device.driver == 'd' && device.attributes['d'].model "
          "== 'b'\"}}]";
    if (!alternative && chance(8)) out += ", adminAccess: true";
    if (chance(4)) out += ", tolerations: [{operator: Exists}]";
    if (chance(3)) out += ", capacity: {requests: {memory: " + number(1 + below(5)) + "Gi}}";
    return out;
  }
  std::string claim(size_t i, bool allocated) {
    std::string out =
        "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c" + number(i) +
        ", namespace: default, uid: u" + number(i) + "}\nspec: {devices: {requests: [";
    if (chance(3)) {
      out += "{name: r, firstAvailable: [{name: x, " + exactly(true) + "}, {name: w, " +
             exactly(true) + "}]}";
    } else {
      out += "{name: r, exactly: {" + exactly() + "}}";
    }
    out += "]";
    if (chance(6)) out += ", constraints: [{matchAttribute: d/model}]";
    out += "}}\n";
    if (!allocated) return out;
    out += "status: {allocation: {devices: {results: [";
    for (size_t d = 0, n = 1 + below(2); d < n; ++d) {
      out += "{request: r, driver: d, pool: p" + number(below(kNodes)) + ", device: d" +
             number(below(4));
      if (chance(3))
        out += ", shareID: 6b7f7c2e-0000-4000-8000-00000000000" + number(below(9)) +
               ", consumedCapacity: {memory: " + number(1 + below(4)) + "Gi}";
      if (chance(9)) out += ", adminAccess: true";
      out += "}, ";
    }
    return out + "]}}}\n";
  }

 private:
  std::mt19937_64 random_;
  const bool counts_;
  bool counting_ = false, by_device_ = false;
};

const char* const kClasses =
    "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: any}\nspec: "
    "{extendedResourceName: example.com/any}\n"
    "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\nspec: "
    "{selectors: "
    "[{cel: {expression: \"device.driver == 'd' && device.attributes['d'].model == 'a'\"}}]}\n";

FrameworkRef new_framework() {
  const Result<ConfigRef> config = parse_config(
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: "
      "[{schedulerName: s, plugins: {multiPoint: {enabled: [{name: DynamicResources}], disabled: "
      "[{name: '*'}]}, queueSort: {enabled: [{name: PrioritySort}]}, bind: {enabled: [{name: "
      "DefaultBinder}]}}}]\n");
  REQUIRE_MESSAGE(config.ok(), config.error().text());
  const Result<FrameworkRef> made =
      Framework::create(*config, "s", in_tree_registry(), FeatureGates());
  REQUIRE_MESSAGE(made.ok(), made.error().text());
  return *made;
}

std::string document_of(const Cluster& cluster, Str claim) {
  JsonText text;
  write_stored(text, StoredKind::kResourceClaim,
               *cluster.view().objects().find<ResourceClaim>("default", claim));
  return text.take();
}

// All that the plugin says about a pod: PreFilter's status, that of each node, the chosen node with
// its score, and what becomes of the claims there.
std::string answers(Evaluator& evaluator, Cluster& cluster, const Pod& pod, bool first_all) {
  CycleState state;
  const Result<Status> ran = evaluator.run_pre_filter(state, pod);
  if (!ran.ok()) return "error: " + ran.error().text();
  std::string out = text_of(*ran) + "\n";
  if (!ran->success()) return out;
  const View& view = cluster.view();
  std::vector<uint64_t> bits(view.word_count());
  const auto whole = [&] {
    const auto done = evaluator.filter_nodes(state, pod, {}, bits.data(), bits.size());
    if (!done.ok()) out += done.error().text() + "\n";
    return done.ok();
  };
  if (first_all && !whole()) return out;
  uint32_t last = kNoId;
  view.live().for_each([&](size_t r) {
    Status one;
    REQUIRE(evaluator.run_filter(state, pod, static_cast<uint32_t>(r), &one).ok());
    out += view.row(static_cast<uint32_t>(r)).name + " " + text_of(one) + "\n";
    if (one.success()) last = static_cast<uint32_t>(r);
  });
  if (!first_all && !whole()) return out;
  const Result<Ref<const Decision>> decision = evaluator.check(pod, {}, false);
  REQUIRE(decision.ok());
  for (size_t i = 0; i < (*decision)->scores.rows.size(); ++i)
    out += number((*decision)->scores.rows[i]) + "=" + number((*decision)->scores.totals[i]) + " ";
  if (last == kNoId || pod.spec.resource_claims.empty()) return out;
  const Result<Status> assumed = evaluator.assume(state, pod, last);
  REQUIRE(assumed.ok());
  out += text_of(*assumed) + "\n";
  for (const PodResourceClaim& c : pod.spec.resource_claims)
    if (cluster.view().objects().find<ResourceClaim>("default", c.claim_name) != nullptr)
      out += document_of(cluster, c.claim_name) + "\n";
  if (assumed->success()) REQUIRE(evaluator.forget(state, pod).ok());
  return out;
}

void put(Cluster& cluster, const std::string& documents) {
  Result<ObjectSet> set = parse_objects(documents, {});
  REQUIRE_MESSAGE(set.ok(), set.error().text() << "\n" << documents);
  const Result<size_t> applied = cluster.apply(*set);
  REQUIRE_MESSAGE(applied.ok(), applied.error().text());
}

void change(Cluster& cluster, Writer& writer) {
  const size_t claim = writer.below(12);
  switch (writer.below(10)) {
    case 0: return put(cluster, node(writer.below(kNodes), writer.below(3)));
    case 1: return put(cluster, writer.pool(writer.below(kNodes)));
    case 2:
      if (cluster.view().objects().find<ResourceClaim>("default", "c" + number(claim)) == nullptr)
        return;
      REQUIRE(
          cluster.remove_object(StoredKind::kResourceClaim, "default", "c" + number(claim)).ok());
      return;
    case 3:
      if (cluster.fork_depth() < 2) REQUIRE(cluster.fork().ok());
      return;
    case 4:
      if (cluster.fork_depth() != 0) REQUIRE(cluster.revert().ok());
      return;
    case 5: return put(cluster, writer.claim(claim, writer.chance(2)));
    // Others come and go while the first claims wait.
    default: return put(cluster, writer.claim(6 + claim / 2, true));
  }
}

TEST_CASE("what is kept of claims from cycle to cycle has no influence on answers") {
  size_t fits = 0, rejected = 0, errors = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    Writer writer(seed);
    const Ref<Cluster> cluster = make_ref<Cluster>();
    put(*cluster, kClasses);
    for (size_t i = 0; i < kNodes; ++i) put(*cluster, node(i, i % 3));
    for (size_t i = 0; i < kNodes; ++i) put(*cluster, writer.pool(i));
    for (size_t i = 0; i < 12; ++i) put(*cluster, writer.claim(i, i % 3 == 0));
    Evaluator old(new_framework(), cluster);
    for (int round = 0; round < 60; ++round) {
      change(*cluster, writer);
      std::string spec = "{resourceClaims: [";
      for (size_t i = 0, n = 1 + writer.below(3) / 2; i < n; ++i)
        spec += "{name: e" + number(i) + ", resourceClaimName: c" + number(writer.below(6)) + "}, ";
      spec += "]}";
      if (writer.chance(5))
        spec = "{containers: [{name: c, resources: {requests: {example.com/any: 1}}}]}";
      const PodRef pod = Trial::pod(spec, "name: p, namespace: default, uid: u-p");
      Evaluator fresh(new_framework(), cluster);
      const bool first_all = writer.chance(2);
      const std::string expected = answers(fresh, *cluster, *pod, first_all);
      CHECK(answers(old, *cluster, *pod, first_all) == expected);
      if (expected.find("Success\n", 8) != std::string::npos) ++fits;
      if (expected.find("cannot allocate all claims") != std::string::npos) ++rejected;
      if (expected.find(" Error") != std::string::npos) ++errors;
    }
  }
  // The worlds are such that all of it happens.
  CHECK(fits > 100);
  CHECK(rejected > 50);
  CHECK(errors > 10);
}

TEST_CASE("devices in use follow the claims of stores as if they were counted anew") {
  const DeviceFeatures features;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Writer writer(seed);
    const Ref<Cluster> cluster = make_ref<Cluster>();
    for (size_t i = 0; i < kNodes; ++i) put(*cluster, writer.pool(i));
    const auto no_compiler = [] { return SelectorCompiler(); };
    DeviceStates kept(features, false, no_compiler);
    std::shared_ptr<const DeviceState> before = kept.of(cluster->view());
    for (int round = 0; round < 100; ++round) {
      change(*cluster, writer);
      const std::shared_ptr<const DeviceState> now = kept.of(cluster->view());
      DeviceStates other(features, false, no_compiler);
      const std::shared_ptr<const DeviceState> fresh = other.of(cluster->view());
      for (size_t p = 0; p < kNodes; ++p) {
        bool same_as_before = true;
        const std::string pool = "p" + number(p);
        for (size_t d = 0; d < 4; ++d) {
          const std::string name = "d" + number(d);
          const DeviceId id{"d", pool, name};
          const auto text = [&](const DevicesInUse& use) {
            std::string out = use.whole(id) ? "whole" : use.any(id) ? "any" : "";
            if (use.capacity(id) != nullptr) out += use.capacity(id)->of("memory").to_string();
            return out;
          };
          CHECK(text(now->in_use) == text(fresh->in_use));
          same_as_before &= text(now->in_use) == text(before->in_use);
        }
        const uint32_t index = now->slices().index_of("d", pool);
        if (index != kNoId && !same_as_before && now->memory == before->memory)
          CHECK(now->versions[index] != before->versions[index]);
      }
      before = now;
    }
  }
}

TEST_CASE("shapes of claims differ in all that decides what devices they can have") {
  const char* const variants[] = {
      "{name: r, exactly: {deviceClassName: a, allocationMode: ExactCount, count: 1}}",
      "{name: s, exactly: {deviceClassName: a, allocationMode: ExactCount, count: 1}}",
      "{name: r, exactly: {deviceClassName: b, allocationMode: ExactCount, count: 1}}",
      "{name: r, exactly: {deviceClassName: a, allocationMode: ExactCount, count: 2}}",
      "{name: r, exactly: {deviceClassName: a, allocationMode: All}}",
      "{name: r, exactly: {deviceClassName: a, allocationMode: All, adminAccess: true}}",
      "{name: r, exactly: {deviceClassName: a, allocationMode: All, selectors: [{cel: {expression: "
      "x}}]}}",
      "{name: r, exactly: {deviceClassName: a, allocationMode: All, selectors: [{cel: {expression: "
      "z}}]}}",
      "{name: r, exactly: {deviceClassName: a, allocationMode: All, tolerations: [{key: k, "
      "operator: Exists}]}}",
      "{name: r, exactly: {deviceClassName: a, allocationMode: All, tolerations: [{key: k, "
      "operator: Equal, value: v}]}}",
      "{name: r, exactly: {deviceClassName: a, allocationMode: All, tolerations: [{key: k, "
      "operator: Exists, effect: NoSchedule}]}}",
      "{name: r, exactly: {deviceClassName: a, allocationMode: All, capacity: {}}}",
      "{name: r, exactly: {deviceClassName: a, allocationMode: All, capacity: {requests: {m: 1}}}}",
      "{name: r, exactly: {deviceClassName: a, allocationMode: All, capacity: {requests: {m: 2}}}}",
      "{name: r, exactly: {deviceClassName: a, allocationMode: All, capacity: {requests: {k: 2}}}}",
      "{name: r, firstAvailable: [{name: x, deviceClassName: a, allocationMode: All}]}",
      "{name: r, firstAvailable: [{name: w, deviceClassName: a, allocationMode: All}]}",
      "{name: r, exactly: {deviceClassName: a, allocationMode: All}}], constraints: "
      "[{matchAttribute: d/x}",
      "{name: r, exactly: {deviceClassName: a, allocationMode: All}}], constraints: "
      "[{matchAttribute: d/y}",
      "{name: r, exactly: {deviceClassName: a, allocationMode: All}}], constraints: "
      "[{distinctAttribute: d/y}",
      "{name: r, exactly: {deviceClassName: a, allocationMode: All}}], constraints: "
      "[{distinctAttribute: d/y, requests: [r]}",
  };
  std::vector<std::string> shapes;
  const std::function<const DeviceClass*(Str)> no_class = [](Str) { return nullptr; };
  const auto shape = [&](const std::string& requests, const std::string& name,
                         const std::function<const DeviceClass*(Str)>& class_of) {
    Result<ObjectSet> set = parse_objects(
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: " + name +
            ", namespace: ns}\nspec: {devices: {requests: [" + requests + "]}}\n",
        {});
    REQUIRE_MESSAGE(set.ok(), set.error().text());
    const auto* const claim = static_cast<const ResourceClaim*>(set->stored[0].object.get());
    return shape_of(std::array{claim}, class_of);
  };
  for (const char* const requests : variants) {
    shapes.push_back(shape(requests, "c", no_class));
    CHECK(shapes.back() == shape(requests, "other", no_class));
  }
  for (size_t i = 0; i < shapes.size(); ++i)
    for (size_t j = 0; j < i; ++j) CHECK_MESSAGE(shapes[i] != shapes[j], variants[i]);
  const Ref<DeviceClass> a_class = make_ref<DeviceClass>();
  CHECK(shapes[0] != shape(variants[0], "c", [&](Str) { return a_class.get(); }));
}

TEST_CASE("threads that judge claims with one framework get the answers of a single thread") {
  const auto world = [] {
    Writer writer(5);
    Ref<Cluster> cluster = make_ref<Cluster>();
    put(*cluster, kClasses);
    for (size_t i = 0; i < kNodes; ++i) put(*cluster, node(i, i % 3) + writer.pool(i));
    for (size_t i = 0; i < 12; ++i) put(*cluster, writer.claim(i, i % 3 == 0));
    return cluster;
  };
  const FrameworkRef framework = new_framework();
  const auto all = [&](const Ref<Cluster>& of, const FrameworkRef& with) {
    Evaluator evaluator(with, of);
    std::string out;
    for (size_t i = 0; i < 12; ++i) {
      const PodRef pod =
          Trial::pod("{resourceClaims: [{name: e, resourceClaimName: c" + number(i) + "}]}",
                     "name: p, namespace: default, uid: u-p");
      out += answers(evaluator, *of, *pod, i % 2 == 0);
    }
    return out;
  };
  const std::string expected = all(world(), new_framework());
  const Ref<Cluster> copies[] = {world(), world()};
  std::string got[2];
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 10; ++round) got[t] = all(copies[t], framework);
    });
  for (std::thread& t : threads) t.join();
  CHECK(got[0] == expected);
  CHECK(got[1] == expected);
}

}  // namespace libsched::kept_claims_test
