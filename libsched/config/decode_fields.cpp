// The fields of KubeSchedulerConfiguration and of its parts, apart from plugin arguments.
#include "libsched/config/decode.hpp"

#include <array>
#include <utility>

namespace libsched {
namespace {

using D = StrictDecoder;
using J = JsonValue;

constexpr JsonField<V1Plugin> kPlugin[] = {
    {"name", [](D& d, const J& v, V1Plugin& o) { d.string(v, o.name); }},
    {"weight", [](D& d, const J& v, V1Plugin& o) { d.int32(v, o.weight); }},
};

void plugin(D& d, const J& v, V1Plugin& o) { d.object<V1Plugin>(v, "v1.Plugin", kPlugin, o); }

constexpr JsonField<V1PluginSet> kPluginSet[] = {
    {"enabled",
     [](D& d, const J& v, V1PluginSet& o) { d.list(v, "[]v1.Plugin", o.enabled, plugin); }},
    {"disabled",
     [](D& d, const J& v, V1PluginSet& o) { d.list(v, "[]v1.Plugin", o.disabled, plugin); }},
};

void plugin_set(D& d, const J& v, V1PluginSet& o) {
  d.object<V1PluginSet>(v, "v1.PluginSet", kPluginSet, o);
}

// A field for each extension point, and "multiPoint".
template <size_t... Point>
std::array<JsonField<V1Plugins>, kExtensionPointCount + 1> plugins_fields(
    std::index_sequence<Point...>) {
  return {
      {{point_field(static_cast<ExtensionPoint>(Point)),
        [](D& d, const J& v, V1Plugins& o) { plugin_set(d, v, o.points[Point]); },
        {},
        point_releases(static_cast<ExtensionPoint>(Point))}...,
       {"multiPoint", [](D& d, const J& v, V1Plugins& o) { plugin_set(d, v, o.multi_point); }}}};
}
const auto kPlugins = plugins_fields(std::make_index_sequence<kExtensionPointCount>());

constexpr JsonField<V1PluginConfig> kPluginConfig[] = {
    {"name", [](D& d, const J& v, V1PluginConfig& o) { d.string(v, o.name); }},
    {"args",
     [](D&, const J& v, V1PluginConfig& o) {
       if (!v.is_null()) o.raw = std::string(v.raw);
     }},
};

void plugin_config(D& d, const J& v, V1PluginConfig& o) {
  d.object<V1PluginConfig>(v, "v1.PluginConfig", kPluginConfig, o);
}

constexpr JsonField<V1Profile> kProfile[] = {
    {"schedulerName", [](D& d, const J& v, V1Profile& o) { d.string(v, o.scheduler_name); }},
    {"percentageOfNodesToScore", [](D& d, const J& v, V1Profile& o) { d.int32(v, o.percentage); }},
    {"plugins", [](D& d, const J& v,
                   V1Profile& o) { d.object<V1Plugins>(v, "v1.Plugins", kPlugins, o.plugins); }},
    {"pluginConfig",
     [](D& d, const J& v, V1Profile& o) {
       d.list(v, "[]v1.PluginConfig", o.plugin_config, plugin_config);
     }},
};

void profile(D& d, const J& v, V1Profile& o) {
  d.object<V1Profile>(v, "v1.KubeSchedulerProfile", kProfile, o);
}

constexpr JsonField<ExtenderTls> kTls[] = {
    {"insecure", [](D& d, const J& v, ExtenderTls& o) { d.boolean(v, o.insecure); }},
    {"serverName", [](D& d, const J& v, ExtenderTls& o) { d.string(v, o.server_name); }},
    {"certFile", [](D& d, const J& v, ExtenderTls& o) { d.string(v, o.cert_file); }},
    {"keyFile", [](D& d, const J& v, ExtenderTls& o) { d.string(v, o.key_file); }},
    {"caFile", [](D& d, const J& v, ExtenderTls& o) { d.string(v, o.ca_file); }},
    {"certData", [](D& d, const J& v, ExtenderTls& o) { d.bytes(v, o.cert_data); }},
    {"keyData", [](D& d, const J& v, ExtenderTls& o) { d.bytes(v, o.key_data); }},
    {"caData", [](D& d, const J& v, ExtenderTls& o) { d.bytes(v, o.ca_data); }},
};

constexpr JsonField<ExtenderManagedResource> kManagedResource[] = {
    {"name", [](D& d, const J& v, ExtenderManagedResource& o) { d.string(v, o.name); }},
    {"ignoredByScheduler",
     [](D& d, const J& v, ExtenderManagedResource& o) { d.boolean(v, o.ignored_by_scheduler); }},
};

void managed_resource(D& d, const J& v, ExtenderManagedResource& o) {
  d.object<ExtenderManagedResource>(v, "v1.ExtenderManagedResource", kManagedResource, o);
}

constexpr JsonField<ExtenderConfig> kExtender[] = {
    {"urlPrefix", [](D& d, const J& v, ExtenderConfig& o) { d.string(v, o.url_prefix); }},
    {"filterVerb", [](D& d, const J& v, ExtenderConfig& o) { d.string(v, o.filter_verb); }},
    {"preemptVerb", [](D& d, const J& v, ExtenderConfig& o) { d.string(v, o.preempt_verb); }},
    {"prioritizeVerb", [](D& d, const J& v, ExtenderConfig& o) { d.string(v, o.prioritize_verb); }},
    {"weight", [](D& d, const J& v, ExtenderConfig& o) { d.int64(v, o.weight); }},
    {"bindVerb", [](D& d, const J& v, ExtenderConfig& o) { d.string(v, o.bind_verb); }},
    {"enableHTTPS", [](D& d, const J& v, ExtenderConfig& o) { d.boolean(v, o.enable_https); }},
    {"tlsConfig",
     [](D& d, const J& v, ExtenderConfig& o) {
       d.object<ExtenderTls>(v, "v1.ExtenderTLSConfig", kTls, o.tls);
     }},
    {"httpTimeout", [](D& d, const J& v, ExtenderConfig& o) { d.duration(v, o.http_timeout_ns); }},
    {"nodeCacheCapable",
     [](D& d, const J& v, ExtenderConfig& o) { d.boolean(v, o.node_cache_capable); }},
    {"managedResources",
     [](D& d, const J& v, ExtenderConfig& o) {
       d.list(v, "[]v1.ExtenderManagedResource", o.managed_resources, managed_resource);
     }},
    {"ignorable", [](D& d, const J& v, ExtenderConfig& o) { d.boolean(v, o.ignorable); }},
};

void extender(D& d, const J& v, ExtenderConfig& o) {
  d.object<ExtenderConfig>(v, "v1.Extender", kExtender, o);
}

constexpr JsonField<V1LeaderElection> kLeaderElection[] = {
    {"leaderElect", [](D& d, const J& v, V1LeaderElection& o) { d.boolean(v, o.leader_elect); }},
    {"leaseDuration",
     [](D& d, const J& v, V1LeaderElection& o) { d.duration(v, o.lease_duration_ns); }},
    {"renewDeadline",
     [](D& d, const J& v, V1LeaderElection& o) { d.duration(v, o.renew_deadline_ns); }},
    {"retryPeriod",
     [](D& d, const J& v, V1LeaderElection& o) { d.duration(v, o.retry_period_ns); }},
    {"resourceLock", [](D& d, const J& v, V1LeaderElection& o) { d.string(v, o.resource_lock); }},
    {"resourceName", [](D& d, const J& v, V1LeaderElection& o) { d.string(v, o.resource_name); }},
    {"resourceNamespace",
     [](D& d, const J& v, V1LeaderElection& o) { d.string(v, o.resource_namespace); }},
};

constexpr JsonField<ClientConnection> kClientConnection[] = {
    {"kubeconfig", [](D& d, const J& v, ClientConnection& o) { d.string(v, o.kubeconfig); }},
    {"acceptContentTypes",
     [](D& d, const J& v, ClientConnection& o) { d.string(v, o.accept_content_types); }},
    {"contentType", [](D& d, const J& v, ClientConnection& o) { d.string(v, o.content_type); }},
    {"qps", [](D& d, const J& v, ClientConnection& o) { d.float32(v, o.qps); }},
    {"burst", [](D& d, const J& v, ClientConnection& o) { d.int32(v, o.burst); }},
};

constexpr JsonField<V1Config> kConfig[] = {
    kKindField<V1Config>,
    kApiVersionField<V1Config>,
    {"parallelism", [](D& d, const J& v, V1Config& o) { d.int32(v, o.parallelism); }},
    {"leaderElection",
     [](D& d, const J& v, V1Config& o) {
       d.object<V1LeaderElection>(v, "v1alpha1.LeaderElectionConfiguration", kLeaderElection,
                                  o.leader_election);
     }},
    {"clientConnection",
     [](D& d, const J& v, V1Config& o) {
       d.object<ClientConnection>(v, "v1alpha1.ClientConnectionConfiguration", kClientConnection,
                                  o.client_connection);
     }},
    {"enableProfiling", [](D& d, const J& v, V1Config& o) { d.boolean(v, o.enable_profiling); },
     "DebuggingConfiguration"},
    {"enableContentionProfiling",
     [](D& d, const J& v, V1Config& o) { d.boolean(v, o.enable_contention_profiling); },
     "DebuggingConfiguration"},
    {"percentageOfNodesToScore", [](D& d, const J& v, V1Config& o) { d.int32(v, o.percentage); }},
    {"podInitialBackoffSeconds",
     [](D& d, const J& v, V1Config& o) { d.int64(v, o.initial_backoff_seconds); }},
    {"podMaxBackoffSeconds",
     [](D& d, const J& v, V1Config& o) { d.int64(v, o.max_backoff_seconds); }},
    {"profiles", [](D& d, const J& v,
                    V1Config& o) { d.list(v, "[]v1.KubeSchedulerProfile", o.profiles, profile); }},
    {"extenders",
     [](D& d, const J& v, V1Config& o) { d.list(v, "[]v1.Extender", o.extenders, extender); }},
    {"delayCacheUntilActive",
     [](D& d, const J& v, V1Config& o) { d.boolean(v, o.delay_cache_until_active); }},
};

}  // namespace

void decode_v1(StrictDecoder& d, const JsonValue& v, V1Config& out) {
  d.object<V1Config>(v, "v1.KubeSchedulerConfiguration", kConfig, out);
}

void decode_v1_profile(StrictDecoder& d, const JsonValue& v, V1Profile& out) { profile(d, v, out); }

}  // namespace libsched
