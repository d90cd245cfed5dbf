// Nominations: the nominated pods that a pod has to yield to.
//
// Without a scheduler that knows all pods (Services::pods) these are the cluster's pending pods
// that the API server has nominated (View::nominated()), as upstream's queue finds them when it
// starts, but those that the services say otherwise about; and then those of the services.
#pragma once

#include <vector>

#include "libsched/cluster/view.hpp"
#include "libsched/framework/facts.hpp"
#include "libsched/framework/framework.hpp"
#include "libsched/framework/services.hpp"

namespace libsched {

class Nominations {
 public:
  // All arguments must outlive the object.
  Nominations(const Framework& framework, const View& view, const Services& services)
      : framework_(framework), view_(view), services_(services) {}

  bool empty() const {
    return services_.nominator().empty() && (view_.nominated().empty() || all_are_known());
  }
  // The pods on the node that the pod has to yield to: others of the same or a higher priority.
  std::vector<PodRef> on(Str node, const Pod& pod) const;
  // The rows that have such pods, as bits of view.word_count() words. False: none, and `rows` is
  // unchanged.
  bool mark(const Pod& pod, std::vector<uint64_t>* rows) const;
  // Those of the cluster on the node, whatever their priority.
  std::vector<PodRef> listed_on(Str node) const;

 private:
  bool all_are_known() const { return services_.pods != nullptr; }
  bool counts(const Pod& listed) const;

  const Framework& framework_;
  const View& view_;
  const Services& services_;
};

// Adds the facts about nominated pods without which the node would have another status.
void add_nominated_facts(const std::vector<PodRef>& pods, Str node, const Status& status,
                         Facts* facts);

}  // namespace libsched
