// Scene: what the case of a script is about: an API server, its objects, the plugins and profiles.
#pragma once

#include <memory>
#include <stdexcept>
#include <vector>

#include "documents.hpp"
#include "libsched/scheduler/loop/scheduler.hpp"
#include "recorder.hpp"

namespace libsched::cycles {

// A case that cannot be run.
struct BadCase : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr int64_t kStart = 946'684'800'000'000'000;  // 2000-01-01
constexpr int64_t kFirstStep = kStart + 1'300'000'000;

void must(const Result<void>& done);  // throws BadCase

// A case's configuration, under its feature gates, and the frameworks of its profiles.
struct Configured {
  // Throws BadCase.
  Configured(const Json& c, const RegistryRef& registry);
  ConfigRef config;
  std::vector<FrameworkRef> frameworks;
};

class Scene {
 public:
  Scene(const Json& c, const Ref<Clock>& clock);

  const Ref<ApiServer>& server() const { return server_; }
  Documents& documents() { return *documents_; }
  World& world() { return *world_; }
  Recorder& recorder() { return *recorder_; }
  // The queue's options are those of the case.
  SchedulerRef scheduler(SchedulerOptions options) const;
  // Does a step other than `advance`; the result gets its error.
  void step(const Json& step, Scheduler& scheduler, Json& result);

 private:
  void decide(const Json& step, Scheduler& scheduler, Json& result);

  Ref<Clock> clock_;
  Ref<ApiServer> server_;
  std::unique_ptr<Documents> documents_;
  std::unique_ptr<World> world_;
  Ref<Recorder> recorder_;
  std::vector<FrameworkRef> frameworks_;
  QueueOptions queue_;
};

}  // namespace libsched::cycles
