// NodeName: a pod that names its node fits no other node.
// Mirrors upstream's plugins/nodename.
#include "libsched/base/quote.hpp"
#include "libsched/framework/facts.hpp"
#include "libsched/plugins/hints.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/plugins/signature/signature.hpp"

namespace libsched {
namespace {

class NodeName final : public Plugin {
 public:
  // A point of the plugin since 1.37: Filter then runs on the named node alone.
  Result<Status> pre_filter(const PreFilterCall& call, PreFilterResult* result) const override {
    if (const Str wanted = call.pod.spec.node_name; !wanted.empty())
      result->narrow({std::string(wanted)});
    return Status();
  }

  void filter(const FilterCall& call, const RowSet& set) const override {
    const Str wanted = call.pod.spec.node_name;
    if (wanted.empty()) return;
    const uint32_t row = call.view.find_node(wanted);
    const bool there =
        row != kNoId && row / 64 >= set.first_word && row / 64 < set.first_word + set.words;
    const uint64_t keep =
        there ? set.alive[row / 64 - set.first_word] & uint64_t{1} << (row % 64) : 0;
    set.reject_all();
    if (there) set.alive[row / 64 - set.first_word] = keep;
  }

  void filter_status(const FilterCall&, uint32_t, Status* out) const override {
    out->set(Code::kUnschedulableAndUnresolvable, "node(s) didn't match the requested node name");
  }

  uint64_t reason_key(const FilterCall&, uint32_t) const override { return 0; }

  void node_facts(const FilterCall& call, uint32_t, const Status& status,
                  Facts* facts) const override {
    const Str wanted = call.pod.spec.node_name;
    facts->add(status.reasons[0])
        .text("nodeName", wanted)
        .flag("exists", call.view.find_node(wanted) != kNoId);
  }

  Dependencies depends_on(const View&, const Pod& pod) const override {
    if (pod.spec.node_name.empty()) return {};
    return {.filter = {.row = kNodeChanged}, .score = {}};
  }

  bool signs() const override { return true; }
  Status sign(const View&, const Pod& pod, std::vector<SignFragment>* out) const override {
    out->push_back(sign_fragment(kSignNodeName, json_quote(pod.spec.node_name)));
    return {};
  }

  bool registers_events() const override { return true; }
  Result<std::vector<ClusterEventWithHint>> events_to_register() const override {
    return std::vector<ClusterEventWithHint>{always(kNodeEvents, kAdd)};
  }
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_node_name(const FactoryCall&) {
  return std::unique_ptr<Plugin>(std::make_unique<NodeName>());
}

}  // namespace libsched
