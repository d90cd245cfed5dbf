"""Numbers in options of the command line: ASCII digits, within bounds."""

import argparse

import pytest

from libsched.cli.digits import seconds, whole
from manifests import node, pod, several

OPTIONS = {
    "capacity --max": "capacity c.yaml --pod p.yaml --max",
    "capacity --seed": "capacity c.yaml --pod p.yaml --seed",
    "capacity --deadline": "capacity c.yaml --pod p.yaml --deadline",
    "why --max-nodes": "why c.yaml --pod p.yaml --max-nodes",
    "why --nearest": "why c.yaml --pod p.yaml --nearest",
    "explain --top": "explain c.yaml --pod p.yaml --top",
    "fit --extender-calls": "fit c.yaml --pod p.yaml --extender-calls",
    "schedule --limit": "schedule c.yaml --pod p.yaml --limit",
    "simulate --seed": "simulate c.yaml --workload p.yaml --seed",
    "simulate --until": "simulate c.yaml --workload p.yaml --until",
    "cel --cost-limit": "cel true --cost-limit",
}


@pytest.mark.parametrize("option", OPTIONS)
def test_digits_of_other_scripts_are_refused(run, option):
    unit = "s" if option.endswith("until") else ""
    files = {"c.yaml": several(node()), "p.yaml": several(pod())}
    for wrong in ("٣", "1" + "0" * 5000):  # Python takes the one as 3, and refuses to read the other
        done = run(*OPTIONS[option].split(), wrong + unit, files=files)
        assert done.code == 2 and f"argument {option.split()[1]}: '" in done.err and "' is no " in done.err, done
        assert len(done.err) < 3000 and "Traceback" not in done.err
    assert "' is no " not in run(*OPTIONS[option].split(), "1" + unit, files=files).err


def test_the_bounds_of_numbers():
    number = whole(1, 1024, "number from 1 to 1024")
    assert (number("1"), number("1024"), number("0001"), number("0" * 5000 + "3")) == (1, 1024, 1, 3)
    assert whole(0, 9, "digit")("000") == 0
    for wrong in ("0", "1025", "-1", "+1", "", "1.0", "0x1", "1_0", " 1", "٣", "५", "３", "²", "9" * 5000):
        with pytest.raises(argparse.ArgumentTypeError, match="is no number from 1 to 1024"):
            number(wrong)
    assert (seconds("1.5"), seconds("1e3")) == (1.5, 1000)
    for wrong in ("0", "-1", "nan", "inf", "1e9", "", "x", "٣"):
        with pytest.raises(argparse.ArgumentTypeError, match="is no positive number of seconds"):
            seconds(wrong)


def test_times_of_a_simulation_are_at_most_292_years(run):
    files = {"c.yaml": several(node()), "p.yaml": several(pod())}
    ask = "simulate c.yaml --workload p.yaml --until"
    assert run(*ask.split(), "12000d", files=files).code == 0
    done = run(*ask.split(), "120000d", files=files)
    assert done.code == 2 and "'120000d' is no time such as" in done.err and "of at most 292 years" in done.err
