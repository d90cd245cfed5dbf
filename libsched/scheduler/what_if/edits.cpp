// See edits.hpp.
#include "libsched/scheduler/what_if/edits.hpp"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include "libsched/base/near_name.hpp"
#include "libsched/base/quote.hpp"
#include "libsched/cluster/change_errors.hpp"
#include "libsched/cluster/transaction.hpp"
#include "libsched/scheduler/control_plane/claims.hpp"
#include "libsched/scheduler/instance.hpp"
#include "libsched/scheduler/what_if/change_pod.hpp"
#include "libsched/scheduler/what_if/edit.hpp"
#include "libsched/scheduler/what_if/node_edits.hpp"
#include "libsched/scheduler/what_if/workload_pods.hpp"

namespace libsched {
namespace {

// Where a pod is: on a node of the cluster, nominated to one, or among the pods passed.
struct FoundPod {
  PodRef pod;
  uint32_t row = kNoId;  // of those on a node of the cluster
  size_t index = 0;      // of those passed
  bool waits = false;    // among those passed
  bool has_node() const { return row != kNoId; }
};

class Editor {
 public:
  Editor(Cluster& cluster, std::vector<AskedPod>& asked, std::vector<std::string>& notes)
      : cluster_(cluster), asked_(asked), nodes_(cluster, asked, notes) {}

  Result<void> apply(const Edit& edit) {
    if (edit.verb == EditVerb::kScale) return scale(edit);
    if (edit.verb == EditVerb::kSet) return set(edit);
    return nodes_.apply(edit);
  }

 private:
  const View& view() const { return cluster_.view(); }

  bool in_cluster(Str ns, Str name) const {
    return view().find_pod(ns, name) != kNoId || view().nominated().find(ns, name) != nullptr;
  }

  // Calls f(FoundPod) for all pods, those of the cluster first.
  template <typename F>
  void for_each_pod(F&& f) const {
    for (uint32_t s = 0; s < view().slot_count(); ++s)
      if (const View::Slot& slot = view().slot(s); slot.pod)
        f(FoundPod{slot.pod, slot.row, 0, false});
    for (const PodRef& pod : view().nominated().all()) f(FoundPod{pod, kNoId, 0, false});
    for (size_t i = 0; i < asked_.size(); ++i)
      if (asked_[i].kind.empty()) f(FoundPod{asked_[i].pod, kNoId, i, true});
  }

  Result<void> scale(const Edit& edit) {
    bool template_found = false;
    for (AskedPod& a : asked_) {
      if (a.kind.empty() || a.pod->meta.ns != edit.ns || a.pod->meta.name != edit.name) continue;
      if (a.kind == "DaemonSet") return wrong_edit("a DaemonSet has a pod for each node");
      a.replicas = edit.count;
      template_found = true;
    }
    if (template_found) return {};
    const Result<std::vector<FoundPod>> found = pods_of_workload(edit);
    if (!found.ok()) return found.error();
    std::vector<FoundPod> pods;
    for (const FoundPod& p : *found)
      if (!p.pod->terminated() && !p.pod->meta.terminating()) pods.push_back(p);
    // A pod of the cluster that is asked about, too, counts once.
    std::set<Str> in_cluster;
    for (const FoundPod& p : pods)
      if (!p.waits) in_cluster.insert(p.pod->meta.name);
    std::erase_if(
        pods, [&](const FoundPod& p) { return p.waits && in_cluster.contains(p.pod->meta.name); });
    std::ranges::sort(pods, [](const FoundPod& a, const FoundPod& b) {
      return goes_first(*a.pod, !a.has_node(), *b.pod, !b.has_node());
    });
    if (pods.size() >= edit.count) return take_away(pods, pods.size() - edit.count);
    return add_copies(*(pods.empty() ? found->front() : pods.front()).pod,
                      edit.count - pods.size());
  }

  Result<void> take_away(const std::vector<FoundPod>& pods, size_t count) {
    std::unordered_set<Str> names;
    for (size_t i = 0; i < count; ++i) {
      const ObjectMeta& meta = pods[i].pod->meta;
      names.insert(meta.name);
      if (!pods[i].waits) LIBSCHED_TRY(cluster_.remove_pod(meta.ns, meta.name));
      LIBSCHED_TRY(release_claims(cluster_, *pods[i].pod));
    }
    if (names.empty()) return {};
    const Str ns = pods.front().pod->meta.ns;
    std::erase_if(asked_, [&](const AskedPod& a) {
      return a.kind.empty() && a.pod->meta.ns == ns && names.contains(a.pod->meta.name);
    });
    return {};
  }

  Result<void> add_copies(const Pod& of, size_t count) {
    const PodRef keep = PodRef::share(&of);
    std::unordered_set<std::string> waiting;
    for (const AskedPod& a : asked_)
      if (a.kind.empty() && a.pod->meta.ns == of.meta.ns) waiting.emplace(a.pod->meta.name);
    size_t from = 0;
    for (size_t i = 0; i < count; ++i) {
      const Ref<Pod> made = another_pod(of, &from, [&](Str name) {
        return in_cluster(of.meta.ns, name) || waiting.contains(std::string(name));
      });
      LIBSCHED_TRY(add_claims(of, *made));
      asked_.push_back({made, {}, 1, AskedPod::kNew});
    }
    return {};
  }

  // Adds the claims that only the copy has, like those of the copied pod but not bound.
  Result<void> add_claims(const Pod& of, const Pod& made) {
    for (size_t i = 0; i < of.claim_names.size() && i < made.claim_names.size(); ++i) {
      const Str before = of.claim_names[i], name = made.claim_names[i];
      const ObjectStore& objects = view().objects();
      const auto* const like = objects.find<PersistentVolumeClaim>(of.meta.ns, before);
      if (before == name || like == nullptr ||
          objects.find<PersistentVolumeClaim>(of.meta.ns, name) != nullptr)
        continue;
      LIBSCHED_TRY(cluster_.put_object(StoredKind::kPersistentVolumeClaim,
                                       ObjectRef(new_claim(*like, of.meta.ns, name))));
    }
    return {};
  }

  Result<void> set(const Edit& edit) {
    const std::optional<Str> value = edit.remove ? std::nullopt : std::optional<Str>(edit.value);
    std::vector<FoundPod> pods;
    for_each_pod([&](const FoundPod& p) {
      if (p.pod->meta.ns == edit.ns && p.pod->meta.name == edit.name) pods.push_back(p);
    });
    bool template_found = false;
    if (pods.empty()) {
      for (AskedPod& a : asked_) {
        if (a.kind.empty() || a.pod->meta.ns != edit.ns || a.pod->meta.name != edit.name) continue;
        template_found = true;
        LIBSCHED_TRY(change(&a.pod, edit, value));
      }
      Result<std::vector<FoundPod>> found = pods_of_workload(edit);
      if (!found.ok() && !template_found) return std::move(found.error());
      if (found.ok()) pods = std::move(*found);
    }
    for (FoundPod& p : pods) {
      if (p.waits) {
        LIBSCHED_TRY(change(&asked_[p.index].pod, edit, value));
      } else {
        LIBSCHED_TRY(change(&p.pod, edit, value));
        const PutMode how = p.has_node() ? PutMode::kUpdate : PutMode::kApply;
        const Change put = PutPod{p.pod, p.has_node() ? view().row(p.row).name : "", how};
        const Result<size_t> done = cluster_.apply(&put, 1);
        if (!done.ok()) return done.error();
      }
    }
    return {};
  }

  static Result<void> change(PodRef* pod, const Edit& edit, std::optional<Str> value) {
    const Result<Ref<Pod>> changed = with_field(**pod, edit.field, value);
    if (!changed.ok()) {
      Error error = changed.error();
      if (error.message.starts_with("has ") || error.message.starts_with("asks "))
        error.message = pod_key(**pod) + " " + error.message;
      return error;
    }
    *pod = *changed;
    return {};
  }

  // The pods of a workload, in the order of goes_first(); at least one.
  Result<std::vector<FoundPod>> pods_of_workload(const Edit& edit) const {
    std::vector<FoundPod> pods;
    std::set<std::string> kinds;
    const std::string key = edit.ns + "/" + edit.name;
    for_each_pod([&](const FoundPod& p) {
      const Str kind = kind_of_workload(*p.pod, edit.ns, edit.name);
      if (kind.empty()) return;
      kinds.emplace(kind);
      pods.push_back(p);
    });
    if (kinds.size() > 1) {
      return wrong_edit(go_quote(key) + " is a " + *kinds.begin() + " and a " + *kinds.rbegin() +
                        ", which both have pods");
    }
    if (edit.verb == EditVerb::kScale && kinds.contains("DaemonSet"))
      return wrong_edit("a DaemonSet has a pod for each node");
    if (!pods.empty()) return pods;
    NearName near(key);
    for_each_pod([&](const FoundPod& p) {
      const std::string ns = std::string(p.pod->meta.ns) + "/";
      if (edit.verb == EditVerb::kSet) near.offer(ns + std::string(p.pod->meta.name));
      if (const Str name = workload_name(*p.pod); !name.empty()) near.offer(ns + std::string(name));
    });
    for (const AskedPod& a : asked_)
      if (!a.kind.empty()) near.offer(pod_key(*a.pod));
    return Error{Rc::kNotFound,
                 (edit.verb == EditVerb::kSet ? "there is no pod " + go_quote(key) +
                                                    ", and no workload of that name has pods"
                                              : "no workload " + go_quote(key) + " has pods") +
                     near.hint()};
  }

  Cluster& cluster_;
  std::vector<AskedPod>& asked_;
  NodeEditor nodes_;
};

}  // namespace

Result<void> apply_edits(Cluster& cluster, Span<Str> edits, std::vector<AskedPod>* pods,
                         std::vector<std::string>* notes) {
  if (cluster.judged()) return may_not_change();
  Cluster::Transaction all(&cluster);
  std::vector<AskedPod> asked = *pods;
  std::vector<std::string> told;
  Editor editor(cluster, asked, told);
  for (const Str text : edits) {
    const Result<Edit> edit = parse_edit(text);
    Result<void> done = edit.ok() ? editor.apply(*edit) : Result<void>(edit.error());
    if (done.ok()) continue;
    Error error = done.error();
    error.message = go_quote(text) + ": " + error.text();
    error.path.clear();
    return error;
  }
  if (notes != nullptr) {
    told.insert(told.begin(), notes->begin(), notes->end());
    notes->swap(told);
  }
  all.commit();
  *pods = std::move(asked);
  return {};
}

}  // namespace libsched
