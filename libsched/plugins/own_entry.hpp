// What a plugin has in the state of a cycle, for points whose call does not carry it.
#pragma once

#include "libsched/framework/framework.hpp"

namespace libsched {

// Null: the state belongs to no framework with the plugin.
inline const CycleState::Entry* own_entry(const CycleState& state, const Plugin& plugin) {
  if (state.framework() == nullptr) return nullptr;
  const auto& plugins = static_cast<const Framework&>(*state.framework()).plugins();
  for (size_t i = 0; i < plugins.size(); ++i)
    if (plugins[i].plugin.get() == &plugin) return &state.entries()[i];
  return nullptr;
}

// Whether PreFilter ran for the pod, but not of this plugin, whose profile has the point off.
// Upstream's plugin then misses what it would have written, even for a pod that it skips. For a
// plugin whose PreFilter either skips or leaves data.
inline bool left_out_of_pre_filter(const CycleState& state, const Plugin& plugin) {
  if (state.pod_serial() == 0) return false;
  const CycleState::Entry* const entry = own_entry(state, plugin);
  return entry != nullptr && !entry->skip_filter && !entry->data;
}

// Whether the profile has the plugin, but not its Filter.
inline bool left_out_of_filter(const CycleState& state, const Plugin& plugin) {
  if (state.framework() == nullptr) return false;
  const auto& framework = static_cast<const Framework&>(*state.framework());
  const auto& plugins = framework.plugins();
  for (uint32_t i = 0; i < plugins.size(); ++i)
    if (plugins[i].plugin.get() == &plugin) return !framework.runs_at(ExtensionPoint::kFilter, i);
  return false;
}

}  // namespace libsched
