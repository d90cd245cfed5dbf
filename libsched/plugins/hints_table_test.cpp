// The registrations of each plugin, and its hints, against the recorded answers of
// upstream's 1.36.
#include "libsched/ingest/recorded_table_test.hpp"
#include "libsched/plugins/trial_test.hpp"

namespace libsched::hints_table_test {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

ObjectRef parsed(element event, const char* field) {
  element e;
  if (event[field].get(e) != simdjson::SUCCESS) return {};
  const Result<ObjectSet> set = parse_objects(simdjson::minify(e), {});
  REQUIRE_MESSAGE(set.ok(), set.error().text());
  if (!set->pods.empty()) return ObjectRef(set->pods[0]);
  if (!set->nodes.empty()) return ObjectRef(set->nodes[0]);
  REQUIRE(set->stored.size() == 1);
  return set->stored[0].object;
}

struct Event {
  std::string resource;
  ObjectRef before, after;
};

// "q", "s", or "e" and the error.
std::string said(const Result<QueueingHint>& hint) {
  if (!hint.ok()) return "e" + hint.error().message;
  return *hint == QueueingHint::kQueue ? "q" : "s";
}

size_t compare(const Plugin& plugin, element recorded, const View& view,
               const std::vector<PodRef>& pods, const std::vector<Event>& events) {
  size_t compared = 0, index = 0;
  const Result<std::vector<ClusterEventWithHint>> registered = plugin.events_to_register();
  REQUIRE(registered.ok());
  REQUIRE(registered->size() == array(recorded).size());
  for (const element want : array(recorded)) {
    const ClusterEventWithHint& r = (*registered)[index];
    CAPTURE(index);
    CHECK(r.event.resource == text_at(want["resource"]));
    CHECK(r.event.actions == int64_t(want["action"]));
    CHECK(r.event.custom_label.empty());
    CHECK(r.has_hint == bool(want["hint"]));
    object answers;
    if (want["answers"].get(answers) == simdjson::SUCCESS)
      for (const auto [key, letters] : answers) {
        const Event& e = events.at(static_cast<size_t>(std::stoul(std::string(key))));
        const std::string expected = text_at(letters);
        REQUIRE(expected.size() == pods.size());
        for (size_t p = 0; p < pods.size(); ++p) {
          std::string one(1, expected[p]);
          if (one == "e")
            one += text_at(want["errors"][std::string(key) + "," + std::to_string(p)]);
          const std::string got =
              said(plugin.hint(index, view, *pods[p], {e.resource, e.before, e.after}));
          CAPTURE(key);
          CAPTURE(pods[p]->meta.name);
          CHECK(got == one);
          ++compared;
        }
      }
    ++index;
  }
  return compared;
}

TEST_CASE("recorded queueing hints") {
  const RecordedTable table("hints.json.gz");
  size_t compared = 0, group_index = 0;
  for (const element group : array(table["groups"])) {
    CAPTURE(group_index);
    ++group_index;
    ConfigOptions options;
    options.gates = FeatureGates(Release::k1_36);
    const Result<ConfigRef> config = parse_config(text_at(group["config"]), options);
    REQUIRE_MESSAGE(config.ok(), config.error().text());
    const FrameworkRef framework =
        Framework::create(*config, "", in_tree_registry(), options.gates, Release::k1_36).value();
    const Ref<Cluster> cluster = make_ref<Cluster>();
    for (const element o : array(group["objects"])) {
      const Result<ObjectSet> set = parse_objects(simdjson::minify(o), {});
      REQUIRE_MESSAGE(set.ok(), set.error().text());
      REQUIRE(cluster->apply(*set).ok());
    }
    std::vector<PodRef> pods;
    for (const element p : array(group["pods"]))
      pods.push_back(parse_pod(simdjson::minify(p), {}).value());
    std::vector<Event> events;
    for (const element e : array(group["events"]))
      events.push_back({text_at(e["resource"]), parsed(e, "old"), parsed(e, "new")});
    size_t plugins = 0;
    for (const Framework::Instance& i : framework->plugins()) {
      if (i.plugin == nullptr || !i.plugin->registers_events()) continue;
      CAPTURE(i.name);
      element recorded;
      REQUIRE(group["plugins"][i.name].get(recorded) == simdjson::SUCCESS);
      compared += compare(*i.plugin, recorded, cluster->view(), pods, events);
      ++plugins;
    }
    CHECK(plugins >= 15);
  }
  CHECK(compared > 100000);
}

}  // namespace libsched::hints_table_test
