"""The facts behind verdicts, computed naively from the objects of a case: one pod, one node, loops.

Nothing here reads the library. `expected` returns the facts of a plugin's rejection; a value that is a
set stands for any of its members.
"""

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


# --- requests ---

def _list(container):
    return {name: quantity(value)
            for name, value in ((container.get("resources") or {}).get("requests") or {}).items()}


def _add(total, more):
    for name, value in more.items():
        total[name] = total.get(name, 0) + value


def _most(total, other):
    for name, value in other.items():
        total[name] = max(total.get(name, 0), value)


def requests(pod):
    spec = pod["spec"]
    for status in (pod.get("status") or {}).get("containerStatuses") or []:
        if status.get("resources") or status.get("allocatedResources"):
            raise NotNaive("a resize")
    total, sidecars, start = {}, {}, {}
    for container in spec.get("containers") or []:
        _add(total, _list(container))
    for container in spec.get("initContainers") or []:
        now = _list(container)
        if container.get("restartPolicy") == "Always":
            _add(total, now)
            _add(sidecars, now)
            now = dict(sidecars)
        else:
            _add(now, sidecars)
        _most(start, now)
    _most(total, start)
    for name, value in _list(spec).items():  # pod-level requests
        if name in ("cpu", "memory") or name.startswith("hugepages-"):
            total[name] = value
    _add(total, {name: quantity(value) for name, value in (spec.get("overhead") or {}).items()})
    return total


def resources_fit(world, pod, node, _reason, config):
    used = {"pods": Decimal(len(world.on[node["metadata"]["name"]]))}
    for other in world.on[node["metadata"]["name"]]:
        for name, value in requests(other).items():
            # Each pod's amount is rounded.
            used[name] = used.get(name, 0) + Decimal(counted(name, value)) / (
                1000 if name == "cpu" else 1)
    has = {name: quantity(value) for name, value
           in ((node.get("status") or {}).get("allocatable") or {}).items()}
    facts = []
    for name, asked in {"pods": Decimal(1), **requests(pod)}.items():
        total, taken = counted(name, has.get(name, Decimal(0))), counted(name, used.get(name, Decimal(0)))
        want = counted(name, asked)
        ignored = name in (config.get("ignoredResources") or []) or name.split("/")[0] in (
            config.get("ignoredResourceGroups") or [])
        if want > 0 and want > total - taken and not ignored:
            facts.append({"reason": "Too many pods" if name == "pods" else f"Insufficient {name}",
                          "resource": name, "requested": want, "used": taken,
                          "free": total - taken, "allocatable": total})
    return facts


# --- taints, names, ports ---

def tolerated(pod, taint):
    for one in pod["spec"].get("tolerations") or []:
        if one.get("effect") and one["effect"] != taint.get("effect"):
            continue
        if one.get("key", "") and one["key"] != taint["key"]:
            continue
        operator = one.get("operator") or "Equal"
        if operator == "Exists" or (operator == "Equal"
                                    and one.get("value", "") == taint.get("value", "")):
            if one.get("key") or operator == "Exists":
                return True
    return False


def untolerated(_world, pod, node, reason, _config):
    return [{"reason": reason, "key": taint["key"], "value": taint.get("value", ""),
             "effect": taint["effect"]} for taint in node.get("spec", {}).get("taints") or []
            if taint.get("effect") in ("NoSchedule", "NoExecute") and not tolerated(pod, taint)]


def unschedulable(_world, _pod, _node, reason, _config):
    return [{"reason": reason, "key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]


def node_name(world, pod, _node, reason, _config):
    wanted = pod["spec"]["nodeName"]
    return [{"reason": reason, "nodeName": wanted, "exists": wanted in world.nodes}]


def host_ports(pod):
    spec = pod["spec"]
    sidecars = [c for c in spec.get("initContainers") or [] if c.get("restartPolicy") == "Always"]
    return [(port["hostPort"], port.get("protocol") or "TCP", port.get("hostIP") or "0.0.0.0")
            for container in [*sidecars, *(spec.get("containers") or [])]
            for port in container.get("ports") or [] if port.get("hostPort", 0) > 0]


def ports(world, pod, node, reason, _config):
    users = {}
    for other in world.on[node["metadata"]["name"]]:
        for port in host_ports(other):
            users.setdefault(port, set()).add(key_of(other))
    facts = []
    for number, protocol, ip in host_ports(pod):
        for (used, used_protocol, used_ip), pods in users.items():
            if (number, protocol) == (used, used_protocol) and (
                    ip == used_ip or "0.0.0.0" in (ip, used_ip)):
                facts.append({"reason": reason, "port": number, "protocol": protocol, "hostIP": ip,
                              "usedIP": used_ip, "pod": pods})
    return facts


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
    fact = {**extra, "key": requirement["key"], "operator": requirement["operator"],
            "values": list(requirement.get("values") or [])}
    if requirement["key"] in labels:
        fact["found"] = labels[requirement["key"]]
    return fact


def unmatched(selector, labels, name, extra):
    """The facts of a node selector. Invalid requirements are here if they do not hold."""
    facts = [] if selector.get("nodeSelectorTerms") else [{**extra, "problem": "there is no term"}]
    for index, term in enumerate(selector.get("nodeSelectorTerms") or []):
        begun = {**extra, "term": index}
        if not term.get("matchExpressions") and not term.get("matchFields"):
            facts.append({**begun, "problem": "the term is empty"})
        for of, field, there in (("labels", "matchExpressions", labels),
                                 ("fields", "matchFields", {"metadata.name": name})):
            facts += [wanted(r, there, {**begun, "of": of}) for r in term.get(field) or []
                      if not holds(r, there)]
    return facts


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


def _required(affinity):
    return ((affinity or {}).get("nodeAffinity") or {}).get(
        "requiredDuringSchedulingIgnoredDuringExecution")


def node_affinity(_world, pod, node, reason, config):
    labels, name = labels_of(node), node["metadata"]["name"]
    begun = {"reason": reason}
    if "scheduler-enforced" in reason:
        added = config["addedAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        return unmatched(added, labels, name, {**begun, "source": "addedAffinity"})
    facts = [wanted({"key": key, "operator": "In", "values": [value]}, labels,
                    {**begun, "source": "nodeSelector"})
             for key, value in sorted((pod["spec"].get("nodeSelector") or {}).items())
             if labels.get(key) != value]
    required = _required(pod["spec"].get("affinity"))
    if required is not None and not matches(required, labels, name):
        facts += unmatched(required, labels, name, {**begun, "source": "nodeAffinity"})
    return facts


# --- other pods ---

_LABEL_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")


def _terms(pod, kind):
    return (((pod["spec"].get("affinity") or {}).get(kind) or {}).get(
        "requiredDuringSchedulingIgnoredDuringExecution")) or []


def term_selects(world, owner, term, pod):
    namespaces, by_labels = term.get("namespaces") or [], term.get("namespaceSelector")
    if not namespaces and by_labels is None:
        inside = namespace_of(pod) == namespace_of(owner)
    else:
        there = world.find("Namespace", namespace_of(pod))
        inside = namespace_of(pod) in namespaces or (
            by_labels is not None and selects(by_labels, labels_of(there) if there else {}))
    return inside and selects(selector_of(world, owner, term), labels_of(pod))


def selector_of(world, owner, term):
    """The label selector of a term with what its keys take from the labels of its own pod."""
    selector, labels = term.get("labelSelector"), labels_of(owner)
    if selector is None or not world.defaults:
        return selector
    added = [{"key": key, "operator": operator, "values": [labels[key]]}
             for field, operator in (("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn"))
             for key in term.get(field) or [] if key in labels]
    return {**selector, "matchExpressions": [*(selector.get("matchExpressions") or []), *added]}


def _domain(node, key):
    return {"domain": labels_of(node)[key]} if key in labels_of(node) else {}


def inter_pod_affinity(world, pod, node, reason, _config):
    def peers(key):
        return [(other, name) for other, name in world.running()
                if key in labels_of(node)
                and labels_of(world.nodes[name]).get(key) == labels_of(node)[key]]

    facts = []
    if "didn't match pod affinity" in reason:
        terms = _terms(pod, "podAffinity")
        for term in terms:
            if term.get("namespaceSelector"):
                raise NotNaive("which pods a selector of namespaces selects")

        def of_group(other):
            return all(term_selects(world, pod, term, other) for term in terms)

        first = of_group(pod) and not any(
            of_group(other) and any(term["topologyKey"] in labels_of(world.nodes[name])
                                    for term in terms) for other, name in world.running())
        for key in dict.fromkeys(term["topologyKey"] for term in terms):
            count = sum(of_group(other) for other, _ in peers(key))
            if key in labels_of(node) and (count or first):
                continue
            facts.append({"reason": reason, "topologyKey": key, **_domain(node, key),
                          "selectors": [selector_text(selector_of(world, pod, term))
                                        for term in terms if term["topologyKey"] == key],
                          **({"pods": 0} if key in labels_of(node) else {})})
    elif "didn't match pod anti-affinity" in reason:
        for term in _terms(pod, "podAntiAffinity"):
            if term.get("namespaceSelector"):
                raise NotNaive("which pods a selector of namespaces selects")
            key = term["topologyKey"]
            found = [(other, name) for other, name in peers(key)
                     if term_selects(world, pod, term, other)]
            if found:
                facts.append({"reason": reason, "topologyKey": key, **_domain(node, key),
                              "selector": selector_text(selector_of(world, pod, term)),
                              "pods": len(found), "pod": {key_of(other) for other, _ in found},
                              "node": {name for _, name in found}})
    else:
        keys = {}
        for other, name in world.running():
            terms = _terms(other, "podAntiAffinity")
            if not all(r["operator"] in _LABEL_OPERATORS for term in terms
                       for field in ("labelSelector", "namespaceSelector")
                       for r in (term.get(field) or {}).get("matchExpressions") or []):
                continue  # a list with a term that does not parse is dropped
            for term in terms:
                key = term["topologyKey"]
                if key in labels_of(node) and labels_of(world.nodes[name]).get(key) == labels_of(
                        node)[key] and term_selects(world, other, term, pod):
                    keys.setdefault(key, []).append((other, name, term))
        for key, found in keys.items():
            facts.append({"reason": reason, "topologyKey": key, **_domain(node, key),
                          "terms": len(found),
                          "selector": {selector_text(selector_of(world, other, term))
                                       for other, _, term in found},
                          "pod": {key_of(other) for other, _, _ in found},
                          "node": {name for _, name, _ in found}})
    return facts


def spread(world, pod, node, reason, _config):
    hard = [c for c in pod["spec"].get("topologySpreadConstraints") or []
            if c.get("whenUnsatisfiable") == "DoNotSchedule"]
    keys = [c["topologyKey"] for c in hard]
    facts = []
    for c in hard:
        if c.get("matchLabelKeys"):
            raise NotNaive("matchLabelKeys")
        selector, key = c.get("labelSelector"), c["topologyKey"]
        counts = {}
        for name, other in world.nodes.items():
            labels = labels_of(other)
            if not all(k in labels for k in keys):
                continue
            required = _required(pod["spec"].get("affinity"))
            if c.get("nodeAffinityPolicy", "Honor") == "Honor" and (
                    (required is not None and not matches(required, labels, name))
                    or any(labels.get(k) != v
                           for k, v in (pod["spec"].get("nodeSelector") or {}).items())):
                continue
            if c.get("nodeTaintsPolicy", "Ignore") == "Honor" and untolerated(
                    world, pod, other, reason, {}):
                continue
            counts[labels[key]] = counts.get(labels[key], 0) + sum(
                namespace_of(p) == namespace_of(pod) and selects(selector, labels_of(p))
                and bool(requirements_of(selector)) and "deletionTimestamp" not in p["metadata"]
                for p in world.on[name])
        fact = {"reason": reason, "topologyKey": key, "selector": selector_text(selector),
                "maxSkew": c["maxSkew"]}
        if key not in labels_of(node):
            facts.append(fact)
            continue
        least = c.get("minDomains") or 1
        fewest = min(counts.values(), default=(1 << 31) - 1)
        fewest = 0 if len(counts) < least else fewest
        own = selects(selector, labels_of(pod))
        there = counts.get(labels_of(node)[key], 0)
        if there + own - fewest > c["maxSkew"]:
            facts.append({**fact, "domain": labels_of(node)[key], "pods": there, "fewest": fewest,
                          "self": own, "skew": there + own - fewest, "domains": len(counts),
                          "minDomains": least})
    return facts


# --- volumes ---

def claims_of(world, pod):
    for volume in pod["spec"].get("volumes") or []:
        if "persistentVolumeClaim" in volume:
            name = volume["persistentVolumeClaim"].get("claimName", "")
        elif "ephemeral" in volume:
            name = f"{pod['metadata']['name']}-{volume['name']}"
        else:
            continue
        yield volume, name, world.find("PersistentVolumeClaim", name, namespace_of(pod))


def storage_class(claim):
    beta = (claim["metadata"].get("annotations") or {}).get(
        "volume.beta.kubernetes.io/storage-class")
    return beta if beta is not None else claim["spec"].get("storageClassName")


def claim_fields(claim):
    fields = {"claim": key_of(claim), "phase": (claim.get("status") or {}).get("phase"),
              "storageClass": storage_class(claim),
              "persistentVolume": claim["spec"].get("volumeName") or None}
    return {name: value for name, value in fields.items() if value is not None}


def missing_claim(world, pod):
    for volume, name, claim in claims_of(world, pod):
        if claim is None:
            return {"volume": volume["name"], "claim": f"{namespace_of(pod)}/{name}",
                    "exists": False}
    return None


def volume_zone(world, pod, node, reason, _config):
    beta = {"failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
            "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region"}
    facts = []
    for volume, _, claim in claims_of(world, pod):
        if "ephemeral" in volume or not claim["spec"].get("volumeName"):
            continue
        pv = world.find("PersistentVolume", claim["spec"]["volumeName"])
        for key in [*beta, *beta.values()]:
            text = labels_of(pv).get(key)
            values = [zone.strip() for zone in text.split("__")] if text is not None else []
            has = labels_of(node).get(key, labels_of(node).get(beta.get(key, key)))
            if not values or "" in values or has in values:
                continue
            facts.append({"reason": reason, "claim": key_of(claim),
                          "persistentVolume": pv["metadata"]["name"], "key": key, "values": values,
                          **({} if has is None else {"found": has})})
    return facts


def volume_restrictions(world, pod, node, reason, _config):
    if "ReadWriteOncePod" not in reason:
        facts = []
        for volume in pod["spec"].get("volumes") or []:
            for other in world.on[node["metadata"]["name"]]:
                for there in other["spec"].get("volumes") or []:
                    facts += _disk(volume, there, key_of(other), reason)
        return facts
    facts = {}
    for _, name, claim in claims_of(world, pod):
        if "ReadWriteOncePod" not in (claim["spec"].get("accessModes") or []):
            continue
        users = [(other, where) for other, where in world.running()
                 if namespace_of(other) == namespace_of(pod)
                 and any((v.get("persistentVolumeClaim") or {}).get("claimName") == name
                         for v in other["spec"].get("volumes") or [])]
        if users:
            facts[name] = {"reason": reason, "claim": key_of(claim),
                           "pod": {key_of(other) for other, _ in users},
                           "node": {where for _, where in users}}
    return list(facts.values())


def _disk(mine, there, owner, reason):
    for kind, name in (("gcePersistentDisk", "pdName"), ("awsElasticBlockStore", "volumeID"),
                       ("rbd", "image"), ("iscsi", "iqn")):
        a, b = mine.get(kind), there.get(kind)
        if not a or not b or a[name] != b[name]:
            continue
        both = a.get("readOnly", False) and b.get("readOnly", False)
        if kind == "rbd" and (a.get("pool", "rbd") != b.get("pool", "rbd")
                              or not set(a["monitors"]) & set(b["monitors"])):
            continue
        if kind == "awsElasticBlockStore" or not both:
            return [{"reason": reason, "volume": mine["name"], "disk": a[name],
                     "readOnly": a.get("readOnly", False), "pod": owner,
                     "podReadOnly": b.get("readOnly", False)}]
    return []


def volume_limits(world, pod, node, reason, _config):
    def volumes(of):
        found = set()
        for volume in of["spec"].get("volumes") or []:
            if set(volume) & {"gcePersistentDisk", "awsElasticBlockStore", "azureDisk", "cinder",
                              "azureFile", "vsphereVolume", "portworxVolume"}:
                raise NotNaive("a volume of a migrated plugin")
        for _, name, claim in claims_of(world, of):
            if claim is None:
                continue
            pv = world.find("PersistentVolume", claim["spec"].get("volumeName") or "")
            if pv is not None:
                if "csi" not in pv["spec"]:
                    raise NotNaive("a volume of another kind")
                csi = pv["spec"]["csi"]
                if csi.get("driver") and csi.get("volumeHandle"):
                    found.add((csi["driver"], csi["volumeHandle"]))
                continue
            made_by = world.find("StorageClass", storage_class(claim) or "")
            if made_by is not None and made_by.get("provisioner"):
                if made_by["provisioner"].startswith("kubernetes.io/"):
                    raise NotNaive("a class of a migrated plugin")
                found.add((made_by["provisioner"], ("unbound", key_of(claim))))
        return found

    name = node["metadata"]["name"]
    limits = {}
    for driver in (world.find("CSINode", name) or {"spec": {}})["spec"].get("drivers") or []:
        if (driver.get("allocatable") or {}).get("count") is not None:
            limits[driver["name"]] = driver["allocatable"]["count"]
    of_pods = set().union(*map(volumes, world.on[name]))
    attached = set(of_pods)
    for attachment in world.kinds.get("VolumeAttachment", []):
        spec = attachment["spec"]
        pv = world.find("PersistentVolume", (spec.get("source") or {}).get("persistentVolumeName"))
        if spec.get("nodeName") == name and pv is not None and "csi" in pv["spec"]:
            attached.add((spec["attacher"], pv["spec"]["csi"]["volumeHandle"]))
    facts = []
    for driver, limit in limits.items():
        new = {v for v in volumes(pod) if v[0] == driver and v not in of_pods}
        there = {v for v in attached if v[0] == driver}
        if new and len(new) + len(there) > limit:
            facts.append({"reason": reason, "driver": driver, "requested": len(new),
                          "attached": len(there), "limit": limit})
    return facts[:1]


def volume_binding(world, pod, node, reason, _config):
    name, labels = node["metadata"]["name"], labels_of(node)
    claims = [claim for _, _, claim in claims_of(world, pod)]

    def bound(claim):
        return claim["spec"].get("volumeName") and "pv.kubernetes.io/bind-completed" in (
            claim["metadata"].get("annotations") or {})

    for claim in filter(bound, claims):
        pv = world.find("PersistentVolume", claim["spec"]["volumeName"])
        begun = {"reason": reason, "claim": key_of(claim),
                 "persistentVolume": claim["spec"]["volumeName"]}
        if pv is None:
            if "non-existent" in reason:
                return [{**begun, "exists": False}]
            break
        if set(pv["spec"]) & {"gcePersistentDisk", "awsElasticBlockStore", "azureDisk", "cinder",
                              "azureFile", "vsphereVolume", "portworxVolume"}:
            raise NotNaive("a volume of a migrated plugin")
        required = (pv["spec"].get("nodeAffinity") or {}).get("required")
        if required is not None and not matches(required, labels, ""):
            if "node affinity" in reason:
                return unmatched(required, labels, "", begun)
            break
    if "free storage" in reason or "to bind" in reason:
        delayed = [claim for claim in claims if not bound(claim)]
        found = []
        for claim in delayed:
            fields = {"reason": reason, **claim_fields(claim)}
            selected = (claim["metadata"].get("annotations") or {}).get(
                "volume.kubernetes.io/selected-node")
            if selected is not None and selected != name:
                return [{**fields, "selectedNode": selected}]
            request = ((claim["spec"].get("resources") or {}).get("requests") or {}).get("storage")
            if request is not None:
                fields["requested"] = whole(quantity(request))
            made_by = world.find("StorageClass", storage_class(claim) or "")
            fields["provisioner"] = made_by.get("provisioner", "")
            if "free storage" in reason:
                most = [whole(quantity(c.get("maximumVolumeSize") or c["capacity"]))
                        for c in world.kinds.get("CSIStorageCapacity", [])
                        if c.get("storageClassName") == storage_class(claim)
                        and (c.get("maximumVolumeSize") or c.get("capacity")) is not None
                        and selects(c.get("nodeTopology"), labels)]
                fields |= {"largest": max(most)} if most else {}
            else:
                fields["persistentVolumes"] = _candidates(world, claim) if selected is None else 0
            found.append(fields)
        return [found]
    raise AssertionError(reason)


def _candidates(world, claim):
    """The number of volumes that could be bound to the claim on some node."""
    count = 0
    spec = claim["spec"]
    for pv in world.kinds.get("PersistentVolume", []):
        has = pv["spec"]
        ref = has.get("claimRef")
        mine = ref is not None and (ref.get("namespace"), ref.get("name")) == (
            namespace_of(claim), claim["metadata"]["name"]) and ref.get("uid", "") in (
                "", claim["metadata"].get("uid", ""))
        beta = (pv["metadata"].get("annotations") or {}).get(
            "volume.beta.kubernetes.io/storage-class")
        wants = ((spec.get("resources") or {}).get("requests") or {}).get("storage", "0")
        count += (
            (beta if beta is not None else has.get("storageClassName") or "")
            == (storage_class(claim) or "")
            and (ref is None or mine)
            and quantity((has.get("capacity") or {}).get("storage", "0")) >= quantity(wants)
            and has.get("volumeMode", "Filesystem") == spec.get("volumeMode", "Filesystem")
            and (has.get("volumeAttributesClassName") or "")
            == (spec.get("volumeAttributesClassName") or "")
            and "deletionTimestamp" not in pv["metadata"]
            and (mine or ((pv.get("status") or {}).get("phase") == "Available"
                          and ("selector" not in spec or selects(spec["selector"], labels_of(pv)))
                          and set(spec.get("accessModes") or []) <= set(has.get("accessModes") or []))))
    return count


# --- the pod as a whole ---

def of_pod(world, pod, plugin, reason):
    begun = {"reason": reason}
    if plugin == "SchedulingGates":
        return [{**begun, "gates": [gate["name"] for gate in pod["spec"]["schedulingGates"]]}]
    if plugin == "InterPodAffinity":
        return [{**begun, "problem": reason.removeprefix("parsing pod: ")}]
    if plugin in ("VolumeRestrictions", "VolumeBinding") and (
            "not found" in reason or reason.startswith("waiting for ephemeral")):
        return [{**begun, **missing_claim(world, pod)}]
    facts = []
    for volume, _, claim in claims_of(world, pod):
        made_by = world.find("StorageClass", storage_class(claim) or "") or {}
        fields = {**begun, "volume": volume["name"], **claim_fields(claim)}
        mode = {"volumeBindingMode": made_by["volumeBindingMode"]} if made_by.get(
            "volumeBindingMode") else {}
        if plugin == "VolumeZone":
            pv = claim["spec"].get("volumeName")
            if pv and world.find("PersistentVolume", pv) is None:
                return [{**fields, **mode}]
        elif fields.get("phase") == "Lost":
            owned = {"ownedByPod": True} if "ephemeral" in volume else {}
            return [{**fields, "deleting": "deletionTimestamp" in claim["metadata"], **owned}]
        elif not (claim["spec"].get("volumeName") and "pv.kubernetes.io/bind-completed" in (
                claim["metadata"].get("annotations") or {})) and (
                    mode.get("volumeBindingMode") != "WaitForFirstConsumer"
                    or claim["spec"].get("volumeName")):
            facts.append({**fields, **mode})
    return facts


PLUGINS = {
    "NodeResourcesFit": resources_fit, "TaintToleration": untolerated,
    "NodeUnschedulable": unschedulable, "NodeName": node_name, "NodePorts": ports,
    "NodeAffinity": node_affinity, "InterPodAffinity": inter_pod_affinity,
    "PodTopologySpread": spread, "VolumeZone": volume_zone,
    "VolumeRestrictions": volume_restrictions, "NodeVolumeLimits": volume_limits,
    "VolumeBinding": volume_binding,
}


def agrees(fact, wanted_fact):
    """Whether a fact is as expected: a set stands for any of its members."""
    return fact.keys() == wanted_fact.keys() and all(
        fact[name] in value if isinstance(value, set) else fact[name] == value
        for name, value in wanted_fact.items())
