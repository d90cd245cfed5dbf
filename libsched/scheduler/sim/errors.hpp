// Errors of simulated clusters: ids and references that are gone, and their places in arrays.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "libsched/base/result.hpp"

namespace libsched {

inline Error stale_node() { return {Rc::kStale, "the simulated cluster has no node of this id"}; }
inline Error stale_pod() { return {Rc::kStale, "the simulated cluster has no pod of this id"}; }
inline Error stale_node_ref() { return {Rc::kStale, "the catalog has no node of this reference"}; }
inline Error stale_pod_ref() { return {Rc::kStale, "the catalog has no pod of this reference"}; }

// The error about element i of an argument.
inline Error at_index(const char* of, size_t i, Error e) {
  e.path = std::string(of) + "[" + std::to_string(i) + "]";
  return e;
}

}  // namespace libsched
