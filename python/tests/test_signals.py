"""Signals while a large document is read: their handlers run, and what they raise ends the call."""

import json
import signal

import pytest

import libsched
from manifests import node


@pytest.fixture
def timer():
    """Calls a handler in 20 ms, and by default every 20 ms then."""
    before = signal.getsignal(signal.SIGALRM)

    def start(handler, again=0.02):
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.02, again)

    yield start
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def large(form):
    """A document that takes some tenths of a second, as a text of JSON or YAML."""
    one = json.dumps(node("@"))
    if form == "json":
        items = ",".join(one.replace("@", f"n{index}") for index in range(300_000))
        return f'{{"apiVersion":"v1","kind":"List","items":[{items}]}}'
    return "".join(f"---\n{one.replace('@', f'n{index}')}\n" for index in range(15_000))


@pytest.mark.parametrize("form", ["json", "yaml"])
@pytest.mark.parametrize("where", ["text", "file"])
def test_handlers_run_while_it_is_read(timer, form, where, tmp_path):
    source = text = large(form)
    if where == "file":
        source = tmp_path / "large"
        source.write_text(text)
    called = []
    timer(lambda *_: called.append(1))
    objects = libsched.Objects(source)
    during = len(called)
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert during > 2  # as often as it is due, and not once before and once at the end
    assert len(objects.nodes) > 10_000


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_ctrl_c_ends_the_reading_and_changes_nothing(timer, form):
    text = large(form)
    cluster = libsched.Cluster(node("old"))

    def stop(number, frame):
        raise KeyboardInterrupt

    timer(stop, again=0)
    with pytest.raises(KeyboardInterrupt):
        cluster.apply(text)
    assert list(cluster.nodes) == ["old"]
    cluster.apply(node("new"))  # nothing is left of it
    assert sorted(cluster.nodes) == ["new", "old"]
