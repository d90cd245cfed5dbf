// Decision: the whole answer to "does this pod fit", with its reasons.
//
// Whether and on how many nodes the pod fits is known at once. The statuses of the nodes and all
// texts about them are computed when they are first read, or just before the cluster changes: they
// always describe the moment of the decision, even when the view has changed or is gone. Any thread
// may read.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "libsched/base/mutex.hpp"
#include "libsched/framework/cycle_state.hpp"
#include "libsched/framework/facts.hpp"
#include "libsched/framework/node_names.hpp"
#include "libsched/framework/nominator.hpp"
#include "libsched/framework/scoring.hpp"
#include "libsched/objects/node.hpp"
#include "libsched/run/verdicts.hpp"

namespace libsched {

// Upstream's Diagnosis of a pod that fits nowhere: the plugins that rejected it or narrowed its
// nodes, those of them that only wait for something outside, and the number of nodes that each
// reason holds for.
struct Diagnosis {
  std::set<std::string> unschedulable_plugins, pending_plugins;
  std::map<std::string, size_t> reasons;
  size_t nodes = 0;

  void add(const Status& status, size_t count);
  // The nodes of `all` without a status of their own have this one.
  void add_absent(const Status& status, size_t all);
};

// The status of nodes that a PreFilterResult excludes. A cycle adds the plugin that has rejected
// the nominated node, as upstream does ("": none).
Status absent_status(const PreFilterResult& narrowed, Str rejector = {});

// Upstream's FitError text: how many nodes each reason keeps from the pod.
std::string fit_error_text(size_t all_nodes, const std::map<std::string, size_t>& reasons);
// The text for a PreFilter that rejects the pod as a whole.
std::string fit_error_text(size_t all_nodes, const Status& pre_filter);

class Decision final : public RefCounted {
 public:
  // The statuses of the judged nodes, and their summary.
  struct Details {
    std::shared_ptr<const NodeNames> names;  // by name; null: no node was judged
    std::vector<uint32_t> status;            // parallel to the names; index into `statuses`
    std::vector<Status> statuses;            // [0] is Success
    std::vector<int8_t> codes;               // parallel to the names
    std::vector<Facts> facts;                // parallel to the names; empty unless asked for
    std::vector<uint32_t> feasible;          // indexes into the names
    std::string error;                       // of the first node, by name, where a plugin failed
    std::string fit_error;                   // upstream's FitError text; "" if it fits
    std::string profile;
    std::vector<std::string> skipped;  // plugins whose Filter is skipped, sorted
    // Upstream's Diagnosis, if no node fits. Sorted.
    std::vector<std::string> unschedulable_plugins, pending_plugins;
  };
  // The sources of the details. Without a cluster or snapshot no node has a verdict.
  struct Source {
    FrameworkRef framework;
    Ref<Cluster> cluster;  // or
    SnapshotRef snapshot;
    Ref<Services> services;
    PodRef pod;
    std::optional<Status> pre_filter;
    PreFilterResult narrowed;
    Bitmap skipped;        // plugins of the framework
    size_t all_nodes = 0;  // candidates before PreFilter
    // The judged nodes: `only`, or all by name, or those that PreFilter left.
    bool judged = false;
    uint32_t only = kNoId;
    bool judge_excluded = false;
    bool facts = false;
    std::shared_ptr<SortedNodes> sorted;
    Verdicts verdicts;
    // Whether extenders were asked; the error of one that is not ignorable, whether they have left
    // fewer nodes, and the statuses of nodes that the view does not have.
    std::string error;
    bool extended = false, extender_narrowed = false;
    std::vector<Status> unknown;

    const View& view() const { return cluster ? cluster->view() : snapshot->view(); }
  };

  explicit Decision(Source source);

  PodRef pod;
  std::string error;                  // why no verdict exists; "" usually
  std::optional<Status> pre_enqueue;  // only if it gates the pod
  std::optional<Status> pre_filter;   // absent if it did not run
  // With CheckOptions::facts: those of PreEnqueue's rejection, then those of PreFilter's.
  Facts pod_facts;
  size_t pre_enqueue_facts = 0;  // the number of the former
  PreFilterResult narrowed;
  size_t feasible_count = 0;
  size_t node_count = 0;  // judged nodes

  // Computes the details unless they are known.
  const Details& details() const;
  // Called before the cluster changes, if the details are not known yet.
  void finish_before_change(Cluster& cluster) const;

  Str node(size_t index) const { return details().names->nodes[index]->meta.name; }
  const Status& status(size_t index) const {
    const Details& d = details();
    return d.statuses[d.status[index]];
  }
  // Excluded by the PreFilterResult.
  bool excluded(size_t index) const { return !narrowed.allows(node(index)); }

  // If scores were requested and a node fits: the scores of every feasible node, in the order of
  // `feasible`.
  bool scored = false;
  std::string score_error;              // why no scores exist; "" usually
  std::vector<std::string> skip_score;  // plugins whose Score is skipped, sorted
  ScoreTable scores;                    // its `rows` are indexes into nodes
  std::vector<uint32_t> best;           // indexes into nodes, of the highest total

  // Set with CheckOptions::post_filter, if no node takes the pod and the profile has PostFilter
  // plugins.
  std::optional<Status> post_filter;
  std::optional<Nomination> nomination;
  PreemptionReport preemption;
  std::string fit_error_with_post_filter;

  // Answers of extenders that failed and count as none: of those that are ignorable to `filter`,
  // and of all to `prioritize`.
  struct ExtenderFailure {
    std::string extender;
    const char* verb;
    std::string error;
  };
  std::vector<ExtenderFailure> extender_failures;

  std::string explain_json() const;

 private:
  // Shared with the cluster, which completes it before a change.
  class Answer final : public Unread {
   public:
    explicit Answer(Source source) : source_(std::move(source)) {}
    void finish() override;
    bool done() const { return done_.load(std::memory_order_acquire); }
    const Details& get() {
      if (!done()) finish();
      return details_;
    }

   private:
    std::atomic<bool> done_{false};
    Mutex mutex_;
    std::optional<Source> source_;  // until the details are known
    Details details_;
  };

  std::shared_ptr<Answer> answer_;
};

}  // namespace libsched
