// Arguments of plugins as JSON, for the writers and messages of this layer.
#pragma once

#include <string>

#include "libsched/config/plugin_args.hpp"
#include "libsched/ingest/write/json_text.hpp"

namespace libsched {

// As a kubescheduler.config.k8s.io/v1 document has them; null if there are none.
void write_args(JsonText& json, const PluginArgs& args);

// As Go's json.Marshal writes upstream's internal type, which messages print.
std::string args_as_go_prints(const PluginArgs& args);

}  // namespace libsched
