// SchedulerConfig: a KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1) after decoding,
// defaulting, conversion and validation, as upstream's internal type holds it.
//
// Immutable once made, hence shared freely between threads. Errors carry upstream's full text.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libsched/base/ref.hpp"
#include "libsched/base/result.hpp"
#include "libsched/config/extension_point.hpp"
#include "libsched/config/feature_gates.hpp"
#include "libsched/config/plugin_args.hpp"

namespace libsched {

struct EnabledPlugin {
  std::string name;
  int32_t weight = 0;  // 0: not given
};

struct PluginSet {
  std::vector<EnabledPlugin> enabled;
  std::vector<std::string> disabled;  // "*" stands for all
};

// Merged with the default plugins, but not yet expanded: see expand_profile().
struct Plugins {
  std::array<PluginSet, kExtensionPointCount> points;
  PluginSet multi_point;

  PluginSet& at(ExtensionPoint p) { return points[static_cast<size_t>(p)]; }
  const PluginSet& at(ExtensionPoint p) const { return points[static_cast<size_t>(p)]; }
};

struct Profile {
  std::string scheduler_name;
  std::optional<int32_t> percentage_of_nodes_to_score;
  Plugins plugins;
  bool plugins_given = true;              // false: a bare profile without `plugins`
  std::vector<PluginArgs> plugin_config;  // given ones in their order, then defaulted ones by name

  // The arguments of a plugin, or nullptr.
  const PluginArgs* args_of(Str plugin) const;
};

struct ExtenderTls {
  bool insecure = false;
  std::string server_name, cert_file, key_file, ca_file;
  std::string cert_data, key_data, ca_data;  // decoded bytes
};

struct ExtenderManagedResource {
  std::string name;
  bool ignored_by_scheduler = false;
};

struct ExtenderConfig {
  std::string url_prefix, filter_verb, preempt_verb, prioritize_verb, bind_verb;
  int64_t weight = 0;
  bool enable_https = false;
  std::optional<ExtenderTls> tls;
  int64_t http_timeout_ns = 0;
  bool node_cache_capable = false;
  std::vector<ExtenderManagedResource> managed_resources;
  bool ignorable = false;
};

// Upstream's part of buildExtenders: NodeResourcesFit ignores the resources that an extender
// manages with `ignoredByScheduler`, and no others. Errors: kInvalid (no arguments of
// NodeResourcesFit).
Result<void> ignore_managed_resources(const std::vector<ExtenderConfig>& extenders,
                                      Profile* profile);

struct LeaderElection {
  bool leader_elect = false;
  int64_t lease_duration_ns = 0, renew_deadline_ns = 0, retry_period_ns = 0;
  std::string resource_lock, resource_name, resource_namespace;
};

struct ClientConnection {
  std::string kubeconfig, accept_content_types, content_type;
  float qps = 0;
  int32_t burst = 0;
};

class SchedulerConfig final : public RefCounted {
 public:
  int32_t parallelism = 0;
  std::optional<int32_t> percentage_of_nodes_to_score;
  int64_t pod_initial_backoff_seconds = 0;
  int64_t pod_max_backoff_seconds = 0;
  bool delay_cache_until_active = false;
  bool enable_profiling = false;
  bool enable_contention_profiling = false;
  LeaderElection leader_election;
  ClientConnection client_connection;
  std::vector<Profile> profiles;
  std::vector<ExtenderConfig> extenders;
  FeatureGates gates;                // the ones it was defaulted and validated with
  std::string document;              // what it was read from; empty: a bare profile or the defaults
  bool bare_profile = false;         // by parse_profile()
  bool several_queue_sorts = false;  // see ConfigOptions
  ReleaseRange usable;               // see ConfigOptions
  std::vector<std::string> warnings;  // accepted by upstream, but hardly meant
  Arena arena;                        // for the plugin arguments

  // The profile of a scheduler name, or nullptr.
  const Profile* profile(Str scheduler_name) const;
};
using ConfigRef = Ref<const SchedulerConfig>;

struct ConfigOptions {
  FeatureGates gates;          // they and their release decide on defaults and on what is valid
  size_t max_bytes = 4 << 20;  // of the document; more is an Rc::kLimit error
  // Allows a profile several QueueSort plugins, which are upstream's error otherwise. Applies to
  // frameworks of the configuration as well.
  bool several_queue_sorts = false;
  // The releases of frameworks that may use the configuration: all, or that of the gates alone if
  // it was asked for.
  ReleaseRange usable;
};

// Decodes YAML or JSON (strictly, as kube-scheduler does: unknown and duplicate fields are
// errors), sets defaults, merges the default plugins and validates.
Result<ConfigRef> parse_config(Str bytes, const ConfigOptions& options = {});

// Reads one KubeSchedulerProfile (YAML or JSON) alone and uses it unchanged: no default plugins, no
// arguments of plugins that it does not configure, no validation, as upstream's NewFramework.
// Returns a configuration with this profile.
Result<ConfigRef> parse_profile(Str bytes, const ConfigOptions& options = {});

// The same configuration with the defaults of these gates and their release, which decide on
// default plugins and arguments, and validated with them. A bare profile is taken as it is. Errors:
// kInvalid (also if a framework of the release may not use the configuration).
Result<ConfigRef> with_gates(const ConfigRef& config, const FeatureGates& gates);

// The configuration of kube-scheduler without a configuration file.
ConfigRef default_config(const ConfigOptions& options = {});

}  // namespace libsched
