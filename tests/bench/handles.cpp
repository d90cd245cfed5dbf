// Constructors of the C API's handles, each of which must succeed.
#include "tests/bench/handles.hpp"

#include <cstdio>
#include <cstdlib>

namespace libsched_bench {

void fail(const std::string& what, libsched_error* error) {
  const auto text = [error](auto get) {
    const libsched_str s = get(error);
    return std::string(s.ptr == nullptr ? "" : s.ptr, s.len);
  };
  std::string line = what;
  if (error != nullptr)
    line += ": " + text(libsched_error_path) + ": " + text(libsched_error_message);
  std::fprintf(stderr, "libsched_bench: %s\n", line.c_str());
  std::exit(2);
}

Objects parse_objects(std::string_view document, bool defaults) {
  libsched_parse_options options = LIBSCHED_PARSE_OPTIONS_INIT;
  options.defaults = defaults;
  libsched_objects* out = nullptr;
  libsched_error* error = nullptr;
  must("parse", libsched_objects_parse(str(document), &options, &out, &error), error);
  return Objects(out);
}

Pod parse_pod(std::string_view document) {
  libsched_pod* out = nullptr;
  libsched_error* error = nullptr;
  must("parse pod", libsched_pod_parse(str(document), nullptr, &out, &error), error);
  return Pod(out);
}

Cluster make_cluster() {
  libsched_cluster* out = nullptr;
  libsched_error* error = nullptr;
  must("create cluster", libsched_cluster_create(nullptr, &out, &error), error);
  return Cluster(out);
}

void apply(libsched_cluster* cluster, const libsched_objects* objects) {
  libsched_error* error = nullptr;
  must("apply", libsched_cluster_apply(cluster, objects, &error), error);
}

Framework default_framework() {
  libsched_framework* out = nullptr;
  libsched_error* error = nullptr;
  must("create framework",
       libsched_framework_create(nullptr, str(""), nullptr, nullptr, &out, &error), error);
  return Framework(out);
}

Evaluator make_evaluator(const libsched_framework* framework, libsched_cluster* cluster) {
  libsched_evaluator* out = nullptr;
  libsched_error* error = nullptr;
  must("create evaluator", libsched_evaluator_create(framework, cluster, nullptr, &out, &error),
       error);
  return Evaluator(out);
}

CycleState make_cycle_state() {
  libsched_cycle_state* out = nullptr;
  libsched_error* error = nullptr;
  must("create cycle state", libsched_cycle_state_create(&out, &error), error);
  return CycleState(out);
}

Status make_status() {
  libsched_status* out = nullptr;
  libsched_error* error = nullptr;
  must("create status", libsched_status_create(&out, &error), error);
  return Status(out);
}

}  // namespace libsched_bench
