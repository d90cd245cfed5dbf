// The errors of changes of a cluster.
#pragma once

#include <string>

#include "libsched/base/result.hpp"
#include "libsched/cluster/columns.hpp"
#include "libsched/objects/pod.hpp"
#include "libsched/objects/stored_kind.hpp"

namespace libsched {

inline std::string object_key(Str ns, Str name) {
  return (ns.empty() ? "" : std::string(ns) + "/") + std::string(name);
}
inline std::string pod_key(const Pod& pod) { return object_key(pod.meta.ns, pod.meta.name); }

__attribute__((cold)) inline Error may_not_change() {
  return {Rc::kMisuse, "a plugin may not change the cluster that it is asked about"};
}
inline Error no_fork() { return {Rc::kState, "no fork is open"}; }
inline Error exists(Str kind, const std::string& key) {
  return {Rc::kExists, std::string(kind) + " \"" + key + "\" is there already"};
}
inline Error not_found(Str kind, const std::string& key) {
  return {Rc::kNotFound, std::string(kind) + " \"" + key + "\" is not in the cluster"};
}
inline Error no_node_name(Str kind, const std::string& key) {
  return {Rc::kInvalid, std::string(kind) + " \"" + key + "\" has no nodeName, and none was given"};
}
inline Error too_many_resources(Str kind, const std::string& key) {
  return {Rc::kLimit, std::string(kind) + " \"" + key + "\": more than " +
                          std::to_string(Columns::kMaxResources) +
                          " different resources in one cluster"};
}

}  // namespace libsched
