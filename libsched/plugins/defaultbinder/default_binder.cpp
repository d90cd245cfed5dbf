// DefaultBinder: binds a pod to its node through the API. Mirrors upstream's plugins/defaultbinder.
#include "libsched/framework/api_calls.hpp"
#include "libsched/plugins/in_tree.hpp"

namespace libsched {
namespace {

class DefaultBinder final : public Plugin {
 public:
  Status bind(const BindingCall& call) const override {
    ApiCalls* const calls = call.services.calls;
    const Result<void> bound = calls != nullptr ? calls->bind(PodRef::share(&call.pod), call.node)
                                                : call.services.api().bind(call.pod, call.node);
    return bound.ok() ? Status() : Status::from_error(bound.error().message);
  }
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_default_binder(const FactoryCall&) {
  return std::unique_ptr<Plugin>(std::make_unique<DefaultBinder>());
}

}  // namespace libsched
