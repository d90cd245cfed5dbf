// The rules of RunPreScorePlugins and RunScorePlugins: order, skips, weights, errors and their
// texts. The plugins are fakes.
#include <doctest/doctest.h>

#include <map>

#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::evaluator_score_test {

using Names = std::vector<std::string>;
using Scores = std::map<std::string, int64_t>;

Fake scores(const std::string& name, const Scores& by_node) {
  Fake fake;
  fake.name = name;
  fake.score = [by_node](const Node& node, int64_t* score) {
    const auto it = by_node.find(std::string(node.meta.name));
    if (it == by_node.end())
      return Status(Code::kError, "no score for " + std::string(node.meta.name));
    *score = it->second;
    return Status();
  };
  return fake;
}

struct Outcome {
  std::string text;  // "" if it succeeded
  std::vector<int64_t> totals;
  ScoreTable table;
};

Outcome run(FakeWorld& w) {
  REQUIRE(w.pre_filter().success());
  const size_t words = w.cluster->view().word_count();
  std::vector<uint64_t> bits(words);
  REQUIRE(w.evaluator.filter_nodes(*w.state, *w.pod, {}, bits.data(), words).ok());
  Result<Status> pre = w.evaluator.run_pre_score(*w.state, *w.pod, bits.data(), words);
  REQUIRE(pre.ok());
  if (!pre->success()) {
    CHECK(pre->code == Code::kError);
    return {pre->message(), {}, {}};
  }
  Outcome out;
  std::vector<int64_t> by_row(words * 64);
  Result<Status> scored =
      w.evaluator.run_score(*w.state, *w.pod, bits.data(), words, by_row.data(), &out.table);
  REQUIRE(scored.ok());
  if (!scored->success()) {
    CHECK(scored->code == Code::kError);
    CHECK(out.table.rows.empty());
    return {scored->message(), {}, {}};
  }
  for (size_t i = 0; i < out.table.rows.size(); ++i) {
    CHECK(by_row[out.table.rows[i]] == out.table.totals[i]);
    out.totals.push_back(out.table.totals[i]);
  }
  return out;
}

TEST_CASE("totals are the weighted sums of the plugins' scores") {
  FakeWorld w({scores("A", {{"n1", 1}, {"n2", 50}, {"n3", 100}}),
               filter_rejects("F", {"n2"}, Status(Code::kUnschedulable, "no")),
               scores("B", {{"n1", 7}, {"n3", 0}})});
  const Outcome out = run(w);
  CHECK(out.text == "");
  CHECK(out.totals == std::vector<int64_t>{8, 100});
  REQUIRE(out.table.columns.size() == 2);
  CHECK(out.table.columns[0].plugin == "A");
  CHECK(out.table.columns[1].raw == std::vector<int64_t>{7, 0});
}

TEST_CASE("normalising replaces a plugin's scores before they are weighted") {
  Fake fake = scores("A", {{"n1", -5}, {"n2", 20}, {"n3", 40}});
  fake.normalize = [](const ScoreSet& set, int64_t* s) {
    set.for_each([&](uint32_t r) { s[r] = s[r] < 0 ? 0 : s[r] * 2; });
    return Status();
  };
  FakeWorld w({fake});
  const Outcome out = run(w);
  CHECK(out.totals == std::vector<int64_t>{0, 40, 80});
  CHECK(out.table.columns[0].raw == std::vector<int64_t>{-5, 20, 40});
  CHECK(out.table.columns[0].normalized == std::vector<int64_t>{0, 40, 80});
}

TEST_CASE("PreScore: Skip leaves a plugin out, any other failure is an Error of the point") {
  Fake skipped = scores("Skipped", {});  // would fail
  skipped.pre_score = [](const PreScoreCall&) { return Status(Code::kSkip); };
  SUBCASE("skip") {
    FakeWorld w({skipped, scores("A", {{"n1", 1}, {"n2", 2}, {"n3", 3}})});
    const Outcome out = run(w);
    CHECK(out.totals == std::vector<int64_t>{1, 2, 3});
    CHECK(out.table.columns.size() == 1);
  }
  SUBCASE("failure") {
    Fake bad;
    bad.name = "Bad";
    bad.pre_score = [](const PreScoreCall&) { return Status(Code::kUnschedulable, "why"); };
    FakeWorld w({skipped, bad});
    CHECK(run(w).text == "running PreScore plugin \"Bad\": why");
  }
}

TEST_CASE("the first node that fails decides, and on it the first plugin") {
  FakeWorld w({scores("A", {{"n1", 1}, {"n2", 2}}), scores("B", {{"n1", 1}, {"n3", 3}}),
               scores("C", {{"n1", 1}, {"n3", 3}})});
  CHECK(run(w).text == "running Score plugins: plugin \"B\" failed with: no score for n2");
}

TEST_CASE("a failing NormalizeScore, and scores out of range after it") {
  Fake bad = scores("Bad", {{"n1", 1}, {"n2", 2}, {"n3", 3}});
  SUBCASE("failing") {
    bad.normalize = [](const ScoreSet&, int64_t*) { return Status(Code::kError, "why"); };
    FakeWorld w({scores("High", {{"n1", 1000}, {"n2", 2}, {"n3", 3}}), bad});
    CHECK(run(w).text == "running Normalize on Score plugins: plugin \"Bad\" failed with: why");
  }
  SUBCASE("out of range: the first node, then the first plugin") {
    FakeWorld w({scores("Low", {{"n1", 0}, {"n2", 100}, {"n3", -1}}),
                 scores("High", {{"n1", 3}, {"n2", 101}, {"n3", 3}})});
    CHECK(
        run(w).text ==
        "applying score defaultWeights on Score plugins: plugin \"High\" returns an invalid score "
        "101, it should in the range of [0, 100] after normalizing");
  }
}

TEST_CASE("no plugin normalizes before all have scored, nor after a failure") {
  std::string told;
  const auto teller = [&](const std::string& name, const Scores& by_node) {
    Fake fake = scores(name, by_node);
    fake.score = [&told, name, score = fake.score](const Node& node, int64_t* out) {
      told += name + " ";
      return score(node, out);
    };
    fake.normalize = [&told, name](const ScoreSet&, int64_t*) {
      told += name + "! ";
      return Status();
    };
    return fake;
  };
  const Scores all = {{"n1", 1}, {"n2", 2}, {"n3", 3}};
  FakeWorld well({teller("A", all), teller("B", all)});
  CHECK(run(well).totals == std::vector<int64_t>{2, 4, 6});
  CHECK(told == "A A A B B B A! B! ");
  told.clear();
  FakeWorld badly({teller("A", all), teller("B", {})});
  CHECK(run(badly).text == "running Score plugins: plugin \"B\" failed with: no score for n1");
  CHECK(told.find('!') == std::string::npos);
}

TEST_CASE("without Score plugins every node gets one point") {
  FakeWorld w({});
  CHECK(run(w).totals == std::vector<int64_t>{1, 1, 1});
}

TEST_CASE("scores are for the state's pod") {
  FakeWorld w({});
  uint64_t bits[1] = {7};
  int64_t totals[64];
  CHECK(w.evaluator.run_pre_score(*w.state, *w.pod, bits, 1).ok());  // as upstream
  CHECK(w.evaluator.run_score(*w.state, *w.pod, bits, 1, totals, nullptr).ok());
  w.pre_filter();
  const PodRef other = fake_pod("other");
  CHECK(w.evaluator.run_pre_score(*w.state, *other, bits, 1).error().rc == Rc::kState);
  CHECK(w.evaluator.run_score(*w.state, *other, bits, 1, totals, nullptr).error().rc == Rc::kState);
  CHECK(w.evaluator.run_pre_score(*w.state, *w.pod, bits, 0).error().rc == Rc::kInvalid);
}

TEST_CASE("rows without a node are not scored") {
  FakeWorld w({scores("A", {{"n1", 1}, {"n2", 2}, {"n3", 3}})});
  w.pre_filter();
  uint64_t bits[1] = {~uint64_t{0}};
  ScoreTable table;
  REQUIRE(w.evaluator.run_pre_score(*w.state, *w.pod, bits, 1).ok());
  REQUIRE(w.evaluator.run_score(*w.state, *w.pod, bits, 1, nullptr, &table).value().success());
  CHECK(table.rows.size() == 3);
}

TEST_CASE("a decision with scores: by name, with the best nodes") {
  FakeWorld w({scores("A", {{"n1", 5}, {"n2", 9}, {"n3", 9}})});
  const Ref<const Decision> d = w.evaluator.check(*w.pod, "", false, true).value();
  CHECK(d->scored);
  CHECK(d->best == std::vector<uint32_t>{1, 2});
  CHECK(d->explain_json().find(R"("best":["n2","n3"])") != std::string::npos);
  CHECK_FALSE(w.check()->scored);
}

}  // namespace libsched::evaluator_score_test
