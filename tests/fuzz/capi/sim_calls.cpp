// Calls of catalogs and simulated clusters with arrays, and their options.
#include "effects.hpp"
#include "special.hpp"

namespace fuzz {
namespace {

bool rarely(Turn& t) { return t.choose.one_in(40); }

// How many elements an array has.
size_t some(Turn& t) { return t.choose.one_in(4) ? t.choose.below(7) : 1 + t.choose.below(2); }

// Names of nodes, in memory of exactly their lengths.
struct Names {
  Names(Turn& t, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      list.push_back(make_text(t.choose, Words::kNode));
      rooms.push_back(std::make_unique<char[]>(list.back().size()));
      std::memcpy(rooms.back().get(), list.back().data(), list.back().size());
      strs.push_back({rooms.back().get(), list.back().size()});
    }
    if (count != 0 && rarely(t)) null = t.must_refuse = true;
  }
  const libsched_str* get() const { return null || strs.empty() ? nullptr : strs.data(); }
  std::string show() const {
    std::string out = null ? "names=NULL of [" : "names=[";
    for (const std::string& name : list) out += name.substr(0, 40) + " ";
    return out + "]";
  }
  void settle(Turn&, libsched_rc) {}

  std::vector<std::string> list;
  std::vector<std::unique_ptr<char[]>> rooms;
  std::vector<libsched_str> strs;
  bool null = false;
};

const libsched_cancel* cancel_handle(Turn& t) {
  const Entry* e = t.choose.one_in(8) ? world().pools.any(t.choose, Kind::cancel, true) : nullptr;
  return e == nullptr ? nullptr : static_cast<const libsched_cancel*>(e->handle);
}

constexpr size_t kMost = 8;
// Longer than any array that is given with options whose arrays have its length.
thread_local uint64_t given_ids[kMost];
const libsched_str kExtras[kMost] = {LIBSCHED_STR("a"), LIBSCHED_STR(""),  LIBSCHED_STR("b"),
                                     {nullptr, 0},      LIBSCHED_STR("a"), LIBSCHED_STR("c"),
                                     LIBSCHED_STR("d"), LIBSCHED_STR("a")};

const uint64_t* ids_of(Turn& t, Ids kind) {
  for (uint64_t& one : given_ids) one = t.choose.one_in(4) ? 0 : world().ids.pick(t.choose, kind);
  return given_ids;
}

template <typename Object, typename Parse>
Object* parsed(Parse parse, const std::string& document, bool defaults) {
  libsched_parse_options options = LIBSCHED_PARSE_OPTIONS_INIT;
  options.defaults = defaults;
  Object* out = nullptr;
  parse({document.data(), document.size()}, &options, &out, nullptr);
  return out;
}

// Adds documents of pods or of nodes; the model learns what the references name.
template <typename Add>
void add_documents(Turn& t, const char* name, Add add, bool nodes) {
  In<libsched_catalog> catalog(t, "catalog", kExclusive);
  const size_t count = some(t);
  std::vector<std::unique_ptr<String>> made;
  std::vector<libsched_str> documents;
  std::string shown = "documents=[";
  for (size_t i = 0; i < count; ++i) {
    made.push_back(std::make_unique<String>(t, "document",
                                            nodes ? Words::kNodeDocument : Words::kPodDocument));
    documents.push_back(made.back()->get());
    shown += made.back()->show() + " ";
  }
  Options<libsched_catalog_options> options(t, "options");
  Results<uint64_t> refs(t, "refs", count, false);
  Fault error(t, "error");
  t.begin(name, Changes::kNothing, catalog, options, refs, error);
  const libsched_rc rc =
      add(catalog.get(), documents.data(), count, options.get(), refs.get(), error.get());
  t.end_fallible(rc, catalog, options, refs, error);
  const std::shared_ptr<CatalogModel> model = model_of(catalog.get());
  if (rc != LIBSCHED_OK || model == nullptr) return;
  for (size_t i = 0; i < count; ++i) {
    const bool there = nodes ? libsched_catalog_has_node(catalog.get(), refs.at(i))
                             : libsched_catalog_has_pod(catalog.get(), refs.at(i));
    if (!there && !model->shared) t.wrong("gives no reference");
    world().ids.note(nodes ? Ids::kNodeRef : Ids::kPodRef, refs.at(i));
    const bool text = !options.given() || options.value().form == LIBSCHED_FORM_TEXT;
    const bool defaults = options.given() && options.value().defaults;
    if (nodes) {
      libsched_node* node =
          text ? parsed<libsched_node>(libsched_node_parse, made[i]->copy(), defaults) : nullptr;
      model->nodes.emplace(refs.at(i), node == nullptr ? nullptr : share(node));
      continue;
    }
    libsched_pod* pod =
        text ? parsed<libsched_pod>(libsched_pod_parse, made[i]->copy(), defaults) : nullptr;
    if (pod != nullptr && options.given() && options.value().placed) {
      libsched_pod* free = nullptr;
      libsched_pod_copy(pod, {nullptr, 0}, {nullptr, 0}, {nullptr, 0}, LIBSCHED_STR(""), &free,
                        nullptr);
      libsched_pod_unref(pod);
      pod = free;
    }
    model->pods.emplace(refs.at(i), pod == nullptr ? nullptr : share(pod));
  }
}

// Permits as many nodes as `data` says. A shorter struct may end before `data`: then any number.
bool permit(void* data) {
  auto* const left = static_cast<uint64_t*>(data);
  if (left == nullptr) return true;
  return *left != 0 && (*left)-- != 0;
}

}  // namespace

template <>
void fill(Turn& t, libsched_catalog_options& o) {
  o.form = rarely(t) ? 9 : t.choose.one_in(8) ? static_cast<uint32_t>(t.choose.below(3)) : 0;
  o.placed = t.choose.one_in(2);
  o.defaults = t.choose.one_in(3);
  o.reserved[3] = rarely(t);
  if (t.choose.one_in(4)) o.extras = kExtras;
}

template <>
void fill(Turn& t, libsched_sim_query& o) {
  static thread_local libsched_sim_ring ring;
  static thread_local uint64_t accept[2], order[6], without[2], plugins[2];
  o.skip_unschedulable = t.choose.one_in(4);
  o.place = t.choose.one_in(3);
  o.reserved[1] = rarely(t);
  if (t.choose.one_in(4)) o.start = static_cast<size_t>(make_number(t.choose));
  if (t.choose.one_in(6)) o.count = static_cast<size_t>(make_number(t.choose));
  if (t.choose.one_in(4)) {
    ring = {static_cast<size_t>(make_number(t.choose)), t.choose.below(3)};
    o.ring = &ring;
  }
  if (t.choose.one_in(6)) {
    o.order_count = t.choose.below(std::size(order) + 1);
    for (uint64_t& one : order) one = world().ids.pick(t.choose, Ids::kNode);
    o.order = order;
  }
  if (t.choose.one_in(6)) {
    accept[0] = t.choose.next();
    accept[1] = t.choose.next();
    o.accept = accept;
    o.accept_words = t.choose.below(std::size(accept) + 1);
  }
  if (t.choose.one_in(8)) {
    for (uint64_t& one : without) one = world().ids.pick(t.choose, Ids::kPod);
    o.without = rarely(t) ? nullptr : without;
    o.without_count = t.choose.below(std::size(without) + 1);
  }
  if (t.choose.one_in(8)) {
    for (uint64_t& word : plugins) word = t.choose.next();
    o.plugins = rarely(t) ? nullptr : plugins;
    o.plugin_words = t.choose.below(std::size(plugins) + 1);
  }
  o.cancel = cancel_handle(t);
  o.deadline_ns = t.choose.one_in(12) ? make_number(t.choose) : 0;
}

template <>
void fill(Turn& t, libsched_sim_place_options& o) {
  o.stop_at_failure = t.choose.one_in(3);
  o.retry_failed = t.choose.one_in(3);
  o.as_autoscaler = t.choose.one_in(3);
  o.reserved[0] = rarely(t);
  if (t.choose.one_in(2)) o.hints = ids_of(t, Ids::kNode);
}

template <>
void fill(Turn& t, libsched_sim_remove_options& o) {
  o.keep = t.choose.one_in(2);
  o.as_autoscaler = t.choose.one_in(3);
  o.reserved[1] = rarely(t);
  if (t.choose.one_in(3)) o.ghost = world().ids.pick(t.choose, Ids::kNodeRef);
  if (t.choose.one_in(2)) o.hints = ids_of(t, Ids::kNode);
}

template <>
void fill(Turn& t, libsched_sim_pack_options& o) {
  static thread_local libsched_sim_ring ring;
  static thread_local uint64_t left;
  o.keep_order = t.choose.one_in(3);
  o.existing_too = t.choose.one_in(3);
  o.reserved[1] = rarely(t);
  o.prefix = t.choose.one_in(2) ? LIBSCHED_STR("n") : LIBSCHED_STR("new-");
  // A pod that needs a node of its own would take as many as there are pods.
  o.max_nodes = 1 + t.choose.below(6);
  if (t.choose.one_in(3)) {
    o.node_pods = ids_of(t, Ids::kPodRef);
    o.node_pod_count = t.choose.below(3);
  }
  if (t.choose.one_in(3)) {
    left = t.choose.below(4);
    o.permit = permit;
    o.user_data = &left;
  }
  if (t.choose.one_in(4)) {
    ring = {static_cast<size_t>(make_number(t.choose)), t.choose.below(3)};
    o.ring = &ring;
  }
  if (t.choose.one_in(3)) o.objects_of = LIBSCHED_STR("absent");
  o.cancel = cancel_handle(t);
  o.deadline_ns = t.choose.one_in(12) ? make_number(t.choose) : 0;
}

void call_libsched_catalog_add_pods(Turn& t) {
  add_documents(t, "libsched_catalog_add_pods", libsched_catalog_add_pods, false);
}

void call_libsched_catalog_add_nodes(Turn& t) {
  add_documents(t, "libsched_catalog_add_nodes", libsched_catalog_add_nodes, true);
}

namespace {

template <typename Touch>
void touch(Turn& t, const char* name, Touch call, Ids kind) {
  In<libsched_catalog> catalog(t, "catalog", kExclusive);
  IdList refs(t, "refs", kind, some(t));
  t.begin(name, Changes::kNothing, catalog, refs);
  call(catalog.get(), refs.get(), refs.get() == nullptr ? 0 : refs.count());
  t.end_silent(catalog, refs);
}

}  // namespace

void call_libsched_catalog_touch_pods(Turn& t) {
  touch(t, "libsched_catalog_touch_pods", libsched_catalog_touch_pods, Ids::kPodRef);
}

void call_libsched_catalog_touch_nodes(Turn& t) {
  touch(t, "libsched_catalog_touch_nodes", libsched_catalog_touch_nodes, Ids::kNodeRef);
}

void call_libsched_sim_reset(Turn& t) {
  In<libsched_sim> sim(t, "sim", kExclusive);
  const size_t node_count = some(t), pod_count = node_count == 0 ? 0 : some(t);
  IdList nodes(t, "nodes", Ids::kNodeRef, node_count);
  Names names(t, node_count);
  IdList pods(t, "pods", Ids::kPodRef, pod_count);
  std::vector<uint32_t> on_node(pod_count);
  for (uint32_t& at : on_node)
    at = rarely(t) ? 1000 : static_cast<uint32_t>(t.choose.below(node_count));
  Results<uint64_t> node_ids(t, "node_ids", node_count, true);
  Results<uint64_t> pod_ids(t, "pod_ids", pod_count, true);
  Fault error(t, "error");
  t.begin("libsched_sim_reset", Changes::kNothing, sim, nodes, names, pods, node_ids, pod_ids,
          error);
  const libsched_rc rc =
      libsched_sim_reset(sim.get(), nodes.get(), names.get(), node_count, pods.get(),
                         on_node.data(), pod_count, node_ids.get(), pod_ids.get(), error.get());
  t.end_fallible(rc, sim, nodes, names, pods, node_ids, pod_ids, error);
  follow_reset(t, rc, sim, nodes, names.list, pods, on_node, node_ids, pod_ids);
}

void call_libsched_sim_add_nodes(Turn& t) {
  In<libsched_sim> sim(t, "sim", kExclusive);
  Id like(t, "like", Ids::kNodeRef);
  Names names(t, some(t));
  Results<uint64_t> ids(t, "ids", names.list.size(), false);
  Fault error(t, "error");
  t.begin("libsched_sim_add_nodes", Changes::kNothing, sim, like, names, ids, error);
  const libsched_rc rc = libsched_sim_add_nodes(sim.get(), like.get(), names.get(),
                                                names.list.size(), ids.get(), error.get());
  t.end_fallible(rc, sim, like, names, ids, error);
  follow_add_nodes(t, rc, sim, like.get(), names.list, ids);
}

void call_libsched_sim_add_pods(Turn& t) {
  In<libsched_sim> sim(t, "sim", kExclusive);
  const size_t count = some(t);
  IdList pods(t, "pods", Ids::kPodRef, count), nodes(t, "nodes", Ids::kNode, count);
  Results<uint64_t> ids(t, "ids", count, true);
  Fault error(t, "error");
  t.begin("libsched_sim_add_pods", Changes::kNothing, sim, pods, nodes, ids, error);
  const libsched_rc rc =
      libsched_sim_add_pods(sim.get(), pods.get(), nodes.get(), count, ids.get(), error.get());
  t.end_fallible(rc, sim, pods, nodes, ids, error);
  follow_add_pods(t, rc, sim, pods, nodes, ids);
}

void call_libsched_sim_remove_pods(Turn& t) {
  In<libsched_sim> sim(t, "sim", kExclusive);
  IdList ids(t, "ids", Ids::kPod, some(t));
  Fault error(t, "error");
  t.begin("libsched_sim_remove_pods", Changes::kNothing, sim, ids, error);
  const libsched_rc rc = libsched_sim_remove_pods(sim.get(), ids.get(), ids.count(), error.get());
  t.end_fallible(rc, sim, ids, error);
  follow_remove_pods(t, rc, sim, ids);
}

void call_libsched_sim_check_many(Turn& t) {
  In<libsched_sim> sim(t, "sim", kExclusive);
  IdList pods(t, "pods", Ids::kPodRef, some(t)), nodes(t, "nodes", Ids::kNode, some(t));
  Options<libsched_sim_query> query(t, "query");
  Results<uint8_t> out(t, "out", pods.count() * nodes.count(), false, true);
  Fault error(t, "error");
  t.begin("libsched_sim_check_many", Changes::kNothing, sim, pods, nodes, query, out, error);
  const libsched_rc rc =
      libsched_sim_check_many(sim.get(), pods.get(), pods.count(), nodes.get(), nodes.count(),
                              query.get(), out.get(), error.get());
  t.end_fallible(rc, sim, pods, nodes, query, out, error);
  follow_check_many(t, rc, sim, pods, nodes, query, out);
}

void call_libsched_sim_copies(Turn& t) {
  In<libsched_sim> sim(t, "sim", kExclusive);
  Id pod(t, "pod", Ids::kPodRef);
  IdList nodes(t, "nodes", Ids::kNode, some(t));
  const size_t most = 1 + t.choose.below(20);
  Options<libsched_sim_query> query(t, "query");
  Results<size_t> out(t, "out", nodes.count(), false, true);
  Fault error(t, "error");
  t.begin("libsched_sim_copies", Changes::kNothing, sim, pod, nodes, query, out, error);
  const libsched_rc rc = libsched_sim_copies(sim.get(), pod.get(), nodes.get(), nodes.count(), most,
                                             query.get(), out.get(), error.get());
  t.end_fallible(rc, sim, pod, nodes, query, out, error);
  follow_copies(t, rc, sim, pod, nodes, query, most, out);
}

void call_libsched_sim_place_many(Turn& t) {
  In<libsched_sim> sim(t, "sim", kExclusive);
  IdList pods(t, "pods", Ids::kPodRef, some(t));
  Options<libsched_sim_query> query(t, "query");
  Options<libsched_sim_place_options> options(t, "options");
  t.several_structs = true;
  Results<libsched_sim_hit> hits(t, "hits", pods.count(), false);
  Output<bool> ended(t, "ended");
  Fault error(t, "error");
  size_t placed = 0;
  t.begin("libsched_sim_place_many", Changes::kNothing, sim, pods, query, options, hits, ended,
          error);
  const libsched_rc rc =
      libsched_sim_place_many(sim.get(), pods.get(), pods.count(), query.get(), options.get(),
                              hits.get(), &placed, ended.get(), error.get());
  t.end_fallible(rc, sim, pods, query, options, hits, ended, error);
  follow_place_many(t, rc, sim, pods, !query.given() && !options.given(), hits, placed);
}

void call_libsched_sim_bin_pack(Turn& t) {
  In<libsched_sim> sim(t, "sim", kExclusive);
  IdList pods(t, "pods", Ids::kPodRef, some(t));
  std::vector<libsched_sim_group> groups;
  for (size_t i = 0; i < pods.count(); ++i) groups.push_back({pods.at(i), t.choose.below(5)});
  Id like(t, "like", Ids::kNodeRef);
  Options<libsched_sim_pack_options> options(t, "options");
  Fault error(t, "error");
  libsched_sim_packing packing = {};
  // Without options a pod that takes a node alone would add as many nodes as there are pods, 30 at
  // most.
  t.begin("libsched_sim_bin_pack", Changes::kNothing, sim, pods, like, options, error);
  const libsched_rc rc =
      libsched_sim_bin_pack(sim.get(), pods.get() == nullptr ? nullptr : groups.data(),
                            groups.size(), like.get(), options.get(), &packing, error.get());
  t.end_fallible(rc, sim, pods, like, options, error);
  follow_bin_pack(t, rc, sim, packing);
}

void call_libsched_sim_remove(Turn& t) {
  In<libsched_sim> sim(t, "sim", kExclusive);
  // Most of the time the pods of the node.
  const std::shared_ptr<SimModel> model = model_of(sim.get());
  uint64_t node = world().ids.pick(t.choose, Ids::kNode);
  if (model != nullptr && !model->now.nodes.empty() && !t.choose.one_in(4)) {
    const SimNode& one = t.choose.of(model->now.nodes);
    node = one.id;
    for (const auto& [id, ref] : one.pods) world().ids.note(Ids::kPod, id);
  }
  IdList move(t, "move", Ids::kPod, some(t));
  Options<libsched_sim_query> query(t, "query");
  Options<libsched_sim_remove_options> options(t, "options");
  t.several_structs = true;
  Results<libsched_sim_hit> hits(t, "hits", move.count(), false);
  Fault error(t, "error");
  bool removed = false;
  t.begin("libsched_sim_remove", Changes::kNothing, sim, move, query, options, hits, error);
  const libsched_rc rc = libsched_sim_remove(sim.get(), node, move.get(), move.count(), query.get(),
                                             options.get(), hits.get(), &removed, error.get());
  t.end_fallible(rc, sim, move, query, options, hits, error);
  follow_remove(t, rc, sim, node, move, options.given() && options.value().keep, removed, hits);
}

}  // namespace fuzz
