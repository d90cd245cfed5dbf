// Merge keys (`<<`): merges the members of a mapping in upstream's order, in which a merged
// member also replaces an explicit member before it.
//
// The input is JSON text written by YamlDocument: no white space, balanced, valid.
#include <unordered_map>
#include <utility>
#include <vector>

#include "libsched/base/go_json.hpp"
#include "libsched/base/hash.hpp"
#include "libsched/ingest/yaml_document.hpp"

namespace libsched {
namespace {

class Members {
 public:
  // Adds the members of a mapping and replaces existing values.
  void add_all(Str mapping) {
    for (JsonWalk walk(mapping); walk.next();) {
      if (walk.key[0] == kMergeMark)
        add_merged(walk.value);
      else
        set(walk.key, walk.value);
    }
  }

  std::string text() const {
    std::string out = "{";
    for (const auto& [key, value] : members_) {
      if (out.size() > 1) out.push_back(',');
      out.append(key).append(":").append(value);
    }
    return out + "}";
  }

 private:
  void add_merged(Str value) {
    if (value[0] == '{') return add_all(value);
    std::vector<Str> mappings;
    for (JsonWalk walk(value); walk.next();) mappings.push_back(walk.value);
    for (size_t i = mappings.size(); i-- > 0;) add_all(mappings[i]);
  }

  void set(Str key, Str value) {
    const auto [at, fresh] = index_.emplace(key, members_.size());
    if (fresh) {
      members_.emplace_back(key, value);
    } else {
      members_[at->second].second = value;
    }
  }

  std::vector<std::pair<Str, Str>> members_;
  std::unordered_map<Str, size_t, StrHash> index_;
};

}  // namespace

std::string merge_members(Str mapping) {
  Members members;
  members.add_all(mapping);
  return members.text();
}

}  // namespace libsched
