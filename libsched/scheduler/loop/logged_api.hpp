// LoggedApi: the API client of a scheduler that logs. It hands every request on, and plugins find
// the log by it.
#pragma once

#include "libsched/framework/log.hpp"
#include "libsched/scheduler/loop/forwarding_api.hpp"

namespace libsched {

class LoggedApi final : public ForwardingApi<>, public Logging {
 public:
  LoggedApi(Ref<ApiClient> api, Log log) : ForwardingApi(std::move(api)), log_(log) {}

  // The logger goes away.
  void end() { log_ = {}; }

  Log log() const override { return log_; }
  Steps<Result<void>> request(ApiRequest request) override { return api().request(request); }

 private:
  Log log_;
};

}  // namespace libsched
