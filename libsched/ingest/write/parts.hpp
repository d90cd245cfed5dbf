// The parts of documents that several kinds have.
#pragma once

#include "libsched/ingest/write/json_text.hpp"
#include "libsched/objects/pod.hpp"
#include "libsched/objects/stored_kind.hpp"

namespace libsched {

// RFC 3339 in UTC, with nanoseconds if there are any.
void write_time_if(JsonText& json, Str name, const Time& time);
// apiVersion, kind and metadata. `more` annotations are written beside those that were kept. With
// a `generate_name` the API server makes the name and the uid.
void write_head(JsonText& json, Str api_version, Str kind, const ObjectMeta& meta, Str more = {},
                Span<Str> finalizers = {}, Str generate_name = {});
// Nothing if the selector is absent.
void write_label_selector(JsonText& json, Str name, const LabelSelector& selector);
void write_node_selector(JsonText& json, Str name, const NodeSelector& selector);
// The fields of a term, inside of its object.
void write_node_selector_term(JsonText& json, const NodeSelectorTerm& term);
void write_tolerations_if(JsonText& json, Span<Toleration> tolerations);
// A whole document of a kind of resource.k8s.io.
void write_resource_object(JsonText& json, StoredKind kind, const Object& object);

}  // namespace libsched
