// What the user of a scheduler gives it to be called: an API client, an observer, a log. While one
// of them runs, the cluster cannot be changed: cycles and events are under way, and an open fork
// would hold them up.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "libsched/scheduler/loop/scheduler.hpp"

namespace libsched {

class Callbacks {
 public:
  // `baton` is null without threads. Calls by threads that do not have it are beside the cluster's.
  Callbacks(Ref<Cluster> cluster, const Baton* baton)
      : cluster_(std::move(cluster)), baton_(baton) {}

  class Inside {
   public:
    explicit Inside(const Callbacks& of) {
      if (of.baton_ == nullptr || of.baton_->held()) judging_.emplace(of.cluster_.get());
    }

   private:
    std::optional<Cluster::Judging> judging_;
  };

 private:
  Ref<Cluster> cluster_;
  const Baton* baton_;
};

class CalledApi final : public ApiClient {
 public:
  CalledApi(Ref<ApiClient> api, Callbacks callbacks)
      : api_(std::move(api)), callbacks_(std::move(callbacks)) {}

  int64_t begin(const ApiRequest& request) override { return api_->begin(request); }
  bool may_wait() const override { return api_->may_wait(); }
  bool keeps_events() const override { return api_->keeps_events(); }
  bool unattended() const override { return api_->unattended(); }
  Result<void> bind(const Pod& pod, Str node) override {
    const Callbacks::Inside inside(callbacks_);
    return api_->bind(pod, node);
  }
  Result<void> delete_pod(const Pod& pod) override {
    const Callbacks::Inside inside(callbacks_);
    return api_->delete_pod(pod);
  }
  Result<void> patch_pod_status(const Pod& pod, const PodStatusPatch& patch) override {
    const Callbacks::Inside inside(callbacks_);
    return api_->patch_pod_status(pod, patch);
  }
  Result<void> update_object(StoredKind kind, const ObjectRef& object, Str patch) override {
    const Callbacks::Inside inside(callbacks_);
    return api_->update_object(kind, object, patch);
  }
  Result<Ref<const ResourceClaim>> create_claim(const ResourceClaim& claim,
                                                Str generate_name) override {
    const Callbacks::Inside inside(callbacks_);
    return api_->create_claim(claim, generate_name);
  }
  Result<void> delete_object(StoredKind kind, Str ns, Str name) override {
    const Callbacks::Inside inside(callbacks_);
    return api_->delete_object(kind, ns, name);
  }
  void event(const Pod& pod, Str type, Str reason, Str action, Str note) override {
    const Callbacks::Inside inside(callbacks_);
    api_->event(pod, type, reason, action, note);
  }

 private:
  Ref<ApiClient> api_;
  Callbacks callbacks_;
};

class CalledObserver final : public SchedulerObserver {
 public:
  CalledObserver(std::shared_ptr<SchedulerObserver> observer, Callbacks callbacks)
      : observer_(std::move(observer)), callbacks_(std::move(callbacks)) {}

  void popped(const QueuedPodInfo& queued) override {
    const Callbacks::Inside inside(callbacks_);
    observer_->popped(queued);
  }
  void assumed(const QueuedPodInfo& queued, Str node) override {
    const Callbacks::Inside inside(callbacks_);
    observer_->assumed(queued, node);
  }
  void bound(const QueuedPodInfo& queued, Str node) override {
    const Callbacks::Inside inside(callbacks_);
    observer_->bound(queued, node);
  }
  void failed(const QueuedPodInfo& queued, Str node, const Failure& failure) override {
    const Callbacks::Inside inside(callbacks_);
    observer_->failed(queued, node, failure);
  }

 private:
  std::shared_ptr<SchedulerObserver> observer_;
  Callbacks callbacks_;
};

class CalledLogger final : public Logger {
 public:
  CalledLogger(std::shared_ptr<Logger> logger, Callbacks callbacks)
      : Logger(logger->level()), logger_(std::move(logger)), callbacks_(std::move(callbacks)) {}

  void log(const LogRecord& record) noexcept override {
    const Callbacks::Inside inside(callbacks_);
    logger_->log(record);
  }

 private:
  std::shared_ptr<Logger> logger_;
  Callbacks callbacks_;
};

}  // namespace libsched
