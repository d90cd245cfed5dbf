// The C API in C++ for the benchmarks: handles that release themselves, and must(), which
// ends the program with the error's text. A benchmark never continues after an error.
#pragma once

#include <libsched.h>

#include <memory>
#include <string>
#include <string_view>

namespace libsched_bench {

template <auto unref>
struct Release {
  void operator()(auto* handle) const { unref(handle); }
};

template <class T, auto unref>
using Handle = std::unique_ptr<T, Release<unref>>;

using Objects = Handle<libsched_objects, libsched_objects_unref>;
using Pod = Handle<libsched_pod, libsched_pod_unref>;
using Cluster = Handle<libsched_cluster, libsched_cluster_unref>;
using Snapshot = Handle<libsched_snapshot, libsched_snapshot_unref>;
using Framework = Handle<libsched_framework, libsched_framework_unref>;
using Evaluator = Handle<libsched_evaluator, libsched_evaluator_unref>;
using CycleState = Handle<libsched_cycle_state, libsched_cycle_state_unref>;
using Status = Handle<libsched_status, libsched_status_unref>;
using Decision = Handle<libsched_decision, libsched_decision_unref>;

inline libsched_str str(std::string_view text) { return {text.data(), text.size()}; }

// Ends the program, saying why: `what` and the error.
[[noreturn]] void fail(const std::string& what, libsched_error* error);

// `error` by reference: it is read after the call that is another argument.
inline void must(const char* what, libsched_rc code, libsched_error* const& error) {
  if (code != LIBSCHED_OK) [[unlikely]]
    fail(what, error);
}

Objects parse_objects(std::string_view document, bool defaults = false);
Pod parse_pod(std::string_view document);
Cluster make_cluster();
void apply(libsched_cluster* cluster, const libsched_objects* objects);
Framework default_framework();
Evaluator make_evaluator(const libsched_framework* framework, libsched_cluster* cluster);
CycleState make_cycle_state();
Status make_status();

}  // namespace libsched_bench
