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
    if "resource" in fields:
        name = fields.pop("resource")
        numbers = [fields.pop(field) for field in ("requested", "used", "free", "allocatable")]
        asked, free, total = amounts(name, numbers[0], *numbers[2:])
        parts.append(f"{name}: asks {asked}, free {free} of {total}")
    elif "port" in fields:
        parts.append("port {port}/{protocol} on {hostIP}: {pod} uses it on {usedIP}".format_map(fields))
        for field in ("port", "protocol", "hostIP", "pod", "usedIP"):
            del fields[field]
    elif "effect" in fields:
        value = fields.pop("value", "")
        parts.append(f"taint {fields.pop('key')}{'=' if value else ''}{value}:"
                     f"{fields.pop('effect')}")
    elif "key" in fields:
        parts += _wanted(fields)
    return ", ".join(parts + [_field(name, value, of_volumes) for name, value in fields.items()])


def _nominated_text(fact: Mapping[str, Any]) -> str:
    """Returns a fact about a pod for which a node keeps room."""
    reserves = [entry.rsplit("=", 1) for entry in fact["reserves"]]
    reserved = ", ".join(f"{amount(name, int(number))} {name}" for name, number in reserves)
    return (f"{fact['nominatedPod']} (priority {fact['priority']}) is nominated to {fact['nominatedNode']}"
            + (f" and reserves {reserved}" if reserved else ""))


def _device_text(fact: Mapping[str, Any]) -> str:
    """Returns a fact about a request for devices: which it gets, or what keeps it from them.

    >>> said = {"reason": "...", "resourceClaim": "ns/gpu", "request": "r"}
    >>> _device_text({**said, "problem": "in use", "usedBy": "ns/x", "count": 2, "devices": ["d/p/0", "d/p/1"]})
    'ns/gpu, request r: 2 devices are in use by ns/x: d/p/0, d/p/1'
    >>> _device_text({**said, "problem": "incomplete pool", "pool": "d/p"})
    'ns/gpu, request r: the pool d/p is incomplete'
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
    if "pool" in fact:
        return f"{start} the pool {fact['pool']} is {problem.split()[0]}"
    if problem == "together":
        return f"{start} enough devices suit, but not beside those of requests before it, or under the constraints"
    count, devices = fact["count"], list(fact["devices"])
    words = _PROBLEMS[problem]
    detail = next((str(fact[name]) for name in ("selector", "usedBy", "capacity", "counter", "taint")
                   if name in fact), "somebody")
    named = ", ".join(devices) + (", ..." if count > len(devices) else "")
    plural = count != 1
    return f"{start} {count} device{'s' * plural} {words[plural].format(detail)}: {named}"


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
