// ApiDispatcher: calls to the API server beside the cycles, with SchedulerAsyncAPICalls. Upstream's
// backend/api_dispatcher and framework/api_calls.
//
// Of each pod at most one call is waiting, and at most one is being made. A binding replaces a
// waiting patch of the status, and makes new patches void; a patch takes over what it does not set
// from the patch that it replaces.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "libsched/framework/api_calls.hpp"
#include "libsched/scheduler/baton.hpp"
#include "libsched/scheduler/loop/turns.hpp"

namespace libsched {

class ApiDispatcher final : public ApiCalls {
 public:
  // `turns` and `baton`: those of the scheduler's tasks, or null.
  ApiDispatcher(Services& services, Turns* turns, Baton* baton)
      : services_(services), turns_(turns), baton_(baton) {}

  // ApiCalls.
  void patch_pod_status(const PodRef& pod, const PodStatusPatch::Condition* condition,
                        const std::optional<Nomination>& nomination) override;
  Steps<Result<void>> bind(PodRef pod, Str node) override;

  // The pod has changed at the API server: a patch that is waiting counts from there.
  void sync(const PodRef& pod);

 private:
  struct Call {
    PodRef pod;
    std::string node;  // of a binding; "": a patch
    std::optional<PodStatusPatch::Condition> condition;
    std::optional<Nomination> nomination;  // overrides; absent: as it is
    bool begun = false;
    bool done = false;
    Result<void> result;

    bool binds() const { return !node.empty(); }
    ApiCallType type() const {
      return binds() ? ApiCallType::kPodBinding : ApiCallType::kPodStatusPatch;
    }
    PodStatusPatch patch() const;
    bool changes_nothing() const;
  };
  using CallRef = std::shared_ptr<Call>;

  bool add(const std::string& uid, const CallRef& call);
  bool merge(const std::string& uid, Call& old, Call& call);
  void drop(const std::string& uid);
  Steps<> make_next();
  Steps<> make(std::string uid);
  void finish(Call& call, Result<void> result);
  Steps<> wait_for(const Call& call);

  Services& services_;
  Turns* const turns_;
  Baton* const baton_;
  std::map<std::string, CallRef> calls_;  // by uid: the latest
  std::deque<std::string> waiting_;       // uids
  std::set<std::string> under_way_;       // likewise, of calls that are being made
  Mutex mutex_;
  Signal finished_;
};

}  // namespace libsched
