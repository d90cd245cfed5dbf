// The effects of calls on clusters, by the model.
#include "effects.hpp"

#include <algorithm>

namespace fuzz {
namespace {

std::string string_of(libsched_str s) { return {s.ptr == nullptr ? "" : s.ptr, s.len}; }

// The call succeeded, and its cluster is known.
template <typename T>
Cluster* changed(Rc rc, const T& handle) {
  return rc == LIBSCHED_OK ? handle.watch().cluster().get() : nullptr;
}

// Compares the view with the updated model. If slots changed the cluster meanwhile, the model is
// taken from the view.
template <typename T>
void compare(Turn& t, const T& handle) {
  Cluster& model = *handle.watch().cluster();
  if (handle.watch().disturbed())
    model.read(handle.watch().view());
  else if (t.choose.below(3) != 0)
    model.check(handle.watch().view(), t.name());
  ++model.changes;
}

// Tells whether the model knows the code of the call.
template <typename T>
bool predictable(const Turn& t, const T& handle) {
  return !t.must_refuse && t.depth == 0 && handle.watch().cluster() != nullptr &&
         !handle.watch().disturbed();
}
void expect(Turn& t, Rc rc, bool as_predicted) {
  if (!as_predicted) t.wrong("returns " + std::to_string(rc) + ", which the model does not expect");
}

void place(Cluster& model, PodFacts facts, const std::string& node, bool assumed) {
  if (assumed) facts.node_name = node;
  facts.assumed = assumed;
  model.now.put_pod(std::move(facts), node);
}

Part part_of(const libsched_objects* objects, uint32_t how) {
  Part part = {.how = how, .document = true};
  for (size_t i = 0; i < libsched_objects_node_count(objects) && (how & LIBSCHED_PUT_NO_NODES) == 0;
       ++i)
    part.nodes.push_back(facts_of(libsched_objects_get_node(objects, i)));
  for (size_t i = 0; i < libsched_objects_pod_count(objects) && (how & LIBSCHED_PUT_NO_PODS) == 0;
       ++i) {
    PodFacts pod = facts_of(libsched_objects_get_pod(objects, i));
    std::string node = pod.node_name;
    part.pods.emplace_back(std::move(pod), std::move(node));
  }
  return part;
}

void applied(Turn& t, Rc rc, Cl& cluster, const std::vector<Part>& parts) {
  if (predictable(t, cluster) && rc != LIBSCHED_ERR_MISUSE) {
    State state = cluster.watch().cluster()->now;
    Outcome outcome = Outcome::kOk;
    for (const Part& part : parts) {
      const Outcome next = follow(part, state);
      if (next != Outcome::kOk) outcome = outcome == Outcome::kUnknown ? outcome : next;
      if (next == Outcome::kRefused) break;
    }
    if (outcome == Outcome::kOk) expect(t, rc, rc == LIBSCHED_OK || rc == LIBSCHED_ERR_LIMIT);
    if (outcome == Outcome::kRefused) expect(t, rc, rc != LIBSCHED_OK);
  }
  Cluster* m = changed(rc, cluster);
  if (m == nullptr) return;
  State modelled = m->now;
  for (const Part& part : parts) follow(part, modelled);
  m->now = modelled;  // keeps the model's pods whose nodes do not exist
  // The same document again keeps a pod's place, and a document may hold any object.
  const bool disturbed = cluster.watch().disturbed();
  m->read(cluster.watch().view());
  if (!disturbed) {
    for (const std::string& o : modelled.objects)
      if (m->now.objects.count(o) == 0) t.wrong("lost " + o);
    if (m->now.at != modelled.at || m->now.nodes.size() != modelled.nodes.size())
      t.wrong("put pods or nodes elsewhere than the model");
  }
  for (auto& [key, pod] : m->now.pods) {
    const auto known = modelled.pods.find(key);
    pod.assumed = pod.assumed && known != modelled.pods.end() && known->second.assumed;
    pod.unsure = pod.assumed && known->second.unsure;
  }
  compare(t, cluster);
}

std::vector<Part>& list_of(const libsched_changes* changes) { return world().lists[changes]; }

}  // namespace

void after_libsched_cluster_apply(Turn& t, Rc rc, Cl& cluster, In<const libsched_objects>& objects,
                                  Fault&) {
  if (t.must_refuse) return;
  applied(t, rc, cluster, {part_of(objects.get(), LIBSCHED_PUT_APPLY)});
}

void know_changes(const void* handle) { world().lists[handle].clear(); }

void after_libsched_changes_create(Turn&, Rc rc, Out<libsched_changes>& out, Fault&) {
  if (rc == LIBSCHED_OK) know_changes(out.made());
}

void after_libsched_changes_put_objects(Turn&, Rc rc, Ch& changes,
                                        In<const libsched_objects>& objects, Number<uint32_t>& how,
                                        Fault&) {
  if (rc == LIBSCHED_OK) list_of(changes.get()).push_back(part_of(objects.get(), how.get()));
}

void after_libsched_changes_put_node(Turn&, Rc rc, Ch& changes, In<const libsched_node>& node,
                                     Number<uint32_t>& how, Fault&) {
  if (rc == LIBSCHED_OK)
    list_of(changes.get()).push_back({.how = how.get(), .nodes = {facts_of(node.get())}});
}

void after_libsched_changes_put_pod(Turn&, Rc rc, Ch& changes, Po& pod, String& node_name,
                                    Number<uint32_t>& how, Fault&) {
  if (rc != LIBSCHED_OK) return;
  const PodFacts facts = pod.facts();
  const std::string node = node_name.copy().empty() ? facts.node_name : node_name.copy();
  list_of(changes.get()).push_back({.how = how.get(), .pods = {{facts, node}}});
}

void after_libsched_changes_remove(Turn&, Rc rc, Ch& changes, String& kind, String& namespace_,
                                   String& name, Fault&) {
  if (rc != LIBSCHED_OK) return;
  Part part;
  part.kind = kind.copy();
  part.ns = namespace_.copy();
  part.name = name.copy();
  list_of(changes.get()).push_back(std::move(part));
}

void after_libsched_cluster_apply_changes(Turn& t, Rc rc, Cl& cluster,
                                          In<const libsched_changes>& changes, Output<size_t>&,
                                          Fault&) {
  if (t.must_refuse) return;
  applied(t, rc, cluster, list_of(changes.get()));
}

void after_libsched_cluster_add_nodes(Turn& t, Rc rc, Cl& cluster,
                                      Handles<const libsched_node>& nodes, Fault&) {
  if (predictable(t, cluster) && rc != LIBSCHED_ERR_MISUSE) {
    std::set<std::string> names;
    bool twice = false;
    for (const libsched_node* n : nodes.list()) {
      const std::string name = string_of(libsched_node_name(n));
      twice = twice || cluster.watch().cluster()->now.nodes.count(name) != 0 ||
              !names.insert(name).second;
    }
    expect(t, rc,
           twice ? rc == LIBSCHED_ERR_EXISTS || rc == LIBSCHED_ERR_LIMIT
                 : rc == LIBSCHED_OK || rc == LIBSCHED_ERR_LIMIT);
  }
  Cluster* m = changed(rc, cluster);
  if (m == nullptr) return;
  for (const libsched_node* n : nodes.list()) m->now.put_node(facts_of(n));
  compare(t, cluster);
}

void after_libsched_cluster_update_node(Turn& t, Rc rc, Cl& cluster, In<const libsched_node>& node,
                                        Fault&) {
  Cluster* m = changed(rc, cluster);
  if (m == nullptr) return;
  m->now.put_node(facts_of(node.get()));
  compare(t, cluster);
}

void after_libsched_cluster_remove_node(Turn& t, Rc rc, Cl& cluster, String& name, Fault&) {
  // The name may have been freed with the node, so it is looked up in the model.
  Cluster* known = cluster.watch().cluster().get();
  if (known == nullptr || cluster.watch().disturbed()) {
    if (Cluster* m = changed(rc, cluster)) m->read(cluster.watch().view()), ++m->changes;
    return;
  }
  const bool there = known->now.nodes.count(name.copy()) != 0;
  if (predictable(t, cluster)) expect(t, rc, rc == (there ? LIBSCHED_OK : LIBSCHED_ERR_NOT_FOUND));
  if (rc != LIBSCHED_OK) return;
  known->now.remove_node(name.copy());
  compare(t, cluster);
}

void after_libsched_cluster_add_pods(Turn& t, Rc rc, Cl& cluster, Handles<const libsched_pod>& pods,
                                     Strings& node_names, Fault&) {
  const auto node_of = [&](size_t i) {
    const std::string given = node_names.at(i);
    return given.empty() ? string_of(libsched_pod_node_name(pods.list()[i])) : given;
  };
  if (predictable(t, cluster) && rc != LIBSCHED_ERR_MISUSE) {
    std::set<std::string> keys;
    bool wrong = false;
    for (size_t i = 0; i < pods.list().size(); ++i) {
      const std::string key = facts_of(pods.list()[i]).key;
      wrong = wrong || cluster.watch().cluster()->now.pods.count(key) != 0 ||
              !keys.insert(key).second || node_of(i).empty();
    }
    expect(
        t, rc,
        rc == LIBSCHED_ERR_LIMIT ||
            (wrong ? rc == LIBSCHED_ERR_EXISTS || rc == LIBSCHED_ERR_INVALID : rc == LIBSCHED_OK));
  }
  Cluster* m = changed(rc, cluster);
  if (m == nullptr) return;
  for (size_t i = 0; i < pods.list().size(); ++i)
    place(*m, facts_of(pods.list()[i]), node_of(i), false);
  compare(t, cluster);
}

void after_libsched_cluster_update_pod(Turn& t, Rc rc, Cl& cluster, Po& pod, String& node_name,
                                       Fault&) {
  Cluster* m = changed(rc, cluster);
  if (m == nullptr) return;
  const PodFacts facts = pod.facts();
  place(*m, facts, node_name.copy().empty() ? facts.node_name : node_name.copy(), false);
  compare(t, cluster);
}

void after_libsched_cluster_remove_pod(Turn& t, Rc rc, Cl& cluster, String& namespace_,
                                       String& name, Fault&) {
  Cluster* known = cluster.watch().cluster().get();
  if (known == nullptr) return;
  const std::string key = key_of(namespace_.copy(), name.copy());
  const bool there = known->now.pods.count(key) != 0 || known->now.nominated.count(key) != 0;
  if (predictable(t, cluster) && (there || !known->now.nominated_unsure))
    expect(t, rc, rc == (there ? LIBSCHED_OK : LIBSCHED_ERR_NOT_FOUND));
  if (rc != LIBSCHED_OK) return;
  known->now.nominated.erase(key);
  known->now.remove_pod(key);
  compare(t, cluster);
}

void after_libsched_cluster_remove_object(Turn& t, Rc rc, Cl& cluster, String& kind,
                                          String& namespace_, String& name, Fault&) {
  Cluster* m = changed(rc, cluster);
  if (m == nullptr) return;
  m->now.objects.erase(kind.copy() + "/" + namespace_.copy() + "/" + name.copy());
  compare(t, cluster);
}

void after_libsched_cluster_assume(Turn& t, Rc rc, Cl& cluster, Po& pod, String& node_name,
                                   Fault&) {
  Cluster* m = changed(rc, cluster);
  if (m == nullptr) return;
  const PodFacts facts = pod.facts();
  place(*m, facts, node_name.copy().empty() ? facts.node_name : node_name.copy(), true);
  compare(t, cluster);
}

void after_libsched_cluster_forget(Turn& t, Rc rc, Cl& cluster, String& namespace_, String& name,
                                   Fault&) {
  Cluster* known = cluster.watch().cluster().get();
  if (known == nullptr) return;
  const std::string key = key_of(namespace_.copy(), name.copy());
  const auto pod = known->now.pods.find(key);
  const bool there = pod != known->now.pods.end();
  if (predictable(t, cluster) && !(there && pod->second.unsure))
    expect(t, rc, rc == (!there || pod->second.assumed ? LIBSCHED_OK : LIBSCHED_ERR_STATE));
  if (rc != LIBSCHED_OK || !there) return;
  known->now.remove_pod(key);
  compare(t, cluster);
}

void after_libsched_cluster_fork(Turn& t, Rc rc, Cl& cluster, Fault&) {
  Cluster* m = changed(rc, cluster);
  if (m == nullptr) return;
  if (cluster.watch().disturbed()) m->read(cluster.watch().view());
  m->forks.emplace_back(m->now, libsched_view_version(cluster.watch().view()));
  compare(t, cluster);
}

void after_libsched_cluster_commit(Turn& t, Rc rc, Cl& cluster, Fault&) {
  if (predictable(t, cluster))
    expect(t, rc,
           rc == (cluster.watch().cluster()->forks.empty() ? LIBSCHED_ERR_STATE : LIBSCHED_OK));
  Cluster* m = changed(rc, cluster);
  if (m == nullptr) return;
  if (m->forks.empty()) t.wrong("commits a fork that is not there");
  m->forks.pop_back();
  compare(t, cluster);
}

void after_libsched_cluster_revert(Turn& t, Rc rc, Cl& cluster, Fault&) {
  if (predictable(t, cluster))
    expect(t, rc,
           rc == (cluster.watch().cluster()->forks.empty() ? LIBSCHED_ERR_STATE : LIBSCHED_OK));
  Cluster* m = changed(rc, cluster);
  if (m == nullptr) return;
  if (m->forks.empty()) t.wrong("reverts a fork that is not there");
  m->now = std::move(m->forks.back().first);
  const uint64_t version = m->forks.back().second;
  m->forks.pop_back();
  if (!cluster.watch().disturbed()) {
    m->check(cluster.watch().view(), "after a revert");
    if (libsched_view_version(cluster.watch().view()) != version)
      t.wrong("does not bring the version back");
  }
  compare(t, cluster);
}

void after_libsched_evaluator_assume(Turn& t, Rc rc, Ev& evaluator, St&, Po& pod,
                                     Number<uint32_t>& row, Options<libsched_assume_options>&,
                                     Su& status, Fault&) {
  Cluster* m = changed(rc, evaluator);
  if (m == nullptr) return;
  const libsched_view* view = evaluator.watch().view();
  if (libsched_status_code(status.get()) == LIBSCHED_CODE_SUCCESS && !evaluator.watch().disturbed())
    place(*m, pod.facts(), string_of(libsched_node_name(libsched_view_node(view, row.get()))),
          true);
  compare(t, evaluator);
}

void after_libsched_evaluator_forget(Turn& t, Rc rc, Ev& evaluator, St&, Po& pod, Fault&) {
  Cluster* m = changed(rc, evaluator);
  if (m == nullptr) return;
  if (!evaluator.watch().disturbed()) m->now.remove_pod(pod.facts().key);
  compare(t, evaluator);
}

void after_libsched_memory_api_deliver(Turn&, Rc, In<libsched_memory_api>&, Cl& cluster, Fault&) {
  Cluster* m = cluster.watch().cluster().get();
  if (m == nullptr) return;  // also after a failure: earlier deliveries stay
  m->read(cluster.watch().view(), cluster.get());
  ++m->changes;
}

void after_libsched_writer_queue_apply(Turn&, Rc, In<libsched_writer_queue>&, Cl& cluster,
                                       Output<size_t>&, Output<size_t>&, Fault&) {
  Cluster* m = cluster.watch().cluster().get();
  if (m == nullptr) return;  // also after a failure: earlier messages stay applied
  m->read(cluster.watch().view(), cluster.get());
  ++m->changes;
}

void follow_cycle(Turn& t, Rc rc, const Ev& evaluator, const Po& pod) {
  Cluster* m = changed(rc, evaluator);
  if (m == nullptr) return;
  const PodFacts facts = pod.facts();
  if (!evaluator.watch().disturbed() && m->now.pods.find(facts.key) == m->now.pods.end()) {
    const libsched_view* view = evaluator.watch().view();
    uint32_t row = 0;
    if (libsched_view_find_pod(view, libsched_pod_namespace(pod.get()),
                               libsched_pod_name(pod.get()), &row) != nullptr)
      place(*m, facts, string_of(libsched_node_name(libsched_view_node(view, row))), true);
  }
  compare(t, evaluator);
}

// Reported pods are on their reported nodes; all others have not moved.
void follow_placements(Turn& t, const Ev& evaluator, const std::vector<Told>& told) {
  Cluster* m = evaluator.watch().cluster().get();
  if (m == nullptr) return;
  const bool stands = !evaluator.watch().disturbed();
  for (const Told& one : told) {
    if (!stands) break;
    const auto known = m->now.pods.find(one.pod.key);
    if ((one.outcome == LIBSCHED_OUTCOME_KEPT) != (known != m->now.pods.end()) &&
        one.outcome != LIBSCHED_OUTCOME_ENDED)
      t.wrong("tells of a pod that it is, or is not, in the cluster");
    if (one.outcome == LIBSCHED_OUTCOME_PLACED || one.outcome == LIBSCHED_OUTCOME_BOUND)
      place(*m, one.pod, one.node, one.outcome == LIBSCHED_OUTCOME_PLACED);
  }
  compare(t, evaluator);
}

}  // namespace fuzz
