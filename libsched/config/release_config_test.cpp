// Tests that each release takes, completes and refuses the configurations of the recorded table as
// upstream's release does.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "libsched/config/config_json.hpp"

namespace libsched::release_config_test {

using Json = nlohmann::json;

Release release_named(const std::string& name) {
  for (size_t r = 0; r < kReleaseCount; ++r)
    if (release_name(static_cast<Release>(r)) == name) return static_cast<Release>(r);
  FAIL("no release ", name);
  return {};
}

Json refused(const char* stage, const Error& error) {
  return {{"stage", stage}, {"error", error.message}};
}

// What the first profile has otherwise than without a configuration.
Json first_profile(const SchedulerConfig& config) {
  const Json written = Json::parse(config_to_json(config));
  const Json& profile = written["profiles"][0];
  Json out = {{"args", Json::object()}};
  for (const Json& p : profile["plugins"]["multiPoint"].value("enabled", Json::array()))
    out["multiPoint"].push_back(
        p["name"].get<std::string>() +
        (p.contains("weight") ? " " + std::to_string(p["weight"].get<int>()) : ""));
  for (const Json& c : profile["pluginConfig"])
    out["args"][c["name"].get<std::string>()] = c["args"];
  return out;
}

Json accepted(const SchedulerConfig& config, Release release) {
  Json out = first_profile(config);
  ConfigOptions options;
  options.gates = FeatureGates(release);
  const Json without = first_profile(*default_config(options));
  if (out["multiPoint"] == without["multiPoint"]) out.erase("multiPoint");
  for (const auto& [name, args] : without["args"].items())
    if (out["args"].value(name, Json()) == args) out["args"].erase(name);
  if (out["args"].empty()) out.erase("args");
  return out;
}

// Whether libsched's text is the same; it may add a hint in parentheses.
bool same_text(const std::string& want, const std::string& got) {
  return want == got || got.starts_with(want + " (");
}

// Values that Go prints otherwise in older releases, of arguments of unknown plugins: of them only
// the place is compared.
bool only_place(const std::string& name) {
  for (const char* start : {"queue sort args", "arguments of queue sorts"})
    if (name.starts_with(start)) return true;
  return false;
}

void compare(const Json& c, Json want, const Json& got) {
  const std::string stage = want.value("stage", "");
  if (stage == "decode" || stage == "validate") want["stage"] = "config";
  const std::string error = want.value("error", ""), our = got.value("error", "");
  if (error.empty() && our.find("when type is RequestedToCapacityRatio") != std::string::npos) {
    CHECK_EQ(our,
             "initializing plugin \"NodeResourcesFit\": scoringStrategy.requestedToCapacityRatio: "
             "Required value: must be specified when type is RequestedToCapacityRatio");
    return;  // upstream's factory crashes
  }
  if (error.empty()) {
    CHECK_EQ(Json::diff(want, got), Json::array());
    return;
  }
  CHECK_EQ(got.value("stage", ""), want.value("stage", ""));
  // Of several gates upstream names any first.
  const std::string gates = c.value("gates", "");
  if (stage == "gates" && (gates.find(',') != std::string::npos || gates.starts_with("All")))
    return;
  const size_t value = only_place(c["name"]) ? error.find("Invalid value: ") : std::string::npos;
  CHECK_MESSAGE(same_text(error.substr(0, value), our.substr(0, value)), "want: ", error,
                "\ngot:  ", our);
}

// What libsched says; it does not tell decoding and validation apart.
Json answer(const Json& c, Release release) {
  auto gates = FeatureGates::parse(c.value("gates", ""), release);
  if (!gates.ok()) return refused("gates", gates.error());
  ConfigOptions options;
  options.gates = *gates;
  const Result<ConfigRef> config = parse_config(c["text"].get<std::string>(), options);
  if (!config.ok()) return refused("config", config.error());
  const auto checked = check_config_json(**config, in_tree_catalog(release));
  return checked.ok() || checked.error().message.find("initializing plugin") != 0
             ? accepted(**config, release)
             : refused("framework", checked.error());
}

TEST_CASE("type errors name embedded structs since 1.35") {
  const std::string before = "json: cannot unmarshal string into Go struct field ";
  for (const Release release : {Release::k1_34, Release::k1_35}) {
    ConfigOptions options;
    options.gates = FeatureGates(release);
    const auto config = parse_config(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        "enableProfiling: a\n",
        options);
    REQUIRE_FALSE(config.ok());
    CHECK_EQ(config.error().message,
             before + "KubeSchedulerConfiguration." +
                 (release == Release::k1_35 ? "DebuggingConfiguration." : "") +
                 "enableProfiling of type bool");
  }
}

TEST_CASE("configurations as each release judges them") {
  std::ifstream file(LIBSCHED_SOURCE_DIR "/tests/tables/release_configs.json");
  REQUIRE(file.good());
  for (const Json& c : Json::parse(file)) {
    const std::string name = c["name"];
    size_t releases = 0;
    for (const Json& group : c["answers"]) {
      for (const std::string release : group["releases"]) {
        CAPTURE(name);
        CAPTURE(release);
        ++releases;
        compare(c, group["says"], answer(c, release_named(release)));
      }
    }
    CHECK_EQ(releases, kReleaseCount);
  }
}

}  // namespace libsched::release_config_test
