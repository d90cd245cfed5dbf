// The effects of calls on catalogs and simulated clusters, and checks of their answers.
#include "sim_effects.hpp"

#include <set>
#include <span>

namespace fuzz {
namespace {

std::string string_of(libsched_str s) { return {s.ptr == nullptr ? "" : s.ptr, s.len}; }

PodObject share_const(const libsched_pod* pod) { return share(libsched_pod_ref(pod)); }
NodeObject share_const(const libsched_node* node) { return share(libsched_node_ref(node)); }

// The model of the call's sim, if the call can be predicted.
std::shared_ptr<SimModel> predictable(const Turn& t, const Sim& sim) {
  return t.must_refuse ? nullptr : model_of(sim.get());
}

void expect(Turn& t, libsched_rc rc, bool as_predicted) {
  if (rc == LIBSCHED_ERR_LIMIT || rc == LIBSCHED_ERR_MISUSE) return;
  if (!as_predicted) t.wrong("returns " + std::to_string(rc) + ", which the model does not expect");
}

// Tells whether the call succeeded; a failed one has left the sim as it was.
bool succeeded(Turn& t, libsched_rc rc, const Sim& sim, SimModel& model) {
  if (rc == LIBSCHED_OK) return true;
  if (t.choose.one_in(3)) model.check(sim.get(), "after a failed call", true);
  return false;
}

void compare(Turn& t, const Sim& sim, SimModel& model) {
  model.check(sim.get(), t.name());
  for (const SimNode& n : model.now.nodes) {
    world().ids.note(Ids::kNode, n.id);
    for (const auto& [id, ref] : n.pods) world().ids.note(Ids::kPod, id);
  }
}

// What a call without a query, or with limits alone, must find.
bool asks_plainly(const Options<libsched_sim_query>& query) {
  const libsched_sim_query& q = query.value();
  return !query.given() || (!q.skip_unschedulable && !q.place && q.start == 0 && q.count == 0 &&
                            q.ring == nullptr && q.order == nullptr && q.accept == nullptr);
}

std::span<const uint64_t> left_out(const Options<libsched_sim_query>& query) {
  const libsched_sim_query& q = query.value();
  return !query.given() || q.without == nullptr
             ? std::span<const uint64_t>()
             : std::span<const uint64_t>(q.without, q.without_count);
}

// Whether the pods that a question leaves out are there, each given once.
bool leaves_out_pods(const SimModel& model, const Options<libsched_sim_query>& query) {
  std::set<uint64_t> there;
  for (const SimNode& n : model.now.nodes)
    for (const auto& [id, ref] : n.pods) there.insert(id);
  for (const uint64_t id : left_out(query))
    if (there.erase(id) == 0) return false;
  return true;
}

// The mirror of a sim, for one of four questions: making it takes time.
std::unique_ptr<Mirror> mirror_of(Turn& t, const SimModel& model) {
  if (t.depth != 0 || !model.plain || !t.choose.one_in(4)) return nullptr;
  return Mirror::of(model);
}
std::unique_ptr<Mirror> mirror_of(Turn& t, const SimModel& model,
                                  const Options<libsched_sim_query>& query) {
  if (query.given() && query.value().plugins != nullptr) return nullptr;  // it asks all
  if (left_out(query).empty()) return mirror_of(t, model);
  SimModel seen = model;
  for (const uint64_t id : left_out(query))
    for (SimNode& n : seen.now.nodes)
      std::erase_if(n.pods, [&](const auto& p) { return p.first == id; });
  return mirror_of(t, seen);
}

const libsched_pod* content_of(const SimModel& model, uint64_t ref) {
  const auto found = model.catalog->pods.find(ref);
  return found == model.catalog->pods.end() ? nullptr : found->second.get();
}

std::string texts_of(const libsched_sim* sim, const libsched_sim_verdict& verdict) {
  std::string out;
  for (size_t i = 0; i < libsched_sim_verdict_reason_count(sim, verdict.texts); ++i)
    out += string_of(libsched_sim_verdict_reason(sim, verdict.texts, i)) + "|";
  return out;
}

std::string plugins_of(const libsched_sim* sim, const libsched_sim_verdict& verdict) {
  if (verdict.stage != LIBSCHED_STAGE_PREFILTER_EXCLUDED)
    return string_of(libsched_sim_verdict_plugin(sim, verdict.texts));
  std::string out;
  for (size_t i = 0; i < libsched_sim_verdict_excluder_count(sim, verdict.texts); ++i)
    out += string_of(libsched_sim_verdict_excluder(sim, verdict.texts, i)) + " ";
  return out;
}

void compare_verdict(Turn& t, const libsched_sim* sim, const libsched_sim_verdict& verdict,
                     const Mirror::Verdict& mirrored) {
  if (!mirrored.known) return;
  std::string reasons;
  for (const std::string& r : mirrored.reasons) reasons += r + "|";
  const bool code =
      verdict.stage == LIBSCHED_STAGE_PREFILTER_EXCLUDED || verdict.code == mirrored.code;
  if (verdict.stage != mirrored.stage || !code || plugins_of(sim, verdict) != mirrored.plugin ||
      texts_of(sim, verdict) != reasons)
    t.wrong("gives stage " + std::to_string(verdict.stage) + " by " + plugins_of(sim, verdict) +
            ": " + texts_of(sim, verdict) + ", an evaluator " + std::to_string(mirrored.stage) +
            " by " + mirrored.plugin + ": " + reasons);
}

}  // namespace

void know_catalog(const void* handle) {
  world().catalogs[handle] = std::make_shared<CatalogModel>();
}

void know_sim(const void* handle, const void* framework, const void* catalog) {
  auto made = std::make_shared<SimModel>();
  const auto known = world().catalogs.find(catalog);
  made->catalog =
      known == world().catalogs.end() ? std::make_shared<CatalogModel>() : known->second;
  made->plain = world().plain_frameworks.contains(framework);
  world().sims[handle] = std::move(made);
}

// Of handles that are live; an object of another kind may be where one was.
std::shared_ptr<CatalogModel> model_of(const libsched_catalog* catalog) {
  const Entry* e = world().pools.find(catalog);
  const auto found = world().catalogs.find(catalog);
  return e == nullptr || e->kind != Kind::catalog || found == world().catalogs.end()
             ? nullptr
             : found->second;
}
std::shared_ptr<SimModel> model_of(const libsched_sim* sim) {
  const Entry* e = world().pools.find(sim);
  const auto found = world().sims.find(sim);
  return e == nullptr || e->kind != Kind::sim || found == world().sims.end() ||
                 found->second->catalog->shared
             ? nullptr
             : found->second;
}

void after_libsched_catalog_create(Turn&, libsched_rc rc, Out<libsched_catalog>& out, Fault&) {
  if (rc == LIBSCHED_OK) know_catalog(out.made());
}

void after_libsched_catalog_add_pod(Turn& t, libsched_rc rc, Catalog& catalog,
                                    In<const libsched_pod>& pod,
                                    Options<libsched_catalog_options>& options,
                                    Output<uint64_t>& ref, Fault&) {
  const std::shared_ptr<CatalogModel> model = model_of(catalog.get());
  if (rc != LIBSCHED_OK || model == nullptr || !ref.given()) return;
  if (!model->shared && !libsched_catalog_has_pod(catalog.get(), ref.value()))
    t.wrong("gives no reference");
  PodObject object = share_const(pod.get());
  if (options.given() && options.value().placed) {
    libsched_pod* free = nullptr;
    libsched_pod_copy(pod.get(), {nullptr, 0}, {nullptr, 0}, {nullptr, 0}, LIBSCHED_STR(""), &free,
                      nullptr);
    object = share(free);
  }
  model->pods.emplace(ref.value(), std::move(object));
  world().ids.note(Ids::kPodRef, ref.value());
}

void after_libsched_catalog_add_node(Turn& t, libsched_rc rc, Catalog& catalog,
                                     In<const libsched_node>& node,
                                     Options<libsched_catalog_options>&, Output<uint64_t>& ref,
                                     Fault&) {
  const std::shared_ptr<CatalogModel> model = model_of(catalog.get());
  if (rc != LIBSCHED_OK || model == nullptr || !ref.given()) return;
  if (!model->shared && !libsched_catalog_has_node(catalog.get(), ref.value()))
    t.wrong("gives no reference");
  model->nodes.emplace(ref.value(), share_const(node.get()));
  world().ids.note(Ids::kNodeRef, ref.value());
}

void after_libsched_catalog_age(Turn& t, size_t, Catalog& catalog, Number<uint32_t>&) {
  const std::shared_ptr<CatalogModel> model = model_of(catalog.get());
  if (model == nullptr || model->shared) return;
  std::erase_if(model->pods,
                [&](const auto& p) { return !libsched_catalog_has_pod(catalog.get(), p.first); });
  std::erase_if(model->nodes,
                [&](const auto& n) { return !libsched_catalog_has_node(catalog.get(), n.first); });
  for (const auto& [handle, sim] : world().sims) {
    if (sim->catalog != model || model_of(static_cast<const libsched_sim*>(handle)) == nullptr)
      continue;
    for (const SimNode& n : sim->now.nodes) {
      if (!model->nodes.contains(n.ref)) t.wrong("forgets the content of a node that is there");
      for (const auto& [id, ref] : n.pods)
        if (!model->pods.contains(ref)) t.wrong("forgets the content of a pod that is there");
    }
  }
}

void after_libsched_sim_create(Turn&, libsched_rc rc, In<const libsched_framework>& framework,
                               Catalog& catalog, Out<libsched_sim>& out, Fault&) {
  if (rc == LIBSCHED_OK) know_sim(out.made(), framework.get(), catalog.get());
}

void after_libsched_sim_load(Turn& t, libsched_rc rc, Sim& sim, In<const libsched_objects>& objects,
                             Fault&) {
  const std::shared_ptr<SimModel> model = predictable(t, sim);
  if (model == nullptr || !succeeded(t, rc, sim, *model)) return;
  model->forks.clear();
  model->now.nodes = nodes_of(sim.get());
  ObjectStep step;
  step.put = ObjectsObject(libsched_objects_ref(objects.get()),
                           [](auto* o) { libsched_objects_unref(o); });
  model->now.objects.push_back(std::move(step));
  size_t expected = 0;
  for (size_t i = 0; i < libsched_objects_node_count(objects.get()); ++i) {
    const libsched_node* node = libsched_objects_get_node(objects.get(), i);
    if (model->now.nodes.size() <= i ||
        model->now.nodes[i].name != string_of(libsched_node_name(node)))
      t.wrong("has not the nodes of the document in their order");
    model->catalog->nodes.emplace(model->now.nodes[i].ref, share_const(node));
    world().ids.note(Ids::kNodeRef, model->now.nodes[i].ref);
  }
  // Which of a node's pods is which is not told, so their contents stay unknown.
  for (size_t i = 0; i < libsched_objects_pod_count(objects.get()); ++i) {
    const PodFacts pod = facts_of(libsched_objects_get_pod(objects.get(), i));
    if (!pod.ended && model->now.has_name(pod.node_name)) ++expected;
  }
  if (model->now.pod_count() != expected) t.wrong("has not the pods that run");
  for (const SimNode& n : model->now.nodes)
    for (const auto& [id, ref] : n.pods) {
      model->catalog->pods.emplace(ref, nullptr);
      world().ids.note(Ids::kPodRef, ref);
    }
  compare(t, sim, *model);
}

void after_libsched_sim_remove_node(Turn& t, libsched_rc rc, Sim& sim, Id& node, Fault&) {
  const std::shared_ptr<SimModel> model = predictable(t, sim);
  if (model == nullptr) return;
  const bool there = model->now.node(node.get()) != nullptr;
  expect(t, rc, rc == (there ? LIBSCHED_OK : LIBSCHED_ERR_STALE));
  if (!succeeded(t, rc, sim, *model)) return;
  std::erase_if(model->now.nodes, [&](const SimNode& n) { return n.id == node.get(); });
  compare(t, sim, *model);
}

void after_libsched_sim_replace_node(Turn& t, libsched_rc rc, Sim& sim, Id& node, Id& like,
                                     Fault&) {
  const std::shared_ptr<SimModel> model = predictable(t, sim);
  if (model == nullptr) return;
  SimNode* there = model->now.node(node.get());
  const bool good = there != nullptr && model->catalog->nodes.contains(like.get());
  expect(t, rc, rc == (good ? LIBSCHED_OK : LIBSCHED_ERR_STALE));
  if (!succeeded(t, rc, sim, *model)) return;
  there->ref = like.get();
  compare(t, sim, *model);
}

void follow_objects(Turn& t, libsched_rc rc, Sim& sim, In<const libsched_objects>& objects,
                    bool replaces_all) {
  const std::shared_ptr<SimModel> model = predictable(t, sim);
  if (model == nullptr) return;
  const bool others = libsched_objects_node_count(objects.get()) == 0 &&
                      libsched_objects_pod_count(objects.get()) == 0;
  expect(t, rc, rc == (others ? LIBSCHED_OK : LIBSCHED_ERR_INVALID));
  if (!succeeded(t, rc, sim, *model)) return;
  if (replaces_all) model->now.objects.clear();
  ObjectStep step;
  step.put = ObjectsObject(libsched_objects_ref(objects.get()),
                           [](auto* o) { libsched_objects_unref(o); });
  model->now.objects.push_back(std::move(step));
  compare(t, sim, *model);
}

void after_libsched_sim_put_objects(Turn& t, libsched_rc rc, Sim& sim,
                                    In<const libsched_objects>& objects, Fault&) {
  follow_objects(t, rc, sim, objects, false);
}

void after_libsched_sim_reset_objects(Turn& t, libsched_rc rc, Sim& sim,
                                      In<const libsched_objects>& objects, Fault&) {
  follow_objects(t, rc, sim, objects, true);
}

void after_libsched_sim_remove_object(Turn& t, libsched_rc rc, Sim& sim, String& kind, String& ns,
                                      String& name, Fault&) {
  const std::shared_ptr<SimModel> model = predictable(t, sim);
  if (model == nullptr || !succeeded(t, rc, sim, *model)) return;
  ObjectStep step;
  step.kind = kind.copy();
  step.ns = ns.copy();
  step.name = name.copy();
  model->now.objects.push_back(std::move(step));
  compare(t, sim, *model);
}

void after_libsched_sim_fork(Turn& t, libsched_rc rc, Sim& sim, Fault&) {
  const std::shared_ptr<SimModel> model = predictable(t, sim);
  if (model == nullptr || !succeeded(t, rc, sim, *model)) return;
  model->forks.push_back(model->now);
  compare(t, sim, *model);
}

void after_libsched_sim_commit(Turn& t, libsched_rc rc, Sim& sim, Fault&) {
  const std::shared_ptr<SimModel> model = predictable(t, sim);
  if (model == nullptr) return;
  expect(t, rc, rc == (model->forks.empty() ? LIBSCHED_ERR_STATE : LIBSCHED_OK));
  if (!succeeded(t, rc, sim, *model)) return;
  model->forks.pop_back();
  compare(t, sim, *model);
}

void after_libsched_sim_revert(Turn& t, libsched_rc rc, Sim& sim, Fault&) {
  const std::shared_ptr<SimModel> model = predictable(t, sim);
  if (model == nullptr) return;
  expect(t, rc, rc == (model->forks.empty() ? LIBSCHED_ERR_STATE : LIBSCHED_OK));
  if (!succeeded(t, rc, sim, *model)) return;
  model->now = std::move(model->forks.back());
  model->forks.pop_back();
  model->check(sim.get(), "after a revert", true);
}

void after_libsched_sim_check(Turn& t, libsched_rc rc, Sim& sim, Id& pod, Id& node,
                              Options<libsched_sim_query>& query,
                              Output<libsched_sim_verdict>& verdict, Fault&) {
  const std::shared_ptr<SimModel> model = predictable(t, sim);
  if (model == nullptr) return;
  const SimNode* there = model->now.node(node.get());
  const bool good = there != nullptr && model->catalog->pods.contains(pod.get()) &&
                    leaves_out_pods(*model, query);
  if ((rc == LIBSCHED_OK && !good) || (rc == LIBSCHED_ERR_STALE && good)) expect(t, rc, false);
  if (!succeeded(t, rc, sim, *model) || !verdict.given()) return;
  const libsched_pod* content = content_of(*model, pod.get());
  const std::unique_ptr<Mirror> mirror = content == nullptr ? nullptr : mirror_of(t, *model, query);
  if (mirror != nullptr)
    compare_verdict(t, sim.get(), verdict.value(), mirror->judge(content, there->name));
}

void after_libsched_sim_first(Turn& t, libsched_rc rc, Sim& sim, Id& pod,
                              Options<libsched_sim_query>& query, Output<libsched_sim_hit>& hit,
                              Output<libsched_sim_verdict>& verdict, Fault&) {
  const std::shared_ptr<SimModel> model = predictable(t, sim);
  if (model == nullptr || !succeeded(t, rc, sim, *model)) return;
  const libsched_sim_hit found = hit.value();
  SimNode* there = model->now.node(found.node);
  if (found.node != 0 && there == nullptr) t.wrong("finds a node that is not there");
  if (found.pod != 0 && there == nullptr) t.wrong("places a pod nowhere");
  const bool places = query.given() && query.value().place;
  if ((found.pod != 0) != (places && found.node != 0)) t.wrong("places a pod, or does not");
  if (verdict.given() && (verdict.value().stage == LIBSCHED_STAGE_PASSED) != (found.node != 0))
    t.wrong("gives a verdict that is not that of the search");
  const libsched_pod* content = content_of(*model, pod.get());
  if (const std::unique_ptr<Mirror> mirror =
          content == nullptr ? nullptr : mirror_of(t, *model, query);
      mirror != nullptr) {
    if (there != nullptr) {
      const Mirror::Verdict judged = mirror->judge(content, there->name);
      if (judged.known && judged.stage != LIBSCHED_STAGE_PASSED)
        t.wrong("finds a node that does not take the pod, by " + judged.plugin);
    }
    for (size_t i = 0; asks_plainly(query) && i < model->now.nodes.size(); ++i) {
      const Mirror::Verdict judged = mirror->judge(content, model->now.nodes[i].name);
      if (!judged.known) break;
      if (model->now.nodes[i].id == found.node) {
        if (found.position != i) t.wrong("gives another position");
        break;
      }
      if (judged.stage == LIBSCHED_STAGE_PASSED) t.wrong("passes over a node that takes the pod");
    }
  }
  if (found.pod != 0) {
    there->pods.emplace_back(found.pod, pod.get());
    compare(t, sim, *model);
  }
}

void after_libsched_sim_feasible(Turn& t, libsched_rc rc, Sim& sim, Id& pod,
                                 Options<libsched_sim_query>& query, Buffer<uint64_t>& bits,
                                 Output<size_t>& count, Fault&) {
  const std::shared_ptr<SimModel> model = predictable(t, sim);
  if (model == nullptr || !succeeded(t, rc, sim, *model)) return;
  size_t set = 0, found = 0;
  const auto has = [&](uint64_t id) {
    const uint64_t index = id & UINT32_MAX;
    return index / 64 < bits.length() && (bits.get()[index / 64] >> (index % 64) & 1) != 0;
  };
  for (size_t i = 0; i < bits.length(); ++i)
    set += static_cast<size_t>(__builtin_popcountll(bits.get()[i]));
  for (const SimNode& n : model->now.nodes) found += has(n.id) ? 1 : 0;
  if (set != found || (count.given() && count.value() != found)) t.wrong("miscounts");
  const libsched_pod* content = content_of(*model, pod.get());
  if (content == nullptr || !asks_plainly(query)) return;
  const std::unique_ptr<Mirror> mirror = mirror_of(t, *model, query);
  for (size_t i = 0; mirror != nullptr && i < model->now.nodes.size(); ++i) {
    const SimNode& n = model->now.nodes[i];
    const Mirror::Verdict judged = mirror->judge(content, n.name);
    if (judged.known && (judged.stage == LIBSCHED_STAGE_PASSED) != has(n.id))
      t.wrong("is wrong about " + n.name);
  }
}

void follow_reset(Turn& t, libsched_rc rc, Sim& sim, IdList& nodes,
                  const std::vector<std::string>& names, IdList& pods,
                  const std::vector<uint32_t>& on_node, Results<uint64_t>& node_ids,
                  Results<uint64_t>& pod_ids) {
  const std::shared_ptr<SimModel> model = predictable(t, sim);
  if (model == nullptr) return;
  bool good = true;
  for (const uint64_t ref : nodes.list()) good = good && model->catalog->nodes.contains(ref);
  for (const uint64_t ref : pods.list()) good = good && model->catalog->pods.contains(ref);
  for (const uint32_t at : on_node) good = good && at < names.size();
  for (const std::string& name : names) good = good && !name.empty();
  good = good && std::set<std::string>(names.begin(), names.end()).size() == names.size();
  expect(t, rc, (rc == LIBSCHED_OK) == good);
  if (!succeeded(t, rc, sim, *model)) return;
  std::vector<SimNode> there = nodes_of(sim.get());
  if (there.size() != names.size()) t.wrong("has another number of nodes");
  for (size_t i = 0; i < there.size(); ++i) {
    if (there[i].name != names[i] || there[i].ref != nodes.at(i) ||
        (node_ids.given() && there[i].id != node_ids.at(i)))
      t.wrong("has other nodes");
  }
  model->forks.clear();
  model->now.nodes = std::move(there);
  if (model->now.pod_count() != pods.count()) t.wrong("has another number of pods");
  for (size_t i = 0; pod_ids.given() && i < pods.count(); ++i)
    if (libsched_sim_pod_ref(sim.get(), pod_ids.at(i)) != pods.at(i) ||
        libsched_sim_pod_node(sim.get(), pod_ids.at(i)) != model->now.nodes[on_node[i]].id)
      t.wrong("has a pod elsewhere");
  compare(t, sim, *model);
}

void follow_add_nodes(Turn& t, libsched_rc rc, Sim& sim, uint64_t like,
                      const std::vector<std::string>& names, Results<uint64_t>& ids) {
  const std::shared_ptr<SimModel> model = predictable(t, sim);
  if (model == nullptr) return;
  bool good = names.empty() || model->catalog->nodes.contains(like);
  for (const std::string& name : names) good = good && !name.empty() && !model->now.has_name(name);
  good = good && std::set<std::string>(names.begin(), names.end()).size() == names.size();
  // Whether the content of no nodes is looked at is not said.
  if (!names.empty()) expect(t, rc, (rc == LIBSCHED_OK) == good);
  if (!succeeded(t, rc, sim, *model)) return;
  for (size_t i = 0; i < names.size(); ++i)
    model->now.nodes.push_back(
        {ids.given() ? ids.at(i)
                     : libsched_sim_find_node(sim.get(), {names[i].data(), names[i].size()}),
         like,
         names[i],
         {}});
  compare(t, sim, *model);
}

void follow_add_pods(Turn& t, libsched_rc rc, Sim& sim, IdList& pods, IdList& nodes,
                     Results<uint64_t>& ids) {
  const std::shared_ptr<SimModel> model = predictable(t, sim);
  if (model == nullptr) return;
  bool good = true;
  for (size_t i = 0; i < pods.count(); ++i)
    good = good && model->catalog->pods.contains(pods.at(i)) &&
           model->now.node(nodes.at(i)) != nullptr;
  expect(t, rc, rc == (good ? LIBSCHED_OK : LIBSCHED_ERR_STALE));
  if (!succeeded(t, rc, sim, *model)) return;
  if (!ids.given()) {
    const size_t before = model->now.pod_count();
    model->read(sim.get());
    if (model->now.pod_count() != before + pods.count()) t.wrong("adds another number of pods");
    return;
  }
  for (size_t i = 0; i < pods.count(); ++i)
    model->now.node(nodes.at(i))->pods.emplace_back(ids.at(i), pods.at(i));
  compare(t, sim, *model);
}

void follow_remove_pods(Turn& t, libsched_rc rc, Sim& sim, IdList& ids) {
  const std::shared_ptr<SimModel> model = predictable(t, sim);
  if (model == nullptr) return;
  std::set<uint64_t> there;
  for (const SimNode& n : model->now.nodes)
    for (const auto& [id, ref] : n.pods) there.insert(id);
  bool good = true;
  for (const uint64_t id : ids.list()) good = good && there.erase(id) == 1;
  expect(t, rc, rc == (good ? LIBSCHED_OK : LIBSCHED_ERR_STALE));
  if (!succeeded(t, rc, sim, *model)) return;
  for (SimNode& n : model->now.nodes)
    std::erase_if(n.pods, [&](const auto& p) { return !there.contains(p.first); });
  compare(t, sim, *model);
}

void follow_check_many(Turn& t, libsched_rc rc, Sim& sim, IdList& pods, IdList& nodes,
                       Options<libsched_sim_query>& query, Results<uint8_t>& out) {
  const std::shared_ptr<SimModel> model = predictable(t, sim);
  if (model == nullptr || !succeeded(t, rc, sim, *model)) return;
  const std::unique_ptr<Mirror> mirror = mirror_of(t, *model, query);
  for (size_t i = 0; i < pods.count(); ++i)
    for (size_t k = 0; k < nodes.count(); ++k) {
      const uint8_t told = out.at(i * nodes.count() + k);
      if (told > libsched_sim_plugin_count(sim.get())) t.wrong("names no plugin");
      const libsched_pod* content = content_of(*model, pods.at(i));
      const SimNode* there = model->now.node(nodes.at(k));
      if (mirror == nullptr || content == nullptr || there == nullptr) continue;
      const Mirror::Verdict judged = mirror->judge(content, there->name);
      if (!judged.known) continue;
      if ((judged.stage == LIBSCHED_STAGE_PASSED) != (told == 0)) t.wrong("is wrong about a pair");
      if (told != 0 && judged.stage != LIBSCHED_STAGE_PREFILTER_EXCLUDED &&
          string_of(libsched_sim_plugin(sim.get(), told - 1U)) != judged.plugin)
        t.wrong("names another plugin than " + judged.plugin);
    }
}

void follow_copies(Turn& t, libsched_rc rc, Sim& sim, Id& pod, IdList& nodes,
                   Options<libsched_sim_query>& query, size_t most, Results<size_t>& out) {
  const std::shared_ptr<SimModel> model = predictable(t, sim);
  if (model == nullptr || !succeeded(t, rc, sim, *model)) return;
  if (t.choose.one_in(3)) model->check(sim.get(), "after copies were counted", true);
  const libsched_pod* content = content_of(*model, pod.get());
  const std::unique_ptr<Mirror> mirror = content == nullptr ? nullptr : mirror_of(t, *model, query);
  for (size_t i = 0; i < nodes.count(); ++i) {
    if (out.at(i) > most) t.wrong("counts more copies than it may");
    const SimNode* there = model->now.node(nodes.at(i));
    if (mirror == nullptr || there == nullptr) continue;
    const Mirror::Verdict judged = mirror->judge(content, there->name);
    if (judged.known && (judged.stage == LIBSCHED_STAGE_PASSED) != (out.at(i) != 0))
      t.wrong("is wrong about the first copy");
  }
}

void follow_place_many(Turn& t, libsched_rc rc, Sim& sim, IdList& pods, bool plainly,
                       Results<libsched_sim_hit>& hits, size_t placed) {
  const std::shared_ptr<SimModel> model = predictable(t, sim);
  if (model == nullptr || !succeeded(t, rc, sim, *model)) return;
  const std::unique_ptr<Mirror> mirror = mirror_of(t, *model);
  size_t found = 0;
  std::set<uint64_t> failed;
  for (size_t i = 0; i < pods.count(); ++i) {
    const libsched_sim_hit hit = hits.at(i);
    SimNode* there = model->now.node(hit.node);
    if ((hit.node != 0) != (hit.pod != 0) || (hit.node != 0) != (there != nullptr))
      t.wrong("places a pod nowhere");
    const libsched_pod* content = content_of(*model, pods.at(i));
    if (mirror != nullptr && content != nullptr && plainly && !failed.contains(pods.at(i))) {
      for (const SimNode& n : model->now.nodes) {
        const Mirror::Verdict judged = mirror->judge(content, n.name);
        if (!judged.known) break;
        if ((judged.stage == LIBSCHED_STAGE_PASSED) != (n.id == hit.node))
          t.wrong("does not place a pod on the first node that takes it");
        if (n.id == hit.node) break;
      }
    }
    if (there == nullptr) {
      failed.insert(pods.at(i));
      continue;
    }
    ++found;
    there->pods.emplace_back(hit.pod, pods.at(i));
    if (mirror != nullptr && content != nullptr) mirror->put(content, there->name);
  }
  if (placed != found) t.wrong("miscounts the pods that it places");
  compare(t, sim, *model);
}

void follow_bin_pack(Turn& t, libsched_rc rc, Sim& sim, const libsched_sim_packing& packing) {
  const std::shared_ptr<SimModel> model = predictable(t, sim);
  if (model == nullptr || !succeeded(t, rc, sim, *model)) return;
  size_t placed = 0;
  for (size_t i = 0; i < packing.pod_count; ++i) {
    const int32_t at = packing.on_node[i];
    if (at >= static_cast<int32_t>(packing.node_count) || at < -2) t.wrong("names no node");
    if ((at == -1) != (packing.pod_ids[i] == 0)) t.wrong("places a pod nowhere");
    if (at == -1) continue;
    ++placed;
    const uint64_t node = libsched_sim_pod_node(sim.get(), packing.pod_ids[i]);
    if (at >= 0 ? node != packing.nodes[at] : node == 0) t.wrong("places a pod elsewhere");
  }
  if (packing.placed != placed) t.wrong("miscounts the pods that it places");
  const size_t before = model->now.nodes.size();
  model->forks.push_back(model->now);
  model->read(sim.get());
  if (model->now.nodes.size() != before + packing.node_count) t.wrong("miscounts its nodes");
  compare(t, sim, *model);
}

void follow_remove(Turn& t, libsched_rc rc, Sim& sim, uint64_t node, IdList& move, bool kept,
                   bool removed, Results<libsched_sim_hit>& hits) {
  const std::shared_ptr<SimModel> model = predictable(t, sim);
  if (model == nullptr || !succeeded(t, rc, sim, *model)) return;
  const SimNode* left = model->now.node(node);
  if (left == nullptr) t.wrong("removes a node that is not there");
  if (!removed || !kept) {
    model->check(sim.get(), "after a removal on trial", true);
    return;
  }
  std::vector<std::pair<uint64_t, uint64_t>> from = left->pods;
  std::erase_if(model->now.nodes, [&](const SimNode& n) { return n.id == node; });
  for (size_t i = 0; i < move.count(); ++i) {
    SimNode* to = model->now.node(hits.at(i).node);
    if (to == nullptr) t.wrong("moves a pod nowhere");
    for (const auto& [id, ref] : from)
      if (id == move.at(i)) to->pods.emplace_back(hits.at(i).pod, ref);
  }
  compare(t, sim, *model);
}

}  // namespace fuzz
