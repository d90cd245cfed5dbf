// Nominator: nominated pods by node and by uid, as upstream's queue keeps them.
#include "libsched/framework/nominator.hpp"

#include <algorithm>

namespace libsched {
namespace {

// The uid; pods of documents without uids are identified by name.
class PodKey {
 public:
  explicit PodKey(const Pod& pod) : key_(pod.meta.uid) {
    if (!key_.empty()) return;
    made_ = std::string(pod.meta.ns) + "/" + std::string(pod.meta.name);
    key_ = made_;
  }
  PodKey(const PodKey&) = delete;
  PodKey& operator=(const PodKey&) = delete;
  Str get() const { return key_; }

 private:
  Str key_;
  std::string made_;
};

}  // namespace

void Nominator::replace(const Pod& old_pod, const PodRef& pod,
                        const std::optional<Nomination>& nomination) {
  const bool given = nomination && nomination->override_node;
  const Str node = given ? Str(nomination->node) : pod->status.nominated_node_name;
  if (node.empty() && !given && empty()) return;
  const PodKey old_key(old_pod), key(*pod);
  if (node.empty() && !given) {
    drop(old_pod, old_key.get());
    drop(*pod, key.get());
    return;
  }
  // All memory is allocated before anything changes: nodes of both maps, and room in the list.
  std::map<std::string, std::string, std::less<>> entry;
  entry.emplace(key.get(), node);
  std::map<std::string, std::vector<PodRef>, std::less<>> list;
  std::vector<PodRef>& fresh = list[std::string(node)];
  fresh.reserve(1);
  if (const auto there = by_node_.find(node); there != by_node_.end())
    if (std::vector<PodRef>& pods = there->second; pods.size() == pods.capacity())
      pods.reserve(2 * pods.size() + 1);
  drop(old_pod, old_key.get());
  drop(*pod, key.get());  // never twice
  node_of_.insert(entry.extract(entry.begin()));
  by_node_.insert(list.extract(list.begin())).position->second.push_back(pod);
}

void Nominator::remove(const Pod& pod) {
  if (!empty()) drop(pod, PodKey(pod).get());
}

void Nominator::drop(const Pod& pod, Str key) noexcept {
  const auto it = node_of_.find(key);
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
    if (const auto it = node_of_.find(PodKey(old_pod).get()); it != node_of_.end())
      keep = Nomination{true, it->second};
  replace(old_pod, new_pod, keep);
}

void Nominator::show(const PodRef& shown) {
  const auto it = node_of_.find(PodKey(*shown).get());
  if (it == node_of_.end()) return;
  std::vector<PodRef>& pods = by_node_.find(it->second)->second;
  *std::find_if(pods.begin(), pods.end(), [&](const PodRef& p) { return same_pod(*p, *shown); }) =
      shown;
}

const std::vector<PodRef>& Nominator::on(Str node) const {
  static constinit const std::vector<PodRef> kNone;
  const auto it = by_node_.find(node);
  return it == by_node_.end() ? kNone : it->second;
}

bool Nominator::has(const Pod& pod) const {
  return !empty() && node_of_.contains(PodKey(pod).get());
}

Str Nominator::node_of(const Pod& pod) const {
  const auto it = node_of_.find(PodKey(pod).get());
  return it == node_of_.end() ? Str() : Str(it->second);
}

}  // namespace libsched
