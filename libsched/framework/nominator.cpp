// Nominator: nominated pods by node and by uid, as upstream's queue keeps them.
#include "libsched/framework/nominator.hpp"

#include <algorithm>

namespace libsched {

void Nominator::add(const PodRef& pod, const std::optional<Nomination>& nomination) {
  remove(*pod);  // never twice
  std::string node(pod->status.nominated_node_name);
  if (nomination && nomination->override_node) {
    node = nomination->node;
  } else if (node.empty()) {
    return;
  }
  by_node_[node].push_back(pod);
  node_of_[std::string(pod->meta.uid)] = std::move(node);
}

void Nominator::remove(const Pod& pod) {
  const auto it = node_of_.find(pod.meta.uid);
  if (it == node_of_.end()) return;
  const auto there = by_node_.find(it->second);
  std::vector<PodRef>& pods = there->second;
  pods.erase(std::find_if(pods.begin(), pods.end(),
                          [&](const PodRef& p) { return p->meta.uid == pod.meta.uid; }));
  if (pods.empty()) by_node_.erase(there);
  node_of_.erase(it);
}

void Nominator::update(const Pod& old_pod, const PodRef& new_pod) {
  std::optional<Nomination> keep;
  if (old_pod.status.nominated_node_name.empty() && new_pod->status.nominated_node_name.empty())
    if (const auto it = node_of_.find(old_pod.meta.uid); it != node_of_.end())
      keep = Nomination{true, it->second};
  remove(old_pod);
  add(new_pod, keep);
}

const std::vector<PodRef>& Nominator::on(Str node) const {
  static const std::vector<PodRef> kNone;
  const auto it = by_node_.find(node);
  return it == by_node_.end() ? kNone : it->second;
}

Str Nominator::node_of(const Pod& pod) const {
  const auto it = node_of_.find(pod.meta.uid);
  return it == node_of_.end() ? Str() : Str(it->second);
}

}  // namespace libsched
