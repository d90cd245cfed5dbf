// TopologyPlacementGenerator: the placements of a PodGroup with a topology constraint are the
// domains of its key. Mirrors upstream's plugins/topologyaware.
#include <map>

#include "libsched/base/quote.hpp"
#include "libsched/framework/pod_groups.hpp"
#include "libsched/plugins/in_tree.hpp"

namespace libsched {
namespace {

class TopologyPlacement final : public Plugin {
 public:
  Status generate_placements(const GroupCall& call, const GroupPlacement& parent,
                             std::vector<GroupPlacement>* out) const override {
    const Str key = call.group.topology_key;
    if (key.empty()) {
      out->push_back(parent);
      return {};
    }
    if (Status s = call.depth_status(); !s.success()) return s;
    const TopologyRef column = call.view.tables().topology(call.view, key);
    std::optional<Str> only;  // where pods of the group are already
    if (Status s = find_domain(call, *column, &only); !s.success()) return s;
    // Upstream's order is that of a map; here they are tried by name.
    std::map<Str, std::vector<uint32_t>> domains;
    for (const uint32_t row : parent.rows)
      if (const std::optional<Str> domain = domain_of(call.view, *column, row);
          domain && (!only || *only == *domain))
        domains[*domain].push_back(row);
    for (auto& [name, rows] : domains) out->push_back({std::string(name), std::move(rows)});
    return {};
  }

 private:
  static std::optional<Str> domain_of(const View& view, const TopologyColumn& column,
                                      uint32_t row) {
    const int32_t domain = column.domain[row];
    if (domain == TopologyColumn::kNone) return std::nullopt;
    return view.labels().pair(column.domains[static_cast<size_t>(domain)].pair).value;
  }

  static Status find_domain(const GroupCall& call, const TopologyColumn& column,
                            std::optional<Str>* out) {
    const View& view = call.view;
    const std::string error = "cannot determine domain for already scheduled pods: ";
    for (const PodGroup* const group : call.groups)
      for (const View::Slot* const slot :
           PodGroups::placed(view, group->meta.ns, group->meta.name)) {
        const std::string pod =
            std::string(group->meta.ns) + "/" + std::string(slot->pod->meta.name);
        if (view.node(slot->row) == nullptr)
          return Status::from_error(error + "getting node for pod " + pod +
                                    ": nodeinfo not found for node name " +
                                    go_quote(view.row(slot->row).name));
        const std::optional<Str> domain = domain_of(view, column, slot->row);
        if (!domain) return Status::from_error(error + "no topology domain found for pod " + pod);
        if (*out && **out != *domain)
          return Status::from_error(error + "more than 1 domain found for pod group: " +
                                    std::string(**out) + ", " + std::string(*domain));
        *out = domain;
      }
    return {};
  }
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_topology_placement(const FactoryCall&) {
  return std::unique_ptr<Plugin>(std::make_unique<TopologyPlacement>());
}

}  // namespace libsched
