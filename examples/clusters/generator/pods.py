"""Pod objects as an API server returns them, placed on machines with room."""

from . import identity
from .workloads import DAEMON, NOT_READY

PRIORITIES = {"system-node-critical": 2000001000, "system-cluster-critical": 2000000000, "": 0}
_UNIT = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


def amount(resource, text):
    """A quantity of the workloads as a number: thousandths of CPUs, bytes, units."""
    if resource == "cpu":
        return int(text[:-1]) if text.endswith("m") else int(text) * 1000
    return int(text[:-2]) * _UNIT[text[-2:]] if text[-2:] in _UNIT else int(text)


def requests_of(workload):
    """The requests of a pod: the sum of its containers, its sidecars and its overhead."""
    total = {"pods": 1}
    staying = [container for container in workload.init if container.sidecar]
    for asked in [c.requests for c in (*workload.containers, *staying)] + [workload.overhead]:
        for resource, text in asked.items():
            total[resource] = total.get(resource, 0) + amount(resource, text)
    return total


def choose(workload, machines, taken):
    """The machine of the workload's pools with room and the most free CPU; zones take turns."""
    asked = requests_of(workload)
    zones = {}
    for machine in taken:
        zones[machine.zone] = zones.get(machine.zone, 0) + 1
    fitting = [machine for machine in machines
               if machine.pool.name in workload.pools and not machine.cordoned
               and not machine.lost and not (workload.one_per_node and machine in taken)
               and all(machine.free.get(r, 0) >= value for r, value in asked.items())]
    if workload.affinity.get("podAntiAffinity"):
        fitting = [machine for machine in fitting if machine not in taken]
    if "nvidia.com/gpu" in asked:  # fill up machines to keep whole ones free for large jobs
        return min(fitting, key=lambda m: (m.free["nvidia.com/gpu"], m.name))
    return min(fitting, key=lambda m: (zones.get(m.zone, 0), -m.free["cpu"], m.name))


def take(machine, workload):
    for resource, value in requests_of(workload).items():
        machine.free[resource] = machine.free.get(resource, 0) - value


def _names(workload, index, machine):
    """Pod name, generateName, owner's kind and name, and the labels that name the owner's kind."""
    key = f"{workload.namespace}/{workload.name}"
    tail = identity.suffix(f"{key}/{index}")
    app = {"app.kubernetes.io/name": workload.name,
           "app.kubernetes.io/instance": workload.name}
    if workload.kind == "Node":
        return (f"{workload.name}-{machine.name}", "", machine.name,
                {"component": workload.name, "tier": "control-plane"})
    if workload.kind == "ReplicaSet":
        template = identity.suffix("template " + key, 9)
        owner = f"{workload.name}-{template}"
        return f"{owner}-{tail}", owner + "-", owner, {**app, "pod-template-hash": template}
    if workload.kind == "StatefulSet":
        name = f"{workload.name}-{index}"
        return name, workload.name + "-", workload.name, {
            **app, "apps.kubernetes.io/pod-index": str(index),
            "controller-revision-hash": f"{workload.name}-{identity.suffix(key, 9)}",
            "statefulset.kubernetes.io/pod-name": name}
    if workload.kind == "Job":
        job = {"batch.kubernetes.io/controller-uid": identity.uid("owner " + key),
               "batch.kubernetes.io/job-name": workload.name, "job-name": workload.name}
        return f"{workload.name}-{tail}", workload.name + "-", workload.name, {**app, **job}
    return f"{workload.name}-{tail}", workload.name + "-", workload.name, {
        **app, "controller-revision-hash": identity.suffix(key, 9), "pod-template-generation": "1"}


def _container(container, name, token):
    made = {"image": container.image, "imagePullPolicy": "IfNotPresent",
            "name": container.name or name, "resources": {"requests": container.requests},
            "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
            "volumeMounts": [{"mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
                              "name": token, "readOnly": True}]}
    if container.limits:
        made["resources"]["limits"] = container.limits
    if container.ports:
        made["ports"] = [{"containerPort": port, "name": label, "protocol": "TCP",
                          **({"hostPort": host} if host else {})}
                         for label, port, host in container.ports]
    if container.args:
        made["args"] = list(container.args)
    if container.env:
        made["env"] = [{"name": key, "value": value} for key, value in container.env]
    if container.sidecar:
        made["restartPolicy"] = "Always"
    return made


def _token_volume(token):
    return {"name": token, "projected": {"defaultMode": 420, "sources": [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"items": [{"key": "ca.crt", "path": "ca.crt"}],
                       "name": "kube-root-ca.crt"}},
        {"downwardAPI": {"items": [{"fieldRef": {"apiVersion": "v1",
                                                 "fieldPath": "metadata.namespace"},
                                    "path": "namespace"}]}}]}}


def _spec(workload, pod_name, machine):
    token = "kube-api-access-" + identity.suffix("token " + pod_name)
    account = workload.name if workload.namespace in ("kube-system", "monitoring") else "default"
    tolerations = list(workload.tolerations) + [
        t for t in (DAEMON if workload.kind == "DaemonSet" else NOT_READY)
        if workload.kind != "Node"]
    spec = {
        "containers": [_container(c, workload.name, token) for c in workload.containers],
        "dnsPolicy": "ClusterFirst", "enableServiceLinks": True,
        "preemptionPolicy": "PreemptLowerPriority",
        "priority": PRIORITIES[workload.priority_class],
        "restartPolicy": {"Job": "Never"}.get(workload.kind, "Always"),
        "schedulerName": "default-scheduler", "securityContext": {}, "serviceAccount": account,
        "serviceAccountName": account, "terminationGracePeriodSeconds": 30,
        "tolerations": tolerations, "volumes": [_token_volume(token)]}
    if machine:
        spec["nodeName"] = machine.name
    if workload.init:
        spec["initContainers"] = [_container(c, workload.name, token) for c in workload.init]
    if workload.claim:
        spec["volumes"].insert(0, {"name": "data", "persistentVolumeClaim": {
            "claimName": "data-" + pod_name}})
        spec["containers"][0]["volumeMounts"].insert(0, {"mountPath": "/data", "name": "data"})
    affinity = dict(workload.affinity)
    if workload.kind == "DaemonSet":
        affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchFields": [
                {"key": "metadata.name", "operator": "In", "values": [machine.name]}]}]}}}
    for key, value in (("affinity", affinity), ("nodeSelector", workload.node_selector),
                       ("topologySpreadConstraints", list(workload.spread)),
                       ("priorityClassName", workload.priority_class),
                       ("hostNetwork", workload.host_network), ("overhead", workload.overhead),
                       ("schedulingGates", [{"name": gate} for gate in workload.gates])):
        if value:
            spec[key] = value
    if workload.overhead:
        spec["runtimeClassName"] = "sandboxed"
    return spec


def _container_status(container, name, pod_name, phase, at):
    key = f"{pod_name}/{container.name or name}"
    state = {"running": {"startedAt": identity.time(at + 4)}}
    if phase in ("Succeeded", "Failed") and not container.sidecar:
        code = 0 if phase == "Succeeded" else 137
        state = {"terminated": {
            "containerID": "containerd://" + identity.digest(key), "exitCode": code,
            "finishedAt": identity.time(at + 904), "reason": "Completed" if not code else "Error",
            "startedAt": identity.time(at + 4)}}
    return {"allocatedResources": container.requests,
            "containerID": "containerd://" + identity.digest(key), "image": container.image,
            "imageID": f"{container.image.rsplit(':', 1)[0]}@sha256:"
                       + identity.digest(container.image),
            "lastState": {}, "name": container.name or name, "ready": phase == "Running",
            "resources": {"requests": container.requests,
                          **({"limits": container.limits} if container.limits else {})},
            "restartCount": identity.number("restarts " + key, 12) // 9,
            "started": phase == "Running", "state": state}


def _status(workload, spec, pod_name, machine, at, waiting):
    quality = "BestEffort"
    asked = [c.requests for c in workload.containers]
    if any(asked):
        same = all(c.requests == c.limits and {"cpu", "memory"} <= set(c.limits)
                   for c in workload.containers)
        quality = "Guaranteed" if same else "Burstable"
    if machine is None:
        reason = "SchedulingGated" if workload.gates else "Unschedulable"
        message = ("Scheduling is blocked due to non-empty scheduling gates"
                   if workload.gates else waiting)
        return {"conditions": [{"lastProbeTime": None, "lastTransitionTime": identity.time(at),
                                "message": message, "reason": reason, "status": "False",
                                "type": "PodScheduled"}],
                "phase": "Pending", "qosClass": quality}
    done = workload.phase != "Running"
    conditions = [{"lastProbeTime": None, "lastTransitionTime": identity.time(at + offset),
                   "status": "False" if done and kind in ("Ready", "ContainersReady") else "True",
                   "type": kind}
                  for offset, kind in ((3, "PodReadyToStartContainers"), (1, "Initialized"),
                                       (5, "Ready"), (5, "ContainersReady"), (0, "PodScheduled"))]
    address = machine.ip()
    if not workload.host_network:
        number = identity.number("address " + pod_name, 240) + 5
        address = f"10.{64 + machine.number // 256}.{machine.number % 256}.{number}"
    status = {"conditions": conditions,
              "containerStatuses": [
                  _container_status(c, workload.name, pod_name, workload.phase, at)
                  for c in workload.containers],
              "hostIP": machine.ip(), "hostIPs": [{"ip": machine.ip()}],
              "phase": workload.phase, "podIP": address, "podIPs": [{"ip": address}],
              "qosClass": quality, "startTime": identity.time(at)}
    if "initContainers" in spec:
        status["initContainerStatuses"] = [
            {**_container_status(c, workload.name, pod_name, "Running", at), "ready": True}
            for c in workload.init]
    return status


def pod(workload, index, machine, number, waiting):
    """The Pod object; `waiting` is the scheduler's message for a pod without a machine."""
    name, generate, owner, labels = _names(workload, index, machine)
    key = f"{workload.namespace}/{name}"
    at = 40_000 + number * 37
    metadata = {"creationTimestamp": identity.time(at), "labels": labels, "name": name,
                "namespace": workload.namespace,
                "resourceVersion": identity.resource_version(key), "uid": identity.uid(key),
                "ownerReferences": [{
                    "apiVersion": {"Node": "v1", "Job": "batch/v1"}.get(workload.kind, "apps/v1"),
                    "controller": True, "kind": workload.kind, "name": owner,
                    "uid": identity.uid("node " + owner if workload.kind == "Node"
                                        else f"owner {workload.namespace}/{workload.name}")}]}
    if workload.kind != "Node":
        metadata["ownerReferences"][0]["blockOwnerDeletion"] = True
        metadata["generateName"] = generate
    annotations = dict(workload.annotations)
    if workload.kind == "Node":
        annotations["kubernetes.io/config.hash"] = identity.digest(key)[:32]
        annotations["kubernetes.io/config.mirror"] = annotations["kubernetes.io/config.hash"]
        annotations["kubernetes.io/config.source"] = "file"
    elif workload.kind == "ReplicaSet":
        annotations["prometheus.io/scrape"] = "true"
        annotations["kubectl.kubernetes.io/restartedAt"] = identity.time(at - 60)
    if annotations:
        metadata["annotations"] = annotations
    spec = _spec(workload, name, machine)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec,
            "status": _status(workload, spec, name, machine, at, waiting)}
