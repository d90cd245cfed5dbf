// Data whose preparation the limits cut short is never used by a later question: a plugin may leave
// anything behind then.
#include "libsched/run/fake_plugin_test.hpp"
#include "libsched/run/filter_pass.hpp"

namespace libsched::unfinished_data_test {

constexpr int64_t kNow = 1'000;
const Status kNo(Code::kUnschedulable, "no");

struct Prepared final : PluginData {
  bool finished = false;
  std::shared_ptr<PluginData> clone() const override { return std::make_shared<Prepared>(*this); }
};

// What cuts the next preparation short, and how many there were.
struct Cut {
  Ref<VirtualClock> clock = make_ref<VirtualClock>(kNow);
  std::atomic<bool> cancel{false};
  bool flag = false;         // the flag, else the deadline
  bool filter_next = false;  // at the next preparation for Filter
  bool score_next = false;   // at the next PreScore
  int prepared = 0, scored = 0;

  Limits limits() const { return {&cancel, clock->now_ns() + 100}; }
  std::shared_ptr<PluginData> make(const Call& call, bool* next) {
    if (std::exchange(*next, false)) {
      if (flag) {
        cancel = true;
      } else {
        clock->advance_to(clock->now_ns() + 100);
      }
    }
    auto data = std::make_shared<Prepared>();
    data->finished = !call.exceeded();
    return data;
  }
};

class Prepares final : public Plugin {
 public:
  explicit Prepares(Cut* cut) : cut_(cut) {}
  std::shared_ptr<PluginData> prepare(const Call& call, const Pod&) const override {
    ++cut_->prepared;
    return cut_->make(call, &cut_->filter_next);
  }
  void filter(const FilterCall& call, const RowSet& set) const override {
    if (!call.exceeded()) CHECK(static_cast<const Prepared&>(*call.data).finished);
    set.for_each([&](uint32_t row) {
      if (call.view.row(row).name == "n2") set.reject(row);
    });
  }
  void filter_status(const FilterCall&, uint32_t, Status* out) const override { *out = kNo; }
  Status pre_score(const PreScoreCall& call, std::shared_ptr<PluginData>* data) const override {
    ++cut_->scored;
    *data = cut_->make(call, &cut_->score_next);
    return {};
  }
  Scored score(const ScoreCall& call, const ScoreSet& set, int64_t* scores) const override {
    if (call.data != nullptr && !call.exceeded())
      CHECK(static_cast<const Prepared&>(*call.data).finished);
    CHECK(call.pre_scored == (call.data != nullptr));
    set.for_each([&](uint32_t row) { scores[row] = 1; });
    return {};
  }
  bool foreign() const override { return false; }
  Dependencies depends_on(const View&, const Pod&) const override {
    return {{0, kLabelsChanged, false, false}, {0, kLabelsChanged, false, false}};
  }

 private:
  Cut* cut_;
};

// Nodes n1 to n4: `first` rejects n1 and, as the last plugin does, n2.
struct World {
  explicit World(Cut* made) : cut(*made) {
    fakes[0].foreign = false;  // so that cycles keep what they can
    fakes[0].reads = {};
    const Ref<Registry> registry = fake_registry(fakes)->copy();
    constexpr PointMask kPoints = point_bit(ExtensionPoint::kFilter) |
                                  point_bit(ExtensionPoint::kPreScore) |
                                  point_bit(ExtensionPoint::kScore);
    const auto make = [made](const FactoryCall&) -> Result<std::unique_ptr<Plugin>> {
      return std::unique_ptr<Plugin>(std::make_unique<Prepares>(made));
    };
    REQUIRE(registry->add("Prepares", {kPoints, make, false}).ok());
    for (const char* name : {"n1", "n2", "n3", "n4"}) {
      const NodeRef node = fake_node(name);
      const Node* list[] = {node.get()};
      REQUIRE(cluster->add_nodes(list, 1).ok());
    }
    evaluator = std::make_unique<Evaluator>(
        Framework::create(fake_config({"First", "Prepares"}), "", registry, {}).value(), cluster);
    REQUIRE(evaluator->use(make_ref<Services>(cut.clock)).ok());
    for (uint32_t row = 0; row < 4; ++row) order.push_back(row);
  }
  SearchOptions search(const Limits& limits) const {
    SearchOptions options;
    options.order = order;
    options.whole = true;
    options.limits = limits;
    return options;
  }

  Cut& cut;
  std::vector<Fake> fakes{filter_rejects("First", {"n1", "n2"}, kNo)};
  Ref<Cluster> cluster = make_ref<Cluster>(NodeOrder::kInsertion);
  std::unique_ptr<Evaluator> evaluator;
  PodRef pod = fake_pod("p");
  Ref<CycleState> state = make_ref<CycleState>();
  std::vector<uint32_t> order;
};

TEST_CASE("searches prepare again what the limits cut short, however often") {
  for (const bool flag : {false, true})
    for (const int way : {0, 1, 2}) {
      CAPTURE(flag);
      CAPTURE(way);
      Cut cut;
      cut.flag = flag;
      World w(&cut);
      const auto search = [&](const Limits& limits) -> Result<size_t> {
        uint64_t bits = 0;
        if (way == 0) {
          const auto found = w.evaluator->find_first(*w.state, *w.pod, w.search(limits));
          return found.ok() ? Result<size_t>(found->first) : Result<size_t>(found.error());
        }
        if (way == 1)
          return w.evaluator->find_all(*w.state, *w.pod, w.search(limits), &bits, nullptr);
        FilterOptions options;
        options.limits = limits;
        const auto found = w.evaluator->filter_nodes(*w.state, *w.pod, options, &bits, 1);
        return found.ok() ? Result<size_t>(found->count) : Result<size_t>(found.error());
      };
      REQUIRE(w.evaluator->run_pre_filter(*w.state, *w.pod).ok());
      for (int i = 1; i <= 3; ++i) {
        cut.cancel = false;
        cut.filter_next = true;
        const Result<size_t> cut_short = search(cut.limits());
        REQUIRE_FALSE(cut_short.ok());
        CHECK(cut_short.error().rc == (flag ? Rc::kCancelled : Rc::kDeadline));
        CHECK(cut.prepared == i);
      }
      cut.cancel = false;
      for (int i = 0; i < 4; ++i) {  // the steps are kept by the second, and serve the others
        const Result<size_t> found = search({});
        REQUIRE(found.ok());
        CHECK(*found == 2);  // the first row that passes, and the number of those that do
        CHECK(cut.prepared == 4);
      }
    }
}

// The first plugin rejects n1 and n2, so the last one prepares itself only when the steps are to be
// kept, behind the answer about n2.
TEST_CASE("steps of a question about one node are not kept if the limits cut their data short") {
  for (const bool flag : {false, true}) {
    Cut cut;
    cut.flag = flag;
    World w(&cut);
    REQUIRE(w.evaluator->run_pre_filter(*w.state, *w.pod).ok());
    {
      const LimitWatch watch(cut.limits(), *cut.clock);
      const Call call{w.evaluator->view(), w.evaluator->services(), &watch, w.evaluator.get()};
      FilterPass pass(w.evaluator->framework(), *w.state, *w.pod, call);
      cut.filter_next = true;
      for (uint32_t row = 0; row < 2; ++row) {
        CHECK(cut.prepared == 0);
        Status status;
        REQUIRE(pass.judge(NodeView(call.view, row), &status).ok());
        CHECK(status.plugin == "First");
      }
      CHECK(watch.found());
    }
    CHECK(cut.prepared == 1);
    for (uint32_t row = 0; row < 4; ++row) {
      Status status;
      REQUIRE(w.evaluator->run_filter(*w.state, *w.pod, row, &status).ok());
      CHECK(status.success() == (row >= 2));
    }
    CHECK(cut.prepared == 2);
  }
}

TEST_CASE("Score does not use data of a PreScore that the limits cut short") {
  for (const bool flag : {false, true}) {
    Cut cut;
    cut.flag = flag;
    World w(&cut);
    CycleOptions options;
    options.limits = cut.limits();
    cut.score_next = true;
    const Result<CycleOutcome> ran = w.evaluator->run_cycle(*w.state, *w.pod, options);
    REQUIRE_FALSE(ran.ok());
    CHECK(ran.error().rc == (flag ? Rc::kCancelled : Rc::kDeadline));
    CHECK(cut.scored == 1);
    const uint64_t bits = 0b1100;
    int64_t totals[64] = {};
    REQUIRE(w.evaluator->run_score(*w.state, *w.pod, &bits, 1, totals, nullptr).ok());
    REQUIRE(w.evaluator->run_pre_score(*w.state, *w.pod, &bits, 1).ok());
    REQUIRE(w.evaluator->run_score(*w.state, *w.pod, &bits, 1, totals, nullptr).ok());
    CHECK(cut.scored == 2);
  }
}

TEST_CASE("what cycles keep for the pods of a class is never what the limits cut short") {
  for (const bool flag : {false, true})
    for (const bool scoring : {false, true})
      for (int when = 0; when < 12; ++when) {
        CAPTURE(when);
        Cut cut;
        cut.flag = flag;
        World w(&cut);
        REQUIRE(w.evaluator->keep_classes(ClassMemoryMode::kAlways).ok());
        for (int i = 0; i < 14; ++i) {
          cut.cancel = false;
          if (i % 3 == 2)  // what is kept has to be prepared again
            REQUIRE(
                w.cluster->update_node(fake_node("n4", "{a: x" + std::to_string(i) + "}")).ok());
          cut.filter_next = i == when && !scoring;
          cut.score_next = i == when && scoring;
          const Ref<CycleState> state = make_ref<CycleState>();
          CycleOptions options;
          options.limits = cut.limits();
          const PodRef pod = fake_pod("p" + std::to_string(i));
          const Result<CycleOutcome> ran = w.evaluator->run_cycle(*state, *pod, options);
          const bool untouched = cut.filter_next || cut.score_next;  // nothing was prepared
          CHECK(ran.ok() == (i != when || untouched));
          if (ran.ok()) CHECK(w.cluster->view().row(ran->row).name == "n3");
        }
      }
}

TEST_CASE("a state is as if it were new if what is kept could not be brought up to date") {
  for (const bool flag : {false, true}) {
    Cut cut;
    cut.flag = flag;
    World w(&cut);
    REQUIRE(w.evaluator->keep_classes(ClassMemoryMode::kAlways).ok());
    const auto label = [&](const std::string& labels) {
      REQUIRE(w.cluster->update_node(fake_node("n4", labels)).ok());
    };
    label("{a: x}");  // the texts have their ids from now on
    label("{}");
    const auto run = [&](const Limits& limits) {
      CycleOptions options;
      options.limits = limits;
      return w.evaluator->run_cycle(*w.state, *w.pod, options);
    };
    REQUIRE(run({}).ok());
    w.state = make_ref<CycleState>();
    label("{a: x}");
    cut.filter_next = true;
    const int before = cut.prepared;
    REQUIRE_FALSE(run(cut.limits()).ok());
    CHECK(cut.prepared == before + 1);
    CHECK(w.state->framework() == nullptr);
    CHECK(std::as_const(*w.state).entries().empty());
    cut.cancel = false;
    const Result<CycleOutcome> again = run({});
    REQUIRE(again.ok());
    CHECK(w.cluster->view().row(again->row).name == "n3");
  }
}

}  // namespace libsched::unfinished_data_test
