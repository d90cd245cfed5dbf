#!/usr/bin/env python3
"""Writes the example clusters: dumps as `kubectl get nodes,pods,namespaces -A -o yaml` prints them.

    examples/clusters/make_cluster.py [FOLDER]      (default: the folder of this script)

    shop.yaml        41 nodes of 7 pools in 3 zones: control plane, general, high memory, arm64, two
                     kinds of GPU machines, spot; one node is cordoned, one has been lost
    region.json.gz   the same company grown tenfold, as JSON and compressed

Everything is made up, and the same in every run.
"""

import dataclasses
import gzip
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from generator import identity, nodes, pods, workloads, yaml_text  # noqa: E402

GPU_TAINT = ({"effect": "NoSchedule", "key": "nvidia.com/gpu", "value": "present"},)
POOLS = (
    nodes.Pool("control-plane", "abc", "c4.xlarge", 4, 16,
               labels={"node-role.kubernetes.io/control-plane": "",
                       "node.kubernetes.io/exclude-from-external-load-balancers": ""},
               taints=({"effect": "NoSchedule", "key": "node-role.kubernetes.io/control-plane"},)),
    nodes.Pool("general", "aaaabbbbcccc", "m7.4xlarge", 16, 64),
    nodes.Pool("highmem", "abc", "r7.4xlarge", 16, 128),
    nodes.Pool("arm", "aabbcc", "m7g.4xlarge", 16, 32, arch="arm64",
               taints=({"effect": "NoSchedule", "key": "kubernetes.io/arch", "value": "arm64"},)),
    nodes.Pool("gpu-train", "aabb", "g5.a100x8", 96, 1024, gpus=8, taints=GPU_TAINT,
               labels={"nvidia.com/gpu.count": "8", "nvidia.com/gpu.memory": "81920",
                       "nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB"}),
    nodes.Pool("gpu-serve", "aabbc", "g6.l4x2", 32, 128, gpus=2, taints=GPU_TAINT,
               labels={"nvidia.com/gpu.count": "2", "nvidia.com/gpu.memory": "23034",
                       "nvidia.com/gpu.product": "NVIDIA-L4"}),
    nodes.Pool("spot", "aaabbbcc", "m7.2xlarge", 8, 32,
               labels={"example.com/lifecycle": "spot"},
               taints=({"effect": "NoSchedule", "key": "example.com/spot", "value": "true"},)),
)
NAMESPACES = ("batch", "data", "default", "ingress", "kube-node-lease", "kube-public",
              "kube-system", "ml", "monitoring", "shop")


def namespace(name):
    return {"apiVersion": "v1", "kind": "Namespace",
            "metadata": {"creationTimestamp": identity.time(10),
                         "labels": {"kubernetes.io/metadata.name": name}, "name": name,
                         "resourceVersion": identity.resource_version("namespace " + name),
                         "uid": identity.uid("namespace " + name)},
            "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}


def enlarged(pools, times):
    return tuple(dataclasses.replace(pool, zones="".join(sorted(pool.zones * times)))
                 if pool.name != "control-plane" else pool for pool in pools)


def place(workload, machines):
    """(machine, index) of each pod of a workload; waiting pods have no machine."""
    if workload.phase == "Pending":
        return [(None, index) for index in range(workload.replicas)]
    if workload.kind == "DaemonSet":
        chosen = [machine for machine in machines if machine.pool.name in workload.pools]
    elif workload.kind == "Node":
        chosen = [machine for machine in machines
                  if machine.pool.name in workload.pools][:workload.replicas]
    else:
        chosen = []
        for _ in range(workload.replicas):
            machine = pods.choose(workload, machines, chosen)
            chosen.append(machine)
            if workload.phase == "Running":
                pods.take(machine, workload)
        return list(zip(chosen, range(workload.replicas)))
    for machine in chosen:
        pods.take(machine, workload)
    return [(machine, number) for number, machine in enumerate(chosen)]


def images_of(machine, placed):
    found = {}
    for workload, where, _ in placed:
        if where is machine:
            for container in (*workload.containers, *workload.init):
                found[container.image] = 12_000_000 + identity.number(container.image, 900_000_000)
    return sorted(found.items(), key=lambda item: -item[1])


def no_large_gpu_machine(machines):
    """The scheduler's message for a pod that wants eight free GPUs of the training pool."""
    count = {"tainted": 0, "unschedulable": 0, "full": 0, "other": 0}
    for machine in machines:
        if machine.cordoned:
            count["unschedulable"] += 1
        elif machine.lost or machine.pool.name in ("control-plane", "arm", "spot"):
            count["tainted"] += 1
        else:
            count["full" if machine.pool.name == "gpu-train" else "other"] += 1
    texts = {"tainted": "node(s) had untolerated taint(s)",
             "unschedulable": "node(s) were unschedulable", "full": "Insufficient nvidia.com/gpu",
             "other": "node(s) didn't match Pod's node affinity/selector"}
    reasons = sorted(f"{count[key]} {text}" for key, text in texts.items())
    return f"0/{len(machines)} nodes are available: {', '.join(reasons)}."


def cluster(times=1):
    machines = nodes.machines(enlarged(POOLS, times) if times > 1 else POOLS)
    named = {machine.name: machine for machine in machines}
    named["general-b-3"].cordoned = True
    named["general-c-4"].lost = True
    all_pools = tuple(pool.name for pool in POOLS)
    running = list(workloads.system(all_pools, ("gpu-train", "gpu-serve")))
    for copy in range(times):
        for workload in workloads.company():
            name = workload.name if copy == 0 else f"{workload.name}-{copy}"
            running.append(dataclasses.replace(workload, name=name))
    placed = [(workload, machine, index) for workload in running
              for machine, index in place(workload, machines)]
    waiting = no_large_gpu_machine(machines)
    made = [pods.pod(workload, index, machine, number, waiting)
            for number, (workload, machine, index) in enumerate(placed)]
    made.sort(key=lambda item: (item["metadata"]["namespace"], item["metadata"]["name"]))
    items = [nodes.node(machine, images_of(machine, placed))
             for machine in sorted(machines, key=lambda machine: machine.name)]
    items += made + [namespace(name) for name in NAMESPACES]
    return {"apiVersion": "v1", "items": items, "kind": "List", "metadata": {"resourceVersion": ""}}


def main(arguments):
    folder = pathlib.Path(arguments[0] if arguments else __file__).resolve()
    folder = folder if folder.is_dir() else folder.parent
    (folder / "shop.yaml").write_text(yaml_text.dump(cluster()))
    text = json.dumps(cluster(times=10), indent=4, sort_keys=True) + "\n"
    with (folder / "region.json.gz").open("wb") as file:
        with gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
            packed.write(text.encode())


if __name__ == "__main__":
    main(sys.argv[1:])
