"""Short descriptions of the workloads of a cluster, from which pods.py makes pods."""

import dataclasses

NOT_READY = ({"effect": "NoExecute", "key": "node.kubernetes.io/not-ready", "operator": "Exists",
              "tolerationSeconds": 300},
             {"effect": "NoExecute", "key": "node.kubernetes.io/unreachable", "operator": "Exists",
              "tolerationSeconds": 300})
DAEMON = tuple({"effect": effect, "key": "node.kubernetes.io/" + key, "operator": "Exists"}
               for key, effect in (("not-ready", "NoExecute"), ("unreachable", "NoExecute"),
                                   ("disk-pressure", "NoSchedule"),
                                   ("memory-pressure", "NoSchedule"),
                                   ("pid-pressure", "NoSchedule"),
                                   ("unschedulable", "NoSchedule")))
EVERYTHING = ({"operator": "Exists"},)
GPU = ({"effect": "NoSchedule", "key": "nvidia.com/gpu", "operator": "Exists"},)
SPOT = ({"effect": "NoSchedule", "key": "example.com/spot", "operator": "Equal",
         "value": "true"},)
ARM = ({"effect": "NoSchedule", "key": "kubernetes.io/arch", "operator": "Equal",
        "value": "arm64"},)


@dataclasses.dataclass(frozen=True)
class Container:
    image: str
    requests: dict
    limits: dict = dataclasses.field(default_factory=dict)
    name: str = ""
    ports: tuple = ()  # (name, containerPort, hostPort or 0)
    args: tuple = ()
    env: tuple = ()
    sidecar: bool = False  # an init container that stays


@dataclasses.dataclass(frozen=True)
class Workload:
    namespace: str
    name: str
    kind: str  # of the owner: DaemonSet, ReplicaSet, StatefulSet, Job, Node (static pods)
    containers: tuple
    pools: tuple
    replicas: int = 1  # a DaemonSet has one on each node of its pools
    init: tuple = ()
    tolerations: tuple = ()
    node_selector: dict = dataclasses.field(default_factory=dict)
    affinity: dict = dataclasses.field(default_factory=dict)
    spread: tuple = ()
    host_network: bool = False
    priority_class: str = ""
    claim: str = ""  # size of a volume claim per pod
    one_per_node: bool = False
    phase: str = "Running"
    gates: tuple = ()
    overhead: dict = dataclasses.field(default_factory=dict)
    annotations: dict = dataclasses.field(default_factory=dict)


def _apart(name, topology="kubernetes.io/hostname"):
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"labelSelector": {"matchLabels": {"app.kubernetes.io/name": name}},
         "topologyKey": topology}]}}


def _zones(name, when="ScheduleAnyway"):
    return ({"labelSelector": {"matchLabels": {"app.kubernetes.io/name": name}}, "maxSkew": 1,
             "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": when},)


def _near(key, values):
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchExpressions": [
            {"key": key, "operator": "In", "values": list(values)}]}]}}}


def image(name, tag):
    return f"registry.example.com/{name}:{tag}"


def app(program, tag, cpu, memory, limit_memory="", **more):
    requests = {"cpu": cpu, "memory": memory}
    limits = {"memory": limit_memory} if limit_memory else {}
    return Container(image(program, tag), requests, limits, **more)


def system(all_pools, gpu_pools):
    """The workloads of every cluster: on the control plane, on every node, and in kube-system."""
    version = "v1.36.1"
    static = {"etcd": ("100m", "100Mi", "3.6.5-0"), "kube-apiserver": ("250m", "512Mi", version),
              "kube-controller-manager": ("200m", "128Mi", version),
              "kube-scheduler": ("100m", "64Mi", version)}
    for name, (cpu, memory, tag) in static.items():
        yield Workload("kube-system", name, "Node", (app(name, tag, cpu, memory),),
                       ("control-plane",), replicas=3, one_per_node=True,
                       tolerations=({"effect": "NoExecute", "operator": "Exists"},),
                       host_network=True, priority_class="system-node-critical")
    yield Workload("kube-system", "kube-proxy", "DaemonSet",
                   (Container(image("kube-proxy", version), {"cpu": "50m"}),), all_pools,
                   tolerations=EVERYTHING, host_network=True,
                   priority_class="system-node-critical")
    yield Workload("kube-system", "pod-network", "DaemonSet",
                   (app("pod-network", "v1.19.3", "100m", "128Mi", "512Mi"),), all_pools,
                   init=(Container(image("pod-network", "v1.19.3"), {"cpu": "20m"},
                                   name="install-plugin"),),
                   tolerations=EVERYTHING, host_network=True,
                   priority_class="system-node-critical")
    yield Workload("monitoring", "node-exporter", "DaemonSet",
                   (app("node-exporter", "v1.11.0", "20m", "32Mi", "64Mi",
                        ports=(("metrics", 9100, 9100),)),),
                   all_pools, tolerations=EVERYTHING, host_network=True)
    yield Workload("kube-system", "gpu-device-plugin", "DaemonSet",
                   (app("gpu-device-plugin", "v0.18.0", "50m", "64Mi"),), gpu_pools,
                   tolerations=GPU, priority_class="system-node-critical")
    yield Workload("kube-system", "coredns", "ReplicaSet",
                   (app("coredns", "v1.13.1", "100m", "70Mi", "170Mi",
                        ports=(("dns", 53, 0), ("metrics", 9153, 0))),),
                   ("general",), replicas=2, priority_class="system-cluster-critical",
                   tolerations=({"effect": "NoSchedule",
                                 "key": "node-role.kubernetes.io/control-plane"},))
    yield Workload("kube-system", "metrics-server", "ReplicaSet",
                   (app("metrics-server", "v0.8.0", "100m", "200Mi"),), ("general",),
                   priority_class="system-cluster-critical")
    yield Workload("ingress", "ingress-proxy", "ReplicaSet",
                   (app("ingress-proxy", "3.2.1", "500m", "512Mi", "1Gi",
                        ports=(("http", 8080, 80), ("https", 8443, 443))),),
                   ("general",), replicas=3, one_per_node=True, spread=_zones("ingress-proxy"))
    yield Workload("monitoring", "prometheus", "StatefulSet",
                   (app("prometheus", "v3.6.0", "2", "12Gi", "16Gi",
                        ports=(("web", 9090, 0),)),
                    app("config-reloader", "v0.86.0", "10m", "32Mi", name="config-reloader")),
                   ("highmem",), replicas=2, claim="200Gi", affinity=_apart("prometheus"))


def company():
    """A shop, its data stores, its batch jobs, and a group that trains models."""
    for name, replicas, cpu, memory in (("storefront", 9, "1500m", "2Gi"),
                                        ("cart", 6, "2", "3Gi"), ("checkout", 4, "2", "4Gi"),
                                        ("catalogue", 6, "3", "6Gi"), ("accounts", 3, "1", "2Gi")):
        yield Workload("shop", name, "ReplicaSet",
                       (app(f"shop/{name}", "2026.4.1", cpu, memory, memory,
                            ports=(("http", 8080, 0),),
                            env=(("LOG_LEVEL", "info"), ("POOL_SIZE", "16"))),),
                       ("general",), replicas=replicas, spread=_zones(name),
                       init=(Container(image("tls-proxy", "1.27.2"),
                                       {"cpu": "100m", "memory": "64Mi"}, name="tls-proxy",
                                       sidecar=True),) if name in ("cart", "checkout") else (),
                       affinity=_near("kubernetes.io/arch", ["amd64"]))
    yield Workload("shop", "thumbnails", "ReplicaSet",
                   (app("shop/thumbnails", "2026.3.0", "4", "4Gi", "6Gi"),), ("arm",), replicas=5,
                   tolerations=ARM, node_selector={"kubernetes.io/arch": "arm64"})
    yield Workload("shop", "search", "ReplicaSet",
                   (app("shop/search", "2026.4.0", "3", "8Gi", "8Gi"),), ("arm",), replicas=3,
                   tolerations=ARM, node_selector={"kubernetes.io/arch": "arm64"},
                   overhead={"cpu": "250m", "memory": "160Mi"})
    yield Workload("data", "postgres", "StatefulSet",
                   (app("postgres", "18.1", "6", "48Gi", "48Gi", ports=(("postgres", 5432, 0),),
                        env=(("PGDATA", "/var/lib/postgresql/data"),)),
                    app("postgres-exporter", "0.18.1", "50m", "64Mi", name="exporter")),
                   ("highmem",), replicas=3, claim="500Gi",
                   affinity=_apart("postgres", "topology.kubernetes.io/zone"))
    yield Workload("data", "redis", "StatefulSet",
                   (app("redis", "8.2.2", "2", "8Gi", "8Gi", ports=(("redis", 6379, 0),)),),
                   ("general",), replicas=3, claim="20Gi", affinity=_apart("redis"),
                   spread=_zones("redis", "DoNotSchedule"))
    yield Workload("data", "events", "StatefulSet",
                   (app("kafka", "4.1.0", "3", "12Gi", "12Gi", ports=(("broker", 9092, 0),)),),
                   ("general",), replicas=3, claim="1Ti", affinity=_apart("events"))
    yield Workload("batch", "video-encode", "ReplicaSet",
                   (app("batch/encode", "0.9.4", "3", "6Gi"),), ("spot",), replicas=13,
                   tolerations=SPOT, node_selector={"example.com/pool": "spot"})
    yield Workload("batch", "nightly-report-29540760", "Job",
                   (app("batch/report", "1.14.0", "2", "4Gi"),), ("general",), phase="Succeeded")
    yield Workload("batch", "nightly-report-29542200", "Job",
                   (app("batch/report", "1.14.0", "2", "4Gi"),), ("general",), phase="Failed")
    yield Workload("batch", "stock-import", "Job",
                   (app("batch/stock-import", "1.2.0", "500m", "1Gi"),), ("general",))
    yield from _models()


def _models():
    a100 = _near("nvidia.com/gpu.product", ["NVIDIA-A100-SXM4-80GB"])
    for name, replicas, gpus in (("language-base", 1, 8), ("vision-tune", 1, 6),
                                 ("ranking-tune", 2, 2), ("notebook", 1, 1),
                                 ("speech-tune", 1, 6)):
        yield Workload("ml", name, "Job",
                       (Container(image("ml/trainer", "25.10"),
                                  {"cpu": str(gpus * 8), "memory": f"{gpus * 64}Gi",
                                   "nvidia.com/gpu": str(gpus)},
                                  {"memory": f"{gpus * 96}Gi", "nvidia.com/gpu": str(gpus)}),),
                       ("gpu-train",), replicas=replicas, tolerations=GPU, affinity=a100)
    yield Workload("ml", "answers", "ReplicaSet",
                   (Container(image("ml/inference", "0.11.2"),
                              {"cpu": "6", "memory": "24Gi", "nvidia.com/gpu": "1"},
                              {"memory": "32Gi", "nvidia.com/gpu": "1"},
                              ports=(("http", 8000, 0),)),),
                   ("gpu-serve",), replicas=7, tolerations=GPU,
                   node_selector={"nvidia.com/gpu.product": "NVIDIA-L4"})
    yield Workload("ml", "language-large", "Job",
                   (Container(image("ml/trainer", "25.10"),
                              {"cpu": "8", "memory": "64Gi", "nvidia.com/gpu": "8"},
                              {"nvidia.com/gpu": "8"}),),
                   (), replicas=2, tolerations=GPU, affinity=a100, phase="Pending")
    yield Workload("batch", "quarter-close", "Job", (app("batch/report", "1.14.0", "4", "8Gi"),),
                   (), gates=("example.com/approval",), phase="Pending")
