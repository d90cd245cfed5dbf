"""Typical mistakes of authors of plugins: each ends in a sentence, and the plugin guide tells which."""

import pathlib
import re

import numpy
import pytest

import libsched
from libsched import Code
from libsched.testing import cluster, pod

ALLOWED = "Success, Unschedulable, UnschedulableAndUnresolvable"


def ask(call="fit", reasons=None, **methods):
    """Asks a plugin with these methods, which get all arguments but the instance."""
    members = {name: method if name == "wrong" else lambda self, *args, of=method: of(*args)
               for name, method in methods.items()}
    if reasons is not None:
        members["reasons"] = reasons
    team = type("Team", (), members)
    return getattr(libsched.Framework(plugins=[team]), call)(cluster("a b"), pod("p"))


class Team:
    def filter(self, node):
        return True


def returns(value):
    return lambda *_: value


#: By the text in the guide's table, what is done.
DONE = {
    "`fliter` beside `score`": lambda: libsched.plugin(type("Team", (), {
        "fliter": lambda self, state, pod, node: True, "score": lambda self, state, pod, node: 1})),
    "no method of a point": lambda: libsched.plugin(type("Team", (), {})),
    "other parameters": lambda: libsched.Framework(plugins=[Team]).fit(cluster("a b"), pod("p")),
    "`Code.WAIT` from `filter`": lambda: ask(filter=returns(Code.WAIT)),
    "`Code.ERROR` from `filter`": lambda: ask(filter=returns(Code.ERROR)),
    "a number that is no code": lambda: ask(filter=returns(77)),
    "a list from `filter`": lambda: ask(filter=returns(["no"])),
    "an array of numbers from `filter_batch`": lambda: ask(filter_batch=returns(numpy.array([1, 1]))),
    "an array of floats from `filter_batch`": lambda: ask(filter_batch=returns(numpy.array([0.5, 1.0]))),
    "a reason that the class does not declare": lambda: ask(filter_batch=returns((numpy.array([True, False]), "full"))),
    "an array of a wrong length": lambda: ask("score", score_batch=returns(numpy.zeros(1))),
    "a score above 100": lambda: ask("score", score=returns(1000)),
    "no number from `score`": lambda: ask("score", score=returns(None)),
}


def test_the_guide_tells_what_is_said():
    page = pathlib.Path(__file__).parents[2] / "docs" / "manual" / "pages" / "plugins.md"
    section = page.read_text().partition("### Mistakes in Python")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| (.+?) \| `(.+)` \|$", section, re.MULTILINE))
    assert rows.keys() == DONE.keys()
    for mistake, said in rows.items():
        with pytest.raises((libsched.PluginError, libsched.InvalidError)) as caught:
            DONE[mistake]()
        assert str(caught.value).endswith(said), mistake
        assert caught.value.plugin == "Team"


@pytest.mark.parametrize("method, call, known", [
    ("pre_enqueue", "fit", f"{ALLOWED}, Pending"), ("pre_filter", "fit", f"{ALLOWED}, Skip"), ("filter", "fit", f"{ALLOWED}, Pending"),
    ("pre_score", "score", "Success, Skip"), ("filter_batch", "fit", f"{ALLOWED}, Pending")])
def test_points_know_their_codes(method, call, known):
    for code in Code:
        more = {"score": returns(1)} if method == "pre_score" else {}
        answer = numpy.array([0, code]) if method == "filter_batch" else code
        if code.label in known.split(", "):
            ask(call, **{method: returns(answer)}, **more)
            continue
        with pytest.raises(libsched.PluginError) as caught:
            ask(call, **{method: returns(answer)}, **more)
        where = ' for node "b"' if method == "filter_batch" else ""
        end = " without a reason; " if code is Code.ERROR else f"; it may return {known} or Error"
        assert f"{method} returned {code.label}{where}{end}" in str(caught.value)


def test_a_status_is_told_as_it_is():
    """Upstream does not look at a plugin's code, either; its texts are what conformance compares."""
    fit = ask(filter=returns(libsched.Status(Code.ERROR, "", ("no idea",))))
    assert "no idea" in fit.error
    fit = ask(filter_batch=returns((numpy.array([0, 1]), "no idea")), reasons=("no idea",))
    assert "no idea" in fit.error


def test_points_after_the_choice_know_their_codes():
    for method, call, known in (
            ("reserve", "run_reserve_plugins_reserve", f"{ALLOWED}, Pending"), ("permit", "run_permit_plugins", f"{ALLOWED}, Wait, Pending"),
            ("pre_bind_pre_flight", "run_pre_bind_pre_flights", "Success, Skip")):
        world, one = cluster("a b"), pod("p")
        for result in (Code.SKIP, (Code.SKIP, 5)) if method == "permit" else (Code.WAIT,):
            members = {method: lambda self, *_, of=result: of, "pre_bind": lambda self, *_: None}
            framework = libsched.Framework(plugins=[type("Team", (), members)])
            state = libsched.CycleState()
            framework.run_pre_filter_plugins(state, world, one)
            with pytest.raises(libsched.PluginError, match=f"{method} returned (Skip|Wait); it may return {known} or Error"):
                getattr(framework, call)(state, world, one, "a")


def test_bools_of_numpy():
    assert ask(filter=returns(numpy.True_)).nodes == ["a", "b"]
    assert ask(filter=returns(numpy.bool_(False))).reasons == {"(no reason given)": 2}
    assert ask(filter_batch=returns([numpy.False_, numpy.True_])).nodes == ["b"]
    assert ask(pre_filter=returns(numpy.True_)).nodes == ["a", "b"]
    with pytest.raises(libsched.PluginError, match="a bool or a Code of each node was expected, not float"):
        ask(filter_batch=returns([True, 0.5]))


def test_methods_that_are_like_a_point():
    def made(**methods):
        return libsched.plugin(type("Team", (), {"score": lambda self, state, pod, node: 1, **methods}))

    for name, meant in (("Filter", "filter"), ("preFilter", "pre_filter"), ("filer", "filter"), ("filter_bach", "filter_batch"),
                        ("premit", "permit"), ("unreserv", "unreserve"), ("presocre", "pre_score"), ("normalise_score", "normalize_score")):
        arguments = 4 if meant == "normalize_score" else 2 if meant == "pre_filter" else 3
        parameters = ", ".join(["self", "state", "pod", "node", "scores"][:arguments + 1])
        with pytest.raises(libsched.InvalidError, match=f'plugin "Team": the method {name} must be called {meant}$'):
            made(**{name: eval(f"lambda {parameters}: None")})
    # Those of a base class, too.
    with pytest.raises(libsched.InvalidError, match="fliter must be called filter"):
        libsched.plugin(type("Team", (type("Base", (), {"fliter": lambda self, state, pod, node: None}),), {}))
    # Others are the author's own: beside the right one, with other parameters, with an underscore, or no method at all.
    made(scores=lambda self, state, pod, node: 1, filtered=lambda self, names: names, _fliter=lambda self, state, pod, node: 1, permits=3,
         binds=type("binds", (), {}))
