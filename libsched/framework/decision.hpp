// Decision: the whole answer to "does this pod fit", with its reasons. Holds everything it needs:
// valid after the view has changed or gone. Immutable.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libsched/framework/cycle_state.hpp"
#include "libsched/framework/nominator.hpp"
#include "libsched/framework/scoring.hpp"
#include "libsched/objects/node.hpp"

namespace libsched {

class Decision final : public RefCounted {
 public:
  struct NodeVerdict {
    NodeRef node;
    uint32_t status = 0;    // index into statuses
    bool excluded = false;  // by the PreFilterResult
  };

  std::string pod;  // "namespace/name"
  std::string profile;
  std::string error;                  // why there is no verdict; "" usually
  std::optional<Status> pre_enqueue;  // only if it gates the pod
  std::optional<Status> pre_filter;   // absent if it did not run
  PreFilterResult narrowed;
  std::vector<std::string> skipped;  // plugins whose Filter is skipped, sorted
  std::vector<Status> statuses;      // distinct; [0] is Success
  std::vector<NodeVerdict> nodes;    // by name
  std::vector<int8_t> codes;         // of `nodes`
  std::vector<uint32_t> feasible;    // indexes into nodes
  std::string fit_error;             // upstream's FitError text; "" if it fits
  // Upstream's Diagnosis, if no node fits: the plugins that rejected the pod or narrowed its nodes,
  // and of them those that only wait for something outside. Sorted.
  std::vector<std::string> unschedulable_plugins, pending_plugins;

  // If scores were asked for and a node fits: of every feasible node, in the order of `feasible`.
  bool scored = false;
  std::string score_error;              // why there are none; "" usually
  std::vector<std::string> skip_score;  // plugins whose Score is skipped, sorted
  ScoreTable scores;                    // its `rows` are indexes into nodes
  std::vector<uint32_t> best;           // indexes into nodes, of the highest total

  // With CheckOptions::post_filter, if no node takes the pod and the profile has PostFilter
  // plugins.
  std::optional<Status> post_filter;
  std::optional<Nomination> nomination;
  PreemptionReport preemption;
  std::string fit_error_with_post_filter;

  std::string explain_json() const;
};

// Fills the sets of upstream's Diagnosis from the statuses.
void diagnose(Decision* d);

// Upstream's FitError text: how many of the nodes each reason keeps from the pod.
std::string fit_error_text(size_t all_nodes, const std::map<std::string, size_t>& reasons);
// That of a decision. `absent` is the status of the nodes that are not listed.
std::string fit_error_text(const Decision& d, size_t all_nodes,
                           const std::optional<Status>& absent);

}  // namespace libsched
