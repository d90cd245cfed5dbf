// Why: all about a pod that waits for a node: what keeps it from each node, the nearest nodes, what
// preemption would do, and what would help.
//
// Suggestions are found by trying, on the cluster in a transaction that is undone, or with a
// changed pod: the pod fits with each, and does not with one step less. The cluster is as before
// afterwards, also after an error.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libsched/run/decision.hpp"
#include "libsched/run/evaluator.hpp"
#include "libsched/scheduler/why/rejections.hpp"

namespace libsched {

// What would help. The numbers are part of the C API.
enum class SuggestionKind : uint8_t {
  kAddNodes = 0,         // more nodes like one that is there; subject: its name
  kTolerate = 1,         // one toleration more; subject: the taint
  kNodeSelector = 2,     // without a key of nodeSelector
  kNodeAffinity = 3,     // without a requirement of node affinity; subject: its key
  kPodAffinity = 4,      // without a required term; subject: its topology key
  kPodAntiAffinity = 5,  // likewise
  kTopologySpread = 6,   // without a constraint; subject: its topology key
  kLessResource = 7,     // a smaller request; subject: the resource
  kSpreadTaints = 8,  // a constraint that leaves out nodes with taints; subject: its topology key
  kUncordon = 9,      // a node without its cordon; subject: its name
  kTolerateDevice = 10,  // claims with one toleration more; subject: the taint of devices
  kSelectedNode = 11,    // a claim without the node selected for it; subject: its key
};

struct Suggestion {
  SuggestionKind kind = SuggestionKind::kAddNodes;
  std::string subject;
  std::string container;  // of kLessResource, unless it is the pod's only one
  std::string text;       // a phrase such as "add 2 nodes like gpu-1"
  std::string edit;       // for apply_edits(), where an edit can do it, else ""
  // kAddNodes: 0 and the smallest number of nodes. kLessResource: the request and the largest one
  // that fits, a multiple of `step` (of cpu in thousandths).
  int64_t from = 0, to = 0, step = 0;
  size_t index = 0;  // of the term, constraint or requirement in its list
  PodRef pod;        // as it would be
  size_t nodes = 0;  // that would take it
  std::string node;  // the first of them by name
  // kAddNodes, kUncordon: further nodes of the same kind of machine for which the same helps, by
  // name.
  std::vector<std::string> alike;
};

// A resource of which the pod asks more than any node has.
struct Beyond {
  std::string resource;
  int64_t requested = 0, largest = 0;  // of cpu in thousandths
  std::string node;                    // that has the most; "": no node has any
};

struct WhyOptions {
  static constexpr size_t kDefaultMaxNodes = 100, kDefaultNearest = 5;
  size_t max_nodes = kDefaultMaxNodes;  // that a suggestion may add; 0: none are added
  size_t nearest = kDefaultNearest;
  std::string other_profile;          // as in PlaceOptions
  bool claims_from_templates = true;  // likewise
  Limits limits;
};

struct Why {
  PodRef pod;
  FrameworkRef profile;          // that judged it
  Ref<const Decision> decision;  // with facts, and with preemption if no node takes the pod
  std::vector<Rejections::ByPlugin> plugins;  // as if each judged alone
  std::vector<NodeLacks> nearest;             // after an error of a plugin, nodes where it failed
  std::vector<Beyond> beyond;
  // The pod's claims that get a volume once a scheduler has chosen its node: of a pod that was
  // given a node by hand they never do.
  std::vector<std::string> unbound_claims;
  std::vector<Suggestion> suggestions;  // by kind; those that take most nodes first

  // {"pod", "profile", "nodes", "fits", "text"?, "gate"?, "preFilter"?, "reasons"?: [{"nodes",
  //  "plugin", "reason"}], "plugins"?: [{"plugin", "nodes"}], "nearest"?: [{"node", "shortage",
  //  "lacks": [{"plugin", "code", "reasons", "facts"?}]}], "beyond"?: [{"resource",
  //  "requested", "largest", "node"?}], "unboundClaims"?: [], "preemption"?, "suggestions":
  //  [{"kind", "subject", "container"?, "text", "edit"?, "from"?, "to"?, "step"?, "nodes", "node",
  //  "alike"?: []}]}
  std::string json() const;
};

// Errors: those of Evaluator::check(); kInvalid (no profile for the pod); kMisuse (plugins are
// running on the cluster).
Result<Why> why(Span<Evaluator*> profiles, const PodRef& pod, const WhyOptions& options);

}  // namespace libsched
