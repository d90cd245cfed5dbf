// Configurations as JSON, for `config check` and for readers: the defaulted document, the expanded
// plugin lists and the arguments, in upstream's form.
#pragma once

#include <string>

#include "libsched/config/expand.hpp"

namespace libsched {

// {"config": {...}, "profiles": [{"schedulerName", "percentageOfNodesToScore"?, "plugins":
// {"filter": [{"name"}...], "score": [{"name", "weight"}...], ...}, "pluginConfig": [{"name",
// "args"}...]}...], "warnings"?: [...]} in one line; extension points without plugins are left out.
// Three asterisks stand for passwords in URLs of extenders, and for private keys.
//
// Fails with the first profile's error of expand_profile(); its path is "profiles[i]".
Result<std::string> check_config_json(const SchedulerConfig& config, const PluginCatalog& catalog);

// The configuration alone, as a kubescheduler.config.k8s.io/v1 document with all defaults, that
// parse_config() reads back to the same configuration.
std::string config_to_json(const SchedulerConfig& config);

// One extender, with the time-out in nanoseconds as "httpTimeoutNanoseconds" as well.
std::string extender_to_json(const ExtenderConfig& extender);

// The arguments of one plugin ("null" if there are none).
std::string args_to_json(const PluginArgs& args);

}  // namespace libsched
