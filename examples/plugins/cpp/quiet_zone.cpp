// A plugin in ten lines of C++ that keeps pods out of one zone and scores other nodes by their free
// resources. pluginConfig: {name: QuietZone, args: {zone: a}}
#include <cjson/cJSON.h>

#include <libsched/plugin.hpp>
#include <memory>
#include <stdexcept>

namespace sdk = libsched::sdk;

struct QuietZone {
  static constexpr std::string_view name = "QuietZone";
  static constexpr uint32_t flags = LIBSCHED_PLUGIN_CONCURRENT;

  explicit QuietZone(std::string_view args) {
    const std::unique_ptr<cJSON, void (*)(cJSON*)> json(
        cJSON_ParseWithLength(args.data(), args.size()), cJSON_Delete);
    const char* text = cJSON_GetStringValue(cJSON_GetObjectItem(json.get(), "zone"));
    if (text == nullptr) throw std::invalid_argument("zone must be a text");
    zone = text;
  }

  sdk::Status filter(const libsched_cycle_state*, const libsched_pod*,
                     const libsched_node_info* node) const {
    if (sdk::view(libsched_node_zone(libsched_node_info_node(node))) != zone) return {};
    return sdk::unschedulable("node(s) were in the quiet zone " + zone);
  }

  void score(const libsched_cycle_state*, const libsched_pod*, const libsched_node_info* node,
             int64_t& score) const {
    const int64_t all = libsched_node_info_allocatable(node, LIBSCHED_STR("cpu"));
    const int64_t used = libsched_node_info_requested(node, LIBSCHED_STR("cpu"));
    score = all == 0 ? 0 : (all - used) * 100 / all;
  }

  std::string zone;
};

LIBSCHED_EXPORT_PLUGINS(QuietZone)
