// Subscription: forwards a cluster's changes to the plugins of a framework that subscribe to them.
#pragma once

#include <memory>

#include "libsched/framework/framework.hpp"

namespace libsched {

class Subscription final : public ClusterObserver {
 public:
  // The subscription of this framework and cluster, shared by their evaluators; null if no plugin
  // subscribes. In a fork the plugins are notified of the open forks.
  static std::shared_ptr<Subscription> join(const FrameworkRef& framework, Cluster& cluster,
                                            const Ref<Services>& services);

  Subscription(FrameworkRef framework, const Cluster& cluster)
      : framework_(std::move(framework)), cluster_(cluster) {}
  // Sets the services whose waiting pods a plugin may decide on.
  void use(const Ref<Services>& services) { services_ = services; }

  void changed(const ObjectChange& change) override;
  void forked() override;
  void reverted() override;
  void committed() override;

 private:
  template <typename F>
  void each(F&& f) const;

  FrameworkRef framework_;
  const Cluster& cluster_;  // which detaches this before it is destroyed
  Ref<Services> services_;
};

}  // namespace libsched
