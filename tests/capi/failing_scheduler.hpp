// Documents and calls for tests of schedulers and simulations with failing allocations.
#pragma once

#include <doctest/doctest.h>

#include <libsched.h>

#include <functional>
#include <string>

#include "failing_allocation.hpp"

namespace failing_scheduler_test {

inline constexpr int64_t kSecond = 1'000'000'000;

inline std::string out(libsched_str s) { return std::string(s.ptr == nullptr ? "" : s.ptr, s.len); }

#define SURE(call)                                                            \
  do {                                                                        \
    libsched_error* error_ = nullptr;                                         \
    libsched_error** const err = &error_;                                     \
    const libsched_rc rc_ = (call);                                           \
    REQUIRE_MESSAGE(rc_ == LIBSCHED_OK, out(libsched_error_message(error_))); \
  } while (false)

// Makes a call with the n-th allocation failing, or with it and all later ones. Returns whether an
// allocation has failed.
inline bool starved(long n, bool ever, const std::function<libsched_rc()>& call, libsched_rc* rc) {
  const long before = failures;
  left = n;
  for_ever = ever;
  *rc = call();
  left = 0;
  for_ever = false;
  return failures != before;
}

inline std::string pod_text(const std::string& name, int cpu, int priority,
                            const std::string& more = "") {
  return "kind: Pod\napiVersion: v1\nmetadata: {namespace: d, name: " + name +
         ", uid: a-uid-too-long-for-a-small-string-" + name +
         "}\nspec: {schedulerName: default-scheduler, priority: " + std::to_string(priority) +
         more + ", containers: [{name: c, resources: {requests: {cpu: " + std::to_string(cpu) +
         "}}}]}\n---\n";
}

inline const std::string kNodes =
    "kind: Node\napiVersion: v1\nmetadata: {name: a-node-with-quite-a-long-name}\nstatus: "
    "{allocatable: {cpu: 4, memory: 1Gi, pods: 9}}\n---\n"
    "kind: Node\napiVersion: v1\nmetadata: {name: another-node-with-a-long-name, labels: "
    "{kubernetes.io/hostname: another-node-with-a-long-name}}\nstatus: "
    "{allocatable: {cpu: 2, memory: 1Gi, pods: 9}}\n---\n";

// A claim that waits for its first pod.
inline const std::string kStorage =
    "kind: StorageClass\napiVersion: storage.k8s.io/v1\nmetadata: {name: "
    "a-class-with-a-long-name}\n"
    "provisioner: csi.example.com\nvolumeBindingMode: WaitForFirstConsumer\nallowedTopologies: "
    "[{matchLabelExpressions: [{key: kubernetes.io/hostname, values: "
    "[another-node-with-a-long-name]}]}]"
    "\n---\nkind: PersistentVolumeClaim\napiVersion: v1\nmetadata: {namespace: d, name: "
    "a-claim-with-a-long-name}\nspec: {storageClassName: a-class-with-a-long-name, accessModes: "
    "[ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n---\n";
inline const std::string kClaiming =
    ", volumes: [{name: v, persistentVolumeClaim: {claimName: a-claim-with-a-long-name}}]";

inline libsched_objects* parse(const std::string& text) {
  libsched_objects* objects = nullptr;
  SURE(libsched_objects_parse({text.data(), text.size()}, nullptr, &objects, err));
  return objects;
}

inline size_t times(const std::string& in, const std::string& what) {
  size_t count = 0;
  for (size_t at = in.find(what); at != std::string::npos; at = in.find(what, at + 1)) ++count;
  return count;
}

}  // namespace failing_scheduler_test
