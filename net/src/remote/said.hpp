// Said: an object that a plugin has sent. Its members are pieces of the text.
//
// Nothing is copied before somebody asks for it, and no function calls itself, so what a plugin
// sends beyond the members that count costs a look at its bytes, however much or deep it is.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "libsched/base/result.hpp"

namespace libsched::remote {

class Said {
 public:
  // The members of the protocol's answers.
  static constexpr std::array<std::string_view, 31> kMembers = {
      "actions",   "allowParallel", "code",    "codes",     "columns",      "count",  "error",
      "events",    "fragments",     "hint",    "id",        "instanceName", "key",    "mode",
      "name",      "need",          "node",    "nodeNames", "nominated",    "points", "protocol",
      "queue",     "reasonIndexes", "reasons", "rejected",  "resource",     "scores", "state",
      "timeoutNs", "type",          "wants"};

  Said() = default;
  // Of an object in a text that object_of() has checked, which outlives this.
  explicit Said(std::string_view object);

  // The last member of a name, which is one of kMembers; empty: it is absent or null.
  std::string_view find(std::string_view name) const;

 private:
  std::array<std::string_view, kMembers.size()> members_;
};

// Checks a whole text. Errors: INVALID.
Result<Said> object_of(std::string_view text);

// The beginning of a text of the plugin, for a message.
std::string shown(std::string_view text);

inline bool is_text(std::string_view value) { return value.starts_with('"'); }
inline bool is_list(std::string_view value) { return value.starts_with('['); }
inline bool is_object(std::string_view value) { return value.starts_with('{'); }
inline bool is_flag(std::string_view value) { return value == "true" || value == "false"; }

}  // namespace libsched::remote
