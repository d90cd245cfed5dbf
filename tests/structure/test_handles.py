"""Every function of the C API checks that a handle is live, not only that it is not NULL."""

import re

from sources import ROOT

CHECK = ROOT / "capi/src/handle_check.hpp"
NAMES = re.findall(r"^  X\((\w+),", CHECK.read_text(), re.MULTILINE)
PARAMETER = re.compile(r"\blibsched_(?:%s)\* (\w+)" % "|".join(NAMES))


def functions(text):
    """(head, body) of the definitions that begin at the left margin with a name libsched_*."""
    for part in re.split(r"^(?=[\w].*\blibsched_\w+\()", text, flags=re.MULTILINE):
        head, brace, body = part.partition("{")
        if brace and re.search(r"\blibsched_\w+\($|\blibsched_\w+\(", head):
            yield head, body


def test_the_list_of_handles_is_complete():
    text = "".join(p.read_text() for p in (ROOT / "capi/include/libsched").glob("*.h"))
    opaque = set(re.findall(r"typedef struct libsched_(\w+) libsched_\1;", text))
    assert opaque == set(NAMES)


# Objects that callers make and calls fill have one owner.
EXCLUSIVE = {"status", "cycle_state", "prefilter_result", "node_statuses", "score_table"}
IMMUTABLE = {"text", "error", "objects", "pod", "node", "snapshot", "config", "framework", "decision"}


def test_every_kind_that_is_shared_has_a_ref():
    text = "".join(p.read_text() for p in sorted((ROOT / "capi/include/libsched").glob("*.h")))
    owned = {name for name in NAMES if f"libsched_{name}_unref(" in text}
    taken = dict(re.findall(r"\*libsched_(\w+)_ref\((const )?libsched_", text))
    assert set(taken) == owned - EXCLUSIVE
    assert EXCLUSIVE | IMMUTABLE <= owned
    assert all(taken[name] for name in IMMUTABLE)


def test_handles_are_not_only_compared_with_null():
    wrong = []
    for path in sorted((ROOT / "capi/src").rglob("*.cpp")):
        for head, body in functions(path.read_text()):
            may_be_null = " ".join(re.findall(r"LIBSCHED_ALLOW_HANDLES\(error, ([^)]*)\)", body))
            for name in PARAMETER.findall(head):
                if name in re.findall(r"\w+", may_be_null):
                    continue
                if re.search(rf"(?<![\w.>]){name} [!=]= nullptr", body):
                    wrong.append(f"{path.relative_to(ROOT)}: {head.split('(')[0]}: {name}")
    assert not wrong, wrong
