// Nominator: nominated pods by node and by uid, as upstream's queue keeps them.
#include "libsched/framework/nominator.hpp"

#include <algorithm>

namespace libsched {
namespace {

// Pods of documents without uids are told apart by name; a uid has no slash.
std::string key_of(const Pod& pod) {
  if (!pod.meta.uid.empty()) return std::string(pod.meta.uid);
  return std::string(pod.meta.ns) + "/" + std::string(pod.meta.name);
}

}  // namespace

void Nominator::add(const PodRef& pod, const std::optional<Nomination>& nomination) {
  remove(*pod);  // never twice
  std::string node(pod->status.nominated_node_name);
  if (nomination && nomination->override_node) {
    node = nomination->node;
  } else if (node.empty()) {
    return;
  }
  by_node_[node].push_back(pod);
  node_of_[key_of(*pod)] = std::move(node);
}

void Nominator::remove(const Pod& pod) {
  const auto it = node_of_.find(key_of(pod));
  if (it == node_of_.end()) return;
  const auto there = by_node_.find(it->second);
  std::vector<PodRef>& pods = there->second;
  pods.erase(
      std::find_if(pods.begin(), pods.end(), [&](const PodRef& p) { return same_pod(*p, pod); }));
  if (pods.empty()) by_node_.erase(there);
  node_of_.erase(it);
}

void Nominator::update(const Pod& old_pod, const PodRef& new_pod) {
  std::optional<Nomination> keep;
  if (old_pod.status.nominated_node_name.empty() && new_pod->status.nominated_node_name.empty())
    if (const auto it = node_of_.find(key_of(old_pod)); it != node_of_.end())
      keep = Nomination{true, it->second};
  remove(old_pod);
  add(new_pod, keep);
}

const std::vector<PodRef>& Nominator::on(Str node) const {
  static constinit const std::vector<PodRef> kNone;
  const auto it = by_node_.find(node);
  return it == by_node_.end() ? kNone : it->second;
}

Str Nominator::node_of(const Pod& pod) const {
  const auto it = node_of_.find(key_of(pod));
  return it == node_of_.end() ? Str() : Str(it->second);
}

}  // namespace libsched
