// World: the fake plugins of a case, which answer from tables, as tests/oracle/fakes has them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "libsched/framework/plugin.hpp"

namespace libsched::cycles {

using Json = nlohmann::json;

// Go's notation of durations; a text that is none is 0.
int64_t duration(const std::string& text);
// The member of an object; `otherwise` if it is absent or null.
template <typename T>
T member(const Json& object, const char* key, T otherwise) {
  const auto it = object.find(key);
  return it == object.end() || it->is_null() ? otherwise : it->get<T>();
}
std::string key_of(const ObjectMeta& meta);  // "namespace/name"

class World {
 public:
  struct Rule {
    Json json = Json::object();
    int used = 0;
    std::string text(const char* key) const { return member<std::string>(json, key, ""); }
  };
  using Rules = std::vector<Rule>;
  static Rules rules_of(const Json& list);

  // The descriptions of a case. Finds the pods of the API server by key, for rules that activate.
  World(const Json& plugins, std::function<PodRef(const std::string&)> find);

  RegistryRef registry() const;  // with the plugins in tree
  void set_rules(const std::string& plugin, const std::string& point, const Json& rules);
  // The calls since the last time, by pod.
  std::map<std::string, std::vector<std::string>> take_calls() {
    const std::lock_guard lock(mutex_);
    return std::exchange(calls_, {});
  }

  // Set once the scheduler is there.
  Services* services = nullptr;

 private:
  class FakePlugin;
  struct Spec {
    Json json;
    std::map<std::string, Rules> rules;
    std::vector<std::unique_ptr<Rules>> hints;  // of each event; null: no hint function
  };
  // The first rule that fits, whose use is counted.
  Rule pick(Rules& rules, Str pod, Str node, Str object);

  Mutex mutex_;  // of the rules and calls: plugins run on several threads
  std::map<std::string, std::unique_ptr<Spec>> specs_;
  std::map<std::string, std::vector<std::string>> calls_;
  std::function<PodRef(const std::string&)> find_;
};

}  // namespace libsched::cycles
