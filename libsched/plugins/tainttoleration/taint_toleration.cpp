// TaintToleration: rejects nodes with a NoSchedule or NoExecute taint that the pod does not
// tolerate. Mirrors upstream's plugins/tainttoleration (Filter). Judged once per distinct list of
// taints.
#include "libsched/plugins/in_tree.hpp"

namespace libsched {
namespace {

// The taint sets that the pod does not tolerate.
struct Untolerated final : PluginData {
  std::vector<uint32_t> sets;
  std::shared_ptr<PluginData> clone() const override {
    return std::make_shared<Untolerated>(*this);
  }
};

class TaintToleration final : public Plugin {
 public:
  explicit TaintToleration(bool comparison_operators)
      : comparison_operators_(comparison_operators) {}

  std::shared_ptr<PluginData> prepare(const View& view, const Pod& pod) const override {
    auto data = std::make_shared<Untolerated>();
    data->ids_epoch = view.ids_epoch();
    const auto& sets = view.taint_sets().sets();
    for (uint32_t id = 0; id < sets.size(); ++id)
      if (!tolerated(pod, sets[id].taints)) data->sets.push_back(id);
    return data;
  }

  void filter(const FilterCall& call, const RowSet& set) const override {
    const auto& sets = call.view.taint_sets().sets();
    const auto& untolerated = static_cast<const Untolerated&>(*call.data).sets;
    if (set.single()) {
      // One word: asking the rows is cheaper than walking the sets.
      if (untolerated.empty()) return;
      set.for_each([&](uint32_t row) {
        const uint32_t id = call.view.row(row).taint_set;
        if (id != kNoId && std::binary_search(untolerated.begin(), untolerated.end(), id))
          set.reject(row);
      });
      return;
    }
    for (const uint32_t id : untolerated)
      sets[id].rows.and_not_into(set.first_word, set.words, set.alive);
  }

  Status filter_status(const FilterCall&, uint32_t) const override {
    return Status(Code::kUnschedulableAndUnresolvable, "node(s) had untolerated taint(s)");
  }

 private:
  bool tolerated(const Pod& pod, Span<Taint> taints) const {
    for (const Taint& t : taints) {
      if (t.effect != TaintEffect::kNoSchedule && t.effect != TaintEffect::kNoExecute) continue;
      const bool ok = std::any_of(pod.spec.tolerations.begin(), pod.spec.tolerations.end(),
                                  [&](const Toleration& toleration) {
                                    return tolerates(toleration, t.key, t.value, t.effect,
                                                     t.effect_text, comparison_operators_);
                                  });
      if (!ok) return false;
    }
    return true;
  }

  bool comparison_operators_;
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_taint_toleration(const FactoryCall& call) {
  return std::unique_ptr<Plugin>(std::make_unique<TaintToleration>(
      call.gates.enabled(Gate::kTaintTolerationComparisonOperators)));
}

}  // namespace libsched
