// Validation of the whole configuration, in the order in which upstream reports errors.
#include "libsched/config/validate.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "libsched/base/quote.hpp"
#include "libsched/config/args_json.hpp"
#include "libsched/config/config_json.hpp"
#include "libsched/config/config_rules.hpp"
#include "libsched/config/decode.hpp"
#include "libsched/config/duration.hpp"
#include "libsched/objects/resources.hpp"
#include "libsched/objects/selector.hpp"

namespace libsched {
namespace {

void client_connection(const ClientConnection& c, FieldErrors& errors) {
  if (c.burst < 0)
    errors.invalid("clientConnection.burst", std::to_string(c.burst), "must be non-negative");
}

void leader_election(const LeaderElection& l, const ConfigRules& rules, FieldErrors& errors) {
  if (!l.leader_elect) return;
  const std::string path = "leaderElection";
  const auto text = [&](int64_t ns) {
    return rules.go_values ? "v1.Duration{Duration:" + std::to_string(ns) + "}"
                           : json_quote(duration_text(ns));
  };
  const auto positive = [&](Str name, int64_t ns) {
    if (ns <= 0) errors.invalid(child(path, name), text(ns), "must be greater than zero");
  };
  positive("leaseDuration", l.lease_duration_ns);
  positive("renewDeadline", l.renew_deadline_ns);
  positive("retryPeriod", l.retry_period_ns);
  if (l.lease_duration_ns <= l.renew_deadline_ns) {
    // Upstream prints the other value here.
    errors.invalid(child(path, "leaseDuration"), text(l.renew_deadline_ns), rules.short_lease);
  }
  if (l.resource_lock.empty()) errors.required(child(path, "resourceLock"));
  if (l.resource_namespace.empty()) errors.required(child(path, "resourceNamespace"));
  if (l.resource_name.empty()) errors.required(child(path, "resourceName"));
  if (l.resource_lock != "leases") {
    errors.invalid(child(path, "resourceLock"), go_quote(l.resource_lock),
                   R"(resourceLock value must be "leases")");
  }
}

void percentage(const std::string& path, std::optional<int32_t> value, FieldErrors& errors) {
  if (value && (*value < 0 || *value > 100)) {
    errors.invalid(path, std::to_string(*value), "not in valid range [0-100]");
  }
}

// Plugins that upstream removed long ago.
bool is_removed(Str name) {
  return name == "AzureDiskLimits" || name == "CinderLimits" || name == "EBSLimits" ||
         name == "GCEPDLimits";
}

void removed(const std::string& path, const std::string& name, FieldErrors& errors) {
  errors.invalid(path, go_quote(name),
                 R"(was invalid in version "v1" (KubeSchedulerConfiguration is version )" +
                     go_quote(kConfigGroupVersion) + ")");
}

void profile(const std::string& path, const Profile& p, const FeatureGates& gates,
             FieldErrors& errors) {
  if (p.scheduler_name.empty()) errors.required(child(path, "schedulerName"));
  percentage(child(path, "percentageOfNodesToScore"), p.percentage_of_nodes_to_score, errors);
  // Upstream checks neither multiPoint nor the placement points.
  using P = ExtensionPoint;
  for (const P point : {P::kPreEnqueue, P::kQueueSort, P::kPreFilter, P::kFilter, P::kPostFilter,
                        P::kPreScore, P::kScore, P::kReserve, P::kPermit, P::kPreBind, P::kBind,
                        P::kPostBind, P::kPodGroupPostFilter}) {
    const auto& enabled = p.plugins.at(point).enabled;
    for (size_t i = 0; i < enabled.size(); ++i) {
      const std::string at = child(child(child(path, "plugins"), point_field(point)), "enabled");
      if (is_removed(enabled[i].name)) removed(item(at, i), enabled[i].name, errors);
    }
  }
  std::set<Str> seen;
  for (size_t i = 0; i < p.plugin_config.size(); ++i) {
    const PluginArgs& args = p.plugin_config[i];
    const std::string at = item(child(path, "pluginConfig"), i);
    if (!seen.insert(args.plugin).second) errors.duplicate(at, go_quote(args.plugin));
    if (is_removed(args.plugin))
      removed(at, args.plugin, errors);
    else
      validate_args(args, child(at, "args"), gates, false, errors);
  }
}

bool same(const PluginSet& a, const PluginSet& b) {
  const auto equal = [](const EnabledPlugin& x, const EnabledPlugin& y) {
    return x.name == y.name && x.weight == y.weight;
  };
  return a.disabled == b.disabled &&
         std::equal(a.enabled.begin(), a.enabled.end(), b.enabled.begin(), b.enabled.end(), equal);
}

// A plugin set as Go prints the internal type: by %#v, or as JSON.
std::string set_text(const PluginSet& s, bool go) {
  const auto list = [&](const auto& entries, const auto& print) {
    if (entries.empty()) return std::string(go ? "[]config.Plugin(nil)" : "null");
    std::string out;
    for (const auto& e : entries) out += (out.empty() ? "" : go ? ", " : ",") + print(e);
    return go ? "[]config.Plugin{" + out + "}" : "[" + out + "]";
  };
  const auto plugin = [&](const std::string& name, int32_t weight) {
    return go ? "config.Plugin{Name:" + go_quote(name) + ", Weight:" + std::to_string(weight) + "}"
              : "{\"Name\":" + json_quote(name) + ",\"Weight\":" + std::to_string(weight) + "}";
  };
  return (go ? "config.PluginSet{Enabled:" : "{\"Enabled\":") +
         list(s.enabled, [&](const EnabledPlugin& p) { return plugin(p.name, p.weight); }) +
         (go ? ", Disabled:" : ",\"Disabled\":") +
         list(s.disabled, [&](const std::string& n) { return plugin(n, 0); }) + "}";
}

// A text that is equal for arguments equal in upstream's semantic comparison: null equals [].
std::string comparable(PluginArgs args) {
  if (auto* affinity = std::get_if<NodeAffinityArgs>(&args.value))
    affinity->added_affinity.required.terms_present = true;
  return args_to_json(args);
}

// All profiles share one queue, so they must sort it in the same way.
void queue_sort(const SchedulerConfig& config, const ConfigRules& rules, FieldErrors& errors) {
  const std::vector<Profile>& profiles = config.profiles;
  const bool several = config.several_queue_sorts;
  const PluginSet& canon = profiles[0].plugins.at(ExtensionPoint::kQueueSort);
  if (canon.enabled.size() > 1 && !several) {
    errors.invalid("profiles[0].plugins.queueSort.Enabled", std::to_string(canon.enabled.size()),
                   "only one queue sort plugin can be enabled");
  }
  // By plugin; upstream compares only the first plugin, "" if there is none.
  std::map<Str, std::string> canon_args;
  if (canon.enabled.empty()) canon_args[""] = "null";
  for (const EnabledPlugin& e : canon.enabled)
    if (several || canon_args.empty()) canon_args[e.name] = "null";
  for (const PluginArgs& a : profiles[0].plugin_config) {
    const auto at = canon_args.find(a.plugin);
    if (at != canon_args.end() && !a.plugin.empty()) at->second = comparable(a);
  }
  for (size_t i = 1; i < profiles.size(); ++i) {
    const std::string path = item("profiles", i);
    const PluginSet& set = profiles[i].plugins.at(ExtensionPoint::kQueueSort);
    if (!same(canon, set)) {
      errors.invalid(child(path, "plugins.queueSort"), set_text(set, rules.go_values),
                     rules.unequal_queue_sort);
    }
    for (const PluginArgs& a : profiles[i].plugin_config) {
      const auto at = canon_args.find(a.plugin);
      if (at == canon_args.end()) continue;
      if (comparable(a) == at->second) continue;
      errors.invalid(child(path, "pluginConfig.args"), args_as_go_prints(a),
                     "queueSort must be the same for all profiles");
    }
  }
}

void extenders(const std::vector<ExtenderConfig>& list, const ConfigRules& rules,
               FieldErrors& errors) {
  size_t binders = 0;
  std::set<Str> resources;
  for (size_t i = 0; i < list.size(); ++i) {
    const ExtenderConfig& e = list[i];
    const std::string path = item("extenders", i);
    if (!e.prioritize_verb.empty() && e.weight <= 0) {
      errors.invalid(child(path, "weight"), std::to_string(e.weight),
                     "must have a positive weight applied to it");
    }
    if (!e.bind_verb.empty()) ++binders;
    for (size_t j = 0; j < e.managed_resources.size(); ++j) {
      const std::string& name = e.managed_resources[j].name;
      const std::string at = child(item(child(path, "managedResources"), j), "name");
      const auto syntax = qualified_name_errors(name, rules.older_syntax);
      for (const std::string& s : syntax)
        errors.invalid(at, rules.go_values ? name : json_quote(name), s);
      if (syntax.empty() && !is_extended_resource_name(name)) {
        errors.invalid(at, go_quote(name), "is an invalid extended resource name");
      }
      if (!resources.insert(name).second) {
        errors.invalid(at, go_quote(name), "duplicate extender managed resource name");
      }
    }
  }
  if (binders > 1) {
    errors.invalid("extenders",
                   go_quote("found " + std::to_string(binders) + " extenders implementing bind"),
                   "only one extender can implement bind");
  }
}

}  // namespace

void validate_config(const SchedulerConfig& c, FieldErrors& errors) {
  client_connection(c.client_connection, errors);
  const ConfigRules rules = config_rules(c.gates.release());
  leader_election(c.leader_election, rules, errors);
  if (c.parallelism <= 0) {
    errors.invalid("parallelism", std::to_string(c.parallelism),
                   "should be an integer value greater than zero");
  }
  if (c.profiles.empty()) {
    errors.required("profiles");
  } else {
    std::set<Str> names;
    for (size_t i = 0; i < c.profiles.size(); ++i) {
      const Profile& p = c.profiles[i];
      profile(item("profiles", i), p, c.gates, errors);
      // Upstream intends to print the other profile's path, but prints an empty object.
      if (!names.insert(p.scheduler_name).second)
        errors.duplicate(child(item("profiles", i), "schedulerName"), "{}");
    }
    queue_sort(c, rules, errors);
  }
  percentage("percentageOfNodesToScore", c.percentage_of_nodes_to_score, errors);
  if (c.pod_initial_backoff_seconds <= 0) {
    errors.invalid("podInitialBackoffSeconds", std::to_string(c.pod_initial_backoff_seconds),
                   "must be greater than 0");
  }
  if (c.pod_max_backoff_seconds < c.pod_initial_backoff_seconds) {
    errors.invalid("podMaxBackoffSeconds", std::to_string(c.pod_max_backoff_seconds),
                   "must be greater than or equal to PodInitialBackoffSeconds");
  }
  extenders(c.extenders, rules, errors);
}

}  // namespace libsched
