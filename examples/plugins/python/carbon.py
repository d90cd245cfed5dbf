"""A plugin in ten lines that gives higher scores to nodes in zones with clean power."""

import libsched


@libsched.plugin(weight=5)
class Carbon(libsched.Plugin):
    def __init__(self, args):
        self.grams = args.get("gramsPerKwh", {})  # of CO2, by zone

    def score_batch(self, state, pod, nodes):
        grams = nodes.by_label("topology.kubernetes.io/zone", self.grams, default=1000)
        return 100 - grams / 10


if __name__ == "__main__":
    config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
              "profiles": [{"pluginConfig": [{"name": "Carbon", "args": {
                  "gramsPerKwh": {"eu-north-1a": 20, "eu-north-1b": 300, "eu-north-1c": 700}}}]}]}
    scheduler = libsched.Framework(config, plugins=[Carbon])
    cluster = libsched.Cluster.load("examples/clusters/shop.yaml")
    result = scheduler.score(cluster, "examples/clusters/pods/web.yaml")
    print(result.best[0], result.scores[result.best[0]]["Carbon"].raw)
