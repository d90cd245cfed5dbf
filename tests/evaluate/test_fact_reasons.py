"""Facts of the reasons that golden cases lack, a test that no reason is forgotten, and the schema."""

import json
import pathlib
import re

import pytest

from fact_schema import SCHEMA, check, wrong
from libsched import Cluster, Framework, Plugin, Pod, Status

ROOT = pathlib.Path(__file__).resolve().parents[2]


def node(name="n", labels=None, **more):
    return {"kind": "Node", "apiVersion": "v1", "metadata": {"name": name, "labels": labels or {}},
            "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}, **more}}


def pod(name="p", labels=None, annotations=None, uid="u-p", **spec):
    return {"kind": "Pod", "apiVersion": "v1",
            "metadata": {"name": name, "namespace": "ns", "labels": labels or {}, "uid": uid},
            "spec": {"containers": [{"name": "c"}], **spec}}


def claim(name="data", phase="Pending", annotations=None, deleting=False, owner=None, **spec):
    meta = {"name": name, "namespace": "ns", "annotations": annotations or {}}
    if deleting:
        meta["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    if owner:
        meta["ownerReferences"] = [{"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": owner,
                                    "controller": True}]
    return {"kind": "PersistentVolumeClaim", "apiVersion": "v1", "metadata": meta,
            "spec": {"accessModes": ["ReadWriteOnce"]} | spec, "status": {"phase": phase}}


def bound(name="data", volume="pv", **more):
    return claim(name, "Bound", {"pv.kubernetes.io/bind-completed": "yes"}, volumeName=volume,
                 **more)


def volume(name="pv", **spec):
    return {"kind": "PersistentVolume", "apiVersion": "v1", "metadata": {"name": name},
            "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], **spec}}


def storage_class(name="fast", mode="WaitForFirstConsumer", provisioner="csi.example.com"):
    made = {"kind": "StorageClass", "apiVersion": "storage.k8s.io/v1", "metadata": {"name": name},
            "provisioner": provisioner}
    return {**made, "volumeBindingMode": mode} if mode else made


def device_claim(name="gpu", status=None, **request):
    """A ResourceClaim with a request "r" of one device of the class "gpu", unless told otherwise."""
    request = request or {"exactly": {"deviceClassName": "gpu"}}
    return {"kind": "ResourceClaim", "apiVersion": "resource.k8s.io/v1",
            "metadata": {"name": name, "namespace": "ns", "uid": "u-" + name},
            "spec": {"devices": {"requests": [{"name": "r", **request}]}}, "status": status or {}}


def extended_claim():
    """The claim that an earlier cycle has made for extended resources of the pod, without devices yet."""
    claim_of_pod = device_claim("p-extended")
    claim_of_pod["metadata"] |= {
        "annotations": {"resource.kubernetes.io/extended-resource-claim": "true"},
        "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u-p", "controller": True}]}
    return claim_of_pod


def asking_for(*resources):
    amounts = {name: "1" for name in resources}
    return pod(containers=[{"name": "c", "resources": {"requests": amounts, "limits": amounts}}])


def device_class(name="gpu", **spec):
    return {"kind": "DeviceClass", "apiVersion": "resource.k8s.io/v1", "metadata": {"name": name},
            "spec": spec}


def device_slice(name, *devices):
    """A ResourceSlice of the node: one of the two of its pool."""
    return {"kind": "ResourceSlice", "apiVersion": "resource.k8s.io/v1", "metadata": {"name": name},
            "spec": {"driver": "gpu.example.com", "nodeName": "n",
                     "pool": {"name": "p", "generation": 1, "resourceSliceCount": 2},
                     "devices": [{"name": device} for device in devices]}}


USES = {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}
EPHEMERAL = {"volumes": [{"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}]}
CSI = {"csi": {"driver": "csi.example.com", "volumeHandle": "h"}}


def without(*names):
    """A configuration without some plugins."""
    disabled = [{"name": name} for name in names]
    return {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
            "profiles": [{"plugins": {"multiPoint": {"disabled": disabled}}}]}


def group(gang):
    return {"kind": "PodGroup", "apiVersion": "scheduling.k8s.io/v1alpha2",
            "metadata": {"name": "g", "namespace": "ns"},
            "spec": {"schedulingPolicy": {"gang": {"minCount": gang}}}}


GANG = {"gates": {"GenericWorkload": True, "GangScheduling": True}, "semantics": "1.36"}
MISSING = {"volume": "v", "claim": "ns/data", "exists": False}

DEVICES = {"resourceClaims": [{"name": "card", "resourceClaimName": "gpu"}]}
ELSEWHERE_ALLOCATED = {"allocation": {"devices": {}, "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [
    {"key": "metadata.name", "operator": "In", "values": ["other"]}]}]}}}
THERE = {"entry": "card", "resourceClaim": "ns/gpu", "exists": True}

# name: objects beside the node, the pod, options, plugin, a pattern of the reason, the facts without it.
REASONS = {
    "affinity terms conflict": (
        [], pod(affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchFields": [
                {"key": "metadata.name", "operator": "In", "values": [name]}
                for name in ("a", "b")]}]}}}), {}, "NodeAffinity", "pod affinity terms conflict",
        [{"source": "nodeAffinity", "term": 0, "of": "fields", "key": "metadata.name",
          "operator": "In", "values": [name]} for name in ("a", "b")]),
    "features": (
        [node(declaredFeatures=["X"])],
        pod(hostNetwork=True, hostUsers=False), {"gates": {"NodeDeclaredFeatures": True}},
        "NodeDeclaredFeatures", "node.s. didn't match Pod's required features",
        [{"feature": "UserNamespacesHostNetworkSupport", "declared": ["X"]}]),
    "no group": (
        [], pod(schedulingGroup={"podGroupName": "g"}), GANG, "GangScheduling",
        'waiting for pods\'s pod group "g" to appear in scheduling queue', [{"podGroup": "ns/g"}]),
    "small group": (
        [group(3), {**pod("other", uid="u-o", schedulingGroup={"podGroupName": "g"},
                          nodeName="n")}],
        pod(schedulingGroup={"podGroupName": "g"}), GANG, "GangScheduling",
        "waiting for minCount pods from a gang to appear in scheduling queue",
        [{"podGroup": "ns/g", "minCount": 3, "pods": 1}]),
    "no driver": (
        [bound(), volume(**CSI), {"kind": "CSINode", "apiVersion": "storage.k8s.io/v1",
                                  "metadata": {"name": "n"},
                                  "spec": {"drivers": [{"name": "other", "nodeID": "n"}]}},
         {"kind": "CSIDriver", "apiVersion": "storage.k8s.io/v1",
          "metadata": {"name": "csi.example.com"},
          "spec": {"preventPodSchedulingIfMissing": True}}],
        pod(**USES), {"gates": {"VolumeLimitScaling": True}}, "NodeVolumeLimits",
        "csi.example.com CSI driver is not installed on the node",
        [{"driver": "csi.example.com", "installed": ["other"]}]),
    "limits look up a claim": (
        [], pod(**USES), {"config": without("VolumeRestrictions", "VolumeBinding", "VolumeZone")},
        "NodeVolumeLimits", 'looking up PVC ns/data: .* "data" not found', [MISSING]),
    "restrictions look up a claim": (
        [], pod(**USES), {}, "VolumeRestrictions", 'persistentvolumeclaim "data" not found',
        [MISSING]),
    "binding looks up a claim": (
        [], pod(**USES), {"config": without("VolumeRestrictions")}, "VolumeBinding",
        'persistentvolumeclaim "data" not found', [MISSING]),
    "an ephemeral claim": (
        [], pod(**EPHEMERAL), {}, "VolumeBinding",
        'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-v"',
        [{"volume": "v", "claim": "ns/p-v", "exists": False}]),
    "a lost claim": (
        [claim(phase="Lost", volumeName="gone")], pod(**USES), {}, "VolumeBinding",
        'persistentvolumeclaim "data" bound to non-existent persistentvolume "gone"',
        [{"volume": "v", "claim": "ns/data", "phase": "Lost", "persistentVolume": "gone",
          "deleting": False}]),
    "a claim that goes": (
        [claim(deleting=True, storageClassName="fast")], pod(**USES), {}, "VolumeBinding",
        'persistentvolumeclaim "data" is being deleted',
        [{"volume": "v", "claim": "ns/data", "phase": "Pending", "storageClass": "fast",
          "deleting": True}]),
    "another pod's claim": (
        [claim("p-v", owner="somebody")], pod(**EPHEMERAL), {}, "VolumeBinding",
        "PVC ns/p-v was not created for pod ns/p .pod is not owner.",
        [{"volume": "v", "claim": "ns/p-v", "phase": "Pending", "deleting": False,
          "ownedByPod": False}]),
    "unbound": (
        [claim(storageClassName="slow"), storage_class("slow", "Immediate")], pod(**USES), {},
        "VolumeBinding", "pod has unbound immediate PersistentVolumeClaims",
        [{"volume": "v", "claim": "ns/data", "phase": "Pending", "storageClass": "slow",
          "volumeBindingMode": "Immediate", "problem": "immediate"}]),
    "a volume that is gone": (
        [bound()], pod(**USES), {"config": without("VolumeZone")}, "VolumeBinding",
        "node.s. unavailable due to one or more pvc.s. bound to non-existent pv.s.",
        [{"claim": "ns/data", "persistentVolume": "pv", "exists": False}]),
    "another node was selected": (
        [claim(annotations={"volume.kubernetes.io/selected-node": "m"}, storageClassName="fast"),
         storage_class()], pod(**USES), {}, "VolumeBinding",
        "node.s. didn't find available persistent volumes to bind",
        [{"claim": "ns/data", "phase": "Pending", "storageClass": "fast", "selectedNode": "m",
          "exists": False}]),
    "a volume of another node": (
        [bound(), volume(nodeAffinity={"required": {"nodeSelectorTerms": [{"matchExpressions": [
            {"key": "zone", "operator": "In", "values": ["a"]}]}]}})], pod(**USES), {},
        "VolumeBinding", "node.s. didn't match PersistentVolume's node affinity",
        [{"claim": "ns/data", "persistentVolume": "pv", "term": 0, "of": "labels", "key": "zone",
          "operator": "In", "values": ["a"]}]),
    "no room": (
        [claim(storageClassName="fast", resources={"requests": {"storage": "10Gi"}}),
         storage_class(), {"kind": "CSIDriver", "apiVersion": "storage.k8s.io/v1",
                           "metadata": {"name": "csi.example.com"},
                           "spec": {"storageCapacity": True}},
         *({"kind": "CSIStorageCapacity", "apiVersion": "storage.k8s.io/v1",
            "metadata": {"name": f"c{size}", "namespace": "ns"}, "storageClassName": "fast",
            "nodeTopology": topology, "capacity": f"{size}Gi"}
           for size, topology in ((2, {}), (5, {}), (50, {"matchLabels": {"zone": "b"}})))],
        pod(**USES), {}, "VolumeBinding", "node.s. did not have enough free storage",
        [{"claim": "ns/data", "phase": "Pending", "storageClass": "fast",
          "requested": 10 << 30, "provisioner": "csi.example.com", "largest": 5 << 30}]),
    "a disk in use": (
        [pod("other", uid="u-o", nodeName="n", volumes=[
            {"name": "w", "gcePersistentDisk": {"pdName": "d", "readOnly": True}}])],
        pod(volumes=[{"name": "v", "gcePersistentDisk": {"pdName": "d"}}]), {},
        "VolumeRestrictions", "node.s. had no available disk",
        [{"volume": "v", "disk": "d", "readOnly": False, "pod": "ns/other", "podReadOnly": True}]),
    "a claim in use": (
        [bound(accessModes=["ReadWriteOncePod"]), volume(),
         pod("other", uid="u-o", nodeName="n", **USES)], pod(**USES), {},
        "VolumeRestrictions", "node.s. unavailable due to PersistentVolumeClaim with "
        "ReadWriteOncePod access mode already in-use by another pod",
        [{"claim": "ns/data", "pod": "ns/other", "node": "n"}]),
    "zone: no claim name": (
        [], pod(volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": ""}}]),
        {"config": without("VolumeRestrictions", "VolumeBinding", "NodeVolumeLimits")},
        "VolumeZone", "PersistentVolumeClaim had no name", [{"volume": "v"}]),
    "zone: no claim": (
        [], pod(**USES), {"config": without("VolumeRestrictions", "VolumeBinding")}, "VolumeZone",
        'persistentvolumeclaim "data" not found', [MISSING]),
    "zone: no class": (
        [claim()], pod(**USES), {"config": without("VolumeBinding")}, "VolumeZone",
        "PersistentVolumeClaim had no pv name and storageClass name",
        [{"volume": "v", "claim": "ns/data", "phase": "Pending"}]),
    "zone: class not found": (
        [claim(storageClassName="fast")], pod(**USES), {"config": without("VolumeBinding")},
        "VolumeZone", 'storageclass.storage.k8s.io "fast" not found',
        [{"volume": "v", "claim": "ns/data", "phase": "Pending", "storageClass": "fast"}]),
    "zone: no mode": (
        [claim(storageClassName="fast"), storage_class(mode="")], pod(**USES),
        {"config": without("VolumeBinding"), "defaults": False}, "VolumeZone",
        'VolumeBindingMode not set for StorageClass "fast"',
        [{"volume": "v", "claim": "ns/data", "phase": "Pending", "storageClass": "fast"}]),
    "zone: no volume name": (
        [claim(storageClassName="slow"), storage_class("slow", "Immediate")], pod(**USES),
        {"config": without("VolumeBinding")}, "VolumeZone", "PersistentVolume had no name",
        [{"volume": "v", "claim": "ns/data", "phase": "Pending", "storageClass": "slow",
          "volumeBindingMode": "Immediate"}]),
    "zone: no volume": (
        [bound()], pod(**USES), {}, "VolumeZone", 'persistentvolume "pv" not found',
        [{"volume": "v", "claim": "ns/data", "phase": "Bound", "persistentVolume": "pv"}]),
    "devices elsewhere": (
        [device_claim(status=ELSEWHERE_ALLOCATED)], pod(**DEVICES), {}, "DynamicResources",
        "resourceclaim not available on the node",
        [{"resourceClaim": "ns/gpu", "allocated": True, "problem": "node", "devices": []}]),
    "no devices": (
        [device_claim(), device_class()], pod(**DEVICES), {}, "DynamicResources",
        "cannot allocate all claims",
        [{"resourceClaim": "ns/gpu", "request": "r", "wanted": 1, "seen": 0, "suitable": 0}]),
    "an invalid pool": (
        [device_claim(), device_class(), device_slice("a", "d"), device_slice("b", "d")],
        pod(**DEVICES), {}, "DynamicResources", "invalid resource pools were encountered",
        [{"resourceClaim": "ns/gpu", "request": "r", "wanted": 1, "seen": 0, "suitable": 0},
         {"resourceClaim": "ns/gpu", "request": "r", "problem": "invalid pool", "pool": "gpu.example.com/p",
          "generation": 1, "slices": 2, "wantedSlices": 2}]),
    "no device class": (
        [device_claim()], pod(**DEVICES), {}, "DynamicResources",
        "request r: device class gpu does not exist",
        [THERE, {"resourceClaim": "ns/gpu", "request": "r", "problem": "class missing", "deviceClass": "gpu"}]),
    "no kind of request": (
        [device_claim(future={})], pod(**DEVICES), {"defaults": False}, "DynamicResources",
        "resource claim ns/gpu, request r: unknown request type",
        [THERE, {"resourceClaim": "ns/gpu", "request": "r", "problem": "no class"}]),
    "no alternatives": (
        [device_claim(firstAvailable=[{"name": "a", "deviceClassName": "gpu"}]), device_class()],
        pod(**DEVICES), {"gates": {"DRAPrioritizedList": False}, "semantics": "1.36"}, "DynamicResources",
        "resource claim ns/gpu, request r: has subrequests, but the DRAPrioritizedList feature is disabled",
        [THERE]),
    "an extended resource's claim of an earlier cycle": (
        [device_class(extendedResourceName="example.com/gpu"), extended_claim()], asking_for("example.com/gpu"),
        {}, "DynamicResources", "cannot schedule extended resource claim",
        [{"resourceClaim": "ns/p-extended", "allocated": False}]),
    "an extended resource that nothing provides": (
        [device_class(extendedResourceName="example.com/gpu")],
        asking_for("example.com/gpu", "example.com/other"), {"config": without("NodeResourcesFit")},
        "DynamicResources", "cannot fit resource",
        [{"resourceClaim": "ns/<extended-resources>", "allocated": False, "resource": "example.com/other"}]),
}
# Reasons of which golden cases have many.
GOLDEN = [
    "Too many pods", "Insufficient cpu", "waiting for scheduling gates: [a]",
    "node(s) exceed max volume count", "node(s) had no available volume zone",
    "node(s) had untolerated taint(s)", "node(s) had untolerated taint {a: b}",
    'parsing pod: requiredAffinityTerms: "x" is not a valid label selector operator',
    "node(s) didn't match pod affinity rules", "node(s) didn't match pod anti-affinity rules",
    "node(s) didn't satisfy existing pods anti-affinity rules",
    "node(s) didn't have free ports for the requested pod ports",
    "node(s) didn't match pod topology spread constraints",
    "node(s) didn't match scheduler-enforced node affinity",
    "node(s) didn't match Pod's node affinity/selector",
    "node(s) didn't match the requested node name", "node(s) were unschedulable",
]


def answer(objects, asking, options):
    cluster = Cluster([*([] if any(o["kind"] == "Node" for o in objects) else [node()]), *objects],
                      defaults=options.get("defaults", True))
    framework = Framework(options.get("config"), feature_gates=options.get("gates"),
                          semantics=options.get("semantics"))
    return framework.fit(cluster, asking, facts=True)


@pytest.mark.parametrize("name", REASONS)
def test_reasons_that_golden_cases_lack(name):
    objects, asking, options, plugin, reason, wanted = REASONS[name]
    result = answer(objects, asking, options)
    gate = result.pre_enqueue
    verdicts = list(result)
    if gate is not None:
        status, facts = gate, result.pod_facts
    else:
        status, facts = verdicts[0].status, verdicts[0].facts
    assert status.plugin == plugin
    assert re.fullmatch(reason, status.reasons[0]), status
    assert [{"reason": status.reasons[0], **fact} for fact in wanted] == list(facts)
    check(entry_of(result.to_dict()))


def entry_of(details):
    if "preEnqueue" in details:
        return details["preEnqueue"]
    return details["nodes"][0] if "nodes" in details else details["preFilter"]


# --- no reason is forgotten ---

# What the sources call: texts of other points, and of Errors. Only a cycle sees a claim whose allocation is being
# written, and only a slow machine a search that times out.
ELSEWHERE = {
    "timed out trying to allocate devices",
    "deallocation of ResourceClaim completed", "deallocation of PodGroup ResourceClaim completed", "deletion of ResourceClaim completed", "still not schedulable",
    "is in the process of being allocated",
    "plugin disabled", "no new claims to deallocate",
    "pods with dra resource claims are not signable",
    "pods with InterPodAffinity are not signable",
    "pods with topology constraints are not signable",
    "pods with default topology constraints are not signable",
    # Permit and PostFilter of alpha gates.
    "pod resize fits, waiting for Kubelet actuation", "ResourceClaim unreserved for PodGroup",
    "deallocation and deletion of ResourceClaims completed",
    # With the gate DRANodeAllocatableResources; allocatable_test.cpp has them.
    "the aggregated container and node-allocatable DRA requests", "the aggregated container and node-allocatable DRA limits",
    "the limit and DRA overhead for container", ": node-allocatable resource claim not referenced by any container",
    "within the pod", "shared by multiple pods", "is already used by another pod",
    "node allocatable resource claim", "has a mapped device and cannot be shared across pods",
}


def test_no_reason_is_forgotten():
    """Every text after a rejection's code in the plugins' sources begins a reason that is tested."""
    rejection = re.compile(
        r"(?:Status\(\s*Code::kUnschedulable(?:AndUnresolvable)?,|unresolvable\(|reasons\.push_back\(|"
        r"static constexpr const char\* k\w+ =|return \"node\(s\)|full =)"
        r"[^;]*?;", re.S)
    known = [re.sub(r"\\", "", reason[4]) for reason in REASONS.values()] + GOLDEN
    missed, found = [], 0
    for path in sorted((ROOT / "libsched/plugins").rglob("*.cpp")) + [
            ROOT / "libsched/plugins/volumebinding/pod_volumes.hpp"]:
        if path.name.endswith("_test.cpp") or path.parts[-2] in ("defaultpreemption", "signature"):
            continue
        for match in rejection.finditer(path.read_text()):
            texts = re.findall(r'"((?:[^"\\]|\\.)*)"', match.group())
            for text in texts:
                words = text.replace('\\"', '"').strip()
                if len(words) < 12 or words in ELSEWHERE:
                    continue
                found += 1
                pattern = re.escape(words).replace(r"\(", ".").replace(r"\)", ".")
                if not any(re.search(pattern, reason) or words in reason for reason in known):
                    missed.append(f"{path.name}: {words}")
    assert not missed
    assert found > 30  # the sources were read


class Elsewhere(Plugin):
    """Leaves the nodes that nobody else leaves."""

    name = "Elsewhere"

    def pre_filter(self, state, pod):
        return ["other"]


def test_plugins_that_leave_no_node_together():
    on_n = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchFields": [
            {"key": "metadata.name", "operator": "In", "values": ["n"]}]}]}}}
    result = Framework(plugins=[Elsewhere()]).fit(
        Cluster([node(), node("other")]), pod(affinity=on_n), facts=True)
    reason, = result.pre_filter.reasons
    assert "simultaneously" in reason
    assert result.pod_facts == ({"reason": reason, "plugins": ["Elsewhere", "NodeAffinity"]},)
    check(result.to_dict()["preFilter"])


def test_facts_are_made_on_request_alone_and_foreign_plugins_have_none():
    class Never(Plugin):
        name = "Never"

        def filter(self, state, pod, node):
            return Status.unschedulable("no")

    cluster = Cluster([node(), node("small", allocatable={"cpu": "1", "pods": "5"})])
    asking = pod(containers=[{"name": "c", "resources": {"requests": {"cpu": "2"}}}])
    assert Framework().fit(cluster, asking)["small"].facts == ()
    assert "facts" not in json.dumps(Framework().fit(cluster, asking).to_dict())
    result = Framework(plugins=[Never()]).fit(cluster, asking, facts=True)
    assert result["n"].status.plugin == "Never" and result["n"].facts == ()
    assert [fact["requested"] for fact in result["small"].facts] == [2000]


def test_facts_describe_the_moment_of_the_decision_and_nominated_pods():
    cluster = Cluster([node()])
    asking = pod(containers=[{"name": "c", "resources": {"requests": {"cpu": "3"}}}])
    waiting = pod("waiting", uid="u-w", priority=5,
                  containers=[{"name": "c", "resources": {"requests": {"cpu": "2"}}}])
    cluster.services.nominate(Pod(waiting), "n")
    result = Framework().fit(cluster, asking, facts=True)
    cluster.remove_node("n")
    fact, nominated = result["n"].facts
    assert (fact["requested"], fact["used"], fact["free"]) == (3000, 2000, 2000)
    assert nominated == {"reason": "Insufficient cpu", "nominatedPod": "ns/waiting", "priority": 5,
                         "nominatedNode": "n", "reserves": ["cpu=2000"]}


# --- the schema ---

def test_the_schema_refuses_what_is_wrong():
    right = {"code": "Unschedulable", "plugin": "NodeName", "reasons": ["r"],
             "facts": [{"reason": "r", "nodeName": "n", "exists": True}]}
    assert wrong(right, SCHEMA) is None
    for facts in ([{"reason": "r", "nodeName": 1, "exists": True}], [{"reason": "r"}],
                  [{"reason": "r", "nodeName": "n", "exists": True, "more": 1}]):
        assert wrong({**right, "facts": facts}, SCHEMA)
        assert wrong({**right, "plugin": "NodePorts"}, SCHEMA)


# Definitions of facts that no plugin has, and the document's words for them.
WITHOUT_PLUGIN = {"framework": "(several plugins together)", "gains": "(nodes that take the pod)",
                  "nominated": "(pods that are nominated to the node)"}


def test_the_document_lists_the_fields_of_the_schema():
    text = (ROOT / "docs/facts.md").read_text()
    rows = {}
    for line in text.partition("## Fields")[2].splitlines():
        if match := re.fullmatch(r"\| (\w+|\(.*\)) \| (\(?`.*) \|", line):
            rows.setdefault(match[1], []).append(
                {field.strip("(`)"): not field.startswith("(") for field in match[2].split(", ")})
    schema = {}
    for name, definition in SCHEMA["$defs"].items():
        if name == "reason":
            continue
        for one in definition.get("anyOf", [definition]):
            fields = {field: field in one["required"] for field in one["properties"]
                      if field != "reason"}
            schema.setdefault(WITHOUT_PLUGIN.get(name, name), []).append(fields)
            for field, described in one["properties"].items():
                assert field == "reason" or f"- `{field}`: " in text, field
                assert field == "reason" or described["description"]
    assert rows == schema
