// The node that is nominated when the search begins at a given offset, against the recorded
// answers of upstream's 1.36 for every offset.
#include "libsched/ingest/recorded_table_test.hpp"
#include "libsched/plugins/trial_test.hpp"
#include "tests/unit/rounds.hpp"

namespace libsched::preemption_table_test {

using simdjson::dom::array;
using simdjson::dom::element;

// "Success: reason; reason -> node".
std::string preempted(Evaluator& evaluator, const Pod& pod, size_t offset) {
  const Ref<Services> services = make_ref<Services>();
  services->preemption_offset = offset;
  CHECK(evaluator.use(services).ok());
  CycleState state;
  const Result<Status> pre = evaluator.run_pre_filter(state, pod);
  REQUIRE(pre.ok());
  REQUIRE(pre->success());
  NodeStatuses statuses;
  for (const uint32_t row : evaluator.view().order()) {
    Status s;
    REQUIRE(evaluator.run_filter(state, pod, row, &s).ok());
    statuses.set(row, s);
  }
  std::optional<Nomination> nomination;
  const Result<Status> ran = evaluator.run_post_filter(state, pod, statuses, &nomination);
  REQUIRE_MESSAGE(ran.ok(), ran.error().text());
  Status said = *ran;
  if (!said.success()) {  // upstream's answer is DefaultPreemption's alone
    REQUIRE(said.reasons.size() > 1);
    CHECK(said.reasons[0] == "no new claims to deallocate");
    said.reasons.erase(said.reasons.begin());
  }
  return text_of(said) + " -> " + (nomination ? nomination->node : "");
}

std::string recorded(element answer) {
  Status s(Code::kSuccess);
  while (text_at(answer["code"]) != code_name(s.code)) s.code = static_cast<Code>(int(s.code) + 1);
  array reasons;
  if (answer["reasons"].get(reasons) == simdjson::SUCCESS)
    for (const element r : reasons) s.reasons.push_back(text_at(r));
  element node;
  const bool nominated = answer["nominatedNode"].get(node) == simdjson::SUCCESS;
  return text_of(s) + " -> " + (nominated ? text_at(node) : "");
}

TEST_CASE("recorded preemption at every offset") {
  const RecordedTable table("preemption.json");
  size_t offsets = 0;
  for (const element row : array(table["rows"])) {
    const std::string name = text_at(row["name"]);
    CAPTURE(name);
    ConfigOptions options;
    options.gates = FeatureGates(Release::k1_36);
    const Result<ConfigRef> config = parse_config(text_at(row["config"]), options);
    REQUIRE_MESSAGE(config.ok(), config.error().text());
    const FrameworkRef framework =
        Framework::create(*config, "", in_tree_registry(), options.gates, Release::k1_36).value();
    const Ref<Cluster> cluster = make_ref<Cluster>();
    for (const element o : array(row["objects"])) {
      const Result<ObjectSet> set = parse_objects(simdjson::minify(o), {});
      REQUIRE_MESSAGE(set.ok(), set.error().text());
      REQUIRE(cluster->apply(*set).ok());
    }
    const PodRef pod = parse_pod(simdjson::minify(row["pod"]), {}).value();
    cluster->refresh();
    const array answers(row["offsets"]);
    for (const uint32_t threads : {1, 4}) {
      Evaluator evaluator(framework, cluster);
      REQUIRE(evaluator.set_parallelism(threads).ok());
      size_t offset = 0;
      for (const element answer : answers) {
        CAPTURE(offset);
        if (sanitized() && offset % 7 != 0) {
          ++offset;
          continue;
        }
        CHECK(preempted(evaluator, *pod, offset) == recorded(answer));
        // The search wraps around.
        if (offset % 10 == 0)
          CHECK(preempted(evaluator, *pod, offset + answers.size()) == recorded(answer));
        ++offset;
      }
    }
    offsets += answers.size();
  }
  CHECK(offsets > 400);
}

}  // namespace libsched::preemption_table_test
