// NodeUnschedulable: a cordoned node takes only pods that tolerate its taint.
// Mirrors upstream's plugins/nodeunschedulable.
#include <algorithm>

#include "libsched/plugins/in_tree.hpp"
#include "libsched/plugins/signature/signature.hpp"

namespace libsched {
namespace {

class NodeUnschedulable final : public Plugin {
 public:
  explicit NodeUnschedulable(bool comparison_operators)
      : comparison_operators_(comparison_operators) {}

  void filter(const FilterCall& call, const RowSet& set) const override {
    const Bitmap& cordoned = call.view.unschedulable();
    if (set.first_word >= cordoned.word_count()) return;
    const uint64_t* bits = cordoned.data() + set.first_word;
    const size_t words = std::min(set.words, cordoned.word_count() - set.first_word);
    uint64_t any = 0;
    for (size_t w = 0; w < words; ++w) any |= bits[w] & set.alive[w];
    if (any == 0) return;
    for (const Toleration& t : call.pod.spec.tolerations)
      if (tolerates(t, "node.kubernetes.io/unschedulable", "", TaintEffect::kNoSchedule,
                    "NoSchedule", comparison_operators_))
        return;
    for (size_t w = 0; w < words; ++w) set.alive[w] &= ~bits[w];
  }

  Status filter_status(const FilterCall&, uint32_t) const override {
    return Status(Code::kUnschedulableAndUnresolvable, "node(s) were unschedulable");
  }

  bool signs() const override { return true; }
  Status sign(const View&, const Pod& pod, std::vector<SignFragment>* out) const override {
    out->push_back(sign_fragment(kSignTolerations, signed_tolerations(pod)));
    return {};
  }

 private:
  bool comparison_operators_;
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_node_unschedulable(const FactoryCall& call) {
  return std::unique_ptr<Plugin>(std::make_unique<NodeUnschedulable>(
      call.gates.enabled(Gate::kTaintTolerationComparisonOperators)));
}

}  // namespace libsched
