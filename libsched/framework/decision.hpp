// Decision: the whole answer to "does this pod fit", with its reasons.
//
// Whether and on how many nodes the pod fits is known at once. What is said of each node, and all
// texts about them, are worked out when they are first read, or just before the cluster changes:
// so they are always those of the moment of the decision, also when the view has changed or gone.
// Any thread may read.
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
#include "libsched/framework/node_names.hpp"
#include "libsched/framework/nominator.hpp"
#include "libsched/framework/scoring.hpp"
#include "libsched/framework/verdicts.hpp"
#include "libsched/objects/node.hpp"

namespace libsched {

// Upstream's Diagnosis of a pod that fits nowhere: the plugins that rejected it or narrowed its
// nodes, of them those that only wait for something outside, and how many nodes each reason holds
// for.
struct Diagnosis {
  std::set<std::string> unschedulable_plugins, pending_plugins;
  std::map<std::string, size_t> reasons;
  size_t nodes = 0;

  void add(const Status& status, size_t count);
  // The nodes that nothing was said of, of `all`, have this status.
  void add_absent(const Status& status, size_t all);
};

// Of the nodes that a PreFilterResult leaves out.
Status absent_status(const PreFilterResult& narrowed);

// Upstream's FitError text: how many of the nodes each reason keeps from the pod.
std::string fit_error_text(size_t all_nodes, const std::map<std::string, size_t>& reasons);
// That of a PreFilter that rejects the pod as a whole.
std::string fit_error_text(size_t all_nodes, const Status& pre_filter);

class Decision final : public RefCounted {
 public:
  // What is said of the nodes that were judged, and of all of them together.
  struct Details {
    std::shared_ptr<const NodeNames> names;  // by name; null: no node was judged
    std::vector<uint32_t> status;            // parallel to the names; index into `statuses`
    std::vector<Status> statuses;            // [0] is Success
    std::vector<int8_t> codes;               // parallel to the names
    std::vector<uint32_t> feasible;          // indexes into the names
    std::string error;                       // of the first node, by name, where a plugin failed
    std::string fit_error;                   // upstream's FitError text; "" if it fits
    std::string profile;
    std::vector<std::string> skipped;  // plugins whose Filter is skipped, sorted
    // Upstream's Diagnosis, if no node fits. Sorted.
    std::vector<std::string> unschedulable_plugins, pending_plugins;
  };
  // What the details are made of. Without a cluster or snapshot there is no verdict on nodes.
  struct Source {
    FrameworkRef framework;
    Ref<Cluster> cluster;  // or
    SnapshotRef snapshot;
    Ref<Services> services;
    PodRef pod;
    std::optional<Status> pre_filter;
    PreFilterResult narrowed;
    Bitmap skipped;        // plugins of the framework
    size_t all_nodes = 0;  // that are asked about
    // Those that were judged: `only`, or all by name, or those that PreFilter left.
    bool judged = false;
    uint32_t only = kNoId;
    bool judge_excluded = false;
    std::shared_ptr<SortedNodes> sorted;
    Verdicts verdicts;

    const View& view() const { return cluster ? cluster->view() : snapshot->view(); }
  };

  explicit Decision(Source source);

  PodRef pod;
  std::string error;                  // why there is no verdict; "" usually
  std::optional<Status> pre_enqueue;  // only if it gates the pod
  std::optional<Status> pre_filter;   // absent if it did not run
  PreFilterResult narrowed;
  size_t feasible_count = 0;
  size_t node_count = 0;  // that were judged

  // Works the details out if need be.
  const Details& details() const;
  // Before the cluster changes, if they are not worked out yet.
  void finish_before_change(Cluster& cluster) const;

  Str node(size_t index) const { return details().names->nodes[index]->meta.name; }
  const Status& status(size_t index) const {
    const Details& d = details();
    return d.statuses[d.status[index]];
  }
  // By the PreFilterResult.
  bool excluded(size_t index) const { return !narrowed.allows(node(index)); }

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

 private:
  // Shared with the cluster, which finishes it before a change.
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
    std::optional<Source> source_;  // until it is done
    Details details_;
  };

  std::shared_ptr<Answer> answer_;
};

}  // namespace libsched
