"""Counts tests from the output of each runner."""

import dataclasses
import json
import re
import xml.etree.ElementTree as ElementTree


@dataclasses.dataclass(frozen=True)
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other):
        return Counts(self.passed + other.passed, self.failed + other.failed,
                      self.skipped + other.skipped)

    def total(self):
        return self.passed + self.failed + self.skipped

    def closing_line(self):
        line = f"{self.passed} passed, {self.failed} failed"
        return line + (f", {self.skipped} skipped" if self.skipped else "")


def of_program(result):
    """A program that is one test: exit code 0 is a pass."""
    return Counts(passed=1) if result.code == 0 else Counts(failed=1)


def of_doctest(result):
    """`[doctest] test cases: 3 | 2 passed | 1 failed | 0 skipped`; a crash is a failure.

    doctest's own "skipped" counts the tests that a filter left out, so it is ignored.
    """
    summaries = re.findall(r"\[doctest\] test cases:\s*\d+ \|\s*(\d+) passed \|\s*(\d+) failed",
                           result.output)
    if not summaries:
        return Counts(failed=1)
    passed, failed = (int(number) for number in summaries[-1])
    if result.code != 0 and failed == 0:  # died after the summary: a leak, a race at exit
        failed = 1
    return Counts(passed, failed)


def of_closing_line(result):
    """The last `N passed, N failed[, N skipped]` that a runner printed."""
    lines = re.findall(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?", result.output)
    if not lines:
        return Counts(failed=1)
    passed, failed, skipped = (int(number or 0) for number in lines[-1])
    if result.code != 0 and failed == 0:
        failed = 1
    return Counts(passed, failed, skipped)


def of_junit(result, path):
    """pytest's --junitxml report."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError):
        return Counts(failed=1)
    total = Counts()
    for suite in root.iter("testsuite"):
        number = {key: int(suite.get(key, 0)) for key in ("tests", "failures", "errors", "skipped")}
        failed = number["failures"] + number["errors"]
        total += Counts(max(0, number["tests"] - failed - number["skipped"]), failed,
                        number["skipped"])
    if result.code not in (0, 5) and total.failed == 0:  # 5: pytest found no tests
        total += Counts(failed=1)
    return total


def of_go_json(result):
    """`go test -json`: one event a line; a package that fails without a failed test counts as a failure."""
    total = Counts()
    failed_packages, packages_with_failed_test = set(), set()
    for line in result.output.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        action, package = event.get("Action"), event.get("Package") or event.get("ImportPath")
        if "Test" in event:
            if action in ("pass", "fail", "skip"):
                total += Counts(action == "pass", action == "fail", action == "skip")
            if action == "fail":
                packages_with_failed_test.add(package)
        elif action in ("fail", "build-fail"):
            failed_packages.add(package.split(" ")[0])
    total += Counts(failed=len(failed_packages - packages_with_failed_test))
    if result.code != 0 and total.failed == 0:
        total += Counts(failed=1)
    return total
