// Services: what is made where nothing was given.
#include "libsched/framework/services.hpp"

namespace libsched {

Services::Services(Ref<Clock> clock, Ref<ApiClient> api)
    : clock_(std::move(clock)), api_(std::move(api)) {
  if (!clock_) clock_ = make_ref<VirtualClock>();
  if (!api_) api_ = make_ref<MemoryApi>();
}

}  // namespace libsched
