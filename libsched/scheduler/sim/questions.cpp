// Sim: questions about one pod.
#include <algorithm>
#include <utility>

#include "libsched/scheduler/sim/change.hpp"
#include "libsched/scheduler/sim/errors.hpp"
#include "libsched/scheduler/sim/sim.hpp"

namespace libsched {

namespace {

Error asked_by_plugin() {
  return {Rc::kState, "a plugin asks the simulated cluster during a question to some plugins"};
}

}  // namespace

Result<Sim::Known*> Sim::know(uint64_t ref) {
  // Another thread may make the catalog forget a content while it is used here: that is the same as
  // doing so afterwards.
  if (Known* const known = find_known(ref); known != nullptr) [[likely]]
    return known;
  const uint32_t index = index_of(ref);
  auto made = std::make_unique<Known>();
  made->content = catalog_->pods().get(ref);
  if (!made->content) return stale_pod_ref();
  made->ref = ref;
  made->state = make_ref<CycleState>();
  if (known_.size() <= index) known_.resize(std::max<size_t>(64, index + index / 2 + 1));
  forget(&known_[index]);
  known_[index] = std::move(made);
  ++made_;
  return known_[index].get();
}

// Forgets what is known of a content, if anything is, and what the evaluator keeps of its class.
void Sim::forget(std::unique_ptr<Known>* known) {
  if (*known == nullptr) return;
  const bool asked = (*known)->state->framework() != nullptr;
  if (asked && !leaves_out_) evaluator_->forget_filters((*known)->class_number());
  known->reset();
}

// Forgets what is known of contents that are forgotten, or were not asked about since this was done
// last. What plugins have prepared for a pod holds it, and would keep its content in the catalog
// forever.
void Sim::forget_unasked() {
  known_apart_.clear();
  for (std::unique_ptr<Known>& known : known_) {
    if (known == nullptr) continue;
    const bool unasked = known->state->framework() != nullptr && known->version < forgot_at_;
    if (unasked || !catalog_->pods().has(known->ref)) forget(&known);
  }
  made_ = 0;
  forgot_at_ = view().version();
}

// Whether PreFilter would answer as it did.
bool Sim::stands(Known* known) const {
  Known& k = *known;
  const View& v = view();
  if (k.version == 0 || k.version == v.version()) return k.version != 0;
  if (k.concerns == kAllChanges) return false;  // perhaps its data is for one version
  ChangeKinds changed = 0;
  const bool all =
      v.log().for_each_since(k.cursor, [&](uint32_t, ChangeKinds kinds) { changed |= kinds; });
  if (!all || (changed & k.concerns) != 0) return false;
  k.version = v.version();
  k.cursor = v.log().cursor();
  return true;
}

Result<void> Sim::ready(Known* known, const Limits& limits) {
  Known& k = *known;
  const View& v = view();
  if (stands(known)) return {};
  k.version = 0;
  const LimitScope scope(*evaluator_, *k.state, limits);
  if (leaves_out_) [[unlikely]] {  // nothing holds for the next question
    if (ForeignCall::depth() != asked_at_) return asked_by_plugin();
    Result<Status> said = evaluator_->run_pre_filter(*k.state, k.pod());
    if (!said.ok()) return std::move(said.error());
    k.pre_filter = std::move(*said);
    return {};
  }
  Result<PreFiltered> ran = evaluator_->run_pre_filter(*k.state, k.pod(), k.class_number());
  if (!ran.ok()) return std::move(ran.error());
  k.pre_filter = std::move(ran->status);
  k.concerns = ran->concerns;
  if (!ran->lasts) return {};
  k.version = v.version();
  k.cursor = v.log().cursor();
  return {};
}

Result<SimVerdict> Sim::judge(Known* known, uint32_t row, Status* status) {
  Known& k = *known;
  if (!k.pre_filter.success())
    return SimVerdict{SimStage::kPreFilterRejected, k.pre_filter.code, texts_.of(k.pre_filter)};
  const PreFilterResult& narrowed = k.state->pre_filter();
  if (!narrowed.all_nodes && !narrowed.allows(view().row(row).name))
    return SimVerdict{SimStage::kPreFilterExcluded, Code::kUnschedulableAndUnresolvable,
                      texts_.of_excluders(narrowed.restricted)};
  LIBSCHED_TRY(evaluator_->run_filter(*k.state, k.pod(), row, status));
  if (status->success()) return SimVerdict{};
  return SimVerdict{SimStage::kFilterRejected, status->code, texts_.of(*status)};
}

// PreFilter, unless it stands, and Filter of one row.
Result<SimVerdict> Sim::ask(Known* known, uint32_t row, const Limits& limits) {
  LIBSCHED_TRY(ready(known, limits));
  Status status;
  const LimitScope scope(*evaluator_, *known->state, limits);
  return judge(known, row, &status);
}

template <typename Ask>
auto Sim::without(const SimQuery& query, Ask ask) -> decltype(ask(query)) {
  if (query.place)
    return Error{Rc::kInvalid, "a question that leaves pods out places none", "query->without"};
  Change change(this);  // is undone
  for (size_t i = 0; i < query.without.size(); ++i) {
    const uint64_t id = query.without[i];
    if (!has_pod(id)) return at_index("query->without", i, stale_pod());
    LIBSCHED_TRY(drop_pod(index_of(id)));
  }
  SimQuery rest = query;
  rest.without = {};
  return ask(rest);
}

template <typename Ask>
auto Sim::of_plugins(const SimQuery& query, Ask ask) -> decltype(ask(query)) {
  if (query.place) return Error{Rc::kInvalid, "a pod is placed by all plugins", "query->plugins"};
  if (leaves_out_) return asked_by_plugin();
  asked_at_ = ForeignCall::depth();
  left_out_.resize(framework().plugins().size());
  for (size_t i = 0; i < left_out_.size(); ++i)
    left_out_[i] = i / 64 >= query.plugins.size() || !has_bit(query.plugins, i);
  struct Apart {
    explicit Apart(Sim* to) : sim(to) { change(&sim->left_out_); }
    ~Apart() { change(nullptr); }
    void change(const std::vector<bool>* left_out) {
      sim->known_.swap(sim->known_apart_);
      sim->leaves_out_ = left_out != nullptr;
      sim->evaluator_->leave_out(left_out);
    }
    Sim* sim;
  } apart(this);
  SimQuery rest = query;
  rest.plugins_given = false;
  return ask(rest);
}

Result<SimVerdict> Sim::check(uint64_t pod, uint64_t node, const SimQuery& query) {
  if (!query.without.empty())
    return without(query, [&](const SimQuery& rest) { return check(pod, node, rest); });
  if (query.plugins_given)
    return of_plugins(query, [&](const SimQuery& rest) { return check(pod, node, rest); });
  const Result<Known*> known = know(pod);
  if (!known.ok()) return known.error();
  if (!has_node(node)) return stale_node();
  return ask(*known, index_of(node), query.limits);
}

Result<SearchOptions> Sim::search_of(const SimQuery& query, std::vector<uint32_t>* rows) const {
  SearchOptions out;
  LIBSCHED_TRY(evaluator_->check_idle());  // a search around this one may be reading `rows`
  if (query.order_given) {
    rows->resize(query.order.size());
    for (size_t i = 0; i < rows->size(); ++i) {
      if (!has_node(query.order[i])) return stale_node();
      (*rows)[i] = index_of(query.order[i]);
    }
    out.order = *rows;
  } else {
    out.order = order_;
    out.whole = true;
  }
  out.start = query.ring != nullptr ? query.ring->last + query.ring->offset : query.start;
  if (!out.order.empty()) out.start %= out.order.size();
  out.count = query.count;
  out.accept = query.accept;
  out.accept_given = query.accept_given;
  out.skip_unschedulable = query.skip_unschedulable;
  out.limits = query.limits;
  return out;
}

// Finds the first node that takes a pod that has passed PreFilter. With `place` the pod is also
// placed there; the caller has opened a Change then.
Result<SimHit> Sim::find(Known* known, SearchOptions search, SimRing* ring, bool place) {
  search.class_number = leaves_out_ ? 0 : known->class_number();
  const Result<FilterOutcome> found = evaluator_->find_first(*known->state, known->pod(), search);
  if (!found.ok()) return found.error();
  SimHit hit;
  if (found->count == 0) return hit;
  hit.node = node_id(found->first);
  hit.position = found->position;
  if (place) {
    const Result<uint32_t> slot = place_pod(known, found->first);
    if (!slot.ok()) return slot.error();
    hit.pod = pod_id(*slot);
  }
  if (ring != nullptr) ring->last = found->position;
  return hit;
}

Result<SimHit> Sim::first(uint64_t pod, const SimQuery& query, SimVerdict* verdict) {
  if (!query.without.empty())
    return without(query, [&](const SimQuery& rest) { return first(pod, rest, verdict); });
  if (query.plugins_given)
    return of_plugins(query, [&](const SimQuery& rest) { return first(pod, rest, verdict); });
  const Result<Known*> known = know(pod);
  if (!known.ok()) return known.error();
  Result<SearchOptions> search = search_of(query, &rows_);
  if (!search.ok()) return search.error();
  LIBSCHED_TRY(ready(*known, query.limits));
  *verdict = {};
  if (!(*known)->pre_filter.success()) {
    *verdict = {SimStage::kPreFilterRejected, (*known)->pre_filter.code,
                texts_.of((*known)->pre_filter)};
    return SimHit{};
  }
  Result<SimHit> hit = SimHit{};
  if (query.place) {
    Change change(this);
    hit = find(*known, *search, query.ring, true);
    if (!hit.ok()) return hit;
    change.commit();
  } else {
    hit = find(*known, *search, query.ring, false);
  }
  if (hit.ok() && hit->node == 0) verdict->stage = SimStage::kNoNode;
  return hit;
}

Result<size_t> Sim::feasible(uint64_t pod, const SimQuery& query, uint64_t* bits, size_t words) {
  if (!query.without.empty())
    return without(query, [&](const SimQuery& rest) { return feasible(pod, rest, bits, words); });
  if (query.plugins_given)
    return of_plugins(query,
                      [&](const SimQuery& rest) { return feasible(pod, rest, bits, words); });
  const Result<Known*> known = know(pod);
  if (!known.ok()) return known.error();
  Result<SearchOptions> search = search_of(query, &rows_);
  if (!search.ok()) return search.error();
  LIBSCHED_TRY(ready(*known, query.limits));
  if (!(*known)->pre_filter.success()) {
    std::fill(bits, bits + words, 0);
    return size_t{0};
  }
  search->class_number = leaves_out_ ? 0 : (*known)->class_number();
  const Result<size_t> found =
      evaluator_->find_all(*(*known)->state, (*known)->pod(), *search, bits, nullptr);
  if (found.ok()) std::fill(bits + view().word_count(), bits + words, 0);
  return found;
}

Result<void> Sim::check_many(Span<uint64_t> pods, Span<uint64_t> nodes, const SimQuery& asked,
                             uint8_t* out) {
  if (!asked.without.empty())
    return without(asked, [&](const SimQuery& rest) { return check_many(pods, nodes, rest, out); });
  if (asked.plugins_given)
    return of_plugins(asked,
                      [&](const SimQuery& rest) { return check_many(pods, nodes, rest, out); });
  const Limits& limits = asked.limits;
  const auto number_of = [&](Str plugin) {
    const auto& all = framework().plugins();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.name == plugin; });
    return found == all.end() ? uint8_t{255} : static_cast<uint8_t>(found - all.begin() + 1);
  };
  for (const uint64_t pod : pods)
    if (const Result<Known*> known = know(pod); !known.ok()) return known.error();
  SimQuery query;
  query.order = nodes;
  query.order_given = true;
  query.limits = limits;
  const Result<SearchOptions> search = search_of(query, &rows_);
  if (!search.ok()) return search.error();
  std::vector<uint8_t> of_row(view().word_count() * 64);
  for (size_t i = 0; i < pods.size(); ++i) {
    const Result<Known*> known = know(pods[i]);
    if (!known.ok()) return known.error();
    Known& k = **known;
    LIBSCHED_TRY(ready(&k, limits));
    uint8_t* const line = out + i * nodes.size();
    if (!k.pre_filter.success()) {
      std::fill(line, line + nodes.size(), number_of(k.pre_filter.plugin));
      continue;
    }
    const PreFilterResult& narrowed = k.state->pre_filter();
    if (!narrowed.all_nodes)
      std::fill(of_row.begin(), of_row.end(), number_of(narrowed.restricted.front()));
    const Result<size_t> judged =
        evaluator_->find_all(*k.state, k.pod(), *search, nullptr, of_row.data());
    if (!judged.ok()) return judged.error();
    for (size_t n = 0; n < nodes.size(); ++n) line[n] = of_row[rows_[n]];
  }
  return {};
}

Result<void> Sim::copies(uint64_t pod, Span<uint64_t> nodes, size_t max, const SimQuery& query,
                         size_t* out) {
  if (!query.without.empty())
    return without(query, [&](const SimQuery& rest) { return copies(pod, nodes, max, rest, out); });
  if (query.plugins_given)
    return of_plugins(query,
                      [&](const SimQuery& rest) { return copies(pod, nodes, max, rest, out); });
  const Result<Known*> known = know(pod);
  if (!known.ok()) return known.error();
  LIBSCHED_TRY(evaluator_->check_idle());
  for (size_t i = 0; i < nodes.size(); ++i)
    if (!has_node(nodes[i])) return at_index("nodes", i, stale_node());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const uint32_t row = index_of(nodes[i]);
    Change change(this);  // is undone: the next node sees none of these copies
    size_t there = 0;
    for (; there < max; ++there) {
      const Result<SimVerdict> verdict = ask(*known, row, query.limits);
      if (!verdict.ok()) return verdict.error();
      if (!verdict->passed()) break;
      const Result<uint32_t> slot = place_pod(*known, row);
      if (!slot.ok()) return slot.error();
    }
    out[i] = there;
  }
  return {};
}

Result<Ref<const Decision>> Sim::explain(uint64_t pod, uint64_t node) {
  const Result<Known*> known = know(pod);
  if (!known.ok()) return known.error();
  if (node != 0 && !has_node(node)) return stale_node();
  CheckOptions options;
  options.facts = true;
  const Ref<CycleState> state = make_ref<CycleState>();
  return evaluator_->check(*state, (*known)->pod(),
                           node == 0 ? Str() : Str(view().row(index_of(node)).name), options);
}

}  // namespace libsched
