// DefaultBinder: binds a pod to its node through the API. Mirrors upstream's plugins/defaultbinder.
#include "libsched/framework/api_calls.hpp"
#include "libsched/plugins/in_tree.hpp"

namespace libsched {
namespace {

class DefaultBinder final : public Plugin {
 public:
  Steps<Status> bind(const BindingCall& call) const override {
    const Result<void> bound = co_await bind_pod(call.services, call.pod, call.node);
    co_return bound.ok() ? Status() : Status::from_error(bound.error().message);
  }
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_default_binder(const FactoryCall&) {
  return std::unique_ptr<Plugin>(std::make_unique<DefaultBinder>());
}

}  // namespace libsched
