"""Finds the differences between the golden result of a case and an answer.

A pod whose answer names a plugin that is not built is left out, never compared. In mode
"schedule" the pods after it see a different cluster, so they are left out as well.
"""

import dataclasses
import json
import re

from .service import Crash

NEEDS_PLUGIN = re.compile(r'needs plugin "([^"]+)"')
# A further field, "scores:NAME", is one plugin's part of the scores.
FIELDS = ("preEnqueue", "preFilter", "nodes", "feasible", "error", "fitError", "skipScore", "scoreError",
          "scores", "best", "chosen", "reserve", "nodeOrder", "fitErrorWithPostFilter", "postFilter")
# The field of a difference that concerns a case as a whole.
WHOLE, CRASH = "case", "crash"


@dataclasses.dataclass(frozen=True)
class Difference:
    """One field of one pod (or of the case: pod is "") or of one step of a script."""
    pod: str
    field: str
    golden: object
    answer: object
    step: str = ""

    def __str__(self):
        where = ", ".join([f"pod {self.pod}"] * bool(self.pod) + [self.step] * bool(self.step) + [self.field])
        lines = [f"{where} differs:"]
        if isinstance(self.golden, list) and isinstance(self.answer, list):
            lines += _list_lines(self.golden, self.answer)
        else:
            lines += [f"    upstream: {_short(self.golden)}", f"    libsched: {_short(self.answer)}"]
        return "\n".join(lines)


def same_kind(one, other):
    """Tells whether two differences look like the same fault: the same field, or the same kind of crash."""
    if one.field != other.field:
        return False
    return one.field != CRASH or one.answer.partition(";")[0] == other.answer.partition(";")[0]


@dataclasses.dataclass
class Verdict:
    """The comparison of one case."""
    pods: int = 0
    compared: int = 0
    left_out: list = dataclasses.field(default_factory=list)  # a plugin's name for each such pod
    skipped_upstream: int = 0  # left out for a plugin whose Filter upstream skips for this pod
    differences: list = dataclasses.field(default_factory=list)
    refused: bool = False  # by both sides
    legitimate: str = ""  # the name of a known kind of difference, which the case shows


def read_answer(answer, verdict):
    """Returns an answer as an object, whose error tells that it is none. None after a crash, which is a difference."""
    if isinstance(answer, Crash):
        verdict.differences.append(Difference("", CRASH, "an answer", str(answer)))
        return None
    try:
        answer = json.loads(answer)
    except ValueError as error:
        return {"error": f"the answer is not JSON ({error}): {answer[:200]}"}
    if not isinstance(answer, dict):
        return {"error": f"the answer is not an object: {json.dumps(answer)[:200]}"}
    return answer


def compare(golden, answer, fields=FIELDS):
    """Compares a golden result (parsed) with an answer: a line of text, or Crash."""
    verdict = Verdict()
    answer = read_answer(answer, verdict)
    if answer is None:
        return verdict
    if "steps" in golden:
        _compare_script(golden, answer, verdict)
        return verdict
    if golden.get("mode") in ("trace", "config"):
        _compare_trace(golden, answer, verdict)
        return verdict
    if "pods" not in golden or "pods" not in answer:
        # If either side cannot run the case, both must give the same error.
        if golden.get("error") != answer.get("error") or "pods" in golden or "pods" in answer:
            verdict.differences.append(
                Difference("", WHOLE, golden.get("error", "a result"), answer.get("error", "a result")))
        return verdict
    for key in ("name", "mode"):
        if golden.get(key) != answer.get(key):
            verdict.differences.append(Difference("", key, golden.get(key), answer.get(key)))
    names, got = ([pod.get("pod") for pod in side["pods"]] for side in (golden, answer))
    if names != got:
        verdict.differences.append(Difference("", "pods", names, got))
        return verdict
    verdict.pods = len(names)
    gone = None  # the missing plugin after which the clusters of mode schedule diverge
    for want, have in zip(golden["pods"], answer["pods"]):
        needed = NEEDS_PLUGIN.findall(str(have.get("error", "")))
        if gone or needed:
            plugin = gone or needed[0]
            verdict.left_out.append(plugin)
            if plugin in (want.get("preFilter") or {}).get("skipFilter", ()):
                verdict.skipped_upstream += 1
            if golden.get("mode") == "schedule":
                gone = plugin
            continue
        verdict.compared += 1
        for field in fields:
            one, other = _part(want, field), _part(have, field)
            if one != other:
                verdict.differences.append(Difference(want["pod"], field, one, other))
    return verdict


def compare_mutant(golden, answer, fields=FIELDS):
    """Like compare(), but a refusal by upstream's decoder may have another text here.

    Errors of a configuration must have upstream's text, because users look them up in upstream's documents.
    """
    refused = _refusal(golden)
    said = None
    if isinstance(answer, str):
        try:
            said = _refusal(json.loads(answer))
        except ValueError:
            pass
    if refused is None or said is None:
        return compare(golden, answer, fields)
    verdict = Verdict(refused=True)
    ours = all(text.startswith("config: ") for text in (refused, said))
    if ours and said != refused and not said.startswith(refused + " ("):  # libsched may add a hint
        verdict.differences.append(Difference("", WHOLE, refused, said))
    return verdict


def _refusal(result):
    """The reason why a whole case was refused, or None."""
    if not isinstance(result, dict) or "pods" in result or "mode" in result or "error" not in result:
        return None
    return str(result["error"])


def _compare_trace(golden, answer, verdict):
    """Compares every field of mode trace, step by step, including a framework that upstream refuses.

    Mode config has only fields, no steps.
    """
    fields = [field for field in {**golden, **answer} if field != "pods"]
    for field in fields:
        if golden.get(field) != answer.get(field):
            verdict.differences.append(Difference("", field, golden.get(field), answer.get(field)))
    want, have = golden.get("pods") or [], answer.get("pods") or []
    verdict.pods = verdict.compared = max(1, len(want))
    if [pod["pod"] for pod in want] != [pod.get("pod") for pod in have]:
        verdict.differences.append(Difference("", "pods", want, have))
        return
    for one, other in zip(want, have):
        for number, step in enumerate(one["steps"]):
            got = other["steps"][number] if number < len(other["steps"]) else None
            if step != got:
                verdict.differences.append(
                    Difference(one["pod"], f"step {number} ({step['step']})", step, got))
        if len(other["steps"]) > len(one["steps"]):
            verdict.differences.append(Difference(one["pod"], "steps", one["steps"], other["steps"]))


def _compare_script(golden, answer, verdict):
    """Compares every field of the results of a script, up to the first step with a difference.

    Later steps depend on it, so their differences would say nothing.
    """
    verdict.pods = verdict.compared = 1
    for field in ("name", "error"):
        if golden.get(field) != answer.get(field):
            verdict.differences.append(Difference("", field, golden.get(field), answer.get(field)))
    if verdict.differences:
        return
    want, have = golden["steps"] or [], answer.get("steps") or []
    for number, (one, other) in enumerate(zip(want, have)):
        for field in {**one, **other}:
            if one.get(field) != other.get(field):
                verdict.differences.append(Difference("", field, one.get(field), other.get(field),
                                                      f"step {number} ({one['do']})"))
        if verdict.differences:
            return
    if len(want) != len(have):
        verdict.differences.append(Difference("", "steps", len(want), len(have)))
    if verdict.differences:
        return
    want, have = golden.get("metrics", {}), answer.get("metrics", {})
    for name in {**want, **have}:
        if want.get(name) != have.get(name):
            verdict.differences.append(Difference("", f"metrics: {name}", want.get(name), have.get(name)))


def _part(pod, field):
    """A field of a pod, or one plugin's part of the scores."""
    name, _, plugin = field.partition(":")
    if not plugin or not pod.get(name):
        return pod.get(name)
    return [{"node": node["node"], **node["plugins"].get(plugin, {})} for node in pod[name]]


def _short(value):
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value
    return text if len(text) <= 600 else text[:600] + " ..."


def _list_lines(golden, answer, most=5):
    """The entries of two lists that differ; entries of nodes are paired by name."""
    def key(index, entry):
        return entry["node"] if isinstance(entry, dict) and "node" in entry else index
    want = {key(i, entry): entry for i, entry in enumerate(golden)}
    have = {key(i, entry): entry for i, entry in enumerate(answer)}
    wrong = [k for k in {**want, **have} if want.get(k) != have.get(k)]
    if not wrong:
        return ["    the same entries in another order"]
    lines = []
    for k in wrong[:most]:
        lines += [f"    upstream [{k}]: {_short(want.get(k))}", f"    libsched [{k}]: {_short(have.get(k))}"]
    if len(wrong) > most:
        lines.append(f"    ... and {len(wrong) - most} more of {len(want)}")
    return lines
