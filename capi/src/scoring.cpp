// Scores, cycles, assumed pods.
#include "given.hpp"
#include "handles.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

namespace {

const ScoreTable::Column* column_at(const libsched_score_table* t, size_t column) {
  return live(t) && column < unwrap(t)->columns.size() ? &unwrap(t)->columns[column] : nullptr;
}

// Whether a decision has scores: after a failure the table has no rows.
bool has_scores(const libsched_decision* d) {
  return live(d) && unwrap(d)->scored && unwrap(d)->score_error.empty();
}

Result<void> enough(const char* what, size_t given, size_t needed) {
  if (given >= needed) return {};
  return Error{Rc::kBuffer, std::string(what) + " has room for " + std::to_string(given) + ", " +
                                std::to_string(needed) + " are needed"};
}

}  // namespace

extern "C" {

libsched_rc libsched_run_pre_score_plugins(libsched_evaluator* evaluator,
                                           libsched_cycle_state* state, const libsched_pod* pod,
                                           const uint64_t* feasible, size_t words,
                                           libsched_status* status, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, evaluator, state, pod, status);
  LIBSCHED_REQUIRE(error, feasible != nullptr || words == 0);
  return guarded(error, [&]() -> Result<void> {
    LIBSCHED_TRY(enough("the bitmap", words, unwrap(evaluator)->view().word_count()));
    return unwrap(status)->take(
        unwrap(evaluator)->run_pre_score(*unwrap(state), *unwrap(pod), feasible, words));
  });
}

libsched_rc libsched_run_score_plugins(libsched_evaluator* evaluator, libsched_cycle_state* state,
                                       const libsched_pod* pod, const uint64_t* feasible,
                                       size_t words, int64_t* totals, size_t total_count,
                                       libsched_score_table* table, libsched_status* status,
                                       libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, evaluator, state, pod, status);
  LIBSCHED_ALLOW_HANDLES(error, table);
  LIBSCHED_REQUIRE(error, feasible != nullptr || words == 0);
  return guarded(error, [&]() -> Result<void> {
    const size_t used = unwrap(evaluator)->view().word_count();
    LIBSCHED_TRY(enough("the bitmap", words, used));
    if (totals != nullptr) LIBSCHED_TRY(enough("totals", total_count, 64 * used));
    ScoreTable filled;
    Result<Status> ran = unwrap(evaluator)->run_score(*unwrap(state), *unwrap(pod), feasible, used,
                                                      totals, table == nullptr ? nullptr : &filled);
    if (!ran.ok()) return std::move(ran.error());
    if (table != nullptr) *unwrap(table) = std::move(filled);
    unwrap(status)->assign(std::move(*ran));
    return {};
  });
}

libsched_rc libsched_run_cycle(libsched_evaluator* evaluator, libsched_cycle_state* state,
                               const libsched_pod* pod, const libsched_cycle_options* options,
                               libsched_cycle_outcome* outcome, libsched_status* status,
                               libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, evaluator, state, pod, status);
  LIBSCHED_REQUIRE_HANDLES(error, outcome);
  return guarded(error, [&]() -> Result<void> {
    const Result<libsched_cycle_options> o = read_given(options);
    if (!o.ok()) return o.error();
    libsched_cycle_outcome result = LIBSCHED_CYCLE_OUTCOME_INIT;
    LIBSCHED_TRY(writable_struct(outcome, "libsched_cycle_outcome"));
    CycleOptions how;
    how.sampling = o->sampling;
    how.ties = static_cast<TieMode>(o->ties);
    how.seed = o->seed;
    how.limits = limits_of(o->cancel, o->deadline_ns);
    how.fit_error = o->fit_error;
    Result<CycleOutcome> ran = unwrap(evaluator)->run_cycle(*unwrap(state), *unwrap(pod), how);
    if (!ran.ok()) return std::move(ran.error());
    const View& v = unwrap(evaluator)->view();
    result.row = ran->row;
    if (ran->row != kNoId) {
      result.node = wrap(v.node(ran->row));
      result.node_name = out(v.row(ran->row).name);
    }
    result.total = ran->total;
    result.feasible = ran->feasible;
    result.evaluated = ran->evaluated;
    write_struct(outcome, result);
    unwrap(status)->assign(std::move(ran->status));
    return {};
  });
}

size_t libsched_evaluator_next_start(const libsched_evaluator* evaluator) {
  return !live(evaluator) ? 0 : unwrap(evaluator)->next_start();
}
void libsched_evaluator_set_next_start(libsched_evaluator* evaluator, size_t start) {
  if (live(evaluator)) unwrap(evaluator)->set_next_start(start);
}

libsched_rc libsched_evaluator_assume(libsched_evaluator* evaluator, libsched_cycle_state* state,
                                      const libsched_pod* pod, uint32_t row,
                                      const libsched_assume_options* options,
                                      libsched_status* status, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, evaluator, state, pod, status);
  return guarded(error, [&]() -> Result<void> {
    const Result<libsched_assume_options> o = read_given(options);
    if (!o.ok()) return o.error();
    const Time start = o->started ? Time{o->start_ns, true} : Time{};
    return unwrap(status)->take(
        unwrap(evaluator)->assume(*unwrap(state), *unwrap(pod), row, start));
  });
}
libsched_rc libsched_evaluator_forget(libsched_evaluator* evaluator, libsched_cycle_state* state,
                                      const libsched_pod* pod, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, evaluator, state, pod);
  return guarded(error, [&] { return unwrap(evaluator)->forget(*unwrap(state), *unwrap(pod)); });
}

libsched_rc libsched_score_table_create(libsched_score_table** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, result);
  return hand_over(error, result, [&] { return new ScoreTable(); });
}
size_t libsched_score_table_row_count(const libsched_score_table* t) {
  return !live(t) ? 0 : unwrap(t)->rows.size();
}
const uint32_t* libsched_score_table_rows(const libsched_score_table* t) {
  return !live(t) ? nullptr : unwrap(t)->rows.data();
}
const int64_t* libsched_score_table_totals(const libsched_score_table* t) {
  return !live(t) ? nullptr : unwrap(t)->totals.data();
}
size_t libsched_score_table_column_count(const libsched_score_table* t) {
  return !live(t) ? 0 : unwrap(t)->columns.size();
}
libsched_str libsched_score_table_plugin(const libsched_score_table* t, size_t column) {
  const ScoreTable::Column* c = column_at(t, column);
  return c == nullptr ? out(Str()) : out(c->plugin);
}
int64_t libsched_score_table_weight(const libsched_score_table* t, size_t column) {
  const ScoreTable::Column* c = column_at(t, column);
  return c == nullptr ? 0 : c->weight;
}
const int64_t* libsched_score_table_raw(const libsched_score_table* t, size_t column) {
  const ScoreTable::Column* c = column_at(t, column);
  return c == nullptr ? nullptr : c->raw.data();
}
const int64_t* libsched_score_table_normalized(const libsched_score_table* t, size_t column) {
  const ScoreTable::Column* c = column_at(t, column);
  return c == nullptr ? nullptr : c->normalized.data();
}
const int64_t* libsched_score_table_weighted(const libsched_score_table* t, size_t column) {
  const ScoreTable::Column* c = column_at(t, column);
  return c == nullptr ? nullptr : c->weighted.data();
}

const libsched_score_table* libsched_decision_scores(const libsched_decision* d) {
  return has_scores(d) ? wrap(&unwrap(d)->scores) : nullptr;
}
libsched_str libsched_decision_score_error(const libsched_decision* d) {
  return !live(d) ? out(Str()) : out(unwrap(d)->score_error);
}
size_t libsched_decision_skip_score_count(const libsched_decision* d) {
  return !live(d) ? 0 : unwrap(d)->skip_score.size();
}
libsched_str libsched_decision_skip_score(const libsched_decision* d, size_t index) {
  return index < libsched_decision_skip_score_count(d) ? out(unwrap(d)->skip_score[index])
                                                       : out(Str());
}
const uint32_t* libsched_decision_best(const libsched_decision* d, size_t* count) {
  if (count != nullptr) *count = has_scores(d) ? unwrap(d)->best.size() : 0;
  return has_scores(d) ? unwrap(d)->best.data() : nullptr;
}

}  // extern "C"
