// PluginNames: a name gets the next number.
#include "libsched/scheduler/queue/plugin_names.hpp"

namespace libsched {

Result<PluginId> PluginNames::id(Str name) {
  if (const auto it = ids_.find(name); it != ids_.end()) return it->second;
  if (names_.size() == kMaxPluginNames)
    return Error{Rc::kLimit,
                 "a queue knows at most " + std::to_string(kMaxPluginNames) + " names of plugins",
                 {},
                 std::string(name)};
  names_.reserve(names_.size() + 1);
  const PluginId id = static_cast<PluginId>(names_.size());
  names_.push_back(&ids_.emplace(name, id).first->first);
  return id;
}

}  // namespace libsched
