// Decision: upstream's FitError text, the explanation as JSON, and its independence of the view.
#include "libsched/framework/decision.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "libsched/framework/fake_plugin.hpp"

namespace libsched {
namespace {

using Json = nlohmann::json;
using Names = std::vector<std::string>;

Names numbered(size_t from, size_t to) {
  Names names;
  for (size_t i = from; i < to; ++i) names.push_back("n" + std::to_string(1000 + i));
  return names;
}

Names feasible(const Decision& d) {
  Names names;
  for (const uint32_t i : d.feasible) names.emplace_back(d.nodes[i].node->meta.name);
  return names;
}

Status says(Code code, Names reasons) {
  Status s(code);
  s.reasons = std::move(reasons);
  return s;
}

TEST_CASE("the FitError counts reasons and sorts them as strings") {
  // "10 a" stands before "2 b" and "3 c": text order, not number order.
  FakeWorld w(
      {filter_rejects("A", numbered(0, 10), Status(Code::kUnschedulable, "a")),
       filter_rejects("B", numbered(10, 12), Status(Code::kUnschedulableAndUnresolvable, "b")),
       filter_rejects("C", numbered(12, 15), Status(Code::kPending, "c"))},
      numbered(0, 15));
  const auto d = w.check();
  CHECK(d->fit_error == "0/15 nodes are available: 10 a, 2 b, 3 c.");
  CHECK(d->error.empty());
  CHECK(d->feasible.empty());
  CHECK(d->statuses.size() == 4);
  // A plugin that only waits is in both sets, as upstream's.
  CHECK(d->unschedulable_plugins == std::vector<std::string>{"A", "B", "C"});
  CHECK(d->pending_plugins == std::vector<std::string>{"C"});
}

TEST_CASE(
    "a node with several reasons counts for each, and the same reason of two plugins is one") {
  FakeWorld w({filter_rejects("A", {"n1"},
                              says(Code::kUnschedulable, {"Insufficient cpu", "Insufficient memory",
                                                          "Insufficient cpu"})),
               filter_rejects("B", {"n2"}, says(Code::kUnschedulable, {"Insufficient cpu"})),
               filter_rejects("C", {"n3"}, says(Code::kUnschedulable, {}))});
  CHECK(w.check()->fit_error ==
        "0/3 nodes are available: 1 Insufficient memory, 3 Insufficient cpu.");
}

TEST_CASE("without any reason the FitError ends with the colon") {
  FakeWorld w({filter_rejects("A", {"n1", "n2", "n3"}, Status(Code::kUnschedulable))});
  CHECK(w.check()->fit_error == "0/3 nodes are available:");
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
  CHECK(d->fit_error == expected);
  CHECK(d->nodes.size() == 1);
  // Judging the excluded ones, too, adds verdicts and changes nothing else.
  const auto judged = w.check("", true);
  CHECK(judged->fit_error == expected);
  REQUIRE(judged->nodes.size() == 4);
  CHECK_FALSE(judged->nodes[0].excluded);
  CHECK(judged->nodes[1].excluded);
  CHECK(judged->statuses[judged->nodes[1].status].message() == "full");
  CHECK(judged->nodes[3].excluded);
  CHECK(judged->nodes[3].status == 0);
  CHECK(judged->feasible.empty());
  // One node alone.
  CHECK(w.check("n1")->fit_error == "0/1 nodes are available: 1 full.");
  CHECK(w.check("n3")->fit_error ==
        "0/1 nodes are available: 1 node(s) didn't satisfy plugin(s) [Also Narrow].");
}

TEST_CASE("a message of PreFilter stands instead of the counts") {
  FakeWorld w({pre_filter_says("U", says(Code::kUnschedulable, {"first", "second"})),
               filter_rejects("F", {"n1"}, Status(Code::kUnschedulable, "full"))});
  const auto d = w.check();
  CHECK(d->fit_error == "0/3 nodes are available: first, second.");
  CHECK(d->pre_filter->plugin == "U");
  CHECK(d->unschedulable_plugins == std::vector<std::string>{"U"});
  CHECK(d->nodes.empty());
  CHECK(w.check("n2")->fit_error == "0/1 nodes are available: first, second.");

  FakeWorld silent({pre_filter_says("U", Status(Code::kUnschedulableAndUnresolvable))});
  CHECK(silent.check()->fit_error == "0/3 nodes are available:");
  FakeWorld none({pre_filter_narrows("Narrow", {})});
  CHECK(none.check()->fit_error ==
        "0/3 nodes are available: node(s) didn't satisfy plugin Narrow.");
  CHECK(none.check()->unschedulable_plugins == std::vector<std::string>{"Narrow"});
}

TEST_CASE("an Error is an error, not a reason") {
  FakeWorld pre({pre_filter_says("Bad", Status(Code::kError, "boom"))});
  CHECK(pre.check()->error == "running PreFilter plugin \"Bad\": boom");
  CHECK(pre.check()->fit_error.empty());
  FakeWorld w({filter_rejects("Bad", {"n2", "n3"}, Status(Code::kError, "boom"))});
  const auto d = w.check();
  CHECK(d->error == "running \"Bad\" filter plugin: boom");
  CHECK(d->fit_error.empty());
  const Json json = Json::parse(d->explain_json());
  CHECK(json["fits"] == false);
  CHECK(json["error"] == d->error);
  // Not of a node that PreFilter excluded.
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
  CHECK(d->fit_error.empty());
}

TEST_CASE("nodes are sorted by name, whatever their order") {
  FakeWorld w({filter_rejects("A", {"b"}, Status(Code::kUnschedulable, "no"))}, {"c", "b", "a"});
  const auto d = w.check();
  REQUIRE(d->nodes.size() == 3);
  CHECK(d->nodes[1].node->meta.name == "b");
  CHECK(feasible(*d) == Names{"a", "c"});
  CHECK(d->fit_error.empty());
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

TEST_CASE("a decision stays valid when view, evaluator and framework have gone") {
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

TEST_CASE("the explanation sorts reasons, lists what was skipped and repairs bad UTF-8") {
  Fake skips = pre_filter_says("Zzz", Status(Code::kSkip));
  Fake also = pre_filter_says("Aaa", Status(Code::kSkip));
  skips.filter = also.filter = [](const FilterCall&, const Node&) { return Status(); };
  FakeWorld w({skips,
               also,
               filter_rejects("A", {"n1"}, says(Code::kUnschedulable, {"z", "\xff", "a"})),
               {"Gate", {}, {}, [](const Pod&) { return Status(Code::kUnschedulable, "shut"); }}},
              {"n1"});
  const auto d = w.check();
  CHECK(d->fit_error == "0/1 nodes are available: 1 a, 1 z, 1 \xff.");
  const Json json = Json::parse(d->explain_json());
  CHECK(json["nodes"][0]["reasons"] == Json({"a", "z", "\ufffd"}));
  CHECK(json["preFilter"]["skipFilter"] == Json({"Aaa", "Zzz"}));
  CHECK(json["preEnqueue"] ==
        Json({{"code", "Unschedulable"}, {"plugin", "Gate"}, {"reasons", {"shut"}}}));
  CHECK(json["fits"] == false);
  CHECK(json["feasible"].empty());
}

}  // namespace
}  // namespace libsched
