"""A plugin that binds the pods of a gang together or not at all.

A pod names its gang and the number of members in the labels ``gang`` and ``gang-size``. A member
that has its node waits on Permit for the others.
"""

import libsched


@libsched.plugin
class Gang(libsched.Plugin):
    def __init__(self, args):
        self.timeout = args.get("timeoutSeconds", 60)
        self.services = None

    def permit(self, state, pod, node):
        if pod.label("gang") is None:
            return None
        self.services = state.services  # Unreserve may come without them
        # The pod is assumed on its node by now, so the view has it.
        members = sum(same_gang(pod, state.view.pods[key]) for key in state.view.pods)
        if members < int(pod.label("gang-size")):
            return libsched.Code.WAIT, self.timeout
        for waiting in self.waiting(pod):
            waiting.allow("Gang")
        return None

    def unreserve(self, state, pod, node):
        """Rejects the others: a member has failed or has waited too long."""
        if pod.label("gang") is not None and self.services is not None:
            for waiting in self.waiting(pod):
                waiting.reject("Gang", "a member of the gang failed")

    def waiting(self, pod):
        return [w for w in self.services.waiting_pods if same_gang(pod, w.pod)]


def same_gang(a, b):
    return (a.namespace, a.label("gang")) == (b.namespace, b.label("gang"))


def run(cpus):
    """Schedules a gang of five one-CPU pods on a node, and returns the pods that are bound."""
    node = libsched.Node({"metadata": {"name": "n"},
                          "status": {"allocatable": {"cpu": cpus, "pods": 110}}})
    cluster = libsched.Cluster(node)
    config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
              "profiles": [{"plugins": {"multiPoint": {"enabled": [{"name": "Gang"}]}},
                            "pluginConfig": [{"name": "Gang", "args": {"timeoutSeconds": 30}}]}]}
    services = libsched.Services()  # with a virtual clock
    framework = libsched.Framework(config, plugins=[Gang], services=services)
    writer = libsched.WriterQueue()
    attempts, ends = [], []
    for i in range(5):
        attempts.append(libsched.schedule_one(cluster, member(i), [framework], writer))
        services.clock.advance(1)
    for attempt in attempts:
        ends.append(attempt.bind() if attempt else attempt)
        writer.apply(cluster)
    return [a.pod.name for a in ends if a.stage == "bound"], ends, cluster


def member(i):
    return libsched.Pod({"metadata": {"name": f"p{i}", "namespace": "default", "uid": f"u{i}",
                                      "labels": {"gang": "g", "gang-size": "5"}},
                         "spec": {"containers": [{"name": "c", "resources": {
                             "requests": {"cpu": "1"}}}]}})


if __name__ == "__main__":
    for cpus in (4, 5):
        print(f"room for {cpus}: bound {run(cpus)[0]}")
