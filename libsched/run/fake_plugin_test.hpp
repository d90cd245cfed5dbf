// Fake plugins, and a cluster with a framework made of them, for the tests of this folder.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "libsched/ingest/ingest.hpp"
#include "libsched/run/evaluator.hpp"

namespace libsched {

// The functions of a fake; a point without a function is not implemented.
struct Fake {
  std::string name;
  std::function<Result<Status>(const PreFilterCall&, PreFilterResult*)> pre_filter;
  std::function<Status(const FilterCall&, const Node&)> filter;
  std::function<Status(const Pod&)> pre_enqueue;
  std::function<Status(const PreScoreCall&)> pre_score;
  std::function<Status(const Node&, int64_t* score)> score;
  std::function<Status(const ScoreSet&, int64_t* scores)> normalize;
  std::function<Status(const ReserveCall&)> reserve;
  std::function<void(const ReserveCall&)> unreserve;
  std::function<Status(const PodChange&)> add_pod;  // with it the fake has PreFilterExtensions
  std::function<Status(const PodChange&)> remove_pod;
  std::function<Status(const PostFilterCall&, std::optional<Nomination>*)> post_filter;
  std::function<Status(const BindingCall&, int64_t*)> permit;
  std::function<Status(const BindingCall&, bool*)> pre_flight;
  std::function<Steps<Status>(const BindingCall&)> pre_bind;
  std::function<Steps<Status>(const BindingCall&)> bind;
  std::function<void(const BindingCall&)> post_bind;
  std::function<Status(const Pod&, std::vector<SignFragment>*)> sign;
  std::function<bool(const QueuedPod&, const QueuedPod&)> less;
  std::function<Result<std::vector<ClusterEventWithHint>>()> events;
  std::string instance_name;
  Plugin::Threading threading = Plugin::Threading::kConcurrent;
  Dependencies reads = Dependencies::everything();
  bool foreign = true;
  std::function<Result<QueueingHint>(size_t, const Pod&, const ObjectChange&)> hint;
  std::function<void(bool)> attach;  // of threads; false: detach
  std::function<Status(const GroupCall&, const PlacementProgress&)> feasible;
  std::function<Result<Status>(const GroupPostFilterCall&, std::vector<GroupNomination>*)>
      group_post_filter;
};

class FakePlugin final : public Plugin {
 public:
  explicit FakePlugin(const Fake& fake) : fake_(fake) {}

  Status pre_enqueue(const Call&, const Pod& pod) const override {
    return fake_.pre_enqueue ? fake_.pre_enqueue(pod) : Status();
  }
  Result<Status> pre_filter(const PreFilterCall& call, PreFilterResult* result) const override {
    return fake_.pre_filter(call, result);
  }
  bool extends() const override { return fake_.add_pod != nullptr; }
  Status add_pod(const PodChange& call) const override { return fake_.add_pod(call); }
  Status remove_pod(const PodChange& call) const override { return fake_.remove_pod(call); }
  void filter(const FilterCall& call, const RowSet& set) const override {
    set.for_each([&](uint32_t row) {
      const Status s = fake_.filter(call, *call.view.node(row));
      if (s.success()) return;
      if (s.rejected()) {
        set.reject(row);
      } else {
        set.reject_with_error(row);
      }
    });
  }
  void filter_status(const FilterCall& call, uint32_t row, Status* out) const override {
    *out = fake_.filter(call, *call.view.node(row));
  }
  Status pre_score(const PreScoreCall& call, std::shared_ptr<PluginData>*) const override {
    return fake_.pre_score(call);
  }
  Scored score(const ScoreCall& call, const ScoreSet& set, int64_t* scores) const override {
    set.for_each([&](uint32_t row) {
      if (!fake_.score(*call.view.node(row), &scores[row]).success()) set.fail(row);
    });
    return {};
  }
  Status score_status(const ScoreCall& call, uint32_t row) const override {
    int64_t unused = 0;
    return fake_.score(*call.view.node(row), &unused);
  }
  bool normalizes() const override { return fake_.normalize != nullptr; }
  Status normalize(const ScoreCall&, const ScoreSet& set, int64_t* scores) const override {
    return fake_.normalize(set, scores);
  }
  Status reserve(const ReserveCall& call) const override { return fake_.reserve(call); }
  Steps<> unreserve(const ReserveCall& call) const override {
    fake_.unreserve(call);
    return {};
  }
  Str instance_name() const override { return fake_.instance_name; }
  bool less(const QueuedPod& a, const QueuedPod& b) const override { return fake_.less(a, b); }
  Status post_filter(const PostFilterCall& call, std::optional<Nomination>* out) const override {
    return fake_.post_filter(call, out);
  }
  Status permit(const BindingCall& call, int64_t* timeout_ns) const override {
    return fake_.permit(call, timeout_ns);
  }
  Status pre_bind_pre_flight(const BindingCall& call, bool* allow_parallel) const override {
    return fake_.pre_flight ? fake_.pre_flight(call, allow_parallel)
                            : Plugin::pre_bind_pre_flight(call, allow_parallel);
  }
  Steps<Status> pre_bind(const BindingCall& call) const override { return fake_.pre_bind(call); }
  Steps<Status> bind(const BindingCall& call) const override { return fake_.bind(call); }
  void post_bind(const BindingCall& call) const override { fake_.post_bind(call); }
  bool registers_events() const override { return fake_.events != nullptr; }
  Result<std::vector<ClusterEventWithHint>> events_to_register() const override {
    return fake_.events();
  }
  Result<QueueingHint> hint(size_t index, const View&, const Pod& pod,
                            const ObjectChange& change) const override {
    return fake_.hint(index, pod, change);
  }
  bool signs() const override { return fake_.sign != nullptr; }
  Status sign(const View&, const Pod& pod, std::vector<SignFragment>* out) const override {
    return fake_.sign(pod, out);
  }
  Status placement_feasible(const GroupCall& call, const PlacementProgress& p) const override {
    return fake_.feasible ? fake_.feasible(call, p) : Status();
  }
  Result<Status> pod_group_post_filter(const GroupPostFilterCall& call,
                                       std::vector<GroupNomination>* out) const override {
    return fake_.group_post_filter(call, out);
  }
  Threading threading() const override { return fake_.threading; }
  Dependencies depends_on(const View&, const Pod&) const override { return fake_.reads; }
  bool foreign() const override { return fake_.foreign; }
  void thread_attach() const override {
    if (fake_.attach) fake_.attach(true);
  }
  void thread_detach() const override {
    if (fake_.attach) fake_.attach(false);
  }

 private:
  const Fake& fake_;
};

inline NodeRef fake_node(const std::string& name, const std::string& labels = "{}") {
  Result<NodeRef> node = parse_node("metadata: {name: " + name + ", labels: " + labels + "}", {});
  REQUIRE_MESSAGE(node.ok(), node.error().text());
  return *node;
}

inline PodRef fake_pod(const std::string& name) {
  Result<PodRef> pod = parse_pod("metadata: {name: " + name + ", namespace: default}", {});
  REQUIRE_MESSAGE(pod.ok(), pod.error().text());
  return *pod;
}

inline ConfigRef fake_config(const std::vector<std::string>& plugins,
                             const std::string& more = "") {
  std::string text =
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n"
      "- schedulerName: fakes\n  plugins:\n    multiPoint:\n      disabled: [{name: '*'}]\n"
      "      enabled: [{name: PrioritySort}, {name: DefaultBinder}";
  for (const std::string& name : plugins) text += ", {name: " + name + "}";
  Result<ConfigRef> config = parse_config(text + "]\n" + more);
  REQUIRE_MESSAGE(config.ok(), config.error().text());
  return *config;
}

// The fakes must outlive every framework that is made with the registry.
inline Ref<Registry> fake_registry(const std::vector<Fake>& fakes) {
  Ref<Registry> registry = make_ref<Registry>();
  REQUIRE(registry->add("PrioritySort", {point_bit(ExtensionPoint::kQueueSort), {}, true}).ok());
  REQUIRE(registry->add("DefaultBinder", {point_bit(ExtensionPoint::kBind), {}, true}).ok());
  for (const Fake& fake : fakes) {
    PointMask points = 0;
    if (fake.pre_filter) points |= point_bit(ExtensionPoint::kPreFilter);
    if (fake.filter) points |= point_bit(ExtensionPoint::kFilter);
    if (fake.pre_enqueue) points |= point_bit(ExtensionPoint::kPreEnqueue);
    if (fake.pre_score) points |= point_bit(ExtensionPoint::kPreScore);
    if (fake.score) points |= point_bit(ExtensionPoint::kScore);
    if (fake.reserve) points |= point_bit(ExtensionPoint::kReserve);
    if (fake.post_filter) points |= point_bit(ExtensionPoint::kPostFilter);
    if (fake.less) points |= point_bit(ExtensionPoint::kQueueSort);
    if (fake.permit) points |= point_bit(ExtensionPoint::kPermit);
    if (fake.pre_bind) points |= point_bit(ExtensionPoint::kPreBind);
    if (fake.bind) points |= point_bit(ExtensionPoint::kBind);
    if (fake.post_bind) points |= point_bit(ExtensionPoint::kPostBind);
    if (fake.group_post_filter) points |= point_bit(ExtensionPoint::kPodGroupPostFilter);
    const auto make = [&fake](const FactoryCall&) -> Result<std::unique_ptr<Plugin>> {
      return std::unique_ptr<Plugin>(std::make_unique<FakePlugin>(fake));
    };
    REQUIRE(registry->add(fake.name, {points, make, false}).ok());
  }
  return registry;
}

inline FrameworkRef fake_framework(const std::vector<Fake>& fakes, const FeatureGates& gates = {}) {
  std::vector<std::string> names;
  for (const Fake& fake : fakes) names.push_back(fake.name);
  Result<FrameworkRef> framework =
      Framework::create(fake_config(names), "", fake_registry(fakes), gates, gates.release());
  REQUIRE_MESSAGE(framework.ok(), framework.error().text());
  return *framework;
}

// A cluster of nodes with these names, and an evaluator on it.
struct FakeWorld {
  explicit FakeWorld(std::vector<Fake> given,
                     const std::vector<std::string>& nodes = {"n1", "n2", "n3"},
                     Release release = kDefaultRelease)
      : fakes(std::move(given)),
        cluster(make_ref<Cluster>(NodeOrder::kInsertion)),
        evaluator(fake_framework(fakes, FeatureGates(release)), cluster) {
    for (const std::string& name : nodes) add(name);
    pod = fake_pod("p");
  }
  FakeWorld(const FakeWorld&) = delete;
  FakeWorld& operator=(const FakeWorld&) = delete;

  void add(const std::string& name, const std::string& labels = "{}") {
    const NodeRef node = fake_node(name, labels);
    const Node* list[] = {node.get()};
    REQUIRE(cluster->add_nodes(list, 1).ok());
  }

  Status pre_filter() {
    Result<Status> ran = evaluator.run_pre_filter(*state, *pod);
    REQUIRE_MESSAGE(ran.ok(), ran.error().text());
    return *ran;
  }
  Status filter(const std::string& node) {
    Status status;
    const Result<void> ran =
        evaluator.run_filter(*state, *pod, cluster->view().find_node(node), &status);
    REQUIRE_MESSAGE(ran.ok(), ran.error().text());
    return status;
  }
  // The names of the nodes found, in node order; "first" must be the first of them.
  Result<std::vector<std::string>> filter_nodes(const FilterOptions& options = {}) {
    const size_t words = cluster->view().word_count() + 1;
    std::vector<uint64_t> bits(words, ~uint64_t{0});
    const Result<FilterOutcome> done =
        evaluator.filter_nodes(*state, *pod, options, bits.data(), words);
    if (!done.ok()) return done.error();
    CHECK(bits[words - 1] == 0);
    std::vector<std::string> names;
    const std::vector<uint32_t>& order = cluster->view().order();
    for (size_t i = 0; i < order.size(); ++i) {
      const uint32_t r = order[(options.start % order.size() + i) % order.size()];
      if ((bits[r / 64] >> (r % 64) & 1) != 0) names.push_back(cluster->view().row(r).name);
    }
    CHECK(done->count == names.size());
    if (names.empty()) {
      CHECK(done->first == kNoId);
    } else if (options.limit != 0 || options.start == 0) {
      CHECK(cluster->view().row(done->first).name == names[0]);
    }
    return names;
  }
  Ref<const Decision> check(const std::string& node = "", bool judge_excluded = false) {
    Result<Ref<const Decision>> decided = evaluator.check(*pod, node, judge_excluded);
    REQUIRE_MESSAGE(decided.ok(), decided.error().text());
    return *decided;
  }

  std::vector<Fake> fakes;  // before the evaluator: plugins refer to them
  Ref<Cluster> cluster;
  Evaluator evaluator;
  PodRef pod;
  Ref<CycleState> state = make_ref<CycleState>();
};

// Fakes in one line each.
inline Fake pre_filter_says(const std::string& name, const Status& status) {
  return {name,
          [status](const PreFilterCall&, PreFilterResult*) -> Result<Status> { return status; },
          {},
          {}};
}
inline Fake pre_filter_narrows(const std::string& name, const std::vector<std::string>& nodes) {
  const auto narrow = [nodes](const PreFilterCall&, PreFilterResult* result) -> Result<Status> {
    result->narrow(nodes);
    return Status();
  };
  return {name, narrow, {}, {}};
}
// Rejects the named nodes with this status.
inline Fake filter_rejects(const std::string& name, const std::vector<std::string>& nodes,
                           const Status& status) {
  const auto filter = [nodes, status](const FilterCall&, const Node& node) {
    for (const std::string& n : nodes)
      if (node.meta.name == n) return status;
    return Status();
  };
  return {name, {}, filter, {}};
}

}  // namespace libsched
