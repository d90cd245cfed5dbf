// What the user of a scheduler gives it to be called: an API client, an observer, a log. While one
// of them runs, the cluster cannot be changed: cycles and events are under way, and an open fork
// would hold them up.
#pragma once

#include <memory>
#include <utility>

#include "libsched/scheduler/loop/forwarding_api.hpp"
#include "libsched/scheduler/loop/scheduler.hpp"

namespace libsched {

class Callbacks {
 public:
  // `baton` is null without threads. Calls by threads that do not have it are beside the cluster's.
  Callbacks(Ref<Cluster> cluster, const Baton* baton)
      : cluster_(std::move(cluster)), baton_(baton) {}

  class Inside {
   public:
    explicit Inside(const Callbacks& of)
        : judging_(of.baton_ == nullptr || of.baton_->held() ? of.cluster_.get() : nullptr) {}

   private:
    Cluster::Judging judging_;
  };
  Inside enter() const { return Inside(*this); }

 private:
  Ref<Cluster> cluster_;
  const Baton* baton_;
};

using CalledApi = ForwardingApi<Callbacks>;

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
