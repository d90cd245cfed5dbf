// Validation of a SchedulerConfig and of plugin arguments, in upstream's order and words.
// Internal to the configuration layer.
#pragma once

#include "libsched/config/config.hpp"
#include "libsched/config/field_errors.hpp"

namespace libsched {

// Runs all of upstream's checks before it builds a framework.
void validate_config(const SchedulerConfig& config, FieldErrors& errors);

// Checks the arguments of one plugin at `path`. NodeResourcesFit is checked only if `construction`
// is set, because upstream leaves that to the plugin's factory.
void validate_args(const PluginArgs& args, const std::string& path, const FeatureGates& gates,
                   bool construction, FieldErrors& errors);

// addedAffinity of NodeAffinity (validate_affinity.cpp).
void validate_added_affinity(const NodeAffinity& affinity, const std::string& path,
                             const SelectorTexts& texts, FieldErrors& errors);

}  // namespace libsched
