// The groups of benchmarks. Clusters and documents are made when the first benchmark that needs
// them runs, so that a filter on names (--benchmark_filter) also saves their cost.
#pragma once

#include <string>
#include <string_view>

namespace libsched_bench {

void add_filter_benchmarks();      // filter/...: every node for one pod, and the limit
void add_run_filter_benchmarks();  // run_filter/...: one node for one pod
void add_check_benchmarks();       // check/...: decisions about a pod that fits nowhere
void add_cycle_benchmarks();       // cycle/...: whole cycles, and the limit
void add_ingest_benchmarks();      // ingest/...: JSON to objects
void add_ingest_limit_benchmarks();
void add_boundary_benchmarks();  // boundary/...: a call that does nothing
void add_fork_benchmarks();      // fork/...: fork, add nodes and pods, revert
void add_place_benchmarks();     // place/..., sign/...: many pods one after the other
void add_rate_benchmarks();      // rate/...: parsed pods from PreFilter to assume
void add_loop_benchmarks();      // loop/..., million/...: a scheduler on an API server in memory
void add_state_benchmarks();     // state/...: single changes, copies, a whole cluster
void add_snapshot_benchmarks();  // snapshot/...: a snapshot after one change
void add_scale_benchmarks();     // scale/...: questions about clusters of several sizes
void add_sim_benchmarks();       // sim/c/..., peak/...: a simulated cluster
void add_plugin_benchmarks();    // plugin/...: what a plugin in C costs
void add_devices_benchmarks();   // devices/..., cel/...: pods with claims; expressions
void add_memory_benchmarks();    // memory/...: resident bytes; each in a process of its own

// The objects and pods of devices/VARIANT as a List, for upstream.
std::string devices_document(std::string_view variant);

}  // namespace libsched_bench
