// Tests that python/libsched/differences.json, from which the page about releases is made, has each
// behaviour and each gate of the scheduler whose default differs between releases.
#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "libsched/config/feature_gates.hpp"
#include "libsched/config/release.hpp"

namespace libsched::differences_test {

using Json = nlohmann::json;
using Releases = std::map<std::string, std::vector<std::string>>;  // by behaviour or gate

Json listed() {
  std::ifstream file(LIBSCHED_SOURCE_DIR "/python/libsched/differences.json");
  REQUIRE(file.good());
  return Json::parse(file);
}

// The releases of each entry that has a behaviour or a gate.
Releases listed_as(const char* kind) {
  Releases out;
  for (const Json& entry : listed())
    if (entry.contains(kind))
      CHECK_MESSAGE(out.emplace(entry[kind], entry["releases"]).second, entry[kind]);
  return out;
}

template <typename Has>
std::vector<std::string> releases_that(Has&& has) {
  std::vector<std::string> out;
  for (size_t r = 0; r < kReleaseCount; ++r)
    if (has(static_cast<Release>(r))) out.emplace_back(release_name(static_cast<Release>(r)));
  return out;
}

TEST_CASE("the list of differences has every behaviour with its releases") {
  Releases behaviours;
  for (const BehaviourRow& row : behaviour_rows())
    behaviours[std::string(row.name)] =
        releases_that([&](Release r) { return behaviours_of(r).*row.field; });
  CHECK_EQ(Json::diff(listed_as("behaviour"), behaviours), Json::array());
}

TEST_CASE("the list of differences has every gate of the scheduler whose default differs") {
  Releases gates;
  for (size_t g = 0; g < static_cast<size_t>(Gate::kCount); ++g) {
    const auto on =
        releases_that([&](Release r) { return FeatureGates(r).enabled(static_cast<Gate>(g)); });
    if (!on.empty() && on.size() < kReleaseCount) gates[std::string(known_gates()[g].name)] = on;
  }
  CHECK_EQ(Json::diff(listed_as("gate"), gates), Json::array());
}

TEST_CASE("each difference has a heading of its own, and says what it is") {
  std::set<std::string> headings;
  for (const Json& entry : listed()) {
    CHECK_MESSAGE(headings.insert(entry["heading"]).second, entry["heading"]);
    for (const char* text : {"heading", "text", "example"})
      CHECK_MESSAGE(!entry.at(text).get<std::string>().empty(), entry["heading"]);
    CHECK((entry.at("seen") == "run" || entry.at("seen") == "read"));
    CHECK(entry.at("releases").size() < kReleaseCount);
  }
}

}  // namespace libsched::differences_test
