// Subscription: passes a cluster's changes on to those plugins of a framework that want them.
#pragma once

#include <memory>

#include "libsched/framework/framework.hpp"

namespace libsched {

class Subscription final : public ClusterObserver {
 public:
  // The one of this framework and cluster, shared by their evaluators; null if no plugin listens.
  // In a fork the plugins hear of the forks that are open.
  static std::shared_ptr<Subscription> join(const FrameworkRef& framework, Cluster& cluster,
                                            const Ref<Services>& services);

  Subscription(FrameworkRef framework, const Cluster& cluster)
      : framework_(std::move(framework)), cluster_(cluster) {}
  // Whose waiting pods a plugin may decide on.
  void use(const Ref<Services>& services) { services_ = services; }

  void changed(const ObjectChange& change) override;
  void forked() override;
  void reverted() override;
  void committed() override;

 private:
  template <typename F>
  void each(F&& f) const;

  FrameworkRef framework_;
  const Cluster& cluster_;  // which lets go of this before it goes
  Ref<Services> services_;
};

}  // namespace libsched
