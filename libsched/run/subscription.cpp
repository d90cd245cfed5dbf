// Subscription: creation and notification.
#include "libsched/run/subscription.hpp"

#include <algorithm>

#include "libsched/framework/foreign_call.hpp"
#include "libsched/run/evaluator.hpp"

namespace libsched {
namespace {

bool listens(const Framework::Instance& instance) {
  return instance.plugin && instance.plugin->subscribes();
}

}  // namespace

std::shared_ptr<Subscription> Subscription::join(const FrameworkRef& framework, Cluster& cluster,
                                                 const Ref<Services>& services) {
  const auto& plugins = framework->plugins();
  if (std::none_of(plugins.begin(), plugins.end(), listens)) return nullptr;
  if (auto there = cluster.observer(framework.get()))
    return std::static_pointer_cast<Subscription>(there);
  const auto made = std::make_shared<Subscription>(framework, cluster);
  made->use(services);
  cluster.observe(framework.get(), made);
  for (size_t i = 0; i < cluster.fork_depth(); ++i) made->forked();
  return made;
}

template <typename F>
void Subscription::each(F&& f) const {
  for (const Framework::Instance& i : framework_->plugins())
    if (listens(i)) f(*i.plugin);
}

void Subscription::changed(const ObjectChange& change) {
  const Ref<Services> services = services_;  // a plugin may replace an evaluator's
  each([&](const Plugin& p) { p.on_event(*services, cluster_.view(), change); });
}
void Subscription::forked() {
  each([&](const Plugin& p) { p.forked(cluster_.view()); });
}
void Subscription::reverted() {
  each([&](const Plugin& p) { p.reverted(cluster_.view()); });
}
void Subscription::committed() {
  each([&](const Plugin& p) { p.committed(cluster_.view()); });
}

Evaluator::Evaluator(FrameworkRef framework, Ref<Cluster> cluster)
    : framework_(std::move(framework)),
      cluster_(std::move(cluster)),
      subscription_(Subscription::join(framework_, *cluster_, services_)) {}

Result<void> Evaluator::use(Ref<Services> services) {
  if (busy_)
    return Error{Rc::kMisuse,
                 "this evaluator is asking its plugins already: its services are in use"};
  // A plugin that is running may still use the old services, so they are kept for now.
  if (ForeignCall::depth() == 0)
    replaced_.clear();
  else
    replaced_.push_back(services_);
  services_ = std::move(services);
  if (subscription_) subscription_->use(services_);
  return {};
}

}  // namespace libsched
