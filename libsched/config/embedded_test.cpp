// Configurations that stand in other documents are found with their places.
#include "libsched/config/embedded.hpp"

#include <doctest/doctest.h>

namespace libsched::embedded_test {

constexpr const char* kConfig =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

std::vector<std::string> places(const std::string& text) {
  std::vector<std::string> out;
  for (const EmbeddedConfig& c : embedded_configs(text))
    out.push_back((c.is_file ? "file " : "text ") + c.place);
  return out;
}
using Places = std::vector<std::string>;

std::string block(const std::string& indent) {
  return indent + "apiVersion: kubescheduler.config.k8s.io/v1\n" + indent +
         "kind: KubeSchedulerConfiguration\n";
}

TEST_CASE("embedded configurations: the data of ConfigMaps, also in a List or a stream") {
  const std::string map =
      "kind: ConfigMap\napiVersion: v1\ndata:\n  other: 'kind: Policy'\n  a.yaml: |\n" +
      block("    ") + "  second: |\n" + block("    ");
  CHECK(places(map) == Places{"file data[\"a.yaml\"]", "file data.second"});
  CHECK(embedded_configs(map)[0].text == kConfig);
  CHECK(places("kind: Service\n---\n" + map) ==
        Places{"file documents[1].data[\"a.yaml\"]", "file documents[1].data.second"});
  CHECK(
      places(
          R"({"kind": "List", "items": [{"kind": "ConfigMap", "data": {"c": "kind: KubeSchedulerConfiguration"}}]})") ==
      Places{"file items[0].data.c"});
  CHECK(places("kind: Service\n---\n" + std::string(kConfig)) == Places{"file documents[1]"});
}

TEST_CASE("embedded configurations: what reads other places is not known") {
  CHECK(places("kind: Wrapper\nspec:\n  rawConfig: |\n" + block("    ")) ==
        Places{"text spec.rawConfig"});
  CHECK(places("kind: Wrapper\nspec: {list: [{config: {kind: KubeSchedulerConfiguration}}]}\n") ==
        Places{"text spec.list[0].config"});
}

TEST_CASE("embedded configurations: none in a configuration, and none where nothing can be read") {
  CHECK(places(kConfig).empty());
  CHECK(places(std::string(kConfig) + "---\n" + kConfig).empty());  // the first one is read
  CHECK(places("").empty());
  CHECK(places("kind: ConfigMap\ndata: {a: 'a text about KubeSchedulerConfiguration: it is'}\n")
            .empty());
  CHECK(places("kind: ConfigMap\ndata: {a: '{KubeSchedulerConfiguration'}\n").empty());
  CHECK(places("{KubeSchedulerConfiguration").empty());
  CHECK(places("kind: [KubeSchedulerConfiguration]\n").empty());
  CHECK(embedded_configs_json("") == "[]");
}

}  // namespace libsched::embedded_test
