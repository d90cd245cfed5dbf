// Returns sets of nodes and totals as arrays, for languages whose arrays have a length.
//
// A set is words of 64 bits: bit r % 64 of word r / 64 is row r. Java: BitSet.valueOf(long[]).
#ifndef LIBSCHED_SWIG_ROWS_HPP
#define LIBSCHED_SWIG_ROWS_HPP

#ifndef SWIG
#include <libsched.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace libsched_swig {
struct Rows {
  const uint64_t* words = nullptr;
  size_t count = 0;
};
using Longs = std::vector<uint64_t>;

// Replaces words that replace() made by a copy of others. An empty array is not NULL.
inline void replace(const uint64_t** place, size_t* count, const Rows& rows) {
  uint64_t* copy = rows.words == nullptr ? nullptr : new uint64_t[rows.count + 1];
  if (copy != nullptr) std::copy_n(rows.words, rows.count, copy);
  delete[] *place;
  *place = copy;
  *count = rows.count;
}
}  // namespace libsched_swig
#endif

// libsched_filter_nodes(): returns the nodes of the view that take the pod. `rows`: judge only
// these; null: all. `limit`: stop after this many; 0: judge all. `start`: the first position in the
// node order.
inline libsched_rc libsched_filter_rows(libsched_evaluator* evaluator, libsched_cycle_state* state,
                                        const libsched_view* view, const libsched_pod* pod,
                                        const libsched_swig::Rows& rows, uint32_t limit,
                                        size_t start, libsched_swig::Longs* longs,
                                        libsched_error** error) {
  libsched_filter_options options = LIBSCHED_FILTER_OPTIONS_INIT;
  options.accept = rows.words;
  options.accept_words = rows.count;
  options.limit = limit;
  options.start = start;
  // One word more, so that data() is not NULL without rows.
  longs->resize((libsched_view_row_count(view) + 63) / 64 + 1);
  const libsched_rc rc = libsched_filter_nodes(evaluator, state, pod, &options, longs->data(),
                                               longs->size(), nullptr, nullptr, error);
  longs->pop_back();
  return rc;
}

// libsched_run_pre_score_plugins() over such a set.
inline libsched_rc libsched_pre_score_rows(libsched_evaluator* evaluator,
                                           libsched_cycle_state* state, const libsched_pod* pod,
                                           const libsched_swig::Rows& rows, libsched_status* status,
                                           libsched_error** error) {
  return libsched_run_pre_score_plugins(evaluator, state, pod, rows.words, rows.count, status,
                                        error);
}

// libsched_run_score_plugins() over the same set: returns the total of each row. Totals of other
// rows have no meaning, and no total has one unless `status` is Success.
inline libsched_rc libsched_score_rows(libsched_evaluator* evaluator, libsched_cycle_state* state,
                                       const libsched_pod* pod, const libsched_swig::Rows& rows,
                                       libsched_status* status, libsched_swig::Longs* longs,
                                       libsched_error** error) {
  longs->resize(64 * rows.count + 1);
  const libsched_rc rc = libsched_run_score_plugins(evaluator, state, pod, rows.words, rows.count,
                                                    reinterpret_cast<int64_t*>(longs->data()),
                                                    64 * rows.count, nullptr, status, error);
  longs->pop_back();
  return rc;
}

#endif
