// Queries: the extension points, filters over many nodes, decisions.
#include <map>

#include "given.hpp"
#include "handles.hpp"

namespace libsched::capi {

Result<FilterOptions> filter_options(const libsched_filter_options* given) {
  const Result<libsched_filter_options> o = read_given(given);
  if (!o.ok()) return o.error();
  FilterOptions f;
  f.limit = o->limit;
  f.accept_given = o->accept != nullptr;
  if (f.accept_given) f.accept = {o->accept, o->accept_words};
  f.start = o->start;
  f.limits = limits_of(o->cancel, o->deadline_ns);
  return f;
}

}  // namespace libsched::capi

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

namespace {

Error no_node(Str name) {
  return {Rc::kNotFound, "node \"" + std::string(name) + "\" is not in the cluster"};
}

Result<uint32_t> judged_row(const Evaluator& evaluator, Str name,
                            const libsched_run_filter_options& options) {
  const View& view = evaluator.view();
  if (!options.by_row) {
    const uint32_t row = view.find_node(name);
    if (row == kNoId) return no_node(name);
    return row;
  }
  if (!name.empty()) return Error{Rc::kMisuse, "the node is given by its name and by its row"};
  if (view.node(options.row) == nullptr) return no_node("row " + std::to_string(options.row));
  return options.row;
}

using ChangePod = Result<Status> (Evaluator::*)(CycleState&, const Pod&, const Pod&, uint32_t);

libsched_rc change_pod(ChangePod change, libsched_evaluator* evaluator, libsched_cycle_state* state,
                       const libsched_pod* pod, const libsched_pod* other, libsched_str node,
                       libsched_status* status, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, evaluator, state, pod, other, status);
  return guarded(error, [&]() -> Result<void> {
    Evaluator& e = *unwrap(evaluator);
    const uint32_t row = e.view().find_node(in(node));
    if (row == kNoId) return no_node(in(node));
    return unwrap(status)->take((e.*change)(*unwrap(state), *unwrap(pod), *unwrap(other), row));
  });
}

// The status of a node; null if the index is out of range, or memory runs out.
const Status* status_at(const libsched_decision* d, size_t index) {
  if (!live(d) || index >= unwrap(d)->node_count) return nullptr;
  return quietly<const Status*>(nullptr, [&] { return &unwrap(d)->status(index); });
}
// The details; null if memory runs out.
const Decision::Details* details_of(const libsched_decision* d) {
  if (!live(d)) return nullptr;
  return quietly<const Decision::Details*>(nullptr, [&] { return &unwrap(d)->details(); });
}

// The facts of a node, or with the number of nodes those of the pod; null if there are none.
const Facts* facts_of(const libsched_decision* d, size_t index) {
  const Decision::Details* details = details_of(d);
  if (details == nullptr) return nullptr;
  if (index == unwrap(d)->node_count) return &unwrap(d)->pod_facts;
  return index < details->facts.size() ? &details->facts[index] : nullptr;
}
const Fact* fact_of(const libsched_decision* d, size_t index, size_t fact) {
  const Facts* facts = facts_of(d, index);
  return facts != nullptr && fact < facts->list().size() ? &facts->list()[fact] : nullptr;
}
const Fact::Field* field_of(const libsched_decision* d, size_t index, size_t fact, size_t field) {
  const Fact* f = fact_of(d, index, fact);
  return f != nullptr && field < f->fields.size() ? &f->fields[field] : nullptr;
}

Result<libsched_check_options> read_check_options(const libsched_check_options* options) {
  const Result<libsched_check_options> o = read_given(options);
  if (!o.ok()) return o;
  LIBSCHED_TRY(live_or_null("options->state", o->state));
  return o;
}
CheckOptions check_options(const libsched_check_options& o) {
  return {o.judge_excluded, o.score, limits_of(o.cancel, o.deadline_ns), o.post_filter, o.facts};
}

}  // namespace

extern "C" {

libsched_rc libsched_evaluator_create(const libsched_framework* framework,
                                      libsched_cluster* cluster,
                                      const libsched_evaluator_options* options,
                                      libsched_evaluator** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, framework, result);
  LIBSCHED_ALLOW_HANDLES(error, cluster);
  return guarded(error, [&]() -> Result<void> {
    const Result<libsched_evaluator_options> o = read_given(options);
    if (!o.ok()) return o.error();
    LIBSCHED_TRY(live_or_null("options->snapshot", o->snapshot));
    if ((cluster != nullptr) == (o->snapshot != nullptr))
      return Error{Rc::kMisuse, cluster != nullptr
                                    ? "cluster and options->snapshot are both given"
                                    : "cluster is NULL, and the options name no snapshot"};
    FrameworkRef owned = FrameworkRef::share(unwrap(framework));
    *result = own(cluster != nullptr
                      ? new Evaluator(std::move(owned), Ref<Cluster>::share(unwrap(cluster)))
                      : new Evaluator(std::move(owned), SnapshotRef::share(unwrap(o->snapshot))));
    return {};
  });
}
libsched_rc libsched_evaluator_set_parallelism(libsched_evaluator* evaluator, uint32_t threads,
                                               libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, evaluator);
  return guarded(error,
                 [&]() -> Result<void> { return unwrap(evaluator)->set_parallelism(threads); });
}

libsched_rc libsched_evaluator_keep_classes(libsched_evaluator* evaluator, uint32_t when,
                                            size_t max_bytes, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, evaluator);
  return guarded(error, [&]() -> Result<void> {
    if (when > LIBSCHED_CLASSES_CHECKED)
      return Error{Rc::kUnsupported,
                   "no LIBSCHED_CLASSES_* has the number " + std::to_string(when)};
    return unwrap(evaluator)->keep_classes(static_cast<ClassMemoryMode>(when), max_bytes);
  });
}

libsched_rc libsched_prefilter_result_create(libsched_prefilter_result** result,
                                             libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, result);
  return hand_over(error, result, [&] { return new PreFilterObject(); });
}
bool libsched_prefilter_result_all_nodes(const libsched_prefilter_result* r) {
  return !live(r) || unwrap(r)->result.all_nodes;
}
size_t libsched_prefilter_result_node_count(const libsched_prefilter_result* r) {
  return !live(r) ? 0 : unwrap(r)->result.nodes.size();
}
libsched_str libsched_prefilter_result_node(const libsched_prefilter_result* r, size_t index) {
  return index < libsched_prefilter_result_node_count(r) ? out(unwrap(r)->result.nodes[index])
                                                         : out(Str());
}
size_t libsched_prefilter_result_plugin_count(const libsched_prefilter_result* r) {
  return !live(r) ? 0 : unwrap(r)->result.restricted.size();
}
libsched_str libsched_prefilter_result_plugin(const libsched_prefilter_result* r, size_t index) {
  return index < libsched_prefilter_result_plugin_count(r)
             ? out(unwrap(r)->result.restricted[index])
             : out(Str());
}
void libsched_prefilter_result_set_nodes(libsched_prefilter_result* r, const libsched_str* names,
                                         size_t count) {
  if (!live(r) || (names == nullptr && count != 0)) return;
  PreFilterObject& object = *unwrap(r);
  object.out_of_memory = !quietly(false, [&] {
    std::vector<std::string> list;
    for (size_t i = 0; i < count; ++i) list.emplace_back(in(names[i]));
    object.result = {};
    object.result.narrow(std::move(list));
    return true;
  });
  if (!object.out_of_memory) return;
  object.result.all_nodes = false;
  object.result.nodes.clear();
  object.result.restricted.clear();
}

libsched_rc libsched_run_pre_enqueue_plugins(libsched_evaluator* evaluator, const libsched_pod* pod,
                                             libsched_status* status, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, evaluator, pod, status);
  return guarded(error, [&]() -> Result<void> {
    LIBSCHED_TRY(unwrap(evaluator)->may_ask());
    unwrap(status)->assign(unwrap(evaluator)->run_pre_enqueue(*unwrap(pod)));
    return {};
  });
}

libsched_rc libsched_run_pre_filter_plugins(libsched_evaluator* evaluator,
                                            libsched_cycle_state* state, const libsched_pod* pod,
                                            libsched_prefilter_result* result,
                                            libsched_status* status, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, evaluator, state, pod, status);
  LIBSCHED_ALLOW_HANDLES(error, result);
  return guarded(error, [&]() -> Result<void> {
    Result<Status> ran = unwrap(evaluator)->run_pre_filter(*unwrap(state), *unwrap(pod));
    if (!ran.ok()) return std::move(ran.error());
    unwrap(status)->assign(std::move(*ran));
    if (result != nullptr) {
      unwrap(result)->result = unwrap(state)->pre_filter();
      unwrap(result)->out_of_memory = false;
    }
    return {};
  });
}

libsched_rc libsched_run_filter_plugins(libsched_evaluator* evaluator, libsched_cycle_state* state,
                                        const libsched_pod* pod, libsched_str node,
                                        const libsched_run_filter_options* options,
                                        libsched_status* status, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, evaluator, state, pod, status);
  return guarded(error, [&]() -> Result<void> {
    libsched_run_filter_options copy LIBSCHED_RUN_FILTER_OPTIONS_INIT;
    const libsched_run_filter_options* o = options;
    LIBSCHED_TRY(read_struct(&o, &copy, "libsched_run_filter_options"));
    LIBSCHED_TRY(refuse_reserved(o->reserved, "libsched_run_filter_options"));
    Evaluator& e = *unwrap(evaluator);
    const Result<uint32_t> row = judged_row(e, in(node), *o);
    if (!row.ok()) return row.error();
    CycleState& s = *unwrap(state);
    Status* const filled = unwrap(status)->blank();
    return o->nominated ? e.run_filter_with_nominated(s, *unwrap(pod), *row, filled)
                        : e.run_filter(s, *unwrap(pod), *row, filled);
  });
}

libsched_rc libsched_run_pre_filter_extension_add_pod(
    libsched_evaluator* evaluator, libsched_cycle_state* state, const libsched_pod* pod,
    const libsched_pod* other, libsched_str node, libsched_status* status, libsched_error** error) {
  return change_pod(&Evaluator::run_add_pod, evaluator, state, pod, other, node, status, error);
}
libsched_rc libsched_run_pre_filter_extension_remove_pod(
    libsched_evaluator* evaluator, libsched_cycle_state* state, const libsched_pod* pod,
    const libsched_pod* other, libsched_str node, libsched_status* status, libsched_error** error) {
  return change_pod(&Evaluator::run_remove_pod, evaluator, state, pod, other, node, status, error);
}

libsched_rc libsched_filter_nodes(libsched_evaluator* evaluator, libsched_cycle_state* state,
                                  const libsched_pod* pod, const libsched_filter_options* options,
                                  uint64_t* feasible, size_t words, size_t* count, uint32_t* first,
                                  libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, evaluator, state, pod);
  LIBSCHED_REQUIRE(error, feasible != nullptr || words == 0);
  return guarded(error, [&]() -> Result<void> {
    const Result<FilterOptions> f = filter_options(options);
    if (!f.ok()) return f.error();
    const size_t needed = unwrap(evaluator)->view().word_count();
    if (words < needed)
      return Error{Rc::kBuffer, "the bitmap has " + std::to_string(words) + " words, " +
                                    std::to_string(needed) + " are needed"};
    Result<FilterOutcome> done =
        unwrap(evaluator)->filter_nodes(*unwrap(state), *unwrap(pod), *f, feasible, words);
    if (!done.ok()) return done.error();
    if (count != nullptr) *count = done->count;
    if (first != nullptr) *first = done->first;
    return {};
  });
}

libsched_rc libsched_check_pod_fits(libsched_evaluator* evaluator, const libsched_pod* pod,
                                    libsched_str node, const libsched_check_options* options,
                                    libsched_decision** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, evaluator, pod, result);
  return hand_over(error, result, [&]() -> Result<Ref<const Decision>> {
    const Result<libsched_check_options> o = read_check_options(options);
    if (!o.ok()) return o.error();
    const Lent<CycleState> fresh;
    CycleState& state = o->state == nullptr ? *fresh : *unwrap(o->state);
    return unwrap(evaluator)->check(state, *unwrap(pod), in(node), check_options(*o));
  });
}

libsched_rc libsched_check_pods_fit(libsched_evaluator* evaluator, const libsched_pod* const* pods,
                                    size_t count, const libsched_check_options* options,
                                    libsched_decision** result, libsched_error** error) {
  LIBSCHED_REQUIRE(error, count == 0 || result != nullptr);
  LIBSCHED_REQUIRE_HANDLES(error, evaluator);
  LIBSCHED_REQUIRE_EACH(error, pods, count);
  return guarded(error, [&]() -> Result<void> {
    constexpr uint32_t kDefaultCalls = 8, kMostCalls = 1024;
    const Result<libsched_check_options> o = read_check_options(options);
    if (!o.ok()) return o.error();
    if (o->state != nullptr) return Error{Rc::kMisuse, "options->state == NULL"};
    if (o->extender_calls > kMostCalls)
      return Error{Rc::kMisuse, "options->extender_calls <= 1024"};
    std::vector<const Pod*> asked;
    for (size_t i = 0; i < count; ++i) asked.push_back(unwrap(pods[i]));
    Result<std::vector<Ref<const Decision>>> decided = unwrap(evaluator)->check_each(
        asked, check_options(*o), o->extender_calls == 0 ? kDefaultCalls : o->extender_calls);
    if (!decided.ok()) return decided.error();
    for (size_t i = 0; i < count; ++i) result[i] = own(give(std::move((*decided)[i])));
    return {};
  });
}

size_t libsched_decision_feasible_count(const libsched_decision* d) {
  return !live(d) ? 0 : unwrap(d)->feasible_count;
}
libsched_str libsched_decision_feasible(const libsched_decision* d, size_t index) {
  if (index >= libsched_decision_feasible_count(d)) return out(Str());
  const Decision::Details* details = details_of(d);
  return details == nullptr ? out(Str()) : libsched_decision_node(d, details->feasible[index]);
}
size_t libsched_decision_node_count(const libsched_decision* d) {
  return !live(d) ? 0 : unwrap(d)->node_count;
}
libsched_str libsched_decision_node(const libsched_decision* d, size_t index) {
  const bool there = status_at(d, index) != nullptr;
  return there ? out(unwrap(d)->node(index)) : out(Str());
}
libsched_code libsched_decision_code(const libsched_decision* d, size_t index) {
  const Status* s = status_at(d, index);
  return s == nullptr ? LIBSCHED_CODE_ERROR : static_cast<libsched_code>(s->code);
}
libsched_str libsched_decision_plugin(const libsched_decision* d, size_t index) {
  const Status* s = status_at(d, index);
  return s == nullptr ? out(Str()) : out(s->plugin);
}
size_t libsched_decision_reason_count(const libsched_decision* d, size_t index) {
  const Status* s = status_at(d, index);
  return s == nullptr ? 0 : s->reasons.size();
}
libsched_str libsched_decision_reason(const libsched_decision* d, size_t index, size_t reason) {
  return reason < libsched_decision_reason_count(d, index)
             ? out(status_at(d, index)->reasons[reason])
             : out(Str());
}
size_t libsched_decision_fact_count(const libsched_decision* d, size_t index) {
  const Facts* facts = facts_of(d, index);
  return facts == nullptr ? 0 : facts->list().size();
}
libsched_str libsched_decision_fact_reason(const libsched_decision* d, size_t index, size_t fact) {
  const Fact* f = fact_of(d, index, fact);
  return f == nullptr ? out(Str()) : out(f->reason);
}
size_t libsched_decision_fact_field_count(const libsched_decision* d, size_t index, size_t fact) {
  const Fact* f = fact_of(d, index, fact);
  return f == nullptr ? 0 : f->fields.size();
}
libsched_str libsched_decision_fact_field_name(const libsched_decision* d, size_t index,
                                               size_t fact, size_t field) {
  const Fact::Field* f = field_of(d, index, fact, field);
  return f == nullptr ? out(Str()) : out(Str(f->name));
}
uint32_t libsched_decision_fact_type(const libsched_decision* d, size_t index, size_t fact,
                                     size_t field) {
  const Fact::Field* f = field_of(d, index, fact, field);
  return f == nullptr ? uint32_t{LIBSCHED_FACT_NUMBER} : static_cast<uint32_t>(f->value.index());
}
int64_t libsched_decision_fact_number(const libsched_decision* d, size_t index, size_t fact,
                                      size_t field) {
  const Fact::Field* f = field_of(d, index, fact, field);
  if (f == nullptr) return 0;
  const auto* flag = std::get_if<bool>(&f->value);
  if (flag != nullptr) return *flag ? 1 : 0;
  const auto* number = std::get_if<int64_t>(&f->value);
  return number == nullptr ? 0 : *number;
}
size_t libsched_decision_fact_text_count(const libsched_decision* d, size_t index, size_t fact,
                                         size_t field) {
  const Fact::Field* f = field_of(d, index, fact, field);
  if (f == nullptr) return 0;
  const auto* texts = std::get_if<std::vector<std::string>>(&f->value);
  return texts != nullptr ? texts->size() : std::holds_alternative<std::string>(f->value) ? 1 : 0;
}
libsched_str libsched_decision_fact_text(const libsched_decision* d, size_t index, size_t fact,
                                         size_t field, size_t text) {
  const Fact::Field* f = field_of(d, index, fact, field);
  if (f == nullptr) return out(Str());
  if (const auto* texts = std::get_if<std::vector<std::string>>(&f->value))
    return text < texts->size() ? out((*texts)[text]) : out(Str());
  const auto* one = std::get_if<std::string>(&f->value);
  return one != nullptr && text == 0 ? out(*one) : out(Str());
}
bool libsched_decision_excluded(const libsched_decision* d, size_t index) {
  return status_at(d, index) != nullptr && unwrap(d)->excluded(index);
}
const int8_t* libsched_decision_codes(const libsched_decision* d) {
  const Decision::Details* details = details_of(d);
  return details == nullptr ? nullptr : details->codes.data();
}
libsched_str libsched_decision_error(const libsched_decision* d) {
  return !live(d) ? out(Str()) : out(unwrap(d)->error);
}
bool libsched_decision_gate(const libsched_decision* d, libsched_status* status) {
  if (!live(d) || !unwrap(d)->pre_enqueue) return false;
  if (live(status)) {
    unwrap(status)->assign(Status());
    unwrap(status)->write([&](Status& s) { s = *unwrap(d)->pre_enqueue; });
  }
  return true;
}
libsched_rc libsched_decision_reason_totals(const libsched_decision* decision,
                                            libsched_reason_total* result, size_t capacity,
                                            size_t* count, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, decision, count);
  LIBSCHED_REQUIRE(error, result != nullptr || capacity == 0);
  return guarded(error, [&]() -> Result<void> {
    const Decision::Details& d = unwrap(decision)->details();
    std::vector<size_t> nodes(d.statuses.size());  // nodes with a status
    for (const uint32_t s : d.status) ++nodes[s];
    std::map<std::pair<Str, Str>, libsched_reason_total> totals;
    for (size_t s = 0; s < nodes.size(); ++s) {
      const Status& status = d.statuses[s];
      if (nodes[s] == 0) continue;
      for (const std::string& reason : status.reasons) {
        libsched_reason_total& total = totals[{reason, status.plugin}];
        total.reason = out(reason);
        total.plugin = out(status.plugin);
        total.nodes += nodes[s];
      }
    }
    size_t i = 0;
    for (const auto& [key, total] : totals)
      if (i < capacity) result[i++] = total;
    *count = totals.size();
    return {};
  });
}
bool libsched_decision_post_filter(const libsched_decision* d, libsched_status* status) {
  if (!live(d) || !unwrap(d)->post_filter) return false;
  if (live(status)) {
    unwrap(status)->assign(Status());
    unwrap(status)->write([&](Status& s) { s = *unwrap(d)->post_filter; });
  }
  return true;
}
libsched_str libsched_decision_nominated_node(const libsched_decision* d) {
  return !live(d) || !unwrap(d)->nomination || !unwrap(d)->nomination->override_node
             ? out(Str())
             : out(unwrap(d)->nomination->node);
}
size_t libsched_decision_victim_count(const libsched_decision* d) {
  return !live(d) ? 0 : unwrap(d)->preemption.victims.size();
}
const libsched_pod* libsched_decision_victim(const libsched_decision* d, size_t index) {
  return index < libsched_decision_victim_count(d)
             ? wrap(unwrap(d)->preemption.victims[index].get())
             : nullptr;
}
libsched_str libsched_decision_fit_error(const libsched_decision* d) {
  if (!live(d)) return out(Str());
  const Decision::Details* details = details_of(d);
  return details == nullptr ? out(Str("out of memory")) : out(details->fit_error);
}

libsched_rc libsched_decision_explain_json(const libsched_decision* decision,
                                           libsched_text** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, decision, result);
  return hand_over(error, result, [&] { return unwrap(decision)->explain_json(); });
}

}  // extern "C"
