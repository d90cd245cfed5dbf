"""The objects of a case, quantities, and what selectors select, read naively: for naive_facts.py."""

from __future__ import annotations

import re
from decimal import ROUND_CEILING, Decimal

_SUFFIXES = {"n": Decimal("1e-9"), "u": Decimal("1e-6"), "m": Decimal("1e-3"), "": Decimal(1),
             "k": Decimal("1e3"), "M": Decimal("1e6"), "G": Decimal("1e9"), "T": Decimal("1e12"),
             "P": Decimal("1e15"), "E": Decimal("1e18"),
             **{unit + "i": Decimal(1 << 10 * power) for power, unit in enumerate("KMGTPE", 1)}}


class NotNaive(Exception):
    """The case has something that this module does not compute."""


def quantity(text):
    text = str(text)
    for size in (2, 1, 0):
        number, suffix = (text[:-size], text[-size:]) if size else (text, "")
        if suffix in _SUFFIXES and number[-1:].isdigit():
            return Decimal(number) * _SUFFIXES[suffix]
    raise NotNaive(text)


def whole(number):
    number = Decimal(number)
    return int(number.to_integral_value(ROUND_CEILING))


def counted(resource, number):
    return whole(number * 1000) if resource == "cpu" else whole(number)


class World:
    """The objects of a case, by kind."""

    def __init__(self, objects, defaults=False):
        #: Whether the API server's defaults hold, which merge keys of labels into selectors.
        self.defaults = defaults
        self.kinds = {}
        for item in objects:
            self.kinds.setdefault(item["kind"], []).append(item)
        self.nodes = {node["metadata"]["name"]: node for node in self.kinds.get("Node", [])}
        self.on = {name: [] for name in self.nodes}
        for pod in self.kinds.get("Pod", []):
            # A pod that has ended leaves its node.
            if pod["spec"].get("nodeName") in self.on and (pod.get("status") or {}).get(
                    "phase") not in ("Succeeded", "Failed"):
                self.on[pod["spec"]["nodeName"]].append(pod)

    def find(self, kind, name, namespace=None):
        for item in self.kinds.get(kind, []):
            meta = item["metadata"]
            if meta["name"] == name and (namespace is None
                                         or meta.get("namespace", "default") == namespace):
                return item
        return None

    def running(self):
        return [(pod, node) for node, pods in self.on.items() for pod in pods]


def labels_of(item):
    return item["metadata"].get("labels") or {}


def namespace_of(item):
    return item["metadata"].get("namespace") or "default"


def key_of(item):
    return f"{namespace_of(item)}/{item['metadata']['name']}"


# --- selectors ---

def holds(requirement, labels):
    operator, values = requirement["operator"], requirement.get("values") or []
    value = labels.get(requirement["key"])
    if operator == "In":
        return value in values
    if operator == "NotIn":
        return value not in values
    if operator in ("Exists", "DoesNotExist"):
        return (value is not None) == (operator == "Exists")
    if operator in ("Gt", "Lt"):
        try:
            there, limit = int(value), int(values[0])
        except (TypeError, ValueError):
            return False
        if not -1 << 63 <= there < 1 << 63:
            return False
        return there > limit if operator == "Gt" else there < limit
    return False


def requirements_of(selector):
    return [*({"key": key, "operator": "In", "values": [value]}
              for key, value in (selector.get("matchLabels") or {}).items()),
            *(selector.get("matchExpressions") or [])]


def selects(selector, labels):
    return selector is not None and all(holds(r, labels) for r in requirements_of(selector))


def selector_text(selector):
    def text(r):
        values = sorted(r.get("values") or [])
        listed = ",".join(values)
        return {"In": f"{r['key']}={listed}" if len(values) == 1 else f"{r['key']} in ({listed})",
                "NotIn": f"{r['key']} notin ({listed})", "Exists": r["key"],
                "DoesNotExist": f"!{r['key']}"}[r["operator"]]
    if selector is None:
        return ""
    first = sorted(({"key": key, "operator": "In", "values": [value]}
                    for key, value in (selector.get("matchLabels") or {}).items()),
                   key=lambda r: r["key"])
    return ",".join(text(r) for r in sorted([*first, *(selector.get("matchExpressions") or [])],
                                            key=lambda r: r["key"]))


def wanted(requirement, labels, extra):
    values = list(requirement.get("values") or [])
    fact = {**extra, "key": requirement["key"], "operator": requirement["operator"], "values": values}
    if requirement["key"] in labels:
        fact["found"] = labels[requirement["key"]]
        if requirement["operator"] == "In" and fact["found"].lower() in [value.lower() for value in values]:
            fact["near"] = f"{requirement['key']}={fact['found']}"
    elif requirement["operator"] not in ("NotIn", "DoesNotExist"):
        near = near_label(requirement["key"], values, labels)
        if near is not None:
            fact["near"] = f"{near}={labels[near]}"
    return fact


def parted(key):
    return tuple(key.split("/", 1)) if "/" in key else ("", key)


def distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def near_label(key, values, labels):
    """The label that may be meant by a key that is not there."""
    prefix, name = parted(key)
    renamed = [label for label in sorted(labels) if parted(label)[1].lower() == name.lower()]
    if renamed:
        return next((label for label in renamed if labels[label] in values), renamed[0])
    similar = [(distance(name, parted(label)[1]), label) for label in labels if parted(label)[0] == prefix
               and distance(name, parted(label)[1]) <= max(len(name), len(parted(label)[1])) // 3]
    return min(similar)[1] if similar else None


def unmatched(world, selector, labels, name, extra):
    """The facts of a node selector. Invalid requirements are here if they do not hold."""
    facts = [] if selector.get("nodeSelectorTerms") else [{**extra, "problem": "there is no term"}]
    for index, term in enumerate(selector.get("nodeSelectorTerms") or []):
        begun = {**extra, "term": index}
        if not term.get("matchExpressions") and not term.get("matchFields"):
            facts.append({**begun, "problem": "the term is empty"})
        for of, field, there in (("labels", "matchExpressions", labels),
                                 ("fields", "matchFields", {"metadata.name": name})):
            facts += [by_name(world, r, there, {**begun, "of": of}) if of == "fields"
                      else wanted(r, there, {**begun, "of": of})
                      for r in term.get(field) or [] if not holds(r, there)]
    return facts


def by_name(world, requirement, there, extra):
    values = list(requirement.get("values") or [])
    fact = {**extra, "key": requirement["key"], "operator": requirement["operator"], "values": values}
    if requirement["key"] == "metadata.name":
        fact["found"] = there["metadata.name"]
        if requirement["operator"] == "In" and not any(value in world.nodes for value in values):
            fact["exists"] = False
    return fact


def _parses(requirement):
    operator, values = requirement.get("operator"), requirement.get("values") or []
    if operator in ("Exists", "DoesNotExist"):
        return not values
    if operator in ("Gt", "Lt"):
        return len(values) == 1 and re.fullmatch("[0-9]{1,18}", values[0])
    return operator in ("In", "NotIn") and values and all(
        re.fullmatch("(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?", value) for value in values)


def matches(selector, labels, name):
    return any((term.get("matchExpressions") or term.get("matchFields"))
               and all(map(_parses, term.get("matchExpressions") or []))
               and all(holds(r, labels) for r in term.get("matchExpressions") or [])
               and all(len(r.get("values") or []) == 1 and holds(r, {"metadata.name": name})
                       for r in term.get("matchFields") or [])
               for term in selector.get("nodeSelectorTerms") or [])
