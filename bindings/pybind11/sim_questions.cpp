// The questions of _core.Sim, their limits and places where searches begin.
//
// Questions about many pods are asked in pieces, and signals are handled between these. The pieces
// give the answer of a single call, and an exception, also of a handler or a plugin, undoes them
// all.
#include <chrono>
#include <limits>
#include <unordered_set>
#include <vector>

#include "signals.hpp"
#include "sim.hpp"

namespace libsched {
namespace {

struct SimRing {
  std::shared_ptr<libsched_sim_ring> ring = std::make_shared<libsched_sim_ring>();
};

// What a query consists of; buffers stay exported as long as it lives.
struct SimQuery {
  libsched_sim_query query = LIBSCHED_SIM_QUERY_INIT;
  std::unique_ptr<Numbers<uint64_t>> order, accept, without, plugins;
  std::shared_ptr<libsched_sim_ring> ring;
  CancelHandle cancel;
};

std::unique_ptr<SimQuery> create_query(Flag skip_unschedulable, size_t start, size_t count,
                                       Maybe<const SimRing> ring, py::handle order,
                                       py::handle accept, py::handle without, py::handle plugins,
                                       Maybe<const Cancel> cancel) {
  auto made = std::make_unique<SimQuery>();
  libsched_sim_query& q = made->query;
  q.skip_unschedulable = skip_unschedulable;
  q.start = start;
  q.count = count;
  if (ring) made->ring = (*ring)->ring;
  if (cancel) made->cancel.reset(libsched_cancel_ref(raw(**cancel)));
  q.ring = made->ring.get();
  q.cancel = made->cancel.get();
  // An empty array has a pointer as well: NULL means all nodes.
  static const uint64_t kNone = 0;
  made->order = std::make_unique<Numbers<uint64_t>>(order);
  if (made->order->given()) {
    q.order = made->order->size() == 0 ? &kNone : made->order->data();
    q.order_count = made->order->size();
  }
  made->accept = std::make_unique<Numbers<uint64_t>>(accept);
  if (made->accept->given()) {
    q.accept = made->accept->size() == 0 ? &kNone : made->accept->data();
    q.accept_words = made->accept->size();
  }
  made->without = std::make_unique<Numbers<uint64_t>>(without);
  if (made->without->given()) {
    q.without = made->without->data();
    q.without_count = made->without->size();
  }
  made->plugins = std::make_unique<Numbers<uint64_t>>(plugins);
  if (made->plugins->given()) {
    q.plugins = made->plugins->size() == 0 ? &kNone : made->plugins->data();
    q.plugin_words = made->plugins->size();
  }
  return made;
}

int64_t deadline_in(std::optional<int64_t> timeout_ns) {
  if (!timeout_ns) return 0;
  const int64_t now = std::chrono::duration_cast<std::chrono::nanoseconds>(
                          std::chrono::system_clock::now().time_since_epoch())
                          .count();
  const int64_t end = std::numeric_limits<int64_t>::max();
  return *timeout_ns > end - now ? end : now + *timeout_ns;
}

libsched_sim_query limited(const SimQuery& query, std::optional<int64_t> timeout_ns) {
  libsched_sim_query made = query.query;
  made.deadline_ns = deadline_in(timeout_ns);
  return made;
}

// (stage, code, plugin, reasons, plugins that narrowed the nodes); None: passed. Under the lock.
auto verdict_of(const libsched_sim* sim, const libsched_sim_verdict& v) {
  const auto all = [&] {
    return tuple_of(
        v.stage, v.code, libsched_sim_verdict_plugin(sim, v.texts),
        collect<Items>(libsched_sim_verdict_reason_count(sim, v.texts),
                       [&](size_t i) { return libsched_sim_verdict_reason(sim, v.texts, i); }),
        collect<Items>(libsched_sim_verdict_excluder_count(sim, v.texts),
                       [&](size_t i) { return libsched_sim_verdict_excluder(sim, v.texts, i); }));
  };
  return v.stage == LIBSCHED_STAGE_PASSED ? std::nullopt : std::optional(all());
}

auto check_one(Sim& sim, uint64_t pod, uint64_t node, const SimQuery& query,
               std::optional<int64_t> timeout_ns) {
  const libsched_sim_query limits = limited(query, timeout_ns);
  libsched_sim_verdict verdict{};
  const Holding holding(sim.lock.get());
  unlocked(libsched_sim_check, sim.handle.get(), pod, node, &limits, &verdict);
  return verdict_of(sim.handle.get(), verdict);
}

// Undoes all changes of the sim during its lifetime, unless they are kept. Under the lock.
class Trial {
 public:
  explicit Trial(libsched_sim* sim) : sim_(sim), depth_(libsched_sim_fork_depth(sim)) {
    quick(libsched_sim_fork, sim_);
  }
  ~Trial() {
    while (!kept_ && libsched_sim_fork_depth(sim_) > depth_)
      if (libsched_sim_revert(sim_, nullptr) != LIBSCHED_OK) break;
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  void keep() {
    quick(libsched_sim_commit, sim_);
    kept_ = true;
  }

 private:
  libsched_sim* sim_;
  size_t depth_;
  bool kept_ = false;
};

// (node, pod, position, verdict)
auto first(Sim& sim, uint64_t pod, const SimQuery& query, Flag place,
           std::optional<int64_t> timeout_ns) {
  libsched_sim_query asked = limited(query, timeout_ns);
  asked.place = place;
  libsched_sim_hit hit{0, 0, 0};
  libsched_sim_verdict verdict{};
  const Holding holding(sim.lock.get());
  std::optional<Trial> trial;
  if (place) trial.emplace(sim.handle.get());
  unlocked(libsched_sim_first, sim.handle.get(), pod, &asked, &hit, &verdict);
  if (trial) trial->keep();
  return tuple_of(hit.node, hit.pod, hit.position, verdict_of(raw(sim), verdict));
}

// (bitmap of whole words, number of nodes)
auto feasible(Sim& sim, uint64_t pod, const SimQuery& query, std::optional<int64_t> timeout_ns) {
  const libsched_sim_query asked = limited(query, timeout_ns);
  size_t count = 0;
  const Holding holding(sim.lock.get());
  Filled<uint64_t> bits((libsched_sim_node_limit(sim.handle.get()) + 63) / 64);
  unlocked(libsched_sim_feasible, sim.handle.get(), pod, &asked, bits.data(), bits.size(), &count);
  return tuple_of(bits.take(), count);
}

void handle_signals() {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

// One byte for each pair; rows of several pods in each piece.
py::bytearray check_many(Sim& sim, py::handle pods, py::handle nodes, const SimQuery& query,
                         std::optional<int64_t> timeout_ns) {
  const Numbers<uint64_t> refs(pods), ids(nodes);
  const libsched_sim_query limits = limited(query, timeout_ns);
  Filled<uint8_t> out(refs.size() * ids.size());
  const size_t rows = ids.size() == 0 ? refs.size() : 1 + (size_t{1} << 18) / ids.size();
  const Holding holding(sim.lock.get());
  for (size_t at = 0; at < refs.size(); at += rows) {
    const size_t count = std::min(rows, refs.size() - at);
    if (at != 0) handle_signals();
    unlocked(libsched_sim_check_many, sim.handle.get(), refs.data() + at, count, ids.data(),
             ids.size(), &limits, out.data() + at * ids.size());
  }
  return out.take();
}

constexpr size_t kPiece = 512;

// A number for each node.
py::bytearray copies(Sim& sim, uint64_t pod, py::handle nodes, size_t max, const SimQuery& query,
                     std::optional<int64_t> timeout_ns) {
  const Numbers<uint64_t> ids(nodes);
  const libsched_sim_query limits = limited(query, timeout_ns);
  Filled<size_t> out(ids.size());
  const Holding holding(sim.lock.get());
  for (size_t at = 0; at < ids.size(); at += kPiece) {
    if (at != 0) handle_signals();
    unlocked(libsched_sim_copies, sim.handle.get(), pod, ids.data() + at,
             std::min(kPiece, ids.size() - at), max, &limits, out.data() + at);
  }
  return out.take();
}

// (hits, number of pods placed, whether a limit has ended the call)
auto place_many(Sim& sim, py::handle pods, const SimQuery& query, Flag stop_at_failure,
                Flag retry_failed, py::handle hints, std::optional<int64_t> timeout_ns) {
  const Numbers<uint64_t> refs(pods), wanted(hints);
  if (wanted.given()) wanted.must_have(refs.size(), "hints");
  const libsched_sim_query asked = limited(query, timeout_ns);
  libsched_sim_place_options options = LIBSCHED_SIM_PLACE_OPTIONS_INIT;
  options.stop_at_failure = stop_at_failure;
  options.retry_failed = retry_failed;
  Filled<libsched_sim_hit> hits(refs.size());
  std::fill_n(hits.data(), hits.size(), libsched_sim_hit{0, 0, 0});
  // What has failed in an earlier piece is passed over in all later ones.
  std::unordered_set<uint64_t> failed;
  std::vector<size_t> piece;
  std::vector<uint64_t> piece_refs, piece_hints;
  std::vector<libsched_sim_hit> piece_hits;
  size_t total = 0;
  bool ended = false;
  const Holding holding(sim.lock.get());
  Trial trial(sim.handle.get());
  size_t at = 0;
  bool first_piece = true;
  while (at < refs.size() && !ended) {
    piece.clear();
    piece_refs.clear();
    piece_hints.clear();
    for (; at < refs.size() && piece.size() < kPiece; ++at) {
      if (!retry_failed && failed.contains(refs.data()[at])) continue;
      piece.push_back(at);
      piece_refs.push_back(refs.data()[at]);
      piece_hints.push_back(wanted.given() ? wanted.data()[at] : 0);
    }
    if (!first_piece) handle_signals();
    first_piece = false;
    piece_hits.assign(piece.size(), libsched_sim_hit{0, 0, 0});
    options.hints = wanted.given() ? piece_hints.data() : nullptr;
    size_t placed = 0;
    unlocked(libsched_sim_place_many, sim.handle.get(), piece_refs.data(), piece.size(), &asked,
             &options, piece_hits.data(), &placed, &ended);
    total += placed;
    for (size_t i = 0; i < piece.size(); ++i) {
      hits.data()[piece[i]] = piece_hits[i];
      if (piece_hits[i].node == 0) failed.insert(piece_refs[i]);
    }
    if (stop_at_failure && placed < piece.size()) break;
  }
  trial.keep();
  return tuple_of(hits.take(), total, ended);
}

// Whether packing may add a node: asks Python, if there is a function, and handles signals.
struct Permit {
  const py::object* ask;  // NULL: always
  Signals signals;

  static bool may(void* self) {
    auto* const permit = static_cast<Permit*>(self);
    if (Signals::raised(&permit->signals)) return false;
    if (permit->ask == nullptr) return true;
    return locked_or(false, [&] {
      try {
        return static_cast<bool>(py::bool_(call(*permit->ask)));
      } catch (py::error_already_set& error) {
        keep_exception(error);
        return false;
      }
    });
  }
};

// (nodes, places, pods, number of pods placed, LIBSCHED_STOP_*)
auto bin_pack(Sim& sim, py::handle pods, py::handle counts, uint64_t like, Flag keep_order,
              Flag existing_too, std::string_view prefix, size_t max_nodes, py::handle node_pods,
              std::string_view objects_of, const std::optional<py::object>& permit,
              Maybe<const SimRing> ring, std::optional<int64_t> timeout_ns,
              Maybe<const Cancel> cancel) {
  const Numbers<uint64_t> refs(pods), sizes(counts), every(node_pods);
  sizes.must_have(refs.size(), "counts");
  std::vector<libsched_sim_group> groups;
  for (size_t i = 0; i < refs.size(); ++i) groups.push_back({refs.data()[i], sizes.data()[i]});
  Permit asked{permit ? &*permit : nullptr, {}};
  libsched_sim_pack_options options = LIBSCHED_SIM_PACK_OPTIONS_INIT;
  options.keep_order = keep_order;
  options.existing_too = existing_too;
  options.prefix = to_str(prefix);
  options.max_nodes = max_nodes;
  options.node_pods = every.data();
  options.node_pod_count = every.size();
  options.objects_of = to_str(objects_of);
  options.permit = Permit::may;
  options.user_data = &asked;
  if (ring) options.ring = (*ring)->ring.get();
  options.deadline_ns = deadline_in(timeout_ns);
  options.cancel = raw(cancel);
  libsched_sim_packing packing{};
  const Holding holding(sim.lock.get());
  libsched_sim* const handle = sim.handle.get();
  const size_t depth = libsched_sim_fork_depth(handle);
  try {
    unlocked(libsched_sim_bin_pack, handle, groups.data(), groups.size(), like, &options, &packing);
  } catch (...) {
    // An exception of a callback: the library has done its work and left a fork open.
    if (libsched_sim_fork_depth(handle) > depth) libsched_sim_revert(handle, nullptr);
    throw;
  }
  Filled<uint64_t> nodes(packing.node_count), ids(packing.pod_count);
  Filled<int32_t> places(packing.pod_count);
  std::copy_n(packing.nodes, packing.node_count, nodes.data());
  std::copy_n(packing.on_node, packing.pod_count, places.data());
  std::copy_n(packing.pod_ids, packing.pod_count, ids.data());
  return tuple_of(nodes.take(), places.take(), ids.take(), packing.placed, packing.stop);
}

// (whether the node can go, hits)
auto remove(Sim& sim, uint64_t node, py::handle move, const SimQuery& query, Flag keep,
            uint64_t ghost, py::handle hints, std::optional<int64_t> timeout_ns) {
  const Numbers<uint64_t> ids(move), wanted(hints);
  if (wanted.given()) wanted.must_have(ids.size(), "hints");
  const libsched_sim_query asked = limited(query, timeout_ns);
  libsched_sim_remove_options options = LIBSCHED_SIM_REMOVE_OPTIONS_INIT;
  options.keep = keep;
  options.ghost = ghost;
  options.hints = wanted.given() && wanted.size() != 0 ? wanted.data() : nullptr;
  Filled<libsched_sim_hit> hits(ids.size());
  std::fill_n(hits.data(), hits.size(), libsched_sim_hit{0, 0, 0});
  bool removed = false;
  const Holding holding(sim.lock.get());
  Trial trial(sim.handle.get());
  unlocked(libsched_sim_remove, sim.handle.get(), node, ids.data(), ids.size(), &asked, &options,
           hits.data(), &removed);
  trial.keep();
  return tuple_of(removed, hits.take());
}

}  // namespace

void bind_sim_questions(py::class_<Sim>& sim) {
  sim.def("check", check_one, py::arg("pod"), py::arg("node"), py::arg("query"),
          py::arg("timeout_ns"))
      .def("first", first, py::arg("pod"), py::arg("query"), py::arg("place"),
           py::arg("timeout_ns"))
      .def("feasible", feasible, py::arg("pod"), py::arg("query"), py::arg("timeout_ns"))
      .def("check_many", check_many, py::arg("pods"), py::arg("nodes"), py::arg("query"),
           py::arg("timeout_ns"))
      .def("copies", copies, py::arg("pod"), py::arg("nodes"), py::arg("max"), py::arg("query"),
           py::arg("timeout_ns"))
      .def("place_many", place_many, py::arg("pods"), py::arg("query"), py::arg("stop_at_failure"),
           py::arg("retry_failed"), py::arg("hints"), py::arg("timeout_ns"))
      .def("bin_pack", bin_pack, py::arg("pods"), py::arg("counts"), py::arg("like"),
           py::arg("keep_order"), py::arg("existing_too"), py::arg("prefix"), py::arg("max_nodes"),
           py::arg("node_pods"), py::arg("objects_of"), py::arg("permit"), py::arg("ring"),
           py::arg("timeout_ns"), py::arg("cancel"))
      .def("remove", remove, py::arg("node"), py::arg("move"), py::arg("query"), py::arg("keep"),
           py::arg("ghost"), py::arg("hints"), py::arg("timeout_ns"))
      .def("explain", unlocked_call<libsched_sim_explain_json>);
}

void bind_sim_queries(py::module_& module) {
  Class<SimRing>(module, "SimRing")
      .def(py::init([] { return std::make_unique<SimRing>(); }))
      .def_property(
          "last", [](const SimRing& r) { return r.ring->last; },
          [](SimRing& r, size_t last) { r.ring->last = last; })
      .def_property(
          "offset", [](const SimRing& r) { return r.ring->offset; },
          [](SimRing& r, size_t offset) { r.ring->offset = offset; });
  Class<SimQuery>(module, "SimQuery")
      .def(py::init(&create_query), py::arg("skip_unschedulable"), py::arg("start"),
           py::arg("count"), py::arg("ring"), py::arg("order"), py::arg("accept"),
           py::arg("without"), py::arg("plugins"), py::arg("cancel"));
}

}  // namespace libsched
