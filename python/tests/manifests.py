"""Small Kubernetes objects for the tests, as dicts."""

import copy


def node(name="a", cpu="4", memory="8Gi", pods="110", labels=None, taints=(), **spec):
    made = {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
        "spec": dict(spec),
        "status": {"allocatable": {"cpu": cpu, "memory": memory, "pods": pods}},
    }
    if taints:
        made["spec"]["taints"] = list(taints)
    return made


def pod(name="p", cpu=None, namespace=None, node_name=None, **spec):
    container = {"name": "c", "image": "registry.example/app"}
    if cpu is not None:
        container["resources"] = {"requests": {"cpu": cpu}}
    made = {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
        "spec": {"containers": [container], **copy.deepcopy(spec)},
    }
    if namespace:
        made["metadata"]["namespace"] = namespace
    if node_name:
        made["spec"]["nodeName"] = node_name
    return made


def deployment(name="web", replicas=3, cpu="1", kind="Deployment"):
    template = pod("unused", cpu=cpu)
    return {
        "apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}},
                 "template": {"metadata": {"labels": {"app": name}}, "spec": template["spec"]}},
    }


def several(*objects):
    return {"apiVersion": "v1", "kind": "List", "items": list(objects)}


GATED = {"schedulingGates": [{"name": "example.com/wait"}]}
CLAIMS = {"resourceClaims": [{"name": "device", "resourceClaimName": "some-claim"}]}
