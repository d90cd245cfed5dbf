// Objects as documents: JSON with every field that the library has kept of them.
//
// Parsed again without defaulting, a document gives an object that all plugins judge the same.
// Fields that no plugin reads (env, probes, ...) are not part of it, nor are annotations that were
// not kept. What is kept of a field only as a hash, to notice its changes, is lost as well: a
// node's conditions and the times of its taints, and a pod's
// extendedResourceClaimStatus.requestMappings.
#pragma once

#include "libsched/ingest/write/json_text.hpp"
#include "libsched/objects/node.hpp"
#include "libsched/objects/resource_claim.hpp"
#include "libsched/objects/stored_kind.hpp"

namespace libsched {

// `node_name` is written in place of the pod's own.
void write_pod(JsonText& json, const Pod& pod, Str node_name);
void write_node(JsonText& json, const Node& node);
void write_stored(JsonText& json, StoredKind kind, const Object& object);

// A claim that is to be created: the API server makes its name and its uid.
void write_new_claim(JsonText& json, const ResourceClaim& claim, Str generate_name);
// The status of a claim, and the parts of it that a merge patch takes away if they are null.
void write_claim_status(JsonText& json, const ResourceClaim& claim);
void write_allocation_or_null(JsonText& json, const ResourceClaim& claim);
void write_reserved_for_or_null(JsonText& json, const ResourceClaim& claim);

}  // namespace libsched
