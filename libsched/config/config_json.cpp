// Writes configurations as JSON; empty members are left out as upstream does.
#include "libsched/config/config_json.hpp"

#include <algorithm>

#include "libsched/base/base64.hpp"
#include "libsched/base/go_float.hpp"
#include "libsched/base/without_password.hpp"
#include "libsched/config/args_json.hpp"
#include "libsched/config/decode.hpp"
#include "libsched/config/duration.hpp"

namespace libsched {
namespace {

void named(JsonText& json, Str name, int64_t weight = 0) {
  json.object([&] {
    json.field("name", name);
    json.number_if("weight", weight);
  });
}

// Whether passwords and private keys are written: readers need them, and people who look at a
// configuration do not.
enum class Secrets { kWritten, kHidden };

// The fields of an extender, inside of its object.
void write_extender(JsonText& json, const ExtenderConfig& e, Secrets secrets) {
  const bool hidden = secrets == Secrets::kHidden;
  json.field("urlPrefix", hidden ? without_password(e.url_prefix) : e.url_prefix);
  json.field("httpTimeout", duration_text(e.http_timeout_ns));
  json.field_if("filterVerb", Str(e.filter_verb));
  json.field_if("preemptVerb", Str(e.preempt_verb));
  json.field_if("prioritizeVerb", Str(e.prioritize_verb));
  json.number_if("weight", e.weight);
  json.field_if("bindVerb", Str(e.bind_verb));
  json.true_if("enableHTTPS", e.enable_https);
  json.true_if("nodeCacheCapable", e.node_cache_capable);
  json.true_if("ignorable", e.ignorable);
  if (e.tls)
    json.object("tlsConfig", [&] {
      json.true_if("insecure", e.tls->insecure);
      json.field_if("serverName", Str(e.tls->server_name));
      json.field_if("certFile", Str(e.tls->cert_file));
      json.field_if("keyFile", Str(e.tls->key_file));
      json.field_if("caFile", Str(e.tls->ca_file));
      const bool hides = hidden && !e.tls->key_data.empty();
      json.field_if("certData", Str(base64(e.tls->cert_data)));
      json.field_if("keyData", hides ? Str("***") : Str(base64(e.tls->key_data)));
      json.field_if("caData", Str(base64(e.tls->ca_data)));
    });
  json.objects_if("managedResources", Span<ExtenderManagedResource>(e.managed_resources),
                  [&](const ExtenderManagedResource& r) {
                    json.field("name", r.name);
                    json.true_if("ignoredByScheduler", r.ignored_by_scheduler);
                  });
}

// The fields of the configuration but its profiles, inside of its object.
void write_top_level(JsonText& json, const SchedulerConfig& c, Secrets secrets) {
  json.field("apiVersion", kConfigGroupVersion);
  json.field("kind", kConfigKind);
  json.number("parallelism", c.parallelism);
  json.number("podInitialBackoffSeconds", c.pod_initial_backoff_seconds);
  json.number("podMaxBackoffSeconds", c.pod_max_backoff_seconds);
  json.boolean("enableProfiling", c.enable_profiling);
  json.boolean("enableContentionProfiling", c.enable_contention_profiling);
  json.object("leaderElection", [&] {
    const LeaderElection& l = c.leader_election;
    json.boolean("leaderElect", l.leader_elect);
    json.field("leaseDuration", duration_text(l.lease_duration_ns));
    json.field("renewDeadline", duration_text(l.renew_deadline_ns));
    json.field("retryPeriod", duration_text(l.retry_period_ns));
    json.field("resourceLock", l.resource_lock);
    json.field("resourceName", l.resource_name);
    json.field("resourceNamespace", l.resource_namespace);
  });
  json.object("clientConnection", [&] {
    const ClientConnection& k = c.client_connection;
    json.field("kubeconfig", k.kubeconfig);
    json.field("acceptContentTypes", k.accept_content_types);
    json.field("contentType", k.content_type);
    json.key("qps");
    json.raw(json_float(k.qps));
    json.number("burst", k.burst);
  });
  json.number_if("percentageOfNodesToScore", c.percentage_of_nodes_to_score);
  json.true_if("delayCacheUntilActive", c.delay_cache_until_active);
  json.objects_if("extenders", Span<ExtenderConfig>(c.extenders),
                  [&](const ExtenderConfig& e) { write_extender(json, e, secrets); });
}

// `keeps`: reading merges the lists into the defaults again; "*" keeps them unchanged.
void write_plugin_set(JsonText& json, Str name, const PluginSet& s, bool keeps = false) {
  keeps = keeps && std::find(s.disabled.begin(), s.disabled.end(), "*") == s.disabled.end();
  json.object(name, [&] {
    json.list_if("enabled", Span<EnabledPlugin>(s.enabled),
                 [&](const EnabledPlugin& p) { named(json, p.name, p.weight); });
    if (s.disabled.empty() && !keeps) return;
    json.key("disabled");
    json.open('[');
    for (const std::string& n : s.disabled) named(json, n);
    if (keeps) named(json, "*");
    json.close(']');
  });
}

// A profile; f() writes its plugins, inside of their object.
template <typename F>
void write_profile(JsonText& json, const Profile& p, F&& f) {
  json.object([&] {
    json.field("schedulerName", p.scheduler_name);
    json.objects("pluginConfig", Span<PluginArgs>(p.plugin_config), [&](const PluginArgs& a) {
      json.field("name", a.plugin);
      json.key("args");
      write_args(json, a);
    });
    json.number_if("percentageOfNodesToScore", p.percentage_of_nodes_to_score);
    json.object("plugins", std::forward<F>(f));
  });
}

}  // namespace

std::string config_to_json(const SchedulerConfig& config) {
  JsonText json;
  json.object([&] {
    write_top_level(json, config, Secrets::kWritten);
    json.list("profiles", Span<Profile>(config.profiles), [&](const Profile& p) {
      write_profile(json, p, [&] {
        write_plugin_set(json, "multiPoint", p.plugins.multi_point, true);
        for (int i = 0; i < kExtensionPointCount; ++i) {
          const PluginSet& set = p.plugins.points[static_cast<size_t>(i)];
          if (!set.enabled.empty() || !set.disabled.empty())
            write_plugin_set(json, point_field(static_cast<ExtensionPoint>(i)), set);
        }
      });
    });
  });
  return json.take();
}

std::string extender_to_json(const ExtenderConfig& e) {
  JsonText json;
  json.object([&] {
    write_extender(json, e, Secrets::kWritten);
    json.number("httpTimeoutNanoseconds", e.http_timeout_ns);
  });
  return json.take();
}

Result<std::string> check_config_json(const SchedulerConfig& config, const PluginCatalog& catalog) {
  std::vector<ExpandedProfile> expanded;
  for (size_t i = 0; i < config.profiles.size(); ++i) {
    auto profile = expand_profile(config.profiles[i], catalog, config.gates,
                                  {nullptr, config.several_queue_sorts});
    if (!profile) {
      const std::string at = "profiles[" + std::to_string(i) + "]";
      Error& e = profile.error();
      e.path = e.path.empty() ? at : at + "." + e.path;
      return std::move(e);
    }
    expanded.push_back(std::move(*profile));
  }
  JsonText json;
  json.object([&] {
    json.object("config", [&] { write_top_level(json, config, Secrets::kHidden); });
    json.list("profiles", Span<Profile>(config.profiles), [&](const Profile& p) {
      const ExpandedProfile& profile = expanded[static_cast<size_t>(&p - config.profiles.data())];
      write_profile(json, p, [&] {
        for (int i = 0; i < kExtensionPointCount; ++i) {
          const auto point = static_cast<ExtensionPoint>(i);
          const auto& plugins = profile.at(point);
          json.list_if(point_field(point), Span<ExpandedPlugin>(plugins),
                       [&](const ExpandedPlugin& x) { named(json, x.name, x.weight); });
        }
      });
    });
    json.list_if("warnings", Span<std::string>(config.warnings),
                 [&](const std::string& warning) { json.string(warning); });
  });
  return json.take();
}

}  // namespace libsched
