// Reading what a plugin says of itself.
#include "net/src/remote/description.hpp"

#include <array>
#include <utility>

namespace libsched::remote {
namespace {

using nlohmann::json;

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

// The texts of a list; an absent list is empty.
Result<std::vector<std::string>> texts(const json& answer, const char* key) {
  std::vector<std::string> list;
  const auto found = answer.find(key);
  if (found == answer.end() || found->is_null()) return list;
  if (!found->is_array()) return invalid(key, "expected a list");
  for (size_t i = 0; i < found->size(); ++i) {
    if (!(*found)[i].is_string()) return invalid(at(key, i), "expected a text");
    list.push_back((*found)[i].get<std::string>());
  }
  return list;
}

Result<bool> flag(const json& object, const char* key, const std::string& path) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return false;
  if (!found->is_boolean()) return invalid(path, "expected true or false");
  return found->get<bool>();
}

Result<int64_t> actions_of(const json& event, const std::string& path) {
  const auto found = event.find("actions");
  if (found == event.end() || !found->is_array() || found->empty())
    return invalid(path, "expected a list of actions");
  int64_t bits = 0;
  for (const json& action : *found) {
    if (!action.is_string()) return invalid(path, "expected texts");
    const auto& name = action.get_ref<const std::string&>();
    int64_t bit = name == "Update" ? kUpdate : name == "All" ? kUpdate | 3 : 0;
    for (const auto& [known, value] : kActions)
      if (name == known) bit = value;
    if (bit == 0) return invalid(path, "unknown action \"" + name + "\"");
    bits |= bit;
  }
  return bits;
}

Result<void> read_events(const json& answer, Description* into) {
  const auto found = answer.find("events");
  if (found == answer.end() || found->is_null()) return {};
  if (!found->is_array()) return invalid("events", "expected a list");
  into->has_events = true;
  for (size_t i = 0; i < found->size(); ++i) {
    const json& event = (*found)[i];
    const std::string path = at("events", i);
    if (!event.is_object() || !event.contains("resource") || !event["resource"].is_string())
      return invalid(path + ".resource", "expected a text");
    auto actions = actions_of(event, path + ".actions");
    if (!actions) return actions.error();
    auto hint = flag(event, "hint", path + ".hint");
    if (!hint) return hint.error();
    if (*hint && !into->has(Point::kQueueingHint))
      return invalid(path + ".hint", "the point queueingHint is missing");
    into->events.push_back({event["resource"].get<std::string>(), *actions, *hint});
  }
  return {};
}

Result<void> read_points(const json& answer, Description* into) {
  auto points = texts(answer, "points");
  if (!points) return points.error();
  for (size_t i = 0; i < points->size(); ++i) {
    size_t known = 0;
    while (known < kNames.size() && (*points)[i] != kNames[known]) ++known;
    if (known == kNames.size())
      return invalid(at("points", i), "unknown point \"" + (*points)[i] + "\"");
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

Result<void> read_wants(const json& answer, Wants* into) {
  auto wants = texts(answer, "wants");
  if (!wants) return wants.error();
  for (size_t i = 0; i < wants->size(); ++i) {
    const std::string& want = (*wants)[i];
    bool* const which = want == "node"        ? &into->node
                        : want == "pods"      ? &into->pods
                        : want == "podKeys"   ? &into->pod_keys
                        : want == "resources" ? &into->resources
                                              : nullptr;
    if (which == nullptr) return invalid(at("wants", i), "unknown data \"" + want + "\"");
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

Result<Description> description_of(const json& answer) {
  Description made;
  const auto code = answer.find("code");
  if (code != answer.end() && *code != "Success") {
    std::string why;
    auto reasons = texts(answer, "reasons");
    if (!reasons) return reasons.error();
    for (const std::string& reason : *reasons) why += (why.empty() ? "" : ", ") + reason;
    return Error{Rc::kPlugin, why.empty() ? "the plugin refuses" : why, {}, {}};
  }
  const auto protocol = answer.find("protocol");
  if (protocol == answer.end() || !protocol->is_number_integer())
    return invalid("protocol", "expected a number");
  if (*protocol != kProtocol)
    return invalid("protocol", "version " + protocol->dump() + " is unknown: this is version " +
                                   std::to_string(kProtocol));
  LIBSCHED_TRY(read_points(answer, &made));
  LIBSCHED_TRY(read_wants(answer, &made.wants));
  auto reasons = texts(answer, "reasons");
  if (!reasons) return reasons.error();
  if (reasons->size() > 65536) return invalid("reasons", "more than 65536");
  made.reasons = std::move(*reasons);
  auto state = flag(answer, "state", "state");
  if (!state) return state.error();
  made.state = *state;
  LIBSCHED_TRY(read_events(answer, &made));
  const auto name = answer.find("instanceName");
  if (name != answer.end() && !name->is_null()) {
    if (!name->is_string()) return invalid("instanceName", "expected a text");
    made.instance_name = name->get<std::string>();
  }
  return made;
}

}  // namespace libsched::remote
