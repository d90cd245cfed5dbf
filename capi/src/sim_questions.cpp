// libsched/sim.h over Sim: questions and placements.
#include "given.hpp"
#include "handles.hpp"
#include "libsched/scheduler/sim/sim.hpp"

namespace libsched::capi {
namespace {

// The C structs are written as the C++ ones are.
static_assert(sizeof(libsched_sim_hit) == sizeof(SimHit));
static_assert(offsetof(libsched_sim_hit, position) == offsetof(SimHit, position));
static_assert(sizeof(libsched_sim_group) == sizeof(SimGroup));
static_assert(sizeof(libsched_sim_ring) == sizeof(SimRing));

SimHit* hits_of(libsched_sim_hit* hits) { return reinterpret_cast<SimHit*>(hits); }
SimRing* ring_of(libsched_sim_ring* ring) { return reinterpret_cast<SimRing*>(ring); }

Result<void> read_query(const libsched_sim_query* given, SimQuery* out) {
  if (given == nullptr) return {};
  libsched_sim_query copy = LIBSCHED_SIM_QUERY_INIT;
  const libsched_sim_query* q = given;
  LIBSCHED_TRY(read_struct(&q, &copy, "libsched_sim_query"));
  LIBSCHED_TRY(refuse_reserved(q->reserved, "libsched_sim_query"));
  LIBSCHED_TRY(live_or_null("query->cancel", q->cancel));
  out->skip_unschedulable = q->skip_unschedulable;
  out->place = q->place;
  out->start = q->start;
  out->count = q->count;
  out->ring = ring_of(q->ring);
  out->order_given = q->order != nullptr;
  if (out->order_given) out->order = {q->order, q->order_count};
  out->accept_given = q->accept != nullptr;
  if (out->accept_given) out->accept = {q->accept, q->accept_words};
  if (q->without == nullptr && q->without_count != 0)
    return Error{Rc::kMisuse, "NULL with a count", "query->without"};
  out->without = {q->without, q->without_count};
  out->plugins_given = q->plugins != nullptr;
  if (out->plugins_given) out->plugins = {q->plugins, q->plugin_words};
  out->limits = limits_of(q->cancel, q->deadline_ns);
  return {};
}

Result<void> refuse_parts(const SimQuery& query) {
  if (!query.without.empty())
    return Error{Rc::kInvalid, "a call that places pods leaves none out", "query->without"};
  if (query.plugins_given)
    return Error{Rc::kInvalid, "a pod is placed by all plugins", "query->plugins"};
  return {};
}

libsched_sim_verdict out_of(const SimVerdict& v) {
  return {static_cast<uint8_t>(v.stage), static_cast<int8_t>(v.code), 0, v.texts};
}

const VerdictTexts::Texts* texts_of(const libsched_sim* sim, uint32_t texts) {
  return !live(sim) ? nullptr : unwrap(sim)->texts().find(texts);
}
libsched_str text_at(const std::vector<std::string>* list, size_t index) {
  return list == nullptr || index >= list->size() ? out(Str()) : out((*list)[index]);
}

}  // namespace
}  // namespace libsched::capi

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

extern "C" {

libsched_str libsched_sim_verdict_plugin(const libsched_sim* sim, uint32_t texts) {
  const VerdictTexts::Texts* t = texts_of(sim, texts);
  return t == nullptr ? out(Str()) : out(t->plugin);
}
size_t libsched_sim_verdict_reason_count(const libsched_sim* sim, uint32_t texts) {
  const VerdictTexts::Texts* t = texts_of(sim, texts);
  return t == nullptr ? 0 : t->reasons.size();
}
libsched_str libsched_sim_verdict_reason(const libsched_sim* sim, uint32_t texts, size_t index) {
  const VerdictTexts::Texts* t = texts_of(sim, texts);
  return text_at(t == nullptr ? nullptr : &t->reasons, index);
}
size_t libsched_sim_verdict_excluder_count(const libsched_sim* sim, uint32_t texts) {
  const VerdictTexts::Texts* t = texts_of(sim, texts);
  return t == nullptr ? 0 : t->excluders.size();
}
libsched_str libsched_sim_verdict_excluder(const libsched_sim* sim, uint32_t texts, size_t index) {
  const VerdictTexts::Texts* t = texts_of(sim, texts);
  return text_at(t == nullptr ? nullptr : &t->excluders, index);
}

libsched_rc libsched_sim_check(libsched_sim* sim, uint64_t pod, uint64_t node,
                               const libsched_sim_query* query, libsched_sim_verdict* verdict,
                               libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, sim);
  return guarded(error, [&]() -> Result<void> {
    SimQuery q;
    LIBSCHED_TRY(read_query(query, &q));
    const Result<SimVerdict> answer = unwrap(sim)->check(pod, node, q);
    if (!answer.ok()) return answer.error();
    if (verdict != nullptr) *verdict = out_of(*answer);
    return {};
  });
}

libsched_rc libsched_sim_first(libsched_sim* sim, uint64_t pod, const libsched_sim_query* query,
                               libsched_sim_hit* hit, libsched_sim_verdict* verdict,
                               libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, sim, hit);
  return guarded(error, [&]() -> Result<void> {
    SimQuery q;
    LIBSCHED_TRY(read_query(query, &q));
    SimVerdict why;
    const Result<SimHit> found = unwrap(sim)->first(pod, q, &why);
    if (!found.ok()) return found.error();
    *hits_of(hit) = *found;
    if (verdict != nullptr) *verdict = out_of(why);
    return {};
  });
}

libsched_rc libsched_sim_feasible(libsched_sim* sim, uint64_t pod, const libsched_sim_query* query,
                                  uint64_t* bits, size_t words, size_t* count,
                                  libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, sim);
  LIBSCHED_REQUIRE(error, bits != nullptr || words == 0);
  return guarded(error, [&]() -> Result<void> {
    SimQuery q;
    LIBSCHED_TRY(read_query(query, &q));
    const size_t needed = unwrap(sim)->view().word_count();
    if (words < needed)
      return Error{Rc::kBuffer, "the bitmap has " + std::to_string(words) + " words, " +
                                    std::to_string(needed) + " are needed"};
    const Result<size_t> found = unwrap(sim)->feasible(pod, q, bits, words);
    if (!found.ok()) return found.error();
    if (count != nullptr) *count = *found;
    return {};
  });
}

libsched_rc libsched_sim_check_many(libsched_sim* sim, const uint64_t* pods, size_t pod_count,
                                    const uint64_t* nodes, size_t node_count,
                                    const libsched_sim_query* query, uint8_t* result,
                                    libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, sim);
  LIBSCHED_REQUIRE(error, pods != nullptr || pod_count == 0);
  LIBSCHED_REQUIRE(error, nodes != nullptr || node_count == 0);
  LIBSCHED_REQUIRE(error, result != nullptr || pod_count == 0 || node_count == 0);
  return guarded(error, [&]() -> Result<void> {
    SimQuery q;
    LIBSCHED_TRY(read_query(query, &q));
    return unwrap(sim)->check_many({pods, pod_count}, {nodes, node_count}, q, result);
  });
}
libsched_rc libsched_sim_copies(libsched_sim* sim, uint64_t pod, const uint64_t* nodes,
                                size_t node_count, size_t max, const libsched_sim_query* query,
                                size_t* result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, sim);
  LIBSCHED_REQUIRE(error, nodes != nullptr || node_count == 0);
  LIBSCHED_REQUIRE(error, result != nullptr || node_count == 0);
  return guarded(error, [&]() -> Result<void> {
    SimQuery q;
    LIBSCHED_TRY(read_query(query, &q));
    constexpr size_t kMost = 1'000'000;
    return unwrap(sim)->copies(pod, {nodes, node_count}, max == 0 ? kMost : max, q, result);
  });
}
size_t libsched_sim_plugin_count(const libsched_sim* sim) {
  return !live(sim) ? 0 : unwrap(sim)->framework().plugins().size();
}
libsched_str libsched_sim_plugin(const libsched_sim* sim, size_t index) {
  if (index >= libsched_sim_plugin_count(sim)) return out(Str());
  return out(unwrap(sim)->framework().plugins()[index].name);
}

libsched_rc libsched_sim_place_many(libsched_sim* sim, const uint64_t* pods, size_t count,
                                    const libsched_sim_query* query,
                                    const libsched_sim_place_options* options,
                                    libsched_sim_hit* hits, size_t* placed, bool* ended,
                                    libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, sim);
  LIBSCHED_REQUIRE(error, pods != nullptr || count == 0);
  LIBSCHED_REQUIRE(error, hits != nullptr || count == 0);
  return guarded(error, [&]() -> Result<void> {
    SimQuery q;
    LIBSCHED_TRY(read_query(query, &q));
    const Result<libsched_sim_place_options> o = read_given(options);
    if (!o.ok()) return o.error();
    LIBSCHED_TRY(refuse_parts(q));
    SimPlaceOptions how;
    how.stop_at_failure = o->stop_at_failure;
    how.retry_failed = o->retry_failed;
    how.as_autoscaler = o->as_autoscaler;
    how.hints = o->hints;
    const Result<SimPlaced> done = unwrap(sim)->place_many({pods, count}, q, how, hits_of(hits));
    if (!done.ok()) return done.error();
    if (placed != nullptr) *placed = done->placed;
    if (ended != nullptr) *ended = done->ended;
    return {};
  });
}

libsched_rc libsched_sim_bin_pack(libsched_sim* sim, const libsched_sim_group* groups, size_t count,
                                  uint64_t like, const libsched_sim_pack_options* options,
                                  libsched_sim_packing* packing, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, sim, packing);
  LIBSCHED_REQUIRE(error, groups != nullptr || count == 0);
  return guarded(error, [&]() -> Result<void> {
    const Result<libsched_sim_pack_options> o = read_given(options);
    if (!o.ok()) return o.error();
    SimPackOptions how;
    how.keep_order = o->keep_order;
    how.existing_too = o->existing_too;
    how.prefix = in(o->prefix);
    how.max_nodes = o->max_nodes;
    how.objects_of = in(o->objects_of);
    if (o->node_pods == nullptr && o->node_pod_count != 0)
      return Error{Rc::kMisuse, "libsched_sim_pack_options.node_pods is NULL"};
    if (o->node_pods != nullptr) how.node_pods = {o->node_pods, o->node_pod_count};
    how.permit = o->permit;
    how.user_data = o->user_data;
    how.ring = ring_of(o->ring);
    how.limits = limits_of(o->cancel, o->deadline_ns);
    const Result<const SimPacking*> done =
        unwrap(sim)->bin_pack({reinterpret_cast<const SimGroup*>(groups), count}, like, how);
    if (!done.ok()) return done.error();
    const SimPacking& p = **done;
    *packing = {p.nodes.data(),
                p.nodes.size(),
                p.on_node.data(),
                p.pod_ids.data(),
                p.on_node.size(),
                p.placed,
                static_cast<uint32_t>(p.stop),
                0};
    return {};
  });
}

libsched_rc libsched_sim_remove(libsched_sim* sim, uint64_t node, const uint64_t* move,
                                size_t count, const libsched_sim_query* query,
                                const libsched_sim_remove_options* options, libsched_sim_hit* hits,
                                bool* removed, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, sim, removed);
  LIBSCHED_REQUIRE(error, (move != nullptr && hits != nullptr) || count == 0);
  return guarded(error, [&]() -> Result<void> {
    SimQuery q;
    LIBSCHED_TRY(read_query(query, &q));
    const Result<libsched_sim_remove_options> o = read_given(options);
    if (!o.ok()) return o.error();
    LIBSCHED_TRY(refuse_parts(q));
    SimRemoveOptions how;
    how.keep = o->keep;
    how.as_autoscaler = o->as_autoscaler;
    how.ghost = o->ghost;
    how.hints = o->hints;
    const Result<bool> done = unwrap(sim)->remove(node, {move, count}, q, how, hits_of(hits));
    if (!done.ok()) return done.error();
    *removed = *done;
    return {};
  });
}

libsched_rc libsched_sim_explain_json(libsched_sim* sim, uint64_t pod, uint64_t node,
                                      libsched_text** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, sim, result);
  return hand_over(error, result, [&]() -> Result<std::string> {
    const Result<Ref<const Decision>> decision = unwrap(sim)->explain(pod, node);
    if (!decision.ok()) return decision.error();
    return (*decision)->explain_json();
  });
}

}  // extern "C"
