// Bytes -> objects: JSON, YAML or Kubernetes protobuf, plain or gzip; single objects, Lists,
// multi-document streams.
//
// One builder serves all formats (YAML and protobuf become JSON first). Either the whole input is
// accepted, or nothing is and the error names the place. Thread-safe: no shared state.
#pragma once

#include <string>
#include <vector>

#include "libsched/base/result.hpp"
#include "libsched/ingest/interrupt.hpp"
#include "libsched/objects/object_set.hpp"

namespace libsched {

// kAuto recognises protobuf by its envelope (k8s\0) alone; kProtobuf reads messages without one,
// too.
enum class Format : uint8_t { kAuto, kJson, kYaml, kProtobuf };

struct ParseOptions {
  Format format = Format::kAuto;
  bool defaults =
      false;            // API defaulting where the scheduler depends on it, and priority admission
  bool strict = false;  // unknown kinds and fields are errors instead of being counted
  bool keep_raw = false;          // keep each object's document (as JSON) for the raw accessors
  bool keep_annotations = false;  // of pods and nodes; keep_raw implies it
  bool validate = false;          // warn of everything the API server would refuse
  size_t max_bytes = size_t{4} << 30;               // of the document
  size_t max_decompressed_bytes = size_t{1} << 30;  // of gzip data, decompressed
  int max_depth = 200;
  Interrupt interrupt;
  // Classes for priority admission in addition to the classes in the input.
  std::vector<PriorityClassRef> priority_classes;
};

// Objects, Lists of them (nested, too), JSON arrays of them, and streams of all these. A namespaced
// object without a namespace is in "default". Errors: Rc::kInvalid (with the path in the input:
// "documents[2].items[3].spec.nodeName"; with line and column if it is no JSON or YAML at all; also
// for a key twice in one mapping and an object twice in the input), kLimit, kUnsupported
// (`strict`), kCancelled (`interrupt`), kNoMemory.
Result<ObjectSet> parse_objects(Str bytes, const ParseOptions& options);

// Parse exactly one object of the kind, which may lack kind and apiVersion. parse_pod() accepts a
// workload and returns its template.
Result<PodRef> parse_pod(Str bytes, const ParseOptions& options);
Result<NodeRef> parse_node(Str bytes, const ParseOptions& options);

}  // namespace libsched
