"""Plugins that fail: each fault gives its text, ends in time, and does no harm to the next question."""

import os
import random
import re
import time

import conftest
import fault_server
import libsched
import pytest

SERVER = conftest.HERE / "fault_server.py"
#: Seconds that the plugin has for an answer; more where the machine has other work: FAULT_TIMEOUT=1.5.
TIMEOUT = float(os.environ.get("FAULT_TIMEOUT", "0.3"))
#: Random faults in a row; more by hand: FAULTS=10000.
FAULTS = int(os.environ.get("FAULTS", "80"))
LOST = r"the connection was closed|read: Connection reset by peer|write: Broken pipe"
#: The text of each fault of the stream form. None: the answer is right in the end.
STREAM = {
    "": None, "forget": None, "close": LOST, "reset": LOST, "slow": "there was no answer within [0-9.]+m?s$",
    "half": LOST, "stuck": "there was no answer within [0-9.]+m?s$", "json": "the answer is no JSON$",
    "list": "the answer is no JSON object", "utf8": "the answer is no JSON$", "deep": "the answer is nested too deep$",
    "long": "a frame of 8589934590 bytes is too long", "bytes": 'columns: the bytes of "codes" are missing',
    "extra": "columns: missing, but there are bytes of columns",
    "column": 'columns: unknown column "cords" of type "int8"', "id": r"id: \d+ in place of \d+",
    "need": 'need: the plugin needs "nodes" again', "count": 'columns: 7 entries of "codes" for 4 nodes',
    "code": "codes: unknown code 77", "reason": "reasonIndexes: reason 9 of 1",
    "rows": r'rejected\["nowhere"\]: no such node was asked about',
    "name": r'rejected\["n1"\]\.code: unknown code "Unwilling"', "type": "rejected: expected an object",
    "texts": r'rejected\["n1"\]\.reasons: expected a list of texts', "status": "code: only Error is of all nodes",
}
LOST_HTTP = r"EOF|connection reset by peer"
HTTP = {
    **{fault: text for fault, text in STREAM.items() if fault not in (
        "forget", "bytes", "extra", "column", "id", "need")},
    "close": LOST_HTTP, "reset": LOST_HTTP, "half": "unexpected EOF|EOF", "count": "codes: 7 entries for 4 nodes",
    "slow": "deadline exceeded|Timeout|timeout|no answer within", "stuck": "deadline exceeded|Timeout|timeout|no answer within",
    "long": "the body exceeds|deadline|Timeout|timeout", "500": "status 500",
}
NODES = [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"n{index}"},
          "status": {"allocatable": {"cpu": "4", "pods": "9"}}} for index in range(4)]


def pod(fault, **labels):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {"fault": fault, **labels}},
            "spec": {"containers": [{"name": "c"}]}}


class Asked:
    """A framework with the plugin, whose services have a clock of their own."""

    def __init__(self, address, **options):
        self.clock = libsched.Clock.virtual()
        self.plugin = libsched.RemotePlugin("Odd", address, **{"timeout": TIMEOUT, **options})
        self.framework = libsched.Framework(plugins=[self.plugin], services=libsched.Services(self.clock))
        self.cluster = libsched.Cluster(NODES)

    def ask(self, fault):
        """The nodes that fit, or the text of the plugin's error."""
        began = time.monotonic()
        try:
            result = self.framework.fit(self.cluster, pod(fault))
            status = result["n0"].status
            return status.reasons[0] if status.code is libsched.Code.ERROR else sorted(result.nodes)
        finally:
            assert time.monotonic() - began < TIMEOUT + 2
            if fault in ("slow", "stuck"):
                time.sleep(fault_server.SLOW)  # the server does nothing else meanwhile


FORMS = [("unix", STREAM), ("tcp", STREAM), ("http+unix", HTTP), ("http", HTTP)]


def started(server, form, tmp_path):
    address = conftest.address_of(form, tmp_path)
    server(conftest.python(SERVER, address))
    return address


def check(fault, text, said):
    if text is None:
        assert said == ["n0", "n2", "n3"], (fault, said)
    else:
        assert isinstance(said, str) and re.search(text, said, re.MULTILINE), (fault, said)
        assert said.startswith('running "Odd" filter plugin: '), said


@pytest.mark.parametrize("form, faults", FORMS, ids=[form for form, _ in FORMS])
def test_each_fault_has_its_text(server, tmp_path, form, faults):
    asked = Asked(started(server, form, tmp_path))
    for fault, text in faults.items():
        if fault in ("slow", "stuck", "long") and form in ("tcp", "http"):
            continue  # they take long, and differ in nothing from those over Unix sockets
        check(fault, text, asked.ask(fault))
        check("", None, asked.ask(""))


@pytest.mark.parametrize("form, faults", FORMS[::2], ids=[form for form, _ in FORMS[::2]])
def test_random_faults_and_the_breaker(server, tmp_path, form, faults):
    """After 5 failures in a row the plugin is not asked for 10 seconds of the services' clock."""
    seed = int(time.time())
    print("seed", seed)
    chosen = random.Random(seed)
    asked = Asked(started(server, form, tmp_path))
    # Slow and large faults are rare, because each takes the whole timeout.
    rare = [fault for fault in ("slow", "stuck", "long") if fault in faults]
    kinds = [fault for fault in faults if fault not in rare] * 12 + [*rare, *[""] * 8]
    failures, last = 0, ""
    for _ in range(FAULTS):
        fault = chosen.choice(kinds)
        said = asked.ask(fault)
        if failures >= 5:
            assert "not asked after 5 failures in a row, of which the last was" in said, (failures, said)
            assert re.search(last, said, re.MULTILINE), (last, said)
            asked.clock.advance(10)
            said = asked.ask(fault)
        check(fault, faults[fault], said)
        failures, last = (0, "") if faults[fault] is None else (failures + 1, (faults[fault] or "").rstrip("$"))


def test_errors_of_the_plugin_do_not_open_the_breaker(server, tmp_path):
    asked = Asked(started(server, "unix", tmp_path))
    for _ in range(8):
        assert "the plugin is ill" in asked.ask("error")
    check("", None, asked.ask(""))


@pytest.mark.parametrize("form", ["unix", "http+unix"])
def test_an_ignorable_plugin_is_skipped(server, tmp_path, form):
    asked = Asked(started(server, form, tmp_path), ignorable=True)
    for fault in ("json", "close", "rows"):
        assert asked.ask(fault) == ["n0", "n1", "n2", "n3"]
    assert "the plugin is ill" in asked.ask("error")  # it has answered


def test_a_plugin_that_has_gone_and_comes_back(tmp_path):
    address = conftest.address_of("unix", tmp_path)
    with conftest.running(conftest.python(SERVER, address)):
        asked = Asked(address)
        check("", None, asked.ask(""))
    for _ in range(5):
        assert re.search("connect: (Connection refused|No such file)|" + LOST, asked.ask(""))
    assert "not asked after 5 failures" in asked.ask("")
    asked.clock.advance(10)
    assert "connect: Connection refused" in asked.ask("")  # the health check fails, and the pause begins anew
    assert "not asked after 5 failures" in asked.ask("")
    with conftest.running(conftest.python(SERVER, address)):
        asked.clock.advance(10)
        check("", None, asked.ask(""))


@pytest.mark.parametrize("form", ["unix", "http+unix"])
def test_registration_and_arguments(server, tmp_path, form):
    with pytest.raises(libsched.FileError, match="No such file|no such file"):
        Asked(conftest.address_of(form, tmp_path))
    address = started(server, form, tmp_path)
    config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": [
        {"pluginConfig": [{"name": "Odd", "args": {"refuse": True}}]}]}
    with pytest.raises(libsched.InvalidError, match='initializing plugin "Odd": these arguments are refused$'):
        libsched.Framework(config, plugins=[f"Odd={address}"])
    with pytest.raises(libsched.InvalidError, match="unknown option"):
        libsched.Framework(plugins=[f"Odd={address},quick"])
    with pytest.raises(libsched.InvalidError, match="a timeout is positive"):
        libsched.Framework(plugins=[libsched.RemotePlugin("Odd", address, timeout=0)])
    with pytest.raises(libsched.InvalidError, match="none of unix:PATH"):
        libsched.Framework(plugins=[libsched.RemotePlugin("Odd", "ftp://x")])


def test_changes_and_reverts_are_told(server, tmp_path):
    asked = Asked(started(server, "unix", tmp_path))
    check("", None, asked.ask(""))
    with asked.cluster.fork():
        asked.cluster.remove_node("n3")
        assert asked.ask("") == ["n0", "n2"]
        asked.cluster.add_nodes({**NODES[3], "metadata": {"name": "n9"}})
        assert asked.ask("") == ["n0", "n2", "n9"]
    check("", None, asked.ask(""))
    other = libsched.Cluster(NODES[:2])
    assert sorted(asked.framework.fit(other, pod("")).nodes) == ["n0"]
    check("", None, asked.ask(""))


def test_the_queue_is_in_the_order_of_keys(server, tmp_path):
    address = started(server, "unix", tmp_path)
    config = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": [
        {"plugins": {"queueSort": {"disabled": [{"name": "*"}], "enabled": [{"name": "Sorter"}]}}}]}
    framework = libsched.Framework(config, plugins=[f"Sorter={address}"])
    low, high = (libsched.Pod({**pod(""), "metadata": {"name": rank, "labels": {"rank": rank}}}) for rank in ("1", "2"))
    assert framework.queue_less(high, 2, low, 1) is True
    assert framework.queue_less(low, 1, high, 2) is False
    assert framework.queue_less(low, 1, low, 2) is True


@pytest.mark.parametrize("form", ["unix", "http+unix"])
def test_the_queue_asks_for_hints(server, tmp_path, form):
    address = started(server, form, tmp_path)
    services = libsched.Services(libsched.Clock.virtual(1000 * 10**9))
    framework = libsched.Framework(plugins=[f"Hinted={address}"], services=services)
    queue = libsched.Queue(libsched.Cluster(), [framework])
    for name in ("waits", "gated"):
        queue.add(libsched.Pod({**pod(""), "metadata": {"name": name}}))
    assert queue.counts.active == 1
    queue.add_unschedulable(queue.pop(), unschedulable=["Hinted"])
    for name, backing_off in (("other", 0), ("wanted", 1)):
        queue.move_all("Node", libsched.Action.ADD, new=libsched.Node({**NODES[0], "metadata": {"name": name}}))
        assert queue.counts.backoff == backing_off


def test_a_lost_state_is_an_error_until_the_next_cycle(tmp_path):
    address = conftest.address_of("unix", tmp_path)
    cluster = libsched.Cluster(NODES)
    asked = libsched.Pod(pod(""))
    with conftest.running(conftest.python(SERVER, address)):
        framework = libsched.Framework(plugins=[f"Counter={address}"])
        state = libsched.CycleState()
        framework.run_pre_filter_plugins(state, cluster, asked)
        assert framework.run_filter_plugins(state, cluster, asked, "n0").reasons == ("nobody has left",)
    with conftest.running(conftest.python(SERVER, address)):
        status = framework.run_filter_plugins(state, cluster, asked, "n0")
        assert "the plugin has lost the state" in status.reasons[0]
        again = libsched.CycleState()
        framework.run_pre_filter_plugins(again, cluster, asked)
        assert framework.run_filter_plugins(again, cluster, asked, "n0").reasons == ("nobody has left",)


@pytest.mark.parametrize("form", ["unix", "http+unix"])
@pytest.mark.parametrize("parallelism", [1, 4])
def test_preemption_copies_states(server, tmp_path, form, parallelism):
    """With a pod taken off its node the plugin agrees, so preemption finds the victims."""
    address = started(server, form, tmp_path)
    framework = libsched.Framework(plugins=[f"Counter={address}"], parallelism=parallelism)
    cluster = libsched.Cluster(NODES)
    for index in range(4):
        cluster.add_pods(libsched.Pod({**pod(""), "metadata": {"name": f"low{index}"}}), f"n{index}")
    high = {**pod(""), "spec": {"containers": [{"name": "c"}], "priority": 9}}
    for _ in range(3):
        result = framework.fit(cluster, high, post_filter=True)
        assert result.nodes == []
        found = result.preemption
        assert (found["nominatedNode"], found["victims"]) == ("n0", ["default/low0"]), found


def test_children_of_fork_have_connections_of_their_own(server, tmp_path):
    asked = Asked(started(server, "unix", tmp_path))
    check("", None, asked.ask(""))
    children = []
    for _ in range(3):
        child = os.fork()
        if child == 0:
            right = all(asked.ask("") == ["n0", "n2", "n3"] for _ in range(20))
            os._exit(0 if right else 1)
        children.append(child)
    for _ in range(20):
        check("", None, asked.ask(""))
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
