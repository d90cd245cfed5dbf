"""Texts about the facts behind reasons, for people: the command line and the page show them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ._amounts import amount, amounts, sizes

# Fields that hold bytes, in facts about claims.
_SIZES = ("requested", "largest")
# What keeps one device from a request, and what keeps several.
_PROBLEMS = {
    "selector": ("is not what {} selects", "are not what {} selects"),
    "selector fails": ("cannot be judged by {}", "cannot be judged by {}"),
    "node": ("is for other nodes", "are for other nodes"),
    "binding conditions": ("has binding conditions", "have binding conditions"),
    "in use": ("is in use by {}", "are in use by {}"),
    "capacity": ("lacks {}", "lack {}"),
    "counters": ("finds no counter {} left", "find no counter {} left"),
    "taint": ("has the taint {}", "have the taint {}"),
}
# How a label or field should be; {} stands for what is wanted.
_OPERATORS = {"NotIn": "not in {}", "Exists": "to be there", "DoesNotExist": "not to be there", "Gt": "above {}",
              "Lt": "below {}"}
# What keeps volumes from a claim; "{}" is the number of bytes of the largest.
_VOLUMES = {
    "claimed": "are reserved for other claims",
    "deleting": "are being deleted",
    "size": "are too small (the largest: {})",
    "volume mode": "have another volumeMode",
    "attributes class": "have another VolumeAttributesClass",
    "phase": "are not Available",
    "selector": "are not what the claim selects",
    "access modes": "lack an access mode of the claim",
    "node": "are for other nodes",
    "taken": "are for another claim of the pod",
    "other volume": "are free, but another volume is reserved for the claim",
    "class": "are of another class",
}
# Why a claim has no volume.
_CLAIMS = {
    "no class": "it names no class, and nobody has bound it to a volume",
    "class missing": "its StorageClass does not exist",
    "immediate": "its class binds volumes at once, without regard to pods, and nobody has bound one",
    "not bound": "its volume is not bound to it",
    "volume missing": "its volume does not exist",
    "no provisioner": "its class has no provisioner, so no volume can be made",
    "no capacity": "no CSIStorageCapacity of its class covers the node",
}
# What the parts of a request are called.
_PARTS = {"podLevel": "of the pod", "containers": "in containers", "sidecars": "in sidecars",
          "initContainers": "in init containers", "overhead": "overhead"}


def fact_text(fact: Mapping[str, Any]) -> str:
    """Returns a fact in a line, without its reason.

    >>> fact_text({"reason": "Insufficient cpu", "resource": "cpu", "requested": 1500,
    ...            "used": 3000, "free": 1000, "allocatable": 4000})
    'cpu: asks 1.5, free 1 of 4'
    >>> fact_text({"reason": "...", "key": "arch", "value": "arm64", "effect": "NoSchedule"})
    'taint arch=arm64:NoSchedule'
    >>> fact_text({"reason": "...", "source": "nodeSelector", "key": "zone", "operator": "In",
    ...            "values": ["a", "b"], "found": "c"})
    'nodeSelector wants zone in [a, b], the node has c'
    >>> fact_text({"reason": "...", "claim": "ns/data", "requested": 107374182400})
    'claim ns/data, requested 100Gi'
    >>> fact_text({"reason": "...", "port": 80, "protocol": "TCP", "hostIP": "0.0.0.0", "usedIP": "0.0.0.0",
    ...            "pod": "ns/x"})
    'port 80/TCP on 0.0.0.0: ns/x uses it on 0.0.0.0'
    >>> fact_text({"reason": "...", "topologyKey": "zone", "maxSkew": 1, "self": True})
    'topology key zone, max skew 1, self'
    >>> fact_text({"reason": "Insufficient cpu", "nominatedPod": "ns/p", "priority": 100,
    ...            "nominatedNode": "n1", "reserves": ["cpu=2000", "memory=1073741824"]})
    'ns/p (priority 100) is nominated to n1 and reserves 2 cpu, 1Gi memory'
    >>> fact_text({"reason": "...", "resourceClaim": "ns/gpu", "request": "r", "wanted": 2, "seen": 8,
    ...            "suitable": 1})
    'ns/gpu, request r: wants 2 devices, 1 of 8 suits'
    """
    if "request" in fact:
        return _device_text(fact)
    if "nominatedPod" in fact:
        return _nominated_text(fact)
    fields = {name: value for name, value in fact.items() if name != "reason"}
    of_volumes = "driver" in fields  # whose "requested" is a number of volumes
    parts = []
    if "missing" in fields:
        names = list(fields["missing"])
        return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} not in the cluster"
    if "resize" in fields:
        return _resize_text(fields)
    if "volumes" in fields:
        return _volumes_text(fields)
    if fields.get("problem") in _CLAIMS:
        problem = _CLAIMS[fields.pop("problem")]
        other = fields.pop("boundTo", "")
        parts.append(problem + (f", but to {other}" if other else ""))
    if "problem" in fields and fields["problem"] == "topology":
        del fields["problem"]
        parts.append("its class allows other topologies alone")
    if "resource" in fields:
        name = fields.pop("resource")
        numbers = [fields.pop(field) for field in ("requested", "used", "free", "allocatable")]
        asked, free, total = amounts(name, numbers[0], *numbers[2:])
        parts.append(f"{name}: asks {asked}, free {free} of {total}" + _split(name, fields))
        if "capacity" in fields:
            healthy = int(fact["allocatable"]) or "none"
            parts.append(f"capacity {amount(name, fields.pop('capacity'))}: the device plugin reports "
                         f"{healthy} healthy")
        if "terminating" in fields:
            parts.append(f"{amount(name, fields.pop('terminating'))} held by pods that are being deleted: "
                         + ", ".join(fields.pop("terminatingPods")))
    elif "port" in fields:
        parts.append("port {port}/{protocol} on {hostIP}: {pod} uses it on {usedIP}".format_map(fields))
        for field in ("port", "protocol", "hostIP", "pod", "usedIP"):
            del fields[field]
    elif "effect" in fields:
        value = fields.pop("value", "")
        parts.append(f"taint {fields.pop('key')}{'=' if value else ''}{value}:"
                     f"{fields.pop('effect')}")
        if "featureGate" in fields:
            parts.append("a toleration's operator Lt or Gt counts only with the feature gate "
                         f"{fields.pop('featureGate')}")
    elif "key" in fields:
        if fields.get("key") == "metadata.name" and fields.pop("exists", True) is False:
            return f"{', '.join(fields['values'])} is not in the cluster"
        near = fields.pop("near", "")
        parts += _wanted(fields)
        if near:
            parts.append(f"the node has {near}")
    if "selectedNode" in fields and fields.pop("exists", True) is False:
        fields["selectedNode"] = f"{fields['selectedNode']}, which is not in the cluster"
    last = [_emptiest_text(fields)] if "emptiest" in fields else []
    return ", ".join(parts + [_field(name, value, of_volumes) for name, value in fields.items()] + last)


def _nominated_text(fact: Mapping[str, Any]) -> str:
    """Returns a fact about a pod for which a node keeps room."""
    reserves = [entry.rsplit("=", 1) for entry in fact["reserves"]]
    reserved = ", ".join(f"{amount(name, int(number))} {name}" for name, number in reserves)
    return (f"{fact['nominatedPod']} (priority {fact['priority']}) is nominated to {fact['nominatedNode']}"
            + (f" and reserves {reserved}" if reserved else ""))


def _split(resource: str, fields: dict[str, Any]) -> str:
    """Takes the parts of a request out of the fields; empty if it has one part."""
    told = [f"{amount(resource, fields.pop(name))} {words}" for name, words in _PARTS.items() if name in fields]
    return f" ({', '.join(told)})" if told else ""


def _resize_text(fields: Mapping[str, Any]) -> str:
    """Returns a fact about a pod that is being resized.

    >>> _resize_text({"resource": "cpu", "pod": "ns/big", "resize": "Deferred", "held": 7000,
    ...               "wanted": 7000, "allocated": 500, "actual": 500})
    'cpu: ns/big holds 7, resize Deferred: wants 7, allocated 0.5, actual 0.5'
    """
    name = fields["resource"]
    held, wanted, allocated, actual = (amount(name, fields[part])
                                       for part in ("held", "wanted", "allocated", "actual"))
    return (f"{name}: {fields['pod']} holds {held}, resize {fields['resize']}: wants {wanted}, "
            f"allocated {allocated}, actual {actual}")


def _volumes_text(fields: Mapping[str, Any]) -> str:
    """Returns a fact about the volumes that a claim cannot have.

    >>> _volumes_text({"claim": "ns/data", "problem": "claimed", "count": 1, "volumes": ["pv-a"],
    ...                "claims": ["ns/other"]})
    'ns/data: pv-a (ns/other) are reserved for other claims'
    """
    claims = list(fields.get("claims", ()))
    names = [name + (f" ({claims[at]})" if claims else "") for at, name in enumerate(fields["volumes"])]
    more = f" and {fields['count'] - len(names):,} more" if fields["count"] > len(names) else ""
    said = _VOLUMES[fields["problem"]].format(amount("memory", fields.get("largest", 0)))
    return f"{fields['claim']}: {', '.join(names)}{more} {said}"


def _emptiest_text(fields: dict[str, Any]) -> str:
    """Takes the emptiest domain of a constraint, and a node of it, out of the fields."""
    domains, node = list(fields.pop("emptiest")), fields.pop("emptiestNode")
    taint = fields.pop("emptiestTaint", "")
    there = f" ({node} has the taint {taint}, which the pod does not tolerate)" if taint else (
        f" ({node})" if node != domains[0] else "")
    return f"emptiest {', '.join(domains)}{there}"


def _device_text(fact: Mapping[str, Any]) -> str:
    """Returns a fact about a request for devices: which it gets, or what keeps it from them.

    >>> said = {"reason": "...", "resourceClaim": "ns/gpu", "request": "r"}
    >>> _device_text({**said, "problem": "in use", "usedBy": "ns/x", "count": 2, "devices": ["d/p/0", "d/p/1"]})
    'ns/gpu, request r: 2 devices are in use by ns/x: d/p/0, d/p/1'
    >>> _device_text({**said, "problem": "incomplete pool", "pool": "d/p"})
    'ns/gpu, request r: the pool d/p is incomplete'
    >>> _device_text({**said, "problem": "outdated pool", "pool": "d/p", "generation": 3, "slices": 1,
    ...               "wantedSlices": 2, "nodeGeneration": 2})
    'ns/gpu, request r: the pool d/p is outdated: 1 of 2 slices of generation 3, and those for the node are of generation 2'
    >>> _device_text({**said, "allocated": False, "device": "d/p/0", "consumes": ["memory=4Gi"]})
    'ns/gpu, request r: takes d/p/0 (memory=4Gi)'
    """
    start = f"{fact['resourceClaim']}, request {fact['request']}:"
    if "device" in fact:
        more = list(fact.get("consumes", ())) + ["admin access"] * fact.get("adminAccess", False)
        suffix = f" ({', '.join(more)})" if more else ""
        return f"{start} {'has' if fact['allocated'] else 'takes'} {fact['device']}{suffix}"
    if "seen" in fact:
        wanted = fact.get("wanted", "all")
        suits = fact["suitable"]
        return (f"{start} wants {wanted} device{'s' * (wanted != 1)}, {suits} of {fact['seen']} "
                f"suit{'s' * (suits == 1)}")
    problem = fact["problem"]
    if problem in ("no class", "class missing"):
        named = f" {fact['deviceClass']}" if "deviceClass" in fact else ""
        return (f"{start} the DeviceClass{named} does not exist" if named else
                f"{start} it names no deviceClassName (in exactly, or in its alternatives)")
    if "pool" in fact:
        slices = (f": {fact['slices']:,} of {fact['wantedSlices']:,} slices of generation {fact['generation']}"
                  if "slices" in fact else "")
        if "nodeGeneration" in fact:
            slices += f", and those for the node are of generation {fact['nodeGeneration']}"
        return f"{start} the pool {fact['pool']} is {problem.split()[0]}{slices}"
    if problem == "together":
        return f"{start} enough devices suit, but not beside those of requests before it, or under the constraints"
    count, devices = fact["count"], list(fact["devices"])
    words = _PROBLEMS[problem]
    detail = next((str(fact[name]) for name in ("selector", "usedBy", "capacity", "counter", "taint")
                   if name in fact), "somebody")
    if "error" in fact:
        detail += f" ({fact['error']})"
    if "left" in fact:
        detail += f" ({_number(fact['left'])} left of {_number(fact['offered'])})"
    named = ", ".join(devices) + (", ..." if count > len(devices) else "")
    plural = count != 1
    return f"{start} {count} device{'s' * plural} {words[plural].format(detail)}: {named}"


def _number(text: str) -> str:
    """Returns an exact amount as manifests have it."""
    return amount("memory", int(text)) if text.isdigit() else text


def _wanted(fields: dict[str, Any]) -> list[str]:
    """Takes what a label or field of a node should be, and what it is, out of the fields."""
    term = fields.pop("term", None)
    source = fields.pop("source", "") + ("" if term is None else f".nodeSelectorTerms[{term}]")
    kind = "field " if fields.pop("of", "") == "fields" else ""
    before = [_field(name, fields.pop(name)) for name in list(fields)[:list(fields).index("key")]]
    key, operator, values = fields.pop("key"), fields.pop("operator", "In"), fields.pop("values")
    named = f"[{', '.join(values)}]" if operator in ("In", "NotIn") else ", ".join(values)
    wanted = _OPERATORS.get(operator, "in {}").format(named)
    found = fields.pop("found", None)
    return [*before, f"{source} wants {kind}{key} {wanted}".lstrip(),
            f"the node has {'none' if found is None else found}"]


def _field(name: str, value: Any, of_volumes: bool = False) -> str:
    words = re.sub("([a-z])([A-Z])", r"\1 \2", name)
    words = " ".join(word if word.isupper() else word.lower() for word in words.split())
    if isinstance(value, bool):
        return words if value else f"not {words}"
    if name in _SIZES and isinstance(value, int) and not of_volumes:
        return f"{words} {sizes(value)[0]}"
    return f"{words} {', '.join(value) or 'none' if isinstance(value, list) else value}"
