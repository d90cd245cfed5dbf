// What a plugin in another process says of itself at the start (docs/plugin_protocol.md,
// "describe").
#pragma once

#include <string>
#include <vector>

#include "libsched/base/result.hpp"
#include "net/src/remote/said.hpp"

namespace libsched::remote {

constexpr int kProtocol = 1;

// The calls that a plugin may take part in, in the order in which a scheduler makes them.
enum class Point {
  kPreEnqueue,
  kQueueSort,
  kQueueingHint,
  kPreFilter,
  kAddPod,
  kRemovePod,
  kFilter,
  kPostFilter,
  kPreScore,
  kScore,
  kNormalizeScore,
  kReserve,
  kUnreserve,
  kPermit,
  kPreBindPreFlight,
  kPreBind,
  kBind,
  kPostBind,
  kSign,
  kCount
};
const char* name_of(Point point);

// What a plugin wants to know about each node, besides its name.
struct Wants {
  bool node = false;       // the document
  bool pods = false;       // the documents of its pods
  bool pod_keys = false;   // their namespaces and names
  bool resources = false;  // what is allocatable and requested
  bool of_pods() const { return pods || pod_keys || resources; }
  bool operator==(const Wants&) const = default;
};

struct RegisteredEvent {
  std::string resource;
  int64_t actions = 0;
  bool hint = false;
  bool operator==(const RegisteredEvent&) const = default;
};

struct Description {
  uint32_t points = 0;  // a bit for each Point
  std::vector<std::string> reasons;
  Wants wants;
  bool state = false;  // the plugin keeps something for each state, and so needs clone and drop
  bool has_events = false;
  std::vector<RegisteredEvent> events;
  std::string instance_name;

  bool has(Point point) const { return (points >> static_cast<int>(point) & 1) != 0; }
  bool operator==(const Description&) const = default;
};

// Appends the names of event actions as a list of texts.
void append_actions(std::string* out, int64_t actions);

// Reads an answer to "describe" or "hello". Errors: INVALID, with the place in the answer as path.
Result<Description> description_of(const Said& answer);

}  // namespace libsched::remote
