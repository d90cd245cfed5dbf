// Defaulting of the versioned configuration, and its conversion into a SchedulerConfig. Internal
// to the configuration layer.
#pragma once

#include "libsched/config/config.hpp"
#include "libsched/config/v1_types.hpp"

namespace libsched {

// Upstream's defaults, in place: top level, profiles (plugins merged into the default ones) and
// the arguments of every in-tree plugin that takes part.
void set_defaults(V1Config& config, const FeatureGates& gates);
void set_args_defaults(V1Args& args, const FeatureGates& gates);

// The plugins of a profile without any configuration.
V1Plugins default_plugins(const FeatureGates& gates);
// The custom plugins merged into the defaults.
V1Plugins merge_plugins(V1Plugins defaults, const V1Plugins& custom);

// Moves a defaulted configuration into its final form.
void convert(V1Config&& from, SchedulerConfig& to);

}  // namespace libsched
