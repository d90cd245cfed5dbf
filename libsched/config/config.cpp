// parse_config() and default_config(): decode, default, convert, validate.
#include "libsched/config/config.hpp"

#include <utility>

#include "libsched/base/quote.hpp"
#include "libsched/config/decode.hpp"
#include "libsched/config/defaults.hpp"
#include "libsched/config/expand.hpp"
#include "libsched/config/validate.hpp"

namespace libsched {
namespace {

// A configuration that keeps the options, and has nothing yet.
Ref<SchedulerConfig> start(const ConfigOptions& options) {
  auto config = make_ref<SchedulerConfig>();
  config->gates = options.gates;
  config->several_queue_sorts = options.several_queue_sorts;
  config->usable = options.usable;
  return config;
}

Ref<SchedulerConfig> build(V1Config&& v1, const ConfigOptions& options) {
  set_defaults(v1, options.gates);
  Ref<SchedulerConfig> config = start(options);
  convert(std::move(v1), *config);
  return config;
}

Result<void> check_size(Str bytes, const ConfigOptions& options) {
  if (bytes.size() <= options.max_bytes) return {};
  return Error{Rc::kLimit, "the configuration has " + std::to_string(bytes.size()) +
                               " bytes, more than the limit of " +
                               std::to_string(options.max_bytes)};
}

// Warns of what is disabled without an effect, which upstream takes silently: a name that no plugin
// of kube-scheduler has, or that of a plugin without that extension point.
void warn_of_disabled(const V1PluginSet& set, std::optional<ExtensionPoint> point,
                      const std::string& place, Release release,
                      std::vector<std::string>* warnings) {
  for (size_t i = 0; i < set.disabled.size(); ++i) {
    const std::string& name = set.disabled[i].name;
    if (name == "*") continue;
    const std::optional<PointMask> points = in_tree_points(name, release);
    if (points && (!point || (*points & point_bit(*point)) != 0)) continue;
    warnings->push_back(
        place + ".disabled[" + std::to_string(i) + "]: " +
        (points
             ? "the plugin " + go_quote(name) + " does not have this extension point"
             : "kube-scheduler has no plugin " + go_quote(name) + "; disabling it has no effect"));
  }
}

void warn_of_disabled(const V1Config& config, Release release, std::vector<std::string>* warnings) {
  for (size_t i = 0; i < config.profiles.size(); ++i) {
    if (!config.profiles[i].plugins) continue;
    const V1Plugins& plugins = *config.profiles[i].plugins;
    const std::string place = "profiles[" + std::to_string(i) + "].plugins.";
    for (int p = 0; p < kExtensionPointCount; ++p) {
      const auto point = static_cast<ExtensionPoint>(p);
      warn_of_disabled(plugins.points[static_cast<size_t>(p)], point,
                       place + std::string(point_field(point)), release, warnings);
    }
    warn_of_disabled(plugins.multi_point, std::nullopt, place + "multiPoint", release, warnings);
  }
}

}  // namespace

const PluginArgs* Profile::args_of(Str plugin) const {
  for (const PluginArgs& a : plugin_config) {
    if (a.plugin == plugin) return &a;
  }
  return nullptr;
}

const Profile* SchedulerConfig::profile(Str scheduler_name) const {
  for (const Profile& p : profiles) {
    if (p.scheduler_name == scheduler_name) return &p;
  }
  return nullptr;
}

Result<ConfigRef> parse_config(Str bytes, const ConfigOptions& options) {
  LIBSCHED_TRY(check_size(bytes, options));
  std::vector<std::string> warnings;
  auto v1 = decode_config(bytes, options.gates.release(), warnings);
  if (!v1) return std::move(v1.error());
  warn_of_disabled(*v1, options.gates.release(), &warnings);
  Ref<SchedulerConfig> config = build(std::move(*v1), options);
  config->warnings = std::move(warnings);
  config->document = std::string(bytes);
  FieldErrors errors;
  validate_config(*config, errors);
  if (!errors.empty()) return errors.error();
  return ConfigRef(config);
}

Result<ConfigRef> parse_profile(Str bytes, const ConfigOptions& options) {
  LIBSCHED_TRY(check_size(bytes, options));
  std::vector<std::string> warnings;
  Result<V1Profile> profile = decode_profile(bytes, options.gates.release(), warnings);
  if (!profile.ok()) return std::move(profile.error());
  if (!profile->scheduler_name) profile->scheduler_name = "default-scheduler";
  const bool given = profile->plugins.has_value();
  if (!given) profile->plugins.emplace();
  // Given arguments are completed, as plugins expect.
  for (V1PluginConfig& c : profile->plugin_config) set_args_defaults(c.args, options.gates);

  V1Config v1;
  set_defaults(v1, options.gates);
  v1.profiles.assign(1, std::move(*profile));
  Ref<SchedulerConfig> config = start(options);
  convert(std::move(v1), *config);
  config->bare_profile = true;
  config->profiles[0].plugins_given = given;
  config->warnings = std::move(warnings);
  return ConfigRef(config);
}

Result<ConfigRef> with_gates(const ConfigRef& config, const FeatureGates& gates) {
  if (!config->usable.has(gates.release()))
    return Error{Rc::kInvalid, "the configuration was read with the semantics of " +
                                   std::string(release_name(config->gates.release())) +
                                   ", which cannot be used with those of " +
                                   std::string(release_name(gates.release()))};
  if (config->gates == gates || config->bare_profile) return config;
  const ConfigOptions options{gates, config->document.size(), config->several_queue_sorts,
                              config->usable};
  if (config->document.empty()) return default_config(options);
  return parse_config(config->document, options);
}

ConfigRef default_config(const ConfigOptions& options) { return build(V1Config{}, options); }

}  // namespace libsched
