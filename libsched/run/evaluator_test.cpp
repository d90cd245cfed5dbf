// The rules of RunPreFilterPlugins and RunFilterPlugins, filters over many nodes, and states that
// outlive a change of the view. The plugins are fakes.
#include "libsched/run/evaluator.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <thread>

#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::evaluator_test {

using Names = std::vector<std::string>;

const Status kNo(Code::kUnschedulable, "no");
const Status kNever(Code::kUnschedulableAndUnresolvable, "never");

std::string show(const Status& s) {
  std::string out = code_name(s.code);
  if (!s.plugin.empty()) out += " " + s.plugin;
  return s.reasons.empty() ? out : out + ": " + s.message();
}

// Counts the calls of a PreFilter.
Fake counted(Fake fake, int* calls) {
  fake.pre_filter = [calls, inner = fake.pre_filter](const PreFilterCall& call,
                                                     PreFilterResult* r) {
    ++*calls;
    return inner(call, r);
  };
  return fake;
}

TEST_CASE("PreFilter: the results of all plugins are intersected") {
  FakeWorld w({pre_filter_narrows("B", {"n3", "n1", "n2"}), pre_filter_says("All", {}),
               pre_filter_narrows("A", {"n2", "n3", "n9"})});
  CHECK(show(w.pre_filter()) == "Success");
  CHECK_FALSE(w.state->pre_filter().all_nodes);
  CHECK(w.state->pre_filter().nodes == Names{"n2", "n3"});
  CHECK(w.state->pre_filter().restricted == Names{"A", "B"});  // sorted by name
  CHECK(w.filter_nodes().value() == Names{"n2", "n3"});
}

TEST_CASE("PreFilter: an empty intersection names the plugins, but is not attributed to one") {
  int later = 0;
  SUBCASE("one plugin") {
    FakeWorld w({pre_filter_narrows("Only", {}), counted(pre_filter_says("Later", {}), &later)});
    CHECK(show(w.pre_filter()) ==
          "UnschedulableAndUnresolvable: node(s) didn't satisfy plugin Only");
    CHECK(w.state->pre_filter().restricted == Names{"Only"});
  }
  SUBCASE("several plugins") {
    FakeWorld w({pre_filter_narrows("Z", {"n1"}), pre_filter_narrows("A", {"n2"}),
                 counted(pre_filter_says("Later", {}), &later)});
    CHECK(show(w.pre_filter()) ==
          "UnschedulableAndUnresolvable: node(s) didn't satisfy plugin(s) [A Z] simultaneously");
    CHECK(w.state->pre_filter().nodes.empty());
    CHECK_FALSE(w.state->pre_filter().all_nodes);
    CHECK(w.filter_nodes().value().empty());
  }
  SUBCASE("an unschedulable one before does not change that") {
    FakeWorld w({pre_filter_says("U", kNo), pre_filter_narrows("Only", {}),
                 counted(pre_filter_says("Later", {}), &later)});
    CHECK(show(w.pre_filter()) ==
          "UnschedulableAndUnresolvable: node(s) didn't satisfy plugin Only");
  }
  CHECK(later == 0);
}

TEST_CASE("PreFilter: Unschedulable is remembered while the others run, and the last one counts") {
  int later = 0;
  FakeWorld w({pre_filter_says("First", kNo), pre_filter_narrows("Narrow", {"n1"}),
               pre_filter_says("Second", Status(Code::kUnschedulable, "really not")),
               counted(pre_filter_says("Later", {}), &later)});
  CHECK(show(w.pre_filter()) == "Unschedulable Second: really not");
  CHECK(later == 1);
  CHECK(w.state->pre_filter().nodes == Names{"n1"});  // the merged result is set nevertheless
}

TEST_CASE("PreFilter: UnschedulableAndUnresolvable ends the point immediately") {
  int later = 0;
  FakeWorld w({pre_filter_narrows("Narrow", {"n1"}), pre_filter_says("U", kNo),
               pre_filter_says("Stop", kNever), counted(pre_filter_says("Later", {}), &later)});
  CHECK(show(w.pre_filter()) == "UnschedulableAndUnresolvable Stop: never");
  CHECK(later == 0);
  CHECK(w.state->pre_filter().all_nodes);
  CHECK(w.state->pre_filter().restricted.empty());
}

TEST_CASE("PreFilter: any other code becomes an Error") {
  for (const Code code : {Code::kError, Code::kWait, Code::kPending}) {
    CAPTURE(code_name(code));
    int later = 0;
    FakeWorld w({pre_filter_narrows("Narrow", {"n1"}), pre_filter_says("Odd", Status(code, "boom")),
                 counted(pre_filter_says("Later", {}), &later)});
    const std::string why = code == Code::kWait ? "%!w(<nil>)" : "boom";  // no error in Go
    const Status s = w.pre_filter();
    CHECK(show(s) == "Error Odd: running PreFilter plugin \"Odd\": " + why);
    CHECK(s.error == s.message());
    CHECK(later == 0);
    CHECK(w.state->pre_filter().all_nodes);
  }
}

TEST_CASE("PreFilter: a call that ends without a status counts as not run") {
  bool throws = false;
  int asked = 0;
  Fake fails;
  fails.name = "B";
  fails.pre_filter = [&](const PreFilterCall&, PreFilterResult*) -> Result<Status> {
    if (throws) throw std::runtime_error("gone");
    return Error{Rc::kUnsupported, "not there"};
  };
  fails.filter = [&](const FilterCall&, const Node&) {
    ++asked;
    return Status();
  };
  FakeWorld w({pre_filter_narrows("A", {"n1"}), fails});
  std::vector<uint64_t> bits(1);
  for (const bool how : {false, true}) {
    throws = how;
    if (how) {
      CHECK_THROWS((void)w.evaluator.run_pre_filter(*w.state, *w.pod));
    } else {
      CHECK(w.evaluator.run_pre_filter(*w.state, *w.pod).error().rc == Rc::kUnsupported);
    }
    CHECK(w.state->pre_filter().all_nodes);
    const Result<FilterOutcome> done =
        w.evaluator.filter_nodes(*w.state, *w.pod, {}, bits.data(), bits.size());
    REQUIRE_FALSE(done.ok());
    CHECK(done.error().rc == Rc::kState);
    CHECK(asked == 0);
    CHECK_FALSE(w.state->in_use());
    // The state may be used for another pod.
    CHECK(
        w.evaluator.run_filter(*w.state, *fake_pod("q"), 0, std::make_unique<Status>().get()).ok());
    CHECK(asked == 1);
    asked = 0;
  }
}

TEST_CASE("PreFilter: Skip keeps Filter from running, regardless of the result") {
  int filtered = 0;
  Fake skips = pre_filter_says("Skips", Status(Code::kSkip));
  skips.pre_filter = [](const PreFilterCall&, PreFilterResult* r) -> Result<Status> {
    r->narrow({});
    return Status(Code::kSkip);
  };
  skips.filter = [&](const FilterCall&, const Node&) {
    ++filtered;
    return kNo;
  };
  FakeWorld w({skips});
  CHECK(show(w.pre_filter()) == "Success");
  CHECK(w.state->pre_filter().all_nodes);
  CHECK(show(w.filter("n1")) == "Success");
  CHECK(w.filter_nodes().value() == Names{"n1", "n2", "n3"});
  CHECK(filtered == 0);
  // Without PreFilter nothing is skipped.
  w.state = make_ref<CycleState>();
  CHECK(show(w.filter("n1")) == "Unschedulable Skips: no");
}

TEST_CASE(
    "PreFilter: an error that is no status ends the call and leaves the caller's outputs alone") {
  FakeWorld w({{"Needs",
                [](const PreFilterCall&, PreFilterResult*) -> Result<Status> {
                  return Error{Rc::kUnsupported, "not yet", {}, "Needs"};
                },
                {},
                {}}});
  const Result<Status> ran = w.evaluator.run_pre_filter(*w.state, *w.pod);
  REQUIRE_FALSE(ran.ok());
  CHECK(ran.error().rc == Rc::kUnsupported);
  CHECK(ran.error().plugin == "Needs");
  CHECK(w.evaluator.check(*w.pod, "", false).error().rc == Rc::kUnsupported);
}

TEST_CASE("PreFilter: a second run forgets the first") {
  Status says(Code::kSkip);
  Fake changing{
      "Changing",
      [&](const PreFilterCall&, PreFilterResult*) -> Result<Status> { return says; },
      [](const FilterCall& call, const Node&) { return call.pre_filtered ? kNo : Status(); },
      {}};
  FakeWorld w({changing, pre_filter_narrows("Narrow", {"n2"})});
  w.pre_filter();
  CHECK(w.state->entries()[w.evaluator.framework().at(ExtensionPoint::kPreFilter)[0]].skip_filter);
  says = Status();
  w.pre_filter();
  CHECK(show(w.filter("n2")) == "Unschedulable Changing: no");
  CHECK(w.state->pre_filter().restricted == Names{"Narrow"});
}

TEST_CASE("PreEnqueue: the first plugin that gates is reported") {
  const auto gate = [](const std::string& name, Status s) {
    return Fake{name, {}, {}, [s](const Pod&) { return s; }};
  };
  FakeWorld w({gate("Open", {}), gate("Shut", kNever), gate("AlsoShut", kNo)});
  CHECK(show(w.evaluator.run_pre_enqueue(*w.pod)) == "UnschedulableAndUnresolvable Shut: never");
  CHECK(show(w.check()->pre_enqueue.value()) == "UnschedulableAndUnresolvable Shut: never");
}

TEST_CASE("Filter: plugins run in order, and the first that rejects decides") {
  Names asked;
  const auto asks = [&](Fake fake) {
    fake.filter = [&asked, name = fake.name, inner = fake.filter](const FilterCall& call,
                                                                  const Node& node) {
      asked.push_back(name);
      return inner(call, node);
    };
    return fake;
  };
  FakeWorld w({asks(filter_rejects("C", {"n3"}, kNo)),
               asks(filter_rejects("A", {"n1", "n3"}, kNever)),
               asks(filter_rejects("B", {"n1"}, kNo))});
  w.pre_filter();
  CHECK(show(w.filter("n2")) == "Success");
  CHECK(asked == Names{"C", "A", "B"});
  CHECK(show(w.filter("n1")) == "UnschedulableAndUnresolvable A: never");
  CHECK(show(w.filter("n3")) == "Unschedulable C: no");
  // For many nodes at once, too, no plugin sees a node that an earlier plugin rejected.
  asked.clear();
  CHECK(w.filter_nodes().value() == Names{"n2"});
  CHECK(asked == Names{"C", "C", "C", "A", "A", "B"});
}

TEST_CASE("Filter: Pending rejects, and a failure that does not reject becomes an Error") {
  CHECK(
      show(FakeWorld({filter_rejects("P", {"n1"}, Status(Code::kPending, "soon"))}).filter("n1")) ==
      "Pending P: soon");
  for (const Code code : {Code::kError, Code::kWait, Code::kSkip}) {
    CAPTURE(code_name(code));
    FakeWorld w({filter_rejects("Odd\"", {"n1"}, Status(code, "boom"))}, {"n1"});
    const std::string why = code == Code::kError ? "boom" : "%!w(<nil>)";
    CHECK(show(w.filter("n1")) == "Error Odd\": running \"Odd\\\"\" filter plugin: " + why);
  }
}

TEST_CASE("a call has its evaluator and view, and the scope leads to it") {
  int asked = 0;
  const auto look = [&asked](const CycleState& state, const Call& call) {
    ++asked;
    CHECK(&PluginScope::call_of(state)->view == &call.view);
    REQUIRE(call.asker != nullptr);
    CHECK(&call.asker->view() == &call.view);
    CHECK(&call.asker->services() == &call.services);
    CHECK(state.in_use());
    CHECK(PluginScope::call_of(CycleState()) == nullptr);
    std::thread([&state] { CHECK(PluginScope::call_of(state) == nullptr); }).join();
  };
  Fake fake = pre_filter_says("A", {});
  fake.pre_filter = [&](const PreFilterCall& c, PreFilterResult*) -> Result<Status> {
    look(c.state, c);
    return Status();
  };
  fake.filter = [&](const FilterCall& c, const Node&) {
    look(c.state, c);
    return Status();
  };
  fake.pre_score = [&](const PreScoreCall& c) {
    look(c.state, c);
    return Status();
  };
  FakeWorld w({fake});
  w.pre_filter();
  w.filter("n1");
  REQUIRE(w.filter_nodes().ok());
  CHECK(asked == 5);
  CHECK(PluginScope::call_of(*w.state) == nullptr);
  CHECK_FALSE(w.state->in_use());
  REQUIRE(w.evaluator.run_cycle(*w.state, *w.pod, {}).ok());
  CHECK(asked == 9);
  CHECK(PluginScope::call_of(*w.state) == nullptr);
}

TEST_CASE("Filter: the PreFilterResult binds filter_nodes only") {
  FakeWorld w({pre_filter_narrows("Narrow", {"n2", "unknown"})});
  w.pre_filter();
  CHECK(show(w.filter("n1")) == "Success");
  CHECK(w.filter_nodes().value() == Names{"n2"});
}

TEST_CASE("Filter: a state serves one framework and, after PreFilter, one pod") {
  FakeWorld w({filter_rejects("A", {"n1"}, kNo)});
  CHECK(w.filter_nodes().error().rc == Rc::kState);  // no PreFilter
  w.pre_filter();
  const PodRef other = fake_pod("other");
  Status s = kNever;
  const Result<void> ran = w.evaluator.run_filter(*w.state, *other, 0, &s);
  REQUIRE_FALSE(ran.ok());
  CHECK(ran.error().rc == Rc::kState);
  CHECK(s == kNever);
  uint64_t word = 0;
  CHECK(w.evaluator.filter_nodes(*w.state, *other, {}, &word, 1).error().rc == Rc::kState);
  CHECK(w.evaluator.run_pre_filter(*w.state, *other).ok());  // the state is now for the other pod
  CHECK(w.evaluator.run_filter(*w.state, *other, 0, &s).ok());

  FakeWorld foreign({filter_rejects("A", {"n1"}, kNo)});
  CHECK(foreign.evaluator.run_filter(*w.state, *other, 0, &s).error().rc == Rc::kMisuse);
  CHECK(foreign.evaluator.run_pre_filter(*w.state, *other).error().rc == Rc::kMisuse);
}

// A plugin that looks up an id of the view, and whose data must not be used with other ids.
struct LabelId final : PluginData {
  uint32_t pair = kNoId;
  uint64_t pod_serial = 0;
  std::shared_ptr<PluginData> clone() const override { return std::make_shared<LabelId>(*this); }
};
class WantsLabel final : public Plugin {
 public:
  explicit WantsLabel(int* prepared) : prepared_(prepared) {}
  std::shared_ptr<PluginData> prepare(const Call& call, const Pod& pod) const override {
    const View& view = call.view;
    ++*prepared_;
    auto data = std::make_shared<LabelId>();
    data->ids_epoch = view.ids_epoch();
    const Label wanted = make_label("disk", "ssd");
    data->pair = view.labels().find_pair(wanted.key, wanted.value, wanted.pair_hash);
    data->pod_serial = pod.serial;
    return data;
  }
  void filter(const FilterCall& call, const RowSet& set) const override {
    const auto& data = static_cast<const LabelId&>(*call.data);
    CHECK(data.pod_serial == call.pod.serial);
    set.for_each([&](uint32_t row) {
      if (data.pair == kNoId || !call.view.labels().pair(data.pair).rows.contains(row))
        set.reject(row);
    });
  }
  void filter_status(const FilterCall&, uint32_t, Status* out) const override { *out = kNo; }

 private:
  int* prepared_;
};

struct LabelWorld {
  LabelWorld() {
    Ref<Registry> registry = fake_registry({})->copy();
    const auto make = [this](const FactoryCall&) -> Result<std::unique_ptr<Plugin>> {
      return std::unique_ptr<Plugin>(std::make_unique<WantsLabel>(&prepared));
    };
    REQUIRE(registry->add("Wants", {point_bit(ExtensionPoint::kFilter), make, false}).ok());
    framework = Framework::create(fake_config({"Wants"}), "", registry, {}).value();
  }
  static void add(Cluster& c, const std::string& name, const std::string& labels) {
    REQUIRE(c.update_node(fake_node(name, labels)).ok());
  }
  bool fits(Evaluator& e, const std::string& node) {
    Status s;
    REQUIRE(e.run_filter(*state, *pod, e.view().find_node(node), &s).ok());
    return s.success();
  }

  int prepared = 0;
  FrameworkRef framework;
  PodRef pod = fake_pod("p");
  Ref<CycleState> state = make_ref<CycleState>();
};

TEST_CASE("a state is used after the view has changed: data with ids is prepared again") {
  LabelWorld w;
  Ref<Cluster> cluster = make_ref<Cluster>();
  LabelWorld::add(*cluster, "a", "{disk: hdd}");
  Evaluator e(w.framework, cluster);
  REQUIRE(e.run_pre_filter(*w.state, *w.pod).ok());
  CHECK_FALSE(w.fits(e, "a"));
  CHECK(w.prepared == 1);
  CHECK_FALSE(w.fits(e, "a"));
  CHECK(w.prepared == 1);  // nothing changed: not prepared again

  REQUIRE(cluster->fork().ok());
  LabelWorld::add(*cluster, "b", "{disk: ssd}");
  CHECK(w.fits(e, "b"));
  CHECK(w.prepared == 2);
  CHECK_FALSE(w.fits(e, "a"));
  LabelWorld::add(*cluster, "c", "{disk: ssd}");  // the label is known already
  CHECK(w.fits(e, "c"));
  CHECK(w.prepared == 2);
  REQUIRE(cluster->revert().ok());
  CHECK_FALSE(w.fits(e, "a"));
  LabelWorld::add(*cluster, "a", "{disk: ssd}");
  CHECK(w.fits(e, "a"));

  // Ids are freed and given to other labels.
  REQUIRE(cluster->fork().ok());
  REQUIRE(cluster->revert().ok());
  LabelWorld::add(*cluster, "a", "{disk: hdd}");
  for (int i = 0; i < 5000; ++i)
    LabelWorld::add(*cluster, "b", "{unique: v" + std::to_string(i) + "}");
  LabelWorld::add(*cluster, "c", "{other: label}");
  CHECK_FALSE(w.fits(e, "a"));
  CHECK_FALSE(w.fits(e, "b"));
  CHECK_FALSE(w.fits(e, "c"));
  LabelWorld::add(*cluster, "c", "{disk: ssd}");
  CHECK(w.fits(e, "c"));
}

TEST_CASE("a state is used with another view: the ids of one are not those of the other") {
  LabelWorld w;
  Ref<Cluster> one = make_ref<Cluster>();
  Ref<Cluster> two = make_ref<Cluster>();
  // The same number of changes, but the ids stand for other labels.
  LabelWorld::add(*one, "a", "{disk: ssd}");
  LabelWorld::add(*two, "a", "{disk: hdd}");
  Evaluator e1(w.framework, one), e2(w.framework, two);
  REQUIRE(e1.run_pre_filter(*w.state, *w.pod).ok());
  CHECK(w.fits(e1, "a"));
  CHECK_FALSE(w.fits(e2, "a"));
  CHECK(w.fits(e1, "a"));

  // Also for a diverged copy, and for an earlier snapshot.
  const SnapshotRef before = one->snapshot();
  Ref<Cluster> copy = one->clone();
  LabelWorld::add(*one, "b", "{x: one}");
  LabelWorld::add(*copy, "b", "{disk: nvme}");
  Evaluator e3(w.framework, copy), e4(w.framework, before);
  CHECK(w.fits(e1, "a"));
  CHECK_FALSE(w.fits(e1, "b"));
  CHECK_FALSE(w.fits(e3, "b"));
  CHECK(w.fits(e4, "a"));
  // As long as nothing has changed, a copy shares the ids.
  const int prepared = w.prepared;
  Evaluator e5(w.framework, copy->clone());
  w.fits(e3, "a");
  w.fits(e5, "a");
  CHECK(w.prepared <= prepared + 1);
}

TEST_CASE("without PreFilter a state follows Filter's pod") {
  LabelWorld w;
  Ref<Cluster> cluster = make_ref<Cluster>();
  LabelWorld::add(*cluster, "a", "{disk: ssd}");
  Evaluator e(w.framework, cluster);
  CHECK(w.fits(e, "a"));
  w.pod = fake_pod("another");  // the first pod is gone: its data must not be used
  CHECK(w.fits(e, "a"));
  CHECK(w.prepared == 2);
}

TEST_CASE("a clone of a state is independent") {
  FakeWorld w({pre_filter_narrows("Narrow", {"n2"}), filter_rejects("A", {"n1"}, kNo)});
  w.pre_filter();
  const Ref<CycleState> clone = w.state->clone();
  w.state = make_ref<CycleState>();
  CHECK(w.filter_nodes().error().rc == Rc::kState);
  w.state = clone;
  CHECK(w.filter_nodes().value() == Names{"n2"});
  CHECK(show(w.filter("n1")) == "Unschedulable A: no");
}

// --- many nodes ---

Names numbered(size_t from, size_t to) {
  Names names;
  for (size_t i = from; i < to; ++i) names.push_back("n" + std::to_string(1000 + i));
  return names;
}

std::vector<uint64_t> rows_of(const View& view, const Names& names) {
  std::vector<uint64_t> bits(view.word_count(), 0);
  for (const std::string& name : names) {
    const uint32_t r = view.find_node(name);
    REQUIRE(r != kNoId);
    bits[r / 64] |= uint64_t{1} << (r % 64);
  }
  return bits;
}

TEST_CASE("filter_nodes: accept, limit and start") {
  FakeWorld w({filter_rejects("A", numbered(0, 100), kNo)}, numbered(0, 300));
  w.pre_filter();
  CHECK(w.filter_nodes().value() == numbered(100, 300));

  FilterOptions options;
  options.limit = 3;
  CHECK(w.filter_nodes(options).value() == numbered(100, 103));
  options.start = 250;
  CHECK(w.filter_nodes(options).value() == numbered(250, 253));
  options.start = 299;
  CHECK(w.filter_nodes(options).value() == Names{"n1299", "n1100", "n1101"});
  options.start = 300 * 7 + 299;  // wraps around
  CHECK(w.filter_nodes(options).value() == Names{"n1299", "n1100", "n1101"});
  options.start = SIZE_MAX;
  CHECK(w.filter_nodes(options).value().size() == 3);
  options.start = SIZE_MAX;
  options.limit = 300;
  CHECK(w.filter_nodes(options).value().size() == 200);  // every node once
  options.start = 0;
  CHECK(w.filter_nodes(options).value() == numbered(100, 300));
  options.limit = UINT32_MAX;
  CHECK(w.filter_nodes(options).value() == numbered(100, 300));

  const std::vector<uint64_t> accepted = rows_of(w.cluster->view(), numbered(90, 110));
  options.accept = accepted;
  options.accept_given = true;
  options.limit = 0;
  CHECK(w.filter_nodes(options).value() == numbered(100, 110));
  options.limit = 4;
  CHECK(w.filter_nodes(options).value() == numbered(100, 104));
  options.accept = {};  // none
  CHECK(w.filter_nodes(options).value().empty());
  options.limit = 0;
  CHECK(w.filter_nodes(options).value().empty());
  // A bitmap that ends early accepts no row beyond it, and bits of rows without a node are ignored.
  const std::vector<uint64_t> first_words = {~uint64_t{0}, ~uint64_t{0}};
  options.accept = first_words;
  CHECK(w.filter_nodes(options).value() == numbered(100, 128));
  const std::vector<uint64_t> everything(100, ~uint64_t{0});
  options.accept = everything;
  CHECK(w.filter_nodes(options).value() == numbered(100, 300));
}

TEST_CASE("filter_nodes: the order is that of the nodes, not of the rows") {
  FakeWorld w({filter_rejects("A", {}, kNo)}, {"a", "b", "c"});
  REQUIRE(w.cluster->remove_node("a").ok());
  w.add("d");  // takes a's row
  REQUIRE(w.cluster->view().find_node("d") == 0);
  w.pre_filter();
  CHECK(w.filter_nodes().value() == Names{"b", "c", "d"});
  FilterOptions options;
  options.limit = 1;
  CHECK(w.filter_nodes(options).value() == Names{"b"});
  options.start = 2;
  CHECK(w.filter_nodes(options).value() == Names{"d"});
}

TEST_CASE("filter_nodes: an empty cluster has no feasible nodes") {
  FakeWorld w({filter_rejects("A", {}, kNo)}, {});
  w.pre_filter();
  FilterOptions options;
  for (const uint32_t limit : {0, 1}) {
    options.limit = limit;
    uint64_t none = 7;
    const Result<FilterOutcome> done =
        w.evaluator.filter_nodes(*w.state, *w.pod, options, &none, 1);
    REQUIRE(done.ok());
    CHECK(done->count == 0);
    CHECK(done->first == kNoId);
    CHECK(none == 0);
    CHECK(w.evaluator.filter_nodes(*w.state, *w.pod, options, nullptr, 0).ok());
  }
}

TEST_CASE("filter_nodes: an Error counts only if its node is reached") {
  const Status error(Code::kError, "boom");
  FakeWorld w({filter_rejects("Nay", {"n1150"}, kNo),
               filter_rejects("Bad", {"n1150", "n1160", "n1270"}, error)},
              numbered(0, 300));
  w.pre_filter();
  FilterOptions options;
  // n1150 was rejected before Bad saw it; of the other two the first in node order is reported.
  const Error all = w.filter_nodes().error();
  CHECK(all.rc == Rc::kPlugin);
  CHECK(all.plugin == "Bad");
  CHECK(all.path == "node n1160");
  CHECK(all.message == "running \"Bad\" filter plugin: boom");

  options.limit = 10;
  CHECK(w.filter_nodes(options).value() == numbered(0, 10));  // same block as no Error
  options.start = 155;
  CHECK(w.filter_nodes(options).error().path == "node n1160");
  options.limit = 5;
  CHECK(w.filter_nodes(options).value() == numbered(155, 160));  // enough before it
  options.limit = 6;
  CHECK(w.filter_nodes(options).error().path == "node n1160");
  options.start = 161;
  options.limit = 300;
  CHECK(w.filter_nodes(options).error().path == "node n1270");

  // A node that is not accepted, or is excluded by PreFilter, is not reached.
  const std::vector<uint64_t> accepted = rows_of(w.cluster->view(), numbered(161, 270));
  options = {};
  options.accept = accepted;
  options.accept_given = true;
  CHECK(w.filter_nodes(options).value() == numbered(161, 270));
  options.limit = 1000;
  CHECK(w.filter_nodes(options).value() == numbered(161, 270));
}

TEST_CASE("filter_nodes: an Error that does not recur is an Error nevertheless") {
  int calls = 0;
  Fake once{"Once",
            {},
            [&](const FilterCall&, const Node&) {
              return calls++ == 0 ? Status(Code::kError, "boom") : Status();
            },
            {}};
  FakeWorld w({once});
  w.pre_filter();
  const Error e = w.filter_nodes().error();
  CHECK(e.rc == Rc::kPlugin);
  CHECK_FALSE(e.message.empty());
}

TEST_CASE("an Error on one node leaves no feasible node") {
  FakeWorld w({filter_rejects("A", {"n1"}, Status(Code::kUnschedulable, "no")),
               filter_rejects("B", {"n3"}, Status(Code::kError, "broken"))},
              {"n1", "n2", "n3", "n4"});
  const Ref<const Decision> d = w.check();
  CHECK(d->error == "running \"B\" filter plugin: broken");
  CHECK(d->feasible_count == 0);
  CHECK(d->details().fit_error.empty());
  CHECK(d->details().codes == std::vector<int8_t>{2, 0, 1, 0});
  // A node that the plugin accepts has a verdict.
  CHECK(w.check("n2")->feasible_count == 1);
  CycleState state;
  const Result<CycleOutcome> cycle = w.evaluator.run_cycle(state, *w.pod, {});
  REQUIRE(cycle.ok());
  CHECK(cycle->row == kNoId);
  CHECK(cycle->status.message() == d->error);
}

TEST_CASE("filter_nodes: the caller may cancel it") {
  std::atomic<bool> cancel = false;
  int asked = 0;
  Fake flips{"Flips",
             {},
             [&](const FilterCall&, const Node& node) {
               if (node.meta.name == "n1070") cancel = true;
               return Status();
             },
             {}};
  Fake after{"After",
             {},
             [&](const FilterCall&, const Node&) {
               ++asked;
               return Status();
             },
             {}};
  FakeWorld w({flips, after}, numbered(0, 300));
  w.pre_filter();
  FilterOptions options;
  options.limits.cancel = &cancel;
  std::vector<uint64_t> bits(5, 42);
  const Result<FilterOutcome> done =
      w.evaluator.filter_nodes(*w.state, *w.pod, options, bits.data(), bits.size());
  REQUIRE_FALSE(done.ok());
  CHECK(done.error().rc == Rc::kCancelled);
  CHECK(asked == 0);
  CHECK(bits == std::vector<uint64_t>(5, 42));                  // not touched
  CHECK(w.filter_nodes(options).error().rc == Rc::kCancelled);  // still set: ends immediately

  cancel = false;
  options.limit = 60;  // found in the first block, before the flag is set
  CHECK(w.filter_nodes(options).value() == numbered(0, 60));
  options.limit = 65;
  CHECK(w.filter_nodes(options).error().rc == Rc::kCancelled);
}

TEST_CASE(
    "a plugin that is asked may look, but neither change the cluster nor use the same evaluator") {
  struct {
    FakeWorld* world = nullptr;
    Evaluator* own = nullptr;
    bool inside = false, whole = false;
    int asked = 0;
  } now;
  const NodeRef another = fake_node("another");
  Fake meddles{
      "Meddles",
      {},
      [&](const FilterCall&, const Node& node) {
        if (now.inside) return Status();
        now.inside = true;
        ++now.asked;
        Cluster& c = *now.world->cluster;
        const Node* list[] = {another.get()};
        const Pod* pods[] = {now.world->pod.get()};
        const Str to[] = {"n1"};
        CHECK(c.add_nodes(list, 1).error().rc == Rc::kMisuse);
        CHECK(c.update_node(another).error().rc == Rc::kMisuse);
        CHECK(c.remove_node(node.meta.name).error().rc == Rc::kMisuse);
        CHECK(c.add_pods(pods, to, 1).error().rc == Rc::kMisuse);
        CHECK(c.update_pod(now.world->pod, "n1").error().rc == Rc::kMisuse);
        CHECK(c.remove_pod("default", "p").error().rc == Rc::kMisuse);
        CHECK(c.apply({}).error().rc == Rc::kMisuse);
        CHECK(c.revert().error().rc == Rc::kMisuse);
        CHECK(c.commit().error().rc == Rc::kMisuse);
        CHECK(c.snapshot()->view().node_count() == c.view().node_count());
        CHECK(now.own->check(*now.world->pod, "n1", false).ok());
        if (now.whole)
          CHECK(now.world->evaluator.check(*now.world->pod, "", false).error().rc == Rc::kMisuse);
        now.inside = false;
        return Status();
      },
      {}};
  FakeWorld w({meddles});
  Evaluator own(FrameworkRef::share(&w.evaluator.framework()), w.cluster);
  now.world = &w;
  now.own = &own;
  REQUIRE(w.cluster->fork().ok());
  w.pre_filter();
  CHECK(show(w.filter("n1")) == "Success");
  CHECK(now.asked == 1);
  now.whole = true;
  CHECK(w.check()->feasible_count == 3);
  CHECK(w.filter_nodes().value().size() == 3);
  CHECK(now.asked == 7);
  // Afterwards everything is allowed again.
  CHECK(w.cluster->revert().ok());
  CHECK(w.cluster->update_node(another).ok());
  CHECK(w.check()->feasible_count == 4);
}

TEST_CASE("an evaluator on a snapshot does not see later changes") {
  FakeWorld w({filter_rejects("A", {"n1"}, kNo)});
  const SnapshotRef snapshot = w.cluster->snapshot();
  REQUIRE(w.cluster->remove_node("n2").ok());
  Evaluator e(FrameworkRef::share(&w.evaluator.framework()), snapshot);
  CHECK(e.check(*w.pod, "", false).value()->feasible_count == 2);
  CHECK(w.check()->feasible_count == 1);
  CHECK(e.check(*w.pod, "n2", false).value()->feasible_count == 1);
  CHECK(w.evaluator.check(*w.pod, "n2", false).error().rc == Rc::kNotFound);
}

}  // namespace libsched::evaluator_test
