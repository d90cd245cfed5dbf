"""What is compared of results of mode cycles.

Times count to the millisecond, because a turn takes a microsecond. A case that needs what libsched does not
implement is left out.
"""

import itertools
import json
import re

from .comparison import Verdict, compare

GROUPS = {"podgroup", "placement", "workload", "composite", "evictions"}  # kinds with groups of pods
# Parts of the queue that list the pods of groups, which upstream does not order.
_PARTS = {"active", "backoff", "errorBackoff"}
_TIMES = {"at", "now", "timestamp", "initialAttempt", "done"}
_UNSUPPORTED = re.compile(r"that libsched does not implement yet: (\w+)")


def compare_cycles(kind, golden, answer, fields):
    """Compares a golden result (parsed) with an answer: a line of text, or Crash."""
    if isinstance(answer, str):
        try:
            result = json.loads(answer)
        except ValueError:
            return compare(golden, answer, fields)
        missing = _UNSUPPORTED.search(str(result.get("error", ""))) if isinstance(result, dict) else None
        if missing and "steps" in golden:
            return Verdict(pods=1, left_out=[missing[1]])
        answer = json.dumps(_comparable(kind, result))
    return compare(_comparable(kind, golden), answer, fields)


def _comparable(kind, value):
    if isinstance(value, list):
        return [_comparable(kind, each) for each in value]
    if not isinstance(value, dict):
        return value
    found = {}
    for key, each in value.items():
        if key in _TIMES and isinstance(each, int):
            found[key] = each // 10**6
        elif key == "inFlight" and kind in GROUPS:
            found[key] = _sorted_pods(each)
        elif key in _PARTS and kind in GROUPS:
            found[key] = sorted(each)
        else:
            found[key] = _comparable(kind, each)
    return found


def _sorted_pods(in_flight):
    """Sorts neighbouring pods: upstream pops the members of a group in any order."""
    return [entry for pods, run in itertools.groupby(in_flight, lambda entry: entry.startswith("pod "))
            for entry in (sorted(run) if pods else run)]
