"""Pools of machines, and their Node objects as an API server returns them."""

import dataclasses

from . import identity

KI = 1024
REGION = "eu-north-1"


@dataclasses.dataclass(frozen=True)
class Pool:
    name: str
    zones: str  # a letter for each node: its zone
    instance_type: str
    cpu: int
    memory_gib: int
    arch: str = "amd64"
    labels: dict = dataclasses.field(default_factory=dict)
    taints: tuple = ()
    gpus: int = 0
    pods: int = 110


@dataclasses.dataclass
class Machine:
    """One node, with what is still free on it while pods are placed."""
    name: str
    zone: str
    pool: Pool
    number: int
    cordoned: bool = False
    lost: bool = False
    free: dict = dataclasses.field(default_factory=dict)

    def __post_init__(self):
        self.free = {"cpu": self.pool.cpu * 1000 - 110, "memory": self.allocatable_ki() * KI,
                     "nvidia.com/gpu": self.pool.gpus, "pods": self.pool.pods}

    def allocatable_ki(self):
        capacity = self.capacity_ki()
        return capacity - capacity // 20 - 102400

    def capacity_ki(self):
        """A little less than the nominal size, because the kernel keeps some."""
        whole = self.pool.memory_gib * KI * KI
        return whole - whole // 64 - identity.number("memory " + self.name, 4096)

    def ip(self):
        return f"10.20.{'abc'.index(self.zone) * 4}.{self.number + 10}"

    def zone_name(self):
        return f"{REGION}{self.zone}"


def machines(pools):
    found = []
    for pool in pools:
        in_zone = {}
        for zone in pool.zones:
            in_zone[zone] = in_zone.get(zone, 0) + 1
            found.append(Machine(f"{pool.name}-{zone}-{in_zone[zone]}", zone, pool, len(found)))
    return found


def taints(machine):
    all_taints = [dict(taint) for taint in machine.pool.taints]
    if machine.cordoned:
        all_taints.append({"effect": "NoSchedule", "key": "node.kubernetes.io/unschedulable",
                           "timeAdded": identity.time(5_000_000)})
    if machine.lost:
        all_taints += [{"effect": effect, "key": "node.kubernetes.io/unreachable",
                        "timeAdded": identity.time(5_100_000 + offset)}
                       for effect, offset in (("NoSchedule", 0), ("NoExecute", 5))]
    return all_taints


def _labels(machine):
    pool = machine.pool
    labels = {
        "beta.kubernetes.io/arch": pool.arch,
        "beta.kubernetes.io/os": "linux",
        "example.com/pool": pool.name,
        "kubernetes.io/arch": pool.arch,
        "kubernetes.io/hostname": machine.name,
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": pool.instance_type,
        "topology.kubernetes.io/region": REGION,
        "topology.kubernetes.io/zone": machine.zone_name(),
    }
    return {**labels, **pool.labels}


def _condition(machine, kind, status, reason, message):
    beat = 5_200_000 + machine.number
    if machine.lost:
        status, reason = "Unknown", "NodeStatusUnknown"
        message = "Kubelet stopped posting node status."
        beat = 5_099_000
    return {"lastHeartbeatTime": identity.time(beat),
            "lastTransitionTime": identity.time(machine.number * 60 + 40),
            "message": message, "reason": reason, "status": status, "type": kind}


def _conditions(machine):
    return [
        _condition(machine, "MemoryPressure", "False", "KubeletHasSufficientMemory",
                   "kubelet has sufficient memory available"),
        _condition(machine, "DiskPressure", "False", "KubeletHasNoDiskPressure",
                   "kubelet has no disk pressure"),
        _condition(machine, "PIDPressure", "False", "KubeletHasSufficientPID",
                   "kubelet has sufficient PID available"),
        _condition(machine, "Ready", "True", "KubeletReady", "kubelet is posting ready status"),
    ]


def _managed_fields(machine):
    def entry(manager, at, fields, subresource=None):
        made = {"apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": fields,
                "manager": manager, "operation": "Update", "time": identity.time(at)}
        return {**made, "subresource": subresource} if subresource else made

    labels = {"f:" + key: {} for key in _labels(machine)}
    created = machine.number * 60
    return [
        entry("kubelet", created, {"f:metadata": {
            "f:annotations": {".": {},
                              "f:volumes.kubernetes.io/controller-managed-attach-detach": {}},
            "f:labels": {".": {}, **labels}}, "f:spec": {"f:providerID": {}}}),
        entry("kube-controller-manager", created + 20, {
            "f:metadata": {"f:annotations": {"f:node.alpha.kubernetes.io/ttl": {}}},
            "f:spec": {"f:podCIDR": {}, "f:podCIDRs": {".": {}, f'v:"{_pod_cidr(machine)}"': {}},
                       **({"f:taints": {}} if taints(machine) else {})}}),
        entry("kubelet", 5_200_000 + machine.number, {"f:status": {
            "f:allocatable": {"f:cpu": {}, "f:ephemeral-storage": {}, "f:memory": {}},
            "f:conditions": {f'k:{{"type":"{kind}"}}': {"f:lastHeartbeatTime": {}}
                             for kind in ("DiskPressure", "MemoryPressure", "PIDPressure",
                                          "Ready")},
            "f:images": {}}}, "status"),
    ]


def _pod_cidr(machine):
    return f"10.{64 + machine.number // 256}.{machine.number % 256}.0/24"


def node(machine, images):
    """The Node object; `images` are (name, bytes) of the images of its pods."""
    pool = machine.pool
    resources = {"ephemeral-storage": None, "hugepages-1Gi": "0", "hugepages-2Mi": "0",
                 "pods": str(pool.pods)}
    if pool.gpus:
        resources["nvidia.com/gpu"] = str(pool.gpus)
    disk_ki = 101_430_960 if not pool.gpus else 524_020_220
    spec = {"podCIDR": _pod_cidr(machine), "podCIDRs": [_pod_cidr(machine)],
            "providerID": f"example://{machine.zone_name()}/i-{identity.digest(machine.name)[:17]}"}
    if taints(machine):
        spec["taints"] = taints(machine)
    if machine.cordoned:
        spec["unschedulable"] = True
    return {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {
            "annotations": {
                "csi.volume.kubernetes.io/nodeid":
                    '{"disk.csi.example.com":"i-' + identity.digest(machine.name)[:17] + '"}',
                "node.alpha.kubernetes.io/ttl": "0",
                "volumes.kubernetes.io/controller-managed-attach-detach": "true"},
            "creationTimestamp": identity.time(machine.number * 60),
            "labels": _labels(machine),
            "managedFields": _managed_fields(machine),
            "name": machine.name,
            "resourceVersion": identity.resource_version(machine.name),
            "uid": identity.uid("node " + machine.name)},
        "spec": spec,
        "status": {
            "addresses": [{"address": machine.ip(), "type": "InternalIP"},
                          {"address": machine.name, "type": "Hostname"}],
            "allocatable": {**resources, "cpu": f"{pool.cpu * 1000 - 110}m",
                            "ephemeral-storage": str(disk_ki * KI * 9 // 10),
                            "memory": f"{machine.allocatable_ki()}Ki"},
            "capacity": {**resources, "cpu": str(pool.cpu), "ephemeral-storage": f"{disk_ki}Ki",
                         "memory": f"{machine.capacity_ki()}Ki"},
            "conditions": _conditions(machine),
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "features": {"supplementalGroupsPolicy": True},
            "images": [{"names": [f"{name.rsplit(':', 1)[0]}@sha256:{identity.digest(name)}", name],
                        "sizeBytes": size} for name, size in images],
            "nodeInfo": {
                "architecture": pool.arch, "bootID": identity.uid("boot " + machine.name),
                "containerRuntimeVersion": "containerd://2.1.4", "kernelVersion": "6.1.0-39-cloud",
                "kubeProxyVersion": "", "kubeletVersion": "v1.36.1",
                "machineID": identity.digest("machine " + machine.name)[:32],
                "operatingSystem": "linux", "osImage": "Debian GNU/Linux 12 (bookworm)",
                "swap": {"capacity": 0}, "systemUUID": identity.uid("system " + machine.name)},
            "runtimeHandlers": [{"features": {"recursiveReadOnlyMounts": True,
                                              "userNamespaces": True}, "name": ""}]},
    }
