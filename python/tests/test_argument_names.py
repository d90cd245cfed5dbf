"""Every public function and method names an argument of a wrong type: a walk through the package.

CALLS has a call of each that works, or would but for what the world lacks. Each argument in turn is then one of a
wrong type, and the error must be a MisuseError whose message begins with the argument's name.
"""

import dataclasses
import inspect

import pytest

import libsched
import libsched.cel
import libsched.report
import libsched.report.answers
import libsched.testing
from libsched._annotations import misfit
from libsched._changed import Amounts
from libsched.verdicts import Verdicts
from libsched.view import Nodes, Pods
from manifests import deployment, node, pod

MODULES = (libsched, libsched.testing, libsched.report, libsched.report.answers, libsched.cel)
CLASSES = (Amounts, Nodes, Pods, Verdicts)

#: What users write, or what the library alone makes.
NOT_CALLED = (
    "ApiClient.", "SchedulerObserver.", "Plugin.", "Fork.__init__", "Columns.__init__",
    "Verdicts.__init__", "Scores.__init__", "SimulationResult.__init__", "ResultTable.__init__",
    "Answers.__init__", "Program.__init__", "NodeInfo.__init__", "NodeStatuses.on", "RemotePlugin.add_to",
    "Nodes.__init__", "Pods.__init__", "PluginSpec.", "Error.__init__", "NotFoundError.__init__")
#: What plugins are lent: see test_lent_objects_name_them.
LENT = ("LentNode.", "NodeSet.", "ObjectChange.")
#: Arguments that may be anything.
ANYTHING = {
    "CycleState.write value", "ClusterEvent.of event", "plugin cls",
    "NodeSet.__getitem__ index", "sweep dask", "Scheduler.__init__ api", "Services.__init__ api",
    "Scheduler.__init__ observer", "Status.unschedulable resolvable", "Status.unschedulable reasons",
    "testing.pod spec", "testing.cluster options",
}
#: Sets of nodes: names, a bitmap or an array.
SETS = {"FilterCalls.filter_nodes accept", "FilterCalls.run_pre_score_plugins nodes",
        "FilterCalls.run_score_plugins nodes", "SchedulingCalls.first_fit accept"}


class Wrong:
    """Of no type that any function takes."""


class World:
    """What the calls need."""

    def __init__(self):
        self.cluster = libsched.Cluster([node("a"), node("b")])
        self.cluster.add_pods(pod("there"), "a")
        self.framework = libsched.Framework()
        self.pod, self.node = libsched.Pod(pod(), keep_raw=True), libsched.Node(node("n"))
        self.state = libsched.CycleState()
        self.state.write("k", 1)
        self.framework.run_pre_filter_plugins(self.state, self.cluster, self.pod)
        self.services = self.cluster.services
        self.sim = libsched.Sim()
        self.ref = self.sim.catalog.pod(pod())
        self.shape = self.sim.catalog.node(node())
        self.nodes = self.sim.add_nodes(self.shape, ["a", "b"])
        self.placed = self.sim.add_pods([self.ref], "a")
        self.queue = libsched.Queue(self.cluster, [self.framework])
        self.queue.add(self.pod)
        self.queued = self.queue.pop()
        self.server = libsched.ApiServer()
        self.server.create([node("s"), pod("q", namespace="d")])
        self.fit = self.framework.score(self.cluster, self.pod)
        self.workload = libsched.TimedWorkload()
        self.workload.add(pod("w"))
        self.deployment = libsched.Objects(deployment()).workloads[0]
        self.daemons = libsched.Workload("DaemonSet", 0, libsched.Pod(pod("daemon")))
        self.scheduler = libsched.Scheduler([self.framework], self.cluster, clock=libsched.Clock.virtual())
        self.waiting = self._waiting()
        self.program = libsched.cel.compile("device.driver == 'x'")
        self.table = self.cluster.nodes.table()
        self.many = [self.framework]

    def _waiting(self):
        self.services.add_waiting_pod(libsched.Pod(pod("waits"), keep_raw=True).copy(uid="u"), {"P": 9})
        return self.services.waiting_pod("u")


_device = {"driver": "x"}
_stateful = dict(state=lambda w: w.state, view=lambda w: w.cluster, pod=lambda w: w.pod)
_on_node = dict(_stateful, node="a")
_judged = dict(cluster=lambda w: w.cluster, frameworks=lambda w: w.many)
_listed = dict(view=lambda w: w.cluster, pod=lambda w: w.pod)

#: The call of each function: what it is called on, and arguments; a function of the world gives those that differ.
CALLS = {
    "ApiServer.__init__": {},
    "ApiServer.add_fault": {}, "ApiServer.bind": dict(namespace="d", name="q", node_name="s"),
    "ApiServer.create": dict(source=lambda w: pod("new")), "ApiServer.update": dict(source=lambda w: node("s")),
    "ApiServer.delete": dict(kind="Node", name="s"), "ApiServer.finish_pod": dict(namespace="d", name="q"),
    "ApiServer.node": dict(name="s"), "ApiServer.pod": dict(namespace="d", name="q"),
    "Catalog.age": {}, "Catalog.has_node": dict(ref=1), "Catalog.has_pod": dict(ref=1),
    "Catalog.node": dict(node=node()), "Catalog.nodes": dict(nodes=[node()]),
    "Catalog.pod": dict(pod=pod()), "Catalog.pods": dict(pods=[pod()]),
    "Clock.advance": dict(duration=1), "Clock.advance_to": dict(now_ns=1 << 62), "Clock.custom": dict(now=lambda w: int),
    "Clock.virtual": {},
    "Cluster.__init__": dict(source=node("x")), "Cluster.load": dict(source=node("x")),
    "Cluster.add_nodes": dict(nodes=node("x")),
    "Cluster.add_pods": dict(pods=pod("x"), nodes="a"), "Cluster.apply": dict(source=node("x")),
    "Cluster.assume": dict(pod=pod("x"), node="a"), "Cluster.edit": dict(edits="cordon a"),
    "Cluster.forget": dict(key="d/x"), "Cluster.put_objects": dict(source=node("x")),
    "Cluster.remove": dict(objects=lambda w: w.cluster.nodes["b"].node),
    "Cluster.remove_node": dict(name="b"), "Cluster.remove_object": dict(kind="Service", name="x"),
    "Cluster.remove_pod": dict(key="default/there"),
    "Cluster.update": dict(objects=lambda w: w.node),
    "View.objects": dict(kind="Service"), "View.node_of": dict(pod="default/there"), "View.row": dict(name="a"),
    "Columns.allocatable": dict(resource="cpu"), "Columns.requested": dict(resource="cpu"),
    "Columns.label": dict(key="x"), "Columns.label_codes": dict(key="x"),
    "Config.__init__": {}, "Config.of_profile": dict(source={}),
    "CycleState.activate": dict(pod=lambda w: w.pod), "CycleState.delete": dict(key="k"),
    "CycleState.read": dict(key="k"), "CycleState.write": dict(key="k", value=1),
    "CycleState.parallel_pre_bind": dict(plugin="p"), "CycleState.skips_filter": dict(plugin="p"),
    "CycleState.skips_pre_bind": dict(plugin="p"), "CycleState.skips_score": dict(plugin="p"),
    "DataTable.__init__": dict(columns=lambda w: {"x": []}), "Amounts.__call__": dict(resource="cpu"),
    "DataTable.column": dict(name="name"),
    "Verdicts.__getitem__": dict(node="a"), "FitResult.explain": {}, "FitResult.to_html": {},
    "Framework.__init__": {},
    "Framework.assume": dict(cluster=lambda w: w.cluster, pod=lambda w: w.pod, node="a"),
    "Framework.forget": dict(cluster=lambda w: w.cluster, pod=lambda w: w.pod),
    "Framework.fit": dict(_listed, node="a"), "Framework.score": _listed, "Framework.cycle": _listed,
    "Framework.fit_each": dict(view=lambda w: w.cluster, pods=lambda w: [w.pod]),
    "SchedulingCalls.capacity": dict(cluster=lambda w: w.cluster, pods=lambda w: w.pod, max=1),
    "SchedulingCalls.schedule": dict(cluster=lambda w: w.cluster, pods=lambda w: w.pod),
    "SchedulingCalls.drain": dict(cluster=lambda w: w.cluster, nodes="a"),
    "SchedulingCalls.why": dict(cluster=lambda w: w.cluster, pod=lambda w: w.pod),
    "SchedulingCalls.first_fit": _listed,
    "FilterCalls.filter_nodes": _stateful, "FilterCalls.run_filter_plugins": _on_node,
    "FilterCalls.run_pre_enqueue_plugins": _listed,
    "FilterCalls.run_pre_filter_extension_add_pod": dict(_on_node, other=lambda w: w.pod),
    "FilterCalls.run_pre_filter_extension_remove_pod": dict(_on_node, other=lambda w: w.pod),
    "FilterCalls.run_pre_filter_plugins": _stateful,
    "FilterCalls.run_pre_score_plugins": dict(_stateful, nodes=lambda w: ["a"]),
    "FilterCalls.run_score_plugins": dict(_stateful, nodes=lambda w: ["a"]),
    "RuntimeCalls.queue_less": dict(a=lambda w: w.pod, a_since_ns=1, b=lambda w: w.pod, b_since_ns=2),
    "RuntimeCalls.run_post_filter_plugins": dict(_stateful, statuses=lambda w: {}),
    "RuntimeCalls.sign_pod": _listed, "RuntimeCalls.wait_on_permit": _listed,
    **{f"RuntimeCalls.{name}": _on_node for name in (
        "run_filter_plugins_with_nominated_pods", "run_permit_plugins", "run_reserve_plugins_reserve",
        "run_reserve_plugins_unreserve", "run_pre_bind_pre_flights", "run_pre_bind_plugins", "run_bind_plugins",
        "run_post_bind_plugins")},
    "Node.__init__": dict(source=node()), "Node.load": dict(source=node()), "Node.parse": dict(document="kind: Node"),
    "Node.from_flat": dict(flat=b""), "Node.from_protobuf": dict(message=b""),
    "Node.copies": dict(count=1), "Node.copy": {}, "Node.label": dict(key="x"), "Node.replace": {},
    "NodeInfo.allocatable": dict(resource="cpu"), "NodeInfo.requested": dict(resource="cpu"),
    "NodeStatuses.__init__": {}, "NodeStatuses.__getitem__": dict(node="a"), "NodeStatuses.code": dict(node="a"),
    "Objects.__init__": dict(source=pod()), "Objects.load": dict(source=pod()),
    "Objects.parse": dict(document="kind: Node\nmetadata: {name: x}\napiVersion: v1"),
    "Pod.__init__": dict(source=pod()), "Pod.load": dict(source=pod()), "Pod.parse": dict(document="kind: Pod"),
    "Pod.from_flat": dict(flat=b""), "Pod.from_protobuf": dict(message=b""),
    "Pod.copies": dict(count=1), "Pod.copy": {}, "Pod.label": dict(key="x"), "Pod.replace": {},
    "Pod.request": dict(resource="cpu"),
    "Nodes.__getitem__": dict(name="a"), "Nodes.table": {}, "Nodes.to_pandas": {},
    "Pods.__getitem__": dict(key="default/there"), "Pods.table": {}, "Pods.to_pandas": {},
    "Queue.__init__": _judged, "Queue.activate": dict(pods=lambda w: [w.pod]), "Queue.add": dict(pod=lambda w: w.pod),
    "Queue.add_unschedulable": dict(queued=lambda w: w.queued), "Queue.assigned_pod_added": dict(pod=lambda w: w.pod),
    "Queue.assigned_pod_updated": dict(old=lambda w: w.pod, new=lambda w: w.pod),
    "Queue.delete": dict(pod=lambda w: w.pod), "Queue.done": dict(pod="u"), "Queue.list": dict(part="active"),
    "Queue.move_all": dict(resource="Node", actions=1),
    "Queue.node_updated": dict(old=lambda w: w.node, new=lambda w: w.node),
    "Queue.pop_specific": dict(pod=lambda w: w.pod), "Queue.update": dict(old=lambda w: w.pod, new=lambda w: w.pod),
    "RemotePlugin.is_text": dict(text="a=b"), "RemotePlugin.parse": dict(text="a=unix:/x"),
    "ResultTable.write": dict(path="/dev/null"), "Ring.__init__": {}, "Ring.last": dict(last=0),
    "Ring.offset": dict(offset=0),
    "Scheduler.__init__": dict(_judged), "Scheduler.deliver": dict(before=None, after=lambda w: w.node),
    "Scheduler.run_for": dict(duration=1), "Scheduler.run_until": dict(time_ns=1), "Scheduler.settle": {},
    "Scores.__getitem__": dict(node="a"), "Scores.total": dict(node="a"),
    **{f"Scores.{name}": dict(plugin="ImageLocality") for name in ("raw", "normalized", "weighted")},
    "Services.__init__": {}, "Services.add_waiting_pod": dict(pod=lambda w: w.pod, waits=lambda w: {"P": 1}),
    "Services.deliver": dict(cluster=lambda w: w.cluster), "Services.nominate": dict(pod=lambda w: w.pod),
    "Services.nominated_node": dict(pod=lambda w: w.pod), "Services.reject_waiting_pod": dict(pod="u"),
    "Services.remove_nomination": dict(pod=lambda w: w.pod), "Services.waiting_pod": dict(pod="u"),
    "WaitingPod.allow": dict(plugin="P"), "WaitingPod.preempt": dict(plugin="P"), "WaitingPod.reject": dict(plugin="P"),
    "Sim.__init__": {}, "Sim.from_dump": dict(source=node("x")), "Sim.load": dict(source=node("x")),
    "Sim.add_nodes": dict(like=lambda w: w.shape, names=["x"]), "Sim.add_pod": dict(pod=lambda w: w.ref, node="a"),
    "Sim.add_pods": dict(pods=lambda w: [w.ref], nodes="a"), "Sim.allocatable": {}, "Sim.requested": {},
    "Sim.node_name": dict(node=lambda w: w.nodes[0]), "Sim.node_refs": dict(nodes=["a"]),
    "Sim.pod_nodes": dict(pods=lambda w: w.placed), "Sim.pod_refs": dict(pods=lambda w: w.placed),
    "Sim.pods_on": dict(node="a"), "Sim.position": dict(node="a"),
    "Sim.objects": dict(kind="Service"), "Sim.objects_version": dict(kind="Service"),
    "Sim.reset_objects": dict(source=lambda w: {"kind": "Service", "apiVersion": "v1", "metadata": {"name": "s"}}),
    "Sim.put_objects": dict(source=lambda w: {"kind": "Service", "apiVersion": "v1", "metadata": {"name": "s"}}),
    "Sim.remove_node": dict(node="a"), "Sim.remove_object": dict(kind="Service", name="s"),
    "Sim.remove_pods": dict(pods=lambda w: w.placed), "Sim.unplace_pods": dict(pods=lambda w: w.placed),
    "Sim.replace_node": dict(node="a", like=lambda w: w.shape),
    "Sim.reset": dict(nodes=lambda w: [w.shape], names=["x"]),
    "SimQuestions.bin_pack": dict(groups=lambda w: {w.ref: 1}, like=lambda w: w.shape),
    "SimQuestions.check": dict(pod=lambda w: w.ref, node="a"),
    "SimQuestions.check_many": dict(pods=lambda w: [w.ref]), "SimQuestions.explain": dict(pod=lambda w: w.ref),
    "SimQuestions.copies": dict(pod=lambda w: w.ref),
    "SimQuestions.feasible": dict(pod=lambda w: w.ref), "SimQuestions.find": dict(name="a"),
    "SimQuestions.first": dict(pod=lambda w: w.ref), "SimQuestions.place_many": dict(pods=lambda w: [w.ref]),
    "SimQuestions.remove": dict(node="a"),
    "Simulation.__init__": dict(cluster=lambda w: w.cluster, workload=lambda w: w.workload),
    "Simulation.run": {}, "SimulationResult.plot": dict(path="/dev/null"),
    "Status.with_error": dict(text="x"), "Status.unschedulable": {},
    "TimedWorkload.add": dict(pod=pod("x")), "TimedWorkload.add_objects": dict(source=pod("x")),
    "TimedWorkload.add_trace": dict(source=b"name,cpu_milli,memory_mib\n"),
    "WriterQueue.apply": dict(cluster=lambda w: w.cluster),
    "Code.of": dict(label="Success"), "ClusterEvent.of": dict(event="Pod"),
    "capacity": dict(_judged, pods=lambda w: w.pod, max=1), "schedule": dict(_judged, pods=lambda w: w.pod),
    "compare": dict(before=lambda w: w.cluster, after=lambda w: w.cluster, pods=lambda w: [w.pod],
                    frameworks_before=lambda w: w.many),
    "drain": dict(_judged, nodes="a"), "why": dict(_judged, pod=lambda w: w.pod),
    "compare_releases": dict(view=lambda w: w.cluster, pod=lambda w: w.pod,
                             frameworks=lambda w: {"1.36": w.framework}),
    "daemon_pods": dict(view=lambda w: w.cluster, daemon_set=lambda w: w.daemons),
    "missing_claims": _listed, "pod_with_claims": _listed,
    "admit": dict(view=lambda w: w.cluster, objects=lambda w: w.pod),
    "plugin": {}, "schedule_one": dict(_judged, pod=lambda w: w.pod, writer=lambda w: libsched.WriterQueue()),
    "sweep": dict(scenarios=lambda w: [["cordon a"]], cluster=lambda w: w.cluster, pods=lambda w: [w.pod]),
    "Timings.__init__": {}, "testing.assert_scores": dict(result=lambda w: w.fit, expected={}),
    "testing.assert_verdicts": dict(result=lambda w: w.fit, expected={}), "testing.scores": dict(result=lambda w: w.fit),
    "testing.verdicts": dict(result=lambda w: w.fit), "testing.node": {}, "testing.pod": {},
    "testing.cluster": dict(nodes="a"),
    "report.explain_html": dict(decision=lambda w: w.fit),
    "report.page_data": dict(decision=lambda w: w.fit),
    "answers.capacity_html": dict(found=lambda w: w.framework.capacity(w.cluster, w.pod, max=1)),
    "answers.compare_html": dict(found=lambda w: libsched.compare(w.cluster, w.cluster, [w.pod], w.many)),
    "answers.drain_html": dict(found=lambda w: w.framework.drain(w.cluster, "b")),
    "answers.schedule_html": dict(placements=lambda w: []),
    "answers.why_html": dict(found=lambda w: w.framework.why(w.cluster, w.pod)),
    "cel.compile": dict(expression="true"), "Program.evaluate": dict(device=_device),
    "Program.match": dict(device=_device), "Program.devices": dict(source=node()),
    "Answers.__getitem__": dict(index=0),
}


def targets(world):
    """What methods are called on, by the name of their class."""
    result = libsched.Simulation(world.cluster, world.workload).run()
    return {
        "ApiServer": world.server, "Catalog": world.sim.catalog, "Clock": libsched.Clock.virtual(),
        "Cluster": world.cluster, "View": world.cluster, "Columns": world.cluster.columns, "CycleState": world.state,
        "DataTable": world.table, "Verdicts": world.fit, "FitResult": world.fit, "Framework": world.framework,
        "SchedulingCalls": world.framework, "FilterCalls": world.framework, "RuntimeCalls": world.framework,
        "Node": world.node, "NodeInfo": world.cluster.nodes["a"], "NodeStatuses": libsched.NodeStatuses(),
        "Pod": world.pod, "Nodes": world.cluster.nodes, "Pods": world.cluster.pods, "Queue": world.queue,
        "ResultTable": result.tables[0], "Ring": libsched.Ring(), "Scheduler": world.scheduler,
        "Scores": world.fit.scores, "Services": world.services, "WaitingPod": world.waiting, "Sim": world.sim,
        "SimQuestions": world.sim, "Simulation": libsched.Simulation(world.cluster, libsched.TimedWorkload()),
        "SimulationResult": result, "Status": libsched.Status(), "TimedWorkload": libsched.TimedWorkload(),
        "WriterQueue": libsched.WriterQueue(), "Program": world.program, "Answers": world.program.devices(node()),
        "Amounts": world.node.allocatable}


def functions():
    """Yields the name of each public function with arguments, and the function."""
    classes = list(CLASSES)
    for module in MODULES:
        for name, value in sorted(vars(module).items()):
            if name.startswith("_") or not str(getattr(value, "__module__", "")).startswith("libsched"):
                continue
            if isinstance(value, type):
                classes.append(value)
            elif inspect.isfunction(value) and value.__module__ == module.__name__ or name in (
                    getattr(module, "__all__", ()) or (name if module is libsched else ())):
                last = module.__name__.removeprefix("libsched").rpartition(".")[2]
                if callable(value) and name not in ("answer_document", "document", "page_of"):
                    yield f"{last}.{name}".lstrip("."), value
    found = {}
    for one in dict.fromkeys(classes):
        for kind in (base for base in one.__mro__ if base.__module__.startswith("libsched")):
            owner = one if kind.__name__.startswith("_") else kind
            for name, member in vars(kind).items():
                if isinstance(member, property) and member.fset:
                    found.setdefault(f"{owner.__name__}.{name}", member.fset)
                function = getattr(member, "__func__", member)
                if not inspect.isfunction(function) or (dataclasses.is_dataclass(kind) and name == "__init__"):
                    continue
                if name in ("__init__", "__call__", "__getitem__") or not name.startswith("_"):
                    found.setdefault(f"{owner.__name__}.{name}", function)
    yield from found.items()


def arguments(name, function):
    """The parameters of a function that its caller gives, as far as they are not anything."""
    found = list(inspect.signature(function).parameters.values())
    if "." in name and found and found[0].name in ("self", "cls"):
        found = found[1:]
    return [one for one in found if one.annotation is not one.empty]


FUNCTIONS = {name: function for name, function in functions()
             if arguments(name, function) and not name.startswith((*NOT_CALLED, *LENT))}


def test_the_walk_knows_every_function():
    assert sorted(FUNCTIONS) == sorted(CALLS)
    assert len(FUNCTIONS) > 200


def called(name, function, given):
    """Calls a function with arguments by name."""
    kinds = {one.name: one.kind for one in inspect.signature(function).parameters.values()}
    first = [value for key, value in given.items() if kinds[key] in (
        inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.POSITIONAL_ONLY)]
    rest = {key: value for key, value in given.items() if kinds[key] not in (
        inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.POSITIONAL_ONLY)}
    return first, rest


def call(name, function, world, given):
    owner, _, method = name.rpartition(".")
    first, rest = called(name, function, given)
    kind = next((one for one in (*CLASSES, *(getattr(module, owner, None) for module in MODULES))
                 if isinstance(one, type) and one.__name__ == owner), None)
    if method == "__init__":
        return kind(*first, **rest)
    if kind is None and owner not in targets(world):  # a function of a module
        return function(*first, **rest)
    if kind is not None and isinstance(inspect.getattr_static(kind, method), (classmethod, staticmethod)):
        return getattr(kind, method)(*first, **rest)
    return function(targets(world)[owner], *first, **rest)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_an_argument_of_a_wrong_type_is_named(name):
    function = FUNCTIONS[name]
    complaints = []
    for one in arguments(name, function):
        if f"{name} {one.name}" in ANYTHING:
            continue
        tried = [Wrong(), 5, "no"] if f"{name} {one.name}" in SETS else [value for value in (Wrong(), 5, "no", 5.5) if misfit(one.annotation, value, one.name, function)]
        assert tried, f"{name} takes anything for {one.name}"
        for wrong in tried:
            world = World()
            given = {key: value(world) if callable(value) else value for key, value in CALLS[name].items()}
            try:
                call(name, function, world, {**given, one.name: wrong})
            except (libsched.MisuseError, libsched.InvalidError) as error:
                if not error.message.startswith((f"{one.name} is ", f"{one.name}[0] is ")):
                    complaints.append(f"{one.name}={wrong!r}: {error!r}")
            except BaseException as error:
                complaints.append(f"{one.name}={wrong!r}: {type(error).__name__}: {str(error)[:150]}")
            else:
                complaints.append(f"{one.name}={wrong!r}: no error")
    assert not complaints, "\n".join(complaints)


@pytest.mark.parametrize("kind, given", [
    (libsched.Scenario, {}), (libsched.Nomination, {}), (libsched.RemotePlugin, dict(name="a", address="unix:/x")),
    (libsched.Workload, dict(kind="Deployment", replicas=1, pod=libsched.Pod(pod())))])
def test_a_field_of_a_wrong_type_is_named(kind, given):
    kind(**given)
    for field in dataclasses.fields(kind):
        with pytest.raises(libsched.MisuseError, match=f"^{field.name} is .*, not <"):
            kind(**{**given, field.name: Wrong()})


class Asks:
    """Asks the objects that plugins are lent, with arguments of a wrong type."""

    def __init__(self):
        self.found = []

    def ask(self, lent, method, **given):
        for name in given:
            try:
                getattr(lent, method)(**{**given, name: Wrong()})
            except libsched.MisuseError as error:
                self.found.append((f"{type(lent).__name__}.{method} {name}", error.message.startswith(f"{name} is ")))

    def filter(self, state, pod, node):
        self.ask(node, "label", key="x")
        self.ask(node, "allocatable", resource="cpu")
        self.ask(node, "requested", resource="cpu")
        return None

    def score_batch(self, state, pod, nodes):
        for method in ("allocatable", "requested", "free"):
            self.ask(nodes, method, resource="x", missing=0)
        self.ask(nodes, "label", key="x")
        self.ask(nodes, "by_label", key="x", values={}, default=0)
        self.ask(nodes, "take", column=nodes.rows)
        return [0] * len(nodes)

    def events_to_register(self):
        return ["Node"]

    def queueing_hint(self, handle, pod, change):
        self.ask(change, "raw", after=True)
        return True


def test_lent_objects_name_them():
    asks = Asks()
    world = World()
    framework = libsched.Framework(plugins=[asks])
    framework.score(world.cluster, world.pod)
    queue = libsched.Queue(world.cluster, [framework])
    queue.add(world.pod)
    queue.add_unschedulable(queue.pop(), unschedulable=["Asks"])
    queue.move_all("Node", libsched.Action.ADD, new=world.node)
    walked = {f"{name} {one.name}" for name, function in functions() if name.startswith(LENT)
              for one in arguments(name, function)} - ANYTHING
    assert walked == {name for name, _ in asks.found} and all(named for _, named in asks.found), (
        sorted(walked.symmetric_difference(name for name, _ in asks.found)), asks.found)
