// parse_config() and default_config(): decode, default, convert, validate.
#include "libsched/config/config.hpp"

#include "libsched/config/decode.hpp"
#include "libsched/config/defaults.hpp"
#include "libsched/config/validate.hpp"

namespace libsched {
namespace {

Ref<SchedulerConfig> build(V1Config&& v1, const FeatureGates& gates) {
  set_defaults(v1, gates);
  auto config = make_ref<SchedulerConfig>();
  config->gates = gates;
  convert(std::move(v1), *config);
  return config;
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
  if (bytes.size() > options.max_bytes) {
    return Error{Rc::kLimit,
                 "the configuration has " + std::to_string(bytes.size()) +
                     " bytes, more than the limit of " + std::to_string(options.max_bytes),
                 {},
                 {}};
  }
  std::vector<std::string> warnings;
  auto v1 = decode_config(bytes, warnings);
  if (!v1) return std::move(v1.error());
  Ref<SchedulerConfig> config = build(std::move(*v1), options.gates);
  config->warnings = std::move(warnings);
  FieldErrors errors;
  validate_config(*config, errors);
  if (!errors.empty()) return errors.error();
  return ConfigRef(config);
}

ConfigRef default_config(const FeatureGates& gates) { return build(V1Config{}, gates); }

}  // namespace libsched
