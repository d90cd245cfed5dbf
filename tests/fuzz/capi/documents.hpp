// The dictionary: valid and invalid names, amounts and documents from which arguments are made.
#pragma once

#include <string>

#include "choices.hpp"

namespace fuzz {

enum class Words : uint8_t {
  kNode,
  kPod,
  kNamespace,
  kObject,
  kKind,
  kUid,
  kResource,
  kKey,
  kPlugin,
  kPoint,
  kProfile,
  kPath,
  kAny,
  kTable,
  kTrace,
  kExpression,
  kPodDocument,
  kNodeDocument,
  kObjectsDocument,
  kConfigDocument,
  kFlat,
};

// A text that fits the purpose most of the time.
std::string make_text(Choices& choose, Words words);

// Documents that are always valid. A pod with the label "plain" only requests resources; a pod with
// the label "gentle" repels no other pod.
std::string node_document(Choices& choose);
std::string pod_document(Choices& choose, bool plain);

}  // namespace fuzz
