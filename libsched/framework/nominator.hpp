// Nominator: pods that wait for room on a node, mostly for the pods that they preempt to leave.
//
// Upstream keeps this in its queue. One thread at a time. A change that runs out of memory has not
// happened.
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
  std::string node;            // with override_node; "": none any more
};

class Nominator {
 public:
  // Upstream's AddNominatedPod: with an override that node (even ""), else the pod's own
  // status.nominatedNodeName or nothing.
  void add(const PodRef& pod, const std::optional<Nomination>& nomination) {
    replace(*pod, pod, nomination);
  }
  // The same after the nomination of `old_pod` was removed.
  void replace(const Pod& old_pod, const PodRef& pod, const std::optional<Nomination>& nomination);
  void remove(const Pod& pod);  // by uid; nothing if it is not there
  // The same uid with another version of the pod; keeps a nomination that neither document has.
  void update(const Pod& old_pod, const PodRef& new_pod);

  bool empty() const { return node_of_.empty(); }
  // In the order in which they were added; empty if there are none.
  const std::vector<PodRef>& on(Str node) const;
  Str node_of(const Pod& pod) const;  // "" if it is not nominated
  const std::map<std::string, std::vector<PodRef>, std::less<>>& all() const { return by_node_; }

 private:
  void drop(const Pod& pod, Str key) noexcept;

  std::map<std::string, std::vector<PodRef>, std::less<>> by_node_;
  std::map<std::string, std::string, std::less<>> node_of_;  // uid -> node
};

}  // namespace libsched
