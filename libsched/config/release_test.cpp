// Tests the list of releases, each behaviour, and every gate, default plugin and extension point of
// each release as recorded in tests/tables/releases.json.
#include "libsched/config/release.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "libsched/config/defaults.hpp"
#include "libsched/config/expand.hpp"
#include "libsched/config/feature_gate_table.hpp"

namespace libsched::release_test {

using Json = nlohmann::json;

std::string refusal(Str text) {
  const Result<Release> release = parse_release(text);
  REQUIRE_FALSE(release.ok());
  CHECK_EQ(release.error().rc, Rc::kUnsupported);
  return release.error().message;
}

TEST_CASE("releases are ordered, and two of them are there") {
  CHECK_LT(Release::k1_31, Release::k1_36);
  CHECK_EQ(*parse_release(""), Release::k1_36);
  CHECK_EQ(*parse_release("1.36"), Release::k1_36);
  CHECK_EQ(*parse_release("1.31"), Release::k1_31);
  for (const char* between : {"1.32", "1.33", "1.34", "1.35", "1.37"})
    CHECK_EQ(refusal(between), "the semantics of \"" + std::string(between) +
                                   "\" are not available yet: choose \"1.36\" or \"1.31\"");
  for (const char* unknown : {"1.30", "1.38", "v1.36", "1.36.3", " "})
    CHECK_EQ(refusal(unknown),
             "unknown semantics \"" + std::string(unknown) + "\": choose \"1.36\" or \"1.31\"");
}

TEST_CASE("each behaviour by release") {
  // The releases of each, as the last digits of their names.
  const auto where = [](bool Behaviours::* field) {
    std::string out;
    for (size_t r = 0; r < kReleaseCount; ++r) {
      const auto release = static_cast<Release>(r);
      if (behaviours_of(release).*field) out += release_name(release).back();
    }
    return out;
  };
  CHECK_EQ(where(&Behaviours::absolute_balance), "12345");
  CHECK_EQ(where(&Behaviours::balance_scores_zero_pods), "12");
  CHECK_EQ(where(&Behaviours::fit_never_unresolvable), "123");
  CHECK_EQ(where(&Behaviours::replaces_namespace_selector), "1237");
  CHECK_EQ(where(&Behaviours::ignores_image_volumes), "12345");
  CHECK_EQ(where(&Behaviours::counts_image_volumes), "7");
  CHECK_EQ(where(&Behaviours::limits_by_pods), "1");
  CHECK_EQ(where(&Behaviours::portworx_by_annotation), "12345");
  CHECK_EQ(where(&Behaviours::driver_must_be_there), "5");
  CHECK_EQ(where(&Behaviours::no_absent_status), "1");
  CHECK_EQ(where(&Behaviours::ports_of_containers_only), "12");
  CHECK_EQ(where(&Behaviours::sidecars_not_in_nonzero), "1");
  CHECK_EQ(where(&Behaviours::named_taint), "123");
  CHECK_EQ(where(&Behaviours::volume_conflict_text), "12");
  CHECK_EQ(where(&Behaviours::older_volume_texts), "123");
  CHECK_EQ(where(&Behaviours::uniform_ties), "1234");
  for (bool Behaviours::* next :
       {&Behaviours::told_preemption, &Behaviours::silent_post_filter,
        &Behaviours::mount_option_feature, &Behaviours::first_violated_budget})
    CHECK_EQ(where(next), "7");

  // Every field has a row, no field is true in 1.36, and ranges of a field do not overlap.
  std::set<Str> names;
  std::set<std::pair<Str, Release>> taken;
  for (const BehaviourRow& row : behaviour_rows()) {
    names.insert(row.name);
    CHECK_FALSE(row.releases.has(Release::k1_36));
    for (size_t r = 0; r < kReleaseCount; ++r)
      if (row.releases.has(static_cast<Release>(r)))
        CHECK_MESSAGE(taken.emplace(row.name, static_cast<Release>(r)).second, row.name);
  }
  CHECK_EQ(names.size(), sizeof(Behaviours) / sizeof(bool));
}

Json recorded(Release release) {
  std::ifstream file(LIBSCHED_SOURCE_DIR "/tests/tables/releases.json");
  REQUIRE(file.good());
  const std::string name(release_name(release));
  for (const Json& table : Json::parse(file))
    for (const Json& r : table["releases"])
      if (r == name) return table;
  FAIL("not recorded: ", name);
  return {};
}

std::string words(const GateInfo& g) {
  static constexpr const char* kStages[] = {"alpha", "beta", "ga", "deprecated"};
  return std::string(kStages[static_cast<size_t>(g.stage)]) + (g.default_on ? " on" : " off") +
         (g.locked ? " locked" : "");
}

TEST_CASE("gates, default plugins and extension points of each release are as recorded") {
  for (const Release release : {Release::k1_31, Release::k1_36}) {
    CAPTURE(release_name(release));
    const Json want = recorded(release);

    Json gates = Json::object();
    const FeatureGates defaults(release);
    CHECK_EQ(defaults.release(), release);
    for (const GateInfo& g : known_gates(release)) {
      if (!g.releases.has(release)) continue;
      gates[std::string(g.name)] = words(g);
      CHECK_EQ(*defaults.enabled(g.name), g.default_on);
    }
    CHECK_EQ(Json::diff(want["gates"], gates), Json::array());

    Json plugins = Json::array();
    for (const V1Plugin& p : default_plugins(defaults).multi_point.enabled)
      plugins.push_back(p.name + (p.weight ? " " + std::to_string(*p.weight) : ""));
    CHECK_EQ(Json::diff(want["defaultPlugins"], plugins), Json::array());

    Json points = Json::object();
    for (const InTreePlugin& p : in_tree_plugins()) {
      const std::optional<PointMask> mask = in_tree_points(p.name, release);
      if (!mask) continue;
      std::string list;
      for (int i = 0; i < kExtensionPointCount; ++i) {
        const auto point = static_cast<ExtensionPoint>(i);
        if ((*mask & point_bit(point)) != 0)
          list += (list.empty() ? "" : " ") + std::string(point_field(point));
      }
      points[std::string(p.name)] = list;
    }
    CHECK_EQ(Json::diff(want["points"], points), Json::array());
  }
}

TEST_CASE("a gate has the row of the release, and is off where it has none") {
  const GateInfo rows[] = {
      {"Grows",
       GateStage::kAlpha,
       false,
       false,
       GateSupport::kSupported,
       {Release::k1_32, Release::k1_33}},
      {"Grows",
       GateStage::kGa,
       true,
       true,
       GateSupport::kDefaultOnly,
       {Release::k1_34, Release::k1_36}},
      {"Old",
       GateStage::kBeta,
       true,
       false,
       GateSupport::kSupported,
       {Release::k1_31, Release::k1_33}},
  };
  const auto of = [&](Release release) {
    std::string out;
    for (const GateInfo& g : gates_in(rows, release))
      out += std::string(g.name) + " " +
             (g.releases.has(release) ? words(g)
              : g.default_on          ? "?"
                                      : "-") +
             ", ";
    return out;
  };
  CHECK_EQ(of(Release::k1_31), "Grows -, Old beta on, ");
  CHECK_EQ(of(Release::k1_33), "Grows alpha off, Old beta on, ");
  CHECK_EQ(of(Release::k1_36), "Grows ga on locked, Old -, ");
}

TEST_CASE("gates of two releases are not the same gates") {
  CHECK(FeatureGates(Release::k1_31) == *FeatureGates::parse("", Release::k1_31));
  CHECK_FALSE(FeatureGates(Release::k1_31) == FeatureGates());
}

}  // namespace libsched::release_test
