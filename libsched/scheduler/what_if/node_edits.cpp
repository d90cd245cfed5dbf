// See node_edits.hpp.
#include "libsched/scheduler/what_if/node_edits.hpp"

#include <algorithm>
#include <optional>

#include "libsched/base/quote.hpp"
#include "libsched/scheduler/changed_node.hpp"
#include "libsched/scheduler/control_plane/claims.hpp"
#include "libsched/scheduler/control_plane/node_lifecycle.hpp"
#include "libsched/scheduler/instance.hpp"
#include "libsched/scheduler/what_if/change_node.hpp"
#include "libsched/scheduler/what_if/chosen_nodes.hpp"
#include "libsched/scheduler/what_if/node_objects.hpp"

namespace libsched {
namespace {

bool comes_with_node(const Pod& pod) {
  if (pod.terminated() || pod.meta.terminating()) return false;
  return pod.mirror || std::ranges::any_of(pod.meta.owners, [](const OwnerReference& o) {
           return o.controller && o.kind == "DaemonSet";
         });
}

// The pod as if it had never had a node. It keeps its uid, by which it owns claims.
PodRef without_node(const Pod& pod) {
  const Ref<Pod> made = new_instance(pod, pod.meta.name);
  made->meta.uid = made->arena.copy(pod.meta.uid);
  made->meta.created = pod.meta.created;
  return made;
}

}  // namespace

Result<void> NodeEditor::apply(const Edit& edit) {
  const Result<std::vector<std::string>> names = chosen_nodes(view(), edit.name);
  if (!names.ok()) return names.error();
  switch (edit.verb) {
    case EditVerb::kAddNode:
      if (edit.count > kMostCopies / names->size())
        return wrong_edit("asks for " + std::to_string(edit.count) + " copies of each of " +
                          std::to_string(names->size()) + " nodes, together more than " +
                          std::to_string(kMostCopies));
      for (const std::string& name : *names) LIBSCHED_TRY(add_nodes(name, edit.count));
      return {};
    case EditVerb::kRemoveNode:
      for (const std::string& name : *names) LIBSCHED_TRY(remove_node(name));
      return {};
    case EditVerb::kCordon: return replace(*names, {}, cordoned);
    case EditVerb::kUncordon: return replace(*names, {}, uncordoned);
    case EditVerb::kTaint: return taint(*names, edit);
    case EditVerb::kLabel: return label(*names, edit);
    case EditVerb::kScale:
    case EditVerb::kSet: break;
  }
  return {};
}

const Node& NodeEditor::node(const std::string& name) const {
  return *view().node(view().find_node(name));
}

Result<void> NodeEditor::add_nodes(const std::string& of, size_t count) {
  const uint32_t row = view().find_node(of);
  std::vector<std::string> left_out;
  const NodeRef like = as_joining(node(of), &left_out);
  if (!left_out.empty() && count != 0) {
    std::string note = "the copies of " + of + " are taken to be healthy; they are without its ";
    for (const std::string& what : left_out) note += (&what == left_out.data() ? "" : ", ") + what;
    notes_.push_back(std::move(note));
  }
  std::vector<PodRef> with_it;
  for (const uint32_t slot : view().row(row).pods)
    if (const PodRef& pod = view().slot(slot).pod; comes_with_node(*pod)) with_it.push_back(pod);
  size_t number = 0;
  for (size_t i = 0; i < count; ++i) {
    std::string name;
    do name = of + "-" + std::to_string(number++);
    while (view().find_row(name) != kNoId);
    const Ref<Node> copy = copy_node(*like, name, {});
    const NodeRef made = copy->raw.empty() ? NodeRef(copy) : finished_node(copy);
    const Node* const nodes[] = {made.get()};
    LIBSCHED_TRY(cluster_.add_nodes(nodes, 1));
    LIBSCHED_TRY(copy_node_objects(cluster_, of, name));
    for (const PodRef& pod : with_it) LIBSCHED_TRY(add_pod_of_node(*pod, name));
  }
  return {};
}

Result<void> NodeEditor::add_pod_of_node(const Pod& pod, const std::string& node) {
  const std::string wanted = std::string(pod.meta.name) + "-" + node;
  std::string name = wanted;
  for (size_t n = 0; name_taken(pod.meta.ns, name); ++n) name = wanted + "-" + std::to_string(n);
  const Ref<Pod> made = new_instance(pod, name);
  made->raw = {};
  const Pod* const pods[] = {made.get()};
  const Str nodes[] = {node};
  return cluster_.add_pods(pods, nodes, 1);
}

bool NodeEditor::name_taken(Str ns, Str name) const {
  return view().find_pod(ns, name) != kNoId || view().nominated().find(ns, name) != nullptr ||
         std::ranges::any_of(asked_, [&](const AskedPod& a) {
           return a.kind.empty() && a.pod->meta.ns == ns && a.pod->meta.name == name;
         });
}

Result<void> NodeEditor::remove_node(const std::string& name) {
  const Result<size_t> gone = take_pods(name, [](const Pod&) { return true; });
  if (!gone.ok()) return gone.error();
  LIBSCHED_TRY(remove_node_slices(cluster_, name));
  return cluster_.remove_node(name);
}

template <typename Leaves>
Result<size_t> NodeEditor::take_pods(const std::string& name, Leaves&& leaves) {
  std::vector<PodRef> pods;
  for (const uint32_t slot : view().row(view().find_node(name)).pods)
    if (const PodRef& pod = view().slot(slot).pod; leaves(*pod)) pods.push_back(pod);
  for (const PodRef& pod : pods) {
    LIBSCHED_TRY(cluster_.remove_pod(pod->meta.ns, pod->meta.name));
    LIBSCHED_TRY(release_claims(cluster_, *pod));
  }
  for (AskedPod& a : asked_)
    if (a.kind.empty() && a.pod->spec.node_name == name && leaves(*a.pod))
      a.pod = without_node(*a.pod);
  return pods.size();
}

template <typename Change>
Result<void> NodeEditor::replace(const std::vector<std::string>& names, const std::string& what,
                                 Change&& change) {
  bool any = false;
  for (const std::string& name : names) {
    const NodeRef changed = change(node(name));
    if (!changed) continue;
    any = true;
    if (changed.get() != &node(name)) LIBSCHED_TRY(cluster_.update_node(changed));
  }
  if (any) return {};
  return Error{Rc::kNotFound,
               (names.size() == 1 ? names.front() + " has"
                                  : "none of the " + std::to_string(names.size()) + " nodes has") +
                   (names.size() == 1 ? " no " : " the ") + what + " to take away"};
}

Result<void> NodeEditor::taint(const std::vector<std::string>& names, const Edit& edit) {
  const Result<Taint> taint = parse_taint(edit.field, edit.remove);
  if (!taint.ok()) return taint.error();
  if (edit.remove)
    return replace(names, "taint " + edit.field,
                   [&](const Node& node) { return without_taint(node, *taint); });
  LIBSCHED_TRY(replace(names, {}, [&](const Node& node) { return with_taint(node, *taint); }));
  size_t evicted = 0;
  for (const std::string& name : names) {
    const Result<size_t> gone =
        take_pods(name, [&](const Pod& pod) { return evicted_by(*taint, pod); });
    if (!gone.ok()) return gone.error();
    evicted += *gone;
  }
  if (evicted != 0)
    notes_.push_back("the taint " + edit.field + " evicts pods that do not tolerate it for good: " +
                     std::to_string(evicted) + (evicted == 1 ? " pod" : " pods"));
  return {};
}

Result<void> NodeEditor::label(const std::vector<std::string>& names, const Edit& edit) {
  const std::optional<Str> value = edit.remove ? std::nullopt : std::optional<Str>(edit.value);
  LIBSCHED_TRY(check_label(edit.field, value));
  return replace(names, "label " + edit.field,
                 [&](const Node& node) { return with_label(node, edit.field, value); });
}

}  // namespace libsched
