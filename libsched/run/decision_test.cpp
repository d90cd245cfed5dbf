// Decision: upstream's FitError text, the explanation as JSON, and its independence of the view.
#include "libsched/run/decision.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <thread>

#include <nlohmann/json.hpp>

#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::decision_test {

using Json = nlohmann::json;
using Names = std::vector<std::string>;

Names numbered(size_t from, size_t to) {
  Names names;
  for (size_t i = from; i < to; ++i) names.push_back("n" + std::to_string(1000 + i));
  return names;
}

Names feasible(const Decision& d) {
  Names names;
  for (const uint32_t i : d.details().feasible) names.emplace_back(d.node(i));
  return names;
}

Status says(Code code, Names reasons) {
  Status s(code);
  s.reasons = std::move(reasons);
  return s;
}

TEST_CASE("the FitError counts reasons and sorts them as strings") {
  // "10 a" precedes "2 b" and "3 c": text order, not number order.
  FakeWorld w(
      {filter_rejects("A", numbered(0, 10), Status(Code::kUnschedulable, "a")),
       filter_rejects("B", numbered(10, 12), Status(Code::kUnschedulableAndUnresolvable, "b")),
       filter_rejects("C", numbered(12, 15), Status(Code::kPending, "c"))},
      numbered(0, 15));
  const auto d = w.check();
  CHECK(d->details().fit_error == "0/15 nodes are available: 10 a, 2 b, 3 c.");
  CHECK(d->error.empty());
  CHECK(d->feasible_count == 0);
  CHECK(d->details().statuses.size() == 4);
  // A plugin that only waits is in both sets, as upstream's.
  CHECK(d->details().unschedulable_plugins == std::vector<std::string>{"A", "B", "C"});
  CHECK(d->details().pending_plugins == std::vector<std::string>{"C"});
}

TEST_CASE(
    "a node with several reasons counts for each, and the same reason of two plugins is one") {
  FakeWorld w({filter_rejects("A", {"n1"},
                              says(Code::kUnschedulable, {"Insufficient cpu", "Insufficient memory",
                                                          "Insufficient cpu"})),
               filter_rejects("B", {"n2"}, says(Code::kUnschedulable, {"Insufficient cpu"})),
               filter_rejects("C", {"n3"}, says(Code::kUnschedulable, {}))});
  CHECK(w.check()->details().fit_error ==
        "0/3 nodes are available: 1 Insufficient memory, 3 Insufficient cpu.");
}

TEST_CASE("without any reason the FitError ends with the colon") {
  FakeWorld w({filter_rejects("A", {"n1", "n2", "n3"}, Status(Code::kUnschedulable))});
  CHECK(w.check()->details().fit_error == "0/3 nodes are available:");
}

TEST_CASE("nodes that PreFilter excluded count under the plugins that narrowed") {
  FakeWorld w(
      {pre_filter_narrows("Narrow", {"n1", "gone"}), pre_filter_narrows("Also", {"n1", "n2"}),
       filter_rejects("F", {"n1", "n2"}, Status(Code::kUnschedulable, "full"))},
      {"n1", "n2", "n3", "n4"});
  const char* expected =
      "0/4 nodes are available: 1 full, 3 node(s) didn't satisfy plugin(s) [Also Narrow].";
  CHECK(w.pod->meta.name == "p");
  const auto d = w.check();
  CHECK(d->details().fit_error == expected);
  CHECK(d->node_count == 1);
  // Judging excluded nodes, too, adds verdicts and changes nothing else.
  const auto judged = w.check("", true);
  CHECK(judged->details().fit_error == expected);
  REQUIRE(judged->node_count == 4);
  CHECK_FALSE(judged->excluded(0));
  CHECK(judged->excluded(1));
  CHECK(judged->status(1).message() == "full");
  CHECK(judged->excluded(3));
  CHECK(judged->status(3).success());
  CHECK(judged->feasible_count == 0);
  // A single node.
  CHECK(w.check("n1")->details().fit_error == "0/1 nodes are available: 1 full.");
  CHECK(w.check("n3")->details().fit_error ==
        "0/1 nodes are available: 1 node(s) didn't satisfy plugin(s) [Also Narrow].");
}

TEST_CASE("a message of PreFilter replaces the counts") {
  FakeWorld w({pre_filter_says("U", says(Code::kUnschedulable, {"first", "second"})),
               filter_rejects("F", {"n1"}, Status(Code::kUnschedulable, "full"))});
  const auto d = w.check();
  CHECK(d->details().fit_error == "0/3 nodes are available: first, second.");
  CHECK(d->pre_filter->plugin == "U");
  CHECK(d->details().unschedulable_plugins == std::vector<std::string>{"U"});
  CHECK(d->node_count == 0);
  CHECK(w.check("n2")->details().fit_error == "0/1 nodes are available: first, second.");

  FakeWorld silent({pre_filter_says("U", Status(Code::kUnschedulableAndUnresolvable))});
  CHECK(silent.check()->details().fit_error == "0/3 nodes are available:");
  FakeWorld none({pre_filter_narrows("Narrow", {})});
  CHECK(none.check()->details().fit_error ==
        "0/3 nodes are available: node(s) didn't satisfy plugin Narrow.");
  CHECK(none.check()->details().unschedulable_plugins == std::vector<std::string>{"Narrow"});
}

TEST_CASE("an Error is an error, not a reason") {
  FakeWorld pre({pre_filter_says("Bad", Status(Code::kError, "boom"))});
  CHECK(pre.check()->error == "running PreFilter plugin \"Bad\": boom");
  CHECK(pre.check()->details().fit_error.empty());
  FakeWorld w({filter_rejects("Bad", {"n2", "n3"}, Status(Code::kError, "boom"))});
  const auto d = w.check();
  CHECK(d->error == "running \"Bad\" filter plugin: boom");
  CHECK(d->details().fit_error.empty());
  const Json json = Json::parse(d->explain_json());
  CHECK(json["fits"] == false);
  CHECK(json["error"] == d->error);
  // Not for a node that PreFilter excluded.
  FakeWorld excluded({pre_filter_narrows("Narrow", {"n1"}),
                      filter_rejects("Bad", {"n2"}, Status(Code::kError, "boom"))});
  CHECK(excluded.check("", true)->error.empty());
  CHECK(feasible(*excluded.check("", true)) == Names{"n1"});
}

TEST_CASE("without nodes nothing is judged") {
  FakeWorld w({pre_filter_says("U", Status(Code::kUnschedulable, "no"))}, {});
  const auto d = w.check();
  CHECK(d->error == "no nodes available to schedule pods");
  CHECK_FALSE(d->pre_filter.has_value());
  CHECK(d->details().fit_error.empty());
}

TEST_CASE("nodes are sorted by name, regardless of their order") {
  FakeWorld w({filter_rejects("A", {"b"}, Status(Code::kUnschedulable, "no"))}, {"c", "b", "a"});
  const auto d = w.check();
  REQUIRE(d->node_count == 3);
  CHECK(d->node(1) == "b");
  CHECK(feasible(*d) == Names{"a", "c"});
  CHECK(d->details().fit_error.empty());
  // After changes, too.
  REQUIRE(w.cluster->remove_node("b").ok());
  w.add("aa");
  CHECK(feasible(*w.check()) == Names{"a", "aa", "c"});
  REQUIRE(w.cluster->fork().ok());
  w.add("ab");
  CHECK(feasible(*w.check()) == Names{"a", "aa", "ab", "c"});
  REQUIRE(w.cluster->revert().ok());
  CHECK(feasible(*w.check()) == Names{"a", "aa", "c"});
}

TEST_CASE("a decision stays valid when view, evaluator and framework are gone") {
  Ref<const Decision> d;
  {
    FakeWorld w({pre_filter_narrows("Narrow", {"n1", "n2"}),
                 filter_rejects("A", {"n1"}, Status(Code::kUnschedulable, "full"))});
    REQUIRE(w.cluster->fork().ok());
    w.add("n0");
    d = w.check("", true);
    REQUIRE(w.cluster->revert().ok());
    REQUIRE(w.cluster->remove_node("n1").ok());
    REQUIRE(w.cluster->remove_node("n2").ok());
  }
  CHECK(feasible(*d) == Names{"n2"});
  const Json json = Json::parse(d->explain_json());
  CHECK(json == Json::parse(R"({
    "pod": "default/p", "profile": "fakes", "fits": true,
    "preFilter": {"code": "Success", "allNodes": false, "nodeNames": ["n1", "n2"], "restrictedBy": ["Narrow"]},
    "nodes": [{"node": "n0", "code": "Success", "excludedByPreFilter": true},
              {"node": "n1", "code": "Unschedulable", "plugin": "A", "reasons": ["full"]},
              {"node": "n2", "code": "Success"},
              {"node": "n3", "code": "Success", "excludedByPreFilter": true}],
    "feasible": ["n2"]})"));
}

// Rejects nodes with the label "full", and makes its text on request.
class Reader final : public Plugin {
 public:
  void filter(const FilterCall& call, const RowSet& set) const override {
    set.for_each([&](uint32_t row) {
      if (full(call.view, row) != nullptr) set.reject(row);
    });
  }
  void filter_status(const FilterCall& call, uint32_t row, Status* out) const override {
    out->set(Code::kUnschedulable, "full of " + std::string(*full(call.view, row)));
  }

 private:
  static const Str* full(const View& view, uint32_t row) {
    for (const Label& l : view.node(row)->meta.labels)
      if (l.key == "full") return &l.value;
    return nullptr;
  }
};

struct ReaderWorld {
  ReaderWorld() {
    for (const char* node : {"n1", "n2", "n3"}) put(node, "{full: before}");
    put("n3", "{}");
  }
  void put(const std::string& node, const std::string& labels) const {
    REQUIRE(cluster->update_node(fake_node(node, labels)).ok());
  }
  Ref<const Decision> check(const std::string& node = "") {
    return evaluator->check(*pod, node, false).value();
  }
  static FrameworkRef framework() {
    const Ref<Registry> registry = fake_registry({});
    const auto make = [](const FactoryCall&) -> Result<std::unique_ptr<Plugin>> {
      return std::unique_ptr<Plugin>(std::make_unique<Reader>());
    };
    REQUIRE(registry->add("Reader", {point_bit(ExtensionPoint::kFilter), make, false}).ok());
    return Framework::create(fake_config({"Reader"}), "", registry, {}).value();
  }
  Ref<Cluster> cluster = make_ref<Cluster>();
  Ref<Evaluator> evaluator = make_ref<Evaluator>(framework(), cluster);
  PodRef pod = fake_pod("p");
};

const char* const kBefore =
    R"([{"node":"n1","code":"Unschedulable","plugin":"Reader","reasons":["full of before"]},)"
    R"({"node":"n2","code":"Unschedulable","plugin":"Reader","reasons":["full of before"]},)"
    R"({"node":"n3","code":"Success"}])";

TEST_CASE(
    "once the view has changed, a decision that was not read yet has the texts of its own moment") {
  const std::vector<std::function<void(ReaderWorld&)>> changes = {
      [](ReaderWorld& w) { w.put("n1", "{full: after}"); },
      [](ReaderWorld& w) { w.put("n3", "{full: after}"); },
      [](ReaderWorld& w) { REQUIRE(w.cluster->remove_node("n2").ok()); },
      [](ReaderWorld& w) { w.put("n0", "{full: new}"); },
      [](ReaderWorld& w) {
        REQUIRE(w.cluster->fork().ok());
        w.put("n1", "{}");
        REQUIRE(w.cluster->revert().ok());
        REQUIRE(w.cluster->remove_node("n1").ok());
      },
      [](ReaderWorld& w) {
        w.evaluator = nullptr;
        w.cluster = nullptr;
      },
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    CAPTURE(i);
    ReaderWorld w;
    const Ref<const Decision> d = w.check(), one = w.check("n2"), unread = w.check();
    changes[i](w);
    CHECK(Json::parse(d->explain_json())["nodes"] == Json::parse(kBefore));
    CHECK(d->feasible_count == 1);
    CHECK(feasible(*d) == Names{"n3"});
    CHECK(one->details().fit_error == "0/1 nodes are available: 1 full of before.");
  }
}

TEST_CASE("a decision of a fork has the texts of the fork") {
  ReaderWorld w;
  REQUIRE(w.cluster->fork().ok());
  w.put("n3", "{full: fork}");
  w.put("n4", "{full: fork}");
  const Ref<const Decision> d = w.check();
  REQUIRE(w.cluster->revert().ok());
  CHECK(d->details().fit_error == "0/4 nodes are available: 2 full of before, 2 full of fork.");
  CHECK(w.check()->feasible_count == 1);
}

TEST_CASE("a decision of a snapshot is read when the snapshot and its cluster are gone") {
  ReaderWorld w;
  Ref<const Decision> d;
  {
    Evaluator e(ReaderWorld::framework(), w.cluster->snapshot());
    d = e.check(*w.pod, "", false).value();
  }
  w.put("n1", "{full: after}");
  CHECK(Json::parse(d->explain_json())["nodes"] == Json::parse(kBefore));
}

TEST_CASE("decisions are read on another thread while the cluster changes") {
  ReaderWorld w;
  for (int round = 0; round < 50; ++round) {
    const Ref<const Decision> d = w.check(), same = w.check();
    std::string one, two;
    std::thread first([&] { one = d->details().fit_error + std::string(d->node(0)); });
    std::thread second([&] { two = d->details().fit_error + std::string(same->node(0)); });
    w.put("n1", "{full: after}");
    w.put("n4", "{full: after}");
    first.join();
    second.join();
    CHECK(one == two);
    CHECK(d->node_count == 3);
    CHECK(d->status(0).reasons == Names{"full of before"});
    w.put("n1", "{full: before}");
    REQUIRE(w.cluster->remove_node("n4").ok());
  }
}

TEST_CASE("unread decisions leave nothing behind") {
  ReaderWorld w;
  std::vector<std::weak_ptr<Unread>> all;
  struct Answer final : Unread {
    void finish() override { ++finished; }
    int finished = 0;
  };
  const auto kept = std::make_shared<Answer>();
  w.cluster->finish_before_change(kept);
  for (int i = 0; i < 1000; ++i) {
    const auto answer = std::make_shared<Answer>();
    w.cluster->finish_before_change(answer);
    all.push_back(answer);
  }
  for (const std::weak_ptr<Unread>& a : all) CHECK(a.expired());
  w.put("n1", "{}");
  w.put("n1", "{full: before}");
  CHECK(kept->finished == 1);
}

TEST_CASE("the explanation sorts reasons, lists skipped plugins and repairs bad UTF-8") {
  Fake skips = pre_filter_says("Zzz", Status(Code::kSkip));
  Fake also = pre_filter_says("Aaa", Status(Code::kSkip));
  skips.filter = also.filter = [](const FilterCall&, const Node&) { return Status(); };
  FakeWorld w({skips,
               also,
               filter_rejects("A", {"n1"}, says(Code::kUnschedulable, {"z", "\xff", "a"})),
               {"Gate", {}, {}, [](const Pod&) { return Status(Code::kUnschedulable, "shut"); }}},
              {"n1"});
  const auto d = w.check();
  CHECK(d->details().fit_error == "0/1 nodes are available: 1 a, 1 z, 1 \xff.");
  const Json json = Json::parse(d->explain_json());
  CHECK(json["nodes"][0]["reasons"] == Json({"a", "z", "\ufffd"}));
  CHECK(json["preFilter"]["skipFilter"] == Json({"Aaa", "Zzz"}));
  CHECK(json["preEnqueue"] ==
        Json({{"code", "Unschedulable"}, {"plugin", "Gate"}, {"reasons", {"shut"}}}));
  CHECK(json["fits"] == false);
  CHECK(json["feasible"].empty());
}

TEST_CASE("up to 1.31 nodes that PreFilter excluded are not counted") {
  const auto text = [](Release release, const std::string& node) {
    FakeWorld w({pre_filter_narrows("Narrow", {"n1"}),
                 filter_rejects("F", {"n1"}, Status(Code::kUnschedulable, "full"))},
                {"n1", "n2", "n3"}, release);
    const std::string decided = w.check(node)->details().fit_error;
    if (!node.empty()) return decided;
    for (const bool node_by_node : {false, true}) {
      CycleOptions options;
      options.fit_error = true;
      options.node_by_node = node_by_node;
      const Result<CycleOutcome> cycle = w.evaluator.run_cycle(*w.state, *w.pod, options);
      REQUIRE(cycle.ok());
      CHECK(cycle->status.message() == decided);
    }
    return decided;
  };
  CHECK(text(Release::k1_31, "") == "0/3 nodes are available: 1 full.");
  CHECK(text(Release::k1_31, "n2") == "0/1 nodes are available:");
  for (const Release later : {Release::k1_32, Release::k1_36}) {
    CHECK(text(later, "") ==
          "0/3 nodes are available: 1 full, 2 node(s) didn't satisfy plugin(s) [Narrow].");
    CHECK(text(later, "n2") ==
          "0/1 nodes are available: 1 node(s) didn't satisfy plugin(s) [Narrow].");
  }
}

}  // namespace libsched::decision_test
