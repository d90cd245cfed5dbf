// Extender: upstream's interface of a scheduler extender, which is asked beside the plugins, and
// the questions that a cycle puts to all extenders of a framework.
//
// Extenders are asked one after the other, those that are not ignorable first. The error of an
// ignorable extender counts as no answer.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "libsched/base/extender_answers.hpp"
#include "libsched/cluster/cluster.hpp"
#include "libsched/framework/node_statuses.hpp"
#include "libsched/framework/preemption_report.hpp"

namespace libsched {

class Framework;
class Services;

// The name that stands for extenders among the plugins that have rejected a pod.
inline constexpr const char* kExtenderName = "Extender";

class Extender : public RefCounted {
 public:
  struct Traits {
    std::string name;        // in errors
    bool ignorable = false;  // its errors do not fail the pod
    bool filters = false, prioritizes = false, preempts = false, binds = false;
    // Whether it reads the documents of pods, or of nodes, which must then have been kept.
    bool reads_pods = false, reads_nodes = false;
    bool concurrent = false;  // several threads may ask it to filter and prioritize at once
    int64_t weight = 1;
    // It is asked about pods that have one of these resources; empty: about all.
    std::vector<std::string> managed_resources;
  };
  // A node that passes; `object`, unless null, is the node as the extender returned it.
  struct Kept {
    size_t index = 0;
    NodeRef object;
  };
  struct FilterAnswer : ExtenderRejections {
    std::vector<Kept> kept;
  };
  using Score = ExtenderScore;
  using Victims = ExtenderVictims;
  using Candidates = std::vector<PreemptionReport::Candidate>;

  explicit Extender(Traits traits) : traits_(std::move(traits)) {}
  const Traits& traits() const { return traits_; }
  bool interested(const Pod& pod) const;

  // Called on the thread of the cycle, and bind() on any thread; with `concurrent` filter() and
  // prioritize(), too. An error is the extender's own.
  virtual Result<FilterAnswer> filter(const Pod& pod, Span<const Node*> nodes) const = 0;
  virtual Result<std::vector<Score>> prioritize(const Pod& pod, Span<const Node*> nodes) const = 0;
  virtual Result<std::vector<Victims>> process_preemption(const Pod& pod,
                                                          const Candidates& candidates) const = 0;
  virtual Result<void> bind(const Pod& pod, Str node) const = 0;

 private:
  Traits traits_;
};
using ExtenderRef = Ref<const Extender>;

// The nodes that extenders are asked about, in the order in which they were found.
struct ExtendedNodes {
  std::vector<uint32_t> rows;
  // The nodes that an extender has returned in place of the rows' own, or nothing. Upstream knows
  // no pods and images of such nodes.
  std::vector<NodeRef> objects;

  const Node* node(const View& view, size_t i) const {
    return objects.empty() || !objects[i] ? view.node(rows[i]) : objects[i].get();
  }
};

// An error that counts as no answer.
struct IgnoredError {
  const Extender* extender;
  std::string message;
};

// The rejections of all extenders.
struct ExtenderVerdicts {
  NodeStatuses statuses;
  std::map<std::string, Status> unknown;  // of names that the view does not have
  bool narrowed = false;                  // fewer nodes are left
  std::vector<IgnoredError> ignored;
};

// An extender's scores of nodes, by their index.
struct ExtenderScores {
  const Extender* extender;
  std::vector<int64_t> raw;  // 0 where it has given none
  std::vector<bool> scored;
  int64_t factor = 0;  // of a raw score in the total
};

// The questions of one cycle about one pod. All arguments outlive this. Any thread may call the
// const functions, if all extenders are `concurrent` and the view stays as it is.
class ExtenderPass {
 public:
  ExtenderPass(const Framework& framework, const View& view, const Pod& pod)
      : framework_(framework), view_(view), pod_(pod) {}

  // Upstream's findNodesThatPassExtenders: leaves the nodes that pass. A Status other than Success
  // is the error of an extender that is not ignorable.
  Result<Status> filter(ExtendedNodes* nodes, ExtenderVerdicts* verdicts) const;

  // Upstream's part of prioritizeNodes. Errors of extenders count as no scores.
  Result<std::vector<ExtenderScores>> prioritize(const ExtendedNodes& nodes,
                                                 std::vector<IgnoredError>* ignored) const;

  // Upstream's callExtenders: the candidates that are left. A Status other than Success is the
  // error of an extender that is not ignorable.
  Result<Status> process_preemption(Extender::Candidates* candidates,
                                    std::vector<IgnoredError>* ignored) const;

  // Logs what has been ignored, as upstream does.
  static void log_skipped(const Services& services, const std::vector<IgnoredError>& ignored);
  void log_unscored(const Services& services, const std::vector<IgnoredError>& ignored) const;

 private:
  Result<void> may_ask(const Extender& extender, const ExtendedNodes* nodes) const;
  Result<Extender::Candidates> resolve(const Extender& extender,
                                       const std::vector<Extender::Victims>& victims) const;

  const Framework& framework_;
  const View& view_;
  const Pod& pod_;
};

}  // namespace libsched
