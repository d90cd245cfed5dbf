// Tests that every configuration of the recorded table gives upstream's result: the same error, or
// the same defaulted configuration, plugin lists and arguments.
#include <doctest/doctest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>
#include <string>

#include "libsched/config/config_json.hpp"

namespace libsched::config_table_test {

using Json = nlohmann::json;

Json read_table(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  REQUIRE_MESSAGE(file != nullptr, path);
  std::string text;
  char buffer[1 << 16];
  for (int n = 0; (n = gzread(file, buffer, sizeof(buffer))) > 0;)
    text.append(buffer, static_cast<size_t>(n));
  gzclose(file);
  return Json::parse(text);
}

// libsched may add a hint in parentheses.
bool same_error(const std::string& got, const std::string& want) {
  return got == want || got.starts_with(want + " (");
}

void check_error(const Json& c, const Error& error) {
  std::string want = c.value("error", "");
  // The recording program has its own text for this error, unlike kube-scheduler's.
  if (want ==
      "got kubescheduler.config.k8s.io/v1, Kind=NodeResourcesFitArgs, want "
      "KubeSchedulerConfiguration") {
    want =
        "couldn't decode as KubeSchedulerConfiguration, got kubescheduler.config.k8s.io/v1, "
        "Kind=NodeResourcesFitArgs: ";
  }
  CHECK_MESSAGE(same_error(error.message, want), "got:  ", error.message, "\nwant: ", want);
}

void check_case(const Json& c) {
  ConfigOptions options;
  options.gates = FeatureGates(Release::k1_36);
  const PluginCatalog catalog = in_tree_catalog(Release::k1_36);
  const std::string stage = c.value("stage", "");
  auto config = parse_config(c["text"].get<std::string>(), options);
  if (!config) {
    CHECK_MESSAGE(stage != "", "not expected: ", config.error().message);
    CHECK_MESSAGE(stage != "framework", "too early: ", config.error().message);
    return check_error(c, config.error());
  }
  CHECK_MESSAGE((stage == "" || stage == "framework"), "accepted, want: ", c.value("error", ""));
  if (stage != "" && stage != "framework") return;

  const auto checked = check_config_json(**config, catalog);
  CHECK_EQ(checked.ok(), stage == "");
  if (!checked) check_error(c, checked.error());
  Json got = Json::parse(checked ? *checked : config_to_json(**config));
  if (checked) {
    CHECK_EQ(got["config"], c["config"]);
    REQUIRE_EQ(got["profiles"].size(), c["profiles"].size());
  }
  for (size_t i = 0; i < c["profiles"].size(); ++i) {
    const Json& want = c["profiles"][i];
    const Json& profile = got["profiles"][i];
    CHECK_EQ(profile["schedulerName"], want["schedulerName"]);
    const Json& want_args = want["pluginConfig"];
    CHECK_EQ(profile["pluginConfig"], want_args.is_null() ? Json::array() : want_args);
    if (checked) CHECK_EQ(profile["plugins"], want["plugins"]);
  }

  // The written text can be read again, and has the same meaning.
  const std::string text = config_to_json(**config);
  auto again = parse_config(text, options);
  REQUIRE_MESSAGE(again.ok(), again.error().message);
  CHECK((config_to_json(**again) == text));
  const auto checked_again = check_config_json(**again, catalog);
  CHECK_EQ(checked_again.ok(), checked.ok());
  if (!checked || !checked_again) return;
  Json same = Json::parse(*checked_again);
  same.erase("warnings");  // they are about the text
  got.erase("warnings");
  CHECK((same == got));
}

TEST_CASE("configurations as recorded from upstream") {
  const Json table = read_table(LIBSCHED_SOURCE_DIR "/tests/tables/config.json.gz");
  CHECK_EQ(table["kubernetes"], "v1.36.3");
  REQUIRE_GT(table["cases"].size(), 200);
  for (const Json& c : table["cases"]) {
    CAPTURE(c["name"]);
    check_case(c);
  }
}

}  // namespace libsched::config_table_test
