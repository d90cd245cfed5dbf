"""The only list of differences from upstream that a mutated case may show, each with its reason.

Apart from these entries a mutant is compared like any other case. An entry is a name, a reason for
readers, and a function that takes a case, its golden result and the answer and tells whether it explains the
difference. A run prints how often each entry was needed.
"""

import dataclasses
import json
import re
from typing import Callable

from .comparison import Verdict, compare, compare_mutant

# Parts of objects that no plugin reads; their contents are skipped.
_UNREAD = re.compile(r"Go struct field (?:" + "|".join((
    r"\w+\.status\.daemonEndpoints\b.*", r"\w+\.status\.nodeInfo\b.*",
    r"(?:Namespace|Service|ReplicaSet|ReplicationController|StatefulSet|VolumeAttachment)\.(?:spec|status) ",
    r"(?:ServiceStatus|ReplicaSetStatus|VolumeAttachmentStatus|NamespaceSpec)\.",
    r"PodDisruptionBudgetSpec\.spec\.(?:minAvailable|maxUnavailable|unhealthyPodEvictionPolicy)",
    r"Volume\.spec\.volumes\.VolumeSource\.(?:emptyDir|configMap|secret|hostPath|image|projected)\b",
    r"PersistentVolumeClaim\w*\.spec\.volumes\.VolumeSource\.ephemeral\b",
    r"ObjectReference\.spec\.claimRef\.(?:kind|apiVersion|resourceVersion|fieldPath)",
    r"ISCSIVolumeSource\.\S*\.(?!iqn|readOnly)",
    r"PersistentVolumeSpec\.spec\.(?:persistentVolumeReclaimPolicy|mountOptions)",
    r"PodDisruptionBudgetStatus\.status\.(?!disruptionsAllowed|disruptedPods)",
    r"ContainerStatus\.status\.\w+\.(?!name|resources|allocatedResources)",
    r"ObjectMeta\.metadata\.(?!name\b|namespace|uid|labels|ownerReferences|deletionTimestamp)",
)) + ")")
_SYNTAX = re.compile(r'CEL compile error: compilation failed: ERROR: <input>:(?:[^"\\]|\\.)*?Syntax error:(?:[^"\\]|\\.)*')
_NO_KIND = re.compile(r"no kind \"[^\"]*\" is registered for version|Object '(?:Kind|apiVersion)' is missing")


@dataclasses.dataclass(frozen=True)
class Legitimate:
    """A known and intended kind of difference."""
    name: str
    reason: str
    explains: Callable  # (case, golden, answer) -> bool


def compare_known(case, golden, answer, fields):
    """Compares a mutant, given as a text; known and intended differences do not count."""
    return without_known(compare_mutant(golden, answer, fields), case, golden, answer)


def without_known(verdict, case, golden, answer):
    """A verdict, or the one about a known and intended difference that explains it."""
    if verdict.differences:
        known = reason_for(case, golden, answer)
        if known:
            return Verdict(pods=verdict.pods, legitimate=known.name)
    return verdict


def reason_for(case, golden, answer):
    """The first entry that explains a difference, or None; case and answer are texts."""
    case = json.loads(case)
    try:
        answer = json.loads(answer)
    except (TypeError, ValueError):
        return None  # a crash is never intended
    return next((one for one in ALL if one.explains(case, golden, answer)), None)


def _refusal(result):
    return str(result.get("error", "")) if "pods" not in result and "mode" not in result else ""


def _warned(_case, golden, _answer):
    return any(pod.get("warnings") for pod in golden.get("pods") or ())


def _twice(case, golden, answer):
    if re.match(r"panic: .* already exists$", _refusal(golden)):
        return True
    together = [[*_list(case, "objects"), *_list(case, "pods")]]
    together += [_list(change, "apply") for change in _list(case, "changes")]
    return bool(_refusal(answer)) and any(
        len({_key(one) for one in objects}) < len(objects) for objects in together)


def _list(value, key):
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def _key(one):
    metadata = one.get("metadata") if isinstance(one, dict) else None
    if not isinstance(metadata, dict):
        return id(one)
    return str((one.get("kind"), metadata.get("namespace") or "default", metadata.get("name")))


def _nameless(_case, golden, answer):
    return not _refusal(golden) and _refusal(answer).endswith("metadata.name: missing")


def _kind(_case, golden, answer):
    return bool(_NO_KIND.search(_refusal(golden))) and not _refusal(answer)


def _panic(_case, golden, _answer):
    return any(one.get("panic") for pod in golden.get("pods") or () for step in pod.get("steps") or ()
               for one in (step, *(step.get("phases") or ())))


def _letters(case, golden, answer):
    objects = [*_list(case, "objects"), *_list(case, "pods")]
    objects += [one for change in _list(case, "changes") for one in _list(change, "apply")]
    odd = any(key.lower() in ("kind", "apiversion") and key not in ("kind", "apiVersion")
              for one in objects if isinstance(one, dict) for key in one)
    return odd and bool(_refusal(golden)) != bool(_refusal(answer))


def _header(_case, golden, _answer):
    return bool(re.match(r"config: got .*, want KubeSchedulerConfiguration$", _refusal(golden)))


def _extenders(_case, golden, _answer):
    return _refusal(golden) == "config: extenders are not supported by the oracle"


def _moved(_case, golden, _answer):
    return "Pod updated on a different node" in _refusal(golden)


_EXPONENTS = {"": 0, "E": 18, "P": 15, "Ei": 60, "Pi": 50}


def _beyond_64_bits(quantity):
    found = re.fullmatch(r"\+?(\d+(?:\.\d*)?)(|E|P|Ei|Pi)", str(quantity))
    if not found:
        return bool(re.fullmatch(r"\+?[\d.]+[eE]\+?\d{2,}", str(quantity)))
    number, suffix = found.groups()
    return float(number) * (2 if suffix.endswith("i") else 10) ** _EXPONENTS[suffix] * 1000 >= 2 ** 63


def _same_uid(case, golden, _answer):
    if not _refusal(golden).endswith("is in the cache, so can't be assumed"):
        return False
    names = {}
    for one in [*_list(case, "objects"), *_list(case, "pods")]:
        metadata = one.get("metadata") if isinstance(one, dict) else None
        if isinstance(metadata, dict) and metadata.get("uid"):
            names.setdefault(str(metadata["uid"]), set()).add(_key(one))
    return any(len(keys) > 1 for keys in names.values())


def _overhead(case, _golden, _answer):
    for pod in [*_list(case, "pods"), *_list(case, "objects")]:
        spec = pod.get("spec") if isinstance(pod, dict) else None
        if isinstance(spec, dict) and spec.get("overhead") and isinstance(spec.get("resources"), dict):
            lists = [spec["resources"].get(name) for name in ("requests", "limits")]
            if any(_beyond_64_bits(one) for amounts in lists if isinstance(amounts, dict)
                   for one in amounts.values()):
                return True
    return False


def _syntax(_case, golden, answer):
    def cut(result):
        text = json.dumps(result, ensure_ascii=False, sort_keys=True)
        return _SYNTAX.sub("syntax error", text)
    return cut(golden) != json.dumps(golden, ensure_ascii=False, sort_keys=True) and not compare(
        json.loads(cut(golden)), cut(answer)).differences


def _invalid_devices(case, golden, _answer):
    kinds = {one.get("kind") for one in case.get("objects") or () if isinstance(one, dict)}
    return bool(kinds & {"ResourceClaim", "DeviceClass"}) and re.match(
        "panic: runtime error: (makeslice: cap out of range|invalid memory address)", _refusal(golden)) is not None


def _places(step):
    """For each pod of a step of a script, the parts of the queue that it is in."""
    found = {}
    for part, names in (("active", ("active",)), ("backoff", ("backoff", "errorBackoff")),
                        ("unschedulable", ("unschedulable",))):
        for pod in (pod for name in names for pod in step.get(name) or ()):
            found.setdefault(pod, set()).add(part)
    return found


def _two_entries(case, golden, answer):
    if case.get("mode") != "queue" or case.get("release") not in ("1.37",):
        return False
    pairs = zip(golden.get("steps") or (), answer.get("steps") or ())
    want, have = next((pair for pair in pairs if pair[0] != pair[1]), ({}, {}))
    ours = _places(have)
    return any(len(parts) > 1 and ours.get(pod) != parts for pod, parts in _places(want).items())


def _leaving(case, golden, answer):
    def leaves(pod):
        parts = [pod.get(key) if isinstance(pod.get(key), dict) else {} for key in ("metadata", "spec", "status")]
        return parts[0].get("deletionTimestamp") and not parts[1].get("nodeName") and parts[2].get("nominatedNodeName")
    return not _refusal(golden) and not _refusal(answer) and any(
        one.get("kind") == "Pod" and leaves(one) for one in _list(case, "objects") if isinstance(one, dict))


# Fields that came with a release, which older decoders pass over.
_CAME = ((re.compile(r"(?:objects|pods)\[\d+\]\.spec\.resources\b"), 32),)


def _later(case, golden, answer):
    minor = int(str(case.get("release") or "1.99").partition(".")[2])
    return not _refusal(golden) and any(
        minor < came and field.match(_refusal(answer)) for field, came in _CAME)


def _unread(_case, golden, answer):
    return bool(_UNREAD.search(_refusal(golden))) and not _refusal(answer)


ALL = (
    Legitimate("chance", "upstream leaves it to chance or to the clock, and the oracle says so (warnings): "
               "the present time for victims without startTime, a random part of more than 100 nodes",
               _warned),
    Legitimate("twice", "two objects of one name: no API server holds them, the oracle's panics; here the "
               "later one replaces the other, and a pod to judge that is there twice is refused", _twice),
    Legitimate("nameless", "an object without a name: no API server holds it, upstream's decoder alone "
               "takes it", _nameless),
    Legitimate("kind", "a dump may hold kinds that no plugin reads, custom resources among them: they are "
               "passed over here; the oracle's decoder knows the built-in ones alone", _kind),
    Legitimate("letters", "upstream finds kind and apiVersion whatever letters are capital, all other "
               "fields only as they are; here that goes for all", _letters),
    Legitimate("header", "the oracle words this refusal itself; here it is in kube-scheduler's words",
               _header),
    Legitimate("extenders", "the oracle runs no extenders; here a pod whose profile has one is an error "
               "that says so", _extenders),
    Legitimate("panic", "a PostFilter plugin answers Wait or Skip: upstream panics, here it is an Error of "
               "that plugin", _panic),
    Legitimate("moved", "a bound pod changes its node: upstream's cache ends the program", _moved),
    Legitimate("uid", "two pods have one uid, which no API server gives twice: upstream's cache takes "
               "them for one pod, here names tell pods of a cluster apart", _same_uid),
    Legitimate("overhead", "a pod-level amount beyond 64 bits: upstream adds the overhead again each time it "
               "is asked for, here it comes once", _overhead),
    Legitimate("syntax", "the texts of CEL's syntax errors are those of upstream's parser generator", _syntax),
    Legitimate("invalid devices", "a negative number of devices, or a selector of a class without an expression: "
               "no API server takes it, upstream panics", _invalid_devices),
    Legitimate("two entries", "upstream's queue has two entries for one pod, of which one is stale: the pod was "
               "activated from the unschedulable pods while it was in the backoff queue, too (which needs "
               "SchedulerPopFromBackoffQ off), or an update with another uid was gated while the old pod was in "
               "a queue; here a pod has one entry", _two_entries),
    Legitimate("leaving", "a nominated pod that is being deleted keeps room for the oracle, which nominates by "
               "documents; kube-scheduler pops such a pod for good, and here it keeps none", _leaving),
    Legitimate("later", "objects are read as all releases together know them, so an invalid value of a field is "
               "refused also for a release that does not have the field; its API server has no such object", _later),
    Legitimate("unread", "parts of objects that no plugin reads are skipped here", _unread),
)
