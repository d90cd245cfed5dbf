"""The facts behind verdicts, computed naively from the objects of a case: one pod, one node, loops.

Nothing here reads the library. `expected` returns the facts of a plugin's rejection; a value that is a
set stands for any of its members.
"""

from __future__ import annotations

from decimal import Decimal

from naive_volumes import (
    claim_fields, claims_of, missing_claim, storage_class, volume_binding, volume_limits, volume_restrictions,
    volume_zone,
)
from naive_world import (
    NotNaive, World, counted, holds, key_of, labels_of, matches, namespace_of, quantity, requirements_of, selector_text,
    selects, unmatched, wanted, whole,
)

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
                          "free": total - taken, "allocatable": total,
                          **_parts(pod, name), **_of_node(world, node, name, total)})
    return facts


def _parts(pod, name):
    """What a request is made of, unless containers alone make it."""
    def of(containers):
        return [quantity(((c.get("resources") or {}).get("requests") or {}).get(name, "0")) for c in containers]
    spec = pod["spec"]
    overhead = quantity((spec.get("overhead") or {}).get(name, "0"))
    whole_pod = (spec.get("resources") or {}).get("requests") or {}
    levels = {level for level in whole_pod if level in ("cpu", "memory") or level.startswith("hugepages-")}
    if levels and name in whole_pod:
        found = {"podLevel": quantity(whole_pod[name]), "overhead": overhead}
    else:
        init = spec.get("initContainers") or []
        always = [c for c in init if c.get("restartPolicy") == "Always"]
        found = {"containers": sum(of(spec.get("containers") or [])), "sidecars": sum(of(always)),
                 "initContainers": max(of(c for c in init if c not in always), default=0), "overhead": overhead}
        if not overhead and not found["sidecars"] and found["initContainers"] <= found["containers"]:
            return {}
    return {part: counted(name, amount) for part, amount in found.items() if amount}


def _of_node(world, node, name, allocatable):
    found = {}
    capacity = (node["status"].get("capacity") or {}).get(name)
    extended = "/" in name and "kubernetes.io/" not in name and not name.startswith("requests.")
    if capacity is not None and extended and whole(quantity(capacity)) > allocatable:
        found["capacity"] = whole(quantity(capacity))
    going = {key_of(pod): 1 if name == "pods" else counted(name, requests(pod).get(name, 0))
             for pod in world.on[node["metadata"]["name"]] if "deletionTimestamp" in pod["metadata"]}
    going = {key: held for key, held in going.items() if held > 0}
    if going:
        found |= {"terminating": sum(going.values()), "terminatingPods": sorted(going)[:8]}
    return found


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


def compares(pod, taint):
    """Whether an operator that a feature gate turns on would let a toleration cover the taint."""
    for one in pod["spec"].get("tolerations") or []:
        if one.get("operator") in ("Lt", "Gt") and one.get("effect") in (None, "", taint.get("effect")) and one.get(
                "key", "") in ("", taint["key"]):
            try:
                limit, there = int(one.get("value", "")), int(taint.get("value", ""))
            except ValueError:
                continue
            if (there < limit) if one["operator"] == "Lt" else there > limit:
                return True
    return False


def untolerated(_world, pod, node, reason, _config):
    return [{"reason": reason, "key": taint["key"], "value": taint.get("value", ""), "effect": taint["effect"],
             **({"featureGate": "TaintTolerationComparisonOperators"} if compares(pod, taint) else {})}
            for taint in node.get("spec", {}).get("taints") or []
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


# --- nodes by their labels ---

def _required(affinity):
    return ((affinity or {}).get("nodeAffinity") or {}).get(
        "requiredDuringSchedulingIgnoredDuringExecution")


def node_affinity(world, pod, node, reason, config):
    labels, name = labels_of(node), node["metadata"]["name"]
    begun = {"reason": reason}
    if "scheduler-enforced" in reason:
        added = config["addedAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        return unmatched(world, added, labels, name, {**begun, "source": "addedAffinity"})
    facts = [wanted({"key": key, "operator": "In", "values": [value]}, labels,
                    {**begun, "source": "nodeSelector"})
             for key, value in sorted((pod["spec"].get("nodeSelector") or {}).items())
             if labels.get(key) != value]
    required = _required(pod["spec"].get("affinity"))
    if required is not None and not matches(required, labels, name):
        facts += unmatched(world, required, labels, name, {**begun, "source": "nodeAffinity"})
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


def spread(world, pod, node, reason, config):
    hard = [c for c in pod["spec"].get("topologySpreadConstraints") or []
            if c.get("whenUnsatisfiable") == "DoNotSchedule"]
    keys = [c["topologyKey"] for c in hard]
    facts = []
    for c in hard:
        if c.get("matchLabelKeys"):
            raise NotNaive("matchLabelKeys")
        selector, key = c.get("labelSelector"), c["topologyKey"]
        counts, there_are = {}, {}
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
            bad = [t for t in untolerated(world, pod, other, reason, {}) if "featureGate" not in t or not config.get(
                "operators")]
            there_are.setdefault(labels[key], []).append((bool(bad), name, bad))
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
                          "minDomains": least,
                          **_emptiest([(min(there_are[domain], key=lambda one: one[:2]), domain)
                                       for domain, count in counts.items() if count == fewest])})
    return facts


def _emptiest(domains):
    if not domains:
        return {}
    ranked = sorted(domains, key=lambda one: (one[0][0], one[1]))
    (_, name, taints), _ = ranked[0]
    value = f"={taints[0]['value']}" if taints and taints[0]["value"] else ""
    return {"emptiest": [domain for _, domain in ranked[:8]], "emptiestNode": name, **(
        {"emptiestTaint": f"{taints[0]['key']}{value}:{taints[0]['effect']}"} if taints else {})}


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
            facts.append({**fields, **mode, **unbound(world, claim, made_by)})
    return facts


def unbound(world, claim, made_by):
    volume = claim["spec"].get("volumeName")
    if not volume:
        return {"problem": "immediate" if made_by else "class missing" if storage_class(claim) else "no class"}
    pv = world.find("PersistentVolume", volume)
    ref = (pv or {"spec": {}})["spec"].get("claimRef")
    if pv is not None and ref is not None and (ref.get("namespace"), ref.get("name")) != (
            namespace_of(claim), claim["metadata"]["name"]):
        return {"problem": "not bound", "boundTo": f"{ref.get('namespace', '')}/{ref.get('name', '')}"}
    return {"problem": "volume missing" if pv is None else "not bound"}


PLUGINS = {
    "NodeResourcesFit": resources_fit, "TaintToleration": untolerated,
    "NodeUnschedulable": unschedulable, "NodeName": node_name, "NodePorts": ports,
    "NodeAffinity": node_affinity, "InterPodAffinity": inter_pod_affinity,
    "PodTopologySpread": spread, "VolumeZone": volume_zone,
    "VolumeRestrictions": volume_restrictions, "NodeVolumeLimits": volume_limits,
    "VolumeBinding": volume_binding,
}


def agrees(fact, wanted_fact):
    """Whether a fact is as expected: a set stands for any of its members.

    Whether the pod of a fact is being deleted depends on which of several pods is named.
    """
    if "pod" in fact:
        fact = {name: value for name, value in fact.items() if name != "terminating"}
    return fact.keys() == wanted_fact.keys() and all(
        fact[name] in value if isinstance(value, set) else fact[name] == value
        for name, value in wanted_fact.items())
