// Reading what a plugin says of itself.
#include "net/src/remote/description.hpp"

#include <array>
#include <utility>

#include "libsched/base/go_json.hpp"
#include "net/src/remote/answer.hpp"

namespace libsched::remote {
namespace {

constexpr std::array<const char*, static_cast<size_t>(Point::kCount)> kNames = {
    "preEnqueue",     "queueSort", "queueingHint", "preFilter", "addPod",
    "removePod",      "filter",    "postFilter",   "preScore",  "score",
    "normalizeScore", "reserve",   "unreserve",    "permit",    "preBindPreFlight",
    "preBind",        "bind",      "postBind",     "sign"};

constexpr std::array<std::pair<const char*, int64_t>, 13> kActions = {{
    {"Add", 1},
    {"Delete", 2},
    {"UpdateNodeAllocatable", 4},
    {"UpdateNodeLabel", 8},
    {"UpdateNodeTaint", 16},
    {"UpdateNodeCondition", 32},
    {"UpdateNodeAnnotation", 64},
    {"UpdateNodeDeclaredFeature", 128},
    {"UpdatePodLabel", 256},
    {"UpdatePodScaleDown", 512},
    {"UpdatePodToleration", 1024},
    {"UpdatePodSchedulingGatesEliminated", 2048},
    {"UpdatePodGeneratedResourceClaim", 4096},
}};
constexpr int64_t kUpdate = 8188;  // all update bits

std::string at(const char* list, size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

Result<int64_t> actions_of(std::string_view actions, const std::string& path) {
  if (!is_list(actions)) return invalid(path, "expected a list of actions");
  int64_t bits = 0;
  for (JsonWalk walk(actions); walk.next();) {
    if (!is_text(walk.value)) return invalid(path, "expected texts");
    const std::string name = json_string(walk.value);
    int64_t bit = name == "Update" ? kUpdate : name == "All" ? kUpdate | 3 : 0;
    for (const auto& [known, value] : kActions)
      if (name == known) bit = value;
    if (bit == 0) return invalid(path, "unknown action \"" + shown(name) + "\"");
    bits |= bit;
  }
  if (bits == 0) return invalid(path, "expected a list of actions");
  return bits;
}

Result<RegisteredEvent> event_of(std::string_view value, const std::string& path) {
  const Said event = is_object(value) ? Said(value) : Said();
  const std::string_view resource = event.find("resource");
  if (!is_text(resource)) return invalid(path + ".resource", "expected a text");
  auto actions = actions_of(event.find("actions"), path + ".actions");
  if (!actions) return actions.error();
  auto hint = read_flag(event, "hint", false);
  if (!hint) return invalid(path + "." + hint.error().path, hint.error().message);
  return RegisteredEvent{json_string(resource), *actions, *hint};
}

Result<void> read_events(const Said& answer, Description* into) {
  const std::string_view events = answer.find("events");
  if (events.empty()) return {};
  if (!is_list(events)) return invalid("events", "expected a list");
  into->has_events = true;
  for (JsonWalk walk(events); walk.next();) {
    const std::string path = at("events", into->events.size());
    if (into->events.size() == kMostEntries)
      return invalid("events", "more than " + std::to_string(kMostEntries));
    auto event = event_of(walk.value, path);
    if (!event) return event.error();
    if (event->hint && !into->has(Point::kQueueingHint))
      return invalid(path + ".hint", "the point queueingHint is missing");
    into->events.push_back(std::move(*event));
  }
  return {};
}

Result<void> read_points(const Said& answer, Description* into) {
  auto points = read_texts(answer, "points", kMostEntries);
  if (!points) return points.error();
  for (size_t i = 0; i < points->size(); ++i) {
    size_t known = 0;
    while (known < kNames.size() && (*points)[i] != kNames[known]) ++known;
    if (known == kNames.size())
      return invalid(at("points", i), "unknown point \"" + shown((*points)[i]) + "\"");
    into->points |= uint32_t{1} << known;
  }
  if (into->has(Point::kAddPod) != into->has(Point::kRemovePod))
    return invalid("points", "addPod and removePod need each other");
  if (into->has(Point::kAddPod) && !into->has(Point::kPreFilter))
    return invalid("points", "addPod and removePod need preFilter");
  if (into->has(Point::kNormalizeScore) && !into->has(Point::kScore))
    return invalid("points", "normalizeScore needs score");
  return {};
}

Result<void> read_wants(const Said& answer, Wants* into) {
  auto wants = read_texts(answer, "wants", kMostEntries);
  if (!wants) return wants.error();
  for (size_t i = 0; i < wants->size(); ++i) {
    const std::string& want = (*wants)[i];
    bool* const which = want == "node"        ? &into->node
                        : want == "pods"      ? &into->pods
                        : want == "podKeys"   ? &into->pod_keys
                        : want == "resources" ? &into->resources
                                              : nullptr;
    if (which == nullptr) return invalid(at("wants", i), "unknown data \"" + shown(want) + "\"");
    *which = true;
  }
  return {};
}

}  // namespace

void append_actions(std::string* out, int64_t actions) {
  out->push_back('[');
  bool first = true;
  for (const auto& [name, bit] : kActions) {
    if ((actions & bit) == 0) continue;
    if (!first) out->push_back(',');
    first = false;
    *out += '"' + std::string(name) + '"';
  }
  out->push_back(']');
}

const char* name_of(Point point) { return kNames[static_cast<size_t>(point)]; }

Result<Description> description_of(const Said& answer) {
  Description made;
  const std::string_view code = answer.find("code");
  auto reasons = read_texts(answer, "reasons", kMostEntries);
  if (!reasons) return reasons.error();
  if (!code.empty() && (!is_text(code) || json_string(code) != "Success")) {
    std::string why;
    for (const std::string& reason : *reasons) why += (why.empty() ? "" : ", ") + reason;
    return Error{Rc::kPlugin, why.empty() ? "the plugin refuses" : why};
  }
  if (answer.find("protocol").empty()) return invalid("protocol", "expected a number");
  auto protocol = read_number(answer, "protocol", 0);
  if (!protocol) return invalid("protocol", "expected a number");
  if (*protocol != kProtocol)
    return invalid("protocol", "version " + std::to_string(*protocol) +
                                   " is unknown: this is version " + std::to_string(kProtocol));
  LIBSCHED_TRY(read_points(answer, &made));
  LIBSCHED_TRY(read_wants(answer, &made.wants));
  made.reasons = std::move(*reasons);
  auto state = read_flag(answer, "state", false);
  if (!state) return state.error();
  made.state = *state;
  LIBSCHED_TRY(read_events(answer, &made));
  if (const std::string_view name = answer.find("instanceName"); !name.empty()) {
    if (!is_text(name)) return invalid("instanceName", "expected a text");
    made.instance_name = json_string(name);
  }
  return made;
}

}  // namespace libsched::remote
