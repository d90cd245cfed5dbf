"""The differences that were run: upstream's releases differ as the page "Releases" says, and libsched's do as they."""

import json
import pathlib
import subprocess
import sys

import pytest

from libsched.differences import differences

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "conformance"))

from harness.comparison import FIELDS, compare  # noqa: E402
from harness.cycles import compare_cycles  # noqa: E402
from harness.devices import compare_devices  # noqa: E402
from harness.expressions import compare_expressions  # noqa: E402
from harness.work import remembered  # noqa: E402

COMPARISONS = {"dra": compare_devices, "cel": compare_expressions,
               "queue": lambda golden, answer: compare_cycles("queue", golden, answer, FIELDS)}
LINES = [json.loads(line) for line in (ROOT / "tests" / "tables" / "differences.jsonl").read_text().splitlines()]


def test_the_page_names_what_was_run():
    assert sorted(line["heading"] for line in LINES) == sorted(
        one.heading for one in differences() if one.seen == "run")
    by_heading = {one.heading: one for one in differences()}
    for line in LINES:
        has = [release in by_heading[line["heading"]].releases for release in line["releases"]]
        assert has[0] != has[1], line["heading"]


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What libsched answers to each case as each of its two releases."""
    asked = [{**line["case"], "release": release} for line in LINES for release in line["releases"]]
    done = subprocess.run([sys.executable, "-m", "libsched", "evaluate"], capture_output=True, text=True,
                          input="".join(json.dumps(case) + "\n" for case in asked),
                          cwd=tmp_path_factory.mktemp("evaluate"), check=False)
    lines = done.stdout.splitlines()
    assert len(lines) == len(asked), done.stderr
    return [lines[i:i + 2] for i in range(0, len(lines), 2)]


@pytest.mark.parametrize("number", range(len(LINES)), ids=[line["heading"].replace(" ", "-") for line in LINES])
def test_libsched_differs_as_upstream(answers, number):
    line = LINES[number]
    differing = COMPARISONS.get(line["case"]["mode"], compare)
    given = [remembered(answer, release)
             for answer, release in zip(answers[number], line["releases"], strict=True)]
    for golden, answer in zip(line["goldens"], given, strict=True):
        assert differing(golden, answer).differences == []
    assert differing(line["goldens"][0], given[1]).differences
