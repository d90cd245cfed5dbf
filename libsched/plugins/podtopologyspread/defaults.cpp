// The selector of default constraints, deduced from services and the pod's controller as upstream's
// helper.DefaultSelector does.
#include <algorithm>
#include <map>

#include "libsched/plugins/podtopologyspread/constraints.hpp"

namespace libsched {
namespace {

bool matches_all(Labels wanted, Labels labels) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const Label& w) {
    const Label* l = find_label(labels, w.key);
    return l != nullptr && l->value == w.value;
  });
}

// The pod's controller, if it is of one of the three kinds and exists.
const Controller* controller_of(const View& view, const Pod& pod) {
  const auto& owners = pod.meta.owners;
  const auto owner = std::find_if(owners.begin(), owners.end(),
                                  [](const OwnerReference& o) { return o.controller; });
  if (owner == owners.end()) return nullptr;
  struct Known {
    Str api_version, kind;
    StoredKind stored;
  };
  static constexpr Known kKnown[] = {
      {"v1", "ReplicationController", StoredKind::kReplicationController},
      {"apps/v1", "ReplicaSet", StoredKind::kReplicaSet},
      {"apps/v1", "StatefulSet", StoredKind::kStatefulSet},
  };
  for (const Known& k : kKnown)
    if (owner->api_version == k.api_version && owner->kind == k.kind)
      return view.objects().find_controller(k.stored, pod.meta.ns, owner->name);
  return nullptr;
}

}  // namespace

SpreadSelector default_selector(const View& view, const Pod& pod) {
  std::map<Str, const Label*> labels;
  view.objects().for_each_in<Service>(pod.meta.ns, [&](const Service& s) {
    if (!s.selector_present || !matches_all(s.selector, pod.meta.labels)) return;
    for (const Label& l : s.selector) labels[l.key] = &l;
  });
  const Controller* controller = controller_of(view, pod);
  const bool map_selector =
      controller != nullptr && controller->kind == StoredKind::kReplicationController;
  if (map_selector)
    for (const Label& l : controller->selector.match_labels) labels[l.key] = &l;
  CountKey::Term term;
  for (const auto& [key, label] : labels) term.add(*label);
  // Upstream ignores a selector that is absent or does not parse.
  if (controller != nullptr && !map_selector && controller->selector.present &&
      label_selector_error(controller->selector).empty())
    term.add(controller->selector);
  return {false, std::move(term.requirements)};
}

}  // namespace libsched
