// Each plugin's part of a pod's signature, against the recorded answers of upstream's 1.36.
#include "libsched/ingest/recorded_table_test.hpp"
#include "libsched/plugins/trial_test.hpp"

namespace libsched::sign_table_test {

using simdjson::dom::array;
using simdjson::dom::element;

using Fragments = std::vector<std::pair<std::string, std::string>>;

struct Answer {
  std::string code = "Success";
  std::vector<std::string> reasons;
  Fragments fragments;
};

Answer recorded(element e) {
  Answer a;
  const auto read = [&](const char* key, auto&& each) {
    array list;
    if (e[key].get(list) == simdjson::SUCCESS)
      for (const element item : list) each(item);
  };
  std::string_view code;
  if (e["code"].get(code) == simdjson::SUCCESS) a.code = code;
  read("reasons", [&](element r) { a.reasons.push_back(text_at(r)); });
  read("fragments", [&](element f) {
    const array pair = f;
    a.fragments.emplace_back(text_at(pair.at(0)), text_at(pair.at(1)));
  });
  return a;
}

TEST_CASE("recorded signatures of pods") {
  const RecordedTable table("sign.json.gz");
  size_t compared = 0;
  for (const element group : array(table["groups"])) {
    ConfigOptions options;
    options.gates = FeatureGates(Release::k1_36);
    const Result<ConfigRef> config = parse_config(text_at(group["config"]), options);
    REQUIRE_MESSAGE(config.ok(), config.error().text());
    const FrameworkRef framework =
        Framework::create(*config, "", in_tree_registry(), options.gates, Release::k1_36).value();
    const Ref<Cluster> cluster = make_ref<Cluster>();
    for (const element o : array(group["objects"]))
      REQUIRE(cluster->apply(parse_objects(simdjson::minify(o), {}).value()).ok());
    for (const element row : array(group["rows"])) {
      const std::string text = simdjson::minify(row["pod"]);
      CAPTURE(text);
      const Result<PodRef> pod = parse_pod(text, {});
      REQUIRE_MESSAGE(pod.ok(), pod.error().text());
      size_t signers = 0;
      for (const Framework::Instance& i : framework->plugins()) {
        if (i.plugin == nullptr || !i.plugin->signs()) continue;
        CAPTURE(i.name);
        element plugin;
        REQUIRE(row["plugins"][i.name].get(plugin) == simdjson::SUCCESS);
        const Answer want = recorded(plugin);
        std::vector<SignFragment> fragments;
        const Status got = i.plugin->sign(cluster->view(), **pod, &fragments);
        CHECK(code_name(got.code) == want.code);
        CHECK(got.reasons == want.reasons);
        REQUIRE(fragments.size() == want.fragments.size());
        for (size_t k = 0; k < fragments.size(); ++k) {
          CHECK(fragments[k].key == want.fragments[k].first);
          CHECK(fragments[k].json == want.fragments[k].second);
        }
        ++signers, ++compared;
      }
      CHECK(signers == simdjson::dom::object(row["plugins"]).size());
    }
  }
  CHECK(compared > 5000);
}

}  // namespace libsched::sign_table_test
