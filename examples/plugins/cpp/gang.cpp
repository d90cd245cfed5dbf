// A plugin in C++ that binds the pods of a gang together or not at all. A pod names its gang and
// the number of members in the labels "gang" and "gang-size"; a member that has its node waits on
// Permit for the others. pluginConfig: {name: Gang, args: {timeoutSeconds: 60}}
#include <cjson/cJSON.h>

#include <libsched/plugin.hpp>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

namespace sdk = libsched::sdk;

struct Gang {
  static constexpr std::string_view name = "Gang";

  explicit Gang(std::string_view args) {
    const std::unique_ptr<cJSON, void (*)(cJSON*)> json(
        cJSON_ParseWithLength(args.data(), args.size()), cJSON_Delete);
    const cJSON* seconds = cJSON_GetObjectItem(json.get(), "timeoutSeconds");
    if (seconds == nullptr) return;
    if (!cJSON_IsNumber(seconds) || !(seconds->valuedouble > 0))
      throw std::invalid_argument("timeoutSeconds must be a positive number");
    timeout = static_cast<int64_t>(seconds->valuedouble * 1e9);
  }
  Gang(const Gang&) = delete;
  Gang& operator=(const Gang&) = delete;
  ~Gang() { libsched_services_unref(services); }

  // The pod is assumed on its node by now, so the view has it.
  sdk::Status permit(const libsched_cycle_state* state, const libsched_pod* pod, std::string_view,
                     int64_t& timeout_ns) {
    const std::string_view gang = label(pod, "gang");
    if (gang.empty()) return {};
    libsched_services* now = libsched_evaluator_services(libsched_cycle_state_evaluator(state));
    if (now != services) {  // Unreserve may come without an evaluator
      libsched_services_unref(services);
      services = libsched_services_ref(now);
    }
    const std::string_view ns = sdk::view(libsched_pod_namespace(pod));
    if (members(libsched_cycle_state_view(state), ns, gang) < size_of(pod)) {
      timeout_ns = timeout;
      return LIBSCHED_CODE_WAIT;
    }
    for_waiting(ns, gang,
                [](libsched_waiting_pod* w) { libsched_waiting_pod_allow(w, sdk::str(name)); });
    return {};
  }

  // A member has failed or has waited too long: the others need not wait for it.
  void unreserve(const libsched_cycle_state*, const libsched_pod* pod, uint32_t, std::string_view) {
    const std::string_view gang = label(pod, "gang");
    if (gang.empty() || services == nullptr) return;
    for_waiting(sdk::view(libsched_pod_namespace(pod)), gang, [](libsched_waiting_pod* w) {
      libsched_waiting_pod_reject(w, sdk::str(name), LIBSCHED_STR("a member of the gang failed"));
    });
  }

 private:
  static std::string_view label(const libsched_pod* pod, std::string_view key) {
    libsched_str value = {nullptr, 0};
    libsched_pod_label(pod, sdk::str(key), &value);
    return sdk::view(value);
  }
  static bool belongs(const libsched_pod* pod, std::string_view ns, std::string_view gang) {
    return label(pod, "gang") == gang && sdk::view(libsched_pod_namespace(pod)) == ns;
  }
  static size_t size_of(const libsched_pod* pod) {
    const std::string text(label(pod, "gang-size"));
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
    if (!digits || text.size() > 6) throw std::invalid_argument("gang-size must be a number");
    return std::stoul(text);
  }
  // Members with a node, assumed ones included.
  static size_t members(const libsched_view* view, std::string_view ns, std::string_view gang) {
    size_t count = 0;
    for (uint32_t row = 0; row < libsched_view_row_count(view); ++row)
      for (size_t i = 0; i < libsched_view_node_pod_count(view, row); ++i)
        count += belongs(libsched_view_node_pod(view, row, i), ns, gang) ? 1 : 0;
    return count;
  }
  template <typename F>
  void for_waiting(std::string_view ns, std::string_view gang, F&& f) {
    size_t count = 0;
    libsched_services_waiting_pods(services, nullptr, 0, &count, nullptr);
    std::vector<libsched_waiting_pod*> all(count);
    if (libsched_services_waiting_pods(services, all.data(), all.size(), &count, nullptr) != 0)
      throw std::bad_alloc();
    for (libsched_waiting_pod* w : all) {
      if (w == nullptr) continue;  // meanwhile there are fewer
      if (belongs(libsched_waiting_pod_pod(w), ns, gang)) f(w);
      libsched_waiting_pod_unref(w);
    }
  }

  int64_t timeout = 60 * int64_t{1'000'000'000};
  libsched_services* services = nullptr;
};

LIBSCHED_EXPORT_PLUGINS(Gang)
