// DefaultPreemption: when no node takes a pod, finds the node where it would evict the least
// important pods, evicts them, and nominates the pod to the node. Mirrors upstream's
// plugins/defaultpreemption and preemption/preemption.go.
#include <algorithm>
#include <set>

#include "libsched/framework/log.hpp"
#include "libsched/framework/scoring.hpp"
#include "libsched/plugins/defaultpreemption/executor.hpp"
#include "libsched/plugins/defaultpreemption/group_victims.hpp"
#include "libsched/plugins/defaultpreemption/pick.hpp"
#include "libsched/plugins/defaultpreemption/victims.hpp"
#include "libsched/plugins/hints.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/run/evaluator.hpp"

namespace libsched {
namespace {

// Whether this scheduler's preemption is evicting the pod.
bool leaves_by_preemption(const Pod& pod) {
  if (!pod.meta.terminating()) return false;
  for (const PodCondition& c : pod.status.conditions)
    if (c.type == "DisruptionTarget")
      return c.status == "True" && c.reason == "PreemptionByScheduler";
  return false;
}

// Why the pod may not preempt; "" if it may. With `owners`, pods of groups have their priority.
Str not_eligible(const View& view, const Pod& pod, const NodeStatuses& statuses, bool owners,
                 bool trees) {
  if (pod.spec.preemption_policy == "Never") return "not eligible due to preemptionPolicy=Never.";
  const uint32_t row = pod.status.nominated_node_name.empty()
                           ? kNoId
                           : view.find_node(pod.status.nominated_node_name);
  // A nominated node that preemption cannot help does not count.
  if (row == kNoId || statuses.at(row).code == Code::kUnschedulableAndUnresolvable) return {};
  for (const uint32_t s : view.row(row).pods) {
    const Pod& there = *view.slot(s).pod;
    const int32_t priority = owners ? victim_priority(view, there, trees) : there.priority();
    if (priority < pod.priority() && leaves_by_preemption(there))
      return "not eligible due to a terminating pod on the nominated node.";
  }
  return {};
}

// Go's utilerrors.Aggregate.
std::string aggregate(const std::vector<std::string>& errors) {
  if (errors.size() == 1) return errors[0];
  std::vector<std::string> seen;
  std::string out;
  for (const std::string& e : errors) {
    if (std::find(seen.begin(), seen.end(), e) != seen.end()) continue;
    out += (seen.empty() ? "" : ", ") + e;
    seen.push_back(e);
  }
  return seen.size() == 1 ? out : "[" + out + "]";
}

class DefaultPreemption final : public Plugin {
 public:
  DefaultPreemption(const DefaultPreemptionArgs& args, const FeatureGates& gates,
                    const Behaviours& behaviours)
      : args_(args),
        asynchronous_(gates.enabled(Gate::kSchedulerAsyncPreemption)),
        behaviours_(behaviours),
        entities_(behaviours.groups_are_entities && gates.enabled(Gate::kGenericWorkload)),
        trees_(gates.enabled(Gate::kCompositePodGroup)),
        workload_aware_(gates.enabled(Gate::kWorkloadAwarePreemption)),
        placements_(!behaviours.groups_are_entities &&
                    gates.enabled(Gate::kTopologyAwareWorkloadScheduling)),
        group_policy_(gates.enabled(Gate::kPodGroupPreemptionPolicy)),
        executor_(asynchronous_, behaviours) {}

  bool may_hold_back(const Pod& pod) const override {
    if (!asynchronous_) return false;
    return of_entity(pod) ? executor_.busy() : executor_.preempting(pod.meta);
  }
  Status pre_enqueue(const Call& call, const Pod& pod) const override {
    if (!may_hold_back(pod)) return {};
    if (of_entity(pod)) {
      const PodGroup* group =
          call.view.objects().find<PodGroup>(pod.meta.ns, pod.spec.scheduling_group);
      if (trees_ && group != nullptr) group = GroupForest::root_of(call.view, *group);
      if (group == nullptr || !executor_.preempting(group->meta)) return {};
      return Status(Code::kUnschedulableAndUnresolvable,
                    "waiting for the preemption for this pod group to be finished");
    }
    return Status(Code::kUnschedulableAndUnresolvable,
                  "waiting for the preemption for this pod to be finished");
  }

  Status post_filter(const PostFilterCall& call,
                     std::optional<Nomination>* nomination) const override {
    Status s = preempt(call, nomination);
    if (!call.question) call.services.metrics().preemption_attempts.add();  // it has ended
    if (const std::string message = s.message(); !message.empty())
      s = Status(s.code, "preemption: " + message);
    if (PreemptionReport* report = call.report) {
      report->ran = true;
      report->status = s;
      report->clears_nomination =
          *nomination && (*nomination)->override_node && (*nomination)->node.empty();
    }
    return s;
  }

  bool preempts_for_groups() const override { return workload_aware_; }
  Result<Status> pod_group_post_filter(const GroupPostFilterCall& call,
                                       std::vector<GroupNomination>* nominations) const override {
    if (workload_aware_) return preempt_for_group(call, nominations);
    Result<Status> said = preempt_for_group(call, nominations);
    const Code code = said.ok() ? said->code : Code::kError;
    call.services.metrics().group_preemptions[static_cast<size_t>(code)].add(1);
    if (!said.ok()) return said;
    if (const std::string message = said->message(); !message.empty())
      return Status(said->code, "pod group preemption: " + message);
    return said;
  }

  // Only a pod that waits for its own preemption is held back here, and retrying it is useful only
  // for the events of the plugins that had rejected it.
  bool registers_events() const override { return true; }
  Result<std::vector<ClusterEventWithHint>> events_to_register() const override {
    if (!asynchronous_) return std::vector<ClusterEventWithHint>();
    return std::vector<ClusterEventWithHint>{hinted(PodEvents(behaviours_).assigned(), kDelete)};
  }
  Result<QueueingHint> hint(size_t, const View&, const Pod&, const ObjectChange&) const override {
    return QueueingHint::kQueueSkip;
  }

 private:
  struct Found {
    std::vector<PreemptionReport::Candidate> candidates;  // those without violations first
    bool any_wanted = true;  // false: the configuration asks for none, so none is taken
    std::vector<std::pair<uint32_t, Status>> others;
    std::vector<std::string> errors;
  };

  // Whether preemption is for the pod's group as a whole.
  bool of_entity(const Pod& pod) const {
    return (entities_ || workload_aware_) && !pod.spec.scheduling_group.empty();
  }
  GroupsAsVictims groups() const {
    return trees_      ? GroupsAsVictims::kTrees
           : entities_ ? GroupsAsVictims::kOwners
                       : GroupsAsVictims::kIgnored;
  }
  DisruptionBudgets::Counts counts() const {
    using Counts = DisruptionBudgets::Counts;
    return behaviours_.first_violated_budget ? Counts::kFirstBudget : Counts::kAll;
  }

  // Why a pod of a group does not preempt alone; "" if it may.
  Str left_to_group(const View& view, const Pod& pod) const {
    if (pod.spec.scheduling_group.empty()) return {};
    if (placements_) {
      const auto* const group =
          view.objects().find<PodGroup>(pod.meta.ns, pod.spec.scheduling_group);
      if (group == nullptr) return "pod group for pod not found";
      if (!group->topology_key.empty())
        return "not eligible due to placement-based pod group scheduling limitation";
    }
    return workload_aware_ ? "not eligible due to workload aware preemption enabled" : Str();
  }

  bool never_preempts(const GroupPostFilterCall& call) const {
    if (group_policy_) return call.group.preemption_policy == "Never";
    return std::any_of(call.pods.begin(), call.pods.end(),
                       [](const PodRef& pod) { return pod->spec.preemption_policy == "Never"; });
  }

  // Upstream's PodGroupEvaluator.Preempt.
  Result<Status> preempt_for_group(const GroupPostFilterCall& call,
                                   std::vector<GroupNomination>* nominations) const {
    if (never_preempts(call))
      return Status(Code::kUnschedulable, "not eligible due to preemptionPolicy=Never.");
    if (entities_ && makes_room(call)) {
      for (const PodRef& pod : call.pods)
        nominations->push_back({pod.get(), std::string(pod->status.nominated_node_name)});
      Status out;
      out.reasons.push_back("ongoing preemption on nominated nodes");
      return out;
    }
    const DisruptionBudgets budgets(call.view,
                                    entities_ ? counts() : DisruptionBudgets::Counts::kFirst);
    const int64_t began = call.services.clock().now_ns();
    Result<GroupVictims> found =
        entities_
            ? select_group_victims(call, groups(), budgets, Reprieve::kFilter)
            : select_group_victims(call, GroupsAsVictims::kUnits, budgets, Reprieve::kSchedule);
    const Code code = found.ok() ? found->status.code : Code::kError;
    if (!found.ok() || found->evaluated)
      call.services.metrics()
          .preemptions_by(PreemptorKind::kPodGroup)
          .evaluations[static_cast<size_t>(code)]
          .observe_ns(call.services.clock().now_ns() - began);
    if (!found.ok()) return std::move(found.error());
    if (!found->status.success()) return std::move(found->status);
    if (entities_) *nominations = std::move(found->nominations);
    if (found->disrupted > 0)
      call.services.metrics()
          .preemptions_by(kind_of(call.group))
          .disruptions.observe(static_cast<double>(found->disrupted));
    const Status done = executor_.execute({"cluster", found->pods, found->budget_violations, {}},
                                          preemptor_of(call), {}, call.services);
    if (!done.success() || !entities_) return done;
    Status out;
    out.reasons.push_back("found a placement for podgroup, preempting " +
                          std::to_string(found->pods.size()) + " victims");
    return out;
  }

  // Whether victims of an earlier preemption are still leaving nodes that pods are nominated to.
  bool makes_room(const GroupPostFilterCall& call) const {
    const View& view = call.view;
    for (const PodRef& pod : call.pods) {
      const uint32_t row = pod->status.nominated_node_name.empty()
                               ? kNoId
                               : view.find_node(pod->status.nominated_node_name);
      if (row == kNoId) continue;
      for (const uint32_t s : view.row(row).pods) {
        const Pod& there = *view.slot(s).pod;
        if (victim_priority(view, there, trees_) < call.group.priority &&
            leaves_by_preemption(there))
          return true;
      }
    }
    return false;
  }

  static PreemptorKind kind_of(const PodGroup& group) {
    return group.composite ? PreemptorKind::kCompositePodGroup : PreemptorKind::kPodGroup;
  }
  static Preemptor preemptor_of(const GroupPostFilterCall& call) {
    const Ref<Pod> stand_in = make_ref<Pod>(256);
    Arena& arena = stand_in->arena;
    stand_in->meta.ns = arena.copy(call.group.meta.ns);
    stand_in->meta.name = arena.copy(call.group.meta.name);
    stand_in->meta.uid = arena.copy(call.group.meta.uid);
    stand_in->spec.scheduler_name = arena.copy(call.pods[0]->spec.scheduler_name);
    stand_in->spec.priority = call.group.priority;
    derive_pod(*stand_in);
    Preemptor out{stand_in, kind_of(call.group), {}};
    for (const PodRef& pod : call.pods)
      out.pods.emplace(std::string(pod->meta.ns) + "/" + std::string(pod->meta.name), pod);
    return out;
  }

  Status preempt(const PostFilterCall& call, std::optional<Nomination>* nomination) const {
    const int64_t began = call.question ? 0 : call.services.clock().now_ns();
    std::optional<PreemptionReport::Candidate> chosen;
    Status out = evaluate(call, nomination, &chosen);
    if (!call.question)
      call.services.metrics()
          .preemptions_by(PreemptorKind::kPod)
          .evaluations[static_cast<size_t>(out.code)]
          .observe_ns(call.services.clock().now_ns() - began);
    if (!chosen) return out;
    Nomination there{true, chosen->node};  // before the requests, after which nothing may fail
    if (!call.question) {
      const std::vector<PodRef> listed = call.asker->nominations().listed_on(chosen->node);
      const PodRef pod = PodRef::share(&call.pod);
      const Preemptor by{
          pod,
          PreemptorKind::kPod,
          {{std::string(call.pod.meta.ns) + "/" + std::string(call.pod.meta.name), pod}}};
      Status s = executor_.execute(*chosen, by, listed, call.services);
      if (!s.success()) return s;
    }
    *nomination = std::move(there);
    if (behaviours_.told_preemption)
      out.reasons.push_back("found a potential placement for pod on node " + chosen->node +
                            ", preempting " + std::to_string(chosen->victims.size()) + " victims");
    if (PreemptionReport* const report = call.report) {
      report->nominated_node = chosen->node;
      report->victims = std::move(chosen->victims);
      report->budget_violations = chosen->budget_violations;
      report->budgets = std::move(chosen->budgets);
    }
    return out;
  }

  // Chooses the node and its victims. Without a choice the status or the nomination says what
  // becomes of the pod.
  Status evaluate(const PostFilterCall& call, std::optional<Nomination>* nomination,
                  std::optional<PreemptionReport::Candidate>* chosen) const {
    const View& view = call.view;
    const Log log = call.question ? Log() : log_of(call.services);
    const LogField about{"pod", call.pod.meta};
    if (const Str why = left_to_group(view, call.pod); !why.empty())
      return Status(Code::kUnschedulable, std::string(why));
    if (const Str why = not_eligible(view, call.pod, call.statuses, entities_, trees_);
        !why.empty()) {
      log.info(5, "Pod is not eligible for preemption", {about, {"reason", why}});
      return Status(Code::kUnschedulable, std::string(why));
    }
    if (view.node_count() == 0) return Status::from_error("no nodes available");
    Result<Found> found = dry_run(call);
    if (!found.ok()) return Status::from_error(found.error().message);
    PreemptionReport* const report = call.report;
    if (report != nullptr) {
      report->candidates = found->candidates;
      std::sort(report->candidates.begin(), report->candidates.end(),
                [](const auto& a, const auto& b) { return a.node < b.node; });
      for (const auto& [row, status] : found->others)
        report->dry_runs.emplace_back(view.row(row).name, status);
    }
    if (found->any_wanted && !found->candidates.empty()) {
      std::vector<IgnoredError> ignored;
      Result<Status> asked = ExtenderPass(call.asker->framework(), view, call.pod)
                                 .process_preemption(&found->candidates, &ignored);
      ExtenderPass::log_skipped(call.services, ignored);
      if (!asked.ok()) return Status::from_error(asked.error().message);
      if (!asked->success()) return std::move(*asked);
      if (found->candidates.empty())
        return Status(Code::kUnschedulable, "no candidate node for preemption");
    }
    const std::vector<size_t> best = best_nodes(call, found->candidates);
    if (report != nullptr)
      for (const size_t i : best) report->tied.push_back(found->candidates[i].node);
    if (best.empty() || !found->any_wanted) {
      if (!found->errors.empty()) return Status::from_error(aggregate(found->errors));
      log.info(2, "No preemption candidate is found; preemption is not helpful for scheduling",
               {about});
      *nomination = Nomination{true, {}};
      return Status(Code::kUnschedulable, fit_error(call, *found));
    }
    Services& services = call.services;
    // Upstream takes any of the best; here the smallest name wins, or the seed decides.
    const bool random = !call.question && services.preemption_seed;
    *chosen = std::move(found->candidates[best[random ? draw(services, best.size()) : 0]]);
    log.info(2, "the target node for the preemption is determined",
             {{"node", (*chosen)->node}, about});
    return {};
  }

  // The nodes where evictions might help, in the order in which they are tried.
  static std::vector<uint32_t> potential_nodes(const PostFilterCall& call) {
    const View& view = call.view;
    std::vector<uint32_t> rows;
    const auto consider = [&](size_t row) {
      const auto r = static_cast<uint32_t>(row);
      if (view.node(r) != nullptr && call.statuses.at(r).code == Code::kUnschedulable)
        rows.push_back(r);
    };
    if (!call.question) {
      for (const uint32_t r : view.order()) consider(r);
    } else {
      view.live().for_each(consider);
      std::sort(rows.begin(), rows.end(),
                [&](uint32_t a, uint32_t b) { return view.row(a).name < view.row(b).name; });
    }
    return rows;
  }

  static std::vector<std::string> names_of(const std::vector<const PodDisruptionBudget*>& budgets) {
    std::set<std::string> names;
    for (const PodDisruptionBudget* b : budgets)
      names.insert(std::string(b->meta.ns).append("/").append(b->meta.name));
    return {names.begin(), names.end()};
  }

  // The next random number below n.
  static size_t draw(Services& services, size_t n) {
    services.preemption_seed = mixed(*services.preemption_seed, 1);
    return *services.preemption_seed % n;
  }

  size_t wanted(size_t nodes) const {
    const auto n = static_cast<int64_t>(nodes);
    const int64_t some = n * args_.min_candidate_nodes_percentage / 100;
    return static_cast<size_t>(
        std::min(n, std::max(some, int64_t{args_.min_candidate_nodes_absolute})));
  }

  Result<Found> dry_run(const PostFilterCall& call) const {
    const View& view = call.view;
    Found out;
    const std::vector<uint32_t> rows = potential_nodes(call);
    if (rows.empty()) {
      if (!call.question)
        log_of(call.services)
            .info(3, "Preemption will not help schedule pod on any node", {{"pod", call.pod.meta}});
      return out;
    }
    const DisruptionBudgets budgets(view, counts());
    const VictimUnits units(view, groups());
    Services& services = call.services;
    const bool every = call.question;
    const std::optional<uint64_t> seed = services.preemption_seed;
    const size_t offset = every                      ? 0
                          : services.preemption_seed ? draw(services, rows.size())
                                                     : services.preemption_offset % rows.size();
    const size_t asked_for = wanted(rows.size());
    const size_t enough = every ? rows.size() + 1 : asked_for;
    out.any_wanted = asked_for != 0;
    std::vector<PreemptionReport::Candidate> violating;
    const auto row_at = [&](size_t i) { return rows[(offset + i) % rows.size()]; };
    Result<void> failed;
    const auto take = [&](size_t i, Result<Victims> victims) {
      if (!victims.ok()) {
        failed = std::move(victims.error());
        return false;
      }
      const uint32_t row = row_at(i);
      const std::string& name = view.row(row).name;
      Status& s = victims->status;
      if (s.success() && victims->pods.empty())
        s = Status::from_error("expected at least one victim pod on node \"" + name + "\"");
      if (!s.success()) {
        if (s.code == Code::kError) out.errors.push_back(s.error_text());
        out.others.emplace_back(row, std::move(s));
        return true;
      }
      // Each list holds at most the wanted number; upstream drops the rest.
      auto& list = victims->budget_violations == 0 ? out.candidates : violating;
      if (list.size() < enough)
        list.push_back({name, std::move(victims->pods), victims->budget_violations,
                        every ? names_of(victims->budgets) : std::vector<std::string>()});
      return out.candidates.empty() || out.candidates.size() + violating.size() < enough;
    };
    const DryRunScope scope(*call.asker, call.state);
    scope.crew().in_order(
        rows.size(),
        [&](size_t i) -> Result<Victims> {
          LIBSCHED_TRY(call.check_limits());
          return select_victims(call, row_at(i), units, budgets);
        },
        take);
    if (failed.ok()) failed = call.check_limits();
    if (!failed.ok()) {
      if (call.exceeded()) services.preemption_seed = seed;  // nothing was drawn
      return std::move(failed.error());
    }
    out.candidates.insert(out.candidates.end(), violating.begin(), violating.end());
    return out;
  }

  // The best candidates, which are equally good, by name.
  static std::vector<size_t> best_nodes(
      const PostFilterCall& call, const std::vector<PreemptionReport::Candidate>& candidates) {
    std::vector<size_t> best = best_candidates(candidates, call.services.clock().now_ns());
    std::sort(best.begin(), best.end(),
              [&](size_t a, size_t b) { return candidates[a].node < candidates[b].node; });
    return best;
  }

  std::string fit_error(const PostFilterCall& call, const Found& found) const {
    size_t nodes = call.view.node_count();
    // Without an absent status, nodes that wait for a plugin are neither tried nor hopeless.
    if (behaviours_.no_absent_status)
      for (const auto& [row, status] : call.statuses.all())
        nodes -= status.code == Code::kPending ? 1 : 0;
    std::map<std::string, size_t> reasons;
    for (const auto& [row, status] : found.others)
      for (const std::string& reason : status.reasons) ++reasons[reason];
    if (found.others.size() < nodes)
      reasons["Preemption is not helpful for scheduling"] += nodes - found.others.size();
    return fit_error_text(nodes, reasons);
  }

  DefaultPreemptionArgs args_;
  bool asynchronous_;
  Behaviours behaviours_;
  bool entities_;        // PodGroups preempt as one
  bool trees_;           // and may have parents
  bool workload_aware_;  // likewise, in 1.36 (gate WorkloadAwarePreemption)
  bool placements_;      // pods of groups with a topology constraint do not preempt
  bool group_policy_;    // the group says whether it preempts
  mutable Executor executor_;
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_default_preemption(const FactoryCall& call) {
  const auto* args =
      call.args == nullptr ? nullptr : std::get_if<DefaultPreemptionArgs>(&call.args->value);
  return std::unique_ptr<Plugin>(std::make_unique<DefaultPreemption>(
      args == nullptr ? DefaultPreemptionArgs{10, 100} : *args, call.gates, call.behaviours));
}

}  // namespace libsched
