"""Recorded traces of the real framework are the same with every fake plugin in another process.

By hand, with fresh cases: tests/conformance/conformance.py --oracle ORACLE --mode trace --kinds trace --seeds 500
--libsched "tests/remote/libsched_remote stream evaluate"
"""

import json
import lzma
import os
import subprocess
import sys

import conftest
import pytest
import schema

RECORDED = conftest.ROOT / "tests/goldens/1.36/trace.jsonl.xz"
CASES = 70
#: The messages that no trace causes.
NEVER = {"stream/queueSort", "stream/queueingHint", "stream/ping", "stream/cancel", "answer/queueSort",
         "answer/queueingHint", "http/queueSort", "http/queueingHint", "http/health"}


def same(value):
    """A value without the differences that do not count: those of the order of members."""
    return json.dumps(value, sort_keys=True)


@pytest.mark.parametrize("form", ["stream", "http"])
def test_recorded_traces(form, tmp_path):
    with lzma.open(RECORDED) as recorded:
        pairs = [json.loads(line) for line, _ in zip(recorded, range(CASES))]
    messages = tmp_path / "messages"
    done = subprocess.run(
        [sys.executable, str(conftest.HERE / "libsched_remote"), form, "evaluate"],
        input="\n".join(json.dumps(pair["case"]) for pair in pairs), capture_output=True, text=True,
        env={**os.environ, "MESSAGES": str(messages)}, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(results) == CASES
    assert not [pair["case"]["name"] for pair, result in zip(pairs, results)
                if same(pair["golden"]) != same(result)]
    expected = {name for name in schema.DEFS if "/" in name and name.partition("/")[0] in (form, "answer")}
    missing = expected - NEVER - set(json.loads(messages.read_text()))
    assert not [name for name in missing if name.partition("/")[2] not in ("health", "ping", "clone", "drop", "hello")
                or name.startswith(form)]
