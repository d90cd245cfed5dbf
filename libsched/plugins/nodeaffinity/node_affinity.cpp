// NodeAffinity: nodeSelector, required node affinity, and the affinity that the profile adds.
// Mirrors upstream's plugins/nodeaffinity (PreFilter, Filter).
#include <array>

#include "libsched/cluster/node_match.hpp"
#include "libsched/plugins/in_tree.hpp"

namespace libsched {
namespace {

struct Compiled final : PluginData {
  NodeMatch added, pod;
  std::shared_ptr<PluginData> clone() const override { return std::make_shared<Compiled>(*this); }
};

class NodeAffinityPlugin final : public Plugin {
 public:
  explicit NodeAffinityPlugin(const NodeAffinity& added) : added_(added) {}

  Result<Status> pre_filter(const PreFilterCall& call, PreFilterResult* result) const override {
    const PodSpec& spec = call.pod.spec;
    const NodeSelector& required = spec.node_affinity.required;
    if (!required.present && !added_.required.present && !spec.node_selector_present)
      return Status(Code::kSkip);
    if (!required.present || required.terms.empty()) return Status();
    std::vector<std::string> names;
    for (const NodeSelectorTerm& term : required.terms) {
      PreFilterResult of_term;
      for (const Requirement& r : term.match_fields)
        if (r.key == "metadata.name" && r.op == SelectorOp::kIn)
          of_term.narrow({r.values.begin(), r.values.end()});
      if (of_term.all_nodes) return Status();  // terms are ORed: this one allows every node
      names.insert(names.end(), of_term.nodes.begin(), of_term.nodes.end());
    }
    if (names.empty())
      return Status(Code::kUnschedulableAndUnresolvable, "pod affinity terms conflict");
    result->narrow(std::move(names));
    return Status();
  }

  std::shared_ptr<PluginData> prepare(const View& view, const Pod& pod) const override {
    auto data = std::make_shared<Compiled>();
    data->ids_epoch = view.ids_epoch();
    data->added = NodeMatch(view, {}, added_.required);
    data->pod = NodeMatch(view, pod.spec.node_selector, pod.spec.node_affinity.required);
    return data;
  }

  void filter(const FilterCall& call, const RowSet& set) const override {
    const Compiled& c = static_cast<const Compiled&>(*call.data);
    if (set.single()) {
      set.for_each([&](uint32_t row) {
        if (!c.added.matches(call.view, row) || !c.pod.matches(call.view, row)) set.reject(row);
      });
      return;
    }
    constexpr size_t kBlock = 64;
    std::array<uint64_t, kBlock> match;
    for (size_t done = 0; done < set.words; done += kBlock) {
      const size_t n = std::min(kBlock, set.words - done);
      for (const NodeMatch* m : {&c.added, &c.pod}) {
        m->rows(call.view, set.first_word + done, n, match.data());
        for (size_t i = 0; i < n; ++i) set.alive[done + i] &= match[i];
      }
    }
  }

  Status filter_status(const FilterCall& call, uint32_t row) const override {
    const bool enforced = !static_cast<const Compiled&>(*call.data).added.matches(call.view, row);
    return Status(Code::kUnschedulableAndUnresolvable,
                  enforced ? "node(s) didn't match scheduler-enforced node affinity"
                           : "node(s) didn't match Pod's node affinity/selector");
  }

 private:
  NodeAffinity added_;  // lives in the configuration, which the framework keeps
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_node_affinity(const FactoryCall& call) {
  const auto* args =
      call.args == nullptr ? nullptr : std::get_if<NodeAffinityArgs>(&call.args->value);
  return std::unique_ptr<Plugin>(std::make_unique<NodeAffinityPlugin>(
      args == nullptr ? NodeAffinity() : args->added_affinity));
}

}  // namespace libsched
