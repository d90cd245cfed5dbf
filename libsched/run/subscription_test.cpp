// Tests of plugins that are notified of a cluster's objects and forks.
#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::subscription_test {

// Records its notifications.
class Listener final : public Plugin {
 public:
  explicit Listener(std::vector<std::string>* heard) : heard_(heard) {}
  bool subscribes() const override { return true; }
  void on_event(Services& services, const View& view, const ObjectChange& c) const override {
    const Object& o = c.after ? *c.after : *c.before;
    const char* what = !c.before ? "+" : c.after ? "~" : "-";
    heard_->push_back(what + std::string(c.resource) + " " + std::string(o.meta.name) + " of " +
                      std::to_string(view.node_count()) + "/" + std::to_string(view.pod_count()));
    if (c.resource == "Node" && !c.after) services.waiting_pods().reject("uid-waits");
  }
  void forked(const View&) const override { heard_->push_back("fork"); }
  void reverted(const View&) const override { heard_->push_back("revert"); }
  void committed(const View&) const override { heard_->push_back("commit"); }

 private:
  std::vector<std::string>* heard_;
};

struct Heard {
  std::vector<std::string> all;
  Ref<Cluster> cluster = make_ref<Cluster>();
  FrameworkRef framework;

  Heard() {
    Ref<Registry> registry = make_ref<Registry>();
    const auto make = [this](const FactoryCall&) -> Result<std::unique_ptr<Plugin>> {
      return std::unique_ptr<Plugin>(std::make_unique<Listener>(&all));
    };
    const PointMask points = point_bit(ExtensionPoint::kFilter) |
                             point_bit(ExtensionPoint::kQueueSort) |
                             point_bit(ExtensionPoint::kBind);
    REQUIRE(registry->add("Listener", {points, make, false}).ok());
    Result<ConfigRef> config =
        parse_profile("schedulerName: s\nplugins: {multiPoint: {enabled: [{name: Listener}]}}");
    REQUIRE_MESSAGE(config.ok(), config.error().text());
    Result<FrameworkRef> fw = Framework::create(*config, "", registry, FeatureGates());
    REQUIRE_MESSAGE(fw.ok(), fw.error().text());
    framework = *fw;
  }
  std::vector<std::string> take() { return std::exchange(all, {}); }
};

using Texts = std::vector<std::string>;

PodRef bound(const std::string& name, const std::string& node, const std::string& label = "") {
  Result<PodRef> pod = parse_pod("metadata: {name: " + name + ", namespace: d, labels: {l: '" +
                                     label + "'}}\nspec: {nodeName: " + node + "}",
                                 {});
  REQUIRE_MESSAGE(pod.ok(), pod.error().text());
  return *pod;
}

TEST_CASE("plugins are notified of every object once, after the change") {
  Heard h;
  Ref<Evaluator> one = make_ref<Evaluator>(h.framework, h.cluster);
  Ref<Evaluator> two = make_ref<Evaluator>(h.framework, h.cluster);
  const NodeRef a = fake_node("a"), b = fake_node("b");
  const Node* both[] = {a.get(), b.get()};
  REQUIRE(h.cluster->add_nodes(both, 2).ok());
  CHECK(h.take() == Texts{"+Node a of 2/0", "+Node b of 2/0"});
  CHECK_FALSE(h.cluster->add_nodes(both, 1).ok());
  CHECK(h.take().empty());
  const PodRef p = bound("p", "a"), changed = bound("p", "b", "x");
  const Pod* pods[] = {p.get()};
  REQUIRE(h.cluster->add_pods(pods, nullptr, 1).ok());
  REQUIRE(h.cluster->update_pod(changed, "").ok());
  REQUIRE(h.cluster->remove_pod("d", "p").ok());
  REQUIRE(h.cluster->update_node(fake_node("a", "{x: 'y'}")).ok());
  REQUIRE(h.cluster->remove_node("b").ok());
  CHECK(h.take() == Texts{"+Pod p of 2/1", "~Pod p of 2/1", "-Pod p of 2/0", "~Node a of 2/0",
                          "-Node b of 1/0"});

  Result<ObjectSet> set = parse_objects(
      "{apiVersion: v1, kind: Namespace, metadata: {name: team}}\n---\n"
      "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: "
      "p}\n",
      {});
  REQUIRE_MESSAGE(set.ok(), set.error().text());
  REQUIRE(h.cluster->apply(*set).ok());
  REQUIRE(h.cluster->apply(*set).ok());  // unchanged
  CHECK(h.take() == Texts{"+Namespace team of 1/0", "+storage.k8s.io/StorageClass fast of 1/0"});
  REQUIRE(h.cluster->remove_object(StoredKind::kStorageClass, "", "fast").ok());
  CHECK(h.take() == Texts{"-storage.k8s.io/StorageClass fast of 1/0"});
}

TEST_CASE("plugins are not notified of changes in a fork, nor of assumed objects") {
  Heard h;
  const NodeRef a = fake_node("a");
  const Node* nodes[] = {a.get()};
  REQUIRE(h.cluster->add_nodes(nodes, 1).ok());
  REQUIRE(h.cluster->fork().ok());
  Ref<Evaluator> late = make_ref<Evaluator>(h.framework, h.cluster);
  CHECK(h.take() == Texts{"fork"});
  REQUIRE(h.cluster->fork().ok());
  REQUIRE(h.cluster->remove_node("a").ok());
  REQUIRE(h.cluster->revert().ok());
  REQUIRE(h.cluster->commit().ok());
  CHECK(h.take() == Texts{"fork", "revert", "commit"});
  REQUIRE(h.cluster->assume(*bound("q", "a"), "a").ok());
  REQUIRE(h.cluster->forget("d", "q").ok());
  CHECK(h.take().empty());
  late = {};
  REQUIRE(h.cluster->remove_node("a").ok());
  CHECK(h.take().empty());
}

TEST_CASE("a plugin may reject a waiting pod when it is notified of an object") {
  Heard h;
  Ref<Evaluator> e = make_ref<Evaluator>(h.framework, h.cluster);
  Ref<Services> services = make_ref<Services>();
  CHECK(e->use(services).ok());
  const NodeRef a = fake_node("a");
  const Node* nodes[] = {a.get()};
  REQUIRE(h.cluster->add_nodes(nodes, 1).ok());
  Result<PodRef> pod = parse_pod("metadata: {name: w, namespace: d, uid: uid-waits}", {});
  REQUIRE(pod.ok());
  const auto waiting =
      services->waiting_pods().add(*pod, {{"Listener", 1'000'000'000}}, services->clock_ref());
  REQUIRE_FALSE(waiting->decided().has_value());
  REQUIRE(h.cluster->remove_node("a").ok());
  REQUIRE(waiting->decided().has_value());
  CHECK(waiting->decided()->code == Code::kUnschedulable);
  CHECK(waiting->decided()->message() == "removed");
}

}  // namespace libsched::subscription_test
