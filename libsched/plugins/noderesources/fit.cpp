// NodeResourcesFit: the pod's requests must fit into the node's free resources, and a strategy of
// the profile scores how much is left. Mirrors upstream's plugins/noderesources/fit.go: every
// insufficiency is reported; a request above the node's whole capacity cannot be resolved by
// preemption. The scores are in fit_score.cpp.
#include <algorithm>
#include <array>

#include "libsched/config/deferred_resize.hpp"
#include "libsched/framework/facts.hpp"
#include "libsched/plugins/hints.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/plugins/noderesources/amounts.hpp"
#include "libsched/plugins/noderesources/device_totals.hpp"
#include "libsched/plugins/noderesources/fit_facts.hpp"
#include "libsched/plugins/noderesources/fit_kernel.hpp"
#include "libsched/plugins/noderesources/fit_score.hpp"
#include "libsched/plugins/noderesources/requeue.hpp"
#include "libsched/plugins/signature/signature.hpp"

namespace libsched {
namespace {

constexpr uint32_t kUnknownResource = kNoId;  // no node has ever had it: counts as 0 of 0

struct Demand {
  uint32_t resource;
  int64_t need;
  Str name;
  // A DeviceClass provides it: on nodes that have none DynamicResources decides.
  bool by_devices = false;
  int64_t growth = 0;  // on the node of a pod whose resize is deferred, which counts there already
};

struct Demands final : PluginData {
  std::vector<Demand> list;  // pods first, then in upstream's order of checks
  bool impossible = false;   // a positive amount of a resource that no node has
  bool by_devices = false;   // some demand is
  // The node where a pod whose resize is deferred needs room for its growth alone.
  uint32_t grows_on = kNoId;
  std::shared_ptr<PluginData> clone() const override { return std::make_shared<Demands>(*this); }
};

class NodeResourcesFit final : public Plugin {
 public:
  NodeResourcesFit(const NodeResourcesFitArgs& args, const FactoryCall& call,
                   const std::optional<DeviceTotals::Settings>& devices)
      : args_(args),
        scorer_(args.scoring_strategy),
        never_unresolvable_(call.behaviours.fit_never_unresolvable),
        accounting_(call.accounting()),
        pod_events_(call.behaviours),
        resizes_(call.gates.enabled(Gate::kInPlacePodVerticalScalingSchedulerPreemption)),
        device_resources_(devices.has_value()),
        devices_(devices.value_or(DeviceTotals::Settings())) {}

  // Never Skip: a pod without requests still takes a pod slot of the node.
  Result<Status> pre_filter(const PreFilterCall&, PreFilterResult*) const override {
    return Status();
  }

  std::shared_ptr<PluginData> prepare(const Call& call, const Pod& pod) const override {
    const View& view = call.view;
    auto data = std::make_shared<Demands>();
    data->ids_epoch = view.ids_epoch();
    const AccountedPod counted(pod, accounting_);
    const Resources& r = counted->requests;
    data->list.reserve(4 + r.scalars.size());
    data->list.push_back({kPods, 1, "pods"});
    if (r.milli_cpu > 0) data->list.push_back({kCpu, r.milli_cpu, "cpu"});
    if (r.memory > 0) data->list.push_back({kMemory, r.memory, "memory"});
    if (r.ephemeral_storage > 0)
      data->list.push_back({kEphemeralStorage, r.ephemeral_storage, "ephemeral-storage"});
    for (const ScalarAmount& s : r.scalars) {
      if (s.value == 0 || ignored(s.name)) continue;
      const uint32_t id = view.columns().find(s.name, s.name_hash);
      const bool by_devices = device_resources_ && may_be_device_resource(view, s.name);
      data->list.push_back({id, s.value, s.name, by_devices});
      if (id == kUnknownResource && s.value > 0 && !by_devices) data->impossible = true;
      data->by_devices = data->by_devices || by_devices;
    }
    if (resizes_ && resize_deferred(pod)) find_growth(view, pod, data.get());
    return data;
  }

  void filter(const FilterCall& call, const RowSet& set) const override {
    if (!call.pre_filtered) {
      set.for_each([&](uint32_t row) { set.reject_with_error(row); });
      return;
    }
    const Demands& demands = static_cast<const Demands&>(*call.data);
    if (call.single != nullptr) {
      const NodeView& node = *call.single;
      if (std::any_of(demands.list.begin(), demands.list.end(),
                      [&](const Demand& d) { return lacks(node, d, grows(demands, node)); }))
        set.reject_all();
      return;
    }
    if (demands.grows_on != kNoId) {
      set.for_each([&](uint32_t row) {
        for (const Demand& d : demands.list)
          if (lacks(call.node(row), d, row == demands.grows_on)) return set.reject(row);
      });
      return;
    }
    if (demands.impossible) {
      set.reject_all();
      return;
    }
    const Columns& columns = call.view.columns();
    for (const Demand& d : demands.list) {
      if (d.resource == kUnknownResource || (!d.by_devices && set.few.empty())) continue;
      const RowColumn left = columns.left_column(d.resource);
      const RowColumn all = columns.allocatable_column(d.resource);
      set.for_each([&](uint32_t row) {
        if (d.need > left[row] && (!d.by_devices || all[row] > 0)) set.reject(row);
      });
    }
    if (!set.few.empty()) return;
    constexpr size_t kChunk = 16;
    std::array<FitDemand, kChunk> kernel;
    for (size_t done = 0; done < demands.list.size();) {
      size_t n = 0;
      for (; n < kChunk && done < demands.list.size(); ++done) {
        const Demand& d = demands.list[done];
        if (d.resource != kUnknownResource && !d.by_devices)
          kernel[n++] = {columns.left_column(d.resource).from(set.first_word), d.need};
      }
      fit_rows(kernel.data(), n, set.alive, set.words);
    }
  }

  void filter_status(const FilterCall& call, uint32_t row, Status* out) const override {
    if (!call.pre_filtered)
      return out->set(Code::kError,
                      "error reading \"PreFilterNodeResourcesFit\" from cycleState: not found");
    const NodeView node = call.node(row);
    out->set(Code::kUnschedulable, {});
    size_t count = 0;
    const auto& demands = static_cast<const Demands&>(*call.data);
    const bool own = grows(demands, node);
    for (const Demand& d : demands.list) {
      if (!lacks(node, d, own)) continue;
      if (count == out->reasons.size()) out->reasons.emplace_back();
      std::string& reason = out->reasons[count++];
      if (d.resource == kPods) {
        reason = "Too many pods";  // always resolvable
        continue;
      }
      constexpr Str kInsufficient = "Insufficient ";
      reason.reserve(kInsufficient.size() + d.name.size());
      reason.assign(kInsufficient).append(d.name);
      if (!never_unresolvable_ &&
          (own && d.resource >= kFirstScalar ? d.growth : d.need) >
              (d.resource != kUnknownResource ? node.allocatable(d.resource) : 0))
        out->code = Code::kUnschedulableAndUnresolvable;
    }
    out->reasons.resize(count);
  }

  void node_facts(const FilterCall& call, uint32_t row, const Status& status,
                  Facts* facts) const override {
    const NodeView node = call.node(row);
    size_t reason = 0;
    const auto& demands = static_cast<const Demands&>(*call.data);
    for (const Demand& d : demands.list) {
      if (!lacks(node, d, grows(demands, node))) continue;
      const int64_t free = left(node, d);
      const int64_t all = d.resource != kUnknownResource ? node.allocatable(d.resource) : 0;
      Fact& fact = facts->add(status.reasons[reason])
                       .text("resource", d.name)
                       .number("requested", d.need)
                       .number("used", wrapping_sub(all, free))
                       .number("free", free)
                       .number("allocatable", all);
      add_parts(call.pod, d.name, &fact);
      add_node_parts(node, d.name, &fact);
      add_resizes(node, d.name, status.reasons[reason++], facts);
    }
  }

  // Two bits per demand: whether it exceeds the free amount, and whether the whole capacity.
  uint64_t reason_key(const FilterCall& call, uint32_t row) const override {
    if (!call.pre_filtered) return 0;
    const std::vector<Demand>& list = static_cast<const Demands&>(*call.data).list;
    if (list.size() > 31 || static_cast<const Demands&>(*call.data).grows_on != kNoId)
      return kNoReasonKey;
    const Columns& columns = call.view.columns();
    uint64_t key = 0;
    for (const Demand& d : list) {
      const bool known = d.resource != kUnknownResource;
      const bool elsewhere = d.by_devices && (!known || columns.allocatable(d.resource, row) <= 0);
      const bool lacks = !elsewhere && d.need > (known ? columns.left(d.resource, row) : 0);
      key = key << 2 | (lacks ? 1 : 0) |
            (lacks && d.need > (known ? columns.allocatable(d.resource, row) : 0) ? 2 : 0);
    }
    return key;
  }

  Status pre_score(const PreScoreCall& call, std::shared_ptr<PluginData>* data) const override {
    *data = ask(call.view, call.pod);
    return {};
  }

  bool add_scores(const ScoreCall& call, const ScoreSet& set, uint32_t weight, int32_t* totals,
                  bool first) const override {
    if (call.data == nullptr) return false;
    const auto& ask = *static_cast<const AllocationAsk*>(call.data);
    return scorer_.add_scores(call.view, ask, set, weight, totals, first);
  }

  Scored score(const ScoreCall& call, const ScoreSet& set, int64_t* scores) const override {
    if (call.data != nullptr)
      return scorer_.score(call.view, static_cast<const AllocationAsk&>(*call.data), set, scores);
    return scorer_.score(call.view, *ask(call.view, call.pod), set, scores);  // without PreScore
  }

  Status score_status(const ScoreCall&, uint32_t) const override {
    return Status(Code::kError, "resources not found");
  }

  Dependencies depends_on(const View& view, const Pod& pod) const override {
    Reads reads{.row = kAllocatableChanged | kPodsChanged};
    if (!device_resources_ || !asks_scalars(pod.requests)) return {reads, reads};
    reads.any = object_changed(StoredKind::kDeviceClass);
    if (scorer_.allocation().lists_devices(view, pod.requests))
      return {reads, Dependencies::everything().score};
    return {reads, reads};
  }

  bool signs() const override { return true; }
  Status sign(const View& view, const Pod& pod, std::vector<SignFragment>* out) const override {
    return sign_resources(view, pod, device_resources_, out);
  }

  bool registers_events() const override { return true; }
  Result<std::vector<ClusterEventWithHint>> events_to_register() const override {
    std::vector<ClusterEventWithHint> out = {
        hinted(pod_events_.assigned(), kDelete | kUpdatePodScaleDown),
        hinted(kNodeEvents, kAdd | kUpdateNodeAllocatable),
        hinted(kDeviceClassEvents, kAdd | kUpdate)};
    if (!device_resources_) out.pop_back();
    if (pod_events_.told_apart()) out.push_back(hinted(pod_events_.own(), kUpdatePodScaleDown));
    if (resizes_) {
      out.push_back(hinted(pod_events_.assigned(), kUpdatePodScaleUp));
      out.push_back(hinted(pod_events_.own(), kUpdatePodScaleUp));
    }
    return out;
  }
  Result<QueueingHint> hint(size_t index, const View& view, const Pod& pod,
                            const ObjectChange& change) const override {
    if (index != 0 && !change.after) return no_object(change);
    const bool deferred = resizes_ && resize_deferred(pod);
    const size_t own = device_resources_ ? 3 : 2;
    if (index == own) return QueueingHint::kQueue;
    if (index > own)
      return queue_if(
          deferred &&
          (index == own + 2 || object_of<Pod>(change.after)->spec.node_name == pod.spec.node_name));
    // Other nodes are of no use to a pod that stays on its own.
    if (deferred && index == 1 && object_of<Node>(change.after)->meta.name != pod.spec.node_name)
      return QueueingHint::kQueueSkip;
    if (index == 1)
      return queue_if(gains_room(view, pod, object_of<Node>(change.before),
                                 *object_of<Node>(change.after), device_resources_));
    if (index == 2)
      return queue_if(gains_device_class(pod, object_of<DeviceClass>(change.before),
                                         *object_of<DeviceClass>(change.after)));
    if (!change.before) return no_object(change);
    const auto* after = object_of<Pod>(change.after);
    const Pod& there = after != nullptr ? *after : *object_of<Pod>(change.before);
    if (deferred && there.spec.node_name != pod.spec.node_name) return QueueingHint::kQueueSkip;
    const AccountedPod asking(pod, accounting_);
    const AccountedPod was(*object_of<Pod>(change.before), accounting_);
    if (after == nullptr) return queue_if(frees_resources(*asking, *was, nullptr, deferred));
    return queue_if(frees_resources(*asking, *was, &*AccountedPod(*after, accounting_), deferred));
  }

  Status score_placement(const GroupCall& call, const GroupPlacement& placement,
                         Span<GroupAssignment> pods, int64_t* score) const override {
    *score = scorer_.allocation().fullness(call.view.columns(), placement.rows, pods);
    return {};
  }

 private:
  std::shared_ptr<AllocationAsk> ask(const View& view, const Pod& pod) const {
    std::shared_ptr<AllocationAsk> out = scorer_.allocation().ask(pod);
    if (device_resources_) scorer_.allocation().add_devices(view, devices_, out.get());
    return out;
  }
  static int64_t left(const NodeView& node, const Demand& d) {
    return d.resource != kUnknownResource ? node.left(d.resource) : node.left(d.name);
  }
  // `own`: the pod's resources count on the node already.
  static bool lacks(const NodeView& node, const Demand& d, bool own) {
    if (d.by_devices && (d.resource == kUnknownResource || node.allocatable(d.resource) <= 0))
      return false;
    if (own && d.resource >= kFirstScalar && d.growth == 0) return false;
    return (own ? d.growth : d.need) > left(node, d);
  }
  static bool grows(const Demands& demands, const NodeView& node) {
    return demands.grows_on != kNoId && demands.grows_on == node.row();
  }
  // What the pod needs beyond what the cluster counts for it.
  void find_growth(const View& view, const Pod& pod, Demands* demands) const {
    const uint32_t slot = view.find_pod(pod.meta.ns, pod.meta.name);
    const uint32_t row = view.find_node(pod.spec.node_name);
    if (slot == kNoId || row == kNoId || view.slot(slot).pod->meta.uid != pod.meta.uid ||
        view.slot(slot).pod->spec.node_name != pod.spec.node_name)
      return;
    demands->grows_on = row;
    const AccountedPod there(*view.slot(slot).pod, accounting_);
    const Resources& counted = there->occupied;
    for (Demand& d : demands->list) {
      const int64_t has = d.resource == kPods ? 0 : amount_in(counted, d.name);
      d.growth = std::max<int64_t>(0, wrapping_sub(d.need, has));
    }
  }
  bool ignored(Str name) const {
    if (!is_extended_resource_name(name)) return false;
    const auto has = [](const std::vector<std::string>& list, Str s) {
      return std::find(list.begin(), list.end(), s) != list.end();
    };
    return has(args_.ignored_resources, name) ||
           has(args_.ignored_resource_groups, name.substr(0, name.find('/')));
  }

  NodeResourcesFitArgs args_;
  FitScorer scorer_;
  bool never_unresolvable_;  // see Behaviours
  PodAccounting accounting_;
  PodEvents pod_events_;
  bool resizes_;           // gate InPlacePodVerticalScalingSchedulerPreemption
  bool device_resources_;  // gate DRAExtendedResource
  DeviceTotals devices_;
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_node_resources_fit(const FactoryCall& call) {
  const auto* args =
      call.args == nullptr ? nullptr : std::get_if<NodeResourcesFitArgs>(&call.args->value);
  return std::unique_ptr<Plugin>(
      std::make_unique<NodeResourcesFit>(args == nullptr ? NodeResourcesFitArgs() : *args, call,
                                         DeviceTotals::settings_of(call.gates, call.behaviours)));
}

}  // namespace libsched
