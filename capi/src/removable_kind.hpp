// Kinds of objects by their names.
#pragma once

#include <string>

#include "libsched/base/result.hpp"
#include "libsched/objects/stored_kind.hpp"

namespace libsched::capi {

// The kind of objects that clusters keep by kind and name, or kInvalid.
inline Result<StoredKind> kept_kind(Str kind) {
  const size_t stored = find_stored_kind(kind);
  if (stored != kStoredKinds) return static_cast<StoredKind>(stored);
  return Error{Rc::kInvalid, "a cluster keeps no objects of kind \"" + std::string(kind) + "\""};
}

// The kind of objects that are removed by kind and name; kInvalid if clusters do not keep it.
inline Result<StoredKind> removable_kind(Str kind) {
  const size_t stored = find_stored_kind(kind);
  if (stored != kStoredKinds) return static_cast<StoredKind>(stored);
  return Error{Rc::kInvalid, "a cluster keeps no objects of kind \"" + std::string(kind) +
                                 "\" that can be removed by kind and name"};
}

}  // namespace libsched::capi
