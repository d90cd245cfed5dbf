// Sim: changes, ids and forks.
#include "libsched/scheduler/sim/sim.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "libsched/cluster/change_errors.hpp"
#include "libsched/scheduler/control_plane/claims.hpp"
#include "libsched/scheduler/sim/change.hpp"
#include "libsched/scheduler/sim/errors.hpp"

namespace libsched {
namespace {

// Whether DynamicResources may have allocated devices for the pod's extended resources.
bool asks_device_resource(const View& view, const Pod& pod) {
  const auto& scalars = pod.requests.scalars;
  return std::any_of(scalars.begin(), scalars.end(), [&](const ScalarAmount& s) {
    return s.value != 0 && view.objects().device_class_of(s.name) != nullptr;
  });
}

}  // namespace

Result<Ref<Sim>> Sim::create(FrameworkRef framework, Ref<Catalog> catalog) {
  constexpr size_t kMaxPlugins = 254;  // numbers of check_many()
  if (framework->plugins().size() > kMaxPlugins)
    return Error{Rc::kLimit, "a simulated cluster takes a profile of 254 plugins at most"};
  if (!framework->extenders().empty())
    return Error{Rc::kUnsupported, "a simulated cluster asks no extender; the profile has " +
                                       framework->extenders()[0]->traits().name};
  return Ref<Sim>::adopt(new Sim(std::move(framework), std::move(catalog)));
}

Sim::Sim(FrameworkRef framework, Ref<Catalog> catalog)
    : catalog_(std::move(catalog)),
      cluster_(make_ref<Cluster>(NodeOrder::kInsertion)),
      evaluator_(make_ref<Evaluator>(std::move(framework), cluster_)) {
  // While there are no pods: later they might get other slots.
  static_cast<void>(cluster_->account_as(evaluator_->framework().accounting()));
  // Deadlines are the machine's, whatever time it is for plugins.
  const Ref<Services> services =
      make_ref<Services>(Ref<Clock>(), Ref<ApiClient>(), make_ref<SystemClock>());
  static_cast<void>(evaluator_->use(services));
}

// --- steps ---

Result<Ref<const NodeContent>> Sim::node_content(uint64_t ref) const {
  Ref<const NodeContent> content = catalog_->nodes().get(ref);
  if (content) return content;
  return stale_node_ref();
}

Result<uint32_t> Sim::put_node(const Ref<const NodeContent>& like, uint64_t ref, Str name) {
  if (name.empty()) return Error{Rc::kInvalid, "a node needs a name"};
  const Ref<Node> node = copy_node(*like->node, name, {});
  node->origin = like->node;  // owns what the copy borrows, and marks the content as in use
  reserve_more(undo_, 1);
  reserve_more(order_, 1);
  const Result<uint32_t> row = cluster_->add_node(node);
  if (!row.ok()) return row;
  if (nodes_.size() <= *row) {
    const size_t size = std::max<size_t>(64, *row + *row / 2 + 1);
    positions_.resize(size);
    nodes_.resize(size);
  }
  undo_.push_back({Kind::kNodeAdded, *row});
  nodes_[*row] = {next_generation_++, ref};
  if (next_generation_ == 0) next_generation_ = 1;
  positions_[*row] = static_cast<uint32_t>(order_.size());
  order_.push_back(*row);
  return row;
}

Result<void> Sim::change_node(uint32_t row, const Ref<const NodeContent>& like, uint64_t ref) {
  const Ref<Node> node = copy_node(*like->node, view().row(row).name, {});
  node->origin = like->node;
  reserve_more(undo_, 1);
  LIBSCHED_TRY(cluster_->replace_node(row, node));
  undo_.push_back({Kind::kNodeReplaced, row, 0, 0, nodes_[row].ref});
  nodes_[row].ref = ref;
  return {};
}

Result<void> Sim::drop_node(uint32_t row) {
  while (!view().row(row).pods.empty()) LIBSCHED_TRY(drop_pod(view().row(row).pods.back()));
  reserve_more(undo_, 1);
  const size_t at = place_of(row);
  LIBSCHED_TRY(cluster_->remove_node(row));
  NodeEntry& entry = nodes_[row];
  undo_.push_back(
      {Kind::kNodeRemoved, row, entry.generation, static_cast<uint32_t>(at), entry.ref});
  entry = {};
  positions_hold_ = positions_hold_ && at + 1 == order_.size();
  order_.erase(order_.begin() + static_cast<ptrdiff_t>(at));
  return {};
}

Result<uint32_t> Sim::put_pod(const PodRef& pod, uint64_t ref, uint32_t row) {
  reserve_more(undo_, 1);
  const Result<uint32_t> slot = cluster_->place_pod(pod, row);
  if (!slot.ok()) return slot;
  if (pods_.size() <= *slot) pods_.resize(std::max<size_t>(64, *slot + *slot / 2 + 1));
  undo_.push_back({Kind::kPodsAdded, *slot, 0, 1});
  pods_[*slot] = {next_generation_++, 0, ref};
  if (next_generation_ == 0) next_generation_ = 1;
  return slot;
}

// As the Cluster Autoscaler: Reserve runs for pods that get devices alone.
Result<uint32_t> Sim::place_pod(Known* known, uint32_t row) {
  const PodRef& pod = known->content->pod;
  known->state->release_shared();
  if (known->concerns == kAllChanges) known->version = 0;  // its data may have been released
  const PodRef otherwise = evaluator_->assumed_otherwise(*known->state, *pod, row);
  const Result<uint32_t> slot = put_pod(otherwise ? otherwise : pod, known->ref, row);
  const bool extended = slot.ok() && asks_device_resource(view(), *pod);
  if (!slot.ok() || (pod->spec.resource_claims.empty() && !extended)) return slot;
  if (leaves_out_ && !framework().has_to_reserve(known->state->entries())) return slot;
  evaluator_->forget_filters(known->class_number());  // what was prepared is used up
  known->version = 0;
  const Result<Status> reserved =
      evaluator_->run_reserve(*known->state, *pod, view().row(row).name);
  if (!reserved.ok()) return reserved.error();
  if (!reserved->success())
    return Error{Rc::kPlugin, reserved->message(), {}, std::string(reserved->plugin)};
  if (extended) LIBSCHED_TRY(rename_extended_claim(*pod, *slot));
  return slot;
}

// Reserve names the claim of a pod's extended resources after the pod, but most pods have no names
// here, and any number of them are equal: the claim gets the name of the pod's place.
std::string Sim::extended_claim_name(uint32_t slot) const {
  return assumed_extended_name("#" + std::to_string(pod_id(slot)));
}

Result<void> Sim::rename_extended_claim(const Pod& pod, uint32_t slot) {
  const std::string made = assumed_extended_name(pod.meta.name);
  const auto* const claim = view().objects().find<ResourceClaim>(pod.meta.ns, made);
  if (claim == nullptr) return {};  // the node itself has what the pod asks for
  const Ref<ResourceClaim> copy = copy_resource_claim(*claim);
  const Str uid = copy->meta.uid;
  name_claim(*copy, extended_claim_name(slot));
  copy->meta.uid = uid;
  LIBSCHED_TRY(cluster_->restore_object(StoredKind::kResourceClaim, pod.meta.ns, made));
  return cluster_->assume_object(StoredKind::kResourceClaim, ObjectRef(copy));
}

template <typename RowOf>
Result<void> Sim::put_pods(Span<uint64_t> refs, uint64_t* ids, RowOf row_of) {
  constexpr size_t kPiece = 4096;
  const size_t n = refs.size();
  for (size_t i = 0; i < n; ++i) {
    if (find_known(refs[i]) != nullptr) [[likely]]
      continue;
    if (const Result<Known*> known = know(refs[i]); !known.ok())
      return at_index("pods", i, known.error());
  }
  const size_t mark = undo_.size(), most = view().pod_count() + n;
  reserve_more(undo_, n);
  if (most > pods_.size()) reserve_more(pods_, most - pods_.size());
  uint32_t generation = next_generation_;
  for (size_t begin = 0; begin < n; begin += kPiece) {
    const size_t size = std::min(kPiece, n - begin);
    pods_put_.resize(size);
    rows_put_.resize(size);
    slots_put_.resize(size);
    for (size_t i = 0; i < size; ++i) {
      pods_put_[i] = &known_[index_of(refs[begin + i])]->pod();
      rows_put_[i] = row_of(begin + i);
    }
    LIBSCHED_TRY(cluster_->place_pods(pods_put_, rows_put_.data(), slots_put_.data()));
    if (pods_.size() < view().slot_count()) pods_.resize(view().slot_count());
    for (size_t i = 0; i < size; ++i) {
      const uint32_t slot = slots_put_[i];
      if (undo_.size() > mark && undo_.back().index + undo_.back().number == slot)
        ++undo_.back().number;
      else
        undo_.push_back({Kind::kPodsAdded, slot, 0, 1});
      pods_[slot] = {next_generation_++, 0, refs[begin + i]};
      if (next_generation_ == 0) next_generation_ = 1;
    }
  }
  for (size_t i = mark; ids != nullptr && i < undo_.size(); ++i)
    for (uint32_t k = 0; k < undo_[i].number; ++k) {
      *ids++ = make_id(undo_[i].index + k, generation++);
      if (generation == 0) generation = 1;
    }
  return {};
}

Result<void> Sim::drop_pod(uint32_t slot) {
  reserve_more(undo_, 1);
  // The class may be gone by now, but not the claim.
  const Pod& pod = *view().slot(slot).pod;
  if (!pod.requests.scalars.empty() && view().objects().count(StoredKind::kResourceClaim) != 0)
    LIBSCHED_TRY(cluster_->restore_object(StoredKind::kResourceClaim, pod.meta.ns,
                                          extended_claim_name(slot)));
  LIBSCHED_TRY(cluster_->take_pod(slot));
  undo_.push_back({Kind::kPodRemoved, slot, pods_[slot].generation, 0, pods_[slot].ref});
  pods_[slot] = {};
  return {};
}

void Sim::undo_to(size_t mark) noexcept {
  while (undo_.size() > mark) {
    const Undo& u = undo_.back();
    switch (u.kind) {
      case Kind::kNodeAdded:
        nodes_[u.index] = {};
        order_.pop_back();
        break;
      case Kind::kNodeRemoved:
        nodes_[u.index] = {u.generation, u.ref};
        positions_hold_ = positions_hold_ && u.number == order_.size();
        positions_[u.index] = u.number;
        order_.insert(order_.begin() + u.number, u.index);  // there was room for it before
        break;
      case Kind::kNodeReplaced: nodes_[u.index].ref = u.ref; break;
      case Kind::kPodsAdded: std::fill_n(pods_.begin() + u.index, u.number, PodEntry()); break;
      case Kind::kPodRemoved: pods_[u.index] = {u.generation, 0, u.ref}; break;
    }
    undo_.pop_back();
  }
}

size_t Sim::place_of(uint32_t row) const {
  if (!positions_hold_) {
    for (size_t i = 0; i < order_.size(); ++i) positions_[order_[i]] = static_cast<uint32_t>(i);
    positions_hold_ = true;
  }
  return positions_[row];
}

size_t Sim::position(uint64_t id) const { return has_node(id) ? place_of(index_of(id)) : SIZE_MAX; }

// --- changes ---

Result<void> Sim::reset(const Reset& to) {
  for (size_t i = 0; i < to.pods.size(); ++i)
    if (to.on_node[i] >= to.nodes.size())
      return at_index("on_node", i, {Rc::kInvalid, "there is no node of this index"});
  if (ForeignCall::depth() == 0) forget_unasked();  // else a plugin is asked
  std::vector<uint32_t> rows(to.nodes.size());
  {
    Change change(this);
    reserve_more(undo_, order_.size() + view().pod_count() + to.nodes.size() + to.pods.size());
    while (!order_.empty()) LIBSCHED_TRY(drop_node(order_.back()));
    if (to.objects != nullptr) LIBSCHED_TRY(put_objects(*to.objects));
    uint64_t ref = 0;
    Ref<const NodeContent> like;
    for (size_t i = 0; i < to.nodes.size(); ++i) {
      if (!like || to.nodes[i] != ref) {
        Result<Ref<const NodeContent>> found = node_content(to.nodes[i]);
        if (!found.ok()) return at_index("nodes", i, std::move(found.error()));
        like = std::move(*found);
        ref = to.nodes[i];
      }
      const Result<uint32_t> row = put_node(like, ref, to.names[i]);
      if (!row.ok()) return at_index("names", i, row.error());
      rows[i] = *row;
    }
    LIBSCHED_TRY(put_pods(to.pods, to.pod_ids, [&](size_t i) { return rows[to.on_node[i]]; }));
    change.commit();
  }
  while (fork_depth() != 0) LIBSCHED_TRY(commit());
  for (size_t i = 0; to.node_ids != nullptr && i < rows.size(); ++i)
    to.node_ids[i] = node_id(rows[i]);
  return {};
}

Result<void> Sim::load(const ObjectSet& objects) {
  std::vector<const Node*> nodes;
  std::vector<Str> names;
  std::unordered_map<std::string_view, uint32_t> by_name;
  for (const NodeRef& node : objects.nodes) {
    nodes.push_back(node.get());
    names.push_back(node->meta.name);
    by_name.emplace(node->meta.name, static_cast<uint32_t>(by_name.size()));
  }
  std::vector<const Pod*> pods;
  std::vector<uint32_t> on_node;
  for (const PodRef& pod : objects.pods) {
    const auto node = by_name.find(pod->spec.node_name);
    if (node == by_name.end() || pod->terminated()) continue;
    pods.push_back(pod.get());
    on_node.push_back(node->second);
  }
  std::vector<uint64_t> node_refs(nodes.size()), pod_refs(pods.size());
  LIBSCHED_TRY(catalog_->add(nodes, nullptr, node_refs.data()));
  LIBSCHED_TRY(catalog_->add(pods, true, nullptr, pod_refs.data()));
  Reset to;
  to.nodes = node_refs;
  to.names = names.data();
  to.pods = pod_refs;
  to.on_node = on_node.data();
  to.objects = &objects;
  return reset(to);
}

Result<void> Sim::add_nodes(uint64_t like, Span<Str> names, uint64_t* ids) {
  const Result<Ref<const NodeContent>> content = node_content(like);
  if (!content.ok()) return content.error();
  std::vector<uint32_t> rows;
  rows.reserve(names.size());
  Change change(this);
  for (size_t i = 0; i < names.size(); ++i) {
    const Result<uint32_t> row = put_node(*content, like, names[i]);
    if (!row.ok()) return at_index("names", i, row.error());
    rows.push_back(*row);
  }
  change.commit();
  for (size_t i = 0; ids != nullptr && i < rows.size(); ++i) ids[i] = node_id(rows[i]);
  return {};
}

Result<void> Sim::remove_node(uint64_t node) {
  if (!has_node(node)) return stale_node();
  Change change(this);
  LIBSCHED_TRY(drop_node(index_of(node)));
  change.commit();
  return {};
}

Result<void> Sim::replace_node(uint64_t node, uint64_t like) {
  if (!has_node(node)) return stale_node();
  const Result<Ref<const NodeContent>> content = node_content(like);
  if (!content.ok()) return content.error();
  Change change(this);
  LIBSCHED_TRY(change_node(index_of(node), *content, like));
  change.commit();
  return {};
}

Result<void> Sim::add_pods(Span<uint64_t> pods, const uint64_t* nodes, uint64_t* ids) {
  forget_unasked_if_many();
  for (size_t i = 0; i < pods.size(); ++i)
    if (!has_node(nodes[i])) return at_index("nodes", i, stale_node());
  Change change(this);
  LIBSCHED_TRY(put_pods(pods, ids, [&](size_t i) { return index_of(nodes[i]); }));
  change.commit();
  return {};
}

Result<void> Sim::drop_pods(Span<uint64_t> ids, bool unplace) {
  Change change(this);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (!has_pod(ids[i])) return at_index("ids", i, stale_pod());
    const PodRef pod = view().slot(index_of(ids[i])).pod;
    LIBSCHED_TRY(drop_pod(index_of(ids[i])));
    if (unplace) LIBSCHED_TRY(unreserve_claims(*cluster_, *pod));
  }
  change.commit();
  return {};
}

Result<void> Sim::remove_pods(Span<uint64_t> ids) { return drop_pods(ids, false); }
Result<void> Sim::unplace_pods(Span<uint64_t> ids) { return drop_pods(ids, true); }

Result<void> Sim::put_objects(const ObjectSet& objects) {
  PutObjects part{&objects};
  part.nodes = part.pods = false;
  const libsched::Change one = part;
  const Result<size_t> put = cluster_->apply(&one, 1);
  return put.ok() ? Result<void>() : put.error();
}

Result<void> Sim::reset_objects(const ObjectSet& objects) {
  std::set<std::tuple<StoredKind, Str, Str>> stay;
  const auto add = [&](StoredKind kind, const ObjectMeta& meta) {
    stay.emplace(kind, is_namespaced(kind) ? Str(meta.ns) : Str(), meta.name);
  };
  for (const StoredObject& o : objects.stored) add(o.kind, o.object->meta);
  for (const NamespaceRef& ns : objects.namespaces) add(StoredKind::kNamespace, ns->meta);
  for (const PriorityClassRef& c : objects.priority_classes)
    add(StoredKind::kPriorityClass, c->meta);
  std::vector<libsched::Change> parts;
  for (size_t k = 0; k < kStoredKinds; ++k) {
    const auto kind = static_cast<StoredKind>(k);
    view().objects().for_each_object(kind, [&](const Object& o) {
      const Str ns = is_namespaced(kind) ? Str(o.meta.ns) : Str();
      if (!stay.contains({kind, ns, o.meta.name}))
        parts.emplace_back(std::in_place_type<RemoveObject>, kind, std::string(ns),
                           std::string(o.meta.name));
    });
  }
  PutObjects& put = std::get<PutObjects>(
      parts.emplace_back(std::in_place_type<PutObjects>, PutObjects{&objects}));
  put.nodes = put.pods = false;
  const Result<size_t> done = cluster_->apply(parts.data(), parts.size());
  return done.ok() ? Result<void>() : done.error();
}

Result<void> Sim::remove_object(StoredKind kind, Str ns, Str name) {
  return cluster_->remove_object(kind, ns, name);
}

Result<void> Sim::fork() {
  forget_unasked_if_many();
  marks_.push_back(undo_.size());
  try {
    LIBSCHED_TRY(cluster_->fork());
  } catch (...) {
    marks_.pop_back();
    throw;
  }
  return {};
}

Result<void> Sim::commit() {
  if (marks_.empty()) return no_fork();
  LIBSCHED_TRY(cluster_->commit());
  marks_.pop_back();
  if (marks_.empty()) undo_.clear();
  return {};
}

Result<void> Sim::revert() {
  if (marks_.empty()) return no_fork();
  LIBSCHED_TRY(cluster_->revert());
  undo_to(marks_.back());
  marks_.pop_back();
  return {};
}

}  // namespace libsched
