"""`libsched fit`: which nodes of a cluster take these pods, and why don't the others?"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from typing import Any

from .. import _explain
from ..cluster import Cluster
from ..errors import Error, InvalidError, NotFoundError
from ..fit import FitResult, NodeVerdict
from ..framework import Config, Framework
from ..objects import Objects, Pod
from . import reading
from .progress import Progress
from .terminal import Terminal, print_json, table

DESCRIPTION = """\
Judges every pod of a file on a cluster, as kube-scheduler v1.36 would: PreEnqueue, PreFilter and
Filter on every node. A pod that runs in the cluster already (same namespace and name) is judged as
if it were not there and had no nodeName. A workload, such as a Deployment, is judged by its pod
template."""

EPILOG = """\
exit codes:
  0  every pod fits on some node
  1  a pod does not
  2  bad input, or a pod needs a plugin that is not available

examples:
  libsched fit cluster.yaml --pod train.yaml
  libsched fit nodes.json pods.json --pod deployment.yaml --explain gpu-a-3
  kubectl get nodes,pods -A -o json | libsched fit - --pod web.yaml --json | jq .nodes"""

MOST_NAME_LINES = 12


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A pod to judge and, if it is a workload's template, the workload."""

    pod: Pod
    kind: str = ""
    replicas: int = 0


@dataclasses.dataclass(frozen=True)
class Answer:
    """What is to be said about a candidate; `error` instead of a result if there is none."""

    candidate: Candidate
    notes: list[str]
    result: FitResult | None = None
    error: Error | None = None


def add_to(commands: Any) -> None:
    made = commands.add_parser(
        "fit", help="which nodes take a pod, and why don't the others?", description=DESCRIPTION,
        epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("cluster", nargs="+", metavar="CLUSTER",
                      help="manifests of nodes and running pods (YAML or JSON, gzip or not); "
                      "- is standard input; several are merged")
    made.add_argument("--pod", required=True, metavar="FILE",
                      help="manifest of the pods to judge; - is standard input")
    made.add_argument("--explain", nargs="?", const="", metavar="NODE",
                      help="say for each node, or for this one plugin by plugin, why")
    made.add_argument("--json", action="store_true", help="print one line of JSON for each pod")
    made.add_argument("--config", metavar="FILE", help="a KubeSchedulerConfiguration")
    made.add_argument("--profile", metavar="NAME",
                      help="the profile that judges (default: the pod's schedulerName)")
    made.add_argument("--as-is", action="store_true",
                      help="keep a pod that runs already in the cluster, and its nodeName")
    made.add_argument("--no-defaults", dest="defaults", action="store_false",
                      help="take objects as they are, without the API server's defaults")
    made.add_argument("--strict", action="store_true",
                      help="refuse unknown kinds and fields instead of counting them")
    made.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Judges; returns 0, 1 or 2."""
    errors = Terminal(sys.stderr)
    if [*options.cluster, options.pod].count("-") > 1:
        raise InvalidError("standard input (-) can be read only once")
    parts, cluster = load_cluster(options)
    pods = reading.read(options.pod, defaults=options.defaults, strict=options.strict,
                        classes=parts[-1][1] if len(parts) == 1 else _with_classes(parts))
    candidates = [Candidate(pod) for pod in pods.pods] + [
        Candidate(workload.pod, workload.kind, workload.replicas) for workload in pods.workloads]
    if not candidates:
        raise InvalidError(f"{options.pod}: there is no pod and no workload in it")
    if not options.json:
        for name, objects in parts:
            reading.tell(name, objects, errors, each_field=False)
        reading.tell(options.pod, pods, errors, each_field=True)
        if pods.nodes:
            errors.warn(f"{options.pod}: its nodes are not used; name the file as CLUSTER for that")
    if not len(cluster):
        raise InvalidError(f"there are no nodes in {', '.join(options.cluster)}")

    judge = Judge(options, cluster)
    writer = JsonWriter(options, cluster, parts, pods) if options.json else TextWriter(options)
    code = 0
    with Progress("judging pods", len(candidates)) as progress:
        for number, candidate in enumerate(candidates):
            progress.update(number, f"{number:,} of {len(candidates):,}")
            answer = judge.answer(candidate)
            writer.write(answer)
            if answer.result is None or answer.result.error:
                code = 2
            elif not answer.result.fits:
                code = max(code, 1)
    return code


def load_cluster(options: argparse.Namespace) -> tuple[list[tuple[str, Objects]], Cluster]:
    """What each CLUSTER holds, and all of it in one cluster."""
    parts = [(name, reading.read(name, defaults=options.defaults, strict=options.strict))
             for name in options.cluster]
    cluster = Cluster()
    for _, objects in parts:
        cluster.apply(objects)
    return parts, cluster


def _with_classes(parts: list[tuple[str, Objects]]) -> Objects | None:
    """The input that holds the PriorityClasses; only one may."""
    found = [(name, objects) for name, objects in parts if objects.priority_classes() is not None]
    if len(found) > 1:
        raise InvalidError(f"{found[0][0]} and {found[1][0]} both hold PriorityClasses; put them "
                           "into one file")
    return found[0][1] if found else None


class Judge:
    """Finds the profile for a pod and asks it."""

    def __init__(self, options: argparse.Namespace, cluster: Cluster) -> None:
        self._options = options
        self._cluster = cluster
        self._config = Config(reading.path(options.config)) if options.config else Config()
        self._frameworks: dict[str, Framework] = {}

    def answer(self, candidate: Candidate) -> Answer:
        """Judges one candidate; errors become part of the answer."""
        notes: list[str] = []
        try:
            framework = self._framework(candidate.pod, notes)
            return Answer(candidate, notes, self._fit(framework, candidate, notes))
        except NotFoundError:
            raise
        except Error as error:
            return Answer(candidate, notes, error=error)

    def _fit(self, framework: Framework, candidate: Candidate, notes: list[str]) -> FitResult:
        pod = candidate.pod
        cluster = self._cluster
        if candidate.kind:
            notes.append(f"{candidate.kind} {pod.key}: judged by its pod template, "
                         f"{candidate.replicas:,} replica{'s' * (candidate.replicas != 1)}")
        elif pod.key in cluster.pods and not self._options.as_is:
            where = cluster.node_of(pod) or cluster.pods[pod.key].node_name
            notes.append(f"{pod.key} runs on {where}; judged as if it were not there "
                         "(--as-is keeps it)")
            with cluster.fork():
                cluster.remove_pod(pod.key)
                return framework.fit(cluster, pod.copy(node_name=""))
        elif pod.node_name:
            notes.append(f"{pod.key} has the nodeName {pod.node_name}, so only that node can "
                         "take it")
        return framework.fit(cluster, pod)

    def _framework(self, pod: Pod, notes: list[str]) -> Framework:
        names = self._config.profiles
        name = self._options.profile or pod.scheduler_name
        if name not in names:
            if self._options.profile or len(names) > 1:
                raise NotFoundError(f'{pod.key}: there is no profile "{name}"; there are: '
                                    f"{', '.join(names)} (--profile chooses)")
            notes.append(f'{pod.key} asks for the scheduler "{name}"; judged by the profile '
                         f'"{names[0]}"')
            name = names[0]
        if name not in self._frameworks:
            self._frameworks[name] = Framework(self._config, profile=name)
        return self._frameworks[name]


class TextWriter:
    """Answers for people."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._out = Terminal(sys.stdout)
        self._first = True

    def write(self, answer: Answer) -> None:
        out = self._out
        if not self._first:
            out.line()
        self._first = False
        for note in answer.notes:
            out.note(note)
        if answer.result is None:
            sys.stdout.flush()
            Terminal(sys.stderr).error(_about(answer.candidate.pod, str(answer.error)))
            return
        for line in self._lines(answer.result):
            out.line(line)

    def _lines(self, result: FitResult) -> list[str]:
        out = self._out
        node = self._options.explain
        if node is None or result.error or _explain.is_gated(result):
            return list(_explain.summary(result, out.paint, out.width,
                                         MOST_NAME_LINES if out.is_terminal else 0,
                                         "--json lists them all"))
        if node:
            if node not in result:
                raise NotFoundError(f'there is no node "{node}" to explain; write --explain=NODE, '
                                    "or --explain alone at the end")
            return list(_explain.about_node(result, node, out.paint))
        rows = [[verdict.node, "fits" if verdict.fits else "no", verdict.status.plugin,
                 verdict.status.message] for verdict in result]
        lines = [_explain.headline(result, out.paint)]
        for verdict, line in zip(result, table(rows), strict=True):
            lines.append(out.paint("good" if verdict.fits else "bad", line))
        return lines


class JsonWriter:
    """Answers for programs: one line for each pod."""

    def __init__(self, options: argparse.Namespace, cluster: Cluster,
                 parts: list[tuple[str, Objects]], pods: Objects) -> None:
        self._options = options
        everything = [objects for _, objects in parts] + [pods]
        self._cluster = {
            "nodes": len(cluster),
            "pods": len(cluster.pods),
            "skipped": [entry for objects in everything for entry in objects.skipped],
            "unknownFields": sum(objects.unknown_fields for objects in everything),
        }
        self._warnings = [{"file": name, **warning}
                          for name, objects in [*parts, (options.pod, pods)]
                          for warning in objects.warnings]

    def write(self, answer: Answer) -> None:
        candidate, result, error = answer.candidate, answer.result, answer.error
        line: dict[str, Any] = {"pod": candidate.pod.key}
        if candidate.kind:
            line["workload"] = {"kind": candidate.kind, "replicas": candidate.replicas}
        if error is not None:
            line.update(error=str(error))
            if error.plugin:
                line["plugin"] = error.plugin
        if result is not None:
            line.update(self._result(result))
        line.update(notes=answer.notes, cluster=self._cluster, warnings=self._warnings)
        print_json(line)

    def _result(self, result: FitResult) -> dict[str, Any]:
        details = result.to_dict()
        line: dict[str, Any] = {
            "profile": result.profile,
            "fits": result.fits,
            "nodes": result.nodes,
            "nodeCount": result.node_count,
            "reasons": [{"nodes": count, "plugin": plugin, "reason": reason}
                        for count, plugin, reason in _explain.reason_counts(result)],
        }
        for name in ("error", "preEnqueue", "fitError"):
            if details.get(name):
                line[name] = details[name]
        node = self._options.explain
        if node is not None:
            if node and node not in result:
                raise NotFoundError(f'there is no node "{node}" to explain')
            line["preFilter"] = details.get("preFilter")
            line["explain"] = [_verdict(verdict) for verdict in result
                               if node in ("", verdict.node)]
        return line


def _about(pod: Pod, text: str) -> str:
    """A text that names the pod."""
    return text if pod.key in text else f"{pod.key}: {text}"


def _verdict(verdict: NodeVerdict) -> dict[str, Any]:
    """A verdict in the form of the C API's JSON."""
    status = verdict.status
    entry: dict[str, Any] = {"node": verdict.node, "code": status.code.label}
    if status.plugin:
        entry["plugin"] = status.plugin
    if status.reasons:
        entry["reasons"] = list(status.reasons)
    if verdict.by_pre_filter:
        entry["excludedByPreFilter"] = True
    return entry
