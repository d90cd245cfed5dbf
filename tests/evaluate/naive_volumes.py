"""The facts of volumes and claims, computed naively: a part of naive_facts.py."""

from __future__ import annotations

from naive_world import NotNaive, key_of, labels_of, matches, namespace_of, quantity, selects, unmatched, whole

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
                return unmatched(world, required, labels, "", begun)
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
                found.append((fields | ({"largest": max(most)} if most else {"problem": "no capacity"}),))
                continue
            fields["persistentVolumes"] = _candidates(world, claim) if selected is None else 0
            begun = {"reason": reason, "claim": key_of(claim)}
            found.append((fields, *([] if selected is not None else _volumes(world, claim, begun)),
                          *_topologies(made_by, labels, begun)))
        return [found]
    raise AssertionError(reason)


def _topologies(made_by, labels, begun):
    if made_by.get("provisioner") in (None, "", "kubernetes.io/no-provisioner"):
        return [{**begun, "problem": "no provisioner"}]
    facts = []
    for index, term in enumerate(made_by.get("allowedTopologies") or []):
        fact = {**begun, "problem": "topology", "term": index}
        asked = term.get("matchLabelExpressions") or []
        facts += [] if asked else [fact]
        facts += [{**fact, "key": one["key"], "operator": "In", "values": list(one.get("values") or []),
                   **({"found": labels[one["key"]]} if one["key"] in labels else {})}
                  for one in asked if labels.get(one["key"]) not in (one.get("values") or [])]
    return facts


def _volumes(world, claim, begun):
    """What keeps each volume of the claim's class from it, whatever its node: a set for what depends on others."""
    groups, of_class = {}, 0
    for pv in world.kinds.get("PersistentVolume", []):
        if _class_of(pv) != (storage_class(claim) or ""):
            continue
        of_class += 1
        groups.setdefault(_problem(pv, claim), []).append(pv)
    if not of_class:
        groups = {"class": world.kinds.get("PersistentVolume", [])}
    facts = []
    for problem, volumes in groups.items():
        if not volumes:
            continue
        volumes = sorted(volumes, key=lambda pv: pv["metadata"]["name"])
        fact = {**begun, "problem": problem or {"node", "taken", "other volume"}, "count": len(volumes),
                "volumes": [pv["metadata"]["name"] for pv in volumes[:8]]}
        if problem == "size":
            fact["largest"] = max(whole(quantity((pv["spec"].get("capacity") or {}).get("storage", "0")))
                                  for pv in volumes)
        if problem == "claimed":
            fact["claims"] = [f"{pv['spec']['claimRef'].get('namespace', '')}/{pv['spec']['claimRef'].get('name', '')}"
                              for pv in volumes[:8]]
        facts.append(fact)
    return facts


def _class_of(pv):
    beta = (pv["metadata"].get("annotations") or {}).get("volume.beta.kubernetes.io/storage-class")
    return beta if beta is not None else pv["spec"].get("storageClassName") or ""


def _problem(pv, claim):
    has, spec = pv["spec"], claim["spec"]
    ref = has.get("claimRef")
    mine = ref is not None and (ref.get("namespace"), ref.get("name")) == (
        namespace_of(claim), claim["metadata"]["name"]) and ref.get("uid", "") in ("", claim["metadata"].get("uid", ""))
    wants = ((spec.get("resources") or {}).get("requests") or {}).get("storage", "0")
    if ref is not None and not mine:
        return "claimed"
    if "deletionTimestamp" in pv["metadata"]:
        return "deleting"
    if has.get("volumeMode", "Filesystem") != spec.get("volumeMode", "Filesystem"):
        return "volume mode"
    if (has.get("volumeAttributesClassName") or "") != (spec.get("volumeAttributesClassName") or ""):
        return "attributes class"
    if quantity((has.get("capacity") or {}).get("storage", "0")) < quantity(wants):
        return "size"
    if mine:
        return None
    if (pv.get("status") or {}).get("phase") != "Available":
        return "phase"
    if not set(spec.get("accessModes") or []) <= set(has.get("accessModes") or []):
        return "access modes"
    return "selector" if "selector" in spec and not selects(spec["selector"], labels_of(pv)) else None


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
