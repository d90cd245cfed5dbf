"""What is compared of results of mode cel."""

import json

from .comparison import WHOLE, Difference, Verdict, read_answer

# Upstream's texts of syntax errors are those of its parser generator: only that there is one is compared.
_SYNTAX = ("Syntax error", "ERROR: <input>:-1:0:")
# A message of google.protobuf.Any that has no value is printed behind this as Go's protobuf library likes it, which
# differs from build to build on purpose.
_NO_VALUE = "unsupported conversion to ref.Val: (*dynamicpb.Message)"
# Upstream's worst-case estimate is what the API server looks at.
_WITHOUT = ("estimate",)


def compare_expressions(golden, answer):
    """Compares a golden result (parsed) with an answer: a line of text, or Crash."""
    verdict = Verdict(pods=1)
    answer = read_answer(answer, verdict)
    if answer is None:
        return verdict
    if "error" in golden:  # upstream's process ends: there is nothing to agree with
        verdict.legitimate = "upstream dies"
        return verdict
    verdict.compared = 1
    refused = golden.get("compileError", "")
    if any(text in refused for text in _SYNTAX) and answer.get("compileError"):
        return verdict
    for key in sorted((golden.keys() | answer.keys()) - {*_WITHOUT, "devices"}):
        if golden.get(key) != answer.get(key):
            verdict.differences.append(Difference("", key, golden.get(key), answer.get(key)))
    devices, others = golden.get("devices") or [], answer.get("devices") or []
    if len(devices) != len(others):
        verdict.differences.append(Difference("", WHOLE, f"{len(devices)} devices", f"{len(others)} devices"))
    for i, (want, have) in enumerate(zip(devices, others)):
        if want.get("error", "").startswith(_NO_VALUE):
            want = {**want, "error": _NO_VALUE}
        # Upstream walks a map in any order, and its answers differed.
        if not want.get("unordered") and want != have:
            verdict.differences.append(Difference("", f"devices[{i}]", want, have))
    return verdict
