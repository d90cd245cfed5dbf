// NodePorts: a host port that the pod wants must be free on the node.
// Mirrors upstream's plugins/nodeports.
#include <algorithm>

#include "libsched/framework/facts.hpp"
#include "libsched/plugins/hints.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/plugins/nodeports/wanted_ports.hpp"
#include "libsched/plugins/signature/signature.hpp"

namespace libsched {
namespace {

class NodePorts final : public Plugin {
 public:
  NodePorts(const PodAccounting& accounting, const Behaviours& b)
      : accounting_(accounting), pod_events_(b) {}

  bool passes_deferred_resizes() const override { return true; }

  Result<Status> pre_filter(const PreFilterCall& call, PreFilterResult*) const override {
    return counted(call.pod)->host_ports.empty() ? Status(Code::kSkip) : Status();
  }

  void filter(const FilterCall& call, const RowSet& set) const override {
    if (!call.pre_filtered) {
      set.for_each([&](uint32_t row) { set.reject_with_error(row); });
      return;
    }
    const AccountedPod own = counted(call.pod);
    const WantedPorts wanted(own->host_ports);
    if (call.single != nullptr) {
      if (!free(call.single->ports(), wanted)) set.reject_all();
      return;
    }
    const Bitmap& used = call.view.rows_with_ports();
    size_t step = 0;
    bool stop = false;
    for (size_t w = 0; w < set.words; ++w)
      for_each_bit(set.alive[w] & used.word(set.first_word + w), (set.first_word + w) * 64,
                   [&](size_t r) {
                     if (stop || (stop = call.exceeded(step++))) return;
                     const auto row = static_cast<uint32_t>(r);
                     if (!free(call.view.row(row).ports, wanted)) set.reject(row);
                   });
  }

  void filter_status(const FilterCall& call, uint32_t, Status* out) const override {
    if (!call.pre_filtered)
      return out->set(Code::kError, "reading \"PreFilterNodePorts\" from cycleState: not found");
    out->set(Code::kUnschedulable, "node(s) didn't have free ports for the requested pod ports");
  }

  uint64_t reason_key(const FilterCall&, uint32_t) const override { return 0; }

  // One for each pair of ports in conflict.
  void node_facts(const FilterCall& call, uint32_t row, const Status& status,
                  Facts* facts) const override {
    const NodeView node = call.node(row);
    const AccountedPod own = counted(call.pod);
    for (const HostPort& port : own->host_ports) {
      const WantedPorts wanted({&port, 1});
      for (const UsedPorts::Port& used : node.ports())
        if (wanted.conflict_with(used.port))
          facts->add(status.reasons[0])
              .number("port", port.port)
              .text("protocol", port.protocol)
              .text("hostIP", port.ip)
              .text("usedIP", used.port.ip)
              .pod(used.owner->meta);
    }
  }

  Dependencies depends_on(const View&, const Pod& pod) const override {
    if (counted(pod)->host_ports.empty()) return {};
    return {.filter = {.row = kPodsChanged}, .score = {}};
  }

  bool signs() const override { return true; }
  Status sign(const View&, const Pod& pod, std::vector<SignFragment>* out) const override {
    out->push_back(sign_fragment(kSignHostPorts, signed_host_ports(pod)));
    return {};
  }

  bool registers_events() const override { return true; }
  Result<std::vector<ClusterEventWithHint>> events_to_register() const override {
    return std::vector<ClusterEventWithHint>{hinted(pod_events_.assigned(), kDelete),
                                             always(kNodeEvents, kAdd)};
  }
  // A deleted pod may have held a port that this pod wants.
  Result<QueueingHint> hint(size_t, const View&, const Pod& pod,
                            const ObjectChange& change) const override {
    const Pod* gone = object_of<Pod>(change.before);
    if (gone == nullptr) return no_object(change);
    if (!has_node(*gone)) return QueueingHint::kQueueSkip;
    const AccountedPod own = counted(pod), other = counted(*gone);
    const WantedPorts wanted(own->host_ports);
    return queue_if(std::any_of(other->host_ports.begin(), other->host_ports.end(),
                                [&](const HostPort& p) { return wanted.conflict_with(p); }));
  }

 private:
  AccountedPod counted(const Pod& pod) const { return {pod, accounting_}; }
  static bool free(const UsedPorts& used, const WantedPorts& wanted) {
    return std::none_of(used.begin(), used.end(),
                        [&](const UsedPorts::Port& u) { return wanted.conflict_with(u.port); });
  }

  PodAccounting accounting_;
  PodEvents pod_events_;
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_node_ports(const FactoryCall& call) {
  return std::unique_ptr<Plugin>(std::make_unique<NodePorts>(call.accounting(), call.behaviours));
}

}  // namespace libsched
