"""The test driver counts honestly: every fault of a runner is a failure in its counts."""

import json
import subprocess
import sys
import time

import pytest
import sources

sys.path.insert(0, str(sources.ROOT / "tests"))

from driver import ahead, cost, counts, parts, report  # noqa: E402
from driver import shell as driver_shell  # noqa: E402
from driver.counts import Counts  # noqa: E402
from driver.shell import Result  # noqa: E402

DOCTEST = "[doctest] test cases:  3 |  2 passed | 1 failed | 4 skipped\n"


@pytest.mark.parametrize("code,output,expected", [
    (1, DOCTEST, Counts(2, 1)),
    (0, DOCTEST.replace("2 passed | 1", "3 passed | 0"), Counts(3, 0)),
    (23, DOCTEST.replace("2 passed | 1", "3 passed | 0"), Counts(3, 1)),  # a leak at exit
    (-11, "Segmentation fault", Counts(0, 1)),
    (0, "", Counts(0, 1)),
])
def test_doctest(code, output, expected):
    assert counts.of_doctest(Result(code, output)) == expected


@pytest.mark.parametrize("code,output,expected", [
    (0, "4 passed, 0 failed\n7 passed, 0 failed, 2 skipped\n", Counts(7, 0, 2)),
    (1, "7 passed, 3 failed", Counts(7, 3)),
    (1, "7 passed, 0 failed", Counts(7, 1)),
    (0, "all is well", Counts(0, 1)),
])
def test_closing_line(code, output, expected):
    assert counts.of_closing_line(Result(code, output)) == expected


def go_events(*events):
    return "\n".join(json.dumps(dict(zip(("Action", "Package", "Test"), event)))
                     for event in events)


@pytest.mark.parametrize("code,output,expected", [
    (0, go_events(("pass", "p", "TestA"), ("skip", "p", "TestB"), ("pass", "p")), Counts(1, 0, 1)),
    (1, go_events(("pass", "p", "TestA"), ("fail", "p", "TestB"), ("fail", "p")), Counts(1, 1)),
    (1, go_events(("build-fail", "p [p.test]"), ("fail", "p")), Counts(0, 1)),
    (1, go_events(("pass", "p", "TestA"), ("fail", "p")), Counts(1, 1)),  # a race in TestMain
    (2, "go: no such tool", Counts(0, 1)),
])
def test_go(code, output, expected):
    assert counts.of_go_json(Result(code, output)) == expected


def junit_of(tmp_path, source):
    (tmp_path / "test_it.py").write_text(source)
    report = tmp_path / "report.xml"
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", f"--junitxml={report}",
                           "-p", "no:cacheprovider", tmp_path], capture_output=True, check=False,
                          cwd=tmp_path)
    return counts.of_junit(Result(done.returncode, done.stdout.decode()), report)


@pytest.mark.parametrize("source,expected", [
    ("def test_a(): pass\ndef test_b(): assert 0\n", Counts(1, 1)),
    ("import pytest\n@pytest.mark.skip\ndef test_a(): pass\n", Counts(0, 0, 1)),
    ("import nothing_of_that_name\n", Counts(0, 1)),
    ("import pytest\n@pytest.fixture\ndef f():\n  yield\n  assert 0\ndef test_a(f): pass\n",
     Counts(1, 1)),
    ("", Counts()),  # no tests: the driver refuses a part without any
])
def test_pytest(tmp_path, source, expected):
    got = junit_of(tmp_path, source)
    assert (got.failed, got.skipped) == (expected.failed, expected.skipped)
    assert got.passed <= expected.passed


def test_a_report_that_was_not_written_is_a_failure(tmp_path):
    assert counts.of_junit(Result(0, ""), tmp_path / "none.xml") == Counts(0, 1)


def test_closing_line_of_counts():
    assert Counts(3, 0).closing_line() == "3 passed, 0 failed"
    assert (Counts(1, 1) + Counts(2, 0, 4)).closing_line() == "3 passed, 1 failed, 4 skipped"


@pytest.mark.parametrize("required,code", [("", 0), ("1", 1)])
def test_a_part_that_is_switched_off_fails_only_when_all_are_required(required, code):
    """Runs the whole driver with one part whose tool is missing."""
    program = ("import sys; sys.path.insert(0, 'tests')\n"
               "from driver import parts; import runpy\n"
               "off = parts.Part('off', 'never runs', lambda shell: 1 / 0,"
               " needs=(lambda: 'no such tool',))\n"
               "parts.PARTS = (off,)\n"
               "sys.argv = ['tests/run']\n"
               "runpy.run_path('tests/run', run_name='__main__')\n")
    done = subprocess.run([sys.executable, "-c", program], cwd=sources.ROOT, text=True,
                          env={"REQUIRE_ALL": required, "PATH": "/usr/bin"}, check=False,
                          capture_output=True)
    assert "off: switched off (no such tool)" in done.stdout
    assert done.stdout.splitlines()[-1] == f"0 passed, {code} failed"
    assert done.returncode == code


@pytest.mark.parametrize("named,ran", [((), "1 passed"), (("long",), "2 passed")])
def test_a_part_that_takes_minutes_runs_only_if_it_is_named(named, ran):
    program = ("import sys; sys.path.insert(0, 'tests')\n"
               "from driver import counts, parts; import runpy\n"
               "parts.PARTS = (parts.Part('short', '', lambda shell: counts.Counts(1)),\n"
               "               parts.Part('long', '', lambda shell: counts.Counts(2), by_name=True))\n"
               f"sys.argv = ['tests/run', *{named!r}]\n"
               "runpy.run_path('tests/run', run_name='__main__')\n")
    done = subprocess.run([sys.executable, "-c", program], cwd=sources.ROOT, text=True,
                          check=False, capture_output=True)
    assert done.stdout.splitlines()[-1] == f"{ran}, 0 failed"


def test_a_failure_is_told_again_beside_the_counts():
    program = ("import sys; sys.path.insert(0, 'tests')\n"
               "from driver import counts, parts; import runpy\n"
               "def run(shell):\n"
               "    shell.note('the reason')\n"
               "    return counts.Counts(failed=1)\n"
               "parts.PARTS = (parts.Part('a-part-that-fails', 'fails', run),)\n"
               "sys.argv = ['tests/run']\n"
               "runpy.run_path('tests/run', run_name='__main__')\n")
    done = subprocess.run([sys.executable, "-c", program], cwd=sources.ROOT, text=True,
                          check=False, capture_output=True)
    after_table = done.stdout[done.stdout.index("\nall "):]
    assert "the reason" in after_table and done.stdout.endswith("\n0 passed, 1 failed\n")


def test_a_failed_command_ends_its_log(monkeypatch, tmp_path):
    """Concurrent commands may end later."""
    monkeypatch.setattr(driver_shell, "BUILD", tmp_path)
    shell = driver_shell.Shell("part")
    shell.run([sys.executable, "-c", "print('the find'); raise SystemExit(3)"])
    shell.run([sys.executable, "-c", "print('all well\\n' * 100)"])
    shell.note_failed()
    ended = shell.log_path.read_text().splitlines()[-2:]
    assert ended[0].startswith("failed: ") and ended[0].endswith("(exit code 3):")
    assert ended[1] == "the find"


BURN = "import time\nwhile time.process_time() < 0.2: pass"


def test_cost_has_the_cpu_time_of_children(capsys):
    begin = cost.so_far()
    subprocess.run([sys.executable, "-c", BURN], check=True)
    spent = cost.so_far() - begin
    assert spent.cpu >= 0.15 and spent.wall >= 0.15  # the other 0.05 s are for rounding
    report.table([(parts.PARTS[0], Counts(3), "", cost.Cost(60, 100)),
                  (parts.PARTS[1], Counts(4), "", cost.Cost(61, 11))])
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2].split() == ["all", "121", "s", "111", "s"]


def test_a_build_ahead_runs_once_and_its_failure_is_that_of_the_part_that_needs_it(tmp_path):
    made = tmp_path / "made"
    ahead.start({"good": ["sh", "-c", f"echo x >> {made}"], "bad": ["sh", "-c", "echo broken; exit 3"]})
    shell = driver_shell.Shell("test-ahead")
    for _ in range(2):
        driver_shell.once(shell, "good", ["false"])
    assert made.read_text() == "x\n"
    with pytest.raises(driver_shell.Failure, match="bad failed"):
        driver_shell.once(shell, "bad", ["true"])
    assert "broken" in shell.log_path.read_text()
    assert ahead.take("good") is None


def test_builds_ahead_are_no_parts_cost():
    before, builds = cost.so_far(), ahead.cpu()
    ahead.start({"busy": [sys.executable, "-c", "for i in range(5_000_000): pass"]})
    assert ahead.take("busy") == (0, "")
    assert ahead.cpu() - builds > 0.05
    assert (cost.so_far() - before).cpu < ahead.cpu() - builds


def test_builds_that_have_not_begun_are_given_up(tmp_path):
    made = tmp_path / "made"
    ahead.start({"slow": ["sleep", "0.5"], "later": ["touch", str(made)]})
    ahead.stop()
    assert ahead.take("slow") == (0, "")
    time.sleep(0.2)
    assert not made.exists()


def test_every_sanitizer_build_can_be_begun_ahead():
    presets = [preset for part in parts.PARTS for preset, _ in part.builds()]
    assert presets == (["asan-ubsan", "tsan-gcc"] if parts.CLANG() else ["fuzz", "tsan"])


def test_counts_of_items_that_run_at_once_are_summed():
    assert parts.at_once(lambda item: Counts(item, 1), [1, 2, 3]) == Counts(6, 3)
