"""What is compared of results of mode dra.

A pod that needs what libsched does not implement is left out, and so are the pods after it.
"""

import json
import re

from .comparison import NEEDS_PLUGIN, WHOLE, Difference, Verdict, read_answer

# Upstream's texts of syntax errors are those of its parser generator: only that there is one is compared.
_SYNTAX = re.compile(r"(CEL compile error: compilation failed: )ERROR: <input>:(?:-1:0:|\d+:\d+: Syntax error).*",
                     re.DOTALL)


def compare_devices(golden, answer):
    """Compares a golden result (parsed) with an answer: a line of text, or Crash."""
    verdict = Verdict()
    answer = read_answer(answer, verdict)
    if answer is None:
        return verdict
    if "pods" not in golden or "pods" not in answer:
        if "pods" in golden or "pods" in answer:
            verdict.differences.append(
                Difference("", WHOLE, golden.get("error", "a result"), answer.get("error", "a result")))
        return verdict
    golden, answer = _comparable(golden), _comparable(answer)
    verdict.pods = len(golden["pods"])
    for number, (want, have) in enumerate(zip(golden["pods"], answer["pods"])):
        needed = NEEDS_PLUGIN.findall(str(have.get("error", "")))
        if needed:
            verdict.left_out += [needed[0]] * (verdict.pods - number)
            return verdict
        verdict.compared += 1
        for field in sorted({**want, **have}):
            if want.get(field) != have.get(field):
                verdict.differences.append(
                    Difference(want["pod"], field, want.get(field), have.get(field)))
        if verdict.differences:  # what follows depends on it
            return verdict
    for key in ("name", "mode", "stopped"):
        if golden.get(key) != answer.get(key):
            verdict.differences.append(Difference("", key, golden.get(key), answer.get(key)))
    if len(golden["pods"]) != len(answer["pods"]):
        verdict.differences.append(Difference("", "pods", len(golden["pods"]), len(answer["pods"])))
    return verdict


def _comparable(value):
    if isinstance(value, list):
        return [_comparable(each) for each in value]
    if isinstance(value, dict):
        return {key: _comparable(each) for key, each in value.items()}
    return _SYNTAX.sub(r"\1a syntax error", value) if isinstance(value, str) else value
