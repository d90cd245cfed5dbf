// Plugins in C++ (libsched/plugin.hpp): classes as slots, instances that are released with their
// framework, and exceptions that end at the barrier.
#include <doctest/doctest.h>

#include <libsched/plugin.hpp>
#include <stdexcept>

namespace sdk = libsched::sdk;

namespace {

int alive = 0;

// Throws in the selected slots.
struct Thrower {
  static constexpr std::string_view name = "Thrower";
  static constexpr uint32_t flags = LIBSCHED_PLUGIN_CONCURRENT;

  explicit Thrower(std::string_view args) : where(args) {
    if (told("create")) throw std::runtime_error("no dials");
    ++alive;
  }
  ~Thrower() { --alive; }
  Thrower(const Thrower&) = delete;
  Thrower& operator=(const Thrower&) = delete;

  bool told(const char* slot) const { return where == std::string("{\"at\":\"") + slot + "\"}"; }
  void here(const char* slot) const {
    if (told(slot)) throw std::runtime_error(slot);
    if (told("odd")) throw 7;
  }
  bool less(const libsched_pod*, int64_t, const libsched_pod*, int64_t) const {
    here("less");
    return true;
  }
  sdk::Status pre_filter(libsched_cycle_state*, const libsched_pod*,
                         libsched_prefilter_result*) const {
    here("pre_filter");
    return {};
  }
  libsched_code filter(const libsched_cycle_state*, const libsched_pod*,
                       const libsched_node_info*) const {
    here("filter");
    return LIBSCHED_CODE_SUCCESS;
  }
  sdk::Status reserve(libsched_cycle_state*, const libsched_pod*, uint32_t,
                      std::string_view node) const {
    here("reserve");
    return sdk::unschedulable("not " + std::string(node));
  }
  void unreserve(libsched_cycle_state*, const libsched_pod*, uint32_t, std::string_view) const {
    throw std::runtime_error("nobody hears this");
  }
  libsched_code bind(libsched_cycle_state*, const libsched_pod*, std::string_view) const {
    return LIBSCHED_CODE_SKIP;
  }
  std::string where;
};

// Batches with reasons.
struct Batch {
  static constexpr std::string_view name = "Batch";
  static constexpr std::string_view reasons[] = {"even", "odd"};
  void filter_batch(const libsched_cycle_state*, const libsched_pod*,
                    const libsched_node_set* nodes, std::span<int8_t> codes,
                    std::span<uint16_t> why) const {
    for (size_t i = 0; i < codes.size(); ++i) {
      codes[i] = LIBSCHED_CODE_UNSCHEDULABLE;
      why[i] = static_cast<uint16_t>(libsched_node_set_rows(nodes)[i] % 2);
    }
  }
};

std::string text_of(libsched_error* error) {
  std::string text(sdk::view(libsched_error_message(error)));
  libsched_error_unref(error);
  return text;
}

struct Asked {
  libsched_framework* framework = nullptr;
  libsched_cluster* cluster = nullptr;
  libsched_evaluator* evaluator = nullptr;
  libsched_cycle_state* state = nullptr;
  libsched_status* status = nullptr;
  libsched_pod* pod = nullptr;
  std::string failed;

  explicit Asked(const std::string& args) {
    libsched_error* error = nullptr;
    libsched_registry* registry = nullptr;
    libsched_config* config = nullptr;
    const std::string document =
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        "profiles: [{plugins: {multiPoint: {enabled: [{name: Thrower}], disabled: [{name: "
        "\"*\"}]}}, pluginConfig: [{name: Thrower, args: {at: " +
        args + "}}]}]";
    REQUIRE(libsched_config_parse(sdk::str(document), nullptr, &config, &error) == LIBSCHED_OK);
    REQUIRE(libsched_registry_create(&registry, &error) == LIBSCHED_OK);
    REQUIRE(sdk::add<Thrower>(registry, &error) == LIBSCHED_OK);
    if (libsched_framework_create(config, sdk::str(""), registry, nullptr, &framework, &error) != 0)
      failed = text_of(error);
    libsched_registry_unref(registry);
    libsched_config_unref(config);
    if (!failed.empty()) return;
    libsched_node* node = nullptr;
    REQUIRE(libsched_node_parse(sdk::str(R"({"kind":"Node","metadata":{"name":"n"},"status":)"
                                         R"({"allocatable":{"cpu":"1","pods":"9"}}})"),
                                nullptr, &node, &error) == LIBSCHED_OK);
    REQUIRE(libsched_pod_parse(sdk::str(R"({"kind":"Pod","metadata":{"name":"p"}})"), nullptr, &pod,
                               &error) == LIBSCHED_OK);
    REQUIRE(libsched_cluster_create(nullptr, &cluster, &error) == LIBSCHED_OK);
    const libsched_node* nodes[] = {node};
    REQUIRE(libsched_cluster_add_nodes(cluster, nodes, 1, &error) == LIBSCHED_OK);
    libsched_node_unref(node);
    REQUIRE(libsched_evaluator_create(framework, cluster, nullptr, &evaluator, &error) ==
            LIBSCHED_OK);
    REQUIRE(libsched_cycle_state_create(&state, &error) == LIBSCHED_OK);
    REQUIRE(libsched_status_create(&status, &error) == LIBSCHED_OK);
    REQUIRE(libsched_run_pre_filter_plugins(evaluator, state, pod, nullptr, status, &error) == 0);
  }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;
  ~Asked() {
    libsched_pod_unref(pod);
    libsched_status_unref(status);
    libsched_cycle_state_unref(state);
    libsched_evaluator_unref(evaluator);
    libsched_cluster_unref(cluster);
    libsched_framework_unref(framework);
  }
  std::string why() const {
    return std::to_string(libsched_status_code(status)) + " " +
           std::string(sdk::view(libsched_status_reason(status, 0)));
  }
};

}  // namespace

TEST_CASE("a class is a plugin, and goes with its framework") {
  {
    const Asked asked("none");
    CHECK(alive == 1);
    CHECK(asked.why() == "0 ");
    REQUIRE(libsched_run_filter_plugins(asked.evaluator, asked.state, asked.pod, sdk::str("n"),
                                        nullptr, asked.status, nullptr) == LIBSCHED_OK);
    CHECK(asked.why() == "0 ");
    REQUIRE(libsched_run_reserve_plugins_reserve(asked.evaluator, asked.state, asked.pod,
                                                 sdk::str("n"), asked.status, nullptr) == 0);
    CHECK(asked.why() == "2 not n");
    CHECK(libsched_run_reserve_plugins_unreserve(asked.evaluator, asked.state, asked.pod,
                                                 sdk::str("n"), nullptr) == LIBSCHED_OK);
    bool before = false;
    CHECK(libsched_framework_queue_less(asked.framework, asked.pod, 1, asked.pod, 2, &before,
                                        nullptr) == LIBSCHED_OK);
    CHECK(before);
  }
  CHECK(alive == 0);
}

TEST_CASE("exceptions become statuses") {
  CHECK(Asked("create").failed == "initializing plugin \"Thrower\": no dials");
  CHECK(alive == 0);
  const auto filter = [](const char* where) {
    const Asked asked(where);
    REQUIRE(libsched_run_filter_plugins(asked.evaluator, asked.state, asked.pod, sdk::str("n"),
                                        nullptr, asked.status, nullptr) == LIBSCHED_OK);
    return asked.why();
  };
  CHECK(filter("filter") == "1 running \"Thrower\" filter plugin: filter");
  CHECK(filter("odd") == "1 running \"Thrower\" filter plugin: unknown exception");
  CHECK(Asked("pre_filter").why() == "1 running PreFilter plugin \"Thrower\": pre_filter");
  const Asked asked("less");
  bool before = true;
  CHECK(libsched_framework_queue_less(asked.framework, asked.pod, 1, asked.pod, 2, &before,
                                      nullptr) == LIBSCHED_OK);
  CHECK(!before);
}

TEST_CASE("the struct of a class has the slots that the class has") {
  const libsched_plugin p = sdk::plugin<Batch>();
  CHECK(bool(p.filter_batch != nullptr));
  CHECK(bool(p.filter == nullptr));
  CHECK(bool(p.release != nullptr));
  CHECK(p.flags == 0);
  REQUIRE(p.reason_count == 2);
  CHECK(sdk::view(p.reasons[1]) == "odd");
  CHECK(sdk::plugin<Thrower>().flags == LIBSCHED_PLUGIN_CONCURRENT);
}
