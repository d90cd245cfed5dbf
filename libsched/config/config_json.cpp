// Writes configurations as JSON. Members are in byte order; empty members are left out as
// upstream does.
#include "libsched/config/config_json.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "libsched/base/without_password.hpp"
#include "libsched/config/args_json.hpp"
#include "libsched/config/decode.hpp"
#include "libsched/config/duration.hpp"

namespace libsched {
namespace {

using Json = nlohmann::json;

std::string text(Str s) { return std::string(s); }

// Never throws: bytes that are not UTF-8 become U+FFFD.
std::string dump(const Json& j, int indent) {
  return j.dump(indent, ' ', false, Json::error_handler_t::replace);
}

template <typename T>
void put_if(Json& j, const char* name, const T& value) {
  if (value != T{}) j[name] = value;
}

std::string base64(Str bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (size_t k = 0; k < 4; ++k) {
      out += i + k <= bytes.size() ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
    }
  }
  return out;
}

Json plugin_config(const Profile& p) {
  Json out = Json::array();
  for (const PluginArgs& a : p.plugin_config) {
    Json j = {{"name", a.plugin}};
    j["args"] = args_value(a);
    out.push_back(std::move(j));
  }
  return out;
}

// Whether passwords and private keys are written: readers need them, and people who look at a
// configuration do not.
enum class Secrets { kWritten, kHidden };

Json extender(const ExtenderConfig& e, Secrets secrets) {
  const bool hidden = secrets == Secrets::kHidden;
  Json j = {{"urlPrefix", hidden ? without_password(e.url_prefix) : e.url_prefix},
            {"httpTimeout", duration_text(e.http_timeout_ns)}};
  put_if(j, "filterVerb", e.filter_verb);
  put_if(j, "preemptVerb", e.preempt_verb);
  put_if(j, "prioritizeVerb", e.prioritize_verb);
  put_if(j, "weight", e.weight);
  put_if(j, "bindVerb", e.bind_verb);
  put_if(j, "enableHTTPS", e.enable_https);
  put_if(j, "nodeCacheCapable", e.node_cache_capable);
  put_if(j, "ignorable", e.ignorable);
  if (e.tls) {
    Json t = Json::object();
    put_if(t, "insecure", e.tls->insecure);
    put_if(t, "serverName", e.tls->server_name);
    put_if(t, "certFile", e.tls->cert_file);
    put_if(t, "keyFile", e.tls->key_file);
    put_if(t, "caFile", e.tls->ca_file);
    put_if(t, "certData", base64(e.tls->cert_data));
    put_if(t, "keyData", hidden && !e.tls->key_data.empty() ? "***" : base64(e.tls->key_data));
    put_if(t, "caData", base64(e.tls->ca_data));
    j["tlsConfig"] = std::move(t);
  }
  for (const ExtenderManagedResource& r : e.managed_resources) {
    Json resource = {{"name", r.name}};
    put_if(resource, "ignoredByScheduler", r.ignored_by_scheduler);
    j["managedResources"].push_back(std::move(resource));
  }
  return j;
}

// The number that Go writes for a float32: the shortest digits that identify it, not all digits of
// the corresponding double.
double shortest(float value) {
  char text[64];
  const auto end =
      std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific).ptr;
  double number = 0;
  std::from_chars(text, end, number);
  return number;
}

Json top_level(const SchedulerConfig& c, Secrets secrets) {
  const LeaderElection& l = c.leader_election;
  const ClientConnection& k = c.client_connection;
  Json j = {
      {"apiVersion", text(kConfigGroupVersion)},
      {"kind", text(kConfigKind)},
      {"parallelism", c.parallelism},
      {"podInitialBackoffSeconds", c.pod_initial_backoff_seconds},
      {"podMaxBackoffSeconds", c.pod_max_backoff_seconds},
      {"enableProfiling", c.enable_profiling},
      {"enableContentionProfiling", c.enable_contention_profiling},
      {"leaderElection",
       {{"leaderElect", l.leader_elect},
        {"leaseDuration", duration_text(l.lease_duration_ns)},
        {"renewDeadline", duration_text(l.renew_deadline_ns)},
        {"retryPeriod", duration_text(l.retry_period_ns)},
        {"resourceLock", l.resource_lock},
        {"resourceName", l.resource_name},
        {"resourceNamespace", l.resource_namespace}}},
      {"clientConnection",
       {{"kubeconfig", k.kubeconfig},
        {"acceptContentTypes", k.accept_content_types},
        {"contentType", k.content_type},
        {"qps", shortest(k.qps)},
        {"burst", k.burst}}},
  };
  if (c.percentage_of_nodes_to_score)
    j["percentageOfNodesToScore"] = *c.percentage_of_nodes_to_score;
  put_if(j, "delayCacheUntilActive", c.delay_cache_until_active);
  for (const ExtenderConfig& e : c.extenders) j["extenders"].push_back(extender(e, secrets));
  return j;
}

Json plugin_set(const PluginSet& s) {
  Json j = Json::object();
  for (const EnabledPlugin& p : s.enabled) {
    Json entry = {{"name", p.name}};
    put_if(entry, "weight", p.weight);
    j["enabled"].push_back(std::move(entry));
  }
  for (const std::string& n : s.disabled) j["disabled"].push_back({{"name", n}});
  return j;
}

Json profile_head(const Profile& p) {
  Json j = {{"schedulerName", p.scheduler_name}, {"pluginConfig", plugin_config(p)}};
  if (p.percentage_of_nodes_to_score)
    j["percentageOfNodesToScore"] = *p.percentage_of_nodes_to_score;
  return j;
}

}  // namespace

std::string config_to_json(const SchedulerConfig& config, int indent) {
  Json j = top_level(config, Secrets::kWritten);
  j["profiles"] = Json::array();
  for (const Profile& p : config.profiles) {
    Json profile = profile_head(p);
    Json plugins = {{"multiPoint", plugin_set(p.plugins.multi_point)}};
    // Reading merges the lists into the defaults again; "*" keeps them unchanged.
    const auto& disabled = p.plugins.multi_point.disabled;
    if (std::find(disabled.begin(), disabled.end(), "*") == disabled.end()) {
      plugins["multiPoint"]["disabled"].push_back({{"name", "*"}});
    }
    for (int i = 0; i < kExtensionPointCount; ++i) {
      Json set = plugin_set(p.plugins.points[static_cast<size_t>(i)]);
      if (!set.empty()) plugins[text(point_field(static_cast<ExtensionPoint>(i)))] = std::move(set);
    }
    profile["plugins"] = std::move(plugins);
    j["profiles"].push_back(std::move(profile));
  }
  return dump(j, indent);
}

std::string extender_to_json(const ExtenderConfig& e) {
  Json j = extender(e, Secrets::kWritten);
  j["httpTimeoutNanoseconds"] = e.http_timeout_ns;
  return dump(j, -1);
}

Result<std::string> check_config_json(const SchedulerConfig& config, const PluginCatalog& catalog,
                                      int indent) {
  Json profiles = Json::array();
  for (size_t i = 0; i < config.profiles.size(); ++i) {
    auto expanded = expand_profile(config.profiles[i], catalog, config.gates,
                                   {nullptr, config.several_queue_sorts});
    if (!expanded) {
      const std::string at = "profiles[" + std::to_string(i) + "]";
      Error& e = expanded.error();
      e.path = e.path.empty() ? at : at + "." + e.path;
      return std::move(e);
    }
    Json profile = profile_head(config.profiles[i]);
    profile["plugins"] = Json::object();
    for (int k = 0; k < kExtensionPointCount; ++k) {
      const auto point = static_cast<ExtensionPoint>(k);
      for (const ExpandedPlugin& p : expanded->at(point)) {
        Json entry = {{"name", p.name}};
        put_if(entry, "weight", p.weight);
        profile["plugins"][text(point_field(point))].push_back(std::move(entry));
      }
    }
    profiles.push_back(std::move(profile));
  }
  Json out = {{"config", top_level(config, Secrets::kHidden)}, {"profiles", std::move(profiles)}};
  put_if(out, "warnings", config.warnings);
  return dump(out, indent);
}

}  // namespace libsched
