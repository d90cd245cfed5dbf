// NodeResourcesBalancedAllocation: prefers nodes whose resources are used more evenly with the pod
// than without it. Mirrors upstream's plugins/noderesources/balanced_allocation.go, which panics
// where a DeviceClass with selectors provides a listed resource: here its devices count as they do
// for NodeResourcesFit.
#include "libsched/plugins/in_tree.hpp"
#include "libsched/plugins/noderesources/device_totals.hpp"
#include "libsched/plugins/noderesources/pair_of_rows.hpp"
#include "libsched/plugins/noderesources/score_kernel.hpp"
#include "libsched/plugins/signature/signature.hpp"

namespace libsched {
namespace {

class BalancedAllocation final : public Plugin {
 public:
  BalancedAllocation(const std::vector<ResourceSpec>& resources, BalanceForm form,
                     bool scores_zero_pods, const PodAccounting& accounting,
                     const std::optional<DeviceTotals::Settings>& devices)
      : allocation_(resources, Allocation::Basis::kRequested, accounting),
        form_(form),
        scores_zero_pods_(scores_zero_pods),
        device_resources_(devices.has_value()),
        devices_(devices.value_or(DeviceTotals::Settings())) {}

  // A pod without requests for listed resources would always go to the most even node: Skip.
  Status pre_score(const PreScoreCall& call, std::shared_ptr<PluginData>* data) const override {
    std::shared_ptr<AllocationAsk> ask = allocation_.ask(call.pod);
    if (leaves_out(*ask)) return Status(Code::kSkip);
    if (device_resources_) allocation_.add_devices(call.view, devices_, ask.get());
    *data = std::move(ask);
    return {};
  }

  bool add_scores(const ScoreCall& call, const ScoreSet& set, uint32_t weight, int32_t* totals,
                  bool first) const override {
    if (call.data == nullptr || allocation_.empty() || !set.few.empty()) return false;
    const auto& ask = *static_cast<const AllocationAsk*>(call.data);
    const AllocationColumns columns = allocation_.columns(call.view.columns(), ask);
    AllocationInput in = input(call, set, columns);
    in.first = first;
    return add_balanced_allocation(in, weight, totals);
  }

  Scored score(const ScoreCall& call, const ScoreSet& set, int64_t* scores) const override {
    std::shared_ptr<AllocationAsk> own;
    const auto* ask = static_cast<const AllocationAsk*>(call.data);
    if (ask == nullptr) {  // without PreScore
      own = allocation_.ask(call.pod);
      if (leaves_out(*own)) return {true, 0};
      if (device_resources_) allocation_.add_devices(call.view, devices_, own.get());
      ask = own.get();
    }
    if (allocation_.empty()) {
      set.for_each([&](uint32_t row) { set.fail(row); });
      return {};
    }
    const Columns& all = call.view.columns();
    PairOfRows pair;
    if (!set.few.empty() && allocation_.pair(all, *ask, &pair) &&
        balanced_of_rows(pair, form_, all.memos(), set.few, scores))
      return {};
    const AllocationColumns columns = allocation_.columns(all, *ask);
    balanced_allocation(input(call, set, columns), scores);
    return {};
  }

  Status score_status(const ScoreCall&, uint32_t) const override {
    return Status(Code::kError, "resources not found");
  }

  Dependencies depends_on(const View& view, const Pod& pod) const override {
    if (leaves_out(*allocation_.ask(pod))) return {};
    Reads reads{.row = kAllocatableChanged | kPodsChanged};
    if (device_resources_ && asks_scalars(pod.occupied)) {
      reads.any = object_changed(StoredKind::kDeviceClass);
      if (allocation_.lists_devices(view, pod.occupied))
        return {{}, Dependencies::everything().score};
    }
    return {{}, reads};
  }

  bool signs() const override { return true; }
  Status sign(const View& view, const Pod& pod, std::vector<SignFragment>* out) const override {
    return sign_resources(view, pod, device_resources_, out);
  }

 private:
  bool leaves_out(const AllocationAsk& ask) const { return !scores_zero_pods_ && ask.nothing(); }
  AllocationInput input(const ScoreCall& call, const ScoreSet& set,
                        const AllocationColumns& columns) const {
    uint8_t* const balances = allocation_.cpu_and_memory() ? call.view.columns().memos() : nullptr;
    return {columns, set.bits, set.words, form_, set.few, balances};
  }

  Allocation allocation_;
  BalanceForm form_;
  bool scores_zero_pods_;  // see Behaviours
  bool device_resources_;  // gate DRAExtendedResource
  DeviceTotals devices_;
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_balanced_allocation(const FactoryCall& call) {
  const auto* args = call.args == nullptr
                         ? nullptr
                         : std::get_if<NodeResourcesBalancedAllocationArgs>(&call.args->value);
  return std::unique_ptr<Plugin>(std::make_unique<BalancedAllocation>(
      args == nullptr ? std::vector<ResourceSpec>() : args->resources,
      call.behaviours.absolute_balance ? BalanceForm::kAbsolute : BalanceForm::kRelative,
      call.behaviours.balance_scores_zero_pods, call.accounting(),
      DeviceTotals::settings_of(call.gates, call.behaviours)));
}

}  // namespace libsched
