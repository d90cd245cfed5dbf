// Nominator: pods that wait for room on a node, mostly until the pods that they preempt are gone.
//
// Upstream keeps this in its queue. For one thread at a time. A change that runs out of memory has
// no effect.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libsched/base/ref.hpp"
#include "libsched/objects/pod.hpp"

namespace libsched {

// Upstream's NominatingInfo.
struct Nomination {
  bool override_node = false;  // false: noop, the nomination stays as it is
  std::string node;            // with override_node; "": not nominated any more
};

class Nominator {
 public:
  // Upstream's AddNominatedPod: nominates to the override's node (even ""), else to the pod's own
  // status.nominatedNodeName if it has one.
  void add(const PodRef& pod, const std::optional<Nomination>& nomination) {
    replace(*pod, pod, nomination);
  }
  // The same after removing the nomination of `old_pod`.
  void replace(const Pod& old_pod, const PodRef& pod, const std::optional<Nomination>& nomination);
  void remove(const Pod& pod);  // by uid; no effect if it is not there
  // Replaces the pod with another version of the same uid; keeps a nomination that neither document
  // has.
  void update(const Pod& old_pod, const PodRef& new_pod);

  // Whether for_each_node() leaves out the pods whose nomination was cleared.
  void drop_cleared(bool drops) { drops_cleared_ = drops; }

  // Replaces a nominated pod by `shown`, of the same uid, in its place.
  void show(const PodRef& shown);

  bool empty() const { return node_of_.empty(); }
  // In the order in which they were added; may be empty.
  const std::vector<PodRef>& on(Str node) const;
  Str node_of(const Pod& pod) const;  // "" if it is not nominated
  // Whether anything was said about the pod: it is nominated, or not any more (Nomination "").
  bool has(const Pod& pod) const;
  const std::map<std::string, std::vector<PodRef>, std::less<>>& all() const { return by_node_; }
  // Calls f(node, pods) by node; a pod whose nomination was cleared is at "".
  template <typename F>
  void for_each_node(F&& f) const {
    for (const auto& [node, pods] : by_node_)
      if (!node.empty() || !drops_cleared_) f(node, pods);
  }

 private:
  void drop(const Pod& pod, Str key) noexcept;

  std::map<std::string, std::vector<PodRef>, std::less<>> by_node_;
  std::map<std::string, std::string, std::less<>> node_of_;  // uid -> node
  bool drops_cleared_ = false;
};

}  // namespace libsched
