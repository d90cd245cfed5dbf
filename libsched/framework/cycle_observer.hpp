// CycleObserver: is notified of the extension points of a scheduling cycle and its binding cycle.
// It reads and changes nothing of the decision.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libsched/framework/cycle_state.hpp"
#include "libsched/framework/node_statuses.hpp"
#include "libsched/framework/nominator.hpp"
#include "libsched/framework/scoring.hpp"
#include "libsched/framework/waiting_pods.hpp"

namespace libsched {

// The numbers are part of the C API.
enum class CyclePoint : uint8_t {
  kPreFilter = 0,
  kFilterNominated = 1,  // Filter of the node that the pod is nominated to, before all others
  kFilter = 2,
  kPostFilter = 3,
  kPreScore = 4,
  kScore = 5,
  kReserve = 6,
  kUnreserve = 7,
  kPermit = 8,
  kPreBindPreFlight = 9,
  kWaitOnPermit = 10,
  kPreBind = 11,
  kBind = 12,
  kPostBind = 13,
};

// A point that begins or has ended; the results are set when it has ended.
struct CycleEvent {
  CyclePoint point = CyclePoint::kPreFilter;
  bool ended = false;
  const Pod* pod = nullptr;
  CycleState* state = nullptr;
  Str node = {};                   // from Reserve on
  const Status* status = nullptr;  // null: the point has none, as do Filters of a set of nodes
  // Only of a cycle that judges node by node: the nodes in order, up to the first Error, with the
  // status of each, and all scores.
  Span<uint32_t> judged = {};
  const NodeStatuses* statuses = nullptr;
  const ScoreTable* scores = nullptr;
  Span<PermitWait> waits = {};             // of Permit
  const Nomination* nomination = nullptr;  // of PostFilter
};

// Called on the thread that runs the point.
class CycleObserver {
 public:
  virtual ~CycleObserver() = default;
  virtual void hear(const CycleEvent& event) = 0;
};

}  // namespace libsched
