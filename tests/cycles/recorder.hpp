// Recorder: the API client of a case: applies the case's faults, and writes down calls and events
// as the oracle does.
#pragma once

#include <map>
#include <mutex>
#include <thread>

#include "libsched/objects/pod_group.hpp"
#include "libsched/scheduler/api_memory/api_server.hpp"
#include "world.hpp"

namespace libsched::cycles {

class Recorder final : public ApiClient {
 public:
  // An object that the scheduler updates.
  using Updated = std::function<void(StoredKind, const ObjectMeta&, Str patch)>;
  Recorder(Ref<ApiServer> server, Ref<Clock> clock, int64_t start, Updated updated)
      : server_(std::move(server)),
        clock_(std::move(clock)),
        start_(start),
        updated_(std::move(updated)) {}

  void add_fault(const Json& fault) {
    const std::lock_guard lock(mutex_);
    faults_.push_back({fault});
  }
  void clear_faults() {
    const std::lock_guard lock(mutex_);
    faults_.clear();
  }
  Json take_calls();
  Json take_events();

  int64_t begin(const ApiRequest& request) override;
  bool may_wait() const override;
  Result<void> bind(const Pod& pod, Str node) override;
  Result<void> delete_pod(const Pod& pod) override;
  Result<void> patch_pod_status(const Pod& pod, const PodStatusPatch& patch) override;
  Result<void> update_object(StoredKind kind, const ObjectRef& object, Str patch) override;
  void event(const Pod& pod, Str type, Str reason, Str action, Str note) override;

 private:
  struct Call {
    Json json;
    World::Rule fault;
    bool slow = false;
  };
  int64_t since_start() const { return clock_->now_ns() - start_; }
  Json group_change(const PodGroup& group);
  template <typename F>
  Result<void> end(const ObjectMeta& about, F&& effect);
  std::shared_ptr<Call> begun() const;                    // by this task
  using Maker = std::pair<const void*, std::thread::id>;  // a task, or a thread without one
  static Maker maker();

  Ref<ApiServer> server_;
  Ref<Clock> clock_;
  int64_t start_;
  Updated updated_;
  mutable Mutex mutex_;  // of all that follows
  std::vector<World::Rule> faults_;
  std::vector<std::shared_ptr<Call>> calls_;
  // The call that each task is making: several may be about one object.
  std::map<Maker, std::shared_ptr<Call>> begun_;
  std::map<std::string, Json> groups_;  // the conditions of PodGroups
  std::vector<Json> events_;
};

// As in golden results.
Json condition_json(Str type, Str status, Str reason, Str message);

}  // namespace libsched::cycles
